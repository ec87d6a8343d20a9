"""The daily run under a recorded clock: every day of an archive, an edition each, as it would have been then.

The clock stands at the archive's own times: captures are recorded at their fetch time, a day is published at
D+1 09:00, and the clock steps on to 12:00 and 15:00 (when held values are settled and the vintage is final).
"""

from __future__ import annotations

from contextlib import suppress
from datetime import date, timedelta
from importlib.resources import as_file, files
from pathlib import Path

from collectors.replay import Replay
from gpurent.core.clock import RecordedClock, at_utc
from gpurent.core.errors import ConfigError, NotFoundError
from gpurent.core.ids import content_id
from gpurent.core.progress import Progress
from gpurent.core.settings import Settings
from gpurent.daily.bookkeeping import recorded_run
from gpurent.daily.chain import day_vintages, memory_before
from gpurent.daily.grading import grade_new, sync_registers
from gpurent.daily.press import Press, signing_key
from gpurent.daily.publishing import REPLAY, SAMPLE, publish_day, show_all, table_of
from gpurent.daily.reports import DailyRun, Graded
from gpurent.daily.settling import settle_held
from gpurent.publish.edition import Edition
from gpurent.publish.sample_key import sample_key
from index.parameters import load
from warehouse.store import Warehouse, open_warehouse


def sample_archive() -> Path:
    """The archive that comes with the package."""
    with as_file(files("gpurent").joinpath("sample", "archive")) as folder:
        return Path(folder)


def _claim(warehouse: Warehouse, purpose: str) -> None:
    """Mark a new warehouse as made from an archive; one with live days is refused."""
    if warehouse.fact("purpose") is None and warehouse.rows("SELECT count(*) FROM captures")[0][0] > 0:
        raise ConfigError(
            f"{warehouse.layout.database} holds live data; a {purpose} needs a warehouse of its own (--warehouse)"
        )
    warehouse.set_fact("purpose", purpose)


def _first_instant(folder: Path) -> RecordedClock:
    from collectors.replay import captures_in  # noqa: PLC0415

    first = next(captures_in(folder, on_damage=lambda _damage: None), None)
    if first is None:
        raise NotFoundError(f"{folder}: no capture can be read from this archive")
    return RecordedClock(first.fetched_at)


def publish_archive(
    settings: Settings, folder: Path, reason: str | None, progress: Progress, *, is_sample: bool
) -> DailyRun:
    """Replay `folder` day by day and publish each day that has passed its cut-off by the archive's own clock."""
    method = load()
    own = settings.for_sample() if is_sample else settings
    purpose = SAMPLE if is_sample else REPLAY
    key = sample_key() if is_sample else signing_key(settings)
    clock = _first_instant(folder)
    with open_warehouse(own.warehouse, clock=clock, threads=own.threads) as warehouse:
        _claim(warehouse, purpose)
        run_id = content_id("run", purpose, clock.now())
        with recorded_run(warehouse, f"daily --{purpose}", run_id) as log:
            register_version = sync_registers(warehouse, own)
            player = Replay(warehouse, folder, run_id=run_id, overlay=own.registers)
            press = Press(own.editions, key, method, register_version, is_sample)
            progress.start("publishing the archive's days", _days_by_name(folder))
            editions, graded = _play(warehouse, player, clock, press, reason, progress)
            progress.start("writing the page", None)
            public, page = show_all(warehouse, own, is_sample=is_sample)
            run = DailyRun(
                day=editions[-1].day,
                editions=[edition.as_json() for edition in editions],
                table=table_of(warehouse, editions[-1]),
                latest_path=editions[-1].path,
                page_path=page,
                public_path=public,
                collected=player.report.to_json(),
                failed_sources=player.report.failed,
                graded=graded,
                is_all_withheld=editions[-1].is_all_withheld,
                is_sample=is_sample,
                is_recorded=True,
            )
            log.report, log.exit_code = run.as_run(), run.exit_code
    return run


def _play(
    warehouse: Warehouse,
    player: Replay,
    clock: RecordedClock,
    press: Press,
    reason: str | None,
    progress: Progress,
) -> tuple[list[Edition], Graded]:
    """Step through the archive's days until its last capture's day is published."""
    day: date = clock.now().date()
    editions: list[Edition] = []
    graded = Graded()
    memory = memory_before(warehouse, day, press.method)
    while True:
        player.advance(at_utc(day, press.method.time.provisional_hour_utc))
        _step(clock, day, press.method.time.provisional_hour_utc)
        graded += grade_new(warehouse, press.register_version)
        edition, memory = publish_day(warehouse, day, press, memory, reason)
        editions.append(edition)
        progress.advance(str(day))
        for hour in (press.method.time.held_release_hour_utc, press.method.time.final_hour_utc):
            player.advance(at_utc(day, hour))
            _step(clock, day, hour)
            settled = settle_held(warehouse, day, press)
            if settled is not None:
                editions.append(settled)
        if len(day_vintages(warehouse, day)) > 1:
            memory = memory_before(warehouse, day + timedelta(days=1), press.method)
        if player.next_at is None and day >= _last_capture_day(clock, warehouse):
            return editions, graded
        day += timedelta(days=1)


def _days_by_name(folder: Path) -> int | None:
    """How many days the archive spans, as its files' names have it: for a person who waits. None where they do not."""
    named = []
    for path in folder.rglob("*.warc.gz"):
        with suppress(ValueError):
            named.append(date.fromisoformat(path.name[:8]))
    return (max(named) - min(named)).days + 1 if named else None


def _step(clock: RecordedClock, day: date, hour: int) -> None:
    moment = at_utc(day, hour)
    if moment > clock.now():
        clock.advance_to(moment)


def _last_capture_day(clock: RecordedClock, warehouse: Warehouse) -> date:
    """The UTC day of the newest capture."""
    newest = warehouse.rows("SELECT CAST(max(fetched_at) AS DATE) FROM captures")[0][0]
    return newest or clock.now().date()
