"""A warehouse with a recorded clock, and the real data where they are."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gpurent.core.clock import RecordedClock
from warehouse.archive import Archive, open_archive
from warehouse.store import Warehouse, open_warehouse

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
REAL = Path(__file__).parents[3] / "shared" / "data" / "real"


@pytest.fixture
def clock() -> RecordedClock:
    return RecordedClock(NOW)


@pytest.fixture
def warehouse(tmp_path: Path, clock: RecordedClock) -> Iterator[Warehouse]:
    with open_warehouse(tmp_path / "w.duckdb", clock=clock) as opened:
        yield opened


@pytest.fixture
def archive(warehouse: Warehouse) -> Iterator[Archive]:
    with open_archive(warehouse) as opened:
        yield opened


@pytest.fixture(scope="session")
def real() -> Path:
    """The folder of real prices; tests that need it are passed over where it is not."""
    if not REAL.is_dir():
        pytest.skip(f"{REAL} is not here: real prices are no part of a checkout")
    return REAL


@pytest.fixture(scope="module")
def filled(real: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warehouse]:
    """A warehouse for the real files of a module's tests, one for all of them."""
    del real
    with open_warehouse(tmp_path_factory.mktemp("real") / "w.duckdb", clock=RecordedClock(NOW)) as opened:
        yield opened
