"""What came of reading: counts by document, source and reason, and the faults that ended one early."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Literal

from gpurent.core.clock import iso_utc

Outcome = Literal["read", "unreadable", "known"]


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a document, file or request brought nothing. `where` is a URL or a path, `day` the UTC day it was tried."""

    where: str
    reason_code: str
    detail: str
    day: date | None = None

    def to_json(self) -> dict[str, str | None]:
        day = None if self.day is None else self.day.isoformat()
        return {"where": self.where, "reason_code": self.reason_code, "detail": self.detail, "day": day}


@dataclass(frozen=True, slots=True)
class CaptureOutcome:
    """What became of one document. `unchanged` counts rates that were recorded already.

    `untimed` counts the rows whose time is the clock's, since neither they nor the document state one. A known
    document has the instant at which it was recorded, and `is_asked_otherwise` where it was then read with other words.
    """

    capture_id: str
    source_id: str
    url: str
    outcome: Outcome
    accepted: int = 0
    rejected: Mapping[str, int] = field(default_factory=dict)
    unchanged: int = 0
    fault: Fault | None = None
    untimed: int = 0
    known_since: datetime | None = None
    is_asked_otherwise: bool = False

    @property
    def rejected_rows(self) -> int:
        return sum(self.rejected.values())


@dataclass(frozen=True, slots=True)
class FileResult:
    """One file of an ingest. `outcome` is None for a file that could not even be opened."""

    path: str
    outcome: CaptureOutcome | None
    fault: Fault | None

    def to_json(self) -> dict[str, object]:
        found = self.outcome
        entry: dict[str, object] = {
            "path": self.path,
            "capture_id": found.capture_id if found else None,
            "accepted": found.accepted if found else 0,
            "rejected": found.rejected_rows if found else 0,
            "outcome": found.outcome if found else "not_opened",
            "untimed": found.untimed if found else 0,
            "known_since": iso_utc(found.known_since) if found and found.known_since else None,
            "is_asked_otherwise": found.is_asked_otherwise if found else False,
        }
        if self.fault is not None:
            entry["fault"] = self.fault.to_json()
        return entry


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an ingest did. Known files count as readable, and bring no rows a second time."""

    source_id: str
    files: tuple[FileResult, ...]

    @property
    def readable(self) -> int:
        """Files that could be read, now or when they were first ingested."""
        return sum(1 for file in self.files if file.fault is None)

    @property
    def unreadable(self) -> int:
        return len(self.files) - self.readable

    @property
    def accepted(self) -> int:
        return sum(file.outcome.accepted for file in self.files if file.outcome)

    @property
    def rejected(self) -> dict[str, int]:
        return tally(file.outcome.rejected for file in self.files if file.outcome)

    @property
    def exit_code(self) -> int:
        """0 every file could be read (rejected rows do not matter), 4 some, 3 none."""
        if not self.unreadable:
            return 0
        return 4 if self.readable else 3

    def to_json(self) -> dict[str, object]:
        return {
            "source_id": self.source_id,
            "accepted": self.accepted,
            "rejected": self.rejected,
            "untimed": sum(file.outcome.untimed for file in self.files if file.outcome),
            "captures": [file.to_json() for file in self.files],
        }


SourceStatus = Literal["complete", "partial", "failed", "skipped"]


@dataclass(slots=True)
class SourceReport:
    """What a run got from one source."""

    source_id: str
    outcomes: list[CaptureOutcome] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    is_skipped: bool = False

    @property
    def status(self) -> SourceStatus:
        """complete: everything was read; partial: something was; failed: nothing was; skipped: not asked."""
        if self.is_skipped:
            return "skipped"
        read = any(outcome.fault is None for outcome in self.outcomes)
        if not self.faults:
            return "complete" if read else "failed"
        return "partial" if read else "failed"

    def to_json(self) -> dict[str, object]:
        return {
            "status": self.status,
            "captures": len(self.outcomes),
            "known": sum(1 for outcome in self.outcomes if outcome.outcome == "known"),
            "accepted": sum(outcome.accepted for outcome in self.outcomes),
            "rejected": tally(outcome.rejected for outcome in self.outcomes),
            "unchanged": sum(outcome.unchanged for outcome in self.outcomes),
            "faults": [fault.to_json() for fault in self.faults],
        }


@dataclass(slots=True)
class CollectReport:
    """What a live run or a replay brought, by source. `damages` are archive records that could not be read."""

    run_id: str
    sources: dict[str, SourceReport] = field(default_factory=dict)
    damages: list[str] = field(default_factory=list)

    def of(self, source_id: str) -> SourceReport:
        """The report of a source, begun on first use."""
        return self.sources.setdefault(source_id, SourceReport(source_id))

    def add(self, outcome: CaptureOutcome) -> None:
        """Count a document and, where it could not be read, its fault."""
        report = self.of(outcome.source_id)
        report.outcomes.append(outcome)
        if outcome.fault is not None:
            report.faults.append(outcome.fault)

    @property
    def failed(self) -> list[str]:
        """Sources that did not come whole, by id."""
        return sorted(name for name, report in self.sources.items() if report.status in {"partial", "failed"})

    @property
    def accepted(self) -> int:
        return sum(outcome.accepted for report in self.sources.values() for outcome in report.outcomes)

    def to_json(self) -> dict[str, object]:
        outcomes = [outcome for report in self.sources.values() for outcome in report.outcomes]
        return {
            "run_id": self.run_id,
            "accepted": self.accepted,
            "rejected": tally(outcome.rejected for outcome in outcomes),
            "failed": self.failed,
            "damages": self.damages,
            "sources": {name: self.sources[name].to_json() for name in sorted(self.sources)},
        }


def tally(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """The sum of several counts by code, codes sorted."""
    total: Counter[str] = Counter()
    for count in counts:
        total.update(count)
    return dict(sorted(total.items()))
