"""A day computed from the stored memory of the day before is the day computed in one go."""

from __future__ import annotations

from datetime import timedelta

import pytest

from gpurent.daily import run_index
from tests.daily.days import FIRST, at, ingest_days, offer, reference_rows, settings_in
from tests.daily.tables import differing_rows

pytestmark = pytest.mark.slow

SELLERS = {"lambda": 2.99, "coreweave": 3.10, "nebius": 3.25, "crusoe": 3.40, "vultr": 2.80, "together": 3.05}
PIECES = (3, 4, 1, 1, 1, 1, 1, 8, 2, 1, 1)  # days priced at a time; one by one where sellers come and go


def looks(days: int):
    """Prices that move, a jump, an absence and a newcomer, over some days."""
    for number in range(days):
        prices = {
            name: round(price * (1 + 0.01 * ((number * 7 + i) % 5)), 4)
            for i, (name, price) in enumerate(SELLERS.items())
        }
        if number >= 6:
            prices["nebius"] = 2.20
        if number in {8, 9}:
            del prices["crusoe"]
        if number >= 10:
            prices["digitalocean"] = 3.3
        yield at(number), [offer(name, price) for name, price in prices.items()]


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    days = sum(PIECES)
    whole, stepped = (settings_in(tmp_path_factory.mktemp(name)) for name in ("whole", "stepped"))
    for settings in (whole, stepped):
        ingest_days(settings, settings.warehouse.parent / "files", list(looks(days)))
    run_index(whole)
    first = FIRST
    for length in PIECES:
        run_index(stepped, first_day=first, last_day=first + timedelta(days=length - 1))
        first += timedelta(days=length)
    return whole, stepped


def test_every_published_row_is_equal(both):
    whole, stepped = both
    assert reference_rows(whole) == reference_rows(stepped)
    assert reference_rows(whole)[-1]["change_20d_half_width"] is not None


@pytest.mark.parametrize("table", ["items", "voices", "contributions", "exclusions", "series_states"])
def test_every_stored_row_is_equal(both, table):
    whole, stepped = both
    assert differing_rows(whole.warehouse, stepped.warehouse, table, without=("known_at",)) == []


def test_pricing_again_adds_no_vintage(both):
    whole, _ = both
    again = run_index(whole)
    assert not any(day.is_new for day in again.days)
    assert {day.vintage for day in again.days} == {"backfill-1"}
