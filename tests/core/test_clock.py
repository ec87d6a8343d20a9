"""The one clock and the one spelling of an instant."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpurent.core.clock import RecordedClock, SystemClock, as_utc, at_utc, iso_utc, utc_day

NOON = datetime(2026, 7, 15, 12, 0, tzinfo=UTC)
INSTANTS = st.datetimes(datetime(1970, 1, 2), datetime(2100, 1, 1), timezones=st.timezones())  # noqa: DTZ001


@pytest.mark.parametrize(
    ("instant", "text"),
    [
        (NOON, "2026-07-15T12:00:00Z"),
        (NOON.replace(microsecond=250_000), "2026-07-15T12:00:00.25Z"),
        (NOON.replace(microsecond=1), "2026-07-15T12:00:00.000001Z"),
        (NOON.astimezone(timezone(timedelta(hours=-7))), "2026-07-15T12:00:00Z"),
    ],
)
def test_an_instant_has_one_spelling(instant: datetime, text: str) -> None:
    assert iso_utc(instant) == text
    assert datetime.fromisoformat(text) == instant


@given(INSTANTS)
def test_the_spelling_can_be_read_back(instant: datetime) -> None:
    assert datetime.fromisoformat(iso_utc(instant)) == as_utc(instant)
    assert utc_day(instant) == as_utc(instant).date()


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="has no time zone"):
        as_utc(datetime(2026, 7, 15))  # noqa: DTZ001


def test_hours_beyond_a_day_run_on() -> None:
    day = date(2026, 12, 31)
    assert at_utc(day, 30) == datetime(2027, 1, 1, 6, 0, tzinfo=UTC)
    assert at_utc(day, 9, 30) == datetime(2026, 12, 31, 9, 30, tzinfo=UTC)


def test_the_recorded_clock_stands_still_and_never_goes_back() -> None:
    clock = RecordedClock(NOON)
    assert clock.now() == clock.now() == NOON
    clock.advance_to(NOON + timedelta(hours=3))
    assert clock.now() == NOON + timedelta(hours=3)
    with pytest.raises(ValueError, match="cannot go back"):
        clock.advance_to(NOON)


def test_the_system_clock_is_zone_aware() -> None:
    first = SystemClock().now()
    assert first.utcoffset() == timedelta(0)
    assert SystemClock().now() >= first
