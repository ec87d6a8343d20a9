"""What each run gives back: facts for a person or a machine, and the exit code they mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

Json = dict[str, Any]

DONE, CHECK_FAILED, PARTIAL, ALL_WITHHELD = 0, 3, 4, 5


@dataclass(frozen=True, slots=True)
class Graded:
    """What normalising and matching did with new stated rows: counts, and refusals by reason."""

    captures: int = 0
    offers: int = 0
    trades: int = 0
    rejected: Mapping[str, int] = field(default_factory=dict)

    def __add__(self, other: Graded) -> Graded:
        return Graded(
            self.captures + other.captures,
            self.offers + other.offers,
            self.trades + other.trades,
            dict(Counter(self.rejected) + Counter(other.rejected)),
        )

    def as_json(self) -> Json:
        return {
            "captures": self.captures,
            "offers": self.offers,
            "trades": self.trades,
            "rejected": dict(sorted(self.rejected.items())),
        }


@dataclass(frozen=True, slots=True)
class IngestRun:
    """Files read by hand. `read` is the collectors' own report: accepted, rejected by reason, captures by path."""

    read: Json
    exit_code: int
    graded: Graded
    warehouse: Path

    def as_json(self) -> Json:
        return {**self.read, "graded": self.graded.as_json(), "warehouse": str(self.warehouse)}


@dataclass(frozen=True, slots=True)
class CollectRun:
    """A look at the sources. Exit 4 when some failed, 3 when all did."""

    collected: Json
    failed: Sequence[str]
    asked: int
    graded: Graded

    @property
    def exit_code(self) -> int:
        if not self.failed:
            return DONE
        return CHECK_FAILED if len(self.failed) >= self.asked else PARTIAL

    def as_json(self) -> Json:
        return {**self.collected, "failed": list(self.failed), "graded": self.graded.as_json()}


@dataclass(frozen=True, slots=True)
class IndexedDay:
    """A day that was computed: its vintage, how many grades were published and withheld, whether it is new."""

    day: date
    vintage: str
    published: int
    withheld: int
    is_new: bool
    content_sha256: str

    def as_json(self) -> Json:
        return {
            "day": self.day.isoformat(),
            "vintage": self.vintage,
            "published": self.published,
            "withheld": self.withheld,
            "is_new": self.is_new,
            "content_sha256": self.content_sha256,
        }


@dataclass(frozen=True, slots=True)
class IndexRun:
    """Reconstructed days, in order; `live_days` were left alone because they have live values."""

    days: Sequence[IndexedDay]
    live_days: Sequence[date]
    register_version: str
    methodology_version: str
    page_path: Path
    public_path: Path

    @property
    def exit_code(self) -> int:
        return ALL_WITHHELD if self.days and not any(day.published for day in self.days) else DONE

    def as_json(self) -> Json:
        return {
            "days": [day.as_json() for day in self.days],
            "live_days": [day.isoformat() for day in self.live_days],
            "register_version": self.register_version,
            "methodology_version": self.methodology_version,
            "page_path": str(self.page_path),
            "public_path": str(self.public_path),
        }


@dataclass(frozen=True, slots=True)
class DailyRun:
    """A daily run. `table` are the headline rows of the last day (keys as columns of reference_prices)."""

    day: date
    editions: Sequence[Json]
    table: Sequence[Json]
    latest_path: Path
    page_path: Path
    public_path: Path
    collected: Json | None
    failed_sources: Sequence[str]
    graded: Graded
    is_all_withheld: bool
    is_sample: bool
    is_recorded: bool

    @property
    def exit_code(self) -> int:
        """Under a recorded clock every day with an edition is a success, whatever failed in the archive."""
        if self.is_recorded:
            return DONE
        if self.is_all_withheld:
            return ALL_WITHHELD
        return PARTIAL if self.failed_sources else DONE

    def as_json(self) -> Json:
        return {
            "day": self.day.isoformat(),
            "is_sample": self.is_sample,
            "editions": list(self.editions),
            "table": list(self.table),
            "edition_path": str(self.latest_path),
            "page_path": str(self.page_path),
            "public_path": str(self.public_path),
            "collected": self.collected,
            "failed_sources": list(self.failed_sources),
            "graded": self.graded.as_json(),
        }

    def as_run(self) -> Json:
        """What the `runs` table keeps of it: everything but the prices, which have tables of their own."""
        return {name: value for name, value in self.as_json().items() if name != "table"}
