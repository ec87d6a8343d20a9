"""A run killed at a boundary, and started again, ends as one that was not killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gpurent.core.clock import RecordedClock
from tests.collectors.cases import FIXTURES
from warehouse.store import open_warehouse

CODE = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from collectors.ingest import ingest
from gpurent.core.clock import RecordedClock
from warehouse.store import open_warehouse

with open_warehouse(Path(sys.argv[1]), clock=RecordedClock(datetime(2026, 11, 30, tzinfo=UTC))) as warehouse:
    ingest(warehouse, "azure", [Path(name) for name in sys.argv[2:]], run_id="run")
"""
FILES = [str(FIXTURES / "azure" / name) for name in ("page_1.json", "page_2.json")]
TABLES = ("captures", "snapshots", "stated_offers", "rejections")


def run(database: Path, kill_at: str | None = None) -> int:
    env = {**os.environ, "GPURENT_KILL_AT": kill_at} if kill_at else dict(os.environ)
    return subprocess.run(
        [sys.executable, "-c", CODE, str(database), *FILES], env=env, check=False
    ).returncode


def content(database: Path) -> dict[str, list[tuple[object, ...]]]:
    with open_warehouse(database, clock=RecordedClock(datetime(2026, 12, 1, tzinfo=UTC))) as warehouse:
        return {table: warehouse.rows(f"SELECT * FROM {table} ORDER BY ALL") for table in TABLES}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[object, ...]]]:
    database = tmp_path_factory.mktemp("whole") / "whole.duckdb"
    assert run(database) == 0
    return content(database)


@pytest.mark.parametrize(
    "kill_at",
    [
        "collectors.archive.stored:1",
        "collectors.capture.committed:1",
        "collectors.archive.stored:2",
        "collectors.capture.committed:2",
        "collectors.source.done:1",
    ],
)
def test_a_killed_ingest_ends_as_an_undisturbed_one(
    tmp_path: Path, kill_at: str, undisturbed: dict[str, list[tuple[object, ...]]]
) -> None:
    killed = tmp_path / "killed.duckdb"
    assert run(killed, kill_at) == -signal.SIGKILL
    assert run(killed) == 0
    assert content(killed) == undisturbed
