"""What a day lacked for a better level is said with the day's figures and the methodology's minimums."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import duckdb
import pytest

from gpurent.publish.levels import lacks, same_sellers
from index.parameters import load
from tests.sample_run import SampleRun

METHOD = load("1.0.0")


def row(level: int, **more: Any) -> dict[str, Any]:
    """A row of reference_prices of which everything is there for level 1."""
    price = {
        "status": "published",
        "reason_code": None,
        "level": level,
        "reached_level": level,
        "flags": "",
        "not_computed": "{}",
        "owner_group_count": 9,
        "fresh_group_count": 9,
        "matched_groups": 9,
        "trade_count": 0,
        "route_effective_n": Decimal("3.000000"),
        "top_route_share": Decimal("0.500000000000"),
        "discount_log": None,
    }
    return price | more


def said(price: dict[str, Any]) -> list[str]:
    return [str(lack) for lack in lacks(price, METHOD)]


def test_many_sellers_by_few_routes() -> None:
    price = row(4, route_effective_n=Decimal("1.194131"), top_route_share=Decimal("0.913043478261"))
    assert said(price) == [
        "short of level 3 (advertised): 1.2 of 3 effective routes; 91 % of the weight by one route (at most 50 %)"
    ]


def test_few_sellers_verified_today() -> None:
    assert said(row(4, fresh_group_count=5)) == [
        "short of level 3 (advertised): 5 of 6 owner groups with a price verified within a day"
    ]


def test_trades_that_stay_out_say_what_must_stand_beside_them() -> None:
    price = row(3, trade_count=32, flags="discount_undefined,trade_test_met",
                not_computed='{"discount_log":"too_few_pairs"}')  # fmt: skip
    assert said(price) == [
        "short of level 2 (traded thinly): the discount from offers to trades is not known "
        "(too few trades beside the same seller's own offer)"
    ]


@pytest.mark.parametrize(
    ("trades", "phrase"), [(2, "2 of 3 trades in 20 days"), (5, "trades of 2 sellers or more in 20 days")]
)
def test_trades_that_are_too_few_or_of_one_seller(trades: int, phrase: str) -> None:
    assert said(row(3, trade_count=trades, discount_log=Decimal("-0.05"))) == [
        f"short of level 2 (traded thinly): {phrase}"
    ]


def test_the_best_level_is_named_with_all_its_minimums_and_lacks_nothing_itself() -> None:
    assert said(row(2, trade_count=5)) == [
        "short of level 1 (traded): 8 trades of 4 sellers to 3 buyers with 2,000 GPU-hours in 5 days, "
        "no seller with more than 50 %"
    ]
    assert said(row(1, trade_count=9)) == []


def test_a_level_that_was_reached_but_must_hold() -> None:
    assert said(row(4, reached_level=3)) == [
        "short of level 3 (advertised): the day's data reach it, and must do so 2 days running"
    ]


def test_a_withheld_day_lacks_sellers_or_what_no_seller_could_give() -> None:
    few = row(6, status="withheld", reason_code="too_few_groups", owner_group_count=2, trade_count=3)
    assert said(few) == [
        "short of level 4 (indicative): 2 of 3 owner groups with a price verified within 7 days"
    ]
    assert said(row(6, status="withheld", reason_code="outage", owner_group_count=0)) == []


def test_a_frozen_voice_counts_for_the_change_and_for_no_level() -> None:
    assert same_sellers(row(4)) == "9 owner groups on both days"
    assert same_sellers(row(4, owner_group_count=8)) == (
        "9 owner groups on both days; one that comes and goes stands at its median: it counts here, and for no level"
    )
    assert same_sellers(row(4, matched_groups=1)) == "1 owner group on both days"


def test_words_and_computation_agree_on_every_day_of_the_sample(sample_run: SampleRun) -> None:
    """A level is missed where, and only where, something is said to be missing."""
    with duckdb.connect(sample_run.warehouse, read_only=True) as connection:
        cursor = connection.execute("FROM reference_prices WHERE vintage = '1'")
        names = [column[0] for column in cursor.description]
        prices = [dict(zip(names, values, strict=True)) for values in cursor.fetchall()]
    assert len(prices) > 1000
    for price in prices:
        nearest = lacks(price, METHOD)[:1]
        if price["level"] == 4:
            assert [lack.level for lack in nearest] == [3], price
        elif price["reason_code"] in {"too_few_groups", "single_seller", "no_offers"}:
            assert [lack.level for lack in nearest] == [4], price
