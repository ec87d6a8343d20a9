"""What the pictures of the site show: axes, sparklines, the strip of voices, and how far one voice pulls."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from gpurent.core.clock import RecordedClock
from gpurent.publish.site import write_site
from gpurent.publish.site.names import Owners
from gpurent.publish.site.scale import LEAST_SPAN, scale_of
from gpurent.publish.site.sparkline import HEIGHT, MARGIN, sparkline_path
from gpurent.publish.site.voicerows import make_strip, make_voices
from gpurent.publish.words import all_words
from tests.publish import synthetic_market as market
from tests.publish.test_site import H100, broken_links, pages
from tests.sample_run import SampleRun
from warehouse import open_warehouse

OWNERS = Owners([])


def voice(owner: str, usd: str, weight: str = "0.25", pull: str | None = None) -> dict[str, Any]:
    return {
        "leg": "advertised",
        "owner_group": owner,
        "is_public": True,
        "usd_per_gpu_hour": Decimal(usd),
        "weight": Decimal(weight),
        "state": "counted",
        "reason_code": None,
        "verified_age_days": 0,
        "item_count": 1,
        "gpu_hours": None,
        "leave_one_out": None if pull is None else Decimal(pull),
    }


FOUR = [voice("voice-1", "4.00"), voice("a", "1.00"), voice("c", "3.00"), voice("b", "2.00")]


def test_an_axis_is_logarithmic_and_holds_its_values_with_a_margin() -> None:
    scale = scale_of([Decimal(1), Decimal(100)])
    one, ten, hundred = (scale.place(value) or 0.0 for value in (1, 10, 100))
    assert ten - one == pytest.approx(hundred - ten, abs=0.02)
    assert 0 < one < 10
    assert 90 < hundred < 100
    assert [text for text, _ in scale.ticks] == ["1", "2", "5", "10", "20", "50", "100"]


@pytest.mark.parametrize(("low", "high"), [(2.0, 2.6), (3.2606, 3.2607), (0.44, 0.44), (11.0, 14.0)])
def test_a_narrow_axis_has_several_different_labels_and_never_less_than_the_least_span(
    low: float, high: float
) -> None:
    scale = scale_of([low, high])
    assert math.exp(scale.high - scale.low) >= 1 + LEAST_SPAN
    labels = [text for text, _ in scale.ticks]
    assert len(labels) == len(set(labels))
    assert 3 <= len(labels) <= 7
    assert all(0 <= at <= 100 for _, at in scale.ticks)


def test_noise_in_a_sparkline_stays_small_and_a_real_fall_fills_it() -> None:
    def heights(*values: str) -> list[float]:
        path = sparkline_path([Decimal(value) for value in values])
        return [float(part.split()[1]) for part in path.replace("M", "L").split("L")[1:]]

    inner = HEIGHT - 2 * MARGIN
    noise = heights("2.000", "2.008")
    assert max(noise) - min(noise) == pytest.approx(
        inner * 0.1, abs=0.1
    )  # 0.4 % of the level in a box of 4 %
    assert heights("2", "1") == [MARGIN, HEIGHT - MARGIN]


def test_the_strip_shows_every_voice_pale_where_the_trim_cut_it_with_a_among_them() -> None:
    strip = make_strip(FOUR, OWNERS, 0.25, Decimal("2.5000"))
    assert strip is not None
    assert [dot.kept for dot in strip.dots] == ["cut", "whole", "whole", "cut"]
    places = [dot.at for dot in strip.dots]
    assert places == sorted(places)
    assert places[1] < strip.mean < places[2]
    assert strip.dots[0].says == "a 1.0000, 25.0\u00a0%; cut by the trim"
    assert strip.dots[3].says.startswith("Voice 1 4.0000")
    assert (
        strip.says == "4 voices from 1.0000 to 4.0000 USD per GPU-hour; the trim cuts 2 of them; A is 2.5000."
    )


def test_there_is_no_strip_of_two_voices_or_without_a() -> None:
    assert make_strip(FOUR[:2], OWNERS, 0.25, Decimal(2)) is None
    assert make_strip(FOUR, OWNERS, 0.25, None) is None


def test_a_voice_says_what_the_trim_left_of_it_and_its_bar_goes_to_the_side_r_would_go() -> None:
    rows = [voice("a", "1", "0.4", "0.02"), voice("b", "2", "0.3", "-0.01"), voice("c", "3", "0.3")]
    ((leg, voices),) = make_voices(rows, OWNERS, 0.25)
    assert leg == "advertised"
    assert [one.kept for one in voices] == ["38\u00a0% of it in the mean", "", "17\u00a0% of it in the mean"]
    assert [one.pull for one in voices] == [(50.0, 50.0), (25.0, 25.0), None]
    # a pull of a tenth of a per cent is a tenth of a bar, however small the others are
    ((_, small),) = make_voices([voice("a", "1", "1", "0.001")], OWNERS, 0.25)
    assert small[0].pull == (50.0, 5.0)


@pytest.fixture
def written(template: Path, tmp_path: Path) -> Any:
    def write(now: datetime, *, is_sample: bool) -> dict[str, Any]:
        with open_warehouse(template, clock=RecordedClock(now), read_only=True) as warehouse:
            return pages(write_site(warehouse, tmp_path / "site", is_sample=is_sample).parent)

    return write


def test_a_day_is_provisional_until_the_afternoon_and_final_from_then_on(written: Any) -> None:
    morning = written(datetime(2026, 7, 16, 9, 5, tzinfo=UTC), is_sample=False)["index.html"].text
    assert (
        "1, live. Scheduled for 16 July 2026, 09:00 UTC; provisional until 16 July 2026, 15:00 UTC" in morning
    )
    evening = written(datetime(2026, 7, 16, 15, 0, tzinfo=UTC), is_sample=True)["index.html"].text
    assert "1, as on the day itself, replayed from the sample." in evening
    assert "; final since 16 July 2026, 15:00 UTC" in evening


def test_the_heading_over_the_small_lines_counts_the_days_there_are(written: Any) -> None:
    front = written(datetime(2026, 7, 16, 9, 5, tzinfo=UTC), is_sample=False)["index.html"].text
    assert f"Change {len(market.DAYS)} days Level" in front
    assert "30 days" not in front


def test_terms_are_explained_where_they_stand_and_on_the_page_about_the_prices(written: Any) -> None:
    found = written(datetime(2026, 7, 16, 9, 5, tzinfo=UTC), is_sample=False)
    about = found["about.html"]
    for key in all_words()["terms"]:
        assert f"term-{key}" in about.ids
    assert "NR Operators that are not rated:" in about.text
    for key in (
        "owner_group",
        "voice",
        "numbered_voice",
        "settlement_eligible",
        "index",
        "matched_change",
        "level",
    ):
        assert f"../about.html#term-{key}" in found[H100].linked
    for key in ("vintage", "level", "letter", "owner_group"):
        assert f"about.html#term-{key}" in found["index.html"].linked
    assert "../about.html#term-firm" in found[H100].linked
    assert "Settlement-eligible Good enough to settle a contract on" in about.text
    assert "Voice 1 of tomorrow may be another seller" in found[H100].text


def test_a_bucket_of_operators_that_are_not_rated_is_explained_on_its_page(sample_run: SampleRun) -> None:
    found = pages(sample_run.warehouse.parent / "gpurent.files" / "site")
    assert "../about.html#term-NR" in found["grades/H100-Y080-Y-YY-YY-OD-YY-J.NR.html"].linked
    assert "../about.html#term-T12" in found["grades/H100-Y080-Y-YY-YY-OD-YY-J.T12.html"].linked
    assert broken_links(sample_run.warehouse.parent / "gpurent.files" / "site") == []


def test_the_index_and_the_change_of_same_sellers_say_how_they_differ(written: Any) -> None:
    text = written(datetime(2026, 7, 16, 9, 5, tzinfo=UTC), is_sample=False)[H100].text
    assert "Same sellers M +1.00 % trimmed mean of 6 owner groups on both days" in text
    assert "Index I 102.0100 plain average of each same seller’s changes, 100 on the first day" in text


def test_the_page_says_what_a_better_level_would_have_needed(written: Any) -> None:
    text = written(datetime(2026, 7, 16, 9, 5, tzinfo=UTC), is_sample=False)[H100].text
    assert "Short of level 3 (advertised): " in text
