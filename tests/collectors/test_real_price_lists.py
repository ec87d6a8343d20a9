"""The real price lists, tables and a broker's lines: every trap their notes name comes out right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from collectors.document import Document
from collectors.ingest import ingest
from collectors.items import RowRejection, StatedList, StatedOffer
from collectors.reading import read_document
from collectors.registry import load_sources
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


def test_the_brokers_providers_are_operators_and_its_nameless_ones_are_refused_later(
    filled: Warehouse, real: Path
) -> None:
    folder = real / "prime_intellect_availability"
    report = read(filled, "prime_intellect", folder / "by_provider.parquet")
    assert (report.accepted, report.rejected) == (25_956, {})
    # 21 of its 32 configurations of the H100 are sizes of one provider: one price here, whatever their number
    rows = filled.rows(
        "SELECT DISTINCT operator_text, price_amount::DOUBLE FROM stated_offers JOIN snapshots USING (snapshot_id)"
        " WHERE chip_text = 'H100_80GB/SXM5' AND stated_offers.snapshot_at = (SELECT min(snapshot_at) FROM snapshots"
        " WHERE list_key = 'H100_80GB/SXM5' AND source_id = 'prime_intellect') ORDER BY 1"
    )
    assert rows == [
        ("dc_roan", 1.99),
        ("hyperstack", 2.4),
        ("lambdalabs", 3.29),
        ("nebius", 2.12),
        ("primecompute", 1.0),
        ("runpod", 2.69),
    ]
    # far below everyone else because it is spot, as datacrunch's are from November on: neither says so
    terms = filled.rows(
        "SELECT operator_text, term_text, min(price_amount)::DOUBLE, count(DISTINCT snapshot_at) FROM stated_offers"
        " WHERE source_id = 'prime_intellect' AND chip_text = 'H100_80GB/SXM5'"
        " AND (term_text IS NULL OR operator_text = 'dc_roan') GROUP BY ALL ORDER BY ALL"
    )
    assert terms == [
        ("datacrunch", None, 0.97, 381),
        ("dc_roan", "on-demand", 1.99, 389),
        ("primecompute", None, 1.0, 569),
    ]


def test_the_lines_of_the_tracker_say_the_same_as_its_table(filled: Warehouse, real: Path) -> None:
    folder = real / "prime_intellect_availability"
    report = read(filled, "prime_intellect", *folder.glob("*.jsonl.first100.gz"))
    assert (report.accepted, report.rejected) == (2498, {})


def test_a_catalogue_of_scaleway_without_gpus_names_every_product(filled: Warehouse, real: Path) -> None:
    report = read(filled, "scaleway", real / "eu_cloud_prices" / "scaleway_catalog_excerpt.json")
    assert (report.accepted, report.rejected) == (0, {"not_a_gpu": 6})


def test_rate_cards_take_the_gpu_from_the_machines_name_and_no_part_for_a_machine(
    filled: Warehouse, real: Path
) -> None:
    report = read(filled, "ccir", *(real / "ccir_rate_cards").glob("2026-03-03.*"))
    # the JSON and the CSV state the same 18 points
    assert (report.accepted, report.rejected) == (30, {"part_alone": 6})
    rows = filled.rows(
        "SELECT DISTINCT sku, chip_text, form_text FROM stated_offers"
        " WHERE source_id = 'ccir' AND sku LIKE 'Standard_NC%' ORDER BY 1"
    )
    # labelled SXM there
    assert rows == [
        ("Standard_NC24ads_A100_v4 on_demand", "A100", "PCIe"),
        ("Standard_NC40ads_H100_v5 on_demand", "H100", "NVL"),
        ("Standard_NC40ads_H100_v5 spot", "H100", "NVL"),
        ("Standard_NC6s_v3 on_demand", "V100", None),
    ]
    # an A100 in both: AWS's p4d has the one of 40 GB, Azure's that of 80 GB
    memory = filled.rows(
        "SELECT DISTINCT sku, memory_gb::INTEGER FROM stated_offers WHERE source_id = 'ccir'"
        " AND (sku LIKE 'p4d%' OR sku LIKE '%A100_v4 on_demand') ORDER BY 1"
    )
    assert memory == [("Standard_NC24ads_A100_v4 on_demand", 80), ("p4d.24xlarge on_demand", 40)]


@pytest.fixture(scope="module")
def hand_kept(filled: Warehouse, real: Path) -> IngestReport:
    return read(filled, "cloud_gpus_com", real / "cloud_gpus_com" / "prices.parquet")


def test_a_hand_kept_table_states_figures_and_leaves_the_term_open(
    filled: Warehouse, hand_kept: IngestReport
) -> None:
    report = hand_kept
    # 26,980 of the 95,107 cells have a figure; $.12, $.16 and twice $2.2.44 are none
    # Google's K80 to V100 and CoreWeave's cells until May 2025 are the GPU alone
    assert report.accepted == 26_980 - 4 - 1565
    assert report.rejected == {"not_a_price": 4, "part_alone": 1565}
    terms = filled.rows("SELECT DISTINCT term_text FROM stated_offers WHERE source_id = 'cloud_gpus_com'")
    assert terms == [(None,)]
    euro = filled.rows(
        "SELECT DISTINCT price_text, price_amount::DOUBLE FROM stated_offers"
        " WHERE source_id = 'cloud_gpus_com' AND currency = 'EUR' AND price_amount > 1 ORDER BY 1"
    )
    assert euro == [("€1.168", 1.168), ("€1.375", 1.375), ("€1.89", 1.89), ("€2.10", 2.1), ("€2.133", 2.133)]
    # the same card, on demand and at three tenths of it: nothing in the table tells the spot price
    aws = filled.rows(
        "SELECT DISTINCT price_amount::DOUBLE FROM stated_offers WHERE source_id = 'cloud_gpus_com'"
        " AND operator_text LIKE 'Amazon%' AND chip_text = 'v100' ORDER BY 1"
    )
    assert aws == [(0.918,), (3.06,)]
    assert filled.rows(
        "SELECT count(*) FROM stated_offers WHERE source_id = 'cloud_gpus_com' AND chip_text = 'hb200'"
    ) == [(42,)]


@pytest.mark.usefixtures("hand_kept")
def test_a_cell_of_a_hand_kept_table_is_as_old_as_the_edit_that_wrote_it(filled: Warehouse) -> None:
    """Equal values over months are no observations: most cells of a version are older than a week."""
    rows = filled.rows(
        "SELECT observed_at::DATE, max(snapshot_at::DATE), price_amount::DOUBLE, count(*) FROM stated_offers"
        " WHERE source_id = 'cloud_gpus_com' AND operator_text = 'Lambda Cloud' AND chip_text = 'h100'"
        " GROUP BY ALL ORDER BY ALL"
    )
    assert rows == [
        (date(2023, 5, 23), date(2023, 10, 30), 2.4, 21),
        (date(2023, 11, 1), date(2024, 2, 7), 1.99, 13),
        (date(2024, 2, 7), date(2025, 9, 17), 2.49, 96),
    ]
    old = filled.rows(
        "SELECT count(*) FROM stated_offers WHERE source_id = 'cloud_gpus_com'"
        " AND snapshot_at - observed_at > INTERVAL 7 DAY"
    )
    assert old == [(21_708,)]
    # three years of commitment until June 2025, on demand since: the table says neither
    paperspace = filled.rows(
        "SELECT DISTINCT price_amount::DOUBLE, term_text FROM stated_offers WHERE source_id = 'cloud_gpus_com'"
        " AND operator_text = 'Paperspace' AND chip_text = 'h100' ORDER BY 1"
    )
    assert paperspace == [(2.24, None), (5.95, None)]
    converted = filled.rows(
        "SELECT DISTINCT operator_text FROM stated_offers WHERE source_id = 'cloud_gpus_com' AND is_converted"
        " ORDER BY 1"
    )
    assert converted == [("Scaleway",), ("Seeweb",)]


def test_machines_of_the_other_hand_kept_table_are_divided_by_their_gpus(
    filled: Warehouse, real: Path
) -> None:
    folder = real / "fsdl_cloud_gpus"
    report = read(filled, "fsdl", folder / "cloud_gpus.parquet", folder / "serverless_gpus.parquet")
    # 8,830 and 650 rows, of the former 4,069 with a spot price; counts such as 1-8 are no number, nor is GPUs, the
    # second header row of one version
    assert report.accepted == 12_603 + 614
    assert report.rejected == {"duplicate_row": 276 + 36, "not_a_number": 20}
    rows = filled.rows(
        "SELECT DISTINCT price_amount::DOUBLE, gpu_count::INTEGER FROM stated_offers WHERE source_id = 'fsdl'"
        " AND sku = 'p4de.24xlarge on-demand'"
    )
    assert rows == [(40.97, 8)]
    serverless = filled.rows(
        "SELECT count(*) FROM stated_offers WHERE source_id = 'fsdl' AND scope_text = 'serverless'"
    )
    assert serverless[0][0] > 400


def test_european_lists_keep_their_currency_and_slices_are_no_gpus(filled: Warehouse, real: Path) -> None:
    folder = real / "eu_cloud_prices"
    machines = read(filled, "eu_cloud", folder / "gpu_instances.parquet")
    # 20 machines of Civo have a second price, under a commitment of 36 months
    assert machines.accepted == 40 + 20
    assert machines.rejected == {"gpu_slice": 8, "missing_value": 53, "not_a_gpu": 114}
    assert sum(machines.rejected.values()) + 40 == 215
    rows = filled.rows(
        "SELECT sku, price_amount::DOUBLE, currency, gpu_count::INTEGER, memory_gb::INTEGER, term_text"
        " FROM stated_offers WHERE source_id = 'eu_cloud' AND (sku LIKE 'civo gpu-h100-sxm-xlarge%'"
        " OR sku IN ('civo gpu-a100-40-small', 'leafcloud eg1.h100x1.V24_96')) ORDER BY 1"
    )
    assert rows == [
        ("civo gpu-a100-40-small", 1.09, "USD", 1, 40, "hourly"),
        ("civo gpu-h100-sxm-xlarge", 23.92, "USD", 8, 80, "hourly"),
        ("civo gpu-h100-sxm-xlarge, 36 months", 19.92, "USD", 8, 80, "36 months"),
        ("leafcloud eg1.h100x1.V24_96", 4.1184, "EUR", 1, None, "hourly"),
    ]
    slices = filled.rows(
        "SELECT DISTINCT split_part(detail, ' ', 1) FROM rejections"
        " WHERE source_id = 'eu_cloud' AND reason_code = 'gpu_slice' ORDER BY 1"
    )
    assert slices == [("rs-2000-vgpu-7",), ("rs-4000-vgpu-14",)]


def test_a_gpu_priced_apart_is_no_machine_unless_its_host_is_included(filled: Warehouse, real: Path) -> None:
    report = read(filled, "eu_cloud", real / "eu_cloud_prices" / "gpu_component_pricing.json")
    # Nebius's L40S and RTX PRO 6000, and all of hikube's; leafcloud has no price there
    assert (report.accepted, report.rejected) == (10, {"missing_value": 1, "part_alone": 9})
    rows = filled.rows(
        "SELECT sku, price_amount::DOUBLE, currency, snapshot_at FROM stated_offers"
        " WHERE source_id = 'eu_cloud' AND sku LIKE 'nebius h%' ORDER BY 1"
    )
    read_at = datetime(2026, 5, 20, tzinfo=UTC)
    # in dollars as the provider has it, not in the euro of a fixed rate
    assert rows == [
        ("nebius h100-nvlink on-demand", 2.95, "USD", read_at),
        ("nebius h100-nvlink preemptible", 1.25, "USD", read_at),
        ("nebius h200-nvlink on-demand", 3.5, "USD", read_at),
        ("nebius h200-nvlink preemptible", 1.45, "USD", read_at),
    ]
