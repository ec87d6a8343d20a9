"""Which days may be published live at what time, and a clock that stands wrong."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from gpurent.core.clock import SystemClock, at_utc
from gpurent.core.errors import ConfigError, UsageError
from gpurent.core.settings import Settings
from gpurent.daily import run_daily, run_index
from tests.daily.days import FIRST, at, ingest_days, offer, reference_rows, settings_in

MARKET = [offer(name, 2.0 + n / 10) for n, name in enumerate(("runpod", "vultr", "lambda", "hyperstack"))]


class Desk:
    """A warehouse and a clock that is set by hand."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.settings: Settings = settings_in(folder)
        self.instant = at_utc(FIRST, 0)
        patch.setattr(SystemClock, "now", lambda _clock: self.instant)

    def look(self, when: datetime) -> None:
        """Prices are seen and recorded at `when`."""
        self.instant = when
        ingest_days(self.settings, self.folder / when.strftime("%m-%dT%H"), [(when, MARKET)])

    def daily(self, number: int, **words: bool) -> list[str]:
        """`daily --day` of the numbered day, at 09:05 of the day after; the days it published."""
        day = FIRST + timedelta(days=number)
        self.instant = at_utc(day, 33, 5)
        return [edition["day"] for edition in run_daily(self.settings, day=day, **words).editions]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(tmp_path, monkeypatch)


def test_a_day_that_was_over_before_anything_was_recorded_is_no_live_day(desk: Desk) -> None:
    desk.look(at(0, 9))
    desk.instant = at(30)
    run_index(desk.settings)
    before = reference_rows(desk.settings)
    day = FIRST - timedelta(days=1)
    with pytest.raises(UsageError, match=f"reconstructed: gpurent index --from {day} --to {day}"):
        run_daily(desk.settings, day=day)
    assert reference_rows(desk.settings) == before
    assert not desk.settings.editions.exists()


def test_prices_read_from_files_long_after_their_days_make_no_live_day(desk: Desk) -> None:
    ingested_at = at(30)
    desk.instant = ingested_at
    ingest_days(desk.settings, desk.folder / "files", [(at(number), MARKET) for number in range(3)])
    run_index(desk.settings)
    (*_, last) = reference_rows(desk.settings)
    desk.instant = ingested_at + timedelta(hours=1)
    with pytest.raises(UsageError, match="nothing had been recorded by its cut-off"):
        run_daily(desk.settings, day=FIRST + timedelta(days=2))
    assert reference_rows(desk.settings)[-1] == last
    assert last["status"] == "published"


def test_a_week_without_a_look_is_published_as_outages_and_a_longer_time_only_when_asked(desk: Desk) -> None:
    desk.look(at(0))
    desk.daily(0)
    assert len(desk.daily(7)) == 7
    with pytest.raises(UsageError, match=r"8 days from 2026-07-15 to 2026-07-22 .* --catch-up"):
        desk.daily(15)
    assert reference_rows(desk.settings)[-1]["day"] == FIRST + timedelta(days=7)
    assert len(desk.daily(15, catches_up=True)) == 8


def test_days_with_looks_are_caught_up_without_a_question(desk: Desk) -> None:
    desk.look(at(0))
    desk.daily(0)
    for number in range(1, 9):
        desk.look(at(number, 12))
    assert len(desk.daily(8)) == 8
    assert {row["status"] for row in reference_rows(desk.settings)} == {"published"}


def test_a_clock_years_ahead_publishes_nothing(desk: Desk) -> None:
    desk.look(at(0))
    desk.daily(0)
    with pytest.raises(UsageError, match="Is the clock right"):
        desk.daily(1_300)
    assert len(reference_rows(desk.settings)) == 1


def test_nothing_is_recorded_before_what_is_there(desk: Desk) -> None:
    desk.look(at(5))
    for read in (lambda: desk.look(at(3)), lambda: desk.daily(2), lambda: run_index(desk.settings)):
        desk.instant = at(3)
        with pytest.raises(ConfigError, match=r"the clock: it says 2026-07-10.* recorded at 2026-07-12"):
            read()
    # a time service may correct a clock by seconds
    desk.look(at(5) - timedelta(seconds=30))
