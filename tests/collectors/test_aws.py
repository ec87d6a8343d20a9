"""AWS's offer files and spot history: what only a file says, and changes made into days."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from collectors.ingest import ingest
from collectors.items import RowRejection, StatedList, StatedOffer
from collectors.reading import read_document
from collectors.registry import load_sources
from gpurent.core.errors import SourceError
from tests.collectors.cases import FIXTURES, document
from warehouse.store import Warehouse

PUBLISHED = datetime(2026, 10, 3, 19, 20, 21, tzinfo=UTC)


def items_of(body: bytes, **given: Any) -> list[Any]:
    return list(read_document(document("aws", body, **given), load_sources()["aws"]))


def change(zone: str, kind: str, price: str, at: str) -> dict[str, str]:
    words = ("AvailabilityZone", "InstanceType", "SpotPrice", "Timestamp")
    return {"ProductDescription": "Linux/UNIX"} | dict(zip(words, (zone, kind, price, at), strict=True))


def days(*changes: dict[str, str], **more: Any) -> list[tuple[str, str, str, list[tuple[str, str]]]]:
    """Key, end and status of every list, with zone and price of its offers."""
    found: list[tuple[str, str, str, list[tuple[str, str]]]] = []
    for item in items_of(json.dumps({"SpotPriceHistory": changes, **more}).encode()):
        if isinstance(item, StatedList):
            found.append((item.list_key, f"{item.snapshot_at:%m-%d %H:%M:%S}", item.status, []))
        elif isinstance(item, StatedOffer):
            found[-1][3].append((item.sku.rsplit(" ", 1)[1], item.price_text))
    return found


@pytest.mark.parametrize("name", ["offer_file.csv", "offer_file.json"])
def test_an_offer_file_is_of_its_publication_and_an_answer_of_its_fetch(name: str) -> None:
    body = (FIXTURES / "aws" / name).read_bytes()
    (as_file, *_), (as_answer, *_) = items_of(body, http_status=None, file_name=name), items_of(body)
    assert (as_file.snapshot_at, as_answer.snapshot_at) == (PUBLISHED, None)


def test_csv_and_json_of_an_offer_state_the_same(warehouse: Warehouse) -> None:
    for name in ("offer_file.csv", "offer_file.json"):
        ingest(warehouse, "aws", [FIXTURES / "aws" / name], run_id=name)
    rows = warehouse.rows(
        "SELECT sku, place_text, price_text, effective_date, snapshot_at, count(*) FROM stated_offers GROUP BY ALL"
    )
    assert [(row[0], row[1], row[2], str(row[3]), row[4], row[5]) for row in rows] == [
        ("p5.48xlarge on-demand", "us-east-1", "55.0400000000", "2026-10-01", PUBLISHED, 2)
    ]


def test_a_price_that_begins_later_is_not_offered_yet(warehouse: Warehouse) -> None:
    report = ingest(warehouse, "aws", [FIXTURES / "aws" / "offer_file.csv"], run_id="a")
    assert report.rejected["not_yet_effective"] == 1


def test_a_notice_without_a_table_is_refused() -> None:
    with pytest.raises(SourceError, match="missing_column"):
        items_of(b'"FormatVersion","v1.0"\n"Disclaimer","x"\n')


@pytest.mark.parametrize("body", [b'{"regions": []}', b'{"products": {}}', b'{"terms": {}, "products": 7}'])
def test_another_document_is_refused(body: bytes) -> None:
    with pytest.raises(SourceError, match="unexpected_format"):
        items_of(body)


def test_two_locations_are_two_lists() -> None:
    places = {place: {} for place in ("US East (Ohio)", "EU (Nowhere)")}
    found = items_of(json.dumps({"regions": places}).encode())
    assert [item.list_key for item in found] == ["us-east-2", "EU (Nowhere)"]


def test_a_change_holds_until_the_next_and_the_last_day_ends_with_it() -> None:
    found = days(
        change("us-east-1a", "g6.xlarge", "0.30", "2026-10-01T10:00:00Z"),
        change("us-east-1b", "g6.xlarge", "0.35", "2026-10-02T10:00:00Z"),
        change("us-east-1a", "g6.xlarge", "0.40", "2026-10-04T03:00:00Z"),
    )
    assert found == [
        ("spot us-east-1", "10-01 23:59:59", "complete", [("us-east-1a", "0.30")]),
        ("spot us-east-1", "10-02 23:59:59", "complete", [("us-east-1a", "0.30"), ("us-east-1b", "0.35")]),
        ("spot us-east-1", "10-03 23:59:59", "complete", [("us-east-1a", "0.30"), ("us-east-1b", "0.35")]),
        ("spot us-east-1", "10-04 03:00:00", "complete", [("us-east-1a", "0.40"), ("us-east-1b", "0.35")]),
    ]


def test_regions_have_lists_of_their_own_and_an_answer_with_more_to_come_is_partial() -> None:
    found = days(
        change("eu-west-1a", "g6.xlarge", "0.30", "2026-10-01T10:00:00Z"),
        change("us-west-2-lax-1a", "g6.xlarge", "0.35", "2026-10-01T11:00:00Z"),
        NextToken="abc",
    )
    assert [(key, status) for key, _, status, _ in found] == [
        ("spot eu-west-1", "partial"),
        ("spot us-west-2-lax-1", "partial"),
    ]


def test_the_order_of_changes_in_an_answer_does_not_matter() -> None:
    changes = [
        change("us-east-1a", "g6.xlarge", "0.30", "2026-10-01T10:00:00Z"),
        change("us-east-1a", "g6.xlarge", "0.31", "2026-10-01T12:00:00Z"),
        change("us-east-1a", "p5.48xlarge", "20", "2026-10-02T10:00:00Z"),
    ]
    assert days(*changes) == days(*reversed(changes))


def test_a_change_that_cannot_be_read_is_refused_and_the_others_stand() -> None:
    good = change("us-east-1a", "g6.xlarge", "0.30", "2026-10-01T10:00:00Z")
    answer = {"SpotPriceHistory": [{**good, "Timestamp": "soon"}, {**good, "SpotPrice": "0"}, good]}
    first, second, listed, last = items_of(json.dumps(answer).encode())
    assert isinstance(first, RowRejection)
    assert (first.reason_code, first.row_number) == ("not_an_instant", 1)
    assert (second.reason_code, second.row_number) == ("price_zero", 2)
    assert isinstance(listed, StatedList)
    assert (last.price_text, last.row_number) == ("0.30", 3)


def test_a_history_is_known_day_by_day(warehouse: Warehouse, tmp_path: Path) -> None:
    path = tmp_path / "spot.json"
    path.write_bytes((FIXTURES / "aws" / "spot.json").read_bytes())
    ingest(warehouse, "aws", [path], run_id="a")
    rows = warehouse.rows(
        "SELECT snapshot_at::DATE, price_text, available_at = snapshot_at FROM stated_offers"
        " WHERE sku LIKE 'g6%' ORDER BY 1"
    )
    assert [(str(day), price, known) for day, price, known in rows] == [
        ("2026-09-30", "0.350000", True),
        ("2026-10-01", "0.350000", True),
        ("2026-10-02", "0.371200", True),
    ]
