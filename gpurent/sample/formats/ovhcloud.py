"""OVHcloud: the catalogue of its subsidiary that prices in US dollars, once a day."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any

from collectors.document import Document, request_text
from collectors.registry import load_sources
from gpurent.core.clock import at_utc
from gpurent.sample.formats import MARKET_BEGINS, json_body
from gpurent.sample.tables import OvhFact, ovh_facts

LOOK = (3, 40)
_PRICE_UNIT = Decimal("1e-8")


def documents(day: date) -> Iterator[Document]:
    """The day's catalogue."""
    if day < MARKET_BEGINS:
        return
    source, fetched_at = load_sources()["ovhcloud"], at_utc(day, *LOOK)
    addons = [_addon(fact) for fact in ovh_facts() if fact.is_shown_on(day)]
    yield Document(
        source_id=source.source_id,
        url=source.url.replace("ovhSubsidiary=DE", "ovhSubsidiary=US"),
        body=json_body({"locale": {"currencyCode": "USD", "subsidiary": "US"}, "addons": addons}),
        fetched_at=fetched_at,
        media_type="application/json",
        http_status=200,
        request_json=request_text(snapshot_at=fetched_at),
    )


def _addon(fact: OvhFact) -> dict[str, Any]:
    pricing = {
        "intervalUnit": "hour",
        "price": int(fact.price / _PRICE_UNIT),
        "formattedPrice": f"${fact.price:.2f}",
    }
    gpu = {"model": fact.model, "number": fact.gpus, "memory": {"size": fact.memory_gb}}
    return {"planCode": fact.plan, "pricings": [pricing], "blobs": {"technical": {"gpu": gpu}}}
