"""Medians, means and shares, written out: the arithmetic of sections 5 to 8, one function a sentence."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from decimal import Decimal
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
N = TypeVar("N", float, Decimal)
_IS_HALF = 1e-9
"""Relative distance from half of the weight that is half of it."""


def round_price(value: Decimal) -> Decimal:
    """A price as it is stored: nine decimals, half-even."""
    return value.quantize(Decimal("1e-9"))


def lower_median(values: Sequence[N]) -> N:
    """The lower of the two middle values, or the middle one."""
    return sorted(values)[(len(values) - 1) // 2]


def mid_median(values: Sequence[N]) -> N:
    """The mean of the two middle values, or the middle one."""
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def median_distance(values: Sequence[float]) -> float:
    """The median of the distances from the median (MAD), unweighted."""
    middle = mid_median(values)
    return mid_median([abs(value - middle) for value in values])


def mid_weighted_median(pairs: Sequence[tuple[float, float]]) -> float:
    """Where half the weight lies below: the mean of both sides where it falls between two values."""
    ordered = sorted(pairs)
    half, below = math.fsum(weight for _, weight in ordered) / 2, 0.0
    for position, (value, weight) in enumerate(ordered):
        below += weight
        if math.isclose(below, half, rel_tol=_IS_HALF):
            return (value + ordered[position + 1][0]) / 2
        if below > half:
            return value
    return ordered[-1][0]


def lower_weighted_median(pairs: Sequence[tuple[float, float]]) -> float:
    """The smallest value at which at least half the weight is reached."""
    ordered = sorted(pairs)
    half, below = math.fsum(weight for _, weight in ordered) / 2, 0.0
    for value, weight in ordered:
        below += weight
        if below > half or math.isclose(below, half, rel_tol=_IS_HALF):
            return value
    return ordered[-1][0]


def kept_parts(pairs: Sequence[tuple[float, float]], each_side: float) -> list[float]:
    """How much of each weight lies between `each_side` and 1 - `each_side` of all weight, in order of value.

    In the order of `pairs`. Values that are equal stand in the order in which they come.
    """
    total = math.fsum(weight for _, weight in pairs)
    low, high = each_side * total, (1 - each_side) * total
    kept = [0.0] * len(pairs)
    before = 0.0
    for place in sorted(range(len(pairs)), key=lambda index: pairs[index][0]):
        after = before + pairs[place][1]
        kept[place] = max(0.0, min(after, high) - max(before, low))
        before = after
    return kept


def trimmed_mean(pairs: Sequence[tuple[float, float]], each_side: float) -> float:
    """The mean of what the trim keeps."""
    kept = kept_parts(pairs, each_side)
    return math.fsum(value * part for (value, _), part in zip(pairs, kept, strict=True)) / math.fsum(kept)


def filled_to(shares: Mapping[K, float], caps: Mapping[K, float]) -> dict[K, float]:
    """Shares of 1 of which none is above its cap: who would be gets it, the rest is shared in proportion.

    Where the caps together leave no room for all, everybody gets in proportion to his cap.
    """
    total = math.fsum(shares.values())
    left = {name: share / total for name, share in shares.items()}
    done: dict[K, float] = {}
    while left:
        room, rest = 1 - math.fsum(done.values()), math.fsum(left.values())
        scaled = {name: share / rest * room for name, share in left.items()}
        above = [name for name, share in scaled.items() if share > caps[name] * (1 + 1e-12)]
        if not above:
            return {**done, **scaled}
        if len(above) == len(left):
            whole = math.fsum(caps[name] for name in shares)
            return {name: caps[name] / whole for name in shares}
        for name in above:
            done[name] = caps[name]
            del left[name]
    return done


def cap_of(count: int, least: float) -> float:
    return max(least, 1 / count)


def huber_mean(values: Sequence[float], scale: float, k: float) -> float:
    """The location at which the clipped distances sum to nothing, from the median on, to 1e-12."""
    found = mid_median(values)
    for _ in range(10_000):
        weights = [1.0 if (u := abs(value - found) / scale) <= k else k / u for value in values]
        new = math.fsum(w * v for w, v in zip(weights, values, strict=True)) / math.fsum(weights)
        if abs(new - found) <= 1e-12:
            return new
        found = new
    return found


def paule_mandel(estimates: Sequence[float], variances: Sequence[float]) -> tuple[float, float, float]:
    """Between-grades variance, mean and the mean's variance: the root of Q(t) = n - 1, 0 where Q(0) is below it."""

    def mean_at(between: float) -> tuple[float, float]:
        weights = [1 / (between + variance) for variance in variances]
        total = math.fsum(weights)
        return math.fsum(w * e for w, e in zip(weights, estimates, strict=True)) / total, 1 / total

    def excess(between: float) -> float:
        mean, _ = mean_at(between)
        terms = ((e - mean) ** 2 / (between + v) for e, v in zip(estimates, variances, strict=True))
        return math.fsum(terms) - (len(estimates) - 1)

    between = _root(excess)
    return between, *mean_at(between)


def _root(falling: Callable[[float], float]) -> float:
    """Where a falling function crosses 0, for arguments from 0 on; 0 where it is not above 0 there."""
    if falling(0.0) <= 0:
        return 0.0
    low, high = 0.0, 1e-6
    while falling(high) > 0:
        low, high = high, high * 2
    for _ in range(400):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return (low + high) / 2


def t_quantile(probability: float, degrees: int) -> float:
    """Student's t: where its distribution function reaches `probability` (above one half)."""
    return _root(lambda at: probability - _t_below(at, degrees))


def _t_below(at: float, degrees: int) -> float:
    """Student's distribution function for whole degrees of freedom (Abramowitz and Stegun 26.7.3 and 26.7.4)."""
    angle = math.atan2(at, math.sqrt(degrees))
    cosine, sine = math.cos(angle), math.sin(angle)
    if degrees % 2:
        term, total = cosine, cosine if degrees > 1 else 0.0
        for number in range(3, degrees - 1, 2):
            term *= cosine * cosine * (number - 1) / number
            total += term
        inside = 2 / math.pi * (angle + sine * total)
    else:
        term = total = 1.0
        for number in range(2, degrees - 1, 2):
            term *= cosine * cosine * (number - 1) / number
            total += term
        inside = sine * total
    return 0.5 + inside / 2
