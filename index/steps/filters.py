"""Gate, jump and confirmation: which price of an item counts today (section 4).

The gate is judged in USD against the grade; jump, "moved" and confirmation in the seller's own currency. A price
that waits is *pending*: a known item keeps its last accepted price (`held`), a new one waits. The next capture on
the same side is accepted at its own price, so a real jump enters on the next day; afterwards only the trim limits
it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from index.formulas.location import median, median_absolute_deviation, weighted_median
from index.parameters import FilterRules, Methodology
from index.steps.observation import DayItem, Judged
from index.steps.state import Accepted, Pending, SeriesState


@dataclass(frozen=True, slots=True)
class Band:
    """Prices in USD that pass; None is no limit on that side."""

    low: float | None
    high: float | None

    def side(self, usd: Decimal) -> int:
        """-1 below, +1 above, 0 inside."""
        price = float(usd)
        if self.low is not None and price < self.low:
            return -1
        if self.high is not None and price > self.high:
            return 1
        return 0


OPEN = Band(None, None)


class Gate:
    """The bands of a grade's day, one an owner group (its own voice is left out of what it is compared with)."""

    def __init__(
        self,
        voices: Mapping[str, tuple[Decimal, float]],
        reference_log: float | None,
        rules: FilterRules,
        *,
        is_open: bool,
    ) -> None:
        """`voices` are yesterday's accepted ones with weights.

        `is_open` on a grade's first or restart day: then every price is accepted, jumps too.
        """
        self._voices = voices
        self._reference = None if reference_log is None else math.exp(reference_log)
        self._rules = rules
        self.is_open = is_open
        self._bands: dict[str, Band] = {}

    def band(self, owner_group: str) -> Band:
        """What `owner_group` may quote without waiting."""
        if self.is_open:
            return OPEN
        if owner_group not in self._bands:
            self._bands[owner_group] = self._compute(owner_group)
        return self._bands[owner_group]

    def _compute(self, owner_group: str) -> Band:
        rules = self._rules
        lows: list[float] = []
        highs: list[float] = []
        if self._reference is not None:
            lows.append(self._reference / rules.gate_ratio)
            highs.append(self._reference * rules.gate_ratio)
        others = {group: voice for group, voice in self._voices.items() if group != owner_group}
        if len(others) >= rules.gate_min_groups:
            logs = [math.log(usd) for usd, _ in others.values()]
            centre = weighted_median(
                values=logs, weights=[weight for _, weight in others.values()], tie="mid"
            )
            spread = rules.mad_to_sigma * median_absolute_deviation(logs, median(logs))
            width = max(rules.gate_min_log, rules.gate_robust_sigmas * spread)
            lows.append(math.exp(centre - width))
            highs.append(math.exp(centre + width))
        return Band(max(lows, default=None), min(highs, default=None))


@dataclass(frozen=True, slots=True)
class _Test:
    """How one price of an item stands: outside the gate and moved (or new), and jumped, each as a side."""

    gate: int
    jump: int

    @property
    def side(self) -> int:
        """The side to confirm: that of the jump, which a price that stands keeps, else that of the gate."""
        return self.jump or self.gate

    @property
    def rule(self) -> str:
        return "gate" if self.gate else "jump"

    def is_outside(self, side: int) -> bool:
        return side in {self.gate, self.jump} and side != 0


def _test(item: DayItem, native: Decimal, last: Accepted | None, band: Band, rules: FilterRules) -> _Test:
    ratio = _ratio(item, native, last)
    has_moved = ratio is None or abs(ratio - 1) > Decimal(repr(rules.gate_moved))
    gate = band.side(item.usd_of(native)) if has_moved else 0
    jump = 0
    limit = Decimal(repr(rules.jump_ratio))
    if ratio is not None and (ratio > limit or ratio * limit < 1):
        jump = 1 if ratio > 1 else -1
    return _Test(gate, jump)


def _ratio(item: DayItem, native: Decimal, last: Accepted | None) -> Decimal | None:
    """Price over last accepted, in the seller's currency (in USD where that changed); None for a new item."""
    if last is None:
        return None
    if last.currency == item.currency:
        return native / last.native
    return item.usd_of(native) / last.usd


def _confirms_itself(item: DayItem, side: int, last: Accepted | None, band: Band, rules: FilterRules) -> bool:
    """Two captures at least an hour apart and the lower median lie outside on the same side.

    Where the median is outside, so are all captures at least as far out; first and last are looked at by themselves.
    """

    def is_outside(native: Decimal) -> bool:
        return _test(item, native, last, band, rules).is_outside(side)

    if not is_outside(item.native if item.stated_native is None else item.stated_native):
        return False
    beyond = item.at_or_above if side > 0 else item.at_or_below
    outside = [beyond.first, beyond.last, *(c.at for c in (item.first, item.last) if is_outside(c.native))]
    return max(outside) - min(outside) >= timedelta(hours=rules.confirmation_hours)


def _lower_median(prices: tuple[Decimal, ...]) -> Decimal:
    return sorted(prices)[(len(prices) - 1) // 2]


def _after_waiting(
    item: DayItem, waiting: Pending, test: _Test, rules: FilterRules
) -> tuple[Decimal | None, Pending | None, str]:
    """A new capture of a pending item: the accepted price, or the state it goes on waiting in, and why."""
    if test.is_outside(waiting.side):
        return item.native, None, "confirmed"
    if test.side == 0:
        return item.native, None, "back_inside"
    captures = (*waiting.captures, item.native)[-rules.confirmation_captures :]
    if len(captures) >= rules.confirmation_captures:
        return _lower_median(captures), None, "median_of_last_captures"
    return None, Pending(waiting.since, test.side, test.rule, captures), f"{test.rule}_pending"


def _decide(
    item: DayItem, last: Accepted | None, waiting: Pending | None, gate: Gate, day: date, rules: FilterRules
) -> tuple[Decimal | None, Pending | None, str]:
    """The price that is accepted today (None: it waits), the state it waits in, and why."""
    if gate.is_open:
        return item.native, None, ""
    band = gate.band(item.owner_group)
    test = _test(item, item.native, last, band, rules)
    if waiting is None:
        if test.side == 0 or _confirms_itself(item, test.side, last, band, rules):
            return item.native, None, ""
        return None, Pending(day, test.side, test.rule, (item.native,)), f"{test.rule}_pending"
    if item.snapshot_day < day:
        return None, waiting, f"{waiting.rule}_pending"
    return _after_waiting(item, waiting, test, rules)


def judge(item: DayItem, state: SeriesState, gate: Gate, day: date, method: Methodology) -> Judged:
    """Decide which price of `item` counts on `day`, and bring its accepted and pending states up to date in place.

    A price that is carried from an earlier capture decides nothing new: it neither confirms nor starts a wait
    twice.
    """
    rules = method.filters
    key = item.item_key
    last = state.last_accepted(key, day, method.reference.accepted_price_days)
    waiting = state.pending.pop(key, None)
    if waiting is not None and (day - waiting.since).days > rules.pending_days:
        waiting = None
    if item.unit_step:
        if waiting is not None:
            state.pending[key] = waiting  # a day in quarantine is no capture
        return _keep_last(item, state, last, day, "unit_step", "the price changed by the factor of a unit")
    price, still, why = _decide(item, last, waiting, gate, day, rules)
    if still is not None:
        state.pending[key] = still
    if price is None:
        return _keep_last(item, state, last, day, why, _describe(item, last, gate.band(item.owner_group)))
    usd = item.usd_of(price)
    state.accepted[key] = Accepted(day, usd, price, item.currency)
    return Judged(item, "counted", usd, why or None, "", last)


def _keep_last(
    item: DayItem, state: SeriesState, last: Accepted | None, day: date, rule: str, detail: str
) -> Judged:
    """Hold a known item at its last accepted price in its own currency, at today's rate; let a new one wait."""
    if last is None:
        return Judged(item, "pending", None, rule, detail, None)
    usd = item.usd_of(last.native) if last.currency == item.currency else last.usd
    state.accepted[item.item_key] = Accepted(day, usd, last.native, last.currency)
    return Judged(item, "held", usd, rule, detail, last)


def _describe(item: DayItem, last: Accepted | None, band: Band) -> str:
    parts = [f"{item.native} {item.currency}"]
    if last is not None:
        parts.append(f"last accepted {last.native} {last.currency} on {last.day}")
    if band.low is not None and band.high is not None:
        parts.append(f"gate {band.low:.4f} to {band.high:.4f} USD")
    return "; ".join(parts)
