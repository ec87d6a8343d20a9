"""Voices and the advertised leg (sections 5, 6), the matched change and the index (section 8)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from gpurent.recompute.filters import Counted, is_frozen
from gpurent.recompute.rules import Rules
from gpurent.recompute.state import Accepted, GradeMemory, Voice
from gpurent.recompute.sums import cap_of, filled_to, mid_median, round_price, trimmed_mean

_JUST = 1e-9
"""What a limit of the route test may be missed by: shares are sums of rounded parts."""


def voices_of(counted: Sequence[Counted], memory: GradeMemory, day: date) -> dict[str, Voice]:
    """Owner group → its voice; frozen groups have theirs whether they are present or not."""
    frozen = {group for group in memory.groups if is_frozen(memory, group, day)}
    by_group: dict[str, list[Counted]] = {group: [] for group in frozen}
    for one in counted:
        by_group.setdefault(one.item.group, []).append(one)
    found: dict[str, Voice] = {}
    for group in sorted(by_group):
        ordered = sorted(by_group[group], key=lambda one: (one.usd, one.item.age, one.item.key))
        routes = tuple(one.item.route for one in ordered)
        frozen_at = memory.groups[group].frozen_at if group in frozen else None
        if frozen_at is not None:
            age = min((one.item.age for one in ordered), default=0)
            found[group] = Voice(group, frozen_at, age, True, routes)
            continue
        middle = ordered[(len(ordered) - 1) // 2 : len(ordered) // 2 + 1]
        price = round_price(mid_median([one.usd for one in ordered]))
        found[group] = Voice(group, price, max(one.item.age for one in middle), False, routes)
    return found


def shares_of(
    ages: Mapping[str, int], rules: Rules, copies: Mapping[str, int] | None = None
) -> dict[str, float]:
    """Owner group → its share of the advertised leg, by age and under the cap; `copies` are those of a resample."""
    times = copies or dict.fromkeys(ages, 1)
    count = sum(times[group] for group in ages)
    grace, half = rules.whole("voices", "offer_grace_days"), rules.number("voices", "offer_half_life_days")
    weights = {group: times[group] * 0.5 ** (max(age - grace, 0) / half) for group, age in ages.items()}
    cap = cap_of(count, rules.number("voices", "cap"))
    return filled_to(weights, {group: times[group] * cap for group in ages})


def advertised(voices: Mapping[str, Voice], shares: Mapping[str, float], rules: Rules) -> float:
    """A: the volume-trimmed mean of the voices, in USD."""
    pairs = [(float(voices[group].usd), share) for group, share in shares.items()]
    return trimmed_mean(pairs, rules.number("legs", "trim_each_side"))


@dataclass(frozen=True)
class Matched:
    """The matched change of a day."""

    log: float
    index_log: float


def matched_change(
    counted: Sequence[Counted],
    voices: Mapping[str, Voice],
    before: Mapping[str, Accepted],
    day: date,
    rules: Rules,
) -> Matched | None:
    """Δln M and Δln I over the owner groups with an item that has an accepted price from before; None of too few."""
    limit = rules.whole("reference", "accepted_price_days")
    pairs: dict[str, list[tuple[Decimal, Decimal]]] = defaultdict(list)
    for one in counted:
        old = before.get(one.item.key)
        if old is not None and 1 <= (day - old.day).days <= limit and one.item.group in voices:
            pairs[one.item.group].append((old.usd, one.usd))
    if len(pairs) < rules.whole("reference", "matched_min_groups"):
        return None
    groups = sorted(pairs)
    shares = shares_of({group: voices[group].age for group in groups}, rules)
    old_side = [float(mid_median([old for old, _ in pairs[group]])) for group in groups]
    new_side = [float(mid_median([new for _, new in pairs[group]])) for group in groups]
    each_side = rules.number("legs", "trim_each_side")
    olds = [(value, shares[group]) for group, value in zip(groups, old_side, strict=True)]
    news = [(value, shares[group]) for group, value in zip(groups, new_side, strict=True)]
    change = math.log(trimmed_mean(news, each_side)) - math.log(trimmed_mean(olds, each_side))
    logs = [
        math.fsum(math.log(float(new / old)) for old, new in pairs[group]) / len(pairs[group])
        for group in groups
    ]
    return Matched(change, math.fsum(logs) / len(logs))


def routes_hold(voices: Mapping[str, Voice], shares: Mapping[str, float], rules: Rules) -> bool:
    """Whether no route carries more than half of the weight, and three or more count effectively."""
    routes: dict[str, float] = defaultdict(float)
    for group, voice in voices.items():
        for route in voice.routes:
            routes[route] += shares[group] / len(voice.routes)
    total = math.fsum(routes.values())
    parts = [part / total for part in routes.values()]
    if not parts:
        return False
    largest = rules.level(3, "top_route_share")
    effective = 1 / math.fsum(part * part for part in parts)
    return max(parts) <= largest + _JUST and effective >= rules.level(3, "effective_routes") - _JUST
