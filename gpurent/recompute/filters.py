"""Section 4 for one grade: which items count on a day, at which price, and which wait."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from gpurent.recompute.items import Item, Track
from gpurent.recompute.rules import Rules
from gpurent.recompute.state import Accepted, GradeMemory, GroupMemory, Pending
from gpurent.recompute.sums import lower_median, median_distance, mid_median, mid_weighted_median, round_price


@dataclass(frozen=True)
class Counted:
    """An item that counts at `usd`: its own price, or its last accepted one where it is held or frozen."""

    item: Item
    usd: Decimal
    native: Decimal
    is_frozen: bool = False


@dataclass(frozen=True)
class Band:
    """The gate for one owner group: prices outside [low, high] are outside. In USD."""

    low: float
    high: float

    def side(self, price: Decimal) -> int:
        value = float(price)
        return 1 if value > self.high else -1 if value < self.low else 0


def usable(items: Sequence[Item], held: Collection[str], rules: Rules) -> list[Item]:
    """Without `held` routes, what is not verified for more than seven days, and marketplaces that are too thin."""
    limit = rules.whole("observations", "expiry_days")
    fresh = [item for item in items if item.age <= limit and item.route not in held]
    markets: dict[str, list[Item]] = defaultdict(list)
    for item in fresh:
        if item.is_marketplace:
            markets[item.group].append(item)
    thin = set()
    for group, found in markets.items():
        hosts = max(len({item.host for item in found}), *(item.stated_hosts for item in found))
        offers = max(sum(item.rows for item in found), *(item.stated_offers for item in found))
        least = (
            rules.whole("observations", "marketplace_min_hosts"),
            rules.whole("observations", "marketplace_min_offers"),
        )
        if hosts < least[0] or offers < least[1]:
            thin.add(group)
    return [item for item in fresh if not (item.is_marketplace and item.group in thin)]


def freeze(memory: GradeMemory, items: Sequence[Item], day: date, outages: set[date], rules: Rules) -> None:
    """Count returns, and freeze the voice of a group on its third."""
    days, most = rules.whole("filters", "flapping_days"), rules.whole("filters", "flapping_returns")
    present: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        present[item.group].append(item)
    for group, found in present.items():
        known = memory.groups.setdefault(group, GroupMemory())
        if is_frozen(memory, group, day):
            continue
        before = day - timedelta(days=1)
        while before in outages:
            before -= timedelta(days=1)
        heard = {on for on in known.heard if 0 < (day - on).days <= days}
        has_price = any(last_accepted(memory, item.key, day, rules) is not None for item in found)
        if not heard or before in heard or not has_price:
            continue
        known.returns = [on for on in known.returns if (day - on).days < days] + [day]
        recent = [known.voices[on] for on in sorted(known.voices) if 0 < (day - on).days <= days]
        if len(known.returns) >= most and recent:
            known.frozen_at = round_price(mid_median(recent))
            known.frozen_until = day + timedelta(days=rules.whole("filters", "flapping_freeze_days") - 1)
            known.returns = []


def is_frozen(memory: GradeMemory, group: str, day: date) -> bool:
    """Whether a group's voice stands still on the day."""
    known = memory.groups.get(group)
    return known is not None and known.frozen_until is not None and day <= known.frozen_until


def last_accepted(memory: GradeMemory, key: str, day: date, rules: Rules) -> Accepted | None:
    """The price at which the item last counted, at most thirty days before the day."""
    found = memory.accepted.get(key)
    if found is None or (day - found.day).days > rules.whole("reference", "accepted_price_days"):
        return None
    return found


def count(
    memory: GradeMemory,
    items: Sequence[Item],
    tracks: dict[str, Track],
    day: date,
    *,
    is_first: bool,
    rules: Rules,
) -> list[Counted]:
    """Every item that counts; `memory` keeps what waits and what was accepted."""
    found = []
    for item in items:
        last = last_accepted(memory, item.key, day, rules)
        if is_frozen(memory, item.group, day):
            if last is not None:
                found.append(Counted(item, last.usd, last.native, is_frozen=True))
            continue
        judged = _judge(memory, item, tracks[item.key], last, day, is_first=is_first, rules=rules)
        if judged is not None:
            currency = item.currency if (judged[1] == item.native or last is None) else last.currency
            memory.accepted[item.key] = Accepted(day, judged[0], judged[1], currency)
            found.append(Counted(item, *judged))
    return found


def _judge(
    memory: GradeMemory,
    item: Item,
    track: Track,
    last: Accepted | None,
    day: date,
    *,
    is_first: bool,
    rules: Rules,
) -> tuple[Decimal, Decimal] | None:
    """USD and native price at which the item counts; None while a new one waits."""
    own = (item.usd, item.native)
    held = None if last is None else _at_last_accepted(item, last)
    if track.step_since is not None and (day - track.step_since).days < rules.whole(
        "filters", "unit_step_days"
    ):
        return held
    waiting = memory.pending.pop(item.key, None)
    if is_first:
        return own
    band = _band(memory, item.group, rules)
    sides = _outside(item, item.usd, item.native, last, band, rules)
    if waiting is not None and (day - waiting.since).days <= rules.whole("filters", "pending_days"):
        found = _after_waiting(memory, item, waiting, sides, day, rules)
        return held if found is None else found
    if not sides or _confirms_itself(item, sides[0], last, band, rules):
        return own
    memory.pending[item.key] = Pending(day, sides[0], [item.native])
    return held


def _at_last_accepted(item: Item, last: Accepted) -> tuple[Decimal, Decimal]:
    """The last accepted price, in USD and natively: the seller's own price stands still, its rate does not."""
    if last.currency != item.currency:
        return last.usd, last.native
    return item.usd_of(last.native), last.native


def _after_waiting(
    memory: GradeMemory, item: Item, waiting: Pending, sides: Sequence[int], day: date, rules: Rules
) -> tuple[Decimal, Decimal] | None:
    """The price that a waiting item gets on a later day; None where it waits on."""
    own = (item.usd, item.native)
    if item.seen_on < day:
        memory.pending[item.key] = waiting
        return None
    if not sides or waiting.side in sides:
        return own
    captures = [*waiting.captures, item.native]
    if len(captures) >= rules.whole("filters", "confirmation_captures"):
        native = lower_median(captures)
        return item.usd_of(native), native
    memory.pending[item.key] = Pending(waiting.since, sides[0], captures)
    return None


def _outside(
    item: Item, usd: Decimal, native: Decimal, last: Accepted | None, band: Band | None, rules: Rules
) -> list[int]:
    """The side to which the price jumps, then that on which it is outside the gate, being new or moved."""
    sides: list[int] = []
    if last is not None:
        same = last.currency == item.currency
        ratio = native / last.native if same else usd / last.usd
        jump, moved = rules.exact("filters", "jump_ratio"), rules.exact("filters", "gate_moved")
        if ratio > jump or ratio * jump < 1:
            sides.append(1 if ratio > 1 else -1)
        if abs(ratio - 1) <= moved:
            return sides
    beyond = 0 if band is None else band.side(usd)
    return [*sides, beyond] if beyond else sides


def _confirms_itself(item: Item, side: int, last: Accepted | None, band: Band | None, rules: Rules) -> bool:
    """Whether the day's stated price and captures an hour apart lie outside on the side of the day's price."""

    def is_beyond(native: Decimal) -> bool:
        return side in _outside(item, item.usd_of(native), native, last, band, rules)

    first, final = item.captures[0], item.captures[-1]
    times = [at for at, native in item.captures if (native - item.stated) * side >= 0]
    times += [at for at, native in (first, final) if is_beyond(native)]
    wait = timedelta(hours=rules.whole("filters", "confirmation_hours"))
    return is_beyond(item.stated) and max(times) - min(times) >= wait


def _band(memory: GradeMemory, group: str, rules: Rules) -> Band | None:
    """The narrower of both limits: around the last reference, and around the other groups of the day before."""
    low, high = 0.0, math.inf
    if memory.reference_log is not None:
        ratio = rules.number("filters", "gate_ratio")
        low, high = math.exp(memory.reference_log) / ratio, math.exp(memory.reference_log) * ratio
    others = [(log, weight) for name, log, weight in memory.voices_before if name != group]
    if len(others) >= rules.whole("filters", "gate_min_groups"):
        spread = median_distance([log for log, _ in others])
        width = (
            rules.number("filters", "gate_robust_sigmas") * rules.number("filters", "mad_to_sigma") * spread
        )
        width = max(rules.number("filters", "gate_min_log"), width)
        centre = mid_weighted_median(others)
        low, high = max(low, math.exp(centre - width)), min(high, math.exp(centre + width))
    return None if (low, high) == (0.0, math.inf) else Band(low, high)


def note_unit_steps(item: Item, track: Track, day: date, rules: Rules) -> None:
    """Remember since when the item's price stands a unit's factor from its last plain one."""
    plain, currency = track.plain
    ratio = float(item.native / plain) if currency == item.currency else 1.0
    tolerance = rules.number("filters", "unit_step_tolerance")
    is_step = any(
        abs(one / factor - 1) <= tolerance
        for factor in rules.numbers("filters", "unit_step_factors")
        for one in (ratio, 1 / ratio)
    )
    lasts = rules.whole("filters", "unit_step_days")
    if is_step and (track.step_since is None or (day - track.step_since).days < lasts):
        track.step_since = track.step_since or day
    else:
        track.step_since = None
        track.plain = (item.native, item.currency)
