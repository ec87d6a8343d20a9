"""Oracle: the public price list, once a day. From FAILING_FROM on the call fails, day after day."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

from collectors.document import Document, request_text
from collectors.registry import load_sources
from gpurent.core.clock import at_utc
from gpurent.sample.formats import MARKET_BEGINS, json_body, json_number
from gpurent.sample.tables import OracleFact, oracle_facts

LOOK = (4, 10)
# its offers are carried for seven days, and then gone
FAILING_FROM = date(2026, 8, 7)


def documents(day: date) -> Iterator[Document]:
    """The day's answer."""
    if day < MARKET_BEGINS:
        return
    source, fetched_at = load_sources()["oracle"], at_utc(day, *LOOK)
    has_failed = day >= FAILING_FROM
    facts = [fact for fact in oracle_facts() if fact.is_shown_on(day)]
    listed = {"lastUpdated": "2026-06-01T00:00:00Z", "items": [_item(fact) for fact in facts]}
    yield Document(
        source_id=source.source_id,
        url=source.url,
        body=json_body({"message": "Service Unavailable"} if has_failed else listed),
        fetched_at=fetched_at,
        media_type="application/json",
        http_status=503 if has_failed else 200,
        request_json=request_text(snapshot_at=fetched_at),
    )


def _item(fact: OracleFact) -> dict[str, Any]:
    price = {"model": "PAY_AS_YOU_GO", "value": json_number(fact.price)}
    return {
        "partNumber": fact.part,
        "displayName": fact.name,
        "metricName": fact.metric,
        "serviceCategory": fact.category,
        "currencyCodeLocalizations": [{"currencyCode": fact.currency, "prices": [price]}],
    }
