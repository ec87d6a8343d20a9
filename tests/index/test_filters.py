"""Gate, jump, confirmation, unit step and flapping (section 4), each with a case that has one right answer."""

from __future__ import annotations

import math
from decimal import Decimal

from tests.index.market import Market, day, quote, reference

SIX = {"a": "2.10", "b": "2.45", "c": "2.80", "d": "3.05", "e": "3.40", "f": "3.90"}


def of(graded, group):
    return next(one for one in graded.items if one.item.owner_group == group)


def warmed(days: int = 3, prices=SIX) -> Market:
    market = Market()
    market.run([prices] * days)
    return market


def test_a_jump_is_held_for_a_day_and_then_accepted_at_its_own_price():
    market = warmed()
    held = of(market.step({**SIX, "c": "3.60"}), "c")
    assert (held.state, held.usd, held.rule) == ("held", Decimal("2.800000000"), "jump_pending")
    taken = of(market.step({**SIX, "c": "3.62"}), "c")
    assert (taken.state, taken.usd, taken.rule) == ("counted", Decimal("3.620000000"), "confirmed")


def test_a_real_cut_of_44_percent_enters_on_its_second_day():
    market = warmed(prices={**SIX, "f": "12.29"})  # 98.32 a node of eight
    assert of(market.step({**SIX, "f": "6.88"}), "f").usd == Decimal("12.290000000")
    assert of(market.step({**SIX, "f": "6.88"}), "f").usd == Decimal("6.880000000")


def test_a_price_that_is_back_inside_is_accepted_at_once():
    market = warmed()
    market.step({**SIX, "a": "1.50"})
    back = of(market.step({**SIX, "a": "2.12"}), "a")
    assert (back.state, back.usd, back.rule) == ("counted", Decimal("2.120000000"), "back_inside")


def test_exactly_25_percent_is_no_jump():
    market = warmed()
    assert of(market.step({**SIX, "c": "3.50"}), "c").state == "counted"


def test_after_three_captures_without_confirmation_the_lower_median_of_the_last_three_is_accepted():
    market = warmed()
    assert of(market.step({**SIX, "a": "1.50"}), "a").state == "held"
    assert of(market.step({**SIX, "a": "3.00"}), "a").state == "held"
    third = of(market.step({**SIX, "a": "1.60"}), "a")
    assert (third.state, third.usd, third.rule) == (
        "counted",
        Decimal("1.600000000"),
        "median_of_last_captures",
    )


def test_a_day_confirms_itself_with_two_captures_an_hour_apart_on_one_side():
    market = warmed()
    items = [quote(g, p, day(3)) for g, p in SIX.items() if g != "a"]
    two = quote("a", "1.50", day(3), captures=[(8, "1.50"), (14, "1.50")])
    assert of(market.step([*items, two]), "a").usd == Decimal("1.500000000")


def test_the_captures_that_confirm_a_day_need_not_be_its_extremes_nor_its_first_and_last():
    market = warmed()
    items = [quote(g, p, day(3)) for g, p in SIX.items() if g != "a"]
    # 02:00 and 08:00 lie outside above, the last capture inside; the lower median is 2.79
    three = quote("a", "2.79", day(3), captures=[(2, "2.80"), (8, "2.79"), (11, "2.10")])
    assert of(market.step([*items, three]), "a").usd == Decimal("2.790000000")


def test_captures_within_an_hour_do_not_confirm_however_many_lie_inside_around_them():
    market = warmed()
    items = [quote(g, p, day(3)) for g, p in SIX.items() if g != "a"]
    three = quote("a", "2.79", day(3), captures=[(8, "2.80"), (8, "2.79"), (11, "2.10")])
    assert of(market.step([*items, three]), "a").usd == Decimal("2.100000000")


def test_two_captures_of_which_one_is_inside_do_not_confirm():
    market = warmed()
    items = [quote(g, p, day(3)) for g, p in SIX.items() if g != "a"]
    two = quote("a", "1.50", day(3), captures=[(8, "2.10"), (14, "1.50")])
    assert of(market.step([*items, two]), "a").state == "held"


def test_a_carried_price_neither_confirms_nor_starts_a_wait():
    market = warmed()
    market.step({**SIX, "a": "1.50"})
    items = [quote(g, p, day(4)) for g, p in SIX.items() if g != "a"]
    carried = quote("a", "1.50", day(4), carried_from=day(3), age=1)
    assert of(market.step([*items, carried]), "a").state == "held"
    assert of(market.step({**SIX, "a": "1.50"}), "a").rule == "confirmed"


def test_a_newcomer_far_out_waits_a_day_and_is_then_accepted():
    market = warmed()
    new = of(market.step({**SIX, "x": "14.90"}), "x")
    assert (new.state, new.usd) == ("pending", None)
    assert "x" not in {voice.owner_group for voice in market.days[-1].voices}
    assert of(market.step({**SIX, "x": "14.90"}), "x").state == "counted"


def test_a_newcomer_inside_the_gate_counts_at_once():
    market = warmed()
    assert of(market.step({**SIX, "x": "2.90"}), "x").state == "counted"


def test_nothing_is_pending_on_the_first_day():
    market = Market()
    assert of(market.step({**SIX, "x": "39.00"}), "x").state == "counted"


def test_nothing_is_pending_on_a_restart_day():
    market = warmed()
    for _ in range(11):
        market.step({"a": "2.10"})
    restart = market.step({**SIX, "a": "4.20", "x": "39.00"})
    assert "restart" in restart.outcome.flags
    assert of(restart, "x").state == "counted"
    # a known item's jump is a jump against a price of a market that was not published
    assert (of(restart, "a").state, of(restart, "a").usd) == ("counted", Decimal("4.200000000"))


def test_an_unmoved_price_is_never_pending_however_far_the_market_moves_away():
    market = warmed(prices={**SIX, "x": "6.90"})
    for _ in range(6):
        low = {group: Decimal(price) * Decimal("0.8") for group, price in SIX.items()}
        assert of(market.step({**low, "x": "6.90"}), "x").state == "counted"


def test_the_gate_compares_with_the_others_and_not_with_the_tested_group():
    market = warmed()
    # 1.31 of the last price and 2.62 of the reference's lower edge: judged by the other five only
    graded = market.step({**SIX, "f": "9.90"})
    assert of(graded, "f").state == "held"


def test_a_price_outside_the_gate_below_that_jumps_up_waits_on_the_side_of_its_jump():
    market = warmed(prices={**SIX, "x": "0.40"})
    first = market.step({**SIX, "x": "0.60"})
    # below the gate, and half as much again as before: the side to confirm is up
    assert (of(first, "x").state, market.state.pending[of(first, "x").item.item_key].side) == ("held", 1)
    assert of(market.step({**SIX, "x": "0.60"}), "x").usd == Decimal("0.600000000")


def test_exactly_ten_percent_has_not_moved_whatever_binary_makes_of_it():
    market = warmed(prices={**SIX, "x": "9.00"})
    # 9.90 / 9 is 1.1 in decimals; in binary it is a little more
    assert of(market.step({**SIX, "x": "9.90"}), "x").state == "counted"
    assert of(market.step({**SIX, "x": "10.90"}), "x").rule == "gate_pending"


def test_a_moved_price_within_ten_percent_outside_the_gate_is_no_case_for_it():
    market = Market()
    market.run([{**SIX, "x": "9.00"}] * 3)
    assert of(market.step({**SIX, "x": "9.80"}), "x").state == "counted"


def test_a_pending_state_lapses_after_seven_days():
    market = warmed()
    market.step({**SIX, "x": "14.90"})
    for _ in range(8):
        market.step(SIX)
    assert of(market.step({**SIX, "x": "14.90"}), "x").state == "pending"


def test_held_prices_follow_the_exchange_rate_of_the_day():
    market = Market()
    others = {group: price for group, price in SIX.items() if group != "a"}

    def euro(number, native, rate):
        return [
            *[quote(g, p, day(number)) for g, p in others.items()],
            quote("a", native, day(number), currency="EUR", usd=Decimal(native) * Decimal(rate)),
        ]

    for number in range(3):
        market.step(euro(number, "2.00", "1.10"))
    held = of(market.step(euro(3, "1.00", "1.20")), "a")
    assert (held.state, held.usd) == ("held", Decimal("2.400000000"))


def test_a_moving_exchange_rate_alone_is_no_jump():
    market = Market()
    others = {group: price for group, price in SIX.items() if group != "a"}
    for number, rate in enumerate(["1.00", "1.00", "1.40"]):
        items = [quote(g, p, day(number)) for g, p in others.items()]
        items.append(quote("a", "2.20", day(number), currency="EUR", usd=Decimal("2.20") * Decimal(rate)))
        graded = market.step(items)
    assert of(graded, "a").state == "counted"
    assert of(graded, "a").usd == Decimal("3.080000000")


def test_a_waiting_price_goes_on_waiting_after_a_day_as_a_unit_step():
    market = warmed()
    others = {group: price for group, price in SIX.items() if group != "a"}
    held = of(market.step({**SIX, "a": "3.20"}), "a")
    assert (held.state, held.rule) == ("held", "jump_pending")
    when = market.next_day
    stepped = [*(quote(g, p, when) for g, p in others.items()), quote("a", "25.60", when, unit_step=True)]
    assert of(market.step(stepped), "a").rule == "unit_step"
    confirmed = of(market.step({**SIX, "a": "3.20"}), "a")
    assert (confirmed.usd, confirmed.rule) == (Decimal("3.200000000"), "confirmed")


def test_a_unit_step_is_held_and_named():
    market = warmed()
    items = [quote(g, p, day(3)) for g, p in SIX.items() if g != "a"]
    held = of(market.step([*items, quote("a", "16.80", day(3), unit_step=True)]), "a")
    assert (held.state, held.usd, held.rule) == ("held", Decimal("2.100000000"), "unit_step")


def test_stale_offers_are_excluded_by_age_of_verification_not_of_change():
    market = warmed(prices=SIX, days=20)
    assert all(one.state == "counted" for one in market.days[-1].items)
    items = [quote(g, p, day(20)) for g, p in SIX.items() if g != "a"]
    stale = of(market.step([*items, quote("a", "2.10", day(20), age=8)]), "a")
    assert (stale.state, stale.rule) == ("excluded", "stale")


def test_the_third_return_in_thirty_days_freezes_the_voice_at_its_median_for_seven_days():
    market = warmed(days=4)
    away = {group: price for group, price in SIX.items() if group != "a"}
    for price in ("2.10", "2.20", "2.30"):
        market.step(away)
        market.step({**SIX, "a": price})
    graded = market.days[-1]
    voice = next(voice for voice in graded.voices if voice.owner_group == "a")
    # daily voices before: 2.10 on four days, then 2.10 and 2.20
    assert (voice.state, voice.usd) == ("frozen", Decimal("2.100000000"))
    assert of(graded, "a").usd == Decimal("2.200000000")  # the last accepted price stands still
    for number in range(6):
        quotes = away if number % 2 else {**SIX, "a": "1.90"}
        voice = next(v for v in market.step(quotes).voices if v.owner_group == "a")
        assert (voice.state, voice.usd) == ("frozen", Decimal("2.100000000"))
    after = of(market.step({**SIX, "a": "2.25"}), "a")
    assert (after.state, after.previous.native) == ("counted", Decimal("2.200000000"))


def test_a_frozen_voice_counts_for_no_level_minimum():
    three = {"a": "2.10", "b": "2.45", "c": "2.80"}
    market = warmed(prices=three, days=4)
    for _ in range(3):
        market.step({"b": "2.45", "c": "2.80"})
        graded = market.step(three)
    assert next(v for v in graded.voices if v.owner_group == "a").state == "frozen"
    assert (graded.outcome.level, graded.outcome.reason) == (6, "too_few_groups")


def test_a_return_is_a_price_change_against_the_last_accepted_price():
    market = warmed()
    away = {group: price for group, price in SIX.items() if group != "c"}
    market.run([away, away])
    graded = market.step({**SIX, "c": "2.94"})
    pair = next(pair for pair in graded.outcome.matched.groups if pair.owner_group == "c")
    assert (pair.old_usd, pair.new_usd) == (Decimal("2.800000000"), Decimal("2.940000000"))
    assert float(graded.outcome.matched.index_change) == math.log(2.94 / 2.80) / 6


def test_our_own_outage_is_nobodys_return():
    market = warmed()
    for _ in range(3):
        out = market.step([], outage=True)
        assert (out.outcome.status, out.outcome.reason) == ("withheld", "outage")
        graded = market.step(SIX)
        assert all(voice.state == "counted" for voice in graded.voices)
    assert all(not memory.returns for memory in market.state.groups.values())
    assert reference(graded) == reference(market.days[2])
