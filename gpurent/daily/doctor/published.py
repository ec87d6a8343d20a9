"""What goes out: editions on disk and their chain, days without one, and what readers look at."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from gpurent.core.clock import at_utc
from gpurent.core.errors import NotFoundError
from gpurent.core.settings import Settings
from gpurent.daily.doctor.lines import Line, fail, ok, some, warn
from gpurent.daily.publishing import due_day
from gpurent.publish.chain import verify_chain
from index.parameters import load
from warehouse.sql_files import run_sql
from warehouse.store import Warehouse

PACKAGE = "gpurent.daily.sql"


def look_at_publication(warehouse: Warehouse, settings: Settings) -> Iterator[Line]:
    """Days that should have an edition, editions that should be on disk, the public file and the page."""
    yield from _days(warehouse)
    lost = [
        path
        for (path,) in run_sql(warehouse, PACKAGE, "editions_on_record")
        if not (settings.editions / path).is_dir()
    ]
    if lost:
        yield fail(
            "editions",
            f"recorded, but not in {settings.editions}: {some(lost)}",
            "name their folder with --out, or restore it from a backup; they cannot be made anew as they were",
        )
    layout = warehouse.layout
    for topic, path in (("public file", layout.public_database), ("page", layout.site / "index.html")):
        if path.exists():
            yield ok(topic, str(path))
        else:
            yield warn(topic, f"{path}: not there", "gpurent daily writes it")


def _days(warehouse: Warehouse) -> Iterator[Line]:
    ((first, last),) = run_sql(warehouse, PACKAGE, "live_days")
    if first is None:
        yield ok("days", "none is published yet")
        return
    until = last if warehouse.fact("purpose") is not None else max(last, _published_by(warehouse))
    missing = [
        str(day) for (day,) in run_sql(warehouse, PACKAGE, "days_missing", {"first": first, "until": until})
    ]
    text = f"published from {first} to {last}"
    if missing:
        yield warn(
            "days",
            f"{text}; {len(missing)} without an edition: {some(missing)}",
            "gpurent daily publishes what is due, late; a day before the last published one can only be reconstructed "
            "(gpurent index)",
        )
    else:
        yield ok("days", f"{text}, none missing")


def _published_by(warehouse: Warehouse) -> date:
    """The last day whose edition should be out by now: an hour after its scheduled time."""
    method, now = load(), warehouse.clock.now()
    due = due_day(now, method)
    is_out = now >= at_utc(due, method.time.provisional_hour_utc + 1)
    return due if is_out else due - timedelta(days=1)


def look_at_editions(settings: Settings, *, is_deep: bool) -> Iterator[Line]:
    """Hashes, signatures and chain of the latest edition, or of all."""
    out = settings.editions
    try:
        report = verify_chain(out, every=is_deep)
    except NotFoundError:
        yield ok("editions", f"{out}: none yet")
        return
    for found in report.all_differences:
        yield fail(
            "editions",
            f"{found.file}: {found.kind}: {found.detail}",
            "gpurent verify --all looks at every one",
        )
    if report.all_differences:
        return
    latest = report.editions[-1]
    which = f"all {len(report.editions)}" if is_deep else f"the latest, {latest.path}"
    text = f"{out}: {which}: hashes and chain hold; {latest.signature}"
    if latest.signature == "unsigned" and settings.signing_key is not None:
        yield warn("editions", text, "a key is set now: the next edition will be signed")
    else:
        yield ok("editions", text + (f" by {latest.key_name}" if latest.key_name else ""))
