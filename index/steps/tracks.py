"""Items across days, before any grade looks at them: relabels, flicker, unit steps (sections 2 and 4).

All three are judged in the seller's own currency. The step is global: an item has one track, whatever grades it
is in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

from index.parameters import Methodology
from index.steps.observation import DayItem, Identity
from index.steps.state import Track, TrackState

# how each axis spells "not stated"; form and memory are one axis in two parts
_NOT_STATED = {"lot": "Z", "fabric": "ZZ", "place": "ZZ"}


def form_memory_distance(one: str, other: str) -> int | None:
    """0 equal, 1 where a part is not stated on one side, None where a stated part differs."""
    if one == other:
        return 0
    form_agrees = one[0] == other[0] or "Z" in {one[0], other[0]}
    memory_agrees = one[1:] == other[1:] or "000" in {one[1:], other[1:]}
    return 1 if form_agrees and memory_agrees else None


def axes_distance(one: Identity, other: Identity) -> int | None:
    """How many of form/memory, lot, fabric and place differ by being not stated on one side; None if they conflict."""
    total = form_memory_distance(one.form_memory, other.form_memory)
    if total is None:
        return None
    for axis, missing in _NOT_STATED.items():
        mine, theirs = getattr(one, axis), getattr(other, axis)
        if mine != theirs:
            if missing not in {mine, theirs}:
                return None
            total += 1
    return total


_Rank = tuple[int, bool]


def _sure_pairs(ranked: Mapping[tuple[str, str], _Rank]) -> dict[str, str]:
    """Pairs that are the only best one for both their sides, as new → old."""
    best_of_new: dict[str, _Rank] = {}
    best_of_old: dict[str, _Rank] = {}
    for (new, old), rank in ranked.items():
        best_of_new[new] = min(rank, best_of_new.get(new, rank))
        best_of_old[old] = min(rank, best_of_old.get(old, rank))
    wanted = [
        (new, old)
        for (new, old), rank in ranked.items()
        if rank == best_of_new[new] and rank == best_of_old[old]
    ]
    news, olds = Counter(new for new, _ in wanted), Counter(old for _, old in wanted)
    ties_new = Counter(new for (new, _), rank in ranked.items() if rank == best_of_new[new])
    ties_old = Counter(old for (_, old), rank in ranked.items() if rank == best_of_old[old])
    return {new: old for new, old in wanted if news[new] == olds[old] == ties_new[new] == ties_old[old] == 1}


def relabels(ended: Iterable[Identity], begun: Iterable[Identity]) -> dict[str, str]:
    """New item key → the ended key it continues (section 2).

    Candidates share operator, host, chip, scope and term, and their other axes are equal or not stated on one
    side. Fewest differing axes first, then equal price; a pair is taken only where it is the only best one for
    both sides, so an ambiguity gives none.
    """
    candidates: dict[tuple[str, ...], list[Identity]] = {}
    for old in ended:
        candidates.setdefault(old.fixed_axes, []).append(old)
    ranked: dict[tuple[str, str], _Rank] = {}
    for new in begun:
        for old in candidates.get(new.fixed_axes, ()):
            distance = axes_distance(new, old)
            if distance is not None:
                ranked[new.item_key, old.item_key] = (distance, new.native != old.native)
    found: dict[str, str] = {}
    while sure := _sure_pairs(ranked):
        found.update(sure)
        taken = set(sure.values())
        ranked = {pair: rank for pair, rank in ranked.items() if pair[0] not in sure and pair[1] not in taken}
    return found


def reversals(prices: Sequence[Decimal], move: float) -> int:
    """How often a series of prices turns round, counting only moves larger than `move` (a share)."""
    turns, direction, base = 0, 0, None
    for price in prices:
        if base is None:
            base = price
            continue
        change = float(price / base) - 1
        if abs(change) <= move:
            continue
        now = 1 if change > 0 else -1
        if direction and now != direction:
            turns += 1
        direction, base = now, price
    return turns


def is_unit_step(ratio: float, factors: Sequence[float], tolerance: float) -> bool:
    """Whether a price ratio is one of the factors, or its inverse, within the tolerance."""
    up = ratio if ratio >= 1 else 1 / ratio
    return any(abs(up / factor - 1) <= tolerance + 1e-12 for factor in factors)


def _is_resellers_list(item: DayItem) -> bool:
    return (
        item.operator_class == "RES"
        and item.offer_class == "list"
        and item.host_operator_id == item.operator_id
        and item.term != "SP"
    )


def _flicker(item: DayItem, track: Track, day: date, method: Methodology) -> DayItem:
    """Remember a reseller's prices and, where they flicker, take the lower median of the last days."""
    rules = method.observations
    oldest = day - timedelta(days=rules.flicker_days - 1)
    track.recent = [(seen, price) for seen, price in track.recent if seen >= oldest and seen != day]
    track.recent.append((day, item.native))
    if reversals([price for _, price in track.recent], rules.flicker_move) < rules.flicker_reversals:
        return item
    first = day - timedelta(days=rules.flicker_median_days - 1)
    window = [price for seen, price in track.recent if seen >= first]
    calm = sorted(window)[(len(window) - 1) // 2]
    return replace(item, native=calm, usd=item.usd_of(calm), stated_usd=item.usd, stated_native=item.native)


def _unit_step(item: DayItem, track: Track, day: date, method: Methodology) -> DayItem:
    """Flag a price that differs from the last clean one by a unit's factor, for a limited time."""
    rules = method.filters
    if track.currency != item.currency or track.native <= 0:
        track.unit_step_since = None
        return item
    stepped = is_unit_step(
        float(item.native / track.native), rules.unit_step_factors, rules.unit_step_tolerance
    )
    since = track.unit_step_since
    if not stepped or (since is not None and (day - since).days >= rules.unit_step_days):
        track.unit_step_since = None
        return item
    track.unit_step_since = since or day
    return replace(item, unit_step=True)


def follow(
    state: TrackState, items: Sequence[DayItem], day: date, method: Methodology
) -> tuple[list[DayItem], dict[str, str]]:
    """Bring the tracks up to `day` (in place) and return the day's items after relabel, flicker and unit step.

    An item that continues an ended one keeps its own key and says in `relabelled_from` whose history it takes
    over; the mapping new → old is returned as well. Tracks not seen for 30 days are forgotten.
    """
    before = state.last_day
    present = {item.item_key for item in items}
    ended = [
        Identity.from_key(key, track.native)
        for key, track in state.tracks.items()
        if key not in present and track.last_day == before
    ]
    begun = [item.identity for item in items if item.item_key not in state.tracks]
    renamed = relabels(ended, begun)
    followed: list[DayItem] = []
    for item in items:
        old = renamed.get(item.item_key)
        if old is not None:
            state.tracks[item.item_key] = state.tracks.pop(old)
        track = state.tracks.get(item.item_key)
        if track is None:
            track = Track(day, item.native, item.currency)
            state.tracks[item.item_key] = track
        current = replace(item, relabelled_from=old)
        if _is_resellers_list(item):
            current = _flicker(current, track, day, method)
        current = _unit_step(current, track, day, method)
        if not current.unit_step:
            track.native, track.currency = current.native, current.currency
        track.last_day = day
        followed.append(current)
    limit = day - timedelta(days=method.reference.accepted_price_days)
    state.tracks = {key: track for key, track in sorted(state.tracks.items()) if track.last_day >= limit}
    state.last_day = day
    return followed, renamed
