"""The two legs: what is advertised (A) and what was traded (T) (section 6)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal

from index.formulas.caps import two_way_caps
from index.formulas.location import median, median_absolute_deviation, trimmed_mean, weighted_median
from index.parameters import Level, Methodology
from index.steps.observation import DayTrade, Exclusion
from index.steps.tracks import is_unit_step
from index.steps.voices import Voice, offer_shares


@dataclass(frozen=True, slots=True)
class AdvertisedLeg:
    """A and the shares behind it; `route_shares` sum to one over the routes the voices came by.

    A frozen voice of a group that is absent came by none, so it is in no route's share.
    """

    usd: float
    shares: Mapping[str, float]
    route_shares: Mapping[str, float]

    @property
    def log(self) -> float:
        return math.log(self.usd)

    @property
    def effective_n(self) -> float:
        return 1 / math.fsum(share * share for share in self.shares.values())

    @property
    def effective_routes(self) -> float:
        """1 / sum of squared route shares; 0 where no voice came by a route (all frozen and absent)."""
        total = math.fsum(share * share for share in self.route_shares.values())
        return 1 / total if total else 0.0

    @property
    def top_route_share(self) -> float:
        return max(self.route_shares.values(), default=0.0)


def trimmed(prices: Mapping[str, float], shares: Mapping[str, float], method: Methodology) -> float:
    """The 25/25 volume-trimmed mean of prices by owner group."""
    groups = sorted(prices)
    return trimmed_mean(
        values=[prices[group] for group in groups],
        weights=[shares[group] for group in groups],
        each_side=method.legs.trim_each_side,
    )


def advertised_leg(voices: Sequence[Voice], method: Methodology) -> AdvertisedLeg | None:
    """A over the day's voices, or None where nobody offers."""
    if not voices:
        return None
    shares = offer_shares({voice.owner_group: voice.age_days for voice in voices}, method)
    routes: dict[str, float] = {}
    for voice in sorted(voices, key=lambda voice: voice.owner_group):
        for route, part in sorted(voice.route_shares.items()):
            routes[route] = routes.get(route, 0.0) + part * shares[voice.owner_group]
    by_routes = math.fsum(routes.values())
    usd = trimmed({voice.owner_group: float(voice.usd) for voice in voices}, shares, method)
    return AdvertisedLeg(usd, shares, {route: share / by_routes for route, share in routes.items()})


@dataclass(frozen=True, slots=True)
class TradedLeg:
    """T over a window: the trades that count, their weights before and after caps, and what the level tests read.

    `usd` is None where the caps cannot both hold. `top_seller_share` is before caps. Prices of `trades` are
    carried to the day.
    """

    usd: float | None
    window_days: int
    trades: tuple[DayTrade, ...]
    raw_weights: tuple[float, ...]
    weights: tuple[float, ...]
    gpu_hours: Decimal
    sellers: int
    buyers: int
    top_seller_share: float
    seller_cap: float
    buyer_cap: float
    is_feasible: bool

    @property
    def trade_count(self) -> int:
        """How many trades count: one agreement on several days of the window is one."""
        return agreement_count(self.trades)

    @property
    def log(self) -> float:
        if self.usd is None:
            raise ValueError("the caps of these trades are infeasible")
        return math.log(self.usd)

    def seller_shares(self) -> dict[str, float]:
        """Share of each selling owner group after caps."""
        shares: dict[str, float] = {}
        for trade, weight in zip(self.trades, self.weights, strict=True):
            shares[trade.owner_group] = shares.get(trade.owner_group, 0.0) + weight
        return dict(sorted(shares.items()))


def eligible_trades(
    trades: Sequence[DayTrade], method: Methodology, *, counts_synthetic: bool
) -> tuple[list[DayTrade], list[Exclusion]]:
    """Trades that may count as what they are, and the others with their rule (section 2).

    Made-up trades count only where `counts_synthetic` (the sample and replays), never beside live ones. Affiliates,
    administered prices, running contracts and trades under the size floor are out.
    """
    observations = method.observations
    kept: list[DayTrade] = []
    out: list[Exclusion] = []
    for trade in trades:
        is_single = trade.lot == "A"
        floor = observations.trade_floor_gpu_hours_lot_a if is_single else observations.trade_floor_gpu_hours
        if trade.is_synthetic and not counts_synthetic:
            out.append(_excluded(trade, "synthetic", "made up, and this is no sample"))
        elif trade.is_arms_length is False:
            out.append(_excluded(trade, "affiliate", "seller and buyer are affiliated"))
        elif trade.is_administered:
            out.append(
                _excluded(trade, "administered_price", "the venue posts this price; no price was agreed")
            )
        elif trade.trade_kind == "billed_usage" and trade.term not in {"OD", "SP"}:
            detail = f"a bill of term {trade.term} belongs to its signing date"
            out.append(_excluded(trade, "running_contract", detail))
        elif float(trade.gpu_hours) < floor:
            detail = f"{trade.gpu_hours} GPU-hours, the floor is {floor:g}"
            out.append(_excluded(trade, "below_size_floor", detail))
        else:
            kept.append(trade)
    return kept, out


def _excluded(trade: DayTrade, code: str, detail: str) -> Exclusion:
    return Exclusion(trade.trade_key, trade.owner_group, "traded", f"trade.{code}", code, detail)


def screen_prices(trades: Sequence[DayTrade], method: Methodology) -> tuple[list[DayTrade], list[Exclusion]]:
    """Prices that pass against the window's own median (section 4): no unit's factor, within 3.5 robust sigmas."""
    if not trades:
        return [], []
    rules = method.filters
    centre = median([float(trade.usd) for trade in trades])
    logs = [math.log(trade.usd) for trade in trades]
    spread = rules.mad_to_sigma * median_absolute_deviation(logs, math.log(centre))
    width = max(rules.gate_min_log, rules.trade_robust_z * spread)
    passed: list[DayTrade] = []
    out: list[Exclusion] = []
    for trade, log in zip(trades, logs, strict=True):
        ratio = float(trade.usd) / centre
        if is_unit_step(ratio, rules.trade_unit_factors, rules.unit_step_tolerance):
            out.append(_excluded(trade, "unit_suspected", f"{ratio:.4g} times the window's median"))
        elif abs(log - math.log(centre)) > width:
            detail = f"{log - math.log(centre):+.3f} in logs from the window's median"
            out.append(_excluded(trade, "trade_outlier", detail))
        else:
            passed.append(trade)
    return passed, out


def agreement_count(trades: Iterable[DayTrade]) -> int:
    """How many agreements the trades are of."""
    return len({trade.agreement_key for trade in trades})


def traded_value(trades: Sequence[DayTrade], weights: Sequence[float], method: Methodology) -> float:
    """T of trades at given weights: a trimmed mean from eight agreements on, else the lower weighted median."""
    values = [float(trade.usd) for trade in trades]
    if agreement_count(trades) >= method.legs.trades_for_trimmed_mean:
        return trimmed_mean(values=values, weights=weights, each_side=method.legs.trim_each_side)
    return weighted_median(values=values, weights=weights, tie="lower")


def _leg_of(trades: Sequence[DayTrade], window: int, day: date, method: Methodology) -> TradedLeg:
    rules = method.voices
    ordered = sorted(trades, key=lambda trade: trade.trade_key)
    raw = [
        float(trade.gpu_hours) * 0.5 ** ((day - trade.day).days / rules.trade_half_life_days)
        for trade in ordered
    ]
    sellers = [trade.owner_group for trade in ordered]
    total = math.fsum(raw)
    by_seller: dict[str, list[float]] = {}
    for seller, weight in zip(sellers, raw, strict=True):
        by_seller.setdefault(seller, []).append(weight)
    caps = two_way_caps(
        weights=raw,
        sellers=sellers,
        buyers=[trade.buyer for trade in ordered],
        cap=rules.cap,
        step=rules.cap_step,
        limit=rules.cap_limit,
        passes=rules.cap_passes,
        tolerance=rules.cap_tolerance,
    )
    return TradedLeg(
        usd=traded_value(ordered, caps.weights, method) if caps.is_feasible else None,
        window_days=window,
        trades=tuple(ordered),
        raw_weights=tuple(raw),
        weights=caps.weights,
        gpu_hours=sum((trade.gpu_hours for trade in ordered), Decimal(0)),
        sellers=len(by_seller),
        buyers=len({trade.buyer for trade in ordered}),
        top_seller_share=max(math.fsum(part) for part in by_seller.values()) / total,
        seller_cap=caps.seller_cap,
        buyer_cap=caps.buyer_cap,
        is_feasible=caps.is_feasible,
    )


def carried(trade: DayTrade, day: date, matched: Mapping[date, Decimal]) -> DayTrade:
    """An older trade at today's prices: its price times the matched change since."""
    change = math.fsum(float(log) for when, log in matched.items() if trade.day < when <= day)
    return trade if change == 0 else replace(trade, usd=Decimal(repr(float(trade.usd) * math.exp(change))))


def meets(leg: TradedLeg, level: Level) -> bool:
    """Whether a leg passes the trade part of a level's test."""
    return (
        leg.is_feasible
        and leg.trade_count >= (level.trades or 0)
        and leg.sellers >= (level.sellers or 0)
        and leg.buyers >= (level.buyers or 0)
        and float(leg.gpu_hours) >= (level.gpu_hours or 0)
        and (level.top_seller_share is None or leg.top_seller_share <= level.top_seller_share)
    )


def traded_leg(
    trades: Sequence[DayTrade], day: date, matched: Mapping[date, Decimal], method: Methodology
) -> tuple[TradedLeg | None, int | None]:
    """T for the best level its trades reach, over the shortest window that reaches it, and that level (1, 2, None).

    Without a level the widest window is shown (None without any trade in it): T is published, but is no test.
    """
    widest: TradedLeg | None = None
    for level in (1, 2):
        rule = method.levels[level]
        for window in method.legs.trade_windows_days:
            if rule.window_days is not None and window > rule.window_days:
                continue
            inside = [carried(t, day, matched) for t in trades if 0 <= (day - t.day).days < window]
            if not inside:
                continue
            leg = _leg_of(inside, window, day, method)
            if meets(leg, rule):
                return leg, level
            widest = leg
    return widest, None
