"""One document, one transaction: what is written, when it counts, and what is left when it cannot be read."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from collectors.capture import capture_id_of, store_capture
from collectors.document import Document, request_text
from collectors.registry import load_sources
from collectors.reports import CaptureOutcome
from gpurent.core.clock import RecordedClock
from tests.collectors.cases import FETCHED_AT, FIXTURES, document
from warehouse.archive import Archive
from warehouse.store import Warehouse

LIST = {"generated_at": "2026-07-20T11:00:00Z"}


def store(warehouse: Warehouse, archive: Archive, made: Document, **changed: Any) -> CaptureOutcome:
    source = load_sources()[made.source_id].model_copy(update=changed)
    return store_capture(warehouse, archive, source, made, run_id="run")


def offers(*rows: dict[str, Any], generated_at: str = LIST["generated_at"], **given: Any) -> Document:
    filled = [
        {
            "provider": "a",
            "gpu": "h100",
            "kind": "on-demand",
            "usd_hr": 2.5,
            "fetched_at": "2026-07-20T10:00:00Z",
        }
        | row
        for row in rows
    ]
    return document(
        "gpurentalprices", json.dumps({"generated_at": generated_at, "offers": filled}).encode(), **given
    )


def test_a_document_becomes_a_capture_a_snapshot_and_its_rows(warehouse: Warehouse, archive: Archive) -> None:
    made = offers({}, {"usd_hr": -1})
    outcome = store(warehouse, archive, made)
    assert (outcome.outcome, outcome.accepted, outcome.rejected) == ("read", 1, {"price_negative": 1})
    (capture,) = warehouse.dicts("SELECT * FROM captures")
    assert capture["capture_id"] == outcome.capture_id == capture_id_of(made)
    assert (capture["accepted_rows"], capture["rejected_rows"], capture["outcome"]) == (1, 1, "read")
    assert archive.read(capture["archive_file"], capture["archive_offset"]).body == made.body
    (snapshot,) = warehouse.dicts("SELECT * FROM snapshots")
    assert snapshot["snapshot_id"] == capture["snapshot_id"]
    assert snapshot["snapshot_at"] == datetime(2026, 7, 20, 11, tzinfo=UTC)
    assert (snapshot["snapshot_day"], snapshot["status"], snapshot["stated_rows"]) == (
        date(2026, 7, 20),
        "complete",
        1,
    )
    (row,) = warehouse.dicts("SELECT * FROM stated_offers")
    assert (row["observed_at"], row["observed_at_from"]) == (datetime(2026, 7, 20, 10, tzinfo=UTC), "row")
    assert row["available_at"] == datetime(2026, 7, 20, 11, tzinfo=UTC)
    assert row["known_at"] == FETCHED_AT
    (refusal,) = warehouse.dicts("SELECT * FROM rejections")
    assert (refusal["stage"], refusal["row_number"], refusal["reason_code"]) == ("read", 2, "price_negative")


def test_a_known_capture_does_nothing_and_a_later_look_is_a_new_one(
    warehouse: Warehouse, archive: Archive
) -> None:
    made = offers({})
    assert store(warehouse, archive, made).outcome == "read"
    assert store(warehouse, archive, made).outcome == "known"
    again = offers({}, fetched_at=FETCHED_AT + timedelta(hours=6))
    assert store(warehouse, archive, again).outcome == "read"
    rows = warehouse.rows("SELECT capture_id, revisit_of FROM captures ORDER BY fetched_at")
    assert rows == [(capture_id_of(made), None), (capture_id_of(again), capture_id_of(made))]


def test_an_exact_duplicate_row_is_refused_and_counted_once(warehouse: Warehouse, archive: Archive) -> None:
    outcome = store(warehouse, archive, offers({}, {"gpu": "l4"}, {}, {}))
    assert (outcome.accepted, outcome.rejected) == (2, {"duplicate_row": 2})
    details = warehouse.rows("SELECT row_number, detail FROM rejections ORDER BY row_number")
    assert details == [(3, "the same as row 1 in every field"), (4, "the same as row 1 in every field")]


def test_a_row_from_the_future_and_a_price_that_does_not_hold_yet_are_refused(
    warehouse: Warehouse, archive: Archive
) -> None:
    late = store(warehouse, archive, offers({"fetched_at": "2026-12-02T00:00:00Z"}))
    assert late.rejected == {"observed_in_future": 1}
    page = json.loads((FIXTURES / "azure" / "page_1.json").read_text())
    page["Items"] = [{**page["Items"][0], "effectiveStartDate": "2027-01-01T00:00:00Z"}]
    soon = store(warehouse, archive, document("azure", json.dumps(page).encode()))
    assert soon.rejected == {"not_yet_effective": 1}


@pytest.mark.parametrize("made", ["2199-01-01T00:00:00Z", "1970-01-01T00:00:00Z"])
def test_a_list_made_when_it_cannot_have_been_is_unreadable_and_kept(
    warehouse: Warehouse, archive: Archive, made: str
) -> None:
    outcome = store(warehouse, archive, offers({}, generated_at=made))
    assert outcome.outcome == "unreadable"
    assert outcome.rejected == {"document_time": 1}
    # a failed look on the day it was read, so that no later look is thought to be older
    assert warehouse.rows("SELECT snapshot_day, status FROM snapshots") == [(FETCHED_AT.date(), "failed")]


def test_a_row_observed_after_its_list_was_made_is_refused(warehouse: Warehouse, archive: Archive) -> None:
    late = store(
        warehouse,
        archive,
        offers({}, {"fetched_at": "2026-07-22T00:00:00Z", "gpu": "l4"}, generated_at="2026-07-20T12:00:00Z"),
    )
    assert (late.accepted, late.rejected) == (1, {"observed_in_future": 1})


def test_a_list_of_which_every_row_was_refused_proves_nothing(warehouse: Warehouse, archive: Archive) -> None:
    store(warehouse, archive, offers({"usd_hr": 0}))
    assert warehouse.rows("SELECT status, stated_rows FROM snapshots") == [("partial", 0)]


@pytest.mark.parametrize(("source_id", "status"), [("gpurentalprices", "partial"), ("vast", "complete")])
def test_an_empty_list_proves_something_only_where_lists_are_sometimes_empty(
    warehouse: Warehouse, archive: Archive, source_id: str, status: str
) -> None:
    store(warehouse, archive, document(source_id, b'{"offers": []}'))
    assert warehouse.rows("SELECT status, stated_rows FROM snapshots") == [(status, 0)]


def test_an_unreadable_document_leaves_its_bytes_a_failed_look_and_one_refusal(
    warehouse: Warehouse, archive: Archive
) -> None:
    made = document("gpurentalprices", b"<html><title>Attention required</title></html>")
    outcome = store(warehouse, archive, made)
    assert outcome.outcome == "unreadable"
    assert outcome.fault is not None
    assert outcome.fault.reason_code == "html_instead_of_data"
    assert warehouse.rows("SELECT status FROM snapshots") == [("failed",)]
    (refusal,) = warehouse.dicts("SELECT * FROM rejections")
    assert (refusal["record_id"], refusal["reason_code"]) == (outcome.capture_id, "html_instead_of_data")
    assert "Attention required" in refusal["detail"]
    (capture,) = warehouse.dicts("SELECT * FROM captures")
    assert (capture["outcome"], capture["size_bytes"]) == ("unreadable", len(made.body))
    assert archive.read(capture["archive_file"], capture["archive_offset"]).body == made.body


def test_a_document_that_breaks_midway_leaves_none_of_its_rows(
    warehouse: Warehouse, archive: Archive
) -> None:
    header = "generated_at,provider,gpu,usd_hr,kind,fetched_at\n"
    row = "2026-07-20T11:00:00Z,a,h100,{n},on-demand,2026-07-20T10:00:00Z\n"
    body = (header + "".join(row.format(n=n + 1) for n in range(6000))).encode() + b'x,"\xff'
    outcome = store(warehouse, archive, document("gpurentalprices", body))
    assert outcome.outcome == "unreadable"
    assert warehouse.rows("SELECT count(*) FROM stated_offers") == [(0,)]
    assert warehouse.rows("SELECT count(*) FROM captures") == [(1,)]


def test_the_pages_of_one_look_share_its_snapshot_and_the_last_completes_it(
    warehouse: Warehouse, archive: Archive
) -> None:
    began = FETCHED_AT - timedelta(minutes=3)
    for number, name in enumerate(("page_1.json", "page_2.json")):
        made = Document(
            "azure",
            f"https://prices.azure.com/{name}",
            (FIXTURES / "azure" / name).read_bytes(),
            FETCHED_AT + timedelta(seconds=number),
            http_status=200,
            request_json=request_text(list_key="eastus", snapshot_at=began),
        )
        store(warehouse, archive, made)
    rows = warehouse.rows("SELECT DISTINCT snapshot_id, snapshot_at, list_key FROM snapshots")
    assert [row[1:] for row in rows] == [(began, "eastus")]
    assert warehouse.rows("SELECT status FROM snapshots ORDER BY ALL") == [("complete",), ("partial",)]
    times = warehouse.rows("SELECT DISTINCT snapshot_at, observed_at_from FROM stated_offers")
    assert times == [(began, "clock")]


def test_a_file_of_dated_lists_has_a_snapshot_a_date(warehouse: Warehouse, archive: Archive) -> None:
    store(
        warehouse,
        archive,
        document("gpurentalprices", (FIXTURES / "gpurentalprices" / "table.csv").read_bytes()),
    )
    rows = warehouse.rows("SELECT snapshot_day, stated_rows FROM snapshots ORDER BY ALL")
    assert rows == [(date(2026, 7, 19), 1), (date(2026, 7, 20), 1)]


def test_each_list_of_a_source_is_complete_or_not_on_its_own(warehouse: Warehouse, archive: Archive) -> None:
    body = json.loads((FIXTURES / "vast" / "collected.json").read_text())
    body["offers_by_model"]["H100 SXM"] = [
        {**body["offers_by_model"]["H100 SXM"][0], "id": number} for number in range(64)
    ]
    store(warehouse, archive, document("vast", json.dumps(body).encode()))
    rows = warehouse.rows("SELECT list_key, status, stated_rows FROM snapshots ORDER BY ALL")
    assert rows == [("A100 PCIE", "complete", 5), ("A100 SXM", "complete", 0), ("H100 SXM", "partial", 128)]


def test_rates_are_recorded_once_and_again_only_when_corrected(
    warehouse: Warehouse, archive: Archive, clock: RecordedClock
) -> None:
    body = (FIXTURES / "ecb" / "rates.xml").read_bytes()
    assert store(warehouse, archive, document("ecb", body)).accepted == 6
    clock.advance_to(FETCHED_AT + timedelta(days=1))
    later = document("ecb", body, fetched_at=clock.now())
    outcome = store(warehouse, archive, later)
    assert (outcome.accepted, outcome.unchanged, outcome.rejected) == (0, 6, {})
    corrected = document("ecb", body.replace(b"175.68", b"175.70"), fetched_at=clock.now())
    assert store(warehouse, archive, corrected).accepted == 1
    rows = warehouse.rows(
        "SELECT eur_rate_text FROM fx_rates WHERE currency = 'JPY' AND day = '2026-10-30' ORDER BY ALL"
    )
    assert rows == [("175.68",), ("175.70",)]
    assert warehouse.rows("SELECT DISTINCT status FROM snapshots") == [("complete",)]


def test_two_rates_for_one_day_in_a_document_conflict(warehouse: Warehouse, archive: Archive) -> None:
    body = b"Date,USD,GBP\n2026-10-29,1.113,0.83\n2026-10-29,1.113,0.84\n2026-10-29,1.113,0.83\n"
    outcome = store(warehouse, archive, document("ecb", body))
    assert outcome.accepted == 3
    assert outcome.rejected == {"conflicting_rate": 1, "duplicate_row": 5}


@pytest.mark.parametrize(
    ("day", "hour"), [("2026-07-01", 14), ("2026-10-30", 15), ("2026-03-27", 15), ("2026-03-30", 14)]
)
def test_a_rate_can_be_known_from_four_in_the_afternoon_in_frankfurt(
    warehouse: Warehouse, archive: Archive, day: str, hour: int
) -> None:
    store(warehouse, archive, document("ecb", f"Date,USD\n{day},1.1\n".encode()))
    rows = warehouse.rows("SELECT DISTINCT published_at, available_at FROM fx_rates")
    at = datetime.fromisoformat(f"{day}T{hour:02}:00:00+00:00")
    assert rows == [(at, at)]


def test_a_trade_is_known_by_what_it_is_and_not_by_its_file(warehouse: Warehouse, archive: Archive) -> None:
    body = (FIXTURES / "focus" / "bill.csv").read_bytes()
    first = store(warehouse, archive, document("focus", body, file_name="september.csv"))
    assert first.accepted == 3
    assert first.rejected["duplicate_trade"] == 1
    header, row = body.splitlines()[:2]
    copy = document("focus", header + b"\n" + row + b"\n", file_name="copy.csv")
    assert store(warehouse, archive, copy).rejected == {"duplicate_trade": 1}
    other = document(
        "focus", header + b"\n" + row.replace(b"1.62400000000", b"1.5", 1) + b"\n", file_name="other.csv"
    )
    outcome = store(warehouse, archive, other)
    assert outcome.rejected == {"conflicting_trade": 1}
    (detail,) = warehouse.rows("SELECT detail FROM rejections WHERE reason_code = 'conflicting_trade'")
    assert "1.624" in detail[0]
    assert warehouse.rows("SELECT count(*) FROM stated_trades") == [(3,)]


def test_a_bill_is_known_when_its_period_is_closed_but_never_before_it_came(
    warehouse: Warehouse, archive: Archive
) -> None:
    body = (FIXTURES / "focus" / "bill.csv").read_bytes()
    store(warehouse, archive, document("focus", body))
    assert warehouse.rows("SELECT DISTINCT available_at FROM stated_trades") == [
        (datetime(2024, 10, 1, tzinfo=UTC),)
    ]
    early = document("focus", body.replace(b"i-0", b"j-0"), fetched_at=datetime(2024, 9, 28, tzinfo=UTC))
    store(warehouse, archive, early)
    rows = warehouse.rows("SELECT DISTINCT available_at FROM stated_trades WHERE agreement_text LIKE 'j-%'")
    assert rows == [(datetime(2024, 9, 28, tzinfo=UTC),)]
