"""CCIR: the CSV of its one collection, ingested by hand on INGESTED_ON: months old by then."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from collectors.document import Document
from gpurent.core.clock import at_utc, iso_utc
from gpurent.core.ids import canonical_decimal
from gpurent.sample.formats import table_file
from gpurent.sample.tables import rate_card_facts

INGESTED_ON = date(2026, 6, 18)
_HOUR, _COLLECTED = 9, (15, 30)


def documents(day: date) -> Iterator[Document]:
    """The file, on the one day."""
    if day != INGESTED_ON:
        return
    rows = [
        {
            "source": fact.operator,
            "gpu_model": fact.label,
            "price_per_gpu_hr": canonical_decimal(fact.price),
            "gpus_per_vm": fact.gpus,
            "region": fact.region,
            "sku": fact.sku,
            "price_type": fact.kind,
            "effective_date": f"{fact.effective_from}T00:00:00Z" if fact.effective_from else None,
            "collected_utc": iso_utc(at_utc(fact.seen_on, *_COLLECTED)),
        }
        for fact in rate_card_facts()
    ]
    yield table_file("ccir", day, _HOUR, "rate_cards.csv", rows)
