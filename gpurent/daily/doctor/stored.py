"""What the warehouse holds: clock, archived bytes, and the checks of the data."""

from __future__ import annotations

from collections.abc import Iterator

from gpurent.core.clock import iso_utc
from gpurent.core.errors import CheckFailedError
from gpurent.core.ids import sha256_hex
from gpurent.core.progress import Progress
from gpurent.daily.clockcheck import fault_of_clock, newest_known
from gpurent.daily.doctor.lines import Line, fail, ok, warn
from warehouse import checks
from warehouse.archive import open_archive
from warehouse.sql_files import run_sql, run_sql_dicts
from warehouse.store import Warehouse

PACKAGE = "gpurent.daily.sql"
SAMPLED = 40
SHOWN = 3


def look_at_store(warehouse: Warehouse, *, is_deep: bool, progress: Progress) -> Iterator[Line]:
    """Clock, archive and data."""
    yield _clock(warehouse)
    yield from _archive(warehouse, is_deep=is_deep, progress=progress)
    yield from _data(warehouse, progress)


def _clock(warehouse: Warehouse) -> Line:
    """The system's clock may not stand before what is recorded already: known_at would go back."""
    newest = newest_known(warehouse)
    if newest is None:
        return ok("clock", "nothing is recorded yet")
    if warehouse.fact("purpose") is not None:
        return ok("clock", f"the archive's; the newest record is of {iso_utc(newest)}")
    fault = fault_of_clock(warehouse)
    if fault is not None:
        return fail(
            "clock",
            fault,
            "set the machine's clock (and keep it set: NTP); nothing may be recorded before what is there",
        )
    return ok("clock", f"{iso_utc(warehouse.clock.now())}, not before the newest record of {iso_utc(newest)}")


def _archive(warehouse: Warehouse, *, is_deep: bool, progress: Progress) -> Iterator[Line]:
    """Read archived records back and compare them with their hashes: a spread of them, or all."""
    ((total,),) = run_sql(warehouse, PACKAGE, "captures_counted")
    if total == 0:
        yield ok("archive", "nothing is archived yet")
        return
    parameters = {"wanted": total if is_deep else SAMPLED}
    captures = run_sql_dicts(warehouse, PACKAGE, "captures_to_read", parameters)
    progress.start("reading the archive", len(captures))
    problems = []
    with open_archive(warehouse) as archive:
        for capture in captures:
            try:
                body = archive.read(capture["archive_file"], capture["archive_offset"]).body
            except CheckFailedError as error:
                problems.append(str(error))
            else:
                if sha256_hex(body) != capture["sha256"]:
                    where = f"{capture['archive_file']} at {capture['archive_offset']}"
                    problems.append(f"{where}: the bytes are not those of capture {capture['capture_id']}")
            progress.advance()
    looked = f"{len(captures)} of {total} captures read back"
    for problem in problems[:SHOWN]:
        yield fail("archive", problem, f"restore {warehouse.layout.archive} from a backup")
    if problems:
        more = f" ({len(problems) - SHOWN} more)" if len(problems) > SHOWN else ""
        yield fail(
            "archive", f"{looked}, {len(problems)} of them wrong{more}", "gpurent doctor --deep reads all"
        )
    elif len(captures) < total:
        yield ok("archive", f"{looked}, whole and unchanged; --deep reads all")
    else:
        yield ok("archive", f"{looked}, whole and unchanged")


def _data(warehouse: Warehouse, progress: Progress) -> Iterator[Line]:
    """The checks of the data that come with the warehouse."""
    progress.start("checking the data", len(checks.names()))
    findings = []
    for name in checks.names():
        finding = checks.run_one(warehouse, name)
        if finding is not None:
            findings.append(finding)
        progress.advance(name)
    for finding in findings:
        yield fail(
            "data", str(finding), f"what is checked: warehouse/checks/{finding.check}.sql; {finding.clause}"
        )
    well = len(checks.names()) - len(findings)
    if well:
        yield ok("data", f"{well} of {len(checks.names())} checks find nothing")
    else:
        yield warn("data", "no check finds nothing", "see above")
