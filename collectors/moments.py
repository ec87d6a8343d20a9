"""When a list was looked at, when its prices were observed, and when they could first be known.

The first of these that there is: the row's own time, the document's, the date in a file's name, the time the
person who ingested it gave, the clock. A live document without a time of its own belongs to the look that
began with its run, and its prices were observed when it came. A name's date that cannot be, such as a later one, is
none; a document's own makes it unreadable.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from collectors.document import Document
from gpurent.core.errors import SourceError

_IN_A_NAME = re.compile(
    r"(?<!\d)(20\d\d)[-_.]?(0[1-9]|1[0-2])[-_.]?(0[1-9]|[12]\d|3[01])"
    r"(?:[T_-]?([01]\d|2[0-3])[-_:.]?([0-5]\d)(?:[-_:.]?([0-5]\d))?Z)?(?!\d)"
)


# clocks differ, and a date without a time may be that of a place east of here
FUTURE = timedelta(days=1)
# the first GPU machine for rent by the hour came in November 2010 (AWS cg1.4xlarge)
EARLIEST = datetime(2010, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Moment:
    """The times of a list. `origin` is what `observed_at_from` says of rows without a time of their own."""

    snapshot_at: datetime
    observed_at: datetime
    available_at: datetime
    origin: str


def moment_of(document: Document, own: datetime | None, snapshot_at: datetime | None = None) -> Moment:
    """The times of a list whose source states `own` for it; `snapshot_at` is when the run began."""
    if own is not None:
        _check(own, document.fetched_at)
        return Moment(own, own, min(own, document.fetched_at), "file")
    began = snapshot_at or document.snapshot_at
    if began is not None:
        return Moment(began, document.fetched_at, document.fetched_at, "clock")
    named = instant_in_name(document.file_name or "")
    if named is not None and EARLIEST <= named[0] <= document.fetched_at + FUTURE:
        at, known_by = named
        return Moment(at, at, min(known_by, document.fetched_at), "name")
    given = document.observed_at
    if given is not None:
        return Moment(given, given, min(given, document.fetched_at), "option")
    return Moment(document.fetched_at, document.fetched_at, document.fetched_at, "clock")


def _check(own: datetime, fetched_at: datetime) -> None:
    """A list cannot have been made after it was fetched, nor before anybody rented out a GPU by the hour."""
    if own > fetched_at + FUTURE:
        raise SourceError(
            "document_time",
            f"made at {own:%Y-%m-%d %H:%M} UTC, as it says, and read before, at {fetched_at:%Y-%m-%d %H:%M} UTC",
        )
    if own < EARLIEST:
        raise SourceError(
            "document_time", f"made at {own:%Y-%m-%d %H:%M} UTC, as it says: before {EARLIEST:%Y}"
        )


def instant_in_name(name: str) -> tuple[datetime, datetime] | None:
    """The first date in a file's name, and by when its content could be known.

    A date alone is its midnight UTC and known by the end of that day; with a time (20260720T1333Z) both are it.
    """
    for match in _IN_A_NAME.finditer(name):
        year, month, day, hour, minute, second = (int(part or 0) for part in match.groups())
        try:
            at = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
        except ValueError:
            continue
        return at, at if match[4] else at + timedelta(days=1)
    return None
