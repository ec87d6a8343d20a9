"""Vast.ai: one answer a model, twice a day. The asks are of another time than the days they are shown on."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

from collectors.document import Document, request_text
from collectors.registry import load_sources
from gpurent.core.clock import at_utc
from gpurent.sample.formats import MARKET_BEGINS, json_body, json_number
from gpurent.sample.tables import VastFact, vast_facts

LOOKS = ((1, 5), (13, 5))


def documents(day: date) -> Iterator[Document]:
    """The day's looks at every model in the table."""
    if day < MARKET_BEGINS:
        return
    source = load_sources()["vast"]
    facts = [fact for fact in vast_facts() if fact.is_shown_on(day)]
    for hour, minute in LOOKS:
        fetched_at = at_utc(day, hour, minute)
        for model in sorted({fact.model for fact in facts}):
            asked = {**source.options["filter"], "gpu_name": {"eq": model}}
            yield Document(
                source_id=source.source_id,
                url=source.url,
                body=json_body({"offers": [_offer(fact) for fact in facts if fact.model == model]}),
                fetched_at=fetched_at,
                media_type="application/json",
                http_status=200,
                request_json=request_text(method="POST", body=asked, list_key=model, snapshot_at=fetched_at),
            )


def _offer(fact: VastFact) -> dict[str, Any]:
    return {
        "id": fact.ask,
        "machine_id": fact.machine,
        "host_id": fact.host,
        "gpu_name": fact.model,
        "num_gpus": fact.gpus,
        "gpu_ram": fact.memory_mib,
        "dph_total": json_number(fact.price),
        "min_bid": json_number(fact.min_bid),
        "rentable": True,
        "rented": False,
        "geolocation": fact.place,
    }
