"""The discount, the basis and the blend (sections 5 to 7): estimates against worked numbers, levels 3, 2, 1 in turn."""

from __future__ import annotations

import csv
import itertools
import json
import math
from datetime import date, timedelta
from decimal import Decimal

import pytest

from index.formulas.robust import Estimate, huber_mean, paule_mandel
from index.steps.blend import Variances, _lowered, t_factor, trade_weight, traded_variance
from index.steps.discount import Discount, Pair, basis_on, discount_of, next_month, remember_discount
from index.steps.state import NO_DISCOUNT, DiscountMemory
from tests.index.market import METHOD, Market, day, quote, reference, trade

SIX = {"a": "2.50", "b": "2.70", "c": "2.90", "d": "3.10", "e": "3.30", "f": "3.50"}


def test_pooling_agrees_with_the_published_numbers(shared_data):
    folder = shared_data / "oracles/S11_kacker_pooling"
    expected = json.loads((folder / "expected.json").read_text())["PM"]
    rows = list(csv.DictReader((folder / "labs.csv").read_text().splitlines()))
    found = paule_mandel(values=[float(r["y"]) for r in rows], variances=[float(r["var"]) for r in rows])
    assert found.tau_squared == pytest.approx(expected["tau2"], abs=1e-7)
    assert found.mean == pytest.approx(expected["mean"], abs=1e-7)
    assert found.standard_error == pytest.approx(expected["se"], abs=1e-7)


def test_a_huber_mean_without_outliers_is_the_mean_and_bounds_the_pull_of_one():
    rules = {"k": 1.5, "scale_floor": 0.01, "error_floor": 0.0}
    even = huber_mean(values=[-0.11, -0.10, -0.09], clusters=["a", "b", "c"], **rules)
    assert even.value == pytest.approx(-0.10)
    # mean 0, residuals -1, 0, 1 (scaled): cluster sandwich sqrt(2 x 3/2) / 3 of the scale 0.01 x 1.4826
    assert even.standard_error == pytest.approx(0.01 * math.sqrt(2 * 1.5) / 3, rel=1e-9)
    pulled = huber_mean(values=[-0.11, -0.10, -0.09, 5.0], clusters=["a", "b", "c", "d"], **rules)
    assert -0.10 < pulled.value < -0.08


def test_a_pool_of_estimates_that_agree_has_no_variance_between_them():
    found = paule_mandel(values=[-0.15, -0.15], variances=[0.0004, 0.0004])
    assert (found.mean, found.tau_squared) == (pytest.approx(-0.15), 0.0)
    assert found.standard_error == pytest.approx(0.02 / math.sqrt(2))


def test_one_cluster_has_an_unknown_error():
    found = huber_mean(values=[0.1, 0.2], clusters=["a", "a"], k=1.5, scale_floor=0.01, error_floor=0.005)
    assert found.standard_error == math.inf


def pairs_by(seller_logs):
    return [Pair(seller, day(0), log) for seller, logs in seller_logs.items() for log in logs]


def test_d_needs_ten_pairs_of_three_sellers():
    enough = pairs_by({"a": [-0.1] * 4, "b": [-0.12] * 3, "c": [-0.08] * 3})
    found = discount_of(enough, (), NO_DISCOUNT, day(30), METHOD)
    assert (found.origin, found.pairs, found.sellers) == ("own", 10, 3)
    assert found.log == pytest.approx(-0.10, abs=0.01)
    assert discount_of(enough[:-1], (), NO_DISCOUNT, day(30), METHOD) is None
    two_sellers = pairs_by({"a": [-0.1] * 6, "b": [-0.12] * 6})
    assert discount_of(two_sellers, (), NO_DISCOUNT, day(30), METHOD) is None


def test_d_is_clamped():
    deep = pairs_by({"a": [-0.9] * 4, "b": [-0.92] * 3, "c": [-0.88] * 3})
    assert discount_of(deep, (), NO_DISCOUNT, day(30), METHOD).log == -0.40
    above = pairs_by({"a": [0.3] * 4, "b": [0.32] * 3, "c": [0.28] * 3})
    assert discount_of(above, (), NO_DISCOUNT, day(30), METHOD).log == 0.05


def test_without_pairs_of_its_own_a_grade_takes_its_pools():
    one = discount_of([], [Estimate(-0.15, 0.02, 40, 6)], NO_DISCOUNT, day(30), METHOD)
    assert (one.origin, one.log) == ("pool", -0.15)
    assert one.standard_error == pytest.approx(0.02 * math.sqrt(2))
    alike = [Estimate(-0.15, 0.02, 40, 6), Estimate(-0.15, 0.02, 40, 6)]
    two = discount_of([], alike, NO_DISCOUNT, day(30), METHOD)
    assert two.log == pytest.approx(-0.15)
    assert two.standard_error == pytest.approx(0.02 / math.sqrt(2))


def test_an_own_estimate_is_shrunk_towards_a_pool_of_two_or_more():
    own = pairs_by({"a": [-0.30] * 4, "b": [-0.10] * 3, "c": [-0.20] * 3})
    alone = discount_of(own, (), NO_DISCOUNT, day(30), METHOD)
    pool = [Estimate(-0.05, 0.01, 40, 6), Estimate(-0.06, 0.01, 40, 6)]
    shrunk = discount_of(own, pool, NO_DISCOUNT, day(30), METHOD)
    assert shrunk.origin == "shrunk"
    assert alone.log < shrunk.log < -0.05


def test_a_lapsed_d_stands_ninety_days_with_a_growing_error():
    memory = DiscountMemory(day(0), day(10), -0.12, 0.03)
    later = discount_of([], (), memory, day(10 + 30), METHOD)
    assert (later.origin, later.log) == ("lapsed", -0.12)
    assert later.standard_error == pytest.approx(math.sqrt(0.03**2 + 0.02**2))
    assert discount_of([], (), memory, day(10 + 90), METHOD) is not None
    assert discount_of([], (), memory, day(10 + 91), METHOD) is None


def test_the_basis_changes_on_the_first_of_a_month_after_forty_days_and_says_so_ten_days_before():
    memory = NO_DISCOUNT
    d = Discount(-0.1, 0.02, 20, 4, "own")
    seen = {}
    for number in range(100):
        when = date(2026, 10, 5) + timedelta(days=number)
        seen[when] = basis_on("advertised", memory, when, METHOD)
        memory = remember_discount(memory, d, when)
    changes = [when for when, (basis, _) in seen.items() if basis == "traded_equivalent"]
    due = [when for when, (_, is_due) in seen.items() if is_due]
    assert changes[0] == date(2026, 12, 1)  # 40 days after 5 October end on 13 November
    assert due[0] == date(2026, 11, 21)
    assert basis_on("traded_equivalent", NO_DISCOUNT, date(2026, 12, 1), METHOD) == (
        "traded_equivalent",
        False,
    )
    assert next_month(date(2026, 12, 31)) == date(2027, 1, 1)


def test_a_basis_that_changes_on_a_day_without_a_value_restarts_the_reference_on_the_next_one():
    market = Market()
    pool = [Estimate(math.log(0.9), 0.02, 30, 5)]
    change = next_month(day(45))
    seen = {}
    while market.next_day <= change + timedelta(days=2):
        when = market.next_day
        items = [quote(group, price, when) for group, price in SIX.items()]
        seen[when] = market.step(items, pool=pool, outage=when == change)
    before, after = seen[change - timedelta(days=1)], seen[change + timedelta(days=1)]
    assert (before.view.basis, after.view.basis) == ("advertised", "traded_equivalent")
    assert seen[change].outcome.reason == "outage"
    assert "basis_change" in after.outcome.flags
    assert float(reference(after) - reference(before)) == pytest.approx(math.log(0.9))
    assert "basis_change" not in seen[change + timedelta(days=2)].outcome.flags


def test_a_break_in_d_starts_the_count_anew():
    memory = remember_discount(NO_DISCOUNT, Discount(-0.1, 0.02, 20, 4, "own"), day(0))
    lapsed = remember_discount(memory, Discount(-0.1, 0.02, 3, 1, "lapsed"), day(1))
    assert lapsed.since is None
    assert (lapsed.last_day, lapsed.log) == (day(0), -0.1)
    assert remember_discount(lapsed, Discount(-0.2, 0.02, 20, 4, "own"), day(2)).since == day(2)


def test_the_weight_is_inverse_to_the_variances_and_clamped_to_the_level():
    d = Discount(-0.1, 0.02, 20, 4, "own")
    even = Variances(advertised=0.02**2, traded=3 * 0.02**2)
    assert trade_weight(even, d, 1, METHOD) == pytest.approx(0.5)
    sure = Variances(advertised=0.1**2, traded=0.001**2)
    assert trade_weight(sure, d, 1, METHOD) == 0.9
    assert trade_weight(sure, d, 2, METHOD) == 0.5
    assert trade_weight(Variances(0.001**2, math.inf), d, 2, METHOD) == 0.0
    assert trade_weight(Variances(0.001**2, math.inf), d, 1, METHOD) == 0.5
    assert trade_weight(sure, d, 3, METHOD) == 0.0


def test_few_sellers_have_a_wide_traded_variance():
    assert t_factor(5, 0.95) == pytest.approx(2.7764451 / 1.96, rel=1e-6)
    assert traded_variance(0.0, 4, METHOD) == pytest.approx(0.03**2 / 4 * (3.1824463 / 1.96) ** 2, rel=1e-6)
    assert traded_variance(0.0, 1, METHOD) == math.inf


def test_a_group_on_both_legs_is_lowered_to_the_joint_cap():
    lowered = _lowered({"x": 0.5, "y": 0.5}, {"x": 1 / 3, "p": 1 / 3, "q": 1 / 3}, 0.5, 0.40)
    assert 0.5 * lowered["x"] + 0.5 / 3 == pytest.approx(0.40)
    assert sum(lowered.values()) == pytest.approx(1)


def bills(number, count, *, below=0.9, hours=300):
    """`count` trades of a day at a discount to their sellers' offers; sellers and buyers in turn."""
    found = []
    for i in range(count):
        seller = sorted(SIX)[(i + 2 * number) % 6]
        price = round(float(SIX[seller]) * (below + 0.004 * (i % 5)), 4)
        found.append(trade(seller, price, day(number), buyer=f"buyer{i % 5}", hours=hours, number=i))
    return found


def arriving(last_day):
    """History of trades that begins on day 5: two a day, from day 40 on twelve a day."""
    trades = []
    for number in range(5, last_day + 1):
        trades += bills(number, 12 if number >= 40 else 2)
    return trades


@pytest.fixture(scope="module")
def growing():
    market = Market()
    for number in range(60):
        items = [quote(group, price, day(number)) for group, price in SIX.items()]
        market.step(items, [t for t in arriving(number) if (day(number) - t.day).days < 90])
    return market


def test_a_grade_moves_from_level_3_to_2_to_1_as_trades_arrive(growing):
    levels = [graded.outcome.level for graded in growing.days]
    assert levels[:10] == [3] * 10
    assert set(levels) == {1, 2, 3}
    assert levels == sorted(levels, reverse=True)
    labels = {graded.outcome.level: graded.outcome.label for graded in growing.days}
    assert labels == {1: "traded", 2: "traded_thin", 3: "advertised"}


def test_trades_are_shown_from_the_first_but_weigh_nothing_until_d_is_defined(growing):
    early = growing.days[8].outcome
    assert early.traded is not None
    assert (early.trade_weight, early.discount) == (0.0, None)
    assert "discount_undefined" in early.flags


def test_the_weight_stays_within_the_levels_range(growing):
    for graded in growing.days:
        low, high = METHOD.levels[graded.outcome.level].trade_weight or (0.0, 0.0)
        assert low <= graded.outcome.trade_weight <= high


def test_the_reference_does_not_jump_when_the_level_changes(growing):
    logs = [float(reference(graded)) for graded in growing.days]
    steps = [abs(after - before) for before, after in itertools.pairwise(logs)]
    assert max(steps) < 0.01


def test_on_the_advertised_basis_trades_are_lifted_by_the_discount(growing):
    last = growing.days[-1].outcome
    assert growing.days[-1].view.basis == "advertised"
    assert last.discount.log == pytest.approx(math.log(0.906), abs=0.01)
    expected = (
        last.trade_weight * (last.traded.log - last.discount.log)
        + (1 - last.trade_weight) * last.advertised.log
    )
    assert float(last.cross_section_log) == pytest.approx(expected, abs=1e-12)


def test_trades_inside_the_window_of_t_are_no_pairs_of_d(growing):
    graded = growing.days[-1]
    assert graded.outcome.traded.window_days == 1
    in_window = sum(1 for pair in graded.view.pairs if pair.day == graded.view.day)
    assert graded.outcome.discount.pairs == len(graded.view.pairs) - in_window


def test_offers_by_one_route_keep_a_traded_grade_at_level_4():
    market = Market()
    for number in range(45):
        items = [quote(group, price, day(number), route="one") for group, price in SIX.items()]
        graded = market.step(items, arriving(number))
    assert (graded.outcome.level, graded.outcome.label) == (4, "indicative")
    assert graded.outcome.discount is not None
    assert {"route_concentration", "trade_test_met"} <= set(graded.outcome.flags)


def test_the_influence_of_a_group_includes_its_trades_and_pairs(growing):
    moves = growing.days[-1].left_out
    assert set(moves) == set(SIX)
    assert all(move is not None and abs(move) < Decimal("0.1") for move in moves.values())
