"""Items across days: relabels, flicker, unit steps (sections 2 and 4)."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from index.steps.state import TrackState
from index.steps.tracks import follow, is_unit_step, relabels, reversals
from tests.index.market import METHOD, day, quote


def named(price, **axes):
    item = quote("a", price, day(0))
    item = replace(item, **axes)
    parts = (
        item.owner_group,
        item.operator_id,
        item.host_operator_id,
        item.chip,
        item.form_memory,
        item.lot,
        item.fabric,
        item.scope,
        item.term,
        item.place,
    )
    return replace(item, item_key="|".join(parts))


def test_a_field_that_begins_to_be_stated_relabels_the_item():
    old = named("2.69", form_memory="Z080", lot="Z")
    new = named("2.79", form_memory="S080", lot="Z")
    assert relabels([old.identity], [new.identity]) == {new.item_key: old.item_key}


@pytest.mark.parametrize("axes", [{"form_memory": "P080"}, {"place": "DE"}, {"lot": "A"}])
def test_two_stated_values_that_differ_are_two_items(axes):
    old, new = named("2.69"), named("2.69", **axes)
    assert relabels([old.identity], [new.identity]) == {}


def test_fewest_differing_axes_win_over_an_equal_price():
    old = named("2.69", form_memory="Z080", place="ZZ")
    near, far = named("3.00", form_memory="Z080", place="US"), named("2.69", form_memory="S080", place="US")
    assert relabels([old.identity], [near.identity, far.identity]) == {near.item_key: old.item_key}


def test_equal_price_decides_between_equally_near_names():
    old = named("2.69", form_memory="Z080")
    sxm, pcie = named("2.69", form_memory="S080"), named("2.19", form_memory="P080")
    assert relabels([old.identity], [sxm.identity, pcie.identity]) == {sxm.item_key: old.item_key}


def test_an_ambiguity_relabels_nothing():
    old = named("2.69", form_memory="Z080")
    sxm, pcie = named("2.69", form_memory="S080"), named("2.69", form_memory="P080")
    assert relabels([old.identity], [sxm.identity, pcie.identity]) == {}


def test_reversals_count_turns_of_more_than_the_move():
    prices = [Decimal(p) for p in ("2.01", "4.41", "2.01", "2.05", "4.41", "4.40", "2.01")]
    assert reversals(prices, 0.05) == 3 + 0
    assert reversals([Decimal("2"), Decimal("2.2"), Decimal("2.4")], 0.05) == 0
    assert reversals([], 0.05) == 0


@pytest.mark.parametrize(
    ("ratio", "expected"), [(8.1, True), (1 / 24, True), (1.96, True), (1.95, False), (3, False)]
)
def test_a_unit_step_is_a_factor_within_two_percent_either_way(ratio, expected):
    assert (
        is_unit_step(ratio, METHOD.filters.unit_step_factors, METHOD.filters.unit_step_tolerance) is expected
    )


def test_a_unit_step_is_flagged_for_seven_days_at_most():
    state = TrackState()
    flags = []
    for number, price in enumerate(["2.00", *["16.00"] * 9]):
        items, _ = follow(state, [quote("a", price, day(number))], day(number), METHOD)
        flags.append(items[0].unit_step)
    assert flags == [False] + [True] * 7 + [False] * 2


def test_a_price_that_returns_from_a_unit_step_is_clean_at_once():
    state = TrackState()
    for number, (price, flagged) in enumerate(
        [("2.00", False), ("16.00", True), ("2.02", False), ("2.04", False)]
    ):
        items, _ = follow(state, [quote("a", price, day(number))], day(number), METHOD)
        assert items[0].unit_step is flagged


def test_a_resellers_list_that_flickers_takes_its_seven_day_lower_median():
    state = TrackState()
    seen = []
    for number, price in enumerate(["2.01", "4.41", "2.01", "4.41", "2.01", "4.41"]):
        items, _ = follow(state, [quote("a", price, day(number), operator_class="RES")], day(number), METHOD)
        seen.append(str(items[0].native.normalize()))
    assert seen == ["2.01", "4.41", "2.01", "4.41", "2.01", "2.01"]
    assert items[0].is_smoothed
    assert items[0].stated_usd == Decimal("4.41")


def test_an_operators_own_list_is_never_smoothed():
    state = TrackState()
    for number, price in enumerate(["2.01", "4.41"] * 4):
        items, _ = follow(state, [quote("a", price, day(number))], day(number), METHOD)
        assert items[0].native == Decimal(price).quantize(Decimal("1e-9"))


def test_a_relabelled_item_keeps_its_track():
    state = TrackState()
    old = named("2.00", form_memory="Z080")
    follow(state, [old], day(0), METHOD)
    new = named("16.00", form_memory="S080")
    items, renamed = follow(state, [new], day(1), METHOD)
    assert renamed == {new.item_key: old.item_key}
    assert items[0].relabelled_from == old.item_key
    assert items[0].unit_step  # the step is against the old name's price
    assert set(state.tracks) == {new.item_key}
