"""The real price lists of AWS, Oracle, Google and OVHcloud: every trap their notes name comes out right."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from collectors.document import Document
from collectors.items import RowRejection, StatedList, StatedOffer
from collectors.reading import read_document
from collectors.registry import load_sources
from collectors.reports import IngestReport
from tests.collectors.real_files import read
from warehouse.store import Warehouse


def prices(warehouse: Warehouse, source_id: str) -> list[tuple[Any, ...]]:
    return warehouse.rows(
        "SELECT sku, price_amount::DOUBLE, gpu_count::INTEGER FROM stated_offers WHERE source_id = $1 ORDER BY ALL",
        [source_id],
    )


def test_aws_rows_become_offers_with_the_gpus_of_our_table(filled: Warehouse, real: Path) -> None:
    report = read(filled, "aws", real / "api_response_excerpts_2026_10" / "aws_ondemand_us_east_1.json")
    assert (report.accepted, report.rejected) == (10, {})
    # model and count stand nowhere in the document
    assert prices(filled, "aws") == [
        ("g6e.12xlarge on-demand", 10.49264, 4),
        ("g6e.48xlarge on-demand", 30.13118, 8),
        ("g6e.xlarge on-demand", 1.861, 1),
        ("p4d.24xlarge on-demand", 21.957642, 8),
        ("p4de.24xlarge on-demand", 27.44705, 8),
        ("p5.48xlarge on-demand", 55.04, 8),
        ("p5.4xlarge on-demand", 6.88, 1),
        ("p5en.48xlarge on-demand", 63.296, 8),
        ("p6-b200.48xlarge on-demand", 113.9328, 8),
        ("p6-b300.48xlarge on-demand", 142.416, 8),
    ]


def test_oracle_prices_gpus_and_not_vmware_or_hardware_elsewhere(filled: Warehouse, real: Path) -> None:
    report = read(filled, "oracle", real / "api_response_excerpts_2026_10" / "oci_price_list.json")
    assert (report.accepted, report.rejected) == (18, {"other_service": 8})
    found = {sku.split(" ", 1)[0]: amount for sku, amount, _ in prices(filled, "oracle")}
    assert (found["B98415"], found["B109485"], found["B110978"]) == (10.0, 6.0, 14.0)
    # the price is of one GPU, and eight have to be rented; E3, E4, V2 and X7 name no GPU
    rows = filled.rows(
        "SELECT chip_text IS NULL, lot_min_gpus, count(*) FROM stated_offers WHERE source_id = 'oracle'"
        " GROUP BY ALL ORDER BY ALL"
    )
    assert rows == [(False, 1, 1), (False, 4, 3), (False, 8, 8), (False, None, 1), (True, None, 5)]
    looks = filled.rows("SELECT snapshot_at, status FROM snapshots WHERE source_id = 'oracle'")
    assert looks == [(datetime(2026, 10, 1, 14, 18, 5, 193000, tzinfo=UTC), "complete")]


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
    assert report.accepted == 1743 + 11_234  # on demand, reserved
    assert report.rejected == {
        "add_on": 119,  # ebs
        "not_a_gpu": 72,  # f1 has FPGAs
        "not_a_price": 205,  # N/A and None
        "restricted_market": 123,
        "software_licence": 740,
        "windows_licence": 3707,
    }
    terms = filled.rows(
        "SELECT term_text, count(*), min(price_amount / gpu_count)::DOUBLE, max(price_amount / gpu_count)::DOUBLE"
        " FROM stated_offers WHERE source_id = 'aws_history' GROUP BY ALL ORDER BY ALL"
    )
    assert terms == [
        ("1 year", 4788, 0.397, 4.2225),
        ("3 years", 6446, 0.281975, 3.211),
        ("on-demand", 1743, 0.65, 5.243),
    ]
    # gpu_field says 16 for p3.16xlarge in some rows; it has 8
    counts = filled.rows(
        "SELECT DISTINCT sku, gpu_count::INTEGER FROM stated_offers WHERE source_id = 'aws_history'"
        " AND sku = 'p3.16xlarge on-demand'"
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
    assert google.accepted == 430 + 2320 + 2540 + 2696 + 3012
    assert google.rejected == {
        "gpu_slice": 60,
        "not_offered": 720,
        "repeats_shorter_term": 632,
        "sum_without_gpu": 45,
    }
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
    """In Toronto the A100 had no SKU for years: 0.814064 an hour is 12 virtual CPUs and 85 GB.

    In 2022 the commitments had theirs; in 2023 and 2024 no term had, spot at 0.244 neither.
    """
    assert google.rejected["sum_without_gpu"] == 5 + 20 + 20
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
    in_toronto = filled.rows(
        "SELECT term_text, max(price_amount)::DOUBLE, count(*) FROM stated_offers WHERE chip_text = 'a100'"
        " AND source_id = 'google_calculator' AND place_text = 'northamerica-northeast2' GROUP BY ALL ORDER BY ALL"
    )
    # a2-megagpu-16g, a month in the version of 2022
    assert in_toronto == [("1 year", 28201.1264, 5), ("3 years", 15667.7846072, 5)]


@pytest.mark.slow
def test_the_table_of_google_takes_the_last_version_of_every_day(real: Path) -> None:
    """Read without a warehouse: 173,587 rows of 281 versions, up to four prices each."""
    body = (real / "gcp_calculator_history" / "gcp_gpu_machine_prices.parquet").read_bytes()
    given = Document(
        "google_calculator", "file:///t", body, datetime(2026, 11, 30, tzinfo=UTC), file_name="t.parquet"
    )
    found: Counter[str] = Counter()
    looks = set()
    for item in read_document(given, load_sources()["google_calculator"]):
        match item:
            case StatedList():
                looks.add(item.snapshot_at)
            case RowRejection():
                found[item.reason_code] += 1
            case StatedOffer():
                found[str(item.term_text)] += 1
    assert len(looks) == 264
    assert dict(found) == {
        "on-demand": 151_315,
        "spot": 144_977,
        "1 year": 116_419,
        "3 years": 115_960,
        "replaced_that_day": 8490,
        "repeats_shorter_term": 34_141,
        "sum_without_gpu": 574,
        "not_offered": 38_520,
        "gpu_slice": 942,
    }
