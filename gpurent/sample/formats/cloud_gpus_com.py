"""cloud-gpus.com: the last version of its table, ingested by hand on INGESTED_ON: nobody has edited it since."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from collectors.document import Document
from gpurent.core.clock import at_utc, iso_utc
from gpurent.sample.formats import table_file
from gpurent.sample.tables import cell_facts

INGESTED_ON = frozenset({date(2026, 6, 19), date(2026, 7, 17)})
_HOUR, _COMMITTED = 9, (9, 2)


def documents(day: date) -> Iterator[Document]:
    """The table, on each of the days."""
    if day not in INGESTED_ON:
        return
    rows = [
        {
            "committed_at": iso_utc(at_utc(fact.seen_on, *_COMMITTED)),
            "provider": fact.cloud,
            "gpu_column": fact.gpu,
            "price_text": fact.price_text,
            "region": fact.region,
        }
        for fact in cell_facts()
    ]
    yield table_file("cloud_gpus_com", day, _HOUR, f"cloud_gpus_seen_{day:%Y%m%d}.csv", rows)
