"""Kill the daily run of the sample at seeded moments, start it again, and see that it always ends the same.

`python -m bench.soak [--kills N] [--seed S]`: each round kills one run by SIGKILL at a named boundary drawn from
those an undisturbed run reaches, repeats the command until it ends by itself, and compares every file of the
editions, the data checks and each archived record. Ends 1 at the first round that differs.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from gpurent.core.errors import CheckFailedError
from gpurent.core.ids import sha256_hex
from warehouse import checks, open_warehouse
from warehouse.archive import iterate

COMMAND = [sys.executable, "-m", "gpurent", "daily", "--sample"]


def run(folder: Path, **variables: str) -> int:
    """The command in `folder`; its exit code, negative when it was killed."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("GPURENT_")}
    done = subprocess.run(
        COMMAND, env=plain | variables, cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode not in {0, -signal.SIGKILL}:
        sys.stderr.write(done.stderr)
    return done.returncode


def editions(folder: Path) -> dict[str, str]:
    """Every file of the editions and its hash."""
    return {
        path.relative_to(folder).as_posix(): sha256_hex(path.read_bytes())
        for path in sorted(folder.rglob("editions/**/*"))
        if path.is_file()
    }


def complaints(folder: Path) -> list[str]:
    """What is wrong with the warehouse and its archive: findings, damage, captures without their record."""
    (database,) = folder.rglob("gpurent-sample/*.duckdb")
    with open_warehouse(database, read_only=True) as warehouse:
        wrong = [str(finding) for finding in checks.run(warehouse)]
        captures = {name for (name,) in warehouse.rows("SELECT capture_id FROM captures")}
        damage: list[CheckFailedError] = []
        stored = {record.capture_id for record in iterate(warehouse.layout.archive, on_damage=damage.append)}
    wrong += [str(error) for error in damage]
    return wrong + [f"capture {name} has no record" for name in sorted(captures - stored)]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=__doc__)
    parser.add_argument("--kills", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    dice = random.Random(asked.seed)
    with tempfile.TemporaryDirectory() as whole:
        log = Path(whole) / "stages.txt"
        if run(Path(whole), GPURENT_STAGE_LOG=str(log)) != 0:
            return 1
        # each line is NAME:N, the N-th time a boundary was reached
        reached = Counter(line.partition(":")[0] for line in log.read_text(encoding="utf-8").split())
        expected = editions(Path(whole))
    print(
        f"{len(expected)} files of editions, {reached.total()} moments at {len(reached)} boundaries",
        flush=True,
    )
    for number in range(1, asked.kills + 1):
        # the boundary first: else those that are reached at every capture would have nearly all kills
        name = dice.choice(sorted(reached))
        moment = f"{name}:{dice.randint(1, reached[name])}"
        with tempfile.TemporaryDirectory() as folder:
            killed = run(Path(folder), GPURENT_KILL_AT=moment)
            ended = run(Path(folder))
            differing = editions(Path(folder)).items() ^ expected.items()
            wrong = complaints(Path(folder)) + sorted({name for name, _ in differing})
        if killed != -signal.SIGKILL or ended != 0 or wrong:
            print(f"{number}. killed at {moment} ({killed}), then ended {ended}: {wrong[:5]}")
            return 1
        print(f"{number}. killed at {moment}: the same editions, warehouse and archive in order", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
