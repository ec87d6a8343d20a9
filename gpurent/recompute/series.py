"""One grade, day after day (sections 7, 8): level, cross-section P, matched change M, reference R."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from gpurent.recompute.blending import trade_weight, traded_under_the_joint_cap
from gpurent.recompute.facts import Grade
from gpurent.recompute.filters import Counted, count, freeze
from gpurent.recompute.items import Item, Track
from gpurent.recompute.legs import Matched, advertised, matched_change, shares_of, voices_of
from gpurent.recompute.levels import (
    MODELLED,
    WITHHELD,
    Reached,
    basis_of,
    first_basis,
    heard,
    is_lapsed,
    published_level,
    reaches,
    reason_withheld,
)
from gpurent.recompute.rules import Rules
from gpurent.recompute.state import (
    TRADED_EQUIVALENT,
    Accepted,
    Estimate,
    GradeMemory,
    Trade,
    Values,
    Voice,
)
from gpurent.recompute.trades import (
    Window,
    agreements,
    carried,
    own_estimate,
    traded,
    weights_of,
    window_of,
    without_outliers,
)


@dataclass
class Board:
    """What a grade's day has come to before its relatives are asked: legs, matched change, level reached.

    `before` are the accepted prices that the matched change is taken from, those of the day `since`.
    """

    grade: Grade
    day: date
    memory: GradeMemory
    is_first: bool
    is_outage: bool
    before: Mapping[str, Accepted]
    counted: list[Counted]
    voices: dict[str, Voice]
    shares: dict[str, float]
    asked: float | None
    matched: Matched | None
    since: date | None
    window: Window
    own: Estimate | None
    changed: float = 0.0
    discount: Estimate | None = None
    is_stopped: bool = False

    def drawn(self) -> list[str]:
        """Who is drawn in a resample: owner groups with a voice, or with a trade in the window."""
        return sorted({*self.voices, *(trade.seller for trade in self.window.trades)})

    def reached(self, rules: Rules) -> Reached:
        if self.is_outage:
            return Reached(WITHHELD)
        return reaches(self.memory.basis, self.window.passes, self.voices, self.shares, self.discount, rules)

    def change_without(self, keys: Collection[str], rules: Rules) -> float | None:
        """The day's matched change by the other items alone; None where these would not reach level 4."""
        counted = [one for one in self.counted if one.item.key not in keys]
        voices = voices_of(counted, self.memory, self.day)
        if self.is_outage or len(heard(voices)) < rules.level(4, "offering_groups"):
            return None
        matched = matched_change(counted, voices, self.before, self.day, rules)
        return None if matched is None else matched.log


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
    """Filters, voices, the advertised leg and the grade's own matched change; `memory` moves on to the day.

    `items` are those that may count. On an outage there are none, and nobody's return or absence is noted.
    """
    is_outage = day in outages
    gap = rules.whole("reference", "gap_days")
    is_first = memory.last_published is None or (day - memory.last_published).days > gap
    before: Mapping[str, Accepted] = dict(memory.accepted)
    since = memory.last_published
    if since is not None and since != day - timedelta(days=1):
        before = memory.accepted_as_of.get(since, {})
    counted: list[Counted] = []
    voices: dict[str, Voice] = {}
    if not is_outage:
        freeze(memory, items, day, outages, rules)
        counted = count(memory, items, tracks, day, is_first=is_first, rules=rules)
        voices = voices_of(counted, memory, day)
    shares = shares_of({group: voice.age for group, voice in voices.items()}, rules) if voices else {}
    asked = advertised(voices, shares, rules) if voices else None
    matched = matched_change(counted, voices, before, day, rules)
    window = window_of(without_outliers(trades, day, rules), day, rules)
    own = own_estimate(trades, window, memory, day, rules)
    memory.basis = basis_of(memory, day, rules)
    if memory.basis is None and not is_outage and (voices or window.trades):
        memory.basis = first_basis(voices, window.trades)
    return Board(
        grade=grade,
        day=day,
        memory=memory,
        is_first=is_first,
        is_outage=is_outage,
        before=before,
        counted=counted,
        voices=voices,
        shares=shares,
        asked=asked,
        matched=matched,
        since=since,
        window=window,
        own=own,
    )


def publish(
    board: Board,
    rules: Rules,
    ancestors: Sequence[Board],
    published: Mapping[str, Values],
    keys: Collection[str],
) -> Values:
    """The grade's day; `ancestors` from the nearest on, `keys` are the grade's own items of the day."""
    memory = board.memory
    board.changed = _change(board, ancestors, published)
    reached = board.reached(rules)
    if board.is_stopped:
        _remember(board, WITHHELD, reached.level, None, is_observed=False)
        return _withheld(board, None)
    level = published_level(memory, reached.level, is_first=board.is_first)
    if level == WITHHELD:
        return _modelled(board, rules, ancestors, keys)
    memory.matched[board.day] = board.changed
    cross, paid, weight = _cross_section(board, reached, level, rules)
    has_new_basis = memory.reference_basis not in (None, memory.basis)
    if board.is_first or memory.reference_log is None or has_new_basis:
        reference = cross
    else:
        news = cross - memory.reference_log - board.changed
        reference = memory.reference_log + board.changed + rules.level(level, "kappa") * news
    memory.reference_basis = memory.basis
    _remember(board, level, reached.level, reference, is_observed=True)
    return _values(board, level, reference, cross, paid, weight)


def _cross_section(
    board: Board, reached: Reached, level: int, rules: Rules
) -> tuple[float, float | None, float]:
    """ln P on the grade's basis, ln T and w_T."""
    memory, day, discount = board.memory, board.day, board.discount
    ask, paid = None if board.asked is None else math.log(board.asked), _traded(board, rules)
    if reached.by_trades_alone:
        assert paid is not None
        return paid, paid, 1.0
    assert ask is not None
    gap = 0.0 if discount is None else discount.log
    on_trades = memory.basis == TRADED_EQUIVALENT
    if level > 2 or discount is None:
        return (ask + gap if on_trades else ask), paid, 0.0
    trades = list(board.window.trades)
    weight = trade_weight(
        board.grade.grade_id, day, board.drawn(), board.voices, trades, memory, discount, level, rules
    )
    shares = weights_of(trades, day, rules)
    assert shares is not None
    paid = math.log(traded_under_the_joint_cap(trades, shares, board.shares, weight, memory, day, rules))
    if on_trades:
        return weight * paid + (1 - weight) * (ask + gap), paid, weight
    return weight * (paid - gap) + (1 - weight) * ask, paid, weight


def _change(board: Board, ancestors: Sequence[Board], published: Mapping[str, Values]) -> float:
    """The grade's own matched change, or the nearest ancestor's since the day the change is taken from, or 0."""
    if board.is_first or board.since is None:
        return 0.0
    if board.matched is not None:
        return board.matched.log
    for other in ancestors:
        theirs = published.get(other.grade.grade_id)
        if theirs is None or theirs.status != "published" or theirs.level > 4:
            continue
        if board.since in other.memory.published:
            days = [log for on, log in other.memory.matched.items() if board.since < on <= board.day]
            return math.fsum(days)
    return 0.0


def _modelled(board: Board, rules: Rules, ancestors: Sequence[Board], keys: Collection[str]) -> Values:
    """Level 5 where yesterday's value and a parent's change carry it; else withheld."""
    memory, day = board.memory, board.day
    yesterday = day - timedelta(days=1)
    has_lapsed = is_lapsed(memory.basis, board.voices, board.discount, rules)
    may_carry = (
        not (board.is_outage or has_lapsed)
        and len(heard(board.voices)) != 1
        and memory.last_published == yesterday
        and memory.last_observed is not None
        and (day - memory.last_observed).days <= rules.level(5, "carry_days")
    )
    parents = [other for other in ancestors if may_carry and other.since == yesterday]
    for other in parents:
        lent = other.change_without(keys, rules)
        if lent is None or memory.reference_log is None:
            continue
        board.changed = memory.matched[day] = lent
        reference = memory.reference_log + board.changed
        _remember(board, MODELLED, WITHHELD, reference, is_observed=False)
        return _values(board, MODELLED, reference, reference, _traded(board, rules), 0.0)
    _remember(board, WITHHELD, WITHHELD, None, is_observed=False)
    if board.is_outage:
        return _withheld(board, "outage")
    return _withheld(board, reason_withheld(board.voices, has_lapsed=has_lapsed))


def _values(
    board: Board, level: int, reference: float, cross: float, paid: float | None, weight: float
) -> Values:
    return Values(
        board.day,
        board.grade.grade_id,
        "published",
        level,
        reference,
        cross,
        None if board.asked is None else math.log(board.asked),
        paid,
        weight,
        None if board.discount is None else board.discount.log,
        None if board.is_first else board.changed,
        board.memory.index_log,
        board.memory.basis,
    )


def _withheld(board: Board, reason: str | None) -> Values:
    return Values(
        board.day,
        board.grade.grade_id,
        "withheld",
        WITHHELD,
        basis=board.memory.basis,
        reason_code=reason,
    )


def _traded(board: Board, rules: Rules) -> float | None:
    """ln T of the window, before any joint cap; None without trades."""
    trades = list(board.window.trades)
    shares = weights_of(trades, board.day, rules)
    if shares is None:
        return None
    prices = [carried(trade, board.memory, board.day) for trade in trades]
    return math.log(traded(prices, shares, len(agreements(trades)), rules))


def _remember(board: Board, level: int, reached: int, reference: float | None, *, is_observed: bool) -> None:
    memory, day = board.memory, board.day
    memory.level, memory.reached = level, reached
    if board.is_outage:
        return
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
        memory.published.add(day)
        if board.matched is not None and not board.is_first:
            memory.index_log += board.matched.index_log
        memory.accepted_as_of = {day: dict(memory.accepted)}
        if is_observed:
            memory.last_observed = day
