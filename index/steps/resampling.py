"""The owner-group bootstrap of both legs and of the matched change, all draws at once (section 9, rulings 39-42).

A group that is drawn m times is m owner groups with the same prices and ages before the caps. Groups are sorted by
price once; every draw then is one cumulative sum. A leg that does not exist in a draw is NaN there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from gpurent.core.numbers import round_half_even
from index.formulas.location import TIE_TOLERANCE
from index.parameters import Methodology
from index.steps.legs import TradedLeg
from index.steps.observation import PRICE_DECIMALS
from index.steps.voices import MatchedGroup, Voice, offer_weight

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


def capped_copies(weights: Floats, counts: Counts, cap: float) -> Floats:
    """Share of one copy of each party in every draw, after filling to max(cap, 1/n copies); 0 where there is none.

    `weights`: (draws, parties) or (parties,), of one copy; `counts`: (draws, parties).
    """
    counts = counts.astype(np.float64)
    weights = np.broadcast_to(weights, counts.shape)
    copies = counts.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        limit = np.maximum(cap, 1 / copies)
        at_cap = np.zeros(counts.shape, dtype=bool)
        while True:
            free = np.where(at_cap, 0.0, weights * counts)
            rest = free.sum(axis=1, keepdims=True)
            room = 1 - limit * np.where(at_cap, counts, 0.0).sum(axis=1, keepdims=True)
            share = np.where(at_cap, limit, np.where(rest > 0, weights / rest * room, 0.0))
            over = (share > limit * (1 + 1e-12)) & ~at_cap & (counts > 0)
            if not over.any():
                break
            at_cap |= over
        everyone = (at_cap | (counts == 0)).all(axis=1, keepdims=True)
        share = np.where(everyone, 1 / copies, share)
    return np.where(counts > 0, share, 0.0)


def trimmed_draws(prices: Floats, weights: Floats, each_side: float) -> Floats:
    """The volume-trimmed mean of every draw. `weights`: (draws, parties), in any scale; NaN where they are all 0."""
    order = np.argsort(prices, kind="stable")
    volume = weights[:, order]
    total = volume.sum(axis=1, keepdims=True)
    upper = np.cumsum(volume, axis=1)
    inside = np.minimum(upper, total * (1 - each_side)) - np.maximum(upper - volume, total * each_side)
    inside = np.maximum(inside, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        means: Floats = (inside * prices[order]).sum(axis=1) / inside.sum(axis=1)
    return means


def _columns(counts: Counts, groups: Sequence[str], wanted: Sequence[str]) -> Counts:
    where = {group: position for position, group in enumerate(groups)}
    return counts[:, [where[group] for group in wanted]]


def advertised_draws(
    voices: Sequence[Voice], groups: Sequence[str], counts: Counts, method: Methodology
) -> Floats:
    """ln A in every draw of `groups` (columns of `counts`)."""
    if not voices:
        return np.full(counts.shape[0], np.nan)
    drawn = _columns(counts, groups, [voice.owner_group for voice in voices])
    weights = np.array([offer_weight(voice.age_days, method) for voice in voices])
    shares = capped_copies(weights, drawn, method.voices.cap) * drawn
    prices = np.array([float(voice.usd) for voice in voices])
    return np.asarray(np.log(trimmed_draws(prices, shares, method.legs.trim_each_side)))


def matched_draws(
    pairs: Mapping[str, tuple[float, float, int]], groups: Sequence[str], counts: Counts, method: Methodology
) -> Floats:
    """The matched change of a day in every draw, from (new, old, age) by group; 0 where nobody is drawn."""
    names = [group for group in groups if group in pairs]
    if not names or all(pairs[name][0] == pairs[name][1] for name in names):
        return np.zeros(counts.shape[0])
    drawn = _columns(counts, groups, names)
    weights = np.array([offer_weight(pairs[name][2], method) for name in names])
    shares = capped_copies(weights, drawn, method.voices.cap) * drawn
    each_side = method.legs.trim_each_side
    new = trimmed_draws(np.array([pairs[name][0] for name in names]), shares, each_side)
    old = trimmed_draws(np.array([pairs[name][1] for name in names]), shares, each_side)
    return np.asarray(np.nan_to_num(np.log(new / old), nan=0.0))


def pairs_of(matched: Sequence[MatchedGroup], ages: Mapping[str, int]) -> dict[str, tuple[float, float, int]]:
    """Matched groups as `matched_draws` takes them, at the decimals they are stored with."""
    return {
        pair.owner_group: (
            float(round_half_even(pair.new_usd, PRICE_DECIMALS)),
            float(round_half_even(pair.old_usd, PRICE_DECIMALS)),
            ages[pair.owner_group],
        )
        for pair in matched
    }


def traded_draws(leg: TradedLeg, groups: Sequence[str], counts: Counts, method: Methodology) -> Floats:
    """ln T in every draw, from the trades' weights before caps."""
    sellers = sorted({trade.owner_group for trade in leg.trades})
    buyers = sorted({trade.buyer for trade in leg.trades})
    seller_of = np.array([sellers.index(trade.owner_group) for trade in leg.trades])
    buyer_of = np.array([buyers.index(trade.buyer) for trade in leg.trades])
    drawn = _columns(counts, groups, sellers)
    of_trade = drawn[:, seller_of].astype(np.float64)
    weights, is_feasible = _two_way(
        np.array(leg.raw_weights), drawn, seller_of, buyer_of, len(buyers), method
    )
    volume = weights * of_trade
    prices = np.array([float(trade.usd) for trade in leg.trades])
    firsts = {trade.agreement_key: number for number, trade in reversed(list(enumerate(leg.trades)))}
    is_mean = of_trade[:, sorted(firsts.values())].sum(axis=1) >= method.legs.trades_for_trimmed_mean
    mean = trimmed_draws(prices, volume, method.legs.trim_each_side)
    values = np.where(is_mean, mean, _lower_medians(prices, volume))
    exists = is_feasible & (of_trade.sum(axis=1) > 0) & np.isfinite(values)
    return np.where(exists, np.log(np.where(exists, values, 1.0)), np.nan)


def _lower_medians(prices: Floats, volume: Floats) -> Floats:
    order = np.argsort(prices, kind="stable")
    upper = np.cumsum(volume[:, order], axis=1)
    half = upper[:, -1:] / 2
    first = (upper >= half * (1 - TIE_TOLERANCE)).argmax(axis=1)
    return np.asarray(prices[order][first])


def _two_way(
    raw: Floats,
    drawn: Counts,
    seller_of: NDArray[np.int64],
    buyer_of: NDArray[np.int64],
    buyers: int,
    method: Methodology,
) -> tuple[Floats, NDArray[np.bool_]]:
    """Weights of one copy of each trade after caps by seller copy and by buyer, and in which draws both hold."""
    rules = method.voices
    draws = drawn.shape[0]
    weights = np.zeros((draws, raw.size))
    is_done = np.zeros(draws, dtype=bool)
    copies = drawn[:, seller_of].astype(np.float64)
    steps = round((rules.cap_limit - rules.cap) / rules.cap_step) + 1
    for step in range(steps):
        todo = np.flatnonzero(~is_done & (copies.sum(axis=1) > 0))
        if todo.size == 0:
            break
        cap = rules.cap + step * rules.cap_step
        current, holds = _alternate(raw, drawn[todo], copies[todo], seller_of, buyer_of, buyers, cap, method)
        weights[todo[holds]] = current[holds]
        is_done[todo[holds]] = True
    return weights, is_done


def _alternate(
    raw: Floats,
    drawn: Counts,
    copies: Floats,
    seller_of: NDArray[np.int64],
    buyer_of: NDArray[np.int64],
    buyers: int,
    cap: float,
    method: Methodology,
) -> tuple[Floats, NDArray[np.bool_]]:
    """One level of the caps: sellers, then buyers, until sellers hold again or the passes are used up."""
    rules = method.voices
    to_seller = np.eye(drawn.shape[1])[seller_of]
    to_buyer = np.eye(buyers)[buyer_of]
    current = np.broadcast_to(raw, copies.shape) * (copies > 0)
    current = current / (current * copies).sum(axis=1, keepdims=True)
    present = ((current * copies) @ to_buyer > 0).astype(np.int64)
    limit = np.maximum(cap, 1 / drawn.sum(axis=1))
    holds = np.zeros(drawn.shape[0], dtype=bool)
    excess = np.full(drawn.shape[0], np.inf)
    moving = np.arange(drawn.shape[0])
    with np.errstate(divide="ignore", invalid="ignore"):
        for _ in range(rules.cap_passes):
            weights, times = current[moving], copies[moving]
            of_seller = weights @ to_seller  # of one copy
            share = capped_copies(of_seller, drawn[moving], cap)
            weights = weights * (np.where(of_seller > 0, share / of_seller, 0.0) @ to_seller.T)
            of_buyer = (weights * times) @ to_buyer
            share = capped_copies(of_buyer, present[moving], cap)
            weights = weights * (np.where(of_buyer > 0, share / of_buyer, 0.0) @ to_buyer.T)
            current[moving] = weights
            now = (weights @ to_seller).max(axis=1) - limit[moving]
            holds[moving] = now <= rules.cap_tolerance
            # a step this small cannot bring the rest within the tolerance in the passes that are left
            is_stuck = np.abs(excess[moving] - now) * rules.cap_passes < rules.cap_tolerance
            excess[moving] = now
            moving = moving[~(holds[moving] | is_stuck)]
            if moving.size == 0:
                break
    return current, holds


def variance(draws: Floats) -> float | None:
    """Sample variance over the draws that exist; None with fewer than two."""
    there = draws[np.isfinite(draws)]
    return float(np.var(there, ddof=1)) if there.size > 1 else None
