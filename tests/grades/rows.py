"""Stated rows and captures for tests, written straight into a warehouse: rendered, with only the words given."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

from gpurent.core.ids import content_id
from warehouse import Warehouse

SEEN = datetime(2026, 7, 14, 12, 0, tzinfo=UTC)


def add_source(warehouse: Warehouse, source_id: str, kind: str) -> None:
    warehouse.append(
        "sources",
        [
            {
                "source_id": source_id,
                "title": source_id,
                "kind": kind,
                "url": "https://example.org",
                "unit": "USD / gpu / hour",
                "currency": "USD",
                "redistribution": "allowed",
                "cadence_hours": 24,
                "time_meaning": "fetched",
                "fixture_origin": "rendered",
                "is_file_only": False,
                "record_sha256": content_id("src", source_id, kind),
            }
        ],
    )


def add_capture(warehouse: Warehouse, source_id: str, name: str = "one") -> str:
    capture_id = content_id("cap", source_id, name)
    warehouse.append(
        "captures",
        [
            {
                "capture_id": capture_id,
                "source_id": source_id,
                "run_id": "run",
                "url": "https://example.org",
                "fetched_at": SEEN,
                "sha256": "0" * 64,
                "size_bytes": 0,
                "archive_file": "a",
                "archive_offset": 0,
                "record_file": "a",
                "record_offset": 0,
                "record_length": 0,
                "snapshot_id": f"snap_{name}",
                "outcome": "read",
                "accepted_rows": 0,
                "rejected_rows": 0,
                "available_at": SEEN,
            }
        ],
    )
    return capture_id


def add_offer(warehouse: Warehouse, capture_id: str, **words: object) -> str:
    """An on-demand list price of 2 USD per GPU-hour by AWS unless told otherwise; returns its stated_id."""
    row: dict[str, object] = {
        "capture_id": capture_id,
        "source_id": "gpurentalprices",
        "snapshot_id": "snap_one",
        "row_number": 1,
        "operator_text": "aws",
        "sku": "a GPU",
        "chip_text": "h100",
        "memory_gb": Decimal(80),
        "term_text": "on-demand",
        "offer_class": "list",
        "price_text": "2",
        "price_amount": Decimal(2),
        "price_basis": "gpu_hour",
        "currency": "USD",
        "is_converted": False,
        "snapshot_at": SEEN,
        "observed_at": SEEN,
        "observed_at_from": "row",
        "available_at": SEEN,
        "known_at": SEEN,
    } | words
    stated_id = content_id("stated", *(f"{name}={value}" for name, value in sorted(row.items())))
    warehouse.append("stated_offers", [{"stated_id": stated_id, **row}])
    return stated_id


def add_trade(warehouse: Warehouse, capture_id: str, **words: object) -> str:
    """A billed hour of one A10G machine at AWS unless told otherwise; returns its stated_id."""
    row: dict[str, object] = {
        "capture_id": capture_id,
        "source_id": "focus",
        "row_number": 1,
        "reporter_id": "focus:AWS",
        "reporter_side": "buyer",
        "trade_kind": "billed_usage",
        "operator_text": "AWS",
        "buyer_text": "1234567890123",
        "agreement_text": "i-006flle71l19b488a",
        "sku": "g5.4xlarge",
        "chip_text": "A10G",
        "memory_gb": Decimal(24),
        "gpu_count": Decimal(1),
        "lot_gpus": 1,
        "term_text": "on-demand",
        "place_text": "us-east-1",
        "price_column": "BilledCost",
        "price_text": "1.624",
        "cost_amount": Decimal("1.624"),
        "quantity": Decimal(1),
        "price_basis": "instance_hour",
        "currency": "USD",
        "delivery_start": SEEN,
        "delivery_end": datetime(2026, 7, 14, 13, 0, tzinfo=UTC),
        "is_administered": False,
        "is_confidential": True,
        "is_synthetic": False,
        "available_at": SEEN,
        "known_at": SEEN,
    } | words
    stated_id = content_id("stated", *(f"{name}={value}" for name, value in sorted(row.items())))
    warehouse.append("stated_trades", [{"stated_id": stated_id, **row}])
    return stated_id


def add_rate(warehouse: Warehouse, currency: str, day: str, usd: str, published_at: datetime) -> None:
    warehouse.append(
        "fx_rates",
        [
            {
                "day": datetime.fromisoformat(day).date(),
                "currency": currency,
                "usd_per_unit": Decimal(usd),
                "eur_rate_text": usd,
                "capture_id": "cap_fx",
                "published_at": published_at,
                "available_at": published_at,
            }
        ],
    )
