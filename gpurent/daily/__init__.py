"""How it is run: collect, read, grade, price and publish, each a function that takes settings and gives a report.

Every function is idempotent: what was done is found and not done again, so a run that stopped half-way is simply
started again. Imports happen inside, so that a command that only prices never loads Scrapy.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path

from gpurent.core.progress import SILENT, Progress
from gpurent.core.settings import Settings
from gpurent.daily.reports import CollectRun, DailyRun, IndexRun, IngestRun

__all__ = ["run_collect", "run_daily", "run_index", "run_ingest"]


def run_ingest(
    settings: Settings,
    *,
    paths: Sequence[Path],
    source_id: str,
    observed_at: datetime | None = None,
    progress: Progress = SILENT,
) -> IngestRun:
    """Read files with a source's own reader, then normalise and grade what they state (steps 1-4)."""
    from gpurent.daily.grading import check_registers  # noqa: PLC0415
    from gpurent.daily.ingesting import ingest_files  # noqa: PLC0415

    check_registers(settings)
    return ingest_files(settings, paths, source_id, observed_at, progress)


def run_index(
    settings: Settings,
    *,
    first_day: date | None = None,
    last_day: date | None = None,
    methodology: Path | None = None,
    progress: Progress = SILENT,
) -> IndexRun:
    """Compute reconstructed reference prices for a range of days (default: all days there is data for).

    `methodology` is a user's own file, for back-runs: the warehouse is priced by it from then on.
    """
    from gpurent.daily.grading import check_registers  # noqa: PLC0415
    from gpurent.daily.indexing import index_days  # noqa: PLC0415

    check_registers(settings)
    return index_days(settings, first_day, last_day, progress, methodology)


def run_collect(
    settings: Settings,
    *,
    source_ids: Sequence[str] = (),
    replay: Path | None = None,
    progress: Progress = SILENT,
) -> CollectRun:
    """Collection only: from the sources, or from an archive folder."""
    from gpurent.daily.collecting import collect_now  # noqa: PLC0415
    from gpurent.daily.grading import check_registers  # noqa: PLC0415

    check_registers(settings)
    return collect_now(settings, source_ids, replay, progress)


def run_daily(
    settings: Settings,
    *,
    day: date | None = None,
    is_sample: bool = False,
    replay: Path | None = None,
    vintage_reason: str | None = None,
    catches_up: bool = False,
    progress: Progress = SILENT,
) -> DailyRun:
    """Collect, then publish: the latest day whose cut-off has passed, or every day of an archive.

    `catches_up`: publish missed days without a look as outages, however many there are.
    """
    from gpurent.daily.grading import check_registers  # noqa: PLC0415
    from gpurent.daily.publishing import publish_latest  # noqa: PLC0415
    from gpurent.daily.replaying import publish_archive, sample_archive  # noqa: PLC0415

    check_registers(settings)
    if is_sample or replay is not None:
        folder = replay if replay is not None else sample_archive()
        return publish_archive(settings, folder, vintage_reason, progress, is_sample=is_sample)
    return publish_latest(settings, day, vintage_reason, progress, catches_up=catches_up)
