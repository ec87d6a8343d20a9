"""source list, source show: the register of sources, and how each of them is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from cyclopts import App

from gpurent.cli.context import Context, Given, Output

if TYPE_CHECKING:
    from rich.console import Console

    from collectors.registry import SourceRecord
    from gpurent.daily.health import SourceHealth

Json = Mapping[str, Any]

_LIST = """Examples:
  gpurent source list
  gpurent source list --json"""
_SHOW = """Examples:
  gpurent source show azure
  gpurent source show vast --json"""

# what a source may say of all its rows, and the axis its words decide
_STATES = ("chip", "form", "memory", "lot", "fabric", "scope", "term", "place")
_COLUMNS = (
    "source",
    "status",
    "kind",
    "last whole look",
    "age",
    "cadence",
    "rows",
    "rights",
    "terms",
    "origin",
)


def register(app: App) -> None:
    """Add the commands to the app."""
    source = App(name="source", help="Sources: where prices come from, and how each of them is.")
    source.command(source_list, name="list", help_epilogue=_LIST)
    source.command(source_show, name="show", help_epilogue=_SHOW)
    app.command(source)


def source_list(*, context: Given) -> Output:
    """List the sources with status, last whole look, its age against the cadence, rows, rights and origin."""
    from gpurent.daily.health import STATUSES

    found, note, is_sample = _health_of_all(context)
    rows = [{**_record_json(context, one.record), **one.as_json()} for one in found]
    document = {"sources": rows, "statuses": dict(STATUSES), "note": note, "notice": _notice(is_sample)}

    def render(console: Console) -> None:
        from gpurent.cli.output import line, sample_line, table

        sample_line(console, is_sample=is_sample)
        lines = [_line(one, row["origin"]) for one, row in zip(found, rows, strict=True)]
        console.print(table(_COLUMNS, lines, numbers=("rows",)))
        for status in sorted({one.status for one in found}):
            line(console, f"{status.replace('_', ' ')}: {STATUSES[status]}", "dim")
        if note:
            line(console, note, "yellow")

    return Output(document, render)


def source_show(source_id: str, /, *, context: Given) -> Output:
    """Show a source: its record, how it is, and which axes of a GPU-hour it states.

    Parameters
    ----------
    source_id
        Id of the source; `gpurent source list` prints them.
    """
    from collectors.registry import load_sources, source
    from gpurent.cli.reading import is_sample, overlay_of, warehouse_if_there
    from gpurent.core.clock import SystemClock
    from gpurent.daily.health import present, source_health, stated_axes

    settings = context.settings
    record = source(load_sources(overlay_of(settings)), source_id)
    with warehouse_if_there(settings) as found:
        warehouse = found.warehouse
        now = SystemClock().now() if warehouse is None else present(warehouse)
        (health,) = source_health(warehouse, {source_id: record}, settings, now)
        axes = None if warehouse is None else stated_axes(warehouse, source_id)
        made_from_sample = warehouse is not None and is_sample(warehouse)
    document = {
        **_record_json(context, record),
        "health": health.as_json(),
        "axes": _axes(record, axes),
        "offers_counted": axes["offers"] if axes else None,
        "note": found.note,
        "notice": _notice(made_from_sample),
    }
    return Output(document, lambda console: _show(console, health, document))


def _health_of_all(context: Context) -> tuple[Sequence[SourceHealth], str | None, bool]:
    from collectors.registry import load_sources
    from gpurent.cli.reading import is_sample, overlay_of, warehouse_if_there
    from gpurent.core.clock import SystemClock
    from gpurent.daily.health import present, source_health

    settings = context.settings
    records = load_sources(overlay_of(settings))
    with warehouse_if_there(settings) as found:
        warehouse = found.warehouse
        now = SystemClock().now() if warehouse is None else present(warehouse)
        health = source_health(warehouse, records, settings, now)
        return health, found.note, warehouse is not None and is_sample(warehouse)


def _record_json(context: Context, record: SourceRecord) -> dict[str, Any]:
    """The record with its origin, and the fields a user's file changes."""
    from collectors.registry import load_sources, overlay_of_sources
    from gpurent.cli.reading import origin_words, overlay_of

    file, changed = overlay_of_sources(overlay_of(context.settings)).get(record.source_id, (None, {}))
    packaged = record.source_id in load_sources()
    files = [f"collectors/sources/{record.source_id}.toml"] * packaged + ([file] if file else [])
    return {
        **record.model_dump(),
        "reader": record.reader_id,
        "origin": origin_words(tuple(files)),
        "changed_fields": sorted(changed),
    }


def _notice(is_sample: bool) -> str | None:
    return "SAMPLE" if is_sample else None


def _axes(record: SourceRecord, counted: Mapping[str, int] | None) -> list[Json]:
    """Axis by axis: the words the source says of all its rows, and how many of its newest offers state it."""
    rows: list[Json] = []
    for axis in _STATES:
        statement = record.states.get(f"{axis}_text")
        rows.append(
            {
                "axis": axis,
                "says_of_all": statement.text if statement else None,
                "url": statement.url if statement else None,
                "stated_offers": counted[axis] if counted else None,
            }
        )
    return rows


def _line(one: SourceHealth, origin: str) -> list[object]:
    record = one.record
    return [
        record.source_id,
        one.status.replace("_", " ") + (", late" if one.is_late else ""),
        record.kind,
        _minute(one.last_good_at),
        _hours(one.age_hours),
        _hours(record.cadence_hours),
        one.stated_rows if one.last_good_at else None,
        record.redistribution.replace("_", " "),
        record.terms_checked_on or "not read",
        origin,
    ]


def _minute(instant: datetime | None) -> str | None:
    return None if instant is None else f"{instant:%Y-%m-%d %H:%M} UTC"


def _hours(hours: float | None) -> str | None:
    if hours is None:
        return None
    return f"{hours:.0f} h" if hours < 72 else f"{hours / 24:.0f} days"


def _show(console: Console, health: SourceHealth, document: Json) -> None:
    from gpurent.cli.output import card, line, sample_line, table
    from gpurent.daily.health import STATUSES

    record = health.record
    sample_line(console, is_sample=document["notice"] is not None)
    line(console, f"{record.source_id}: {record.title}", "bold")
    line(console, f"{health.status.replace('_', ' ')}: {STATUSES[health.status]}")
    line(console)
    console.print(card(_facts(health, document)))
    line(console)
    offers = document["offers_counted"]
    head = "axes" if offers is None else f"axes, in {offers} offers of the newest day"
    line(console, head, "bold")
    rows = [
        (
            axis["axis"],
            _share(axis["stated_offers"], offers),
            f"{axis['says_of_all']!r} of all rows, {axis['url']}" if axis["says_of_all"] else None,
        )
        for axis in document["axes"]
    ]
    console.print(table(("axis", "stated", "the source says"), rows))
    if document["note"]:
        line(console, document["note"], "yellow")


def _share(stated: int | None, offers: int | None) -> str | None:
    if stated is None or not offers:
        return None
    return "all" if stated == offers else "none" if stated == 0 else f"{stated} of {offers}"


def _facts(health: SourceHealth, document: Json) -> Iterator[tuple[str, object, str]]:
    record = health.record
    yield "origin", document["origin"], ", ".join(document["changed_fields"])
    yield "last whole look", _minute(health.last_good_at), f"{_hours(health.age_hours) or 'never'} old"
    yield "cadence", _hours(record.cadence_hours), "late" if health.is_late else ""
    yield "rows then", health.stated_rows, f"{health.rejected_rows} refused"
    yield "failures since", health.failures_in_a_row, f"of {health.look_count} looks in all"
    yield "kind", record.kind, f"{record.unit}, {record.currency}"
    yield "read by", document["reader"], "files only" if record.is_file_only else record.url
    yield "rights", record.redistribution.replace("_", " "), record.licence or record.attribution or ""
    yield "terms read", record.terms_checked_on or "no", record.terms_note
    yield "robots read", record.robots_checked_on or "no", ""
    yield "fixture", record.fixture_origin, f"first live success: {record.first_live_success or 'none'}"
    yield "time means", "", record.time_meaning
