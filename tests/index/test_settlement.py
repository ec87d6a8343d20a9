"""Which values may be settled on, and what becomes of a large move (sections 7 and 11)."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from index.steps.preparation import prepare
from index.steps.publication import NO_PARENTS
from index.steps.series import finish
from index.steps.settlement import Standing, passes_settlement
from index.steps.state import SeriesState
from tests.index.market import METHOD, day, quote, reference, trade

TEN = {chr(97 + i): str(2 + 0.05 * i) for i in range(10)}


def run(state, number, prices, standing):
    items = [quote(group, price, day(number), offer_class="firm") for group, price in prices.items()]
    trades = [
        trade(f"s{i % 5}", 1.6, day(number - back), buyer=f"b{i % 4}", hours=300, number=i)
        for back in range(2)
        for i in range(10)
    ]
    prepared = prepare(
        "g", state, items, trades, day(number), METHOD, renamed={}, outage=False, counts_synthetic=True
    )
    return finish(prepared, [], NO_PARENTS, METHOD, standing)


def traded_only(state, number, price, standing):
    trades = [
        trade(f"s{i % 5}", price, day(number), buyer=f"b{i % 4}", hours=300, number=i) for i in range(10)
    ]
    prepared = prepare(
        "g", state, [], trades, day(number), METHOD, renamed={}, outage=False, counts_synthetic=True
    )
    return finish(prepared, [], NO_PARENTS, METHOD, standing)


NARROW = Standing(may_settle=True)


def test_a_traded_value_of_a_narrow_grade_is_eligible_and_a_composite_is_not():
    assert traded_only(SeriesState(), 0, "2.00", NARROW).is_eligible
    assert not traded_only(SeriesState(), 0, "2.00", Standing(may_settle=False)).is_eligible


def test_level_3_needs_firm_offers_a_discount_and_a_letter():
    graded = run(SeriesState(), 1, TEN, NARROW)
    assert graded.outcome.level == 3
    assert not graded.is_eligible  # no discount
    with_discount = replace(graded.outcome, discount=object())
    sure = replace(graded.confidence, letter="B")
    assert passes_settlement(with_discount, sure, METHOD)
    assert not passes_settlement(with_discount, replace(sure, letter="C"), METHOD)


def moved(standing):
    state = SeriesState()
    first = traded_only(state, 0, "2.00", NARROW)
    return first, traded_only(state, 1, "2.90", standing), state


def test_a_move_above_ten_percent_is_held_and_the_series_waits():
    first, held, state = moved(NARROW)
    assert (held.outcome.status, held.outcome.reason, held.outcome.level) == ("held", "large_move", 1)
    assert held.outcome.reference_log is None
    assert state.main.reference_log == reference(first)
    assert state.main.last_day == day(0)
    assert day(1) not in state.references


def test_a_confirmed_move_is_released():
    first, released, state = moved(Standing(may_settle=True, confirmed=True))
    assert released.outcome.status == "published"
    assert reference(released) - reference(first) > Decimal("0.1")
    assert state.main.last_day == day(1)


def test_a_move_that_is_not_confirmed_is_withheld():
    _, refused, state = moved(Standing(may_settle=True, confirmed=False))
    assert (refused.outcome.status, refused.outcome.reason, refused.outcome.level) == (
        "withheld",
        "unconfirmed",
        6,
    )
    assert state.main.last_day == day(0)


def test_after_a_held_day_that_nobody_settled_the_series_continues_over_the_gap():
    _, _, state = moved(NARROW)
    after = traded_only(state, 2, "2.90", Standing(may_settle=False))
    assert after.outcome.status == "published"
    assert "after_gap" in after.outcome.flags
