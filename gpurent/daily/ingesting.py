"""`gpurent ingest`: the same readers on files, afterwards everything is graded."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from collectors.ingest import ingest
from gpurent.core.progress import Progress
from gpurent.core.settings import Settings
from gpurent.daily.bookkeeping import recorded_run, run_id_of
from gpurent.daily.grading import bring_up_to_date
from gpurent.daily.reports import IngestRun
from warehouse.store import open_warehouse


def ingest_files(
    settings: Settings,
    paths: Sequence[Path],
    source_id: str,
    observed_at: datetime | None,
    progress: Progress,
) -> IngestRun:
    """Read, archive and grade files. Which failed and why is in the report; nothing raises for a bad file."""
    overlay = settings.registers if settings.registers.exists() else None
    with open_warehouse(settings.warehouse, threads=settings.threads) as warehouse:
        run_id = run_id_of("ingest", warehouse, source_id, *(path.name for path in paths))
        with recorded_run(warehouse, "ingest", run_id) as log:
            progress.start("reading files", len(paths))
            report = ingest(
                warehouse,
                source_id,
                paths,
                run_id=run_id,
                observed_at=observed_at,
                overlay=overlay,
                progress=progress,
            )
            _, graded = bring_up_to_date(warehouse, settings, progress)
            run = IngestRun(report.to_json(), report.exit_code, graded, settings.warehouse)
            log.report, log.exit_code = run.as_json(), run.exit_code
    return run
