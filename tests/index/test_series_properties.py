"""The properties that section 13 of the specification names, on small synthetic markets."""

from __future__ import annotations

import math
import random
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index.formulas.location import weighted_quantile
from index.steps.publication import NO_PARENTS, publish
from index.steps.state import PublicationState
from tests.index.market import METHOD, Market, day, quote, reference

PRICES = {"a": "2.10", "b": "2.45", "c": "2.80", "d": "3.05", "e": "3.40", "f": "3.90", "g": "4.20"}

# prices of groups around 2 to 4 USD, and daily steps that stay inside the jump rule
price_sets = st.lists(st.decimals("2.00", "3.90", places=3), min_size=3, max_size=9)
steps = st.lists(st.floats(-0.15, 0.15), min_size=5, max_size=5)


def walk(prices: list[Decimal], moves: list[float], seed: int) -> list[dict[str, Decimal]]:
    """Five days of quotes; each day one group, drawn by seed, moves by one of `moves`."""
    draw = random.Random(seed)
    today = {f"g{i}": price for i, price in enumerate(prices)}
    days = [dict(today)]
    for move in moves:
        group = draw.choice(sorted(today))
        today[group] = (today[group] * Decimal(repr(math.exp(move)))).quantize(Decimal("0.001"))
        days.append(dict(today))
    return days


@settings(max_examples=60, deadline=None)
@given(price_sets, steps, st.integers(0, 10**6), st.sampled_from(["0.01", "7.8", "730"]))
def test_a_change_of_the_unit_changes_only_the_unit(prices, moves, seed, factor):
    plain, scaled = Market(), Market()
    for quotes in walk(prices, moves, seed):
        one = plain.step(quotes)
        other = scaled.step({group: price * Decimal(factor) for group, price in quotes.items()})
        assert float(reference(other) - reference(one)) == pytest.approx(math.log(float(factor)), abs=2e-9)
        assert one.outcome.level == other.outcome.level
        assert float(one.outcome.index_log) == pytest.approx(float(other.outcome.index_log), abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(price_sets, steps, st.integers(0, 10**6))
def test_names_of_providers_and_their_order_do_not_matter(prices, moves, seed):
    plain, renamed = Market(), Market()
    for quotes in walk(prices, moves, seed):
        one = plain.step(quotes)
        backwards = [
            quote(f"z{99 - int(group[1:]):02d}", price, renamed.next_day)
            for group, price in reversed(list(quotes.items()))
        ]
        other = renamed.step(backwards)
        assert reference(one) == reference(other)
        assert abs(one.outcome.index_log - other.outcome.index_log) <= Decimal("2e-12")


@settings(max_examples=60, deadline=None)
@given(price_sets)
def test_a_new_group_at_the_price_itself_leaves_it_between_the_quartiles(prices):
    quotes = {f"g{i}": price for i, price in enumerate(prices)}
    before = Market().step(quotes)
    leg = before.outcome.advertised
    values = [float(voice.usd) for voice in before.voices]
    weights = [leg.shares[voice.owner_group] for voice in before.voices]
    low = weighted_quantile(values=values, weights=weights, share=0.25)
    high = weighted_quantile(values=values, weights=weights, share=0.75)
    after = Market().step({**quotes, "new": round(leg.usd, 9)})
    assert low - 1e-9 <= after.outcome.advertised.usd <= high + 1e-9


def test_constant_prices_verified_daily_give_no_change_at_all():
    market = Market()
    for graded in market.run([PRICES] * 12):
        assert graded.outcome.cross_section_log == reference(graded)
        assert graded.outcome.index_log == 0
        assert graded.outcome.matched_log in {None, Decimal(0)}
    assert market.days[-1].outcome.level == 3


@pytest.mark.parametrize("factor", ["0.85", "1.07", "1.2"])
def test_every_price_times_a_factor_multiplies_the_reference_by_it(factor):
    market = Market()
    before = market.run([PRICES] * 3)[-1]
    after = market.step({group: Decimal(price) * Decimal(factor) for group, price in PRICES.items()})
    assert float(reference(after) - reference(before)) == pytest.approx(math.log(float(factor)), abs=1e-9)
    assert float(after.outcome.index_log) == pytest.approx(math.log(float(factor)), abs=1e-9)


def test_every_price_times_a_large_factor_moves_the_reference_once_confirmed():
    market = Market()
    before = market.run([PRICES] * 3)[-1]
    halved = {group: Decimal(price) * Decimal("0.7") for group, price in PRICES.items()}
    held = market.step(halved)
    assert reference(held) == reference(before)
    confirmed = market.step(halved)
    assert float(reference(confirmed) - reference(before)) == pytest.approx(math.log(0.7), abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(price_sets, steps, st.integers(0, 10**6))
def test_tomorrow_on_a_frozen_market_is_the_published_catch_up(prices, moves, seed):
    market = Market()
    days = walk(prices, moves, seed)
    market.run(days)
    market.step(days[-1])  # lets held prices be confirmed and upgrades settle
    market.step(days[-1])
    today = market.step(days[-1])
    tomorrow = market.step(days[-1])
    assert abs(reference(tomorrow) - reference(today) - today.outcome.catch_up_log) <= Decimal("2e-12")


@settings(max_examples=30, deadline=None)
@given(price_sets, steps, st.integers(0, 10**6))
def test_the_influence_of_a_group_is_a_run_from_scratch_without_it(prices, moves, seed):
    market = Market()
    graded = market.run(walk(prices, moves, seed))
    for group in {voice.owner_group for voice in graded[-1].voices}:
        state = PublicationState()
        outcome = None
        for one in graded:
            state, outcome = publish(state, one.view.without(group), NO_PARENTS, METHOD)
        move = graded[-1].left_out[group]
        if outcome.reference_log is None:
            assert move is None
        else:
            assert outcome.reference_log - reference(graded[-1]) == move


def test_the_influence_of_a_group_that_left_is_kept_while_it_lasts():
    market = Market()
    market.run([{**PRICES, "x": "1.50"}] * 4)
    gone = market.step(PRICES)
    assert gone.left_out["x"] != 0
    never = Market()
    never.run([PRICES] * 5)
    assert reference(never.days[-1]) - reference(gone) == gone.left_out["x"]


def test_one_owner_group_alone_is_shown_as_a_quote_and_withheld():
    graded = Market().step({"only": "2.75"})
    assert (graded.outcome.status, graded.outcome.level) == ("withheld", 6)
    assert graded.outcome.reason == "single_seller"
    assert graded.outcome.advertised.usd == 2.75


def test_two_groups_are_too_few_and_none_is_no_offers():
    assert Market().step({"a": 2, "b": 3}).outcome.reason == "too_few_groups"
    assert Market().step({}).outcome.reason == "no_offers"


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 7), min_size=1, max_size=30))
def test_shares_sum_to_one_and_stay_within_the_cap(ages):
    when = day(0)
    items = [quote(f"g{i:02d}", 2 + i / 100, when, age=age) for i, age in enumerate(ages)]
    leg = Market().step(items).outcome.advertised
    assert math.fsum(leg.shares.values()) == pytest.approx(1, abs=1e-12)
    assert max(leg.shares.values()) <= max(0.25, 1 / len(ages)) + 1e-12


def test_a_cut_that_is_confirmed_a_disappearance_and_a_return_cancel_in_the_matched_changes():
    market = Market()
    market.run([PRICES] * 3)
    cut = {**PRICES, "d": "2.50"}  # 18 %: inside the jump rule, passes at once
    away = {group: price for group, price in PRICES.items() if group != "d"}
    market.run([cut, away, away, PRICES, PRICES])
    total = sum(day.outcome.matched_log for day in market.days if day.outcome.matched_log is not None)
    index = market.days[-1].outcome.index_log
    assert abs(index) <= Decimal("1e-11")
    # the trimmed sides contain other groups while d is away, so M returns to zero because d's own moves cancel
    assert abs(total) <= Decimal("1e-12")


@pytest.mark.parametrize("away_days", [1, 2, 3])
def test_an_unconfirmed_cut_and_days_away_move_the_reference_within_the_bound(away_days):
    prices = {"a": "2.10", "b": "2.45", "c": "2.80", "d": "3.05", "e": "3.40", "f": "3.90"}
    one_route = [
        [quote(group, price, day(number), route="aggregator") for group, price in prices.items()]
        for number in range(12)
    ]
    market = Market()
    for number in range(3):
        market.step(one_route[number])
    before = reference(market.days[-1])
    number = 3
    market.step(
        [
            quote(
                i.owner_group,
                float(i.native) * (0.76 if i.owner_group == "d" else 1),
                day(3),
                route="aggregator",
            )
            for i in one_route[3]
        ]
    )
    assert reference(market.days[-1]) == before  # held
    base_p = market.days[-1].outcome.cross_section_log
    for _ in range(away_days):
        number += 1
        market.step([i for i in one_route[number] if i.owner_group != "d"])
    cross_without = market.days[-1].outcome.cross_section_log
    bound = (1 - 0.95**away_days) * abs(float(cross_without - base_p)) + 1e-12
    assert abs(float(reference(market.days[-1]) - before)) <= bound
    for _ in range(2):
        number += 1
        market.step(one_route[number])
    assert abs(math.expm1(float(reference(market.days[-1]) - before))) < 0.04
