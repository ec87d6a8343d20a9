"""Rounding once, half-even, and sums that do not depend on their order."""

from __future__ import annotations

import math
import random
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpurent.core.numbers import exact_sum, round_half_even


@pytest.mark.parametrize(
    ("value", "decimals", "expected"),
    [
        (Decimal("2.00005"), 4, "2.0000"),
        (Decimal("2.00015"), 4, "2.0002"),
        (Decimal("-2.00005"), 4, "-2.0000"),
        (0.125, 2, "0.12"),
        (0.375, 2, "0.38"),
        (2.675, 2, "2.67"),  # the float is a little below
        (7, 2, "7.00"),
        (Decimal("1234567890123456789.00005"), 4, "1234567890123456789.0000"),
    ],
)
def test_ties_go_to_the_even_digit(value: Decimal | float | int, decimals: int, expected: str) -> None:
    assert str(round_half_even(value, decimals)) == expected


@pytest.mark.parametrize("value", [math.nan, math.inf, Decimal("NaN"), Decimal("-Infinity")])
def test_what_is_no_number_is_not_rounded(value: Decimal | float) -> None:
    with pytest.raises(ValueError, match="cannot be rounded"):
        round_half_even(value, 4)


@given(st.decimals(-(10**12), 10**12, places=9), st.integers(0, 9))
def test_rounding_moves_by_at_most_half_a_unit_and_is_final(value: Decimal, decimals: int) -> None:
    rounded = round_half_even(value, decimals)
    assert abs(rounded - value) * 2 <= Decimal(1).scaleb(-decimals)
    assert round_half_even(rounded, decimals) == rounded


@given(st.lists(st.floats(-1e12, 1e12), max_size=40), st.randoms(use_true_random=False))
def test_a_sum_does_not_depend_on_the_order(values: list[float], shuffler: random.Random) -> None:
    before = exact_sum(values)
    shuffler.shuffle(values)
    assert exact_sum(values) == before


def test_sums_are_correctly_rounded() -> None:
    assert exact_sum([0.1] * 10) == 1.0
    assert exact_sum([1e16, 1.0, -1e16]) == 1.0
    assert exact_sum([]) == 0.0
