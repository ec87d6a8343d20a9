"""Looking back at runs: what each did, how long it took and how it ended, from the `runs` table."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from warehouse.sql_files import run_sql_dicts
from warehouse.store import Warehouse

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class PastRun:
    """A run. `ended_at` and `exit_code` are None while it goes on, and for ever where it was killed."""

    run_id: str
    command: str
    started_at: datetime
    clock_at: datetime
    ended_at: datetime | None
    exit_code: int | None
    versions: Json
    report: Json

    @property
    def seconds(self) -> float | None:
        """Wall time, to the millisecond."""
        if self.ended_at is None:
            return None
        return round((self.ended_at - self.started_at).total_seconds(), 3)

    @property
    def error(self) -> str | None:
        return self.report.get("error")

    @property
    def sources(self) -> dict[str, Json]:
        """Source → status, captures, rows accepted, rows rejected by reason."""
        found: dict[str, Json] = self._collected.get("sources", {})
        return found

    @property
    def accepted(self) -> int | None:
        """Rows that were read; None for a run that read nothing by its nature."""
        return self._collected.get("accepted")

    @property
    def rejected(self) -> dict[str, int]:
        """Refusals by reason, of reading and of grading."""
        counts: Counter[str] = Counter(self._collected.get("rejected", {}))
        counts.update(self.report.get("graded", {}).get("rejected", {}))
        return dict(sorted(counts.items()))

    @property
    def days(self) -> list[Json]:
        """The days priced or published: day, vintage, and how many grades have a value and how many do not."""
        names = ("day", "vintage", "published", "withheld", "is_new")
        listed: list[Json] = self.report.get("editions") or self.report.get("days") or []
        return [{name: one[name] for name in names} for one in listed]

    def as_json(self) -> Json:
        return {
            "run_id": self.run_id,
            "command": self.command,
            "started_at": self.started_at,
            "ended_at": self.ended_at,
            "seconds": self.seconds,
            "exit_code": self.exit_code,
            "error": self.error,
            "clock_at": self.clock_at,
            "versions": self.versions,
            "sources": self.sources,
            "accepted": self.accepted,
            "rejected": self.rejected,
            "graded": self.report.get("graded"),
            "days": self.days,
        }

    @property
    def _collected(self) -> Mapping[str, Any]:
        """What was read: by a daily run beside its editions, by the other commands as their report."""
        inner = self.report.get("collected", self.report)
        return inner or {}


def last_runs(warehouse: Warehouse, count: int) -> list[PastRun]:
    """The last `count` runs that started, newest first."""
    rows = run_sql_dicts(warehouse, "gpurent.daily.sql", "runs_recorded", {"last": count})
    return [
        PastRun(
            run_id=row["run_id"],
            command=row["command"],
            started_at=row["started_at"],
            clock_at=row["clock_at"],
            ended_at=row["ended_at"],
            exit_code=row["exit_code"],
            versions=json.loads(row["versions_json"]),
            report=json.loads(row["report_json"] or "{}"),
        )
        for row in rows
    ]
