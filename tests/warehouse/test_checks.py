"""Each check finds the row it is for, and a warehouse in order has no findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from gpurent.core.clock import RecordedClock
from tests.warehouse.rows import DAY, NOW, fill
from warehouse import Warehouse, checks, open_warehouse

CELL = {"day": DAY, "grade_id": "g", "vintage": "1"}
D = Decimal
NOTHING = Decimal(0)


@pytest.fixture
def warehouse(tmp_path: Path) -> Iterator[Warehouse]:
    """A small warehouse in order: a capture, two offers, two voices and a published day."""
    with open_warehouse(tmp_path / "w.duckdb", clock=RecordedClock(NOW)) as opened:
        fill(opened, "captures", capture(accepted_rows=3, rejected_rows=1))
        fill(opened, "snapshots", {"snapshot_id": "s", "status": "complete"})
        fill(opened, "fx_rates", {"capture_id": "c", "currency": "EUR", "usd_per_unit": D("1.1"), "day": DAY})
        fill(opened, "rejections", {"rejection_id": "r", "stage": "read", "capture_id": "c"})
        for number in (1, 2):
            fill(opened, "stated_offers", {"stated_id": f"st{number}", "capture_id": "c"})
            fill(opened, "offers", offer(f"o{number}"))
            fill(opened, "items", item(f"group{number}", offer_id=f"o{number}"))
            fill(opened, "voices", voice(f"group{number}", weight=D("0.5")))
        fill(opened, "grades", {"grade_id": "g", "valid_to": None, "is_composite": True})
        fill(opened, "graded_offers", {"offer_id": "o1", "grade_id": "g"})
        fill(opened, "reference_prices", price(), price(day=DAY + timedelta(days=1), matched=D("0.01")))
        fill(opened, "editions", edition(1, None), edition(2, "sha1"))
        yield opened


def capture(**changes: object) -> dict[str, object]:
    plain = {
        "accepted_rows": 0,
        "rejected_rows": 0,
        "record_file": "f",
        "record_offset": 0,
        "record_length": 10,
    }
    return {"capture_id": "c", **plain, **changes}


def offer(offer_id: str, **changes: object) -> dict[str, object]:
    plain = {"capture_id": "c", "snapshot_id": "s", "currency": "USD"}
    return {"offer_id": offer_id, **plain, **changes}


def item(group: str, **changes: object) -> dict[str, object]:
    return {**CELL, "leg": "advertised", "owner_group": group, "item_key": group, **changes}


def voice(group: str, **changes: object) -> dict[str, object]:
    return {**CELL, "leg": "advertised", "owner_group": group, **changes}


def price(*, day: date = DAY, matched: Decimal = NOTHING, **changes: object) -> dict[str, object]:
    """P = R = 2 on the first day; on the next R has moved by M and the catch-up of level 4."""
    step = D(0) if day == DAY else matched + D("0.05") * (D("0.693147180560") - D("0.693147180560") - matched)
    log = D("0.693147180560") + step
    plain = {
        "status": "published",
        "level": 4,
        "construction": "reconstructed",
        "flags": "start" if day == DAY else "",
        "methodology_version": "1.0.0",
        "owner_cap": D("0.5"),
        "reference_log": log,
        "reference_usd_per_gpu_hour": log.exp().quantize(D("0.0001")),
        "cross_section_log": D("0.693147180560"),
        "cross_section_usd_per_gpu_hour": D("2.0000"),
        "matched_change_log": matched,
    }
    return {**CELL, "day": day, **plain, **changes}


def edition(number: int, previous: str | None, **changes: object) -> dict[str, object]:
    plain = {"edition_id": f"e{number}", "manifest_sha256": f"sha{number}", "sequence_number": number}
    return {**plain, "previous_sha256": previous, **changes}


Plant = Callable[[Warehouse], None]


def plant(table: str, row: dict[str, object]) -> Plant:
    return lambda warehouse: fill(warehouse, table, row)


LATER = NOW + timedelta(seconds=1)
NEXT = {"grade_id": "h", "vintage": "1"}

BAD: dict[str, Plant] = {
    "10_rows_without_capture": plant("offers", offer("o9", capture_id="lost")),
    "12_capture_counts": plant("captures", capture(capture_id="d", accepted_rows=1, record_offset=10)),
    "14_archive_records": plant("captures", capture(capture_id="d", record_offset=9)),
    "16_known_before_available": plant("offers", offer("o9", available_at=LATER)),
    "18_days_of_snapshots": plant("offers", offer("o9", snapshot_day=DAY - timedelta(days=1))),
    "20_prices_not_positive": plant("offers", offer("o9", usd_per_gpu_hour=D(0), native_per_gpu_hour=D(0))),
    "22_price_steps": plant(
        "offers", offer("o9", currency="EUR", fx_day=DAY, native_per_gpu_hour=D(2), usd_per_gpu_hour=D("2.1"))
    ),
    "30_graded_unknown": plant("graded_offers", {"offer_id": "o1", "grade_id": "lost"}),
    "32_register_spans": plant("operators", {"operator_id": "x", "valid_from": DAY, "valid_to": DAY}),
    "34_citations": plant("operators", {"operator_id": "x", "is_cited": True, "url": "", "observed_on": DAY}),
    "40_voice_weights": plant("voices", {**voice("a"), **NEXT, "leg": "traded", "weight": D("0.9")}),
    "42_voices_over_cap": plant("reference_prices", price(vintage="1", owner_cap=D("0.4"), grade_id="g")),
    "44_voices_without_item": plant("voices", {**voice("a"), **NEXT, "weight": None}),
    "50_status_and_reason": plant("reference_prices", price(grade_id="h", level=6)),
    "52_settlement_eligible": plant("reference_prices", price(grade_id="h", settlement_eligible=True)),
    "54_logs_and_values": plant("reference_prices", price(grade_id="h", reference_usd_per_gpu_hour=D("2.0002"))),
    "56_reference_recursion": plant(
        "reference_prices", price(day=DAY + timedelta(days=2), matched=D("0.01"), reference_log=D("0.71"))
        | {"reference_usd_per_gpu_hour": D("2.0340")}
    ),
    "58_attribution_sums": plant(
        "attributions", {**CELL, "total": D("0.02"), "price": D("0.01"), "fx": D("0.009")}
        | dict.fromkeys(("entry", "exit", "mix", "regrade", "traded", "method", "carry_over"), D(0))
    ),
    "60_look_ahead": lambda warehouse: (
        fill(warehouse, "offers", offer("o9", known_at=NOW + timedelta(days=1))),
        fill(warehouse, "items", {**item("a", offer_id="o9"), **NEXT}),
        fill(warehouse, "reference_prices", price(grade_id="h", construction="live")),
    )[0],
    "70_edition_chain": plant("editions", edition(3, "sha1")),
    "72_rows_twice": plant("items", item("group1", offer_id="o1")),
}  # fmt: skip


def test_a_warehouse_in_order_has_no_findings(warehouse: Warehouse) -> None:
    assert [str(finding) for finding in checks.run(warehouse)] == []


@pytest.mark.parametrize("name", checks.names())
def test_each_check_finds_its_bad_row(warehouse: Warehouse, name: str) -> None:
    BAD[name](warehouse)
    finding = checks.run_one(warehouse, name)
    assert finding is not None
    assert finding.count == len(finding.rows) >= 1
    assert finding.bad_row
    assert finding.clause
    assert str(finding).startswith(f"{name}: ")


def test_a_finding_counts_all_and_shows_the_first(warehouse: Warehouse) -> None:
    fill(warehouse, "offers", *(offer(f"x{n:02}", capture_id="lost") for n in range(30)))
    (finding,) = checks.run(warehouse)
    assert (finding.check, finding.count, len(finding.rows)) == ("10_rows_without_capture", 30, 20)
    assert finding.rows[0] == {"table_name": "offers", "row_id": "x00", "capture_id": "lost"}


def test_a_register_fact_of_the_clocks_future_is_bad_only_where_it_would_hold_before(
    warehouse: Warehouse,
) -> None:
    tomorrow = {"available_at": NOW + timedelta(days=1), "valid_to": None}
    fill(warehouse, "operators", {"operator_id": "later", "valid_from": DAY + timedelta(days=1), **tomorrow})
    assert checks.run(warehouse) == []
    fill(warehouse, "operators", {"operator_id": "early", "valid_from": DAY, **tomorrow})
    (finding,) = checks.run(warehouse)
    assert finding.rows[0]["row_id"] == "early"
