"""The real tables of others' prices and a broker's: every trap their notes name comes out right."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from collectors.reports import IngestReport
from tests.collectors.real_files import read
from warehouse.store import Warehouse


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
