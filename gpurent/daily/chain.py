"""Which vintage of a day the next one starts from (section 11): finality is derived, never set."""

from __future__ import annotations

from datetime import date, timedelta

from gpurent.core.clock import at_utc
from index.parameters import Methodology
from index.run import Memory, load_memory
from warehouse.sql_files import run_sql
from warehouse.store import Warehouse

RESEARCH = "research-"


def day_vintages(warehouse: Warehouse, day: date) -> list[str]:
    """The vintages stored for a day, oldest first by publication."""
    return [name for name, _ in run_sql(warehouse, "gpurent.daily.sql", "vintages_of_day", {"day": day})]


def final_vintage(warehouse: Warehouse, day: date, method: Methodology) -> str | None:
    """The newest live vintage published by D+1 15:00, else the newest reconstructed one; None where none is stored.

    A research vintage never lends its state.
    """
    rows = run_sql(warehouse, "gpurent.daily.sql", "vintages_of_day", {"day": day})
    limit = at_utc(day, method.time.final_hour_utc)
    live: list[str] = [name for name, published_at in rows if name.isdigit() and published_at <= limit]
    if live:
        return max(live, key=int)
    backfills = [name for name, _ in rows if name.startswith("backfill-")]
    return max(backfills, key=lambda name: int(name.removeprefix("backfill-")), default=None)


def last_computed_day(warehouse: Warehouse, before: date) -> date | None:
    """The newest day before `before` that has a stored state."""
    ((day,),) = run_sql(warehouse, "gpurent.daily.sql", "last_computed_day", {"before": before})
    return day  # type: ignore[no-any-return]


def memory_before(warehouse: Warehouse, day: date, method: Methodology) -> Memory:
    """The memory that `day` starts from: of the day before, or a new one where that was never computed."""
    yesterday = day - timedelta(days=1)
    vintage = final_vintage(warehouse, yesterday, method)
    return Memory() if vintage is None else load_memory(warehouse, yesterday, vintage, method)


def research_memory_before(warehouse: Warehouse, day: date, method: Methodology) -> Memory:
    """The memory a research vintage of `day` starts from: the day before's own research, where it has one."""
    yesterday = day - timedelta(days=1)
    own = [name for name in day_vintages(warehouse, yesterday) if name.startswith(RESEARCH)]
    if not own:
        return memory_before(warehouse, day, method)
    newest = max(own, key=lambda name: int(name.removeprefix(RESEARCH)))
    return load_memory(warehouse, yesterday, newest, method)
