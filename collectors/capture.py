"""One document, one transaction: bytes into the archive, then what they state, then the capture itself.

The bytes are archived before anything reads them. Reading, rows, refusals and the capture's own row are one
transaction; a document that cannot be read to its end leaves its capture, a failed look and one refusal, and
no row. A capture that is committed already is known and does nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from collectors.document import Document
from collectors.reading import read_document
from collectors.reasons import printable
from collectors.registry import SourceRecord
from collectors.reports import CaptureOutcome, Fault
from collectors.writing import CaptureWriter
from gpurent.core.clock import utc_day
from gpurent.core.errors import SourceError
from gpurent.core.ids import content_id
from gpurent.core.stages import reach
from warehouse.archive import Archive, StoredRecord
from warehouse.store import Warehouse, sql_text


def capture_id_of(document: Document) -> str:
    """The id of a capture: source, URL, fetch time and body; of an ingested file: source and body alone."""
    if document.file_name is not None:
        return content_id("cap", document.source_id, document.sha256)
    return content_id("cap", document.source_id, document.url, document.fetched_at, document.sha256)


def known(warehouse: Warehouse, document: Document) -> CaptureOutcome | None:
    """The outcome of a document that is committed already: no rows again, the same fault again; else None."""
    capture_id = capture_id_of(document)
    rows = warehouse.rows(sql_text("collectors.sql", "known_capture"), {"capture_id": capture_id})
    if not rows:
        return None
    outcome, known_at, asked, reason_code, detail = rows[0]
    fault = (
        Fault(document.url, reason_code, detail, utc_day(document.fetched_at))
        if outcome == "unreadable"
        else None
    )
    return CaptureOutcome(
        capture_id,
        document.source_id,
        document.url,
        "known",
        fault=fault,
        known_since=known_at,
        is_asked_otherwise=asked != document.request_json,
    )


def archive_document(
    archive: Archive, document: Document, *, run_id: str, headers: Iterable[tuple[str, str]] = ()
) -> StoredRecord:
    """Put a document's bytes, and what HTTP said of them, into the archive, before anything reads them.

    Raises SourceError `archive_limit` when the archive of this source and run is full.
    """
    stored = archive.store(
        source_id=document.source_id,
        run_id=run_id,
        capture_id=capture_id_of(document),
        url=document.url,
        body=document.body,
        fetched_at=document.fetched_at,
        http_status=document.http_status,
        media_type=document.media_type,
        headers=headers,
        request_json=document.request_json,
    )
    reach("collectors.archive.stored")
    return stored


def store_capture(
    warehouse: Warehouse,
    archive: Archive,
    source: SourceRecord,
    document: Document,
    *,
    run_id: str,
    snapshot_at: datetime | None = None,
) -> CaptureOutcome:
    """Archive a document, read it and record what it states. Must not be called inside a transaction.

    `snapshot_at` is when the look began that the document is a page of; by default what the document says.
    """
    before = known(warehouse, document)
    if before is not None:
        return before
    stored = archive_document(archive, document, run_id=run_id)
    return store_archived(warehouse, source, document, stored, run_id=run_id, snapshot_at=snapshot_at)


def store_archived(
    warehouse: Warehouse,
    source: SourceRecord,
    document: Document,
    stored: StoredRecord,
    *,
    run_id: str,
    snapshot_at: datetime | None = None,
) -> CaptureOutcome:
    """Read a document whose bytes are in the archive, and record what it states (see `store_capture`)."""

    def writer() -> CaptureWriter:
        return CaptureWriter(
            warehouse,
            source,
            document,
            capture_id_of(document),
            stored,
            run_id=run_id,
            snapshot_at=snapshot_at,
        )

    try:
        with warehouse.transaction():
            outcome = writer().write(read_document(document, source))
    except SourceError as error:
        fault = Fault(document.url, error.reason_code, printable(error.detail), utc_day(document.fetched_at))
        with warehouse.transaction():
            outcome = writer().write_unreadable(fault)
    reach("collectors.capture.committed")
    return outcome
