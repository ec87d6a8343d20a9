"""daily, collect, ingest, index: the commands that write."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, Parameter

from gpurent.cli.context import Given, Output
from gpurent.cli.values import Day, Observed
from gpurent.core.errors import UsageError

_PATHS = ("edition_path", "page_path", "public_path", "warehouse")

_DAILY = """Examples:
  gpurent daily                      for a timer: collect, publish what is due
  gpurent daily --sample             the sample, in gpurent-sample/, offline
  gpurent daily --replay archive/    every day of an archive, as it was then
  gpurent daily --day 2026-08-15 --vintage "seller corrected its list\""""
_COLLECT = """Examples:
  gpurent collect                         every source
  gpurent collect azure gpurentalprices   two of them
  gpurent collect --replay archive/       from an archive folder"""
_INGEST = """Examples:
  gpurent ingest prices/*.json.gz --source gpurentalprices
  gpurent ingest bill.csv --source focus --observed-at 2026-08-15"""
_INDEX = """Examples:
  gpurent index                      every day there is data for
  gpurent index --from 2026-08-06 --to 2026-08-15"""


def register(app: App) -> None:
    """Add the commands to the app."""
    app.command(daily, help_epilogue=_DAILY)
    app.command(collect, help_epilogue=_COLLECT)
    app.command(ingest, help_epilogue=_INGEST)
    app.command(index, help_epilogue=_INDEX)


def daily(
    *,
    day: Day | None = None,
    sample: Annotated[bool, Parameter(negative="")] = False,
    replay: Path | None = None,
    vintage: str | None = None,
    catch_up: Annotated[bool, Parameter(negative="")] = False,
    context: Given,
) -> Output:
    """Collect, then publish the latest day whose cut-off has passed.

    Parameters
    ----------
    day
        Publish this past day; nothing is fetched.
    sample
        Publish every day of the sample that comes with the program.
    replay
        Publish every day of this archive folder, under the archive's own clock.
    vintage
        Why a day that is published already is published again with other content.
    catch_up
        Publish all missed days, also when more than seven of them have no look at any source.
    """
    from gpurent.cli.runreports import show_daily
    from gpurent.daily import run_daily

    _check_daily(day, sample=sample, replay=replay, vintage=vintage, catch_up=catch_up)
    report = run_daily(
        context.settings,
        day=day,
        is_sample=sample,
        replay=replay,
        vintage_reason=vintage,
        catches_up=catch_up,
        progress=context.progress,
    )
    document = _with_whole_paths(report.as_json())
    return Output(document, lambda console: show_daily(console, document), report.exit_code)


def _check_daily(
    day: date | None, *, sample: bool, replay: Path | None, vintage: str | None, catch_up: bool
) -> None:
    """Refuse words that contradict each other."""
    if catch_up and (sample or replay is not None):
        raise UsageError("--catch-up goes with live data; an archive has no missed days")
    if sample and replay is not None:
        raise UsageError("--sample and --replay exclude each other: the sample is an archive of its own")
    if day is not None and (sample or replay is not None):
        raise UsageError(
            "--day goes with live data; --sample and --replay publish every day of their archive"
        )
    if vintage is not None and not vintage.strip():
        raise UsageError("--vintage needs the reason in words")


def collect(
    *sources: str,
    replay: Path | None = None,
    endpoint: str | None = None,
    context: Given,
) -> Output:
    """Collect and grade; publish nothing.

    Parameters
    ----------
    sources
        Ids of sources; all of them when none is named. `gpurent source list` prints them.
    replay
        Read this archive folder instead of asking the sources.
    endpoint
        Send each request to ENDPOINT/<source id>/<path and query> instead of the source's host.
    """
    from gpurent.cli.runreports import show_collected
    from gpurent.daily import run_collect

    settings = context.settings
    if endpoint is not None and replay is not None:
        raise UsageError("--endpoint and --replay exclude each other: a replay asks nobody")
    if endpoint is not None:
        settings = settings.model_copy(update={"endpoint": endpoint})
    report = run_collect(settings, source_ids=sources, replay=replay, progress=context.progress)
    document = _with_whole_paths(report.as_json())
    return Output(document, lambda console: show_collected(console, document), report.exit_code)


def ingest(
    *paths: Annotated[Path, Parameter(required=True)],
    source: str,
    observed_at: Observed | None = None,
    context: Given,
) -> Output:
    """Read files with a source's own reader, then normalise and grade what they state.

    Parameters
    ----------
    paths
        Files: JSON, JSON Lines, CSV, YAML or Parquet, plain or gzip, told by content.
    source
        Id of the source whose format they have.
    observed_at
        When their prices were seen, where neither rows nor file say so: a time with its zone, or a date (its start).
    """
    from gpurent.cli.runreports import show_ingested
    from gpurent.daily import run_ingest

    report = run_ingest(
        context.settings, paths=paths, source_id=source, observed_at=observed_at, progress=context.progress
    )
    document = _with_whole_paths(report.as_json())
    return Output(document, lambda console: show_ingested(console, document), report.exit_code)


def index(
    *,
    from_day: Annotated[Day | None, Parameter(name="--from")] = None,
    to_day: Annotated[Day | None, Parameter(name="--to")] = None,
    methodology: Path | None = None,
    context: Given,
) -> Output:
    """Compute reference prices of past days from what was available then (reconstructed).

    Parameters
    ----------
    from_day
        First day; the first one with data when left out.
    to_day
        Last day; the last one whose cut-off has passed when left out.
    methodology
        A changed copy of the methodology file, with a version of its own, for a back-run: a warehouse that was not
        priced yet is priced by it from then on, and takes no live days.
    """
    from gpurent.cli.runreports import show_indexed
    from gpurent.daily import run_index

    if from_day is not None and to_day is not None and to_day < from_day:
        raise UsageError(f"--from {from_day} lies after --to {to_day}")
    report = run_index(
        context.settings,
        first_day=from_day,
        last_day=to_day,
        methodology=methodology,
        progress=context.progress,
    )
    document = _with_whole_paths(report.as_json())
    return Output(document, lambda console: show_indexed(console, document), report.exit_code)


def _with_whole_paths(document: Mapping[str, Any]) -> dict[str, Any]:
    """The report with every path of our own files absolute, so that they can be opened from anywhere."""
    return {
        name: str(Path(value).absolute()) if name in _PATHS else value for name, value in document.items()
    }
