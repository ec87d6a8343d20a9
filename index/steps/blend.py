"""The weight between the legs: inverse variances, clamped to the level, and the joint cap (sections 5 and 6)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from scipy.special import stdtrit

from index.parameters import Methodology
from index.steps.discount import Discount
from index.steps.legs import AdvertisedLeg, TradedLeg, traded_value

JOINT_PASSES = 50


def t_factor(clusters: int, interval: float) -> float:
    """t((1 + interval)/2, n - 1) over the normal point: percentile intervals of few clusters are too narrow.

    One cluster or none gives infinity: its error is unknown.
    """
    if clusters < 2:
        return math.inf
    normal = stdtrit(math.inf, (1 + interval) / 2) if interval != 0.95 else 1.96
    return float(stdtrit(clusters - 1, (1 + interval) / 2) / normal)


@dataclass(frozen=True, slots=True)
class Variances:
    """Bootstrap variances of ln A and of ln T, the latter with its floor and its factor for few sellers."""

    advertised: float
    traded: float


def traded_variance(bootstrap: float | None, sellers: int, method: Methodology) -> float:
    """v_T: the bootstrap's, at least 0.03² over the sellers, times the squared factor of few sellers."""
    floor = method.blend.trade_noise**2 / sellers
    return max(bootstrap or 0.0, floor) * t_factor(sellers, method.confidence.interval) ** 2


def trade_weight(variances: Variances, discount: Discount, level: int, method: Methodology) -> float:
    """w_T = v_A / (v_T + v_A), clamped to the level's range; 0 at levels that have none."""
    allowed = method.levels[level].trade_weight
    if allowed is None:
        return 0.0
    v_a = variances.advertised + discount.standard_error**2 + method.blend.offer_drift**2
    weight = v_a / (variances.traded + v_a) if math.isfinite(variances.traded) else 0.0
    return min(max(weight, allowed[0]), allowed[1])


def _lowered(
    shares: Mapping[str, float], offered: Mapping[str, float], weight: float, cap: float
) -> dict[str, float]:
    """Traded shares by seller such that no owner group's joint share is above the cap, as far as that can be."""
    current = dict(shares)
    fixed: set[str] = set()
    for _ in range(JOINT_PASSES):
        over = {
            group: max((cap - (1 - weight) * offered.get(group, 0.0)) / weight, 0.0)
            for group, share in current.items()
            if weight * share + (1 - weight) * offered.get(group, 0.0) > cap + 1e-12
        }
        others = [group for group in current if group not in over and group not in fixed]
        if not over or not others:
            return current
        freed = math.fsum(current[group] - limit for group, limit in over.items())
        base = math.fsum(current[group] for group in others)
        current |= over
        current |= {group: current[group] * (1 + freed / base) for group in others}
        fixed |= over.keys()
    return current


def within_joint_cap(
    traded: TradedLeg, advertised: AdvertisedLeg, weight: float, method: Methodology
) -> TradedLeg:
    """T with the shares of groups that are on both legs lowered to the joint cap; the same leg where none is above."""
    shares = traded.seller_shares()
    lowered = _lowered(shares, advertised.shares, weight, method.voices.joint_cap) if weight > 0 else shares
    if lowered == shares:
        return traded
    factors = {group: lowered[group] / shares[group] for group in shares}
    weights = tuple(
        weight * factors[trade.owner_group]
        for trade, weight in zip(traded.trades, traded.weights, strict=True)
    )
    return replace(traded, weights=weights, usd=traded_value(traded.trades, weights, method))
