"""Levels, upgrades, gaps, modelled days, and prices from trades alone (sections 6 to 8)."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest

from index.steps.publication import NO_PARENTS, Parents
from index.steps.series import lent_change, modelled_change, run_day
from index.steps.state import SeriesState
from tests.index.market import METHOD, Market, day, quote, reference, trade

SIX = {"a": "2.10", "b": "2.45", "c": "2.80", "d": "3.05", "e": "3.40", "f": "3.90"}
THREE = {"a": "2.10", "b": "2.45", "c": "2.80"}


def one_route(prices, number, age=0):
    return [quote(g, p, day(number), route="aggregator", age=age) for g, p in prices.items()]


def test_six_fresh_groups_over_three_routes_are_level_3_and_over_one_route_level_4():
    assert Market().step(SIX).outcome.level == 3
    assert Market().step(one_route(SIX, 0)).outcome.level == 4


def test_a_route_with_more_than_half_of_the_weight_fails_the_route_test():
    routes = ["x", "x", "x", "x", "y", "z"]
    items = [quote(g, p, day(0), route=r) for (g, p), r in zip(SIX.items(), routes, strict=True)]
    assert Market().step(items).outcome.level == 4
    routes = ["x", "x", "x", "y", "y", "z"]
    items = [quote(g, p, day(0), route=r) for (g, p), r in zip(SIX.items(), routes, strict=True)]
    leg = Market().step(items).outcome.advertised
    assert leg.top_route_share == pytest.approx(0.5)
    assert leg.effective_routes == pytest.approx(1 / (0.25 + 1 / 9 + 1 / 36))
    assert Market().step(items).outcome.level == 4  # 2.57 effective routes are fewer than 3


def test_offers_a_day_old_are_not_fresh():
    items = [quote(g, p, day(0), age=1) for g, p in SIX.items()]
    assert Market().step(items).outcome.level == 4


def test_an_upgrade_must_hold_two_days_and_a_downgrade_is_at_once():
    market = Market()
    five = {group: price for group, price in SIX.items() if group != "f"}
    levels = [market.step(quotes).outcome.level for quotes in (SIX, five, five, SIX, SIX, five)]
    assert levels == [3, 4, 4, 4, 3, 4]


def test_from_withheld_publication_is_at_once_but_at_level_4():
    market = Market()
    levels = [market.step(quotes).outcome.level for quotes in (SIX, {"a": 2}, SIX, SIX)]
    assert levels == [3, 6, 4, 3]


def test_weights_halve_every_three_days_after_the_first():
    ages = [0, 1, 4, 0, 0, 0]
    items = [quote(g, p, day(0), age=age) for (g, p), age in zip(SIX.items(), ages, strict=True)]
    shares = Market().step(items).outcome.advertised.shares
    assert shares["a"] == shares["b"] == pytest.approx(1 / 5.5)
    assert shares["c"] == pytest.approx(0.5 / 5.5)


def test_three_voices_keep_a_sixth_two_thirds_and_a_sixth():
    assert Market().step(THREE).outcome.advertised.usd == pytest.approx(2.10 / 6 + 2.45 * 2 / 3 + 2.80 / 6)


def test_four_voices_keep_the_middle_two_whatever_their_ages():
    prices = {**THREE, "d": "9.00"}
    items = [quote(g, p, day(0), age=i) for i, (g, p) in enumerate(prices.items())]
    assert Market().step(items).outcome.advertised.usd == pytest.approx((2.45 + 2.80) / 2)


def test_kappa_of_the_level_lets_composition_in_slowly():
    market = Market()
    market.run([SIX] * 3)
    graded = market.step({**SIX, "x": "3.00"})
    gap = float(graded.outcome.cross_section_log - reference(market.days[2]))
    assert graded.outcome.level == 3
    assert float(reference(graded) - reference(market.days[2])) == pytest.approx(0.10 * gap, abs=2e-12)
    assert float(graded.outcome.catch_up_log) == pytest.approx(0.10 * 0.90 * gap, abs=2e-12)


def test_after_a_short_gap_the_change_is_taken_once_from_the_last_published_day():
    market = Market()
    market.run([THREE] * 2)
    market.run([{"a": "2.20", "b": "2.45"}, {"a": "2.30", "b": "2.45"}])
    graded = market.step({"a": "2.30", "b": "2.45", "c": "2.80"})
    assert "after_gap" in graded.outcome.flags
    old, new = (2.10 / 6 + 2.45 * 2 / 3 + 2.80 / 6), (2.30 / 6 + 2.45 * 2 / 3 + 2.80 / 6)
    assert float(graded.outcome.matched_log) == pytest.approx(math.log(new / old), abs=1e-12)
    assert float(graded.outcome.index_log) == pytest.approx(math.log(2.30 / 2.10) / 3, abs=1e-12)
    assert graded.outcome.last_published == day(1)


@pytest.mark.parametrize(("days_away", "restarts"), [(9, False), (10, True)])
def test_a_gap_of_more_than_ten_days_restarts_the_reference_and_resumes_the_index(days_away, restarts):
    market = Market()
    market.run([THREE, {**THREE, "a": "2.20"}])
    index = market.days[-1].outcome.index_log
    for _ in range(days_away):
        market.step({})
    graded = market.step({"a": "2.00", "b": "2.30", "c": "2.60"})
    assert ("restart" in graded.outcome.flags) is restarts
    if restarts:
        assert reference(graded) == graded.outcome.cross_section_log
        assert graded.outcome.index_log == index
        assert graded.outcome.matched_log is None


def child_of(parent: Market, own: frozenset[str]) -> Parents:
    last = parent.days[-1]
    return Parents(
        lambda since: lent_change(last, since),
        lambda: modelled_change(last, own, METHOD),
    )


def family(day_number, child_prices, other_prices):
    child = [quote(g, p, day(day_number)) for g, p in child_prices.items()]
    return child, child + [quote(g, p, day(day_number)) for g, p in other_prices.items()]


def test_a_thin_day_is_modelled_by_the_parent_without_the_childs_own_voices():
    parent, child = Market(grade_id="parent"), Market(grade_id="child")
    others = {"p": "3.00", "q": "3.20", "r": "3.40", "s": "3.60"}
    for number in range(2):
        own, every = family(number, THREE, others)
        parent.step(every)
        child.step(own)
    moved = {group: Decimal(price) * Decimal("1.1") for group, price in others.items()}
    own, every = family(2, {"a": "2.30", "b": "2.60"}, moved)
    parent.step(every)
    graded = child.step(own, parents=child_of(parent, frozenset(i.item_key for i in own)))
    assert (graded.outcome.level, graded.outcome.label) == (5, "modelled")
    # the four others rose by 10 %; the child's own two voices, which are in the parent too, do not count
    assert float(reference(graded) - reference(child.days[1])) == pytest.approx(math.log(1.1), abs=1e-9)
    assert graded.outcome.catch_up_log == 0


def test_a_modelled_series_ends_ten_days_after_its_last_observed_value():
    parent, child = Market(grade_id="parent"), Market(grade_id="child")
    others = {"p": "3.00", "q": "3.20", "r": "3.40"}
    levels = []
    for number in range(14):
        own, every = family(number, THREE if number == 0 else {}, others)
        parent.step(every)
        levels.append(child.step(own, parents=child_of(parent, frozenset())).outcome.level)
    assert levels == [4] + [5] * 10 + [6] * 3


def test_a_single_seller_is_withheld_before_the_parent_is_asked():
    parent, child = Market(grade_id="parent"), Market(grade_id="child")
    others = {"p": "3.00", "q": "3.20", "r": "3.40"}
    for number, prices in enumerate((THREE, {"a": "2.10"})):
        own, every = family(number, prices, others)
        parent.step(every)
        graded = child.step(own, parents=child_of(parent, frozenset(i.item_key for i in own)))
    assert (graded.outcome.level, graded.outcome.reason) == (6, "single_seller")


def test_under_three_matched_groups_the_change_is_the_parents():
    parent, child = Market(grade_id="parent"), Market(grade_id="child")
    others = {"p": "3.00", "q": "3.20", "r": "3.40"}
    own, every = family(0, THREE, others)
    parent.step(every)
    child.step(own)
    new = {"a": "2.10", "y": "2.50", "z": "2.60"}
    moved = {group: Decimal(price) * Decimal("1.05") for group, price in others.items()}
    own, every = family(1, new, moved)
    parent.step(every)
    graded = child.step(own, parents=child_of(parent, frozenset()))
    assert "matched_from_parent" in graded.outcome.flags
    assert graded.outcome.matched_log == parent.days[-1].outcome.matched_log
    orphan = Market()
    orphan.step(THREE)
    assert "unmatched" in orphan.step(new).outcome.flags


def thick(number):
    """Ten trades of five sellers and four buyers on a day, 240 GPU-hours each: 2,400 in all."""
    return [
        trade(f"s{i % 5}", 2 + 0.02 * i, day(number), buyer=f"b{i % 4}", hours=240, number=i)
        for i in range(10)
    ]


def test_trades_alone_price_a_grade_that_started_without_offers():
    market = Market()
    graded = market.step([], thick(0))
    assert (graded.outcome.level, graded.outcome.label) == (1, "traded_only")
    assert graded.view.basis == "traded_equivalent"
    assert graded.outcome.trade_weight == 1
    assert graded.outcome.cross_section_log == pytest.approx(
        Decimal(repr(math.log(graded.outcome.traded.usd))), abs=Decimal("1e-12")
    )


def test_beside_an_offer_leg_the_offer_legs_level_and_price_stand():
    market = Market()
    graded = market.step([quote(g, p, day(0)) for g, p in SIX.items()], thick(0))
    assert (graded.outcome.level, graded.outcome.trade_weight) == (3, 0)
    assert {"discount_undefined", "trade_test_met"} <= set(graded.outcome.flags)
    assert graded.outcome.traded.usd is not None


def test_three_trades_of_two_sellers_in_twenty_days_are_level_2_by_the_lower_median():
    market = Market()
    trades = [
        trade("s1", "2.00", day(0), number=1),
        trade("s1", "2.20", day(0), number=2),
        trade("s2", "2.40", day(0)),
    ]
    graded = market.step([], trades)
    assert (graded.outcome.level, graded.outcome.label) == (2, "traded_only")
    # with two sellers the cap 1/n makes s2 weigh as much as both of s1's trades: 1/4, 1/4, 1/2
    assert graded.outcome.traded.usd == pytest.approx(2.20)
    assert graded.outcome.traded.weights == pytest.approx((0.25, 0.25, 0.5))


def test_an_agreement_counts_once_in_a_window_with_all_its_hours():
    def days_of(seller, price, numbers):
        return [trade(seller, price, day(n), agreement=f"{seller}'s", number=n) for n in numbers]

    two = [*days_of("s1", "2.00", range(5)), *days_of("s2", "2.40", range(5))]
    market = Market()
    market.next_day = day(4)
    few = market.step([], two)
    # ten daily bills of two agreements are two trades: no level 2, and no trimmed mean
    assert (few.outcome.level, few.outcome.traded.trade_count, len(few.outcome.traded.trades)) == (6, 2, 10)
    assert few.outcome.traded.gpu_hours == 1920
    assert few.outcome.traded.usd == pytest.approx(2.00)
    market = Market()
    market.next_day = day(4)
    three = market.step([], [*two, trade("s3", "2.20", day(4))])
    assert (three.outcome.level, three.outcome.traded.trade_count) == (2, 3)


def test_two_sellers_at_half_the_weight_each_trade_at_the_lower_price_however_the_caps_rounded():
    # 3 sellers at caps of a third each: sums such as 0.1 + 0.7 / 3 + 1 / 6 fall short of or pass a half
    for hours in (70, 90, 110, 130, 170, 190, 230):
        trades = [
            trade("s1", "2.00", day(0), hours=hours),
            trade("s2", "2.20", day(0), hours=64, number=1),
            trade("s2", "2.40", day(0), hours=hours + 33, number=2),
        ]
        assert Market().step([], trades).outcome.traded.usd == pytest.approx(2.00)


def test_an_outage_on_the_day_of_the_first_trade_decides_no_basis():
    market = Market()
    first = market.step([], [trade("s1", "2.00", day(0))], outage=True)
    assert (first.outcome.reason, market.state.basis) == ("outage", None)
    graded = market.step([quote(g, p, day(1)) for g, p in SIX.items()], [trade("s1", "2.00", day(0))])
    assert (graded.view.basis, graded.outcome.level) == ("advertised", 3)


def test_trades_of_a_modelled_day_are_carried_by_the_change_that_is_published():
    parent, child = Market(grade_id="parent"), Market(grade_id="child")
    others = {"p": "3.00", "q": "3.20", "r": "3.40", "s": "3.60"}
    trades = [trade("a", "2.00", day(1))]
    for number in range(2):
        own, every = family(number, THREE, others)
        parent.step(every)
        child.step(own, trades if number else [])
    moved = {group: Decimal(price) * Decimal("1.1") for group, price in others.items()}
    own, every = family(2, {"a": "2.10", "b": "2.40"}, moved)
    parent.step(every)
    graded = child.step(own, trades, parents=child_of(parent, frozenset(i.item_key for i in own)))
    assert graded.outcome.level == 5
    assert (
        graded.outcome.matched_log != parent.days[-1].outcome.matched_log
    )  # that has the child's own items too
    assert graded.outcome.traded.usd == pytest.approx(2.00 * math.exp(graded.outcome.matched_log))


def test_two_trades_are_no_price():
    graded = Market().step([], [trade("s1", "2.00", day(0)), trade("s2", "2.20", day(0))])
    assert (graded.outcome.level, graded.outcome.reason) == (6, "no_offers")
    assert graded.outcome.traded is not None


@pytest.mark.parametrize(
    ("odd", "code"),
    [
        ({"hours": "23.9"}, "below_size_floor"),
        ({"arms_length": False}, "affiliate"),
        ({"administered": True}, "administered_price"),
        ({"term": "1Y"}, "running_contract"),
        ({"price": "16.80"}, "unit_suspected"),
        ({"price": "3.60"}, "trade_outlier"),
    ],
)
def test_a_trade_that_does_not_count_is_an_exclusion_with_its_code(odd, code):
    odd = {"price": "2.10", **odd}
    price = odd.pop("price")
    market = Market()
    graded = market.step([], [*thick(0), trade("odd", price, day(0), buyer="other", **odd)])
    assert [e.reason_code for e in graded.exclusions] == [code]
    assert graded.outcome.traded.sellers == 5


def test_a_single_gpu_trade_has_its_own_size_floor():
    graded = Market().step([], [*thick(0), trade("small", "2.10", day(0), hours=2, lot="A")])
    assert graded.exclusions == []


def test_the_top_seller_above_half_of_the_hours_fails_level_1():
    trades = [trade("s0", "2.00", day(0), buyer=f"b{i}", hours=900, number=i) for i in range(3)]
    trades += [
        trade(f"s{1 + i % 4}", "2.05", day(0), buyer=f"b{i % 4}", hours=100, number=i) for i in range(8)
    ]
    assert Market().step([], trades).outcome.level == 2


def test_made_up_trades_count_only_where_that_is_asked_and_are_flagged():
    graded = Market().step([], thick(0))
    assert "synthetic_trades" in graded.outcome.flags
    live = run_day("g", SeriesState(), [], thick(0), day(0), NO_PARENTS, METHOD, renamed={}, outage=False)
    assert {e.reason_code for e in live.exclusions} == {"synthetic"}
    assert live.outcome.traded is None
