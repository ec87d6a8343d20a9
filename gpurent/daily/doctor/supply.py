"""What comes in: the sources one by one, and how the last runs ended."""

from __future__ import annotations

from collections.abc import Iterator

from collectors.registry import load_sources
from gpurent.core.clock import SystemClock, iso_utc
from gpurent.core.errors import ConfigError
from gpurent.core.settings import Settings
from gpurent.daily.doctor.lines import Line, fail, ok, warn
from gpurent.daily.health import LATE_AFTER, SourceHealth, present, source_health
from gpurent.daily.history import last_runs
from warehouse.store import Warehouse

_IS_WELL = frozenset({0, 4, 5})


def look_at_runs(warehouse: Warehouse) -> Iterator[Line]:
    """The last run: whether it ended, and with what."""
    runs = last_runs(warehouse, 1)
    if not runs:
        yield ok("runs", "nothing was run yet")
        return
    last = runs[0]
    started = f"{last.command}, started {iso_utc(last.started_at)}"
    if last.ended_at is None:
        yield warn(
            "runs", f"{started}, never ended: it was killed", "start it again; it goes on where it stopped"
        )
    elif last.exit_code not in _IS_WELL:
        yield warn("runs", f"{started}, ended with {last.exit_code}: {last.error}", "gpurent runs shows it")
    else:
        yield ok("runs", f"{started}, ended with {last.exit_code} after {last.seconds:.0f} s")


def look_at_sources(warehouse: Warehouse | None, settings: Settings) -> Iterator[Line]:
    """Each source: last whole look, age against cadence, rows, failures; and whether any price comes in at all."""
    try:
        records = load_sources(settings.registers)
    except ConfigError:
        return  # told with the registers
    now = SystemClock().now() if warehouse is None else present(warehouse)
    found = source_health(warehouse, records, settings, now)
    is_live = warehouse is None or warehouse.fact("purpose") is None
    for one in found:
        yield _source(one, is_live=is_live)
    asked = [
        one for one in found if one.last_good_at is not None and one.status not in {"file_only", "retired"}
    ]
    if is_live and asked and all(one.is_late or one.status == "failing" for one in asked):
        yield fail(
            "sources",
            "no source has come whole within twice its cadence",
            "is a timer running `gpurent collect`? Is the network there? gpurent runs shows the last ones",
        )


def _source(one: SourceHealth, *, is_live: bool) -> Line:
    """In a warehouse made from an archive nothing can be late."""
    topic = f"source {one.record.source_id}"
    status = one.status.replace("_", " ")
    if one.last_good_at is None:
        text = f"{status}; never read whole"
    else:
        text = (
            f"{status}; last whole look {iso_utc(one.last_good_at)}, {one.age_hours:.0f} h ago "
            f"(cadence {one.record.cadence_hours} h), {one.stated_rows} rows, {one.rejected_rows} refused"
        )
    if one.status == "failing":
        return warn(
            topic,
            f"{text}; {one.failures_in_a_row} looks in a row did not come whole ({one.last_status})",
            f"gpurent collect {one.record.source_id} tells why; what it stated counts for seven days",
        )
    if one.is_late and is_live:
        return warn(
            topic,
            f"{text}: late",
            f"older than {LATE_AFTER} times its cadence; what it stated counts for seven days",
        )
    return ok(topic, text)
