"""The tracker of Prime Intellect: a line a GPU, ingested by hand every morning. The prices are of another year."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date

from collectors.document import Document
from gpurent.core.clock import at_utc, iso_utc
from gpurent.sample.formats import json_number
from gpurent.sample.tables import BrokerFact, broker_facts
from warehouse.warc import file_url

ASKED, INGESTED = (6, 45), (7, 0)


def documents(day: date) -> Iterator[Document]:
    """The day's summary of every GPU in the table."""
    facts = [fact for fact in broker_facts() if fact.is_shown_on(day)]
    if not facts:
        return
    lines = [
        json.dumps(_summary(day, gpu, socket, facts))
        for gpu, socket in sorted({(fact.gpu_type, fact.socket or "") for fact in facts})
    ]
    name = f"summary_{day}.jsonl"
    yield Document(
        source_id="prime_intellect",
        url=file_url(name),
        body=("\n".join(lines) + "\n").encode(),
        fetched_at=at_utc(day, *INGESTED),
        file_name=name,
    )


def _summary(day: date, gpu: str, socket: str, facts: list[BrokerFact]) -> dict[str, object]:
    lowest = {
        fact.provider: {"min": json_number(fact.price)}
        for fact in facts
        if (fact.gpu_type, fact.socket or "") == (gpu, socket)
    }
    return {
        "timestamp": iso_utc(at_utc(day, *ASKED)),
        "gpu_type": gpu,
        "socket_type": socket or None,
        "by_provider": lowest,
    }
