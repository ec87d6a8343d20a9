"""The advertised-to-traded discount of a grade, and the basis it may put the grade on (section 6, rulings 25-30).

d = ln(trade) - ln(the same seller's own fresh offer of that day), over 90 days. A grade's own estimate is shrunk to
its pool; a grade without one takes the pool's; a lapsed one stands for a while with a growing error.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from index.formulas.robust import Estimate, Pool, huber_mean, paule_mandel
from index.parameters import Methodology
from index.steps.observation import DayTrade
from index.steps.state import DiscountMemory, GroupMemory


@dataclass(frozen=True, slots=True)
class Pair:
    """A trade beside its seller's own offer: the seller, the trade's day, the log ratio."""

    owner_group: str
    day: date
    log: float


@dataclass(frozen=True, slots=True)
class Discount:
    """d as it is used on a day: log and standard error, what it rests on, and where it comes from.

    `origin`: own, shrunk, pool or lapsed.
    """

    log: float
    standard_error: float
    pairs: int
    sellers: int
    origin: str


def make_pairs(
    trades: Iterable[DayTrade], groups: Mapping[str, GroupMemory], day: date, method: Methodology
) -> tuple[Pair, ...]:
    """Pairs of the discount's window, T's own included (they are left out by day, see `outside`)."""
    found: list[Pair] = []
    for trade in trades:
        memory = groups.get(trade.owner_group)
        if memory is None or not 0 <= (day - trade.day).days < method.discount.window_days:
            continue
        offer = memory.fresh_price(trade.day)
        if offer is not None:
            found.append(Pair(trade.owner_group, trade.day, math.log(trade.usd / offer)))
    return tuple(sorted(found, key=lambda pair: (pair.day, pair.owner_group, pair.log)))


def outside(pairs: Sequence[Pair], day: date, window_days: int) -> list[Pair]:
    """Pairs of trades that are not in T's window."""
    return [pair for pair in pairs if (day - pair.day).days >= window_days]


def own_estimate(pairs: Sequence[Pair], method: Methodology) -> Estimate | None:
    """The grade's own d, or None with fewer than 10 pairs or 3 sellers."""
    rules = method.discount
    if len(pairs) < rules.min_pairs or len({pair.owner_group for pair in pairs}) < rules.min_sellers:
        return None
    return huber_mean(
        values=[pair.log for pair in pairs],
        clusters=[pair.owner_group for pair in pairs],
        k=rules.huber_k,
        scale_floor=rules.scale_floor,
        error_floor=rules.se_floor,
    )


def make_pool(members: Sequence[Estimate]) -> Pool | None:
    """The pool of other grades' own estimates, or None where there is none."""
    if not members:
        return None
    return paule_mandel(
        values=[member.value for member in members], variances=[member.variance for member in members]
    )


def _shrunk(own: Estimate, pool: Sequence[Estimate]) -> tuple[float, float, str]:
    together = paule_mandel(
        values=[own.value, *(member.value for member in pool)],
        variances=[own.variance, *(member.variance for member in pool)],
    )
    tau, v = together.tau_squared, own.variance
    keep = tau / (tau + v)
    error = max(math.sqrt(tau * v / (tau + v)), together.standard_error)
    return keep * own.value + (1 - keep) * together.mean, error, "shrunk"


def _of_pool(pool: Sequence[Estimate]) -> tuple[float, float, str]:
    if len(pool) == 1:
        return pool[0].value, math.sqrt(2) * pool[0].standard_error, "pool"
    together = paule_mandel(
        values=[member.value for member in pool], variances=[member.variance for member in pool]
    )
    return together.mean, math.sqrt(together.tau_squared + together.standard_error**2), "pool"


def discount_of(
    pairs: Sequence[Pair],
    pool: Sequence[Estimate],
    memory: DiscountMemory,
    day: date,
    method: Methodology,
) -> Discount | None:
    """d of a day: own, shrunk, the pool's, or the last defined one within its time; clamped; else undefined."""
    own = own_estimate(pairs, method)
    sellers = len({pair.owner_group for pair in pairs})
    if own is not None:
        log, error, origin = (own.value, own.standard_error, "own") if len(pool) < 2 else _shrunk(own, pool)
    elif pool:
        log, error, origin = _of_pool(pool)
    else:
        return _lapsed(memory, day, len(pairs), sellers, method)
    low, high = method.discount.clamp
    return Discount(min(max(log, low), high), error, len(pairs), sellers, origin)


def _lapsed(
    memory: DiscountMemory, day: date, pairs: int, sellers: int, method: Methodology
) -> Discount | None:
    rules = method.discount
    if memory.last_day is None or memory.log is None or memory.standard_error is None:
        return None
    age = (day - memory.last_day).days
    if age > rules.lapse_days:
        return None
    error = math.sqrt(memory.standard_error**2 + rules.lapse_drift**2 * age / 30)
    return Discount(memory.log, error, pairs, sellers, "lapsed")


def remember_discount(memory: DiscountMemory, found: Discount | None, day: date) -> DiscountMemory:
    """The memory after a day: a lapsed or missing d ends the run of days on which it was defined."""
    if found is None or found.origin == "lapsed":
        return DiscountMemory(None, memory.last_day, memory.log, memory.standard_error)
    since = memory.since if memory.since is not None and memory.last_day == day - timedelta(days=1) else day
    return DiscountMemory(since, day, found.log, found.standard_error)


def next_month(day: date) -> date:
    """The first of the month after `day`."""
    return (day.replace(day=1) + timedelta(days=32)).replace(day=1)


def basis_on(basis: str, memory: DiscountMemory, day: date, method: Methodology) -> tuple[str, bool]:
    """The basis of `day` before its own d is known, and whether a change on the next first of a month is due.

    It changes from advertised to traded_equivalent on the first of a month after d was defined on every day of the
    30 before the 10 days' notice and of the notice itself.
    """
    rules = method.discount
    needed = rules.basis_defined_days + rules.basis_notice_days

    def is_defined_until(change: date) -> bool:
        started = change - timedelta(days=needed)
        return (
            memory.since is not None
            and memory.since <= started
            and memory.last_day == day - timedelta(days=1)
        )

    if basis == "traded_equivalent":
        return basis, False
    if day.day == 1 and is_defined_until(day):
        return "traded_equivalent", False
    change = next_month(day)
    return basis, (change - day).days <= rules.basis_notice_days and is_defined_until(change)
