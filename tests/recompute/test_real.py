"""Forty days of real price lists: every value of the index agrees with the independent computation.

Prices of gpurentalprices.com (CC BY 4.0), read where the reference data is, never copied.
"""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from pathlib import Path

import pytest

from gpurent.daily import run_index, run_ingest
from gpurent.recompute import compare, recompute
from tests.daily.days import settings_in

pytestmark = pytest.mark.slow
FIRST, LAST = date(2026, 7, 7), date(2026, 8, 15)


@pytest.fixture(scope="module")
def priced(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A warehouse with the forty lists, every day of them priced."""
    paths = sorted((shared_data / "real" / "gpurentalprices_daily").glob("*.json.gz"))
    if not paths:
        pytest.skip("the daily price lists of gpurentalprices.com are not here")
    settings = settings_in(tmp_path_factory.mktemp("real"))
    assert run_ingest(settings, paths=paths, source_id="gpurentalprices").exit_code == 0
    assert run_index(settings, first_day=FIRST, last_day=LAST).exit_code == 0
    return settings.warehouse


def test_every_value_of_forty_real_days_agrees(priced: Path) -> None:
    assert compare(priced, FIRST, LAST) == []


def test_the_real_days_have_values_to_compare(priced: Path) -> None:
    found = recompute(priced, FIRST, LAST)
    assert list(found) == [FIRST + timedelta(days=number) for number in range(40)]
    statuses = Counter(values.status for day in found.values() for values in day.values())
    assert statuses["published"] > 1000
