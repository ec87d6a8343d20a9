"""One grade, day after day (sections 7, 8): level, cross-section P, matched change M, reference R."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from gpurent.recompute.blending import trade_weight, traded_under_the_joint_cap
from gpurent.recompute.facts import Grade
from gpurent.recompute.filters import Counted, count, freeze, usable
from gpurent.recompute.items import Item, Track
from gpurent.recompute.legs import Matched, advertised, matched_change, routes_hold, shares_of, voices_of
from gpurent.recompute.rules import Rules
from gpurent.recompute.state import Accepted, Estimate, GradeMemory, Trade, Values, Voice
from gpurent.recompute.trades import (
    Window,
    carried,
    own_estimate,
    traded,
    weights_of,
    window_of,
    without_outliers,
)

MODELLED, WITHHELD = 5, 6


@dataclass
class Board:
    """What a grade's day has come to before its relatives are asked: legs, matched change, level reached."""

    grade: Grade
    day: date
    memory: GradeMemory
    is_first: bool
    items: list[Item]
    counted: list[Counted]
    voices: dict[str, Voice]
    shares: dict[str, float]
    asked: float | None
    matched: Matched
    since: date | None
    trades: list[Trade]
    window: Window
    own: Estimate | None
    changed: float = 0.0
    discount: Estimate | None = None
    is_stopped: bool = False


def prepare(
    grade: Grade,
    memory: GradeMemory,
    items: Sequence[Item],
    tracks: dict[str, Track],
    trades: Sequence[Trade],
    day: date,
    outages: set[date],
    rules: Rules,
) -> Board:
    """Filters, voices, the advertised leg and the grade's own matched change; `memory` moves on to the day."""
    gap = rules.whole("reference", "gap_days")
    is_first = memory.last_published is None or (day - memory.last_published).days > gap
    before: Mapping[str, Accepted] = dict(memory.accepted)
    since = memory.last_published
    if since is not None and since != day - timedelta(days=1):
        before = memory.accepted_as_of.get(since, {})
    present = usable(items, rules)
    freeze(memory, present, day, outages, rules)
    counted = count(memory, present, tracks, day, is_first=is_first, rules=rules)
    voices = voices_of(counted, present, memory, day)
    shares = shares_of({group: voice.age for group, voice in voices.items()}, rules) if voices else {}
    asked = advertised(voices, shares, rules) if voices else None
    matched = matched_change(counted, voices, before, day, rules)
    kept = without_outliers(trades, day, rules)
    window = window_of(kept, day, rules)
    own = own_estimate(trades, window, memory, day, rules)
    return Board(
        grade,
        day,
        memory,
        is_first,
        list(items),
        counted,
        voices,
        shares,
        asked,
        matched,
        since,
        list(trades),
        window,
        own,
    )


def reaches(board: Board, rules: Rules) -> int:
    """The best level that the day's voices and trades hold, from 1 to 4; 6 where there are too few voices."""
    real = _heard(board)
    fresh = sum(1 for voice in real if voice.age == 0)
    if len(real) < rules.level(4, "offering_groups"):
        return WITHHELD
    holds = routes_hold(board.voices, board.shares, rules)
    if board.discount is not None and holds:
        if board.window.passes == 1 and len(real) >= rules.level(1, "offering_groups"):
            return 1
        if board.window.passes >= 1 and fresh >= rules.level(2, "offering_groups"):
            return 2
    if holds and fresh >= rules.level(3, "offering_groups"):
        return 3
    return 4


def settle_level(board: Board, reached: int) -> int:
    """The level published: upgrades wait a day, from a withheld or modelled day the best is 4."""
    memory = board.memory
    if board.is_first or reached == WITHHELD:
        return reached
    if memory.level in (MODELLED, WITHHELD):
        return max(reached, 4)
    if reached < memory.level:
        return min(memory.level, max(reached, memory.reached))
    return reached


def publish(
    board: Board,
    rules: Rules,
    ancestors: Sequence[Board],
    published: Mapping[str, Values],
    alone: Callable[[Board], Board | None],
) -> Values:
    """The grade's day; `ancestors` from the nearest on, `alone` an ancestor's day without this grade's own items."""
    memory, day = board.memory, board.day
    board.changed = _change(board, ancestors, published, rules)
    reached = reaches(board, rules)
    if board.is_stopped:
        return _withheld(board, reached)
    level = settle_level(board, reached)
    if level == WITHHELD:
        return _modelled(board, rules, ancestors, published, alone)
    memory.matched[day] = board.changed
    assert board.asked is not None
    ask, paid, weight = math.log(board.asked), _traded(board, rules), 0.0
    cross = ask
    if level <= 2 and board.discount is not None:
        trades = list(board.window.trades)
        weight = trade_weight(
            board.grade.grade_id, day, board.voices, trades, memory, board.discount, level, rules
        )
        shares = weights_of(trades, day, rules)
        assert shares is not None
        paid = traded_under_the_joint_cap(trades, shares, board.shares, weight, memory, day, rules)
        cross = weight * (math.log(paid) - board.discount.log) + (1 - weight) * ask
    if board.is_first or memory.reference_log is None:
        reference = cross
        memory.index_log = memory.index_log or 0.0
    else:
        news = cross - memory.reference_log - board.changed
        reference = memory.reference_log + board.changed + rules.level(level, "kappa") * news
        memory.index_log = (memory.index_log or 0.0) + board.matched.index_log
    _remember(board, level, reached, reference, is_observed=True)
    return _published(board, level, reference, cross, paid, weight)


def _change(board: Board, ancestors: Sequence[Board], published: Mapping[str, Values], rules: Rules) -> float:
    """The grade's own matched change, or the nearest ancestor's since the day the change is taken from, or 0."""
    if board.is_first or board.since is None:
        return 0.0
    if board.matched.groups >= rules.whole("reference", "matched_min_groups"):
        return board.matched.log
    for other in ancestors:
        theirs = published.get(other.grade.grade_id)
        if theirs is None or theirs.status != "published" or theirs.level > 4:
            continue
        if board.since in other.memory.matched or other.memory.prices.get(board.since) is not None:
            days = [log for on, log in other.memory.matched.items() if board.since < on <= board.day]
            return math.fsum(days)
    return 0.0


def _modelled(
    board: Board,
    rules: Rules,
    ancestors: Sequence[Board],
    published: Mapping[str, Values],
    alone: Callable[[Board], Board | None],
) -> Values:
    """Level 5 where yesterday's value and a parent's change carry it; else withheld."""
    memory, day = board.memory, board.day
    recent = rules.level(5, "carry_days")
    may_carry = (
        len(_heard(board)) != 1
        and memory.last_published == day - timedelta(days=1)
        and memory.last_observed is not None
        and (day - memory.last_observed).days <= recent
        and memory.reference_log is not None
    )
    if may_carry:
        for other in ancestors:
            if day - timedelta(days=1) not in other.memory.prices:
                continue
            reduced = alone(other)
            least = rules.whole("reference", "matched_min_groups")
            if reduced is None or reduced.matched.groups < least or reaches(reduced, rules) > 4:
                continue
            assert memory.reference_log is not None
            reference = memory.reference_log + reduced.matched.log
            board.changed = reduced.matched.log
            memory.matched[day] = board.changed
            _remember(board, MODELLED, WITHHELD, reference, is_observed=False)
            return _published(board, MODELLED, reference, reference, _traded(board, rules), 0.0)
    return _withheld(board, WITHHELD)


def _published(
    board: Board, level: int, reference: float, cross: float, paid: float | None, weight: float
) -> Values:
    return Values(
        board.day,
        board.grade.grade_id,
        "published",
        level,
        reference,
        cross,
        board.asked,
        paid,
        weight,
        None if board.discount is None else board.discount.log,
        board.changed,
        board.memory.index_log,
    )


def _withheld(board: Board, reached: int) -> Values:
    _remember(board, WITHHELD, reached, None, is_observed=False)
    return Values(board.day, board.grade.grade_id, "withheld", WITHHELD)


def _heard(board: Board) -> list[Voice]:
    """The voices that count for a level: frozen ones do not."""
    return [voice for voice in board.voices.values() if not voice.is_frozen]


def _traded(board: Board, rules: Rules) -> float | None:
    """T of the window, before any joint cap; None without trades."""
    trades = list(board.window.trades)
    shares = weights_of(trades, board.day, rules)
    if shares is None:
        return None
    return traded([carried(trade, board.memory, board.day) for trade in trades], shares, len(trades), rules)


def _remember(board: Board, level: int, reached: int, reference: float | None, *, is_observed: bool) -> None:
    memory, day = board.memory, board.day
    memory.level, memory.reached = level, reached
    memory.voices_before = [
        (group, math.log(float(voice.usd)), board.shares[group]) for group, voice in board.voices.items()
    ]
    memory.fresh_voices[day] = {
        group: float(voice.usd)
        for group, voice in board.voices.items()
        if voice.age == 0 and not voice.is_frozen
    }
    for group, voice in board.voices.items():
        memory.groups[group].heard.add(day)
        if not voice.is_frozen:
            memory.groups[group].voices[day] = voice.usd
    if reference is not None:
        memory.reference_log, memory.last_published = round(reference, 12), day
        memory.prices[day] = (reference, level)
        memory.accepted_as_of = {day: dict(memory.accepted)}
        if is_observed:
            memory.last_observed = day


def copy_of(memory: GradeMemory) -> GradeMemory:
    return copy.deepcopy(memory)
