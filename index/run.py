"""One day of the index: reduce, follow the items, run the grades in lattice order, write the rows.

A day is a function of its rows (as far as the cut-off lets it see), the registers, the methodology and the memory
of the day before. `compute_day` writes everything of a day and vintage in one transaction, or nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from graphlib import CycleError, TopologicalSorter

import pyarrow as pa

from gpurent.core.errors import ConfigError
from gpurent.core.stages import reach
from index.parameters import Methodology
from index.reduction import LIVE, Horizon, Reduction, reduce_day
from index.rows import (
    Row,
    Stamp,
    contribution_rows,
    discount_rows,
    exclusion_rows,
    item_rows,
    reference_row,
    voice_rows,
)
from index.steps.observation import DayItem, DayTrade
from index.steps.preparation import prepare
from index.steps.publication import Parents
from index.steps.series import GradeDay, finish, lent_change, modelled_change
from index.steps.settlement import Standing
from index.steps.state import SeriesState, TrackState
from index.steps.tracks import follow
from warehouse.sql_files import run_sql
from warehouse.store import Warehouse

LINEAGE_ID = "~"  # the row of series_states that names the vintages a day comes from
TRACKS_ID = "*"  # the row of series_states that holds the items' tracks of all grades

LINEAGE_DAYS = 40
CONTENT_ID = "#"  # ... and the one that holds the content hash of the whole day

TABLES = (
    "items",
    "voices",
    "reference_prices",
    "contributions",
    "exclusions",
    "discounts",
    "series_states",
)
TIER_BUCKETS = frozenset({"T1", "T2", "T3", "T4", "U", "NR", "NT"})


@dataclass(slots=True)
class Memory:
    """What a day hands to the next: the tracks of items and the state of each grade. `day` None is the beginning.

    `lineage` names the vintage of each of the last days that this memory comes from.
    """

    day: date | None = None
    tracks: TrackState = field(default_factory=TrackState)
    series: dict[str, SeriesState] = field(default_factory=dict)
    lineage: dict[date, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Grade:
    """A grade of the book on a day: its permanent id, readable name, parent, and whether it is composite."""

    grade_id: str
    code: str
    bucket: str
    parent: str | None
    is_composite: bool

    @property
    def chip(self) -> str:
        return self.code.split("-", 1)[0]


@dataclass(slots=True)
class DayResult:
    """A computed day: the rows by table, their content hash (without vintage and known_at), and the next memory."""

    day: date
    vintage: str
    rows: dict[str, list[Row]]
    content_sha256: str
    memory: Memory
    has_captures: bool

    @property
    def published(self) -> int:
        """How many grades have a value."""
        return sum(1 for row in self.rows["reference_prices"] if row["status"] == "published")

    def as_vintage(
        self, vintage: str, published_at: datetime | None = None, *, may_settle: bool = True
    ) -> DayResult:
        """The same day under another vintage's name (and time of publication; research is never settled on)."""
        rows = {table: _as_vintage(found, vintage, published_at) for table, found in self.rows.items()}
        if not may_settle:
            rows["reference_prices"] = [
                {**row, "settlement_eligible": False} for row in rows["reference_prices"]
            ]
        self.memory.lineage[self.day] = vintage
        return replace(self, vintage=vintage, rows=rows)


def _as_vintage(rows: list[Row], vintage: str, published_at: datetime | None) -> list[Row]:
    named = [{**row, "vintage": vintage} for row in rows]
    if published_at is None:
        return named
    return [{**row, "published_at": published_at} if "published_at" in row else row for row in named]


def grades_of(warehouse: Warehouse, horizon: Horizon) -> list[Grade]:
    """The grades of a day, parents before children. A cycle raises ConfigError naming it.

    Definitions are ours, not knowledge: a reconstructed day (and the sample's) uses the present version.
    """
    is_present = horizon.is_reconstructed or warehouse.fact("purpose") in {"sample", "replay"}
    rows = run_sql(
        warehouse, "index.sql", "03_grades_of_day", {"day": horizon.day, "uses_present_version": is_present}
    )
    grades = {row[0]: Grade(*row) for row in rows}
    sorter = TopologicalSorter(
        {grade_id: {grade.parent} & grades.keys() for grade_id, grade in grades.items()}
    )
    try:
        order = list(sorter.static_order())
    except CycleError as error:
        raise ConfigError(f"the parents of the grades form a cycle: {' -> '.join(error.args[1])}") from None
    return [grades[grade_id] for grade_id in order]


def _parents(
    grade: Grade,
    done: Mapping[str, GradeDay],
    grades: Mapping[str, Grade],
    items: Sequence[DayItem],
    method: Methodology,
) -> Parents:
    """What the grade may borrow from its ancestors, nearest first."""
    ancestors: list[GradeDay] = []
    parent = grade.parent
    while parent is not None:
        if parent in done:
            ancestors.append(done[parent])
        parent = grades[parent].parent if parent in grades else None
    own = frozenset(item.item_key for item in items)

    def matched(since: date) -> Decimal | None:
        return next((c for a in ancestors if (c := lent_change(a, since)) is not None), None)

    def modelled() -> Decimal | None:
        return next((c for a in ancestors if (c := modelled_change(a, own, method)) is not None), None)

    return Parents(matched, modelled)


def _by_grade(
    reduction: Reduction, followed: Iterable[DayItem]
) -> tuple[dict[str, list[DayItem]], dict[str, list[DayTrade]]]:
    items: dict[str, list[DayItem]] = {}
    trades: dict[str, list[DayTrade]] = {}
    shadowed = [replace(item, source_hold="own_offer_seen") for item in reduction.shadowed]
    for item in [*followed, *shadowed]:
        for grade_id in reduction.grades.get(item.item_key, ()):
            items.setdefault(grade_id, []).append(item)
    for trade in reduction.trades:
        for grade_id in reduction.grades.get(trade.item_key, ()):
            trades.setdefault(grade_id, []).append(trade)
    return items, trades


def relatives(grade: Grade, grades: Sequence[Grade]) -> list[str]:
    """The grades whose own discounts make a grade's pool (section 6): for ALL the tiers of its code, else the same
    bucket over the chip's codes."""
    if grade.bucket == "ALL":
        kin = [one for one in grades if one.code == grade.code and one.bucket in TIER_BUCKETS]
    else:
        kin = [one for one in grades if one.bucket == grade.bucket and one.chip == grade.chip]
    return sorted(one.grade_id for one in kin if one.grade_id != grade.grade_id)


@dataclass(frozen=True, slots=True)
class Terms:
    """How a day is run: whether made-up trades count, whether values may be settled on, what became of held ones.

    `settled` maps a held grade to whether the independent computation agreed; None at the first publication.
    """

    counts_synthetic: bool = False
    may_settle: bool = False
    settled: Mapping[str, bool] | None = None

    def standing(self, grade: Grade) -> Standing:
        confirmed = None if self.settled is None else self.settled.get(grade.grade_id)
        return Standing(self.may_settle and not grade.is_composite, confirmed)


def run_grades(
    reduction: Reduction,
    grades: Sequence[Grade],
    memory: Memory,
    day: date,
    method: Methodology,
    terms: Terms,
) -> dict[str, GradeDay]:
    """The ordered step for all grades: all are prepared, then they lend and publish. `memory` is brought to `day`."""
    outage = not reduction.has_captures
    followed: list[DayItem] = []
    renamed: dict[str, str] = {}
    if outage:
        memory.tracks.last_day = day
        for track in memory.tracks.tracks.values():
            if track.last_day == day - timedelta(days=1):
                track.last_day = day  # our own outage ends no item
    else:
        followed, renamed = follow(memory.tracks, reduction.items, day, method)
    items, trades = _by_grade(reduction, followed)
    prepared = {
        grade.grade_id: prepare(
            grade.grade_id,
            memory.series.setdefault(grade.grade_id, SeriesState()),
            items.get(grade.grade_id, []),
            trades.get(grade.grade_id, []),
            day,
            method,
            renamed=renamed,
            outage=outage,
            counts_synthetic=terms.counts_synthetic,
        )
        for grade in grades
    }
    by_id = {grade.grade_id: grade for grade in grades}
    done: dict[str, GradeDay] = {}
    for grade in grades:
        own = items.get(grade.grade_id, [])
        pool = [e for kin in relatives(grade, grades) if (e := prepared[kin].estimate) is not None]
        parents = _parents(grade, done, by_id, own, method)
        done[grade.grade_id] = finish(prepared[grade.grade_id], pool, parents, method, terms.standing(grade))
    memory.day = day
    return done


def _content_hash(rows: Mapping[str, Sequence[Row]]) -> str:
    """A hash over all rows of a day but for vintage and recording time: equal content is not written twice."""
    digest = hashlib.sha256()
    for table in sorted(rows):
        for row in rows[table]:
            kept = {
                key: str(value)
                for key, value in row.items()
                if key not in {"vintage", "known_at", "published_at"}
            }
            digest.update(json.dumps([table, kept], sort_keys=True).encode())
    return digest.hexdigest()


def compute_day(
    warehouse: Warehouse,
    day: date,
    *,
    construction: str,
    vintage: str,
    methodology: Methodology,
    register_version: str,
    memory: Memory,
    settled: Mapping[str, bool] | None = None,
) -> DayResult:
    """Compute a day in memory; nothing is written. `memory` must be of the day before (or empty) and is used up.

    A large move of a value that may be settled on is held, unless `settled` says what became of it.
    """
    horizon = Horizon.of(day, construction, register_version, methodology)
    grades = grades_of(warehouse, horizon)
    reduction = reduce_day(warehouse, horizon, methodology)
    reach("index.reduced")
    terms = Terms(
        counts_synthetic=warehouse.fact("purpose") in {"sample", "replay"},
        may_settle=construction == LIVE,
        settled=settled,
    )
    done = run_grades(reduction, grades, memory, day, methodology, terms)
    public_routes = frozenset(
        source_id for (source_id,) in run_sql(warehouse, "index.sql", "04_public_routes", {})
    )
    stamp = Stamp(day, vintage, construction, register_version, warehouse.clock.now())
    rows: dict[str, list[Row]] = {table: [] for table in TABLES}
    for graded in sorted(done.values(), key=lambda one: one.grade_id):
        rows["items"].extend(item_rows(graded, stamp))
        rows["voices"].extend(voice_rows(graded, stamp, methodology, public_routes))
        rows["reference_prices"].append(reference_row(graded, stamp, methodology))
        rows["contributions"].extend(contribution_rows(graded, stamp, public_routes))
        rows["exclusions"].extend(exclusion_rows(graded, stamp))
        rows["discounts"].extend(discount_rows(graded, stamp, methodology))
        text = graded.state.to_text()
        if text != "{}":
            rows["series_states"].append({**stamp.base(graded.grade_id), "state_json": text})
    rows["series_states"].append({**stamp.base(TRACKS_ID), "state_json": memory.tracks.to_text()})
    content = _content_hash(rows)
    kept = {when: name for when, name in memory.lineage.items() if (day - when).days <= LINEAGE_DAYS}
    lineage = json.dumps({when.isoformat(): name for when, name in sorted(kept.items())}, sort_keys=True)
    rows["series_states"].append({**stamp.base(CONTENT_ID), "state_json": content})
    rows["series_states"].append({**stamp.base(LINEAGE_ID), "state_json": lineage})
    memory.lineage = {**kept, day: vintage}
    reach("index.computed")
    return DayResult(day, vintage, rows, content, memory, reduction.has_captures)


def store_day(warehouse: Warehouse, result: DayResult) -> None:
    """Write a computed day in one transaction."""
    with warehouse.transaction():
        for table in TABLES:
            warehouse.append(table, result.rows[table])
    reach("index.stored")


def load_memory(warehouse: Warehouse, day: date, vintage: str, method: Methodology) -> Memory:
    """The memory of a stored day and vintage; an unknown one raises KeyError."""
    rows = run_sql(warehouse, "index.sql", "06_states_of_day", {"day": day, "vintage": vintage})
    texts = dict(rows)
    if TRACKS_ID not in texts:
        raise KeyError(f"no state is stored for {day} vintage {vintage}")
    tracks = TrackState.from_text(texts.pop(TRACKS_ID))
    texts.pop(CONTENT_ID, None)
    named = json.loads(texts.pop(LINEAGE_ID, "{}"))
    lineage = {date.fromisoformat(when): name for when, name in named.items()} | {day: vintage}
    series = {grade_id: SeriesState.from_text(text) for grade_id, text in texts.items()}
    first = day - timedelta(days=method.reference.change_days - 1)
    came_from = pa.table(
        {
            "day": pa.array([when for when in lineage if when >= first], pa.date32()),
            "vintage": pa.array([name for when, name in lineage.items() if when >= first], pa.string()),
        }
    )
    warehouse.connection.register("lineage_days", came_from)
    for when, grade_id, group, new, old, age in run_sql(warehouse, "index.sql", "09_recent_pairs", {}):
        if grade_id in series:
            series[grade_id].recent_pairs.setdefault(when, {})[group] = (float(new), float(old), age)
    warehouse.connection.unregister("lineage_days")
    return Memory(day, tracks, series, lineage)


def stored_content(warehouse: Warehouse, day: date, vintage: str) -> str | None:
    """The content hash of a stored day and vintage; None where there is none."""
    rows = run_sql(warehouse, "index.sql", "06_states_of_day", {"day": day, "vintage": vintage})
    return dict(rows).get(CONTENT_ID)
