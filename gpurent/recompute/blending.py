"""The weight between both legs: variances by resampling owner groups (sections 6 and 9), and the joint cap."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date

from gpurent.core.draws import multinomial_counts
from gpurent.recompute.legs import advertised, shares_of
from gpurent.recompute.rules import Rules
from gpurent.recompute.state import Estimate, GradeMemory, Trade, Voice
from gpurent.recompute.sums import filled_to, t_quantile
from gpurent.recompute.trades import agreements, carried, traded, weights_of

_NORMAL = 1.96


def trade_weight(
    grade_id: str,
    day: date,
    groups: Sequence[str],
    voices: Mapping[str, Voice],
    trades: Sequence[Trade],
    memory: GradeMemory,
    discount: Estimate,
    level: int,
    rules: Rules,
) -> float:
    """w_T at a level: how far the advertised leg's variance exceeds the traded one's, within the level's bounds.

    `groups` are the owner groups that a resample draws from.
    """
    prices = [carried(trade, memory, day) for trade in trades]
    draws = multinomial_counts(day, grade_id, groups=len(groups), draws=rules.whole("confidence", "draws"))
    asked: list[float] = []
    paid: list[float] = []
    sellers = sorted({trade.seller for trade in trades})
    known: dict[tuple[int, ...], float | None] = {}
    for counts in draws.tolist():
        times = dict(zip(groups, counts, strict=True))
        ages = {group: voice.age for group, voice in voices.items() if times[group]}
        if ages:
            asked.append(math.log(advertised(voices, shares_of(ages, rules, times), rules)))
        pattern = tuple(times[seller] for seller in sellers)
        if pattern not in known:
            known[pattern] = _paid(trades, prices, times, day, rules)
        value = known[pattern]
        if value is not None:
            paid.append(value)
    noise = rules.number("blend", "trade_noise") ** 2 / len(sellers)
    widened = (t_quantile(0.975, len(sellers) - 1) / _NORMAL) ** 2 if len(sellers) > 1 else math.inf
    variance_paid = max(_variance(paid), noise) * widened
    variance_asked = _variance(asked) + discount.error**2 + rules.number("blend", "offer_drift") ** 2
    low, high = rules.weights(level)
    return min(max(variance_asked / (variance_paid + variance_asked), low), high)


def _paid(
    trades: Sequence[Trade], prices: Sequence[float], times: Mapping[str, int], day: date, rules: Rules
) -> float | None:
    """ln T where each seller is there as many times as drawn; None where it does not exist."""
    drawn = [trade for trade in trades if times[trade.seller]]
    carried_prices = [price for trade, price in zip(trades, prices, strict=True) if times[trade.seller]]
    shares = weights_of(drawn, day, rules, times)
    if shares is None:
        return None
    number = sum(times[seller] for seller, _, _ in agreements(drawn))
    return math.log(traded(carried_prices, shares, number, rules))


def _variance(values: Sequence[float]) -> float:
    if len(values) < 2:
        return 0.0
    mean = math.fsum(values) / len(values)
    return math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)


def traded_under_the_joint_cap(
    trades: Sequence[Trade],
    shares: Sequence[float],
    offers: Mapping[str, float],
    weight: float,
    memory: GradeMemory,
    day: date,
    rules: Rules,
) -> float:
    """T once no owner group has more than its share of both legs together."""
    cap = rules.number("voices", "joint_cap")
    held: dict[str, float] = defaultdict(float)
    for trade, share in zip(trades, shares, strict=True):
        held[trade.seller] += share
    now = dict(held)
    fixed: dict[str, float] = {}
    for _ in range(50):
        above = {
            seller: max(0.0, (cap - (1 - weight) * offers.get(seller, 0.0)) / weight)
            for seller, share in now.items()
            if weight * share + (1 - weight) * offers.get(seller, 0.0) > cap + 1e-12
        }
        if not above or len(above) + len(fixed) >= len(now):
            break
        fixed.update(above)
        caps = {seller: fixed.get(seller, 1.0) for seller in now}
        now = filled_to(now, caps)
    scaled = [share * now[t.seller] / held[t.seller] for t, share in zip(trades, shares, strict=True)]
    prices = [carried(trade, memory, day) for trade in trades]
    return traded(prices, scaled, len(agreements(trades)), rules)
