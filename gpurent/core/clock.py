"""The one clock. Nothing else in the project asks the operating system for the time.

Under `--sample` and `--replay` the clock is the archive's: it stands at the instant that is being replayed, so
that the same archive gives the same bytes whenever it is run. Wall time goes to the `runs` table only.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Protocol


class Clock(Protocol):
    """Tells the current instant, zone-aware, in UTC."""

    def now(self) -> datetime: ...


class SystemClock:
    """The operating system's clock, to the microsecond (what the warehouse stores)."""

    def now(self) -> datetime:
        return datetime.now(UTC)


class RecordedClock:
    """A clock that stands where it was last set, and never goes back."""

    def __init__(self, instant: datetime) -> None:
        self._instant = as_utc(instant)

    def now(self) -> datetime:
        return self._instant

    def advance_to(self, instant: datetime) -> None:
        """Move to `instant`; an earlier one raises ValueError."""
        moved = as_utc(instant)
        if moved < self._instant:
            raise ValueError(f"the recorded clock stands at {self._instant} and cannot go back to {moved}")
        self._instant = moved


def as_utc(instant: datetime) -> datetime:
    """The same instant in UTC. A datetime without a zone raises ValueError: a zone is never guessed."""
    if instant.tzinfo is None:
        raise ValueError(f"{instant.isoformat()} has no time zone")
    return instant.astimezone(UTC)


def utc_day(instant: datetime) -> date:
    """The UTC date of an instant: the window of day D is its UTC day."""
    return as_utc(instant).date()


def at_utc(day: date, hour: int, minute: int = 0) -> datetime:
    """`day` at `hour`:`minute` UTC; hours of 24 and more run into the following days."""
    return datetime.combine(day, time(0), tzinfo=UTC) + timedelta(hours=hour, minutes=minute)


def iso_utc(instant: datetime) -> str:
    """ISO 8601 with a Z and microseconds only where there are any: the one spelling used in files and ids."""
    moment = as_utc(instant)
    text = moment.strftime("%Y-%m-%dT%H:%M:%S")
    if moment.microsecond:
        text += f".{moment.microsecond:06d}".rstrip("0")
    return text + "Z"
