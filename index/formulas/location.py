"""Weighted medians and trimmed means: the estimators of the two legs.

A median jumps where the cumulative weight meets a half, so it must not be decided by rounding: weights are added as
exact rationals of their shortest decimal spelling (0.1 + 0.2 is 0.3), and a sum within a billionth of a half is a
half, because caps leave equal shares a few units apart in the last place. A trimmed mean is continuous in the
weights and needs no such care. Values are sorted before they are summed, so no result depends on the order of the
input.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Literal

Number = float | int | Decimal
Tie = Literal["lower", "upper", "mid"]

TIE_TOLERANCE = 1e-9
"""Relative distance from a share of the weight that counts as meeting it."""
_JUST_UNDER, _JUST_OVER = Fraction(1) - Fraction(1, 10**9), Fraction(1) + Fraction(1, 10**9)


def _exact(value: Number) -> Fraction:
    """The rational a number spells: 0.1 is one tenth."""
    return Fraction(Decimal(repr(value))) if isinstance(value, float) else Fraction(value)


def _ordered(values: Sequence[float], weights: Sequence[Number]) -> list[tuple[float, Fraction]]:
    if len(values) != len(weights):
        raise ValueError(f"{len(values)} values but {len(weights)} weights")
    if not all(math.isfinite(value) for value in values):
        raise ValueError("values must be finite")
    pairs = [(value, _exact(weight)) for value, weight in zip(values, weights, strict=True)]
    return sorted(pair for pair in pairs if pair[1] > 0)


def weighted_median(*, values: Sequence[float], weights: Sequence[Number], tie: Tie) -> float:
    """The value at half the weight. Weights <= 0 are dropped; nothing left raises ValueError.

    `lower`: first value whose cumulative weight reaches half (SOFR's rule, used for trades); `upper`: first whose
    cumulative weight exceeds half; `mid`: the mean of both (used for offers). Within `TIE_TOLERANCE` of half is
    half. Cormen et al., ch. 9; any value
    between lower and upper minimises the weighted absolute deviation.
    """
    pairs = _ordered(values, weights)
    if not pairs:
        raise ValueError("no value has a positive weight")
    half = sum((weight for _, weight in pairs), Fraction(0)) / 2
    lower = upper = None
    running = Fraction(0)
    for value, weight in pairs:
        running += weight
        if lower is None and running >= half * _JUST_UNDER:
            lower = value
        if running > half * _JUST_OVER:
            upper = value
            break
    if lower is None or upper is None:  # the total exceeds its half, so both were met
        raise ArithmeticError("no value at half the weight")
    return {"lower": lower, "upper": upper, "mid": (lower + upper) / 2}[tie]


def weighted_quantile(*, values: Sequence[float], weights: Sequence[Number], share: float) -> float:
    """The first value whose cumulative weight reaches `share` of the total (0 < share < 1).

    Weights <= 0 are dropped; nothing left raises ValueError.
    """
    pairs = _ordered(values, weights)
    if not pairs:
        raise ValueError("no value has a positive weight")
    wanted = sum((weight for _, weight in pairs), Fraction(0)) * _exact(share)
    running = Fraction(0)
    for value, weight in pairs:
        running += weight
        if running >= wanted * _JUST_UNDER:
            return value
    return pairs[-1][0]


def median(values: Sequence[float], tie: Tie = "mid") -> float:
    """The unweighted median; empty raises ValueError."""
    return weighted_median(values=values, weights=[1] * len(values), tie=tie)


def trimmed_mean(*, values: Sequence[float], weights: Sequence[float], each_side: float) -> float:
    """Mean of the volume between the shares `each_side` and 1 - `each_side` (SONIA, euro short-term rate).

    Observations that straddle a cut count with the part inside it. Values are averaged as they are (not in
    logs). Weights <= 0 are dropped; nothing left raises ValueError; `each_side` must be in [0, 0.5).
    """
    if not 0 <= each_side < 0.5:
        raise ValueError(f"each_side must be in [0, 0.5), not {each_side}")
    if len(values) != len(weights):
        raise ValueError(f"{len(values)} values but {len(weights)} weights")
    pairs = sorted(pair for pair in zip(values, weights, strict=True) if pair[1] > 0)
    if not pairs:
        raise ValueError("no value has a positive weight")
    total = math.fsum(weight for _, weight in pairs)
    low, high = total * each_side, total * (1 - each_side)
    kept: list[tuple[float, float]] = []
    running = 0.0
    for value, weight in pairs:
        inside = min(running + weight, high) - max(running, low)
        if inside > 0:
            kept.append((value, inside))
        running += weight
    return math.fsum(value * part for value, part in kept) / math.fsum(part for _, part in kept)


def median_absolute_deviation(values: Sequence[float], centre: float) -> float:
    """Unweighted median of |value - centre|; empty raises ValueError."""
    return median([abs(value - centre) for value in values])
