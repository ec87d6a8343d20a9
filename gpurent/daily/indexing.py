"""`gpurent index`: reconstructed days, one after the other, each from the memory of the day before."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

from gpurent.core.clock import at_utc
from gpurent.core.errors import NotFoundError, UsageError
from gpurent.core.progress import Progress
from gpurent.core.settings import Settings
from gpurent.daily.bookkeeping import recorded_run, run_id_of
from gpurent.daily.chain import BACKFILL, day_vintages, memory_before
from gpurent.daily.grading import bring_up_to_date
from gpurent.daily.publishing import SAMPLE, show_all
from gpurent.daily.reports import IndexedDay, IndexRun
from index.methodologies import adopt, methodology_of
from index.parameters import Methodology
from index.reduction import RECONSTRUCTED
from index.run import DayResult, Memory, compute_day, load_memory, store_day, stored_content
from warehouse.sql_files import run_sql
from warehouse.store import Warehouse, open_warehouse


def _range(
    warehouse: Warehouse, first: date | None, last: date | None, method: Methodology
) -> tuple[date, date]:
    """The days to compute: as asked, else from the first day with data to the last whose cut-off has passed."""
    ((seen_first, seen_last),) = run_sql(warehouse, "gpurent.daily.sql", "days_with_data", {})
    if seen_first is None:
        raise UsageError("there is nothing to price yet: run `gpurent ingest` or `gpurent collect` first")
    start, end = first or seen_first, last or seen_last
    if end < start:
        raise UsageError(f"--from {start} lies after --to {end}")
    now = warehouse.clock.now()
    while last is None and end >= start and at_utc(end, method.time.cut_off_hour_utc) > now:
        end -= timedelta(days=1)
    if at_utc(end, method.time.cut_off_hour_utc) > now:
        raise UsageError(
            f"--to {end}: the cut-off of that day ({end + timedelta(days=1)} 06:00 UTC) is still to come"
        )
    if end < start:
        raise UsageError(f"no day from {start} on has passed its cut-off yet")
    return start, end


def _keep(warehouse: Warehouse, result: DayResult) -> tuple[str, bool]:
    """Store a reconstructed day unless its newest backfill says the same; its vintage and whether it is new."""
    have = [name for name in day_vintages(warehouse, result.day) if name.startswith(BACKFILL)]
    newest = max(have, key=lambda name: int(name.removeprefix(BACKFILL)), default=None)
    if newest is not None and stored_content(warehouse, result.day, newest) == result.content_sha256:
        return newest, False
    vintage = f"{BACKFILL}{len(have) + 1}"
    store_day(warehouse, result.as_vintage(vintage))
    return vintage, True


def index_days(
    settings: Settings,
    first_day: date | None,
    last_day: date | None,
    progress: Progress,
    methodology: Path | None = None,
) -> IndexRun:
    """Compute every day of the range; days with live values are left alone and lend their memory.

    `methodology`: a file to price a new warehouse by, for back-runs of a changed parameter.
    """
    if not settings.warehouse.exists():
        raise NotFoundError(
            f"{settings.warehouse}: there is no warehouse here; make one with `gpurent ingest` or `gpurent collect`"
        )
    with open_warehouse(settings.warehouse, threads=settings.threads) as warehouse:
        method = methodology_of(warehouse) if methodology is None else adopt(warehouse, methodology)
        run_id = run_id_of("index", warehouse, str(first_day), str(last_day))
        with recorded_run(warehouse, "index", run_id) as log:
            register_version, _ = bring_up_to_date(warehouse, settings, progress)
            start, end = _range(warehouse, first_day, last_day, method)
            memory: Memory = memory_before(warehouse, start, method, is_live=False)
            done: list[IndexedDay] = []
            live: list[date] = []
            progress.start("pricing days", (end - start).days + 1)
            for offset in range((end - start).days + 1):
                day = start + timedelta(days=offset)
                published = [name for name in day_vintages(warehouse, day) if name.isdigit()]
                if published:
                    live.append(day)
                    memory = load_memory(warehouse, day, max(published, key=int), method)
                    progress.advance(f"{day} is live")
                    continue
                result = compute_day(
                    warehouse,
                    day,
                    construction=RECONSTRUCTED,
                    vintage=f"{BACKFILL}1",
                    methodology=method,
                    register_version=register_version,
                    memory=memory,
                )
                memory = result.memory
                vintage, is_new = _keep(warehouse, result)
                total = len(result.rows["reference_prices"])
                done.append(
                    IndexedDay(
                        day,
                        vintage,
                        result.published,
                        total - result.published,
                        is_new,
                        result.content_sha256,
                    )
                )
                progress.advance(str(day))
            progress.start("writing the page", None)
            is_sample = warehouse.fact("purpose") == SAMPLE
            public, page = show_all(warehouse, settings, is_sample=is_sample)
            run = IndexRun(done, live, register_version, method.version, page, public)
            log.report, log.exit_code = run.as_json(), run.exit_code
    return run
