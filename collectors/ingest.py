"""Files by hand: the same readers, archive and rows as a live run, for files that are already here."""

from __future__ import annotations

import stat
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from collectors.capture import store_capture
from collectors.document import Document, request_text
from collectors.reading import reader_of
from collectors.registry import SourceRecord, load_sources, source, sync_sources
from collectors.reports import Fault, FileResult, IngestReport
from gpurent.core.clock import as_utc
from gpurent.core.errors import SourceError
from gpurent.core.progress import SILENT, Progress
from gpurent.core.stages import reach
from warehouse.archive import SOURCE_LIMIT_BYTES, Archive, open_archive
from warehouse.store import Warehouse
from warehouse.warc import file_url


def ingest(
    warehouse: Warehouse,
    source_id: str,
    paths: Iterable[Path],
    *,
    run_id: str,
    observed_at: datetime | None = None,
    overlay: Path | None = None,
    progress: Progress = SILENT,
) -> IngestReport:
    """Read files with the readers of one source, in the order given, one transaction a file.

    The time of an observation is the row's own, else the file's, else a date in its name, else `observed_at`,
    else the clock. A file whose bytes were ingested before is known and brings nothing. Raises NotFoundError
    for an unknown source, ConfigError for one without a reader; a file that fails is in the report.
    """
    sources = load_sources(overlay)
    record = source(sources, source_id)
    reader_of(record.reader_id)
    sync_sources(warehouse, [record])
    asked = request_text(observed_at=as_utc(observed_at) if observed_at is not None else None)
    results = []
    with open_archive(warehouse) as archive:
        for path in paths:
            results.append(_one(warehouse, archive, record, Path(path), asked, run_id))
            progress.advance(Path(path).name)
    reach("collectors.source.done")
    return IngestReport(source_id, tuple(results))


def _one(
    warehouse: Warehouse, archive: Archive, record: SourceRecord, path: Path, asked: str | None, run_id: str
) -> FileResult:
    try:
        body = _bytes_of(path)
    except SourceError as error:
        return FileResult(str(path), None, Fault(str(path), error.reason_code, error.detail))
    document = Document(
        source_id=record.source_id,
        url=file_url(path.name),
        body=body,
        fetched_at=warehouse.clock.now(),
        file_name=path.name,
        request_json=asked,
    )
    try:
        outcome = store_capture(warehouse, archive, record, document, run_id=run_id)
    except SourceError as error:
        return FileResult(str(path), None, Fault(str(path), error.reason_code, error.detail))
    fault = Fault(str(path), outcome.fault.reason_code, outcome.fault.detail) if outcome.fault else None
    return FileResult(str(path), outcome, fault)


def _bytes_of(path: Path) -> bytes:
    if path.is_dir():
        raise SourceError("file_not_readable", "is a folder; name the files in it")
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            raise SourceError("file_not_readable", "is a pipe or a device; name a file")
        size = about.st_size
        if size > SOURCE_LIMIT_BYTES:
            raise SourceError(
                "archive_limit", f"{size} bytes; the archive takes {SOURCE_LIMIT_BYTES} of a source and run"
            )
        return path.read_bytes()
    except OSError as error:
        raise SourceError("file_not_readable", error.strerror or str(error)) from None
