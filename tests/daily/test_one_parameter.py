"""A changed copy of the methodology changes the values it should, no other, and the page of parameters with it."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from gpurent.core.errors import ConfigError
from gpurent.daily import run_daily, run_index
from tests.daily.days import at, ingest_days, offer, reference_rows, settings_in

BUNDLED = files("index").joinpath("methodology", "1.0.0.toml").read_text(encoding="utf-8")
SELLERS = {"lambda": 2.99, "coreweave": 3.10, "nebius": 3.25, "crusoe": 3.40, "vultr": 2.80}
# of the reference itself; its change and what follows from it
OF_THE_REFERENCE = {
    "reference_usd_per_gpu_hour",
    "reference_log",
    "catch_up_log",
    "max_leave_one_out",
    "methodology_version",
}


def market(number: int):
    """A seller leaves, another moves and later falls by more than a quarter, so that composition news exists."""
    prices = {**SELLERS, "coreweave": 3.10 + 0.03 * number}
    if number >= 2:
        del prices["vultr"]
    if number >= 4:
        prices["crusoe"] = 2.50
    return [offer(name, price) for name, price in prices.items()]


def changed(old: str, new: str) -> str:
    """The methodology with one line replaced, under a version of its own."""
    assert BUNDLED.count(old) == 1
    return BUNDLED.replace(old, new).replace('version = "1.0.0"', 'version = "1.0.0+mine"', 1)


def back_run(folder, text: str | None):
    settings = settings_in(folder)
    ingest_days(settings, folder / "files", [(at(number), market(number)) for number in range(7)])
    path = None
    if text is not None:
        path = folder / "mine.toml"
        path.write_text(text, encoding="utf-8")
    return settings, run_index(settings, methodology=path)


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    settings, _ = back_run(tmp_path_factory.mktemp("plain"), None)
    return reference_rows(settings)


@pytest.fixture(scope="module")
def slower(tmp_path_factory):
    """Composition news at level 4 enters at a tenth of the pace."""
    text = changed('offer_age_days = 7\nkappa = "0.05"', 'offer_age_days = 7\nkappa = "0.005"')
    return back_run(tmp_path_factory.mktemp("slower"), text)


def differing(ours, theirs):
    """Names of the columns that differ, by number of the day."""
    return [
        {name for name in one if one[name] != other[name]} for one, other in zip(ours, theirs, strict=True)
    ]


def test_kappa_moves_the_reference_from_the_first_composition_news_on_and_nothing_else(plain, slower):
    days = differing(plain, reference_rows(slower[0]))
    assert days[0] <= {"methodology_version", "catch_up_log"}
    # day 2: a seller left; from then on the reference differs, legs, cross-section, matched change and index do not
    assert "reference_log" in days[2]
    assert set().union(*days) <= OF_THE_REFERENCE


def test_the_difference_is_what_kappa_says(plain, slower):
    def composition_part(rows, number):
        before, row = rows[number - 1], rows[number]
        moved = row["reference_log"] - before["reference_log"] - row["matched_change_log"]
        news = row["cross_section_log"] - before["reference_log"] - row["matched_change_log"]
        return float(moved / news)

    assert composition_part(plain, 2) == pytest.approx(0.05, abs=1e-6)
    assert composition_part(reference_rows(slower[0]), 2) == pytest.approx(0.005, abs=1e-6)


def test_a_wider_jump_lets_a_fall_through_at_once_and_changes_no_earlier_day(plain, tmp_path):
    settings, _ = back_run(tmp_path, changed('jump_ratio = "1.25"', 'jump_ratio = "1.50"'))
    days = differing(plain, reference_rows(settings))
    assert all(names <= {"methodology_version"} for names in days[:4])
    # 3.40 to 2.50 is more than 25 % and less than 50 %: held for a day by the one, at once by the other
    assert "cross_section_log" in days[4]
    assert "cross_section_log" not in days[5]


def test_the_page_shows_the_parameters_of_the_back_run(slower):
    settings, run = slower
    about = run.page_path.with_name("about.html").read_text(encoding="utf-8")
    assert "1.0.0+mine" in about
    assert re.search(r"kappa.{0,200}?0\.005", about, re.DOTALL)
    assert run.as_json()["methodology_version"] == "1.0.0+mine"
    # the warehouse remembers: priced again without the file it is priced the same
    again = run_index(settings)
    assert not any(day.is_new for day in again.days)


def test_a_changed_file_needs_a_version_of_its_own(tmp_path):
    text = BUNDLED.replace('kappa = "0.05"', 'kappa = "0.06"')
    with pytest.raises(ConfigError, match=r"mine\.toml: it is not methodology 1\.0\.0 any more"):
        back_run(tmp_path, text)


def test_days_are_not_priced_by_two_methodologies_and_a_back_run_takes_no_live_day(slower, tmp_path):
    settings, _ = back_run(tmp_path, None)
    path = tmp_path / "mine.toml"
    path.write_text(changed('jump_ratio = "1.25"', 'jump_ratio = "1.50"'), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"are priced by methodology 1\.0\.0; ingest the same files"):
        run_index(settings, methodology=path)
    with pytest.raises(ConfigError, match=r"a methodology of its own \(1\.0\.0\+mine\)"):
        run_daily(slower[0], day=at(6).date())
