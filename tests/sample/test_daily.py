"""The sample through the real readers, grades and index: what is refused, held, carried, frozen and withheld."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Any

import duckdb
import pytest

from tests.sample_run import SampleRun

H100, H100_SPOT = "H100-Y080-Y-YY-YY-OD-YY-J", "H100-Y080-Y-YY-YY-SP-YY-F"
PRICED = {
    H100,
    H100_SPOT,
    "H200-Y141-Y-YY-YY-OD-YY-H",
    "B200-Y180-Y-YY-YY-OD-YY-T",
    "A100-Y080-Y-YY-YY-OD-YY-W",
    "MI300X-Y192-Y-YY-YY-OD-YY-C",
    "L40S-Y048-Y-YY-YY-OD-YY-6",
    "RTX4090-Y024-Y-YY-YY-OD-YY-P",
    "RTX5090-Y032-Y-YY-YY-OD-YY-X",
}


class Sample:
    """The warehouse after `gpurent daily --sample`, and what the command said of it."""

    def __init__(self, run: SampleRun, connection: duckdb.DuckDBPyConnection) -> None:
        self.run = run
        self._connection = connection

    def rows(self, sql: str, **parameters: object) -> list[tuple[Any, ...]]:
        return self._connection.execute(sql, parameters or None).fetchall()

    def grade(self, code: str, bucket: str = "ALL") -> str:
        sql = "SELECT DISTINCT grade_id FROM grades WHERE code = $code AND bucket = $bucket"
        ((found,),) = self.rows(sql, code=code, bucket=bucket)
        return str(found)

    def items(self, code: str, owner_group: str) -> list[tuple[Any, ...]]:
        """day, observed price, counted price, state, reason; of the advertised leg."""
        return self.rows(
            "SELECT day, observed_usd_per_gpu_hour::DOUBLE, usd_per_gpu_hour::DOUBLE, state, reason_code "
            "FROM items WHERE grade_id = $grade AND owner_group = $group AND leg = 'advertised' ORDER BY day",
            grade=self.grade(code),
            group=owner_group,
        )


@pytest.fixture(scope="module")
def sample(sample_run: SampleRun) -> Iterator[Sample]:
    with duckdb.connect(sample_run.warehouse, read_only=True) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        yield Sample(sample_run, connection)


def test_every_day_has_its_edition(sample: Sample) -> None:
    assert sample.run.exit_code == 0
    first = date(2026, 6, 17)
    assert [edition["day"] for edition in sample.run.document["editions"]] == [
        str(first + timedelta(days=number)) for number in range(60)
    ]
    assert sample.run.document["failed_sources"] == ["azure", "oracle"]


def test_the_last_day_shows_every_level_and_what_is_withheld(sample: Sample) -> None:
    found = dict(
        sample.rows("SELECT level, count(*) FROM reference_prices WHERE day = '2026-08-15' GROUP BY 1")
    )
    assert min(found[level] for level in (1, 2, 3, 4, 5)) >= 1
    assert sum(count for level, count in found.items() if level <= 5) >= 15
    reasons = sample.rows(
        "SELECT DISTINCT reason_code FROM reference_prices WHERE day = '2026-08-15' AND status = 'withheld' ORDER BY 1"
    )
    assert reasons == [("no_offers",), ("single_seller",), ("too_few_groups",)]


def test_sources_and_operators_are_many(sample: Sample) -> None:
    assert sample.rows("SELECT count(DISTINCT source_id) FROM captures") == [(16,)]
    ((operators,),) = sample.rows(
        "SELECT count(DISTINCT operator_id) FROM offers WHERE operator_id NOT LIKE 'unregistered:%'"
    )
    assert operators >= 30


def test_what_is_read_and_refused_is_known_by_source_and_reason(sample: Sample) -> None:
    found = {name: report["rejected"] for name, report in sample.run.document["collected"]["sources"].items()}
    assert found == {
        "aws": {},
        "aws_p5_daily": {},
        "azure": {"http_status": 1, "low_priority_meter": 60, "windows_licence": 119},
        "ccir": {"part_alone": 3},
        "cloud_gpus_com": {"part_alone": 1},
        "ecb": {},
        "eu_cloud": {"gpu_slice": 4, "missing_value": 12},
        "focus": {"charge_tax": 10, "duplicate_trade": 1},
        "google_calculator": {"not_offered": 16},
        "gpurentalprices": {"duplicate_row": 11},
        "oracle": {"http_status": 9, "other_service": 31},
        "ovhcloud": {},
        "prime_intellect": {},
        "runpod": {"not_offered": 369},
        "scaleway": {},
        "vast": {},
    }
    later = sample.rows(
        "SELECT source_id, reason_code, count(*) FROM rejections WHERE stage <> 'read' GROUP BY ALL ORDER BY ALL"
    )
    assert later == [
        ("cloud_gpus_com", "memory_not_stated", 16),
        ("cloud_gpus_com", "term_not_stated", 30),
        ("eu_cloud", "fx_missing", 5),
        ("eu_cloud", "memory_not_stated", 8),
        ("eu_cloud", "no_grade_for_chip", 6),
        ("gpurentalprices", "serverless_inference", 62),
        ("prime_intellect", "operator_not_registered", 92),
    ]


def test_everything_is_known_when_it_was_fetched(sample: Sample) -> None:
    assert sample.rows("SELECT count(*) FROM captures WHERE known_at <> fetched_at") == [(0,)]


def test_the_wide_grades_are_priced_every_day_of_the_market(sample: Sample) -> None:
    published = sample.rows(
        "SELECT g.code, count(*), min(r.day) FROM reference_prices AS r "
        "JOIN (SELECT DISTINCT grade_id, code FROM grades WHERE bucket = 'ALL') AS g USING (grade_id) "
        "WHERE r.status = 'published' GROUP BY g.code"
    )
    # the cards of consumers from the day on which Spheron and Salad list them
    late = {"RTX4090-Y024-Y-YY-YY-OD-YY-P", "RTX5090-Y032-Y-YY-YY-OD-YY-X"}
    expected = {
        (code, 29, date(2026, 7, 18)) if code in late else (code, 40, date(2026, 7, 7)) for code in PRICED
    }
    assert {row for row in published if row[0] in PRICED} == expected


def test_a_grade_goes_from_level_3_to_2_to_1_as_trades_arrive_and_its_reference_does_not_jump(
    sample: Sample,
) -> None:
    rows = sample.rows(
        "SELECT day, level, trade_count, trade_weight::DOUBLE, discount_log::DOUBLE, reference_log::DOUBLE, "
        "cross_section_log::DOUBLE, matched_change_log::DOUBLE, flags FROM reference_prices "
        "WHERE grade_id = $grade AND status = 'published' ORDER BY day",
        grade=sample.grade(H100),
    )
    levels = [row[1] for row in rows]
    assert levels == [3] * 14 + [2] * 12 + [1] * 14
    by_day = {str(row[0]): row for row in rows}
    # trades alone change nothing: no discount can be told from three days of them
    assert by_day["2026-07-16"][2:5] == (3, 0.0, None)
    assert "discount_undefined" in by_day["2026-07-16"][8]
    # the day before, the discount is there and level 2 is reached, but not for two days running
    assert by_day["2026-07-20"][4] == pytest.approx(-0.0868, abs=1e-4)
    assert by_day["2026-07-20"][3] == 0.0
    for row in rows:
        low, high = {1: (0.5, 0.9), 2: (0.0, 0.5)}.get(row[1], (0.0, 0.0))
        assert low <= row[3] <= high
    kappa = {1: 0.5, 2: 0.25, 3: 0.10}
    for before, row in pairwise(rows):
        news = row[6] - before[5] - row[7]
        assert row[5] - before[5] == pytest.approx(row[7] + kappa[row[1]] * news, abs=1e-9)
    changes = {str(row[0]): row[5] - before[5] - row[7] for before, row in pairwise(rows)}
    assert abs(changes["2026-07-21"]) < 0.025
    assert abs(changes["2026-08-02"]) < 0.01


def test_a_grade_that_loses_a_seller_is_modelled_from_its_parent(sample: Sample) -> None:
    rows = sample.rows(
        "SELECT level, owner_group_count, label FROM reference_prices "
        "WHERE grade_id = $grade AND day >= '2026-08-13' ORDER BY day",
        grade=sample.grade("H200-Y141-Y-YY-YY-OD-YY-H", "HYP"),
    )
    assert rows == [(4, 3, "indicative"), (5, 2, "modelled"), (5, 2, "modelled")]


def test_a_real_fall_is_held_a_day_and_then_lives(sample: Sample) -> None:
    assert sample.items(H100_SPOT, "sfcompute")[-4:] == [
        (date(2026, 8, 12), 1.97, 1.97, "counted", None),
        (date(2026, 8, 13), 1.20, 1.97, "held", "gate_pending"),
        (date(2026, 8, 14), 1.08, 1.08, "counted", "confirmed"),
        (date(2026, 8, 15), 1.09, 1.09, "counted", None),
    ]


def test_a_real_rise_is_held_a_day_and_then_lives(sample: Sample) -> None:
    assert sample.items(H100, "digitalocean")[12:15] == [
        (date(2026, 8, 1), 2.99, 2.99, "counted", None),
        (date(2026, 8, 2), 4.41, 2.99, "held", "jump_pending"),
        (date(2026, 8, 3), 4.41, 4.41, "counted", "confirmed"),
    ]


def test_a_seller_that_comes_back_a_third_time_is_frozen(sample: Sample) -> None:
    found = sample.items("B300-Y288-Y-YY-YY-OD-YY-Z", "spheron")
    assert found[-1] == (date(2026, 8, 15), 9.08, 9.08, "frozen", "flapping")


def test_what_stood_on_a_page_that_failed_is_carried_a_day_older(sample: Sample) -> None:
    ages = sample.rows(
        "SELECT day, max(verified_age_days) AS age FROM items WHERE route = 'azure' GROUP BY ALL HAVING age > 0"
    )
    assert ages == [(date(2026, 8, 10), 1)]


def test_a_source_that_fails_ages_for_seven_days_and_is_gone(sample: Sample) -> None:
    ages = sample.rows(
        "SELECT day(day), max(verified_age_days) FROM items WHERE route = 'oracle' AND day >= '2026-08-06' "
        "GROUP BY ALL ORDER BY 1"
    )
    assert ages == [(day, day - 6) for day in range(6, 14)]


def test_a_grade_with_two_owner_groups_left_is_withheld(sample: Sample) -> None:
    found = sample.rows(
        "SELECT DISTINCT reason_code FROM reference_prices WHERE grade_id = $grade AND status = 'withheld' "
        "AND day >= '2026-07-20'",
        grade=sample.grade("GH200-Y096-Y-YY-YY-OD-YY-P"),
    )
    assert found == [("too_few_groups",)]


def test_a_seller_may_enter(sample: Sample) -> None:
    entered = sample.items("RTXPRO6000-Y096-Y-YY-YY-OD-YY-6", "massed")
    assert entered[0][0] == date(2026, 8, 9)
    assert {row[2] for row in entered} == {2.19}


def test_the_traded_leg_stands_beside_the_advertised_one(sample: Sample) -> None:
    legs = sample.rows(
        "SELECT day, advertised_usd_per_gpu_hour::DOUBLE, traded_usd_per_gpu_hour::DOUBLE, trade_count "
        "FROM reference_prices WHERE grade_id = $grade AND traded_usd_per_gpu_hour IS NOT NULL ORDER BY day",
        grade=sample.grade(H100),
    )
    assert [row[3] for row in legs][:16] == [3] * 16
    # between the cheapest and the dearest bill: 23.66 and 47.33 USD an hour of eight GPUs
    for _, _, traded, _ in legs:
        assert 23.66 / 8 < traded < 47.33 / 8
    assert sample.rows("SELECT DISTINCT is_synthetic, is_confidential FROM trades") == [(True, False)]
    flagged = sample.rows(
        "SELECT DISTINCT flags LIKE '%synthetic_trades%' FROM reference_prices "
        "WHERE trade_count > 0 AND status = 'published'"
    )
    assert flagged == [(True,)]


def test_bills_that_form_no_price_say_why(sample: Sample) -> None:
    found = sample.rows(
        "SELECT DISTINCT reason_code FROM exclusions WHERE leg = 'traded' AND grade_id = $grade ORDER BY 1",
        grade=sample.grade(H100),
    )
    assert found == [("administered_price",), ("below_size_floor",), ("trade_outlier",)]


def test_a_bill_in_euro_takes_the_rate_of_the_day_before(sample: Sample) -> None:
    found = sample.rows(
        "SELECT CAST(traded_at AS DATE), fx_day, native_per_gpu_hour::DOUBLE, usd_per_gpu_hour::DOUBLE FROM trades "
        "WHERE currency = 'EUR' ORDER BY 1"
    )
    # 68.19 EUR for 8 GPUs; 2026-08-04: 1.1515. On Monday the 10th at midnight Friday's rate holds.
    assert found[0] == (
        date(2026, 8, 5),
        date(2026, 8, 4),
        8.52375,
        pytest.approx(8.52375 * 1.1515, abs=1e-9),
    )
    days = {row[0].day: row[1].day for row in found}
    assert days == {5: 4, 6: 5, 7: 6, 8: 7, 9: 7, 10: 7, 11: 10, 12: 11, 13: 12, 14: 13}


def test_an_own_offer_stands_before_the_aggregators_view_of_it(sample: Sample) -> None:
    found = sample.rows(
        "SELECT DISTINCT owner_group FROM exclusions WHERE reason_code = 'own_offer_seen' ORDER BY 1"
    )
    assert found == [("amazon",), ("microsoft",), ("ovhcloud",), ("runpod",), ("scaleway",)]


def test_editions_are_signed_and_published_on_time(sample: Sample) -> None:
    times = sample.rows("SELECT DISTINCT day, published_at FROM reference_prices ORDER BY day")
    assert len(times) == 60
    for day, published_at in times:
        assert isinstance(published_at, datetime)
        assert (published_at.date() - day).days == 1
        assert published_at.hour == 9
    folders = [sample.run.folder / edition["path"] for edition in sample.run.document["editions"]]
    assert all((folder / "manifest.sig").is_file() for folder in folders)
