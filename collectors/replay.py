"""An archive read again: the same captures, in the order in which they were fetched, through the same step.

The recorded clock is moved to each record's fetch time before the record is read, so that `known_at` is when it
was known then. A replay into an empty warehouse gives the rows of the run that wrote the archive; into the same
warehouse it gives nothing, since every capture is known.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import datetime
from pathlib import Path

from collectors.capture import store_capture
from collectors.document import Document
from collectors.registry import SourceRecord, load_sources, sync_sources
from collectors.reports import CollectReport, Fault
from gpurent.core.clock import RecordedClock, utc_day
from gpurent.core.errors import CheckFailedError, NotFoundError, SourceError
from gpurent.core.stages import reach
from warehouse.archive import Archive, ArchivedRecord, iterate, open_archive
from warehouse.archive_reading import OnDamage
from warehouse.store import Warehouse

OnInstant = Callable[[datetime], None]


def captures_in(
    folder: Path, *, sources: Collection[str] | None = None, on_damage: OnDamage | None = None
) -> Iterator[ArchivedRecord]:
    """Every capture in the WARC files anywhere below `folder`, by fetch time, then source id, then URL.

    The files of one folder are read one after the other (their names begin with their time), the folders are
    merged, so one record a folder is in memory. `on_damage` is handed what cannot be read; without it that
    raises CheckFailedError. Raises NotFoundError when there is no archive file.
    """
    holding = sorted({path.parent for path in folder.rglob("*.warc.gz")}) if folder.is_dir() else []
    if not holding:
        raise NotFoundError(f"{folder}: no archive (*.warc.gz) is there")
    tops = [
        place
        for place in holding
        if not any(place != other and place.is_relative_to(other) for other in holding)
    ]
    merged = heapq.merge(*(iterate(place, on_damage=on_damage) for place in tops), key=_order)
    return (record for record in merged if sources is None or record.source_id in sources)


def document_of(record: ArchivedRecord) -> Document:
    """The document as it was when it was archived."""
    return Document(
        source_id=record.source_id,
        url=record.url,
        body=record.body,
        fetched_at=record.fetched_at,
        media_type=record.media_type,
        http_status=record.http_status,
        file_name=record.file_name,
        request_json=record.request_json,
    )


class Replay:
    """A replay that can stop at an instant and go on from there, as `daily` does between its days."""

    def __init__(
        self,
        warehouse: Warehouse,
        folder: Path,
        *,
        run_id: str,
        sources: Collection[str] | None = None,
        overlay: Path | None = None,
        on_instant: OnInstant | None = None,
    ) -> None:
        """`on_instant` is told each fetch time before the record is read; by default the warehouse's recorded

        clock is moved there (never back).
        """
        self.report = CollectReport(run_id)
        self._warehouse = warehouse
        self._records: Mapping[str, SourceRecord] = load_sources(overlay)
        self._on_instant = on_instant or self._move_clock
        self._captures = captures_in(folder, sources=sources, on_damage=self._note_damage)
        self._next: ArchivedRecord | None = next(self._captures, None)

    @property
    def next_at(self) -> datetime | None:
        """The fetch time of the next record; None at the end."""
        return self._next.fetched_at if self._next is not None else None

    def advance(self, until: datetime | None = None) -> CollectReport:
        """Replay every record fetched at or before `until`, or all that are left. The report is the whole run's."""
        with open_archive(self._warehouse) as archive:
            while self._next is not None and (until is None or self._next.fetched_at <= until):
                self._replay(archive, self._next)
                self._next = next(self._captures, None)
        for _ in self.report.sources:
            reach("collectors.source.done")
        reach("collectors.collect.done")
        return self.report

    def _replay(self, archive: Archive, record: ArchivedRecord) -> None:
        source = self._records.get(record.source_id)
        if source is None:
            fault = Fault(record.url, "unknown_source", f"no source {record.source_id!r} is registered here")
            self.report.of(record.source_id).faults.append(fault)
            return
        self._on_instant(record.fetched_at)
        if record.source_id not in self.report.sources:
            sync_sources(self._warehouse, [source])
        try:
            outcome = store_capture(
                self._warehouse, archive, source, document_of(record), run_id=self.report.run_id
            )
        except SourceError as error:
            fault = Fault(record.url, error.reason_code, error.detail, utc_day(record.fetched_at))
            self.report.of(record.source_id).faults.append(fault)
            return
        self.report.add(outcome)

    def _move_clock(self, instant: datetime) -> None:
        clock = self._warehouse.clock
        if isinstance(clock, RecordedClock) and instant > clock.now():
            clock.advance_to(instant)

    def _note_damage(self, damage: CheckFailedError) -> None:
        self.report.damages.append(str(damage))


def replay(
    warehouse: Warehouse,
    folder: Path,
    *,
    run_id: str,
    until: datetime | None = None,
    sources: Collection[str] | None = None,
    overlay: Path | None = None,
    on_instant: OnInstant | None = None,
) -> CollectReport:
    """Replay an archive folder into a warehouse, up to `until` or to its end (see `Replay`)."""
    run = Replay(warehouse, folder, run_id=run_id, sources=sources, overlay=overlay, on_instant=on_instant)
    return run.advance(until)


def _order(record: ArchivedRecord) -> tuple[datetime, str, str]:
    return record.fetched_at, record.source_id, record.url
