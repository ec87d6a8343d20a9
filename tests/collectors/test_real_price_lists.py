"""The real price lists of AWS, Oracle, Google and OVHcloud: every trap their notes name comes out right."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from collectors.ingest import ingest
from collectors.reports import IngestReport
from gpurent.core.clock import RecordedClock
from warehouse.store import Warehouse, open_warehouse


@pytest.fixture(scope="module")
def filled(real: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warehouse]:
    del real
    clock = RecordedClock(datetime(2026, 11, 30, 12, 0, tzinfo=UTC))
    with open_warehouse(tmp_path_factory.mktemp("real") / "w.duckdb", clock=clock) as opened:
        yield opened


def read(warehouse: Warehouse, source_id: str, *paths: Path) -> IngestReport:
    report = ingest(warehouse, source_id, sorted(paths), run_id="real")
    assert report.exit_code == 0
    return report


def prices(warehouse: Warehouse, source_id: str) -> list[tuple[Any, ...]]:
    return warehouse.rows(
        "SELECT sku, price_amount::DOUBLE, gpu_count::INTEGER FROM stated_offers WHERE source_id = $1 ORDER BY ALL",
        [source_id],
    )


def test_aws_types_whose_gpus_are_known_become_offers(filled: Warehouse, real: Path) -> None:
    report = read(filled, "aws", real / "api_response_excerpts_2026_10" / "aws_ondemand_us_east_1.json")
    # GPU model and count come from our table; six of the ten types have no cited row in it
    assert (report.accepted, report.rejected) == (4, {"unknown_instance_type": 6})
    assert prices(filled, "aws") == [
        ("p4d.24xlarge on-demand", 21.957642, 8),
        ("p4de.24xlarge on-demand", 27.44705, 8),
        ("p5.48xlarge on-demand", 55.04, 8),
        ("p5en.48xlarge on-demand", 63.296, 8),
    ]


def test_oracle_prices_gpus_and_not_vmware_or_hardware_elsewhere(filled: Warehouse, real: Path) -> None:
    report = read(filled, "oracle", real / "api_response_excerpts_2026_10" / "oci_price_list.json")
    assert (report.accepted, report.rejected) == (18, {"other_service": 8})
    found = {sku.split(" ", 1)[0]: amount for sku, amount, _ in prices(filled, "oracle")}
    assert (found["B98415"], found["B109485"], found["B110978"]) == (10.0, 6.0, 14.0)


def test_a_catalogue_without_gpus_gives_no_offer_and_names_every_plan(filled: Warehouse, real: Path) -> None:
    report = read(filled, "ovhcloud", real / "eu_cloud_prices" / "ovh_catalog_excerpt.json")
    assert (report.accepted, report.rejected) == (0, {"not_a_gpu": 11})


def test_the_real_cut_of_44_percent_is_one_step_and_blanks_are_no_prices(
    filled: Warehouse, real: Path
) -> None:
    report = read(filled, "aws_p5_daily", real / "aws_p5_daily" / "gpu_prices.csv")
    assert (report.accepted, report.rejected) == (487, {"missing_value": 13})
    steps = filled.rows(
        "SELECT price_amount::DOUBLE, min(snapshot_at::DATE), max(snapshot_at::DATE) FROM stated_offers"
        " WHERE source_id = 'aws_p5_daily' GROUP BY ALL ORDER BY 2"
    )
    assert steps == [
        (98.32, date(2025, 4, 23), date(2025, 6, 4)),
        (55.04, date(2025, 6, 5), date(2026, 8, 22)),
    ]


def test_history_of_aws_takes_plain_linux_and_the_gpus_of_our_table(filled: Warehouse, real: Path) -> None:
    folder = real / "aws_ec2_gpu_2013_2017"
    report = read(
        filled, "aws_history", folder / "ec2_gpu_prices.parquet", folder / "instances_gpu_2017-11-12.json.gz"
    )
    assert report.accepted == 642
    assert report.rejected == {
        "not_a_gpu": 72,  # f1 has FPGAs
        "other_service": 859,
        "restricted_market": 123,
        "unknown_instance_type": 1306,  # cg1 and g2: no page of theirs was found
        "windows_licence": 3707,
    }
    # gpu_field says 16 for p3.16xlarge in some rows; it has 8
    counts = filled.rows(
        "SELECT DISTINCT sku, gpu_count::INTEGER FROM stated_offers WHERE source_id = 'aws_history'"
        " AND sku LIKE 'p3.16xlarge%'"
    )
    assert counts == [("p3.16xlarge on-demand", 8)]
    looks = filled.rows(
        "SELECT min(snapshot_day), max(snapshot_day) FROM snapshots WHERE source_id = 'aws_history'"
    )
    assert looks == [(date(2013, 9, 27), date(2017, 11, 12))]


@pytest.fixture(scope="module")
def google(filled: Warehouse, real: Path) -> IngestReport:
    return read(filled, "google_calculator", *(real / "gcp_calculator_history").glob("*.yml.gz"))


def test_google_versions_keep_their_dates_and_refuse_what_is_not_sold(
    filled: Warehouse, google: IngestReport
) -> None:
    assert google.rejected.keys() == {"gpu_slice", "not_offered", "sum_without_gpu"}
    days = filled.rows(
        "SELECT DISTINCT snapshot_day FROM snapshots WHERE source_id = 'google_calculator' ORDER BY 1"
    )
    assert [str(day) for (day,) in days] == [
        "2022-03-31",
        "2023-07-27",
        "2024-06-27",
        "2025-06-26",
        "2026-07-30",
    ]
    # a real move: H100 spot in us-central1
    spot = filled.rows(
        "SELECT snapshot_day, price_amount FROM stated_offers JOIN snapshots USING (snapshot_id)"
        " WHERE sku = 'a3-highgpu-8g spot' AND place_text = 'us-central1' ORDER BY 1"
    )
    assert spot[-1] == (date(2026, 7, 30), Decimal("50.609540821918"))
    on_demand = filled.rows(
        "SELECT count(*) FROM stated_offers WHERE sku IN ('a3-highgpu-1g on-demand', 'a3-highgpu-2g on-demand')"
    )
    assert on_demand == [(0,)]


def test_a_sum_without_its_gpu_is_no_price(filled: Warehouse, google: IngestReport) -> None:
    """In Toronto the A100 had no SKU for years: 0.814064 an hour is 12 virtual CPUs and 85 GB."""
    assert google.rejected["sum_without_gpu"] == 15
    found = filled.rows(
        "SELECT DISTINCT split_part(detail, ':', 1), split_part(split_part(detail, ': ', 2), ' ', 1) FROM rejections"
        " WHERE reason_code = 'sum_without_gpu' AND source_id = 'google_calculator' ORDER BY ALL"
    )
    assert ("a2-highgpu-1g", "hour") in found
    assert {machine.split("-")[0] for machine, _ in found} == {"a2"}
    cheapest = filled.rows(
        "SELECT min(price_amount / gpu_count)::DOUBLE FROM stated_offers WHERE source_id = 'google_calculator'"
        " AND chip_text = 'a100' AND term_text = 'on-demand'"
    )
    assert cheapest[0][0] > 2.9
