"""How the sources are: last whole look, its age against the source's own cadence, failures, and what it states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from collectors.registry import SourceRecord
from collectors.settings import is_loopback
from gpurent.core.clock import utc_day
from gpurent.core.settings import Settings
from index.parameters import load
from warehouse.sql_files import run_sql, run_sql_dicts
from warehouse.store import Warehouse

# how many times its cadence a source's last whole look may be old
LATE_AFTER = 2
STATUSES: Mapping[str, str] = {
    "live": "asked, read, and counted in prices",
    "untried": "never read yet; its fixture is ours, so it counts from its first success and shadow on",
    "shadow": "collected and graded, not in a price for its first days",
    "failing": "the last look did not come whole",
    "not_configured": "live collection needs a contact, and none is set",
    "file_only": "nothing is fetched; its files are handed in",
    "retired": "asked no more",
}


@dataclass(frozen=True, slots=True)
class SourceHealth:
    """A source as it stands. Times are None, and counts 0, where it was never looked at."""

    record: SourceRecord
    status: str
    look_count: int
    last_look_at: datetime | None
    last_status: str | None
    last_good_at: datetime | None
    age_hours: float | None
    stated_rows: int
    rejected_rows: int
    failures_in_a_row: int

    @property
    def is_late(self) -> bool:
        """Whether the last whole look is older than twice the cadence, for sources that are asked."""
        if self.status in {"file_only", "retired"} or self.age_hours is None:
            return False
        return self.age_hours > LATE_AFTER * self.record.cadence_hours

    def as_json(self) -> dict[str, Any]:
        return {
            "status": self.status,
            "is_late": self.is_late,
            "last_good_at": self.last_good_at,
            "age_hours": self.age_hours,
            "cadence_hours": self.record.cadence_hours,
            "stated_rows": self.stated_rows,
            "rejected_rows": self.rejected_rows,
            "last_look_at": self.last_look_at,
            "last_status": self.last_status,
            "failures_in_a_row": self.failures_in_a_row,
            "look_count": self.look_count,
        }


def present(warehouse: Warehouse) -> datetime:
    """Now; in a warehouse made from an archive, the instant at which its clock came to stand."""
    if warehouse.fact("purpose") is None:
        return warehouse.clock.now()
    ((stood,),) = warehouse.rows("SELECT max(occurred_at) FROM runs")
    instant: datetime = stood or warehouse.clock.now()
    return instant


def source_health(
    warehouse: Warehouse | None, records: Mapping[str, SourceRecord], settings: Settings, now: datetime
) -> list[SourceHealth]:
    """The health of every record, by id. Without a warehouse nothing was looked at."""
    looks: dict[str, dict[str, Any]] = {}
    holds: dict[str, str] = {}
    if warehouse is not None:
        rows = run_sql_dicts(warehouse, "gpurent.daily.sql", "source_looks")
        looks = {row["source_id"]: row for row in rows}
        shadow_days = load().time.shadow_days
        bound = {"day": utc_day(now), "cutoff": now, "shadow_days": shadow_days}
        holds = dict(run_sql(warehouse, "index.sql", "08_source_holds", bound))
    return [
        _health(record, looks.get(name), holds.get(name), settings, now) for name, record in records.items()
    ]


def stated_axes(warehouse: Warehouse, source_id: str) -> dict[str, int] | None:
    """Offers of the newest day the source was seen, and of how many each axis is stated; None without offers."""
    rows = run_sql_dicts(warehouse, "gpurent.daily.sql", "source_axes", {"source_id": source_id})
    return rows[0] if rows else None


def _health(
    record: SourceRecord,
    look: Mapping[str, Any] | None,
    hold: str | None,
    settings: Settings,
    now: datetime,
) -> SourceHealth:
    found = look or {}
    good = found.get("last_good_at")
    return SourceHealth(
        record=record,
        status=_status(record, look, hold, settings, now),
        look_count=found.get("look_count", 0),
        last_look_at=found.get("last_look_at"),
        last_status=found.get("last_status"),
        last_good_at=good,
        age_hours=None if good is None else round((now - good) / timedelta(hours=1), 1),
        stated_rows=found.get("stated_rows") or 0,
        rejected_rows=found.get("rejected_rows") or 0,
        failures_in_a_row=found.get("failures_in_a_row", 0),
    )


def _status(
    record: SourceRecord,
    look: Mapping[str, Any] | None,
    hold: str | None,
    settings: Settings,
    now: datetime,
) -> str:
    can_ask = settings.contact is not None or is_loopback(settings.endpoint)
    judged = (
        ("retired", record.retired_on is not None and record.retired_on <= utc_day(now)),
        ("file_only", record.is_file_only),
        ("failing", look is not None and look["last_status"] != "complete"),
        ("not_configured", look is None and not can_ask),
        ("untried", look is None or hold == "source_untried"),
        ("shadow", hold == "source_shadow"),
    )
    return next((status for status, holds in judged if holds), "live")
