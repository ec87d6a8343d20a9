"""The independent computation and the index say the same of every grade and day of the sample, and can disagree."""

from __future__ import annotations

import shutil
from datetime import date, timedelta
from pathlib import Path

import duckdb
import pytest

from gpurent.recompute import compare, recompute
from tests.sample_run import SampleRun

LAST = date(2026, 8, 15)
FIRST = LAST - timedelta(days=39)
H100 = "code = 'H100-Y080-Y-YY-YY-OD-YY-J' AND bucket = 'ALL'"
OF_H100 = f"grade_id IN (SELECT grade_id FROM grades WHERE {H100})"


@pytest.fixture
def changeable(sample_run: SampleRun, tmp_path: Path) -> duckdb.DuckDBPyConnection:
    path = tmp_path / "w.duckdb"
    shutil.copy(sample_run.warehouse, path)
    with duckdb.connect(path) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        yield connection


def test_every_value_of_the_last_forty_days_agrees(sample_run: SampleRun) -> None:
    assert compare(sample_run.warehouse, FIRST, LAST) == []


def test_what_is_compared_covers_every_level(sample_run: SampleRun) -> None:
    found = recompute(sample_run.warehouse, FIRST, LAST)
    assert list(found) == [FIRST + timedelta(days=number) for number in range(40)]
    levels = {value.level for values in found.values() for value in values.values()}
    assert levels == {1, 2, 3, 4, 5, 6}
    assert sum(value.status == "published" for values in found.values() for value in values.values()) > 700


def test_a_stored_value_that_is_off_by_a_billionth_is_found(changeable: duckdb.DuckDBPyConnection) -> None:
    day = date(2026, 7, 10)
    changeable.execute(
        f"UPDATE reference_prices SET reference_log = reference_log + 2e-9 WHERE day = $day AND {OF_H100}",
        {"day": day},
    )
    (found,) = compare(changeable, FIRST, day)
    assert (found.day, found.column) == (day, "reference_log")
    assert found.stored - found.computed == pytest.approx(2e-9, rel=1e-3)


def test_a_fact_that_is_not_what_the_index_saw_is_found(changeable: duckdb.DuckDBPyConnection) -> None:
    """One seller's price, a cent up from a day on: the day before agrees, that day does not."""
    day = date(2026, 7, 10)
    ((before,),) = changeable.execute(
        f"SELECT reference_log::DOUBLE FROM reference_prices WHERE day = $day AND {OF_H100}", {"day": day}
    ).fetchall()
    changeable.execute(
        "UPDATE offers SET usd_per_gpu_hour = usd_per_gpu_hour + 0.01,"
        " native_per_gpu_hour = native_per_gpu_hour + 0.01"
        " WHERE operator_id = 'lambda' AND chip = 'H100' AND CAST(available_at AS DATE) = $day",
        {"day": day},
    )
    found = [
        difference for difference in compare(changeable, FIRST, day) if difference.column == "reference_log"
    ]
    assert {difference.day for difference in found} == {day}
    (of_h100,) = [difference for difference in found if difference.stored == before]
    assert of_h100.computed > before
