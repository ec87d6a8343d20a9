"""doctor, runs, migrate: looking after a warehouse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter
from cyclopts.validators import Number

from gpurent.cli.context import Given, Output
from gpurent.core.errors import NotFoundError

if TYPE_CHECKING:
    from rich.console import Console

    from gpurent.daily.doctor import Checkup

Json = Mapping[str, Any]

_DOCTOR = """Examples:
  gpurent doctor
  gpurent doctor --deep              every archived record and every edition
  gpurent doctor --json"""
_RUNS = """Examples:
  gpurent runs
  gpurent runs --last 1              the last run in full
  gpurent runs --last 50 --json"""

_STYLES = {"ok": "green", "warn": "yellow", "fail": "bold red"}


def register(app: App) -> None:
    """Add the commands to the app."""
    app.command(doctor, help_epilogue=_DOCTOR)
    app.command(runs, help_epilogue=_RUNS)
    app.command(migrate, help_epilogue="Examples:\n  gpurent migrate --warehouse gpurent.duckdb")


def doctor(*, deep: Annotated[bool, Parameter(negative="")] = False, context: Given) -> Output:
    """Look whether everything is as a daily run needs it; each line says ok, warn or fail, and what to do.

    Ends with 3 when a line says fail.

    Parameters
    ----------
    deep
        Read every archived record back and check every edition, not a sample and the latest.
    """
    from gpurent.daily.doctor import examine

    checkup = examine(context.settings, is_deep=deep, progress=context.progress)
    return Output(checkup.as_json(), lambda console: _show_checkup(console, checkup), checkup.exit_code)


def runs(*, last: Annotated[int, Parameter(validator=Number(gte=1))] = 10, context: Given) -> Output:
    """Show the last runs: when, how long, how they ended, what they read and what they priced.

    Parameters
    ----------
    last
        How many, newest first. One is shown in full.
    """
    from gpurent.cli.reading import open_for_reading
    from gpurent.daily.history import last_runs

    with open_for_reading(context.settings, is_public=False) as warehouse:
        found = [run.as_json() for run in last_runs(warehouse, last)]
    render = _show_run if last == 1 and found else _show_runs
    return Output({"runs": found}, lambda console: render(console, found))


def migrate(*, context: Given) -> Output:
    """Bring a warehouse of an older version up to date."""
    from gpurent.cli.reading import naming_the_sample
    from gpurent.core.clock import SystemClock
    from warehouse import lock, migrations
    from warehouse.layout import Layout
    from warehouse.store import connect_own

    path = context.settings.warehouse
    if not path.exists():
        with naming_the_sample(context.settings):
            raise NotFoundError(f"{path}: there is no warehouse here to bring up to date")
    now = SystemClock().now()
    with lock.hold(Layout(path), now):
        connection = connect_own(path)
        try:
            applied = migrations.migrate(connection, now)
        finally:
            connection.close()
    names = [migration.title for migration in applied]
    text = f"{path}: applied {', '.join(names)}" if names else f"{path}: up to date"
    return Output({"warehouse": str(path), "applied": names}, lambda console: _show_line(console, text))


def _show_checkup(console: Console, checkup: Checkup) -> None:
    from rich.text import Text

    from gpurent.cli.output import line

    width = max(len(one.topic) for one in checkup.lines)
    for one in checkup.lines:
        shown = Text(f"{one.state:<5} ", style=_STYLES[one.state])
        shown.append(f"{one.topic:<{width}}  ", style="bold")
        shown.append(one.text, style="default not bold")
        console.print(shown, soft_wrap=True)
        if one.advice:
            line(console, f"{'':<6}{'':<{width}}  → {one.advice}", "dim")
    counts = checkup.counts
    line(console)
    line(console, ", ".join(f"{counts[state]} {state}" for state in ("ok", "warn", "fail")), "bold")


def _show_runs(console: Console, found: Sequence[Json]) -> None:
    from gpurent.cli.output import line, table

    if not found:
        line(console, "nothing was run in this warehouse yet")
        return
    columns = ("started", "command", "ended with", "seconds", "sources", "rows", "refused", "days", "error")
    rows = [
        (
            f"{run['started_at']:%Y-%m-%d %H:%M:%S}",
            run["command"],
            _end_of(run),
            None if run["seconds"] is None else f"{run['seconds']:.1f}",
            _sources_of(run),
            run["accepted"],
            sum(run["rejected"].values()) or None,
            len(run["days"]) or None,
            run["error"],
        )
        for run in found
    ]
    console.print(table(columns, rows, numbers=("ended with", "seconds", "rows", "refused", "days")))


def _show_run(console: Console, found: Sequence[Json]) -> None:
    from gpurent.cli.output import card, line, table

    (run,) = found
    line(console, f"{run['command']}, started {run['started_at']:%Y-%m-%d %H:%M:%S} UTC", "bold")
    versions = ", ".join(f"{name} {version}" for name, version in sorted(run["versions"].items()))
    graded = run["graded"] or {}
    facts = [
        ("ended with", _end_of(run), run["error"] or ""),
        ("seconds", run["seconds"], ""),
        (
            "rows read",
            run["accepted"],
            f"{graded.get('offers', 0)} offers, {graded.get('trades', 0)} trades made of them",
        ),
        ("with", "", versions),
    ]
    console.print(card(facts))
    if run["sources"]:
        line(console)
        rows = [
            (
                name,
                one["status"],
                one["captures"],
                one["accepted"],
                sum(one["rejected"].values()) or None,
                _faults(one),
            )
            for name, one in sorted(run["sources"].items())
        ]
        columns = ("source", "status", "captures", "rows", "refused", "faults")
        console.print(table(columns, rows, numbers=("captures", "rows", "refused")))
    if run["rejected"]:
        line(console)
        rows_of = sorted(run["rejected"].items(), key=lambda pair: (-pair[1], pair[0]))
        console.print(table(("refused because", "rows"), rows_of, numbers=("rows",)))
    if run["days"]:
        line(console)
        names = ("day", "vintage", "published", "withheld", "is_new")
        days = [
            [one[name] for name in names[:-1]] + ["yes" if one["is_new"] else "no"] for one in run["days"]
        ]
        console.print(table((*names[:-1], "new"), days, numbers=("published", "withheld")))


def _end_of(run: Json) -> str:
    return "did not end" if run["ended_at"] is None else str(run["exit_code"])


def _sources_of(run: Json) -> str | None:
    """`7 of 9`: sources that came whole, of those that were asked."""
    asked = [one for one in run["sources"].values() if one["status"] != "skipped"]
    whole = sum(1 for one in asked if one["status"] == "complete")
    return f"{whole} of {len(asked)} whole" if asked else None


def _faults(source: Json) -> str | None:
    return ", ".join(sorted({fault["reason_code"] for fault in source["faults"]})) or None


def _show_line(console: Console, text: str) -> None:
    from gpurent.cli.output import line

    line(console, text)
