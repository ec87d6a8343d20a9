"""Killed at every boundary of publishing and started again, it ends as if it had never been killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gpurent.publish.chain import verify_chain
from tests.publish import synthetic_market as market

ROOT = Path(__file__).parents[2]
BOUNDARIES = (
    "publish.edition.files_written",
    "publish.edition.renamed",
    "publish.edition.recorded",
    "publish.latest.moved",
    "publish.site.written",
)

PROGRAM = """
import sys
from pathlib import Path
from gpurent.core.clock import RecordedClock, at_utc
from gpurent.publish.edition import write_edition
from gpurent.publish.sample_key import sample_key
from gpurent.publish.site import write_site
from tests.publish import synthetic_market as market
from warehouse import open_warehouse

folder = Path(sys.argv[1])
with open_warehouse(folder / "w.duckdb", clock=RecordedClock(at_utc(market.DAYS[-1], 33))) as warehouse:
    for day in market.DAYS:
        write_edition(warehouse, folder / "editions", day=day, vintage="1", construction="live",
                      published_at=at_utc(day, 33), key=sample_key(), is_sample=True)
        write_site(warehouse, folder / "site", is_sample=True, day=day, out=folder / "editions")
    print(warehouse.rows("SELECT path, sequence_number, manifest_sha256 FROM editions ORDER BY ALL"))
"""


def _run(folder: Path, kill_at: str | None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    if kill_at is not None:
        environment["GPURENT_KILL_AT"] = kill_at
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def _tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for part in ("editions", "site")
        for path in (folder / part).rglob("*")
        if path.is_file()
    }


@pytest.fixture(scope="module")
def undisturbed(template: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], str]:
    folder = tmp_path_factory.mktemp("undisturbed")
    market.copy_of(template, folder / "w.duckdb").close()
    done = _run(folder, None)
    assert done.returncode == 0, done.stderr
    return _tree(folder), done.stdout


@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_a_killed_publication_is_finished_by_the_next_one(
    template: Path, tmp_path: Path, undisturbed: tuple[dict[str, bytes], str], boundary: str
) -> None:
    market.copy_of(template, tmp_path / "w.duckdb").close()
    killed = _run(tmp_path, f"{boundary}:2")
    assert killed.returncode == -signal.SIGKILL
    done = _run(tmp_path, None)
    assert done.returncode == 0, done.stderr
    assert (_tree(tmp_path), done.stdout) == undisturbed
    assert [path.name for path in (tmp_path / "editions").iterdir() if path.name.startswith(".")] == []
    assert verify_chain(tmp_path / "editions", every=True).exit_code == 0
