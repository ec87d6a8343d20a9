"""Rounding and exact sums: a published number is rounded once, half-even, to the dictionary's decimals."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import ROUND_HALF_EVEN, Decimal, localcontext


def round_half_even(value: Decimal | float | int, decimals: int) -> Decimal:
    """`value` with `decimals` digits after the point, ties to even. NaN and infinities raise ValueError.

    A float is taken at its exact binary value, so 0.125 rounds to 0.12 and 0.1 + 0.2 is not 0.3.
    """
    exact = value if isinstance(value, Decimal) else Decimal(value)
    if not exact.is_finite():
        raise ValueError(f"{value} cannot be rounded")
    with localcontext() as context:
        context.prec = 60
        return exact.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_EVEN)


def exact_sum(values: Iterable[float]) -> float:
    """The correctly rounded sum of floats: independent of their order. Empty gives 0.0."""
    return math.fsum(values)
