"""Draws, intervals and letters (section 9), against plain loops and by construction."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pytest

from gpurent.core.draws import multinomial_counts
from index.formulas.caps import cap_for, capped_shares
from index.formulas.location import trimmed_mean
from index.steps.confidence import largest_influence, letter_of
from index.steps.resampling import advertised_draws, capped_copies, matched_draws, traded_draws, trimmed_draws
from index.steps.voices import offer_weight
from tests.index.market import METHOD, Market, day, quote, trade

PRICES = {"a": 2.10, "b": 2.45, "c": 2.80, "d": 3.05, "e": 3.40, "f": 3.90, "g": 4.20}


def voices_with_ages(ages):
    items = [
        quote(group, price, day(0), age=age) for (group, price), age in zip(PRICES.items(), ages, strict=True)
    ]
    return Market().step(items)


def plain_draw(voices, row):
    """One draw by the scalar functions: every copy is an owner group of its own."""
    prices, weights = {}, {}
    for voice, count in zip(voices, row, strict=True):
        for copy in range(count):
            name = f"{voice.owner_group}#{copy}"
            prices[name] = float(voice.usd)
            weights[name] = offer_weight(voice.age_days, METHOD)
    shares = capped_shares(weights, cap_for(len(weights), METHOD.voices.cap))
    names = sorted(prices)
    return math.log(
        trimmed_mean(values=[prices[n] for n in names], weights=[shares[n] for n in names], each_side=0.25)
    )


def test_all_draws_at_once_equal_one_draw_after_the_other():
    graded = voices_with_ages([0, 0, 2, 5, 7, 1, 0])
    groups = sorted(PRICES)
    counts = multinomial_counts("test", groups=7, draws=200)
    fast = advertised_draws(graded.voices, groups, counts, METHOD)
    for number in range(200):
        assert fast[number] == pytest.approx(plain_draw(graded.voices, counts[number]), abs=1e-12)


def test_draws_are_the_same_every_time_and_sum_to_their_groups():
    one = multinomial_counts(day(0), "grade", groups=5, draws=999)
    assert (one == multinomial_counts(day(0), "grade", groups=5, draws=999)).all()
    assert (one != multinomial_counts(day(1), "grade", groups=5, draws=999)).any()
    assert one.shape == (999, 5)
    assert (one.sum(axis=1) == 5).all()
    assert multinomial_counts("x", groups=0, draws=10).shape == (10, 0)


def test_copies_fill_to_the_cap_like_single_parties():
    shares = capped_copies(np.array([10.0, 1.0, 1.0]), np.array([[1, 3, 2]]), 0.25)
    single = capped_shares({"x": 10.0, **{f"y{i}": 1.0 for i in range(5)}}, 0.25)
    assert shares[0, 0] == pytest.approx(single["x"])
    assert shares[0, 1] == pytest.approx(single["y0"])
    alone = capped_copies(np.array([10.0, 1.0]), np.array([[0, 2]]), 0.25)
    assert alone.tolist() == [[0.0, 0.5]]


def test_a_draw_without_any_party_has_no_value():
    assert math.isnan(trimmed_draws(np.array([1.0, 2.0]), np.zeros((1, 2)), 0.25)[0])


def test_the_traded_leg_of_a_draw_with_everyone_once_is_the_leg_itself():
    trades = [
        trade(f"s{i % 5}", 2 + 0.05 * i, day(0), buyer=f"b{i % 4}", hours=100 + 40 * i, number=i)
        for i in range(12)
    ]
    graded = Market().step([], trades)
    leg = graded.outcome.traded
    groups = graded.view.clusters(leg)
    once = np.ones((1, len(groups)), dtype=np.int64)
    assert traded_draws(leg, groups, once, METHOD)[0] == pytest.approx(leg.log, abs=1e-9)
    counts = multinomial_counts("trades", groups=len(groups), draws=50)
    drawn = traded_draws(leg, groups, counts, METHOD)
    assert np.isfinite(drawn).any()
    assert math.log(2) <= np.nanmin(drawn) <= np.nanmax(drawn) <= math.log(2 + 0.05 * 11)


def test_a_draw_counts_agreements_not_their_days():
    trades = [
        trade(f"s{i}", 2 + 0.1 * i, day(n), buyer=f"b{i}", agreement=f"a{i}", number=n)
        for i in range(5)
        for n in (0, 1)
    ]
    market = Market()
    market.next_day = day(1)
    leg = market.step([], trades).outcome.traded
    groups = [f"s{i}" for i in range(5)]
    draws = traded_draws(leg, groups, np.array([[1, 1, 1, 1, 1], [3, 2, 1, 1, 1]]), METHOD)
    # five agreements: the lower weighted median of 2.0 .. 2.4, though there are ten days of them
    assert leg.trade_count == 5
    assert draws[0] == pytest.approx(math.log(2.2))
    # eight copies of agreements: the trimmed mean, within the range and no single price
    assert min(abs(draws[1] - math.log(2 + 0.1 * i)) for i in range(5)) > 1e-3


def test_drawn_are_who_has_a_voice_or_a_trade_in_t_and_nobody_else():
    market = Market()
    market.step(PRICES)
    trades = [
        trade("s1", 3, day(0)),
        *(trade(f"s{i}", 3, day(6), hours=2000, number=i, buyer=f"b{i}") for i in range(2, 10)),
    ]
    market.next_day = day(6)
    graded = market.step([quote(group, price, day(6)) for group, price in PRICES.items()], trades)
    assert graded.outcome.traded.window_days == 1
    assert graded.view.clusters(graded.outcome.traded) == [*sorted(PRICES), *(f"s{i}" for i in range(2, 10))]


def test_the_matched_change_of_a_draw_is_of_the_drawn_groups():
    pairs = {"a": (2.2, 2.0, 0), "b": (3.0, 3.0, 0)}
    counts = np.array([[2, 0], [0, 2], [0, 0]])
    drawn = matched_draws(pairs, ["a", "b"], counts, METHOD)
    assert drawn.tolist() == pytest.approx([math.log(1.1), 0.0, 0.0])


LETTERS = [
    # half-width, change, influence, informative, level, letter
    (0.015, 0.00, 0.02, True, 3, "A"),
    (0.015, 0.00, 0.04, True, 3, "B"),
    (0.015, 0.00, 0.07, True, 3, "C"),
    (0.04, 0.10, 0.02, True, 3, "A"),
    (0.04, 0.00, 0.02, True, 3, "B"),
    (0.09, 0.10, 0.02, True, 3, "B"),
    (0.06, 0.00, 0.02, True, 3, "C"),
    (0.001, 0.00, 0.02, False, 3, "B"),
    (0.001, None, 0.02, True, 3, "B"),
    (None, None, 0.07, True, 3, "C"),
    (0.001, 0.00, None, True, 3, "C"),
    (0.001, 0.00, 0.00, True, 5, "C"),
]


@pytest.mark.parametrize(("half_width", "change", "influence", "informative", "level", "letter"), LETTERS)
def test_letters(half_width, change, influence, informative, level, letter):
    found = letter_of(
        half_width=half_width,
        change=change,
        influence=influence,
        is_informative=informative,
        level=level,
        rules=METHOD.confidence,
    )
    assert found == letter


def test_the_largest_influence_is_unknown_where_one_group_carries_the_value():
    assert largest_influence({"a": Decimal("0.02"), "b": Decimal("-0.03")}) == 0.03
    assert largest_influence({"a": Decimal("0.02"), "b": None}) is None
    assert largest_influence({}) is None


def test_a_series_of_three_groups_has_letter_c_because_no_reference_exists_without_any_of_them():
    market = Market()
    days = market.run([{"a": "2", "b": "2.1", "c": "2.2"}] * 3)
    assert days[-1].confidence.letter == "C"


def test_the_interval_holds_the_value_and_its_ends_are_the_percentiles_widened():
    graded = Market().step([quote(g, p, day(0)) for g, p in PRICES.items()])
    found = graded.confidence
    centre = float(graded.outcome.cross_section_log)
    counts = multinomial_counts(day(0), "g1", groups=7, draws=999)
    drawn = advertised_draws(graded.voices, sorted(PRICES), counts, METHOD)
    low, high = np.quantile(drawn, [0.025, 0.975])
    factor = 2.4469118511 / 1.96
    assert found.low_log == pytest.approx(centre - (centre - low) * factor, abs=1e-9)
    assert found.high_log == pytest.approx(centre + (high - centre) * factor, abs=1e-9)


def test_the_change_has_a_half_width_once_three_groups_moved_and_21_days_are_there():
    market = Market()
    quotes = dict(PRICES)
    for number in range(25):
        if number in {5, 9, 13, 17}:
            group = sorted(quotes)[number % 7]
            quotes = {**quotes, group: quotes[group] * 1.04}
        graded = market.step({group: round(price, 6) for group, price in quotes.items()})
    found = graded.confidence
    assert found.is_informative
    assert found.half_width_change > 0
    expected = graded.outcome.reference_log - market.days[4].outcome.reference_log
    assert found.change_20d == pytest.approx(float(expected), abs=1e-12)
    assert market.days[19].confidence.change_20d is None
