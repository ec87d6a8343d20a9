"""Day after day over all grades: items, relabels, each grade's filters, parents before children."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import date, timedelta

import duckdb

from gpurent.recompute.facts import Cutoff, Facts, Grade, Operator, cutoff_of, read_facts, tier_of
from gpurent.recompute.filters import note_unit_steps, usable
from gpurent.recompute.items import Item, Track, items_of, relabelled, with_flicker
from gpurent.recompute.rules import Rules, rules
from gpurent.recompute.series import Board, prepare, publish
from gpurent.recompute.state import Estimate, GradeMemory, Values
from gpurent.recompute.sums import paule_mandel
from gpurent.recompute.trades import in_grade, trades_of

_TIER_BUCKETS = frozenset({"T1", "T2", "T3", "T4", "U", "NR", "NT"})
_TRACK_DAYS = 30
_STOPPED = """
    SELECT day, grade_id FROM reference_prices WHERE construction = 'live' AND try_cast(vintage AS INTEGER) IS NOT NULL
    GROUP BY day, grade_id
    HAVING max_by(status = 'held' OR coalesce(reason_code = 'unconfirmed', FALSE), try_cast(vintage AS INTEGER))
"""


class Series:
    """The running computation: tracks of items and the memory of every grade."""

    def __init__(self, facts: Facts, method: Rules) -> None:
        self.facts = facts
        self.rules = method
        self.tracks: dict[str, Track] = {}
        self.present_before: set[str] = set()
        self.memories: dict[str, GradeMemory] = defaultdict(GradeMemory)
        self.outages: set[date] = set()
        self.stopped: set[tuple[date, str]] = set()

    def day(self, cutoff: Cutoff) -> dict[str, Values]:
        """Compute the day of `cutoff`; days must come one after the other."""
        day, facts = cutoff.day, self.facts
        operators, tiers = facts.operators_known(cutoff), facts.tiers_known(cutoff)
        grades = facts.grades_known(cutoff)
        items: list[Item] = []
        if _has_captures(facts, cutoff):
            items = self._tracked(items_of(facts, cutoff, operators, self.rules), day)
        else:
            self.outages.add(day)
        trades = trades_of(facts, cutoff, operators, self.rules)
        held = facts.held_sources(cutoff, self.rules.whole("time", "shadow_days"))
        boards: dict[str, Board] = {}
        own_keys: dict[str, frozenset[str]] = {}
        for grade in grades:
            own = _items_in(grade, items, operators, tiers)
            own_keys[grade.grade_id] = frozenset(item.key for item in own)
            boards[grade.grade_id] = prepare(
                grade,
                self.memories[grade.grade_id],
                usable(own, held, self.rules),
                self.tracks,
                in_grade(trades, grade, operators, tiers),
                day,
                self.outages,
                self.rules,
            )
        for name, board in boards.items():
            board.is_stopped = (day, name) in self.stopped
            board.discount = self._discount(board, list(boards.values()))
        published: dict[str, Values] = {}
        by_grade = {grade.grade_id: grade for grade in grades}
        for grade in sorted(grades, key=lambda one: (_depth(one, by_grade), one.grade_id)):
            published[grade.grade_id] = publish(
                boards[grade.grade_id],
                self.rules,
                [boards[name] for name in _ancestors(grade, by_grade)],
                published,
                own_keys[grade.grade_id],
            )
        return published

    def _tracked(self, items: Sequence[Item], day: date) -> list[Item]:
        """Give every item its track, continue relabelled ones, note prices and unit steps, smooth what flickers."""
        keys = {item.key for item in items}
        known = {key for key, track in self.tracks.items() if (day - track.stated[-1][0]).days <= _TRACK_DAYS}
        ended = [self.tracks[key] for key in self.present_before if key not in keys]
        begun = [item for item in items if item.key not in known]
        for new, old in relabelled(ended, begun).items():
            self.tracks[new] = self.tracks.pop(old)
            for memory in self.memories.values():
                if old in memory.accepted:
                    memory.accepted[new] = memory.accepted.pop(old)
                if old in memory.pending:
                    memory.pending[new] = memory.pending.pop(old)
                for accepted in memory.accepted_as_of.values():
                    if old in accepted:
                        accepted[new] = accepted.pop(old)
        self.present_before = keys
        found = []
        for item in items:
            track = self.tracks.get(item.key)
            if track is None or (item.key not in known and track.item.key == item.key):
                track = self.tracks[item.key] = Track(item, [], (item.native, item.currency))
            track.item = item
            track.stated.append((day, item.native, item.currency))
            smoothed = with_flicker(item, track, day, self.rules)
            note_unit_steps(smoothed, track, day, self.rules)
            found.append(smoothed)
        return found

    def _discount(self, board: Board, boards: Sequence[Board]) -> Estimate | None:
        """The grade's discount: its own estimate shrunk to its pool, the pool's, or the last one for ninety days."""
        pool = [
            other.own
            for other in boards
            if other is not board and other.own is not None and _is_in_pool(board.grade, other.grade)
        ]
        found = _pooled(board.own, pool)
        low, high = self.rules.numbers("discount", "clamp")
        memory, day = board.memory, board.day
        if found is not None:
            found = Estimate(min(max(found.log, low), high), found.error)
            memory.last_discount = (day, found)
            memory.defined_days.add(day)
            return found
        if memory.last_discount is None:
            return None
        since, last = memory.last_discount
        days = (day - since).days
        if days > self.rules.whole("discount", "lapse_days"):
            return None
        drift = self.rules.number("discount", "lapse_drift") ** 2 * days / 30
        return Estimate(last.log, (last.error**2 + drift) ** 0.5)


def _pooled(own: Estimate | None, pool: Sequence[Estimate]) -> Estimate | None:
    if own is None:
        if not pool:
            return None
        if len(pool) == 1:
            return Estimate(pool[0].log, pool[0].error * 2**0.5)
        between, mean, variance = paule_mandel([e.log for e in pool], [e.error**2 for e in pool])
        return Estimate(mean, (between + variance) ** 0.5)
    if len(pool) < 2:
        return own
    everyone = [own, *pool]
    between, mean, variance = paule_mandel([e.log for e in everyone], [e.error**2 for e in everyone])
    error = own.error**2
    trust = between / (between + error)
    shrunk = (between * error / (between + error)) ** 0.5
    return Estimate(trust * own.log + (1 - trust) * mean, max(shrunk, variance**0.5))


def _is_in_pool(mine: Grade, other: Grade) -> bool:
    if mine.bucket == "ALL":
        return other.code == mine.code and other.bucket in _TIER_BUCKETS
    return other.chip == mine.chip and other.bucket == mine.bucket and other.code != mine.code


def _has_captures(facts: Facts, cutoff: Cutoff) -> bool:
    """Whether any price source was looked at with success that day; without, it is our own outage."""
    return any(
        row["snapshot_day"] == cutoff.day
        and row["status"] != "failed"
        and row["source_id"] != "ecb"
        and cutoff.sees(row)
        for row in facts.snapshots
    )


def _items_in(
    grade: Grade, items: Sequence[Item], operators: dict[str, Operator], tiers: dict[tuple[str, str], str]
) -> list[Item]:
    return [
        item
        for item in items
        if grade.takes(item.axes, operators[item.operator], tier_of(tiers, item.operator, item.axes["scope"]))
    ]


def _ancestors(grade: Grade, by_grade: dict[str, Grade]) -> list[str]:
    found = []
    parent = grade.parent
    while parent in by_grade and parent not in found:
        found.append(parent)
        parent = by_grade[parent].parent
    return found


def _depth(grade: Grade, by_grade: dict[str, Grade]) -> int:
    return len(_ancestors(grade, by_grade))


def run(
    connection: duckdb.DuckDBPyConnection,
    last_day: date,
    *,
    method: Rules | None = None,
    judging: date | None = None,
) -> dict[date, dict[str, Values]]:
    """Every day from the first that has values stored, or facts, to `last_day`.

    Where the newest live vintage of a day holds a value, or refused it, the grade's series waits, but for the day
    that is being judged.
    """
    rows = connection.execute(
        "SELECT day, bool_or(construction = 'live') FROM reference_prices GROUP BY day ORDER BY day"
    ).fetchall()
    live = dict(rows)
    facts = read_facts(connection)
    series = Series(facts, method or rules())
    stopped = connection.execute(_STOPPED).fetchall()
    series.stopped = {(day, grade_id) for day, grade_id in stopped if day != judging}
    first: date = min([day for day, _ in rows] + [last_day])
    found: dict[date, dict[str, Values]] = {}
    hours = series.rules.whole("time", "cut_off_hour_utc")
    for number in range((last_day - first).days + 1):
        day = first + timedelta(days=number)
        cutoff = cutoff_of(day, hours, is_reconstructed=not live.get(day, True))
        found[day] = series.day(cutoff)
    return found
