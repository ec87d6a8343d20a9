"""gpurentalprices.com: one JSON document a look, with offers, the sellers' health record and counts.

One look a day, two on SECOND_LOOKS. A row keeps the time at which the seller's own page was last read; a seller
whose fetch failed is carried forward with the old time and says so in `providers`.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any

from collectors.document import Document, request_text
from collectors.registry import load_sources
from gpurent.core.clock import at_utc
from gpurent.sample.formats import json_body, json_instant, json_number
from gpurent.sample.tables import AggregatorFact, aggregator_facts

FIRST_LOOK, SECOND_LOOK = (5, 45), (17, 45)
# not on the day of a jump: two captures of it would confirm it at once
SECOND_LOOKS = frozenset({date(2026, 8, 8), date(2026, 8, 11)})
_GENERATED_BEFORE = timedelta(minutes=1)
_READ_BEFORE = timedelta(seconds=6)


def documents(day: date) -> Iterator[Document]:
    """The day's looks; none on days of which the tables know nothing."""
    if not any(fact.is_shown_on(day) for fact in aggregator_facts()):
        return
    source = load_sources()["gpurentalprices"]
    for hour, minute in [FIRST_LOOK, SECOND_LOOK] if day in SECOND_LOOKS else [FIRST_LOOK]:
        fetched_at = at_utc(day, hour, minute)
        yield Document(
            source_id=source.source_id,
            url=source.url,
            body=json_body(_content(day, fetched_at - _GENERATED_BEFORE)),
            fetched_at=fetched_at,
            media_type="text/plain; charset=utf-8",
            http_status=200,
            request_json=request_text(snapshot_at=fetched_at),
        )


def _content(day: date, generated_at: datetime) -> dict[str, Any]:
    facts = [fact for fact in aggregator_facts() if fact.is_shown_on(day)]
    read_at = {fact: _read_at(fact, day, generated_at) for fact in facts}
    sellers = {fact.operator: _health(fact, day, read_at[fact]) for fact in facts}
    stale = sorted(name for name, record in sellers.items() if record["stale"])
    return {
        "date": day.isoformat(),
        "generated_at": json_instant(generated_at),
        "offers": [_offer(fact, read_at[fact]) for fact in facts],
        "providers": sellers,
        "meta": {
            "provider_count": len(sellers),
            "ok_count": len(sellers) - len(stale),
            "stale_count": len(stale),
            "stale_providers": stale,
            "unknown_skus": [],
        },
    }


def _is_carried(fact: AggregatorFact, day: date) -> bool:
    return fact.verified_until is not None and day > fact.verified_until


def _read_at(fact: AggregatorFact, day: date, generated_at: datetime) -> datetime:
    """When the seller's page was read: shortly before the list was made, or on the last day it could be."""
    if fact.verified_until is not None and day > fact.verified_until:
        return at_utc(fact.verified_until, *FIRST_LOOK) - _GENERATED_BEFORE - _READ_BEFORE
    return generated_at - _READ_BEFORE


def _offer(fact: AggregatorFact, read_at: datetime) -> dict[str, Any]:
    offer: dict[str, Any] = {
        "provider": fact.operator,
        "gpu": fact.gpu,
        "vram_gb": int(fact.vram_gb),
        "usd_hr": json_number(fact.price),
        "kind": fact.kind,
    }
    if fact.min_gpus is not None:
        offer["min_gpus"] = int(fact.min_gpus)
    return {**offer, "source_url": fact.url, "fetched_at": json_instant(read_at)}


def _health(fact: AggregatorFact, day: date, read_at: datetime) -> dict[str, Any]:
    carried = _is_carried(fact, day)
    record: dict[str, Any] = {"ok": not carried, "last_verified": json_instant(read_at), "stale": carried}
    if carried:
        record["error"] = "the seller's page could not be read; its last prices are carried forward"
    return record
