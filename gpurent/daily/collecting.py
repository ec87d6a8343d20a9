"""`gpurent collect`: a look at the sources, or at an archive of an earlier look."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from collectors.reports import CollectReport
from gpurent.core.progress import Progress
from gpurent.core.settings import Settings
from gpurent.daily.bookkeeping import recorded_run, run_id_of
from gpurent.daily.grading import bring_up_to_date
from gpurent.daily.reports import CollectRun
from warehouse.store import Warehouse, open_warehouse


def collect_live(
    warehouse: Warehouse, settings: Settings, source_ids: Sequence[str], run_id: str, progress: Progress
) -> CollectReport:
    """Ask the sources now."""
    from collectors.live import collect  # noqa: PLC0415

    progress.start("collecting", None)
    report = collect(
        warehouse, source_ids, settings, run_id=run_id, endpoint=settings.endpoint, progress=progress
    )
    for source_id in report.failed:
        found = report.sources[source_id]
        progress.note(f"{source_id} {found.status}: {'; '.join(fault.reason_code for fault in found.faults)}")
    return report


def collect_now(
    settings: Settings, source_ids: Sequence[str], replay: Path | None, progress: Progress
) -> CollectRun:
    """Collect and grade; publish nothing."""
    with open_warehouse(settings.warehouse, threads=settings.threads) as warehouse:
        run_id = run_id_of("collect", warehouse, *source_ids)
        with recorded_run(warehouse, "collect", run_id) as log:
            if replay is not None:
                from collectors.replay import replay as replay_archive  # noqa: PLC0415

                progress.start("replaying", None)
                report = replay_archive(
                    warehouse, replay, run_id=run_id, sources=source_ids or None, overlay=settings.registers
                )
            else:
                report = collect_live(warehouse, settings, source_ids, run_id, progress)
            _, graded = bring_up_to_date(warehouse, settings, progress)
            run = CollectRun(report.to_json(), report.failed, len(report.sources), graded)
            log.report, log.exit_code = run.as_json(), run.exit_code
    return run
