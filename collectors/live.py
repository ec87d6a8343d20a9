"""A live run: asks the sources, archives and records what they answer, and tells what failed.

Scrapy is imported when a run starts and not before. One source that fails never stops the others; an error of
our own side (a full disk, a broken warehouse) stops the run, with everything committed until then kept.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from collectors.capture import archive_document, store_archived
from collectors.document import Document
from collectors.registry import SourceRecord, load_sources, record_live_success, source, sync_sources
from collectors.reports import CaptureOutcome, CollectReport, Fault
from collectors.settings import scrapy_settings
from gpurent.core.clock import utc_day
from gpurent.core.errors import SourceError
from gpurent.core.ids import content_id
from gpurent.core.progress import SILENT, Progress
from gpurent.core.settings import Settings
from gpurent.core.stages import reach
from warehouse.archive import Archive, StoredRecord, open_archive
from warehouse.store import Warehouse

_FAILURES = {
    "DownloadTimeoutError": "download_timeout",
    "TimeoutError": "download_timeout",
    "DownloadCancelledError": "document_too_large",
    "ResponseDataLossError": "download_cut",
    "CannotResolveHostError": "host_not_found",
}


def collect(
    warehouse: Warehouse,
    source_ids: Collection[str],
    settings: Settings,
    *,
    run_id: str,
    endpoint: str | None = None,
    progress: Progress = SILENT,
) -> CollectReport:
    """Ask `source_ids`, or every source that is asked live when there are none, and record what they state.

    `endpoint` (default: the settings') sends each request to `ENDPOINT/<source_id>/<path and query>`. Raises
    ConfigError without a contact, NotFoundError for an unknown source. A process can do this once.
    """
    endpoint = endpoint or settings.endpoint
    scrapy = scrapy_settings(settings.contact, endpoint=endpoint)
    sources = load_sources(settings.registers)
    report = CollectReport(run_id)
    asked = _asked(sources, source_ids, report)
    sync_sources(warehouse, asked.values())
    with open_archive(warehouse) as archive:
        runs = {
            name: SourceRun(warehouse, archive, record, report, endpoint, warehouse.clock.now(), progress)
            for name, record in asked.items()
        }
        from collectors.crawling import crawl  # noqa: PLC0415  # Scrapy takes half a second to import

        crawl(runs, scrapy)
    for run in runs.values():
        run.close()
    reach("collectors.collect.done")
    return report


def _asked(
    sources: Mapping[str, SourceRecord], source_ids: Collection[str], report: CollectReport
) -> dict[str, SourceRecord]:
    chosen = {name: source(sources, name) for name in source_ids} if source_ids else dict(sources)
    live = {name: found for name, found in chosen.items() if not (found.is_file_only or found.retired_on)}
    for name in source_ids:
        report.of(name).is_skipped = name not in live
    return live


@dataclass(slots=True)
class SourceRun:
    """One source's part of a live run: what its spider archives, records and reports (`bases.base.Run`)."""

    warehouse: Warehouse
    archiver: Archive
    source: SourceRecord
    report: CollectReport
    endpoint: str | None
    snapshot_at: datetime
    progress: Progress = SILENT
    crash: BaseException | None = field(default=None)

    def now(self) -> datetime:
        """The instant of the clock: when an answer came."""
        return self.warehouse.clock.now()

    def archive(self, document: Document, headers: list[tuple[str, str]]) -> StoredRecord | None:
        """Put an answer into the archive; None, and a fault, when the archive of this run is full."""
        try:
            return archive_document(self.archiver, document, run_id=self.report.run_id, headers=headers)
        except SourceError as error:
            self.fault(Fault(document.url, error.reason_code, error.detail))
            return None

    def store(self, document: Document, stored: StoredRecord) -> CaptureOutcome:
        """Read and record an archived answer."""
        outcome = store_archived(
            self.warehouse,
            self.source,
            document,
            stored,
            run_id=self.report.run_id,
            snapshot_at=self.snapshot_at,
        )
        self.report.add(outcome)
        self.progress.advance(f"{document.source_id}: {outcome.accepted} rows")
        return outcome

    def fault(self, fault: Fault) -> None:
        """Note why something of this source did not come."""
        self.report.of(self.source.source_id).faults.append(replace(fault, day=utc_day(self.now())))

    def failed(self, url: str, error: BaseException) -> None:
        """Note a request that brought no answer. An error that is not the network's is kept to be raised."""
        words = str(error)
        if type(error).__name__ == "IgnoreRequest":
            if "robots.txt" in words:
                self.fault(Fault(url, "robots_forbidden", "the source's robots.txt forbids this address"))
            elif "redirection" in words:
                self.fault(Fault(url, "too_many_redirects", words))
            return
        code = _FAILURES.get(type(error).__name__)
        if code is None and not type(error).__module__.startswith(("scrapy.", "twisted.")):
            self.crashed(error)
            return
        self.fault(Fault(url, code or "download_failed", f"{type(error).__name__}: {words}"))

    def crashed(self, error: BaseException) -> None:
        """Keep an error of our own side, to be raised when all spiders have ended."""
        self.crash = self.crash or error

    def close(self) -> None:
        """After the last request: a look that brought nothing is recorded as failed, a first success noted."""
        found = self.report.of(self.source.source_id)
        if not found.outcomes:
            if not found.faults:
                self.fault(Fault(self.source.url, "nothing_fetched", "the spider asked for nothing"))
            self._record_failed_look()
        elif found.status == "complete" and self.endpoint is None:
            record_live_success(self.warehouse, self.source, utc_day(self.snapshot_at))
        reach("collectors.source.done")

    def _record_failed_look(self) -> None:
        at = self.snapshot_at
        identity = content_id("snap", self.source.source_id, "", at)
        row = {
            "snapshot_id": identity,
            "source_id": self.source.source_id,
            "list_key": "",
            "snapshot_at": at,
            "snapshot_day": utc_day(at),
            "status": "failed",
            "stated_rows": 0,
            "available_at": at,
        }
        self.warehouse.append("snapshots", [row])
