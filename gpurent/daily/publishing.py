"""The daily run under the system's clock: collect, then publish what is due, in order of days.

A day that was missed (the machine was off after its cut-off) is published late, as what it is: live, from what was
recorded by its cut-off, at its scheduled time of publication. A day without captures has an edition too, in which
every grade is withheld.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from gpurent.core.clock import at_utc
from gpurent.core.errors import ConfigError, EditionDiffersError, UsageError
from gpurent.core.progress import Progress
from gpurent.core.settings import Settings
from gpurent.core.stages import reach
from gpurent.daily.bookkeeping import recorded_run, run_id_of
from gpurent.daily.chain import (
    RESEARCH,
    day_vintages,
    last_live_day,
    memory_before,
    research_memory_before,
    vintages_of,
)
from gpurent.daily.collecting import collect_live
from gpurent.daily.grading import bring_up_to_date
from gpurent.daily.press import Press, signing_key
from gpurent.daily.reports import DailyRun
from gpurent.daily.settling import settle_held
from gpurent.publish.edition import Edition, write_edition
from gpurent.publish.site import write_site
from index.methodologies import methodology_of
from index.parameters import Methodology, bundled_versions, load
from index.reduction import LIVE
from index.run import DayResult, Memory, compute_day, store_day, stored_content
from warehouse.public import write_public
from warehouse.sql_files import run_sql, run_sql_dicts
from warehouse.store import Warehouse, open_warehouse

SAMPLE, REPLAY = "sample", "replay"
PACKAGE = "gpurent.daily.sql"
MISSED_DAYS = 7
"""So many days without a look are published as outages without a question."""


def publish_day(
    warehouse: Warehouse, day: date, press: Press, memory: Memory, reason: str | None = None
) -> tuple[Edition, Memory]:
    """Compute one live day, store it and write its edition. Done before with the same content: nothing is written.

    Raises EditionDiffersError (exit 3) when the day was published with other content and no reason is given. With
    one the new content becomes the next live vintage before 15:00 of the next day, afterwards a research vintage,
    which no later live day starts from.
    """
    method = press.method
    result = _computed(warehouse, day, press, memory)
    have = [name for name in day_vintages(warehouse, day) if name.isdigit()]
    vintage = next(
        (name for name in have if stored_content(warehouse, day, name) == result.content_sha256), None
    )
    if vintage is None and have:
        if reason is None:
            raise EditionDiffersError(
                f"{day} is published as vintage {max(have, key=int)} and would now come out differently; look at the "
                f"difference, then give the reason: gpurent daily --day {day} --vintage REASON"
            )
        if warehouse.clock.now() >= at_utc(day, method.time.final_hour_utc):
            return _publish_research(warehouse, day, press, reason), memory_before(
                warehouse, day + timedelta(days=1), method
            )
    if vintage is None:
        vintage = str(len(have) + 1)
        scheduled = at_utc(day, method.time.provisional_hour_utc)
        published_at = max(scheduled, warehouse.clock.now()) if have else scheduled
        store_day(warehouse, result.as_vintage(vintage, published_at))
    reach("daily.day.stored")
    edition = _write(warehouse, day, vintage, press, reason if vintage != "1" else None)
    reach("daily.day.published")
    return edition, result.memory


def _computed(warehouse: Warehouse, day: date, press: Press, memory: Memory) -> DayResult:
    return compute_day(
        warehouse,
        day,
        construction=LIVE,
        vintage="1",
        methodology=press.method,
        register_version=press.register_version,
        memory=memory,
    )


def _publish_research(warehouse: Warehouse, day: date, press: Press, reason: str) -> Edition:
    """A correction after the final hour: a vintage that recurses on itself and is never settled on (section 11)."""
    memory = research_memory_before(warehouse, day, press.method)
    result = _computed(warehouse, day, press, memory)
    have = [name for name in day_vintages(warehouse, day) if name.startswith(RESEARCH)]
    same = next(
        (name for name in have if stored_content(warehouse, day, name) == result.content_sha256), None
    )
    vintage = same or f"{RESEARCH}{len(have) + 1}"
    if same is None:
        store_day(warehouse, result.as_vintage(vintage, warehouse.clock.now(), may_settle=False))
    return _write(warehouse, day, vintage, press, reason)


def _write(warehouse: Warehouse, day: date, vintage: str, press: Press, reason: str | None) -> Edition:
    return write_edition(
        warehouse,
        press.out,
        day=day,
        vintage=vintage,
        construction=LIVE,
        published_at=stored_publication(warehouse, day, vintage),
        reason=reason,
        key=press.key,
        is_sample=press.is_sample,
    )


def stored_publication(warehouse: Warehouse, day: date, vintage: str) -> datetime:
    """When a stored vintage is (or was) published."""
    found: datetime = next(one.published_at for one in vintages_of(warehouse, day) if one.name == vintage)
    return found


def show_all(warehouse: Warehouse, settings: Settings, *, is_sample: bool) -> tuple[Path, Path]:
    """Replace the public file and the site; the paths of both."""
    public = write_public(warehouse)
    reach("daily.public.replaced")
    page = write_site(warehouse, warehouse.layout.site, is_sample=is_sample, out=settings.editions)
    return public, page


def table_of(warehouse: Warehouse, edition: Edition) -> list[dict[str, Any]]:
    """The headline rows of an edition."""
    return run_sql_dicts(warehouse, PACKAGE, "headline", {"day": edition.day, "vintage": edition.vintage})


def due_day(now: datetime, method: Methodology) -> date:
    """The latest day whose cut-off has passed at `now`."""
    day = now.date()
    while at_utc(day, method.time.cut_off_hour_utc) > now:
        day -= timedelta(days=1)
    return day


def _only_reconstructed(day: date, why: str) -> UsageError:
    return UsageError(
        f"--day {day}: {why}, so it can only be reconstructed: gpurent index --from {day} --to {day}"
    )


def _refuse_unknown_then(warehouse: Warehouse, day: date, method: Methodology) -> None:
    """A first live day that was over before anything was recorded is no live day."""
    ((first_known,),) = run_sql(warehouse, PACKAGE, "first_known", {})
    if first_known is None or first_known > at_utc(day, method.time.cut_off_hour_utc):
        raise _only_reconstructed(day, "nothing had been recorded by its cut-off")


def _refuse_long_gap(warehouse: Warehouse, first: date, until: date, method: Methodology) -> None:
    """Days without a look are published as our own outage, for good; many at once are more likely a wrong clock."""
    bound = {"first": first, "until": until, "cut_off_hour": method.time.cut_off_hour_utc}
    empty = [day for (day,) in run_sql(warehouse, PACKAGE, "days_without_look", bound)]
    if len(empty) > MISSED_DAYS:
        raise UsageError(
            f"{len(empty)} days from {empty[0]} to {empty[-1]} have no look at any source, and each would be "
            "published with all grades withheld, for good. Is the clock right? If the program really did not run "
            "that long: gpurent daily --catch-up"
        )


def _days_to_publish(
    warehouse: Warehouse, wanted: date | None, method: Methodology, *, catches_up: bool
) -> list[date]:
    """From the day after the last published one to the day that is due; one past day when it is asked for.

    Raises UsageError for a day whose cut-off is to come or that can only be reconstructed, and for more than
    `MISSED_DAYS` days without a look unless `catches_up`.
    """
    due = due_day(warehouse.clock.now(), method)
    day = wanted or due
    if day > due:
        raise UsageError(
            f"--day {day}: its cut-off is {day + timedelta(days=1)} 06:00 UTC; "
            f"the latest day that can be published is {due}"
        )
    last = last_live_day(warehouse, due + timedelta(days=1))
    if last is None:
        if wanted is not None:
            _refuse_unknown_then(warehouse, day, method)
        return [day]
    if day <= last:
        if not [name for name in day_vintages(warehouse, day) if name.isdigit()]:
            raise _only_reconstructed(day, "later days are published already")
        return [day]
    if not catches_up:
        _refuse_long_gap(warehouse, last + timedelta(days=1), day, method)
    return [last + timedelta(days=number) for number in range(1, (day - last).days + 1)]


def refuse_other_purpose(warehouse: Warehouse) -> None:
    """A warehouse made from the sample or a replay never takes live data."""
    purpose = warehouse.fact("purpose")
    if purpose is not None:
        raise ConfigError(
            f"{warehouse.layout.database} holds the {purpose} and takes no live run; use another --warehouse"
        )
    version = methodology_of(warehouse).version
    if version not in bundled_versions():
        raise ConfigError(
            f"{warehouse.layout.database} is priced by a methodology of its own ({version}), for back-runs only; "
            "use another --warehouse for live days"
        )


def publish_latest(
    settings: Settings, day: date | None, reason: str | None, progress: Progress, *, catches_up: bool
) -> DailyRun:
    """Collect (unless a past day is asked for), then publish every day that is due, up to `day`."""
    method = load()
    key = signing_key(settings)
    with open_warehouse(settings.warehouse, threads=settings.threads) as warehouse:
        refuse_other_purpose(warehouse)
        run_id = run_id_of("daily", warehouse, str(day))
        with recorded_run(warehouse, "daily", run_id) as log:
            collected = None
            if day is None:
                collected = collect_live(warehouse, settings, (), run_id, progress)
            register_version, graded = bring_up_to_date(warehouse, settings, progress)
            press = Press(settings.editions, key, method, register_version)
            days = _days_to_publish(warehouse, day, method, catches_up=catches_up)
            memory = memory_before(warehouse, days[0], method)
            editions: list[Edition] = []
            progress.start("publishing days", len(days))
            for one in days:
                edition, memory = publish_day(warehouse, one, press, memory, reason)
                editions.append(edition)
                settled = settle_held(warehouse, one, press)
                if settled is not None:
                    editions.append(settled)
                if len(day_vintages(warehouse, one)) > 1:
                    memory = memory_before(warehouse, one + timedelta(days=1), method)
                progress.advance(str(one))
            public, page = show_all(warehouse, settings, is_sample=False)
            run = DailyRun(
                day=days[-1],
                editions=[edition.as_json() for edition in editions],
                table=table_of(warehouse, editions[-1]),
                latest_path=editions[-1].path,
                page_path=page,
                public_path=public,
                collected=None if collected is None else collected.to_json(),
                failed_sources=[] if collected is None else collected.failed,
                graded=graded,
                is_all_withheld=editions[-1].is_all_withheld,
                is_sample=False,
                is_recorded=False,
            )
            log.report, log.exit_code = run.as_run(), run.exit_code
    return run
