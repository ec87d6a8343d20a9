"""Reading dates and instants as words of the command line, strictly."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any

from cyclopts import Parameter, Token

_DAY = re.compile(r"^\d{4}-\d{2}-\d{2}$")


def read_day(text: str) -> date:
    """A date `YYYY-MM-DD`; anything else raises ValueError."""
    if not _DAY.match(text):
        raise ValueError(f"{text!r} is not a date; write YYYY-MM-DD, such as 2026-08-15")
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a day of the calendar") from None


def read_instant(text: str, *, is_end_of_day: bool) -> datetime:
    """An instant with its zone, such as 2026-08-15T09:00Z; a date means its start or its end in UTC."""
    if _DAY.match(text):
        start = datetime.combine(read_day(text), datetime.min.time(), tzinfo=UTC)
        return start + timedelta(days=1, microseconds=-1) if is_end_of_day else start
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a time; write 2026-08-15T09:00Z, or a date YYYY-MM-DD") from None
    if found.tzinfo is None:
        raise ValueError(f"{text!r} has no time zone; write {text}Z for UTC")
    return found.astimezone(UTC)


def _day(_: Any, tokens: Sequence[Token]) -> date:
    return read_day(tokens[0].value)


def _start(_: Any, tokens: Sequence[Token]) -> datetime:
    return read_instant(tokens[0].value, is_end_of_day=False)


def _end(_: Any, tokens: Sequence[Token]) -> datetime:
    return read_instant(tokens[0].value, is_end_of_day=True)


Day = Annotated[date, Parameter(converter=_day)]
Observed = Annotated[datetime, Parameter(converter=_start)]
AsOf = Annotated[datetime, Parameter(converter=_end)]
Public = Annotated[
    bool, Parameter(negative="", help="Read the public file, which no other process can hold.")
]
