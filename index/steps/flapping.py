"""Owner groups that vanish and return: their memory in a grade, and the freeze on the third return (section 4).

A return is a price change against the last accepted price, never an entry. On the third return in 30 days the
voice is set to the median of the group's daily voices of 30 days for 7 days, present or not; meanwhile its last
accepted prices stand still and returns are not counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from decimal import Decimal

from gpurent.core.numbers import round_half_even
from index.parameters import Methodology
from index.steps.observation import PRICE_DECIMALS, DayItem
from index.steps.state import GroupMemory, SeriesState, Span
from index.steps.voices import Voice, mid_median


def frozen_price(memory: GroupMemory | None, day: date) -> Decimal | None:
    """The frozen voice of a group on `day`, or None."""
    if memory is None or memory.frozen_until is None or day > memory.frozen_until:
        return None
    return memory.frozen_usd


def _daily_voices(memory: GroupMemory, first: date, last: date) -> list[Decimal]:
    prices: list[Decimal] = []
    for start, end, usd in memory.spans:
        days = (min(end, last) - max(start, first)).days + 1
        prices.extend([usd] * max(days, 0))
    return prices


def note_returns(state: SeriesState, items: Iterable[DayItem], day: date, method: Methodology) -> None:
    """Count the groups that are back today after a day without a voice, and freeze on the third return."""
    rules, price_days = method.filters, method.reference.accepted_price_days
    yesterday = day - timedelta(days=1)
    known = {item.owner_group for item in items if state.last_accepted(item.item_key, day, price_days)}
    for group in sorted(known):
        memory = state.groups.get(group)
        if memory is None or memory.last_day >= yesterday or frozen_price(memory, day) is not None:
            continue
        if (day - memory.last_day).days > price_days:
            memory.returns = []
            continue
        oldest = day - timedelta(days=rules.flapping_days - 1)
        memory.returns = [when for when in memory.returns if when >= oldest] + [day]
        if len(memory.returns) < rules.flapping_returns:
            continue
        voices = _daily_voices(memory, day - timedelta(days=rules.flapping_days), yesterday)
        if voices:
            memory.frozen_until = day + timedelta(days=rules.flapping_freeze_days - 1)
            memory.frozen_usd = round_half_even(mid_median(voices), PRICE_DECIMALS)
            memory.returns = []


def bridge_outage(state: SeriesState, day: date) -> None:
    """Our own outage is nobody's absence: whoever had a voice the day before is not away today."""
    for memory in state.groups.values():
        if memory.last_day == day - timedelta(days=1):
            memory.last_day = day


def _extended(spans: list[Span], day: date, usd: Decimal) -> list[Span]:
    """The spans with one more day: the last one grows when it ended yesterday at the same price."""
    if spans and spans[-1][2] == usd and spans[-1][1] == day - timedelta(days=1):
        return [*spans[:-1], (spans[-1][0], day, usd)]
    return [*spans, (day, day, usd)]


def remember_voices(state: SeriesState, voices: Iterable[Voice], day: date, method: Methodology) -> None:
    """Add today's voices to the groups' memories and forget what is older than the rules look back."""
    for voice in voices:
        memory = state.groups.get(voice.owner_group)
        if memory is None:
            memory = state.groups[voice.owner_group] = GroupMemory(day)
        memory.last_day = day
        if voice.state == "frozen":
            continue
        memory.spans = _extended(memory.spans, day, voice.usd)
        if voice.age_days <= method.discount.offer_age_days:
            memory.fresh = _extended(memory.fresh, day, voice.usd)
    oldest = day - timedelta(days=method.filters.flapping_days)
    oldest_fresh = day - timedelta(days=method.discount.window_days)
    for group in list(state.groups):
        memory = state.groups[group]
        memory.spans = [span for span in memory.spans if span[1] >= oldest]
        memory.fresh = [span for span in memory.fresh if span[1] >= oldest_fresh]
        if not memory.spans and not memory.fresh and frozen_price(memory, day) is None:
            del state.groups[group]
