"""The real prices: every trap their notes name comes out right. Passed over where they are not."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from collectors.ingest import ingest
from collectors.reports import IngestReport
from gpurent.core.clock import RecordedClock
from warehouse.store import Warehouse, open_warehouse


@pytest.fixture(scope="module")
def filled(real: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warehouse]:
    clock = RecordedClock(datetime(2026, 11, 30, 12, 0, tzinfo=UTC))
    with open_warehouse(tmp_path_factory.mktemp("real") / "w.duckdb", clock=clock) as opened:
        yield opened


def read(warehouse: Warehouse, source_id: str, *paths: Path) -> IngestReport:
    report = ingest(warehouse, source_id, sorted(paths), run_id="real")
    assert report.exit_code == 0
    return report


@pytest.fixture(scope="module")
def gpurentalprices(filled: Warehouse, real: Path) -> IngestReport:
    return read(filled, "gpurentalprices", *(real / "gpurentalprices_daily").glob("*.json.gz"))


@pytest.fixture(scope="module")
def vast(filled: Warehouse, real: Path) -> IngestReport:
    return read(filled, "vast", *(real / "vast_offers_raw").glob("*.json.gz"))


@pytest.fixture(scope="module")
def excerpts(filled: Warehouse, real: Path) -> dict[str, IngestReport]:
    folder = real / "api_response_excerpts_2026_10"
    return {
        "runpod": read(filled, "runpod", folder / "runpod_gpu_types_subset.json"),
        "azure": read(filled, "azure", folder / "azure_retail_prices_items.json"),
    }


@pytest.fixture(scope="module")
def focus(filled: Warehouse, real: Path) -> list[IngestReport]:
    folder = real / "focus_sample"
    names = ("focus_sample_without_partial_gpu_rows.csv.gz", "gpu_rows.csv")
    return [read(filled, "focus", folder / name) for name in names]


@pytest.mark.usefixtures("gpurentalprices")
class TestGpurentalprices:
    def test_every_row_is_stated_once(self, gpurentalprices: IngestReport) -> None:
        assert gpurentalprices.accepted == 10_237 - 11
        assert gpurentalprices.rejected == {"duplicate_row": 11}

    def test_forty_looks_forty_days(self, filled: Warehouse) -> None:
        rows = filled.rows(
            "SELECT count(*), min(snapshot_day), max(snapshot_day), bool_and(status = 'complete')"
            " FROM snapshots WHERE source_id = 'gpurentalprices'"
        )
        assert rows == [(40, date(2026, 7, 7), date(2026, 8, 15), True)]

    def test_carried_forward_rows_keep_their_own_time(self, filled: Warehouse) -> None:
        rows = filled.rows(
            "SELECT operator_text, count(*) FROM stated_offers WHERE source_id = 'gpurentalprices'"
            " AND observed_at::DATE <> snapshot_at::DATE GROUP BY ALL ORDER BY ALL"
        )
        assert rows == [("fal", 5), ("fireworks", 15), ("ovh", 6), ("vultr", 60)]
        oldest = filled.rows(
            "SELECT max(snapshot_at::DATE - observed_at::DATE) FROM stated_offers WHERE operator_text = 'vultr'"
        )
        assert oldest == [(9,)]

    def test_secure_and_community_are_two_items(self, filled: Warehouse) -> None:
        rows = filled.rows(
            "SELECT host_text, term_text, scope_text, price_amount FROM stated_offers"
            " WHERE operator_text = 'runpod' AND chip_text = 'a100-pcie-80' AND snapshot_at::DATE = '2026-07-20'"
            " ORDER BY price_amount"
        )
        assert rows == [
            ("runpod:community", "community", "community", Decimal("1.19")),
            (None, "secure", "secure", Decimal("1.39")),
        ]

    def test_serverless_keeps_its_word(self, filled: Warehouse) -> None:
        rows = filled.rows(
            "SELECT count(*), min(scope_text), max(term_text) FROM stated_offers WHERE class_text = 'serverless'"
        )
        assert rows == [(1518, "serverless", "serverless")]

    def test_h100_and_h100_sxm_stay_two_names_and_real_moves_live(self, filled: Warehouse) -> None:
        names = filled.rows(
            "SELECT chip_text, max(snapshot_at::DATE) FROM stated_offers"
            " WHERE operator_text = 'runpod' AND chip_text IN ('h100', 'h100-sxm') GROUP BY ALL ORDER BY ALL"
        )
        assert names == [("h100", date(2026, 7, 17)), ("h100-sxm", date(2026, 8, 15))]
        moved = filled.rows(
            "SELECT DISTINCT price_amount FROM stated_offers WHERE operator_text = 'latitude' AND chip_text = 'b300'"
            " ORDER BY ALL"
        )
        assert moved == [(Decimal("10.235"),), (Decimal("16"),)]

    def test_only_the_converted_seller_is_marked(self, filled: Warehouse) -> None:
        rows = filled.rows("SELECT DISTINCT operator_text FROM stated_offers WHERE is_converted")
        assert rows == [("scaleway",)]

    def test_the_flat_table_states_the_same(self, real: Path, filled: Warehouse, tmp_path: Path) -> None:
        columns = "operator_text, chip_text, term_text, price_amount, memory_gb, lot_min_gpus, observed_at, snapshot_at"
        query = f"SELECT {columns}, snapshot_id FROM stated_offers WHERE source_id = 'gpurentalprices' ORDER BY ALL"
        with open_warehouse(
            tmp_path / "flat.duckdb", clock=RecordedClock(datetime(2026, 11, 30, tzinfo=UTC))
        ) as flat:
            report = read(flat, "gpurentalprices", real / "gpurentalprices_daily" / "offers.parquet")
            assert report.rejected == {"duplicate_row": 11}
            assert flat.rows(query) == filled.rows(query)


@pytest.mark.usefixtures("vast")
class TestVast:
    def test_every_offer_states_an_ask_and_a_bid_floor(self, filled: Warehouse, vast: IngestReport) -> None:
        assert (vast.accepted, vast.rejected) == (2 * 1424, {})
        rows = filled.rows(
            "SELECT term_text, count(*) FROM stated_offers WHERE source_id = 'vast' GROUP BY ALL"
        )
        assert sorted(rows) == [("interruptible", 1424), ("on-demand", 1424)]

    def test_lists_at_the_page_limit_are_partial(self, filled: Warehouse) -> None:
        rows = filled.rows(
            "SELECT list_key, count(*) FROM snapshots WHERE source_id = 'vast' AND status = 'partial'"
            " GROUP BY ALL ORDER BY ALL"
        )
        assert rows == [("RTX 4090", 5), ("Tesla V100", 5)]

    def test_an_unknown_name_is_absent_and_not_nought(self, filled: Warehouse) -> None:
        rows = filled.rows(
            "SELECT count(*), sum(stated_rows) FROM snapshots WHERE source_id = 'vast' AND list_key = 'A100 SXM'"
        )
        assert rows == [(6, 0)]
        assert filled.rows(
            "SELECT count(*) FROM stated_offers WHERE source_id = 'vast' AND price_amount = 0"
        ) == [(0,)]

    def test_prices_are_of_the_whole_offer_and_extremes_stay(self, filled: Warehouse) -> None:
        rows = filled.rows(
            "SELECT min(price_amount / gpu_count), max(price_amount / gpu_count) FROM stated_offers"
            " WHERE source_id = 'vast' AND chip_text = 'A100 PCIE' AND term_text = 'on-demand'"
        )
        (low, high) = rows[0]
        assert float(low) == pytest.approx(0.0933, abs=1e-3)
        assert float(high) == pytest.approx(40.0, abs=1e-2)

    def test_memory_tells_cards_of_one_name_apart(self, filled: Warehouse) -> None:
        rows = filled.rows(
            "SELECT chip_text, round(memory_gb)::INTEGER FROM stated_offers WHERE source_id = 'vast'"
            " AND chip_text IN ('A100 PCIE', 'Tesla V100', 'RTX 4090') GROUP BY ALL ORDER BY ALL"
        )
        assert rows == [
            ("A100 PCIE", 40),
            ("A100 PCIE", 80),
            ("RTX 4090", 22),
            ("RTX 4090", 24),
            ("RTX 4090", 48),
            ("Tesla V100", 16),
            ("Tesla V100", 32),
        ]

    def test_overlapping_offers_of_a_machine_stay_rows_with_their_machine(self, filled: Warehouse) -> None:
        rows = filled.rows(
            "SELECT DISTINCT sizes FROM (SELECT list_sort(list(DISTINCT gpu_count::INTEGER)) AS sizes"
            " FROM stated_offers WHERE source_id = 'vast'"
            " GROUP BY snapshot_id, json_extract_string(extra_json, '$.machine_id'))"
        )
        assert ([1, 2, 4, 8],) in rows
        hosts = filled.rows(
            "SELECT bool_and(host_text = 'vast:host:' || json_extract_string(extra_json, '$.host_id'))"
            " FROM stated_offers WHERE source_id = 'vast'"
        )
        assert hosts == [(True,)]

    def test_a_bid_floor_above_the_ask_is_kept_for_later_filters(self, filled: Warehouse) -> None:
        rows = filled.rows(
            "SELECT count(*) FROM stated_offers WHERE source_id = 'vast' AND term_text = 'interruptible'"
            " AND price_text::DOUBLE > json_extract_string(extra_json, '$.dph_base')::DOUBLE"
        )
        assert rows == [(86,)]

    def test_the_flat_table_states_the_same(self, real: Path, filled: Warehouse, tmp_path: Path) -> None:
        query = (
            "SELECT sku, host_text, term_text, price_amount, memory_gb, place_text, snapshot_id"
            " FROM stated_offers WHERE source_id = 'vast' ORDER BY ALL"
        )
        with open_warehouse(
            tmp_path / "flat.duckdb", clock=RecordedClock(datetime(2026, 11, 30, tzinfo=UTC))
        ) as flat:
            read(flat, "vast", real / "vast_offers_raw" / "offers.parquet")
            assert flat.rows(query) == filled.rows(query)


class TestExcerpts:
    def test_runpod_states_what_it_offers_in_each_cloud(
        self, filled: Warehouse, excerpts: dict[str, IngestReport]
    ) -> None:
        report = excerpts["runpod"]
        assert (report.accepted, report.rejected) == (32, {"not_offered": 2})
        rows = filled.rows(
            "SELECT host_text, price_amount FROM stated_offers WHERE source_id = 'runpod' AND chip_text = 'B300'"
            " ORDER BY price_amount"
        )
        assert rows == [("runpod:community", Decimal("6.94")), (None, Decimal("7.89"))]

    def test_azure_states_public_linux_hours_and_spot_and_nothing_else(
        self, filled: Warehouse, excerpts: dict[str, IngestReport]
    ) -> None:
        report = excerpts["azure"]
        assert report.accepted == 24
        assert report.rejected == {"low_priority_meter": 9, "restricted_market": 1, "windows_licence": 28}
        rows = filled.rows(
            "SELECT term_text, price_amount, gpu_count, chip_text, form_text, memory_gb::INTEGER FROM stated_offers"
            " WHERE source_id = 'azure' AND place_text = 'uksouth' ORDER BY ALL"
        )
        # the Spot row of the H200 equals its price on demand elsewhere: it is kept, and is Spot
        assert rows == [
            ("Consumption", Decimal("17.45"), 2, "H100", "NVL", 94),
            ("Spot", Decimal(106), 8, "H200", None, 141),
        ]

    def test_azure_linux_a100_is_not_the_windows_price(
        self, filled: Warehouse, excerpts: dict[str, IngestReport]
    ) -> None:
        assert excerpts
        rows = filled.rows(
            "SELECT DISTINCT price_amount, gpu_count FROM stated_offers WHERE source_id = 'azure'"
            " AND sku LIKE 'Standard_NC48ads_A100_v4%' AND term_text = 'Consumption'"
        )
        assert rows == [(Decimal("7.346"), 2)]


class TestFocus:
    def test_exactly_its_seven_gpu_rows_are_trades(
        self, filled: Warehouse, focus: list[IngestReport]
    ) -> None:
        first, second = focus
        assert first.accepted == 7
        assert first.rejected == {"charge_adjustment": 2, "charge_credit": 1, "not_a_gpu": 987}
        rows = filled.rows(
            "SELECT json_extract_string(extra_json, '$.instance_type'), chip_text, gpu_count::INTEGER,"
            " round(cost_amount / quantity, 6), count(*) FROM stated_trades GROUP BY ALL ORDER BY ALL"
        )
        assert [(*row[:3], float(row[3]), row[4]) for row in rows] == [
            ("g3.4xlarge", "M60", 1, 1.14, 2),
            ("g5.4xlarge", "A10G", 1, 1.624, 5),
        ]
        assert (second.accepted, second.rejected) == (0, {"duplicate_trade": 5})


class TestEcb:
    def test_all_days_and_currencies_with_crosses(self, filled: Warehouse, real: Path) -> None:
        report = read(filled, "ecb", real / "ecb_fx" / "ecb_reference_rates_2019_2026.csv")
        assert (report.accepted, report.rejected) == (2006 * 21, {})
        rows = filled.rows(
            "SELECT currency, usd_per_unit FROM fx_rates WHERE day = '2026-10-30' AND currency <= 'CHF'"
        )
        found = dict(rows)
        assert found["CHF"] == Decimal("1.215140308897")  # 1.1172 / 0.9194
        assert filled.rows("SELECT count(*) FROM fx_rates WHERE dayofweek(day) IN (0, 6)") == [(0,)]


@pytest.mark.usefixtures("gpurentalprices", "vast", "excerpts", "focus")
def test_every_refusal_names_a_reason_and_nothing_is_lost(filled: Warehouse) -> None:
    rows = filled.rows(
        "SELECT sum(accepted_rows + rejected_rows) = (SELECT count(*) FROM stated_offers)"
        " + (SELECT count(*) FROM stated_trades) + (SELECT count(*) FROM fx_rates)"
        " + (SELECT count(*) FROM rejections WHERE reason_code <> '') FROM captures"
    )
    assert rows == [(True,)]
