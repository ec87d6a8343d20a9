"""A large move of a value that may be settled on: held, then released where the independent computation agrees.

The day is the sample's last one, priced again with every H100 of that day a fifth dearer. The H100 of the sample is
a composite grade, which nobody may settle on: the register's row of the copy is changed to say that it is narrow.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import date
from pathlib import Path

import duckdb
import pytest

import gpurent.recompute
from gpurent.core.clock import RecordedClock, at_utc
from gpurent.daily.chain import memory_before
from gpurent.daily.press import Press
from gpurent.daily.publishing import publish_day
from gpurent.daily.settling import settle_held
from gpurent.recompute import compare
from index.parameters import load
from index.run import TABLES
from tests.sample_run import SampleRun
from warehouse import open_warehouse
from warehouse.store import Warehouse

pytestmark = pytest.mark.slow
DAY = date(2026, 8, 15)
H100 = "H100-Y080-Y-YY-YY-OD-YY-J"
NEXT_MORNING = at_utc(DAY, 24 + 9)


@pytest.fixture
def held(sample_run: SampleRun, tmp_path: Path):
    """The warehouse and the press after the first publication of the day, at 09:00 of the next."""
    folder = sample_run.copy_to(tmp_path)
    path = folder / "gpurent.duckdb"
    shutil.rmtree(folder / "editions" / str(DAY))
    with duckdb.connect(path) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        for table in (*TABLES, "editions"):
            connection.execute(f"DELETE FROM {table} WHERE day = $day", {"day": DAY})
        connection.execute(
            "UPDATE grades SET is_composite = FALSE WHERE code = $code AND bucket = 'ALL'", {"code": H100}
        )
        connection.execute(
            "UPDATE offers SET usd_per_gpu_hour = usd_per_gpu_hour * 1.2,"
            " native_per_gpu_hour = native_per_gpu_hour * 1.2"
            " WHERE chip = 'H100' AND CAST(available_at AS DATE) = $day",
            {"day": DAY},
        )
    with open_warehouse(path, clock=RecordedClock(NEXT_MORNING)) as warehouse:
        ((version,),) = warehouse.rows("SELECT max_by(register_version, day) FROM reference_prices")
        press = Press(folder / "editions", None, load(), version, is_sample=True)
        publish_day(warehouse, DAY, press, memory_before(warehouse, DAY, press.method))
        yield warehouse, press


def stored(warehouse: Warehouse, day: date) -> list[tuple[object, ...]]:
    """vintage, status, reason, R of the H100 on a day."""
    return warehouse.rows(
        "SELECT vintage, status, reason_code, reference_usd_per_gpu_hour::DOUBLE FROM reference_prices"
        " WHERE day = $day AND grade_id IN (SELECT grade_id FROM grades WHERE code = $code AND bucket = 'ALL')"
        " ORDER BY vintage",
        {"day": day, "code": H100},
    )


def test_it_is_held_and_then_released(held) -> None:
    warehouse, press = held
    assert stored(warehouse, DAY) == [("1", "held", "large_move", None)]
    assert settle_held(warehouse, DAY, press) is None  # it is not noon yet
    warehouse.clock.advance_to(at_utc(DAY, 24 + 12))
    edition = settle_held(warehouse, DAY, press)
    assert edition is not None
    ((_, _, _, before),) = stored(warehouse, date(2026, 8, 14))
    first, (vintage, status, reason, reference) = stored(warehouse, DAY)
    assert first == ("1", "held", "large_move", None)
    assert (vintage, status, reason) == ("2", "published", None)
    assert 1.15 < reference / before < 1.25
    assert settle_held(warehouse, DAY, press) is None  # once is enough
    assert compare(warehouse.connection, DAY, DAY) == []


def test_it_is_refused_where_the_other_computation_says_something_else(held, monkeypatch) -> None:
    warehouse, press = held
    true = gpurent.recompute.one_day

    def off(*words):
        return {
            name: replace(value, reference_log=value.reference_log + 1e-8)
            for name, value in true(*words).items()
        }

    monkeypatch.setattr(gpurent.recompute, "one_day", off)
    warehouse.clock.advance_to(at_utc(DAY, 24 + 12))
    assert settle_held(warehouse, DAY, press) is not None
    assert stored(warehouse, DAY)[1] == ("2", "withheld", "unconfirmed", None)
    assert compare(warehouse.connection, DAY, DAY) == []
