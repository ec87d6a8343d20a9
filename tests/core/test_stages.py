"""Named boundaries at which a run can be killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
from gpurent.core.stages import reach
for number in range(3):
    reach("a.thing.done")
    reach("b.thing.done")
    print(number, flush=True)
"""


def run(tmp_path: Path, kill_at: str | None) -> tuple[int, str, list[str]]:
    log = tmp_path / "stages.txt"
    words = {"GPURENT_STAGE_LOG": str(log)} | ({} if kill_at is None else {"GPURENT_KILL_AT": kill_at})
    plain = {name: value for name, value in os.environ.items() if not name.startswith("GPURENT_")}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=plain | words, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout, log.read_text().split()


@pytest.mark.parametrize(
    ("kill_at", "printed", "reached"),
    [("a.thing.done", "", 1), ("b.thing.done:2", "0\n", 4), ("a.thing.done:3", "0\n1\n", 5)],
)
def test_the_process_is_killed_at_the_named_boundary(
    tmp_path: Path, kill_at: str, printed: str, reached: int
) -> None:
    code, output, log = run(tmp_path, kill_at)
    assert (code, output, len(log)) == (-signal.SIGKILL, printed, reached)
    name, _, count = kill_at.partition(":")
    assert log[-1] == f"{name}:{count or 1}"


@pytest.mark.parametrize("kill_at", [None, "a.thing.done:4", "c.thing.done"])
def test_any_other_run_ends_by_itself(tmp_path: Path, kill_at: str | None) -> None:
    code, output, log = run(tmp_path, kill_at)
    assert (code, output, len(log)) == (0, "0\n1\n2\n", 6)
