from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gpurent.core.clock import RecordedClock
from grades.registers import sync
from warehouse import Warehouse, open_warehouse


@pytest.fixture
def warehouse(tmp_path: Path, clock: RecordedClock) -> Iterator[Warehouse]:
    """An empty warehouse whose clock stands at 2026-07-15 09:00 UTC."""
    with open_warehouse(tmp_path / "w.duckdb", clock=clock, threads=1) as opened:
        yield opened


@pytest.fixture
def version(warehouse: Warehouse) -> str:
    """The packaged registers, brought into the warehouse."""
    return sync(warehouse)
