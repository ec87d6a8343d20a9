"""Weighted medians, trimmed means and caps against published and worked examples."""

from __future__ import annotations

import csv
import itertools
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.formulas.caps import cap_for, capped_shares, two_way_caps
from index.formulas.location import (
    median_absolute_deviation,
    trimmed_mean,
    weighted_median,
    weighted_quantile,
)

weights = st.lists(st.floats(0.01, 1000), min_size=1, max_size=12)


def test_weighted_medians_of_the_oracle(shared_data):
    cases = json.loads((shared_data / "oracles/S08_weighted_median/expected.json").read_text())["cases"]
    assert len(cases) == 11
    for case in cases:
        for tie in ("lower", "upper", "mid"):
            found = weighted_median(values=case["x"], weights=case["w"], tie=tie)
            assert found == pytest.approx(case[tie], abs=1e-12), (case["case"], tie)


def test_trimmed_rates_of_the_oracle(shared_data):
    folder = shared_data / "oracles/S09_trimmed_rates"
    worked = json.loads((folder / "expected.json").read_text())["worked"]
    rows = list(csv.DictReader((folder / "trades.csv").read_text().splitlines()))
    prices = [float(row["price"]) for row in rows]
    hours = [float(row["gpu_hours"]) for row in rows]
    assert trimmed_mean(values=prices, weights=hours, each_side=0.25) == pytest.approx(
        worked["vw_trimmed_mean_25_25"], abs=1e-12
    )
    assert weighted_median(values=prices, weights=hours, tie="lower") == worked["vw_median_lower"]
    by_provider: dict[str, float] = {}
    for row in rows:
        by_provider[row["provider"]] = by_provider.get(row["provider"], 0.0) + float(row["gpu_hours"])
    for cap in (0.25, 0.3, 0.4):
        expected = worked[f"cap_{cap}"]
        shares = capped_shares(by_provider, cap)
        assert shares == pytest.approx(expected["provider_share"], abs=1e-12)
        capped = [
            hour / by_provider[row["provider"]] * shares[row["provider"]]
            for hour, row in zip(hours, rows, strict=True)
        ]
        assert trimmed_mean(values=prices, weights=capped, each_side=0.25) == pytest.approx(
            expected["vw_trimmed_mean_25_25"], abs=1e-12
        )


def test_the_boundary_trades_of_a_trimmed_mean_count_in_part():
    # worked by hand: 667.75 / 330 of the eight trades of section 3 of the methodology
    prices = [2.10, 2.00, 1.95, 2.40, 2.05, 5.00, 1.20, 2.05]
    hours = [100, 50, 200, 80, 120, 10, 40, 60]
    assert trimmed_mean(values=prices, weights=hours, each_side=0.25) == pytest.approx(
        667.75 / 330, abs=1e-12
    )


def test_decimal_thirds_do_not_break_a_median():
    assert weighted_median(values=[1, 2, 3], weights=[0.1, 0.2, 0.3], tie="lower") == 2
    assert weighted_median(values=[1, 2, 3], weights=[0.1, 0.2, 0.3], tie="upper") == 3


def test_a_half_that_rounding_missed_is_a_half():
    # what caps leave of two equal sellers, one of them with two trades; one unit in the last place either way
    for first in (math.nextafter(0.5, 0), 0.5, math.nextafter(0.5, 1)):
        given = {"values": [1, 2, 3], "weights": [first, 0.25, 0.25]}
        assert weighted_median(**given, tie="lower") == 1
        assert weighted_median(**given, tie="mid") == 1.5
        assert weighted_median(**given, tie="upper") == 2
    assert weighted_median(values=[1, 2, 3], weights=[0.499999, 0.25, 0.250001], tie="lower") == 2
    assert weighted_quantile(values=[1, 2], weights=[math.nextafter(0.25, 0), 0.75], share=0.25) == 1


@given(weights)
def test_a_trimmed_mean_lies_within_its_values_and_without_trim_is_the_mean(given_weights):
    values = [float(i * i % 7) for i in range(len(given_weights))]
    trimmed = trimmed_mean(values=values, weights=given_weights, each_side=0.25)
    assert min(values) - 1e-9 <= trimmed <= max(values) + 1e-9
    mean = math.fsum(v * w for v, w in zip(values, given_weights, strict=True)) / math.fsum(given_weights)
    assert trimmed_mean(values=values, weights=given_weights, each_side=0) == pytest.approx(mean)


@given(weights)
def test_capped_shares_sum_to_one_within_the_cap_and_keep_the_order(given_weights):
    named = {f"g{i}": weight for i, weight in enumerate(given_weights)}
    cap = cap_for(len(named), 0.25)
    shares = capped_shares(named, cap)
    assert math.fsum(shares.values()) == pytest.approx(1, abs=1e-12)
    assert max(shares.values()) <= cap + 1e-12
    ranked = sorted(named, key=lambda name: named[name])
    assert all(shares[a] <= shares[b] + 1e-12 for a, b in itertools.pairwise(ranked))


def test_four_parties_are_equal_under_a_cap_of_a_quarter():
    shares = capped_shares({"a": 100.0, "b": 10.0, "c": 1.0, "d": 0.1}, cap_for(4, 0.25))
    assert shares == pytest.approx(dict.fromkeys("abcd", 0.25))


def caps(rows, **changed):
    rules = {"cap": 0.25, "step": 0.05, "limit": 0.5, "passes": 200, "tolerance": 1e-9, **changed}
    return two_way_caps(
        weights=[r[0] for r in rows], sellers=[r[1] for r in rows], buyers=[r[2] for r in rows], **rules
    )


def test_two_way_caps_hold_for_sellers_and_buyers_at_once():
    rows = [(100.0, f"s{i % 6}", f"b{i % 5}") for i in range(30)] + [(900.0, "s0", "b0")]
    found = caps(rows)
    assert found.is_feasible
    for position, cap in ((1, found.seller_cap), (2, found.buyer_cap)):
        totals: dict[str, float] = {}
        for row, weight in zip(rows, found.weights, strict=True):
            totals[row[position]] = totals.get(row[position], 0.0) + weight
        assert max(totals.values()) <= cap + 1e-9
        assert math.fsum(totals.values()) == pytest.approx(1, abs=1e-9)
    assert (found.seller_cap, found.buyer_cap) == (0.25, 0.25)


def test_caps_that_cannot_both_hold_are_raised_and_then_given_up():
    # s1 sells only to b1, and each of the others only to b2: equal sellers mean 1/4 and 3/4 of the buyers
    rows = [(10.0, "s1", "b1"), (10.0, "s2", "b2"), (10.0, "s3", "b2"), (10.0, "s4", "b2")]
    found = caps(rows)
    assert found.is_feasible
    assert found.seller_cap == pytest.approx(0.5)
    stuck = caps(rows, limit=0.4)
    assert not stuck.is_feasible


def test_quantile_and_deviation_of_small_samples():
    assert weighted_quantile(values=[1, 2, 3, 4], weights=[1, 1, 1, 1], share=0.25) == 1
    assert weighted_quantile(values=[1, 2, 3, 4], weights=[1, 1, 1, 1], share=0.75) == 3
    assert median_absolute_deviation([1, 2, 4, 9], 2) == 1.5


@pytest.mark.parametrize(
    "call",
    [
        lambda: weighted_median(values=[], weights=[], tie="mid"),
        lambda: trimmed_mean(values=[1], weights=[0], each_side=0.25),
        lambda: trimmed_mean(values=[1], weights=[1], each_side=0.5),
        lambda: capped_shares({"a": 1.0, "b": 0.0}, 0.5),
        lambda: capped_shares({"a": 1.0, "b": 1.0}, 0.25),
        lambda: cap_for(0, 0.25),
    ],
)
def test_what_has_no_value_raises(call):
    with pytest.raises(ValueError, match=r"."):
        call()
