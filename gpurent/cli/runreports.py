"""What a run did, for people: the outcome of daily, collect, ingest and index."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from rich.console import Console

from gpurent.cli.output import line, sample_line, short_path, table
from gpurent.cli.pricetable import show_prices
from gpurent.publish.words import counted

Json = Mapping[str, Any]

PATHS = (("edition", "edition_path"), ("page", "page_path"), ("public file", "public_path"))


def show_daily(console: Console, report: Json) -> None:
    """The day's table, where the files are, and which source did not come whole on which day."""
    sample_line(console, is_sample=report["is_sample"])
    new = sum(1 for edition in report["editions"] if edition["is_new"])
    line(console, f"{report['day']}: {counted(len(report['editions']), 'edition')}, {new} of them new")
    line(console)
    show_prices(console, report["table"])
    line(console)
    _show_paths(console, report)
    for name in report["failed_sources"]:
        faults = report["collected"]["sources"][name]["faults"] if report["collected"] else []
        for why in _whys(faults) or [""]:
            line(console, f"not read whole: {name}{why}", "yellow")


def show_collected(console: Console, report: Json) -> None:
    """What each source brought, and what went wrong with it."""
    rows = [
        (name, one["status"], one["captures"], one["accepted"], _counts(one["rejected"]))
        for name, one in report["sources"].items()
    ]
    columns = ("source", "status", "captures", "accepted", "rejected")
    console.print(table(columns, rows, numbers=("captures", "accepted")))
    for one in report["sources"].values():
        _show_faults(console, one["faults"])
    for damage in report["damages"]:
        line(console, damage, "yellow")
    _show_graded(console, report["graded"])


def show_ingested(console: Console, report: Json) -> None:
    """How many rows were read, which files were known already, and which rows state no time."""
    captures: Sequence[Json] = report["captures"]
    line(console, f"{counted(len(captures), 'file')}: {counted(report['accepted'], 'row')} accepted")
    if report["rejected"]:
        line(console, f"rejected: {_counts(report['rejected'])}")
    for one in captures:
        if one["known_since"]:
            stays = "; its rows keep the time they were recorded with" if one["is_asked_otherwise"] else ""
            line(console, f"{one['path']}: already known since {one['known_since']}{stays}", "yellow")
    if report["untimed"]:
        verb = "states" if report["untimed"] == 1 else "state"
        said = f"{counted(report['untimed'], 'row')} {verb} no time: recorded as observed now; give --observed-at"
        line(console, said, "yellow")
    _show_faults(console, [one["fault"] for one in captures if "fault" in one])
    _show_graded(console, report["graded"])


def show_indexed(console: Console, report: Json) -> None:
    """The days computed; those in a row on which nothing could be published are one line."""
    columns = ("day", "vintage", "published", "withheld", "new")
    console.print(table(columns, list(_folded(report["days"])), numbers=("published", "withheld")))
    if report["live_days"]:
        line(console, f"left alone, since they have live values: {', '.join(report['live_days'])}")
    _show_paths(console, report)


def _folded(days: Sequence[Json]) -> Iterator[tuple[object, ...]]:
    """Rows of the table of days; days in a row that differ in nothing and publish nothing are folded."""
    start = 0
    for number, day in enumerate(days):
        following = days[number + 1] if number + 1 < len(days) else None
        if following is not None and _empty(day) is not None and _empty(day) == _empty(following):
            continue
        first = days[start]["day"]
        when = first if start == number else f"{first} to {day['day']}, {number - start + 1} days"
        withheld = day["withheld"] if start == number else f"{day['withheld']} each"
        yield when, day["vintage"], day["published"], withheld, "yes" if day["is_new"] else "no"
        start = number + 1


def _empty(day: Json) -> tuple[object, ...] | None:
    """What a day without a value has in common with others like it; None for a day with one."""
    return (day["vintage"], day["withheld"], day["is_new"]) if day["published"] == 0 else None


def _show_paths(console: Console, report: Json) -> None:
    for name, path in PATHS:
        if path in report:
            line(console, f"{name:<12}{short_path(report[path])}")


def _whys(faults: Sequence[Json]) -> list[str]:
    """What went wrong, once a reason: days in a row with the same reason are one line."""
    days: dict[str, list[date]] = {}
    for fault in faults:
        found = days.setdefault(f": {fault['detail']} ({fault['reason_code']})", [])
        if fault.get("day"):
            found.append(date.fromisoformat(fault["day"]))
    return [f"{when}{why}" for why, on in days.items() for when in _runs_of_days(sorted(set(on)))]


def _runs_of_days(days: Sequence[date]) -> list[str]:
    """Days as ` on DAY` or ` from DAY to DAY`, in order; one empty word where there are none."""
    runs: list[list[date]] = []
    for day in days:
        if runs and day - runs[-1][-1] == timedelta(days=1):
            runs[-1].append(day)
        else:
            runs.append([day])
    return [f" on {run[0]}" if len(run) == 1 else f" from {run[0]} to {run[-1]}" for run in runs] or [""]


def _show_graded(console: Console, graded: Json) -> None:
    line(
        console,
        f"graded: {graded['offers']} offers, {graded['trades']} trades of {graded['captures']} captures",
    )
    if graded["rejected"]:
        line(console, f"in no grade: {_counts(graded['rejected'])}")


def _show_faults(console: Console, faults: Sequence[Json]) -> None:
    for fault in faults:
        line(console, f"{fault['where']}: {fault['reason_code']}: {fault['detail']}", "yellow")


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{code} {count}" for code, count in sorted(counts.items()))
