"""The traded leg T and the discount between trades and the same sellers' offers (section 6)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from gpurent.recompute.facts import AXES, Cutoff, Facts, Grade, Operator, Row, tier_of
from gpurent.recompute.items import item_key
from gpurent.recompute.rules import Rules
from gpurent.recompute.state import Estimate, GradeMemory, Trade
from gpurent.recompute.sums import (
    cap_of,
    filled_to,
    huber_mean,
    lower_weighted_median,
    median_distance,
    mid_median,
    round_price,
    trimmed_mean,
)

_STANDS_STILL = 1e-15
"""A pass that moves no share by more than this ends it: later ones could not reach the tolerance either."""


def trades_of(
    facts: Facts, cutoff: Cutoff, operators: Mapping[str, Operator], rules: Rules
) -> list[tuple[Trade, Row]]:
    """Trades of the last ninety days that may form a price, hours summed, each with one of its rows for its axes."""
    first = cutoff.day - timedelta(days=rules.whole("discount", "window_days") - 1)
    summed: dict[tuple[object, ...], list[Row]] = defaultdict(list)
    for row in facts.trades:
        day = row["traded_at"].date()
        if first <= day <= cutoff.day and cutoff.sees(row) and row["operator_id"] in operators:
            key = item_key(row, operators[row["operator_id"]])
            parts = (
                key,
                row["buyer_pseudonym"],
                row["agreement_id"],
                day,
                row["currency"],
                row["trade_kind"],
            )
            summed[parts].append(row)
    found = []
    for (_, buyer, agreement, day, _, _), rows in summed.items():
        assert isinstance(day, date)
        one = rows[0]
        hours = sum((row["gpu_hours"] for row in rows), Decimal(0))
        price = round_price(
            sum((row["usd_per_gpu_hour"] * row["gpu_hours"] for row in rows), Decimal(0)) / hours
        )
        name = "trade_floor_gpu_hours_lot_a" if one["lot"] == "A" else "trade_floor_gpu_hours"
        is_running = one["trade_kind"] == "billed_usage" and one["term"] not in {"OD", "SP"}
        is_out = (
            (any(row["is_synthetic"] for row in rows) and not facts.counts_synthetic)
            or any(row["is_arms_length"] is False for row in rows)
            or any(row["is_administered"] for row in rows)
            or is_running
            or float(hours) < rules.number("observations", name)
        )
        if not is_out:
            seller = operators[one["operator_id"]].owner_group
            identity = min(str(row["trade_id"]) for row in rows)
            trade = Trade(seller, str(buyer), str(agreement), day, float(hours), float(price), identity)
            found.append((trade, one))
    return sorted(found, key=lambda pair: (pair[0].day, pair[0].identity))


def in_grade(
    trades: Sequence[tuple[Trade, Row]],
    grade: Grade,
    operators: Mapping[str, Operator],
    tiers: Mapping[tuple[str, str], str],
) -> list[Trade]:
    found = []
    for trade, row in trades:
        tier = tier_of(tiers, row["operator_id"], row["scope"])
        if grade.takes({axis: row[axis] for axis in AXES}, operators[row["operator_id"]], tier):
            found.append(trade)
    return found


def without_outliers(trades: Sequence[Trade], day: date, rules: Rules) -> list[Trade]:
    """Without prices a unit's factor from the median of the widest window, and without those far from it."""
    widest = max(rules.numbers("legs", "trade_windows_days"))
    window = [trade for trade in trades if (day - trade.day).days < widest]
    if not window:
        return []
    middle = mid_median([trade.price for trade in window])
    tolerance = rules.number("filters", "unit_step_tolerance")
    kept = [
        trade
        for trade in window
        if not any(
            abs(ratio / factor - 1) <= tolerance
            for factor in rules.numbers("filters", "trade_unit_factors")
            for ratio in (trade.price / middle, middle / trade.price)
        )
    ]
    logs = [math.log(trade.price) for trade in window]
    limit = (
        rules.number("filters", "trade_robust_z")
        * rules.number("filters", "mad_to_sigma")
        * mid_median([abs(log - math.log(middle)) for log in logs])
    )
    limit = max(rules.number("filters", "gate_min_log"), limit)
    return [trade for trade in kept if abs(math.log(trade.price) - math.log(middle)) <= limit]


@dataclass(frozen=True)
class Window:
    """The trades of T's window, the trade level they pass (1, 2, or 0) and the days it is long."""

    trades: tuple[Trade, ...]
    passes: int
    days: int


def window_of(trades: Sequence[Trade], day: date, rules: Rules) -> Window:
    """The shortest window that passes level 1, else level 2; the widest where none does."""
    lengths = [int(length) for length in rules.numbers("legs", "trade_windows_days")]
    for level in (1, 2):
        for length in lengths:
            if length > rules.level(level, "window_days"):
                continue
            inside = [trade for trade in trades if (day - trade.day).days < length]
            if _passes(inside, day, level, rules) and weights_of(inside, day, rules) is not None:
                return Window(tuple(inside), level, length)
    inside = [trade for trade in trades if (day - trade.day).days < max(lengths)]
    return Window(tuple(inside), 0, max(lengths))


def agreements(trades: Sequence[Trade]) -> set[tuple[str, str, str]]:
    """Seller, buyer and agreement: what counts as one trade, on however many days of the window."""
    return {(trade.seller, trade.buyer, trade.agreement) for trade in trades}


def _passes(trades: Sequence[Trade], day: date, level: int, rules: Rules) -> bool:
    hours: dict[str, float] = defaultdict(float)
    for trade, weight in zip(trades, _uncapped(trades, day, rules), strict=True):
        hours[trade.seller] += weight
    enough = len(agreements(trades)) >= rules.level(level, "trades") and len(hours) >= rules.level(
        level, "sellers"
    )
    if level == 2 or not enough:
        return enough
    return (
        len({trade.buyer for trade in trades}) >= rules.level(1, "buyers")
        and math.fsum(trade.hours for trade in trades) >= rules.level(1, "gpu_hours")
        and max(hours.values()) / math.fsum(hours.values()) <= rules.level(1, "top_seller_share")
    )


def _uncapped(trades: Sequence[Trade], day: date, rules: Rules) -> list[float]:
    """Weights before caps: GPU-hours, halved every two days of age."""
    half = rules.number("voices", "trade_half_life_days")
    return [trade.hours * 0.5 ** ((day - trade.day).days / half) for trade in trades]


def weights_of(
    trades: Sequence[Trade], day: date, rules: Rules, copies: Mapping[str, int] | None = None
) -> list[float] | None:
    """Shares of the trades, by hours and age, sellers and buyers each under their cap; None where no cap fits."""
    if not trades:
        return None
    times = copies or {trade.seller: 1 for trade in trades}
    aged = _uncapped(trades, day, rules)
    start = [weight * times[trade.seller] for trade, weight in zip(trades, aged, strict=True)]
    sellers = {trade.seller for trade in trades}
    count = sum(times[seller] for seller in sellers)
    buyers = {trade.buyer for trade in trades}
    least, limit = rules.number("voices", "cap"), rules.number("voices", "cap_limit")
    step, tolerance = rules.number("voices", "cap_step"), rules.number("voices", "cap_tolerance")
    raised = 0
    while True:
        if raised and least + raised * step > limit + 1e-12:
            return None
        seller_cap = cap_of(count, least + raised * step)
        buyer_cap = cap_of(len(buyers), least + raised * step)
        shares = _alternate(
            trades,
            start,
            {seller: times[seller] * seller_cap for seller in sellers},
            dict.fromkeys(buyers, buyer_cap),
            rules.whole("voices", "cap_passes"),
            tolerance,
        )
        if shares is not None:
            return shares
        raised += 1


def _alternate(
    trades: Sequence[Trade],
    start: Sequence[float],
    seller_caps: Mapping[str, float],
    buyer_caps: Mapping[str, float],
    passes: int,
    tolerance: float,
) -> list[float] | None:
    total = math.fsum(start)
    shares = [weight / total for weight in start]
    for _ in range(passes):
        before = shares
        shares = _capped(shares, [trade.seller for trade in trades], seller_caps)
        shares = _capped(shares, [trade.buyer for trade in trades], buyer_caps)
        held: dict[str, float] = defaultdict(float)
        for trade, share in zip(trades, shares, strict=True):
            held[trade.seller] += share
        if all(held[seller] <= cap + tolerance for seller, cap in seller_caps.items()):
            return shares
        if max(abs(new - old) for new, old in zip(shares, before, strict=True)) < _STANDS_STILL:
            break
    return None


def _capped(shares: Sequence[float], names: Sequence[str], caps: Mapping[str, float]) -> list[float]:
    held: dict[str, float] = defaultdict(float)
    for name, share in zip(names, shares, strict=True):
        held[name] += share
    filled = filled_to(held, caps)
    return [share * filled[name] / held[name] for name, share in zip(names, shares, strict=True)]


def traded(prices: Sequence[float], shares: Sequence[float], count: int, rules: Rules) -> float:
    """T of carried prices: a trimmed mean from eight trades on, else the lower weighted median."""
    pairs = list(zip(prices, shares, strict=True))
    if count >= rules.whole("legs", "trades_for_trimmed_mean"):
        return trimmed_mean(pairs, rules.number("legs", "trim_each_side"))
    return lower_weighted_median(pairs)


def carried(trade: Trade, memory: GradeMemory, day: date) -> float:
    """The trade's price brought to `day` by the matched changes of the published days after it."""
    changes = [log for on, log in memory.matched.items() if trade.day < on <= day]
    return trade.price * math.exp(math.fsum(changes))


def own_estimate(
    trades: Sequence[Trade], window: Window, memory: GradeMemory, day: date, rules: Rules
) -> Estimate | None:
    """The discount from the grade's own pairs, before pooling; None below ten pairs or three sellers."""
    pairs: list[tuple[str, float]] = []
    for trade in trades:
        voice = memory.fresh_voices.get(trade.day, {}).get(trade.seller)
        if voice is not None and (day - trade.day).days >= window.days:
            pairs.append((trade.seller, math.log(trade.price) - math.log(voice)))
    sellers = {seller for seller, _ in pairs}
    if len(pairs) < rules.whole("discount", "min_pairs") or len(sellers) < rules.whole(
        "discount", "min_sellers"
    ):
        return None
    values = [value for _, value in pairs]
    scale = max(
        rules.number("discount", "scale_floor"),
        rules.number("filters", "mad_to_sigma") * median_distance(values),
    )
    k = rules.number("discount", "huber_k")
    centre = huber_mean(values, scale, k)
    sums: dict[str, float] = defaultdict(float)
    inside = 0
    for seller, value in pairs:
        distance = (value - centre) / scale
        sums[seller] += max(-k, min(k, distance))
        inside += abs(distance) <= k
    squares = math.fsum(total * total for total in sums.values()) * len(sums) / (len(sums) - 1)
    error = scale * math.sqrt(squares) / inside
    return Estimate(centre, max(rules.number("discount", "se_floor"), error))
