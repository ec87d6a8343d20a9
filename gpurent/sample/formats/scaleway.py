"""Scaleway: the server types of one zone, once a day, in euro."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

from collectors.document import Document, request_text
from collectors.registry import load_sources
from gpurent.core.clock import at_utc
from gpurent.sample.formats import json_body, json_number
from gpurent.sample.tables import ScalewayFact, scaleway_facts

LOOK = (4, 40)
_BYTES_PER_GB = 2**30


def documents(day: date) -> Iterator[Document]:
    """The day's answer of every zone in the table."""
    source, fetched_at = load_sources()["scaleway"], at_utc(day, *LOOK)
    facts = [fact for fact in scaleway_facts() if fact.is_shown_on(day)]
    for zone in sorted({fact.zone for fact in facts}):
        servers = {fact.server: _server(fact) for fact in facts if fact.zone == zone}
        yield Document(
            source_id=source.source_id,
            url=source.url.replace("{zone}", zone),
            body=json_body({"servers": servers}),
            fetched_at=fetched_at,
            media_type="application/json",
            http_status=200,
            request_json=request_text(list_key=zone, snapshot_at=fetched_at),
        )


def _server(fact: ScalewayFact) -> dict[str, Any]:
    memory = fact.memory_gb * _BYTES_PER_GB
    info = {"gpu_manufacturer": "NVIDIA", "gpu_model": fact.model, "gpu_memory": memory}
    return {"hourly_price": json_number(fact.price), "gpu": fact.gpus, "gpu_info": info}
