"""Robust location with clustered errors, and pooling of estimates: what the offer-to-trade discount rests on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from index.formulas.location import median, median_absolute_deviation

MAD_TO_SIGMA = 1.4826


@dataclass(frozen=True, slots=True)
class Estimate:
    """A location, its standard error, and what it rests on."""

    value: float
    standard_error: float
    pairs: int
    clusters: int

    @property
    def variance(self) -> float:
        return self.standard_error**2


def huber_mean(
    *,
    values: Sequence[float],
    clusters: Sequence[str],
    k: float,
    scale_floor: float,
    error_floor: float,
) -> Estimate:
    """Huber's location with fixed scale (1.4826 MAD, at least the floor), errors clustered (Huber 1981, ch. 6).

    Starts at the median and reweights by min(1, k/|u|) until it moves by less than 1e-12. The standard error is the
    cluster sandwich with the factor n/(n-1) of clusters; with one cluster it is infinite. Empty raises ValueError.
    """
    if not values:
        raise ValueError("a location needs a value")
    centre = median(values)
    scale = max(MAD_TO_SIGMA * median_absolute_deviation(values, centre), scale_floor)
    for _ in range(500):
        weights = [min(1.0, k * scale / abs(x - centre)) if x != centre else 1.0 for x in values]
        moved = math.fsum(w * x for w, x in zip(weights, values, strict=True)) / math.fsum(weights)
        if abs(moved - centre) < 1e-12:
            centre = moved
            break
        centre = moved
    influence: dict[str, list[float]] = {}
    inside = 0
    for x, cluster in zip(values, clusters, strict=True):
        u = (x - centre) / scale
        inside += abs(u) <= k
        influence.setdefault(cluster, []).append(max(-k, min(k, u)))
    n = len(influence)
    if n < 2 or inside == 0:
        return Estimate(centre, math.inf, len(values), n)
    squares = math.fsum(math.fsum(part) ** 2 for _, part in sorted(influence.items()))
    error = scale * math.sqrt(squares * n / (n - 1)) / inside
    return Estimate(centre, max(error, error_floor), len(values), n)


@dataclass(frozen=True, slots=True)
class Pool:
    """Estimates taken together: mean, its standard error, and the variance between them (0 for one)."""

    mean: float
    standard_error: float
    tau_squared: float
    members: int


def paule_mandel(*, values: Sequence[float], variances: Sequence[float]) -> Pool:
    """Random-effects mean with Paule and Mandel's variance between studies (J. Res. NBS 87, 1982).

    The variance solves Q(tau²) = k - 1; it is 0 where the studies agree better than their errors. One value is its
    own pool; none, or a variance that is not positive, raises ValueError.
    """
    if not values:
        raise ValueError("a pool needs an estimate")
    if any(not 0 < variance < math.inf for variance in variances):
        raise ValueError("variances must be positive and finite")

    def mean_at(tau_squared: float) -> tuple[float, float, float]:
        weights = [1 / (tau_squared + variance) for variance in variances]
        total = math.fsum(weights)
        mean = math.fsum(w * x for w, x in zip(weights, values, strict=True)) / total
        return mean, total, math.fsum(w * (x - mean) ** 2 for w, x in zip(weights, values, strict=True))

    freedom = len(values) - 1
    low, high = 0.0, 1.0
    if freedom == 0 or mean_at(0.0)[2] <= freedom:
        high = 0.0
    else:
        while mean_at(high)[2] > freedom:
            high *= 2
        for _ in range(200):  # Q falls as tau² grows: halve the bracket to the last bit
            middle = (low + high) / 2
            if mean_at(middle)[2] > freedom:
                low = middle
            else:
                high = middle
    mean, total, _ = mean_at(high)
    return Pool(mean, math.sqrt(1 / total), high, len(values))
