"""Real files through the readers and into grades: the traps their notes name come out right.

Prices of gpurentalprices.com (CC BY 4.0), CCIR's Vast.ai archive (CC BY 4.0), captured answers of RunPod and Azure,
and the FOCUS sample (CC BY 4.0); read where the reference data is, never copied.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from collectors.ingest import ingest
from grades.normalise import normalise
from grades.registers import sync
from warehouse import Warehouse, open_warehouse

FILES = {
    "gpurentalprices": "gpurentalprices_daily/*.json.gz",
    "vast": "vast_offers_raw/*.json.gz",
    "runpod": "api_response_excerpts_2026_10/runpod_gpu_types_subset.json",
    "azure": "api_response_excerpts_2026_10/azure_retail_prices_items.json",
    "focus": "focus_sample/*.csv*",
}


@pytest.fixture(scope="module")
def graded(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warehouse]:
    with open_warehouse(tmp_path_factory.mktemp("real") / "w.duckdb") as warehouse:
        version = sync(warehouse)
        for source_id, pattern in FILES.items():
            paths = sorted((shared_data / "real").glob(pattern))
            assert paths, pattern
            ingest(warehouse, source_id, paths, run_id="test")
        normalise(warehouse, version)
        yield warehouse


def refused(warehouse: Warehouse, source_id: str) -> dict[str, int]:
    return dict(
        warehouse.rows(
            "SELECT reason_code, count(*) FROM rejections "
            "WHERE source_id = $1 AND stage <> 'read' GROUP BY reason_code",
            [source_id],
        )
    )


def test_every_stated_row_becomes_an_offer_or_trade_and_ends_graded_or_refused(graded: Warehouse) -> None:
    assert graded.rows("SELECT count(*) FROM stated_offers") == graded.rows("SELECT count(*) FROM offers")
    assert graded.rows("SELECT count(*) FROM stated_trades") == graded.rows("SELECT count(*) FROM trades")
    for table, links, key in (
        ("offers", "graded_offers", "offer_id"),
        ("trades", "graded_trades", "trade_id"),
    ):
        lost = graded.rows(
            f"SELECT count(*) FROM {table} AS r WHERE "
            f"(r.{key} IN (SELECT {key} FROM {links})) = (r.{key} IN (SELECT record_id FROM rejections))"
        )
        assert lost == [(0,)]


def test_gpurentalprices_is_read_to_the_last_chip(graded: Warehouse) -> None:
    # 10,226 rows that are no duplicate of another; 1,518 are per-second inference; 19 call a card of 80 GB NVL
    assert refused(graded, "gpurentalprices") == {"serverless_inference": 1518, "memory_not_stated": 19}
    nvl = graded.rows(
        "SELECT DISTINCT form_memory FROM offers AS o INNER JOIN stated_offers AS s ON o.stated_id = s.stated_id "
        "WHERE o.source_id = 'gpurentalprices' AND s.chip_text = 'h100-nvl' AND s.memory_gb = 80"
    )
    assert nvl == [("N000",)]


# sellers counted by hand from the published files: chip and memory of the grade, no spot and no serverless rows
@pytest.mark.parametrize(
    ("code", "first_day", "days", "sellers_on_last_day"),
    [
        ("H100-Y080-Y-YY-YY-OD-YY-J", "2026-07-07", 40, 23),
        ("H200-Y141-Y-YY-YY-OD-YY-H", "2026-07-07", 40, 16),
        ("B200-Y180-Y-YY-YY-OD-YY-T", "2026-07-07", 40, 11),
        ("A100-Y080-Y-YY-YY-OD-YY-W", "2026-07-07", 40, 16),
        ("MI300X-Y192-Y-YY-YY-OD-YY-C", "2026-07-07", 40, 4),
    ],
)
def test_the_wide_grades_have_offers_on_every_day(
    graded: Warehouse, code: str, first_day: str, days: int, sellers_on_last_day: int
) -> None:
    (found,) = graded.rows(
        "SELECT CAST(min(o.snapshot_day) AS VARCHAR), count(DISTINCT o.snapshot_day), "
        "count(DISTINCT CASE WHEN o.snapshot_day = '2026-08-15' THEN o.operator_id END) "
        "FROM offers AS o INNER JOIN graded_offers AS l ON o.offer_id = l.offer_id "
        "INNER JOIN grades AS g ON l.grade_id = g.grade_id "
        "WHERE o.source_id = 'gpurentalprices' AND g.bucket = 'ALL' AND g.code = $1",
        [code],
    )
    assert found == (first_day, days, sellers_on_last_day)


def test_vast_memory_tells_cards_of_one_name_apart(graded: Warehouse) -> None:
    counts = dict(
        graded.rows(
            "SELECT chip || ' ' || form_memory, count(*) FROM offers "
            "WHERE source_id = 'vast' AND term = 'OD' GROUP BY 1"
        )
    )
    assert counts == {
        "A100 P040": 37, "A100 P080": 65, "H100 P080": 3, "H100 S080": 164, "H200 Z141": 174, "H200 N141": 44,
        "L40S P048": 179, "RTX4090 C024": 335, "RTX4090 C048": 42, "V100 Z016": 98, "V100 Z032": 283,
    }  # fmt: skip
    assert refused(graded, "vast") == {"no_grade_for_memory": 84}
    # the price is for the whole offer, and 4 of 8 GPUs are less than a node
    (row,) = graded.rows(
        "SELECT bool_and(o.native_per_gpu_hour * s.gpu_count - s.price_amount BETWEEN -1e-6 AND 1e-6), "
        "bool_and((o.lot = 'B') = (s.gpu_count BETWEEN 2 AND 7)), bool_and(o.is_marketplace) "
        "FROM offers AS o INNER JOIN stated_offers AS s ON o.stated_id = s.stated_id WHERE o.source_id = 'vast'"
    )
    assert row == (True, True, True)


def test_azure_sizes_are_the_cards_that_stand_in_them(graded: Warehouse) -> None:
    found = set(graded.rows("SELECT DISTINCT chip, form_memory FROM offers WHERE source_id = 'azure'"))
    assert found == {
        ("H100", "N094"), ("H100", "S080"), ("A100", "P080"), ("A100", "S080"), ("A100", "S040"),
        ("H200", "Z141"), ("MI300X", "O192"),
    }  # fmt: skip
    assert graded.rows("SELECT DISTINCT scope FROM offers WHERE source_id = 'azure'") == [("VM",)]
    assert graded.rows("SELECT count(*) FROM offers WHERE source_id = 'azure' AND place = 'ZZ'") == [(0,)]
    assert refused(graded, "azure") == {}


def test_runpod_prices_are_per_gpu_and_tell_sxm_from_pcie(graded: Warehouse) -> None:
    found = dict(
        graded.rows(
            "SELECT s.chip_text, o.form_memory FROM offers AS o INNER JOIN stated_offers AS s "
            "ON o.stated_id = s.stated_id WHERE o.source_id = 'runpod'"
        )
    )
    assert (found["A100 PCIe"], found["A100 SXM"], found["H100 SXM"]) == ("P080", "S080", "S080")
    assert (found["H100 NVL"], found["H200 SXM"], found["B200"]) == ("N094", "S141", "S180")
    assert graded.rows("SELECT DISTINCT lot FROM offers WHERE source_id = 'runpod'") == [("Z",)]


def test_focus_charges_are_trades_of_single_gpus(graded: Warehouse) -> None:
    rows = graded.rows("SELECT chip, usd_per_gpu_hour, lot, place FROM trades")
    assert len(rows) == 7
    assert {(chip, str(price), lot, place) for chip, price, lot, place in rows} == {
        ("A10G", "1.624000000", "A", "US"),
        ("M60", "1.140000000", "A", "US"),
    }
    assert refused(graded, "focus") == {}
