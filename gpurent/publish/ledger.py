"""What was published so far: the editions the warehouse recorded, and those on disk it has not recorded yet.

The chain runs through both, so that an edition whose record was lost in a crash still has its place in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Self

from gpurent.core.errors import CheckFailedError
from gpurent.core.ids import content_id
from gpurent.publish.chain import file_differences
from gpurent.publish.manifest import SIGNATURE, Manifest, edition_folders, edition_path, read_manifest
from warehouse import Warehouse
from warehouse.sql_files import run_sql_dicts

PACKAGE = "gpurent.publish.sql"
DERIVED = (
    "items",
    "voices",
    "reference_prices",
    "contributions",
    "exclusions",
    "attributions",
    "discounts",
    "series_states",
)

_SERIES = re.compile(r"^(backfill-|research-|)(\d+)$")


@dataclass(frozen=True, slots=True)
class Publication:
    """One edition as the chain sees it. `path` is `<day>/v<vintage>`."""

    path: str
    day: date
    vintage: str
    construction: str
    reason: str | None
    sequence_number: int
    manifest_sha256: str
    previous_sha256: str | None
    content_sha256: str
    inputs_sha256: str
    methodology_version: str
    signature: str | None
    key_name: str | None
    published_at: datetime

    @property
    def series(self) -> str:
        """``, `backfill-` or `research-`: vintages of one series follow each other."""
        return series_of(self.vintage)

    @classmethod
    def from_manifest(cls, manifest: Manifest) -> Self:
        document = manifest.document
        signature = manifest.folder / SIGNATURE
        key = document["key"]
        return cls(
            path=manifest.path,
            day=date.fromisoformat(document["day"]),
            vintage=document["vintage"],
            construction=document["construction"],
            reason=document["vintage_reason"],
            sequence_number=manifest.sequence_number,
            manifest_sha256=manifest.sha256,
            previous_sha256=manifest.previous_sha256,
            content_sha256=document["content_sha256"],
            inputs_sha256=document["inputs_sha256"],
            methodology_version=document["methodology_version"],
            signature=signature.read_text(encoding="ascii").strip() if signature.exists() else None,
            key_name=None if key is None else key["name"],
            published_at=datetime.fromisoformat(document["published_at"]).astimezone(UTC),
        )

    def row(self) -> dict[str, object]:
        """The row of the table `editions`."""
        return {
            "edition_id": content_id("ed", self.day, self.vintage, self.manifest_sha256),
            "day": self.day,
            "vintage": self.vintage,
            "construction": self.construction,
            "vintage_reason": self.reason,
            "path": self.path,
            "manifest_sha256": self.manifest_sha256,
            "content_sha256": self.content_sha256,
            "signature": self.signature,
            "key_name": self.key_name,
            "previous_sha256": self.previous_sha256,
            "sequence_number": self.sequence_number,
            "inputs_sha256": self.inputs_sha256,
            "methodology_version": self.methodology_version,
            "published_at": self.published_at,
        }


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the chain an edition goes; `manifest_sha256` is set when it was recorded there before."""

    sequence_number: int
    previous_sha256: str | None
    manifest_sha256: str | None = None
    key_name: str | None = None


@dataclass(slots=True)
class Ledger:
    """All publications by path, and which of them the warehouse has recorded."""

    by_path: dict[str, Publication]
    recorded: set[str] = field(default_factory=set)

    @classmethod
    def read(cls, warehouse: Warehouse, out: Path) -> Self:
        """The warehouse's record, and every edition on disk that is not in it.

        Raises CheckFailedError for an unrecorded edition whose files are not what its manifest says.
        """
        rows = run_sql_dicts(warehouse, PACKAGE, "editions_recorded")
        by_path = {row["path"]: Publication(**row) for row in rows}
        recorded = set(by_path)
        for folder in edition_folders(out):
            if folder.relative_to(out).as_posix() not in recorded:
                manifest = _sound(out, folder)
                by_path[manifest.path] = Publication.from_manifest(manifest)
        return cls(by_path, recorded)

    @property
    def publications(self) -> list[Publication]:
        """In publication order."""
        return sorted(self.by_path.values(), key=lambda item: (item.sequence_number, item.path))

    def of_day(self, day: date, series: str) -> list[Publication]:
        """The editions of a day in a series, oldest first."""
        return [item for item in self.publications if item.day == day and item.series == series]

    def newest(self, day: date, series: str) -> Publication | None:
        found = self.of_day(day, series)
        return found[-1] if found else None

    def next_vintage(self, day: date, series: str) -> str:
        numbers = [int(item.vintage.removeprefix(series)) for item in self.of_day(day, series)]
        return f"{series}{max(numbers, default=0) + 1}"

    def place_of(self, path: str) -> Place:
        """The place recorded for `path`, else the one behind the last publication."""
        there = self.by_path.get(path)
        if there is not None:
            return Place(there.sequence_number, there.previous_sha256, there.manifest_sha256, there.key_name)
        last = self.publications[-1] if self.by_path else None
        return Place(last.sequence_number + 1, last.manifest_sha256) if last else Place(1, None)

    def adopt(self, warehouse: Warehouse) -> None:
        """Record what is on disk and was not recorded: a run died between the rename and the row.

        Under a recorded clock that stands before its publication, an edition is recorded at its publication.
        """
        missing = [item for item in self.publications if item.path not in self.recorded]
        now = warehouse.clock.now()
        rows = [{**item.row(), "known_at": max(now, item.published_at)} for item in missing]
        warehouse.append("editions", rows)
        self.recorded.update(item.path for item in missing)

    def add_recorded(self, publication: Publication) -> None:
        self.by_path[publication.path] = publication
        self.recorded.add(publication.path)


def series_of(vintage: str) -> str:
    """The prefix of a vintage's name: nothing for live ones."""
    match = _SERIES.match(vintage)
    return match[1] if match else vintage


def rename_vintage(
    warehouse: Warehouse, day: date, vintage: str, following: str, published_at: datetime
) -> None:
    """Append the derived rows of `day` and `vintage` again under the name `following`, in one transaction."""
    with warehouse.transaction():
        for table in DERIVED:
            rows = run_sql_dicts(
                warehouse, PACKAGE, "relabel_vintage", {"table": table, "day": day, "vintage": vintage}
            )
            warehouse.append(table, _relabelled(rows, following, published_at))


def _relabelled(
    rows: Iterable[dict[str, Any]], following: str, published_at: datetime
) -> Iterable[dict[str, Any]]:
    for row in rows:
        renamed = {**row, "vintage": following, "known_at": None}
        if "published_at" in row:
            renamed["published_at"] = published_at
        yield renamed


def _sound(out: Path, folder: Path) -> Manifest:
    manifest = read_manifest(folder)
    wrong = file_differences(manifest)
    if wrong or folder != out / edition_path(manifest.document["day"], manifest.document["vintage"]):
        names = ", ".join(found.file for found in wrong) or "its manifest is of another edition"
        raise CheckFailedError(
            f"{folder}: this edition is not in the warehouse's record and is damaged ({names}); "
            "restore it from a backup or move it away"
        )
    return manifest
