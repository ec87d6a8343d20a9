"""AWS: the document of one location behind the pricing page, once a day."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any
from urllib.parse import quote

from collectors.document import Document, request_text
from collectors.registry import load_sources
from gpurent.core.clock import at_utc
from gpurent.sample.formats import MARKET_BEGINS, json_body
from gpurent.sample.tables import AwsFact, aws_facts

LOOK = (3, 20)


def documents(day: date) -> Iterator[Document]:
    """The day's document of every location in the table."""
    if day < MARKET_BEGINS:
        return
    source, fetched_at = load_sources()["aws"], at_utc(day, *LOOK)
    shown = [fact for fact in aws_facts() if fact.is_shown_on(day)]
    for location in sorted({fact.location for fact in shown}):
        machines = {_name(fact): _machine(fact) for fact in shown if fact.location == location}
        yield Document(
            source_id=source.source_id,
            url=f"{source.url}{quote(location)}/Linux/index.json",
            body=json_body({"manifest": {"currencyCode": "USD"}, "regions": {location: machines}}),
            fetched_at=fetched_at,
            media_type="application/json",
            http_status=200,
            request_json=request_text(list_key=source.options["locations"][location], snapshot_at=fetched_at),
        )


def _name(fact: AwsFact) -> str:
    return f"{fact.instance.replace('.', ' ')} {fact.location} Linux"


def _machine(fact: AwsFact) -> dict[str, Any]:
    return {
        "rateCode": f"SAMPLE.{fact.instance}",
        "price": f"{fact.price:.10f}",
        "Location": fact.location,
        "Instance Family": "GPU instance",
        "vCPU": str(fact.vcpus),
        "Instance Type": fact.instance,
        "Memory": f"{fact.memory_gib} GiB",
        "Operating System": "Linux",
        "Pre Installed S/W": "NA",
        "License Model": "No License required",
    }
