"""Which vintage of a day the next one starts from (section 11): finality is derived, never set."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from gpurent.core.clock import at_utc
from index.parameters import Methodology
from index.run import Memory, load_memory
from warehouse.sql_files import run_sql
from warehouse.store import Warehouse

RESEARCH, BACKFILL = "research-", "backfill-"


@dataclass(frozen=True, slots=True)
class Vintage:
    """A stored vintage of a day: when it is (or was) published, and when it was recorded."""

    name: str
    published_at: datetime
    known_at: datetime

    @property
    def is_live(self) -> bool:
        return self.name.isdigit()


def vintages_of(warehouse: Warehouse, day: date) -> list[Vintage]:
    """The vintages stored for a day, oldest first by publication."""
    rows = run_sql(warehouse, "gpurent.daily.sql", "vintages_of_day", {"day": day})
    return [Vintage(*row) for row in rows]


def day_vintages(warehouse: Warehouse, day: date) -> list[str]:
    """Their names."""
    return [vintage.name for vintage in vintages_of(warehouse, day)]


def final_vintage(
    warehouse: Warehouse, day: date, method: Methodology, *, known_by: datetime | None = None
) -> str | None:
    """The newest live vintage published by D+1 15:00, else the newest reconstructed one; None where none is stored.

    A reconstructed one must have been recorded by `known_by` where that is given: what is reconstructed later never
    becomes the past of a live day. A research vintage never lends its state.
    """
    stored = vintages_of(warehouse, day)
    limit = at_utc(day, method.time.final_hour_utc)
    live = [one.name for one in stored if one.is_live and one.published_at <= limit]
    if live:
        return max(live, key=int)
    backfills = [
        one.name
        for one in stored
        if one.name.startswith(BACKFILL) and (known_by is None or one.known_at <= known_by)
    ]
    return max(backfills, key=lambda name: int(name.removeprefix(BACKFILL)), default=None)


def last_live_day(warehouse: Warehouse, before: date) -> date | None:
    """The newest day before `before` that was published live."""
    ((day,),) = run_sql(warehouse, "gpurent.daily.sql", "last_live_day", {"before": before})
    return day  # type: ignore[no-any-return]


def memory_before(warehouse: Warehouse, day: date, method: Methodology, *, is_live: bool = True) -> Memory:
    """The memory that `day` starts from: of the day before, or a new one where that was never computed.

    A live day starts from a reconstructed one only if that was recorded by its own cut-off.
    """
    yesterday = day - timedelta(days=1)
    known_by = at_utc(day, method.time.cut_off_hour_utc) if is_live else None
    vintage = final_vintage(warehouse, yesterday, method, known_by=known_by)
    return Memory() if vintage is None else load_memory(warehouse, yesterday, vintage, method)


def research_memory_before(warehouse: Warehouse, day: date, method: Methodology) -> Memory:
    """The memory a research vintage of `day` starts from: the day before's own research, where it has one."""
    yesterday = day - timedelta(days=1)
    own = [name for name in day_vintages(warehouse, yesterday) if name.startswith(RESEARCH)]
    if not own:
        return memory_before(warehouse, day, method)
    newest = max(own, key=lambda name: int(name.removeprefix(RESEARCH)))
    return load_memory(warehouse, yesterday, newest, method)
