"""Limits on how much one owner group or one buyer may weigh, reached by iteration rather than by one cut."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


def cap_for(count: int, cap: float) -> float:
    """max(cap, 1/n): with n at or under 1/cap every share is equal. No party raises ValueError."""
    if count < 1:
        raise ValueError("a cap needs at least one party")
    return max(cap, 1 / count)


def capped_shares(weights: Mapping[str, float], cap: float) -> dict[str, float]:
    """Shares that sum to one and stay within `cap`: what is cut off goes to the others in proportion.

    Repeats until no share is above the cap (a single cut and renormalisation would leave some above it). A cap
    under 1/n cannot be met and raises ValueError, as do weights that are not positive. The order of keys of the
    result is the input's.
    """
    if not weights or any(not weight > 0 for weight in weights.values()):
        raise ValueError("every weight must be positive")
    if cap * len(weights) < 1 - 1e-12:
        raise ValueError(f"{len(weights)} parties cannot each stay within {cap}")
    at_cap: set[str] = set()
    while True:
        rest = math.fsum(weight for name, weight in weights.items() if name not in at_cap)
        room = 1 - cap * len(at_cap)
        over = [
            name
            for name, weight in weights.items()
            if name not in at_cap and weight / rest * room > cap * (1 + 1e-15)
        ]
        if not over:
            return {name: cap if name in at_cap else weight / rest * room for name, weight in weights.items()}
        at_cap.update(over)
        if len(at_cap) == len(weights):
            return dict.fromkeys(weights, 1 / len(weights))


@dataclass(frozen=True, slots=True)
class TwoWayCaps:
    """Weights of trades after caps by seller and by buyer, the caps that were used, and whether both hold."""

    weights: tuple[float, ...]
    seller_cap: float
    buyer_cap: float
    is_feasible: bool


def _limit(weights: list[float], parties: Sequence[str], cap: float) -> None:
    """Scale each party's trades so that the party stays within its capped share. In place."""
    by_party: dict[str, list[float]] = {}
    for weight, party in zip(weights, parties, strict=True):
        by_party.setdefault(party, []).append(weight)
    totals = {party: math.fsum(part) for party, part in by_party.items()}
    shares = capped_shares(totals, cap)
    for position, party in enumerate(parties):
        weights[position] *= shares[party] / totals[party]


def _excess(weights: Sequence[float], parties: Sequence[str], cap: float) -> float:
    by_party: dict[str, list[float]] = {}
    for weight, party in zip(weights, parties, strict=True):
        by_party.setdefault(party, []).append(weight)
    return max(math.fsum(part) for part in by_party.values()) - cap


def two_way_caps(
    *,
    weights: Sequence[float],
    sellers: Sequence[str],
    buyers: Sequence[str],
    cap: float,
    step: float,
    limit: float,
    passes: int,
    tolerance: float,
) -> TwoWayCaps:
    """Cap sellers, then buyers, alternately to a fixed point; raise both caps by `step` while they cannot both hold.

    At most `passes` alternations a cap, caps at most `limit` (unless 1/n is above it). With no trade the result
    is empty and feasible. Infeasible: the weights are the last ones reached and `is_feasible` is False.
    """
    if not weights:
        return TwoWayCaps((), cap, cap, True)
    raised = 0
    while True:
        seller_cap = cap_for(len(set(sellers)), min(cap + raised * step, limit))
        buyer_cap = cap_for(len(set(buyers)), min(cap + raised * step, limit))
        total = math.fsum(weights)
        current = [weight / total for weight in weights]
        for _ in range(passes):
            _limit(current, sellers, seller_cap)
            _limit(current, buyers, buyer_cap)
            if _excess(current, sellers, seller_cap) <= tolerance:
                return TwoWayCaps(tuple(current), seller_cap, buyer_cap, True)
        if cap + raised * step >= limit:
            return TwoWayCaps(tuple(current), seller_cap, buyer_cap, False)
        raised += 1
