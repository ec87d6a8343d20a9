"""European clouds: the machines of a version, ingested by hand on the day it was committed, the first later."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from collectors.document import Document
from gpurent.core.clock import at_utc, iso_utc
from gpurent.core.ids import canonical_decimal
from gpurent.sample.formats import table_file
from gpurent.sample.tables import EuropeanFact, european_facts

FIRST_INGESTED_ON = date(2026, 6, 17)
_HOUR, _COMMITTED, _FETCHED = 10, (8, 0), (4, 0)


def documents(day: date) -> Iterator[Document]:
    """The version of `day`; on the first day what was committed before."""
    rows = [
        _row(fact)
        for fact in european_facts()
        if fact.committed == day or (day == FIRST_INGESTED_ON and fact.committed < day)
    ]
    if rows:
        yield table_file("eu_cloud", day, _HOUR, f"eu_cloud_{day:%Y%m%d}.csv", rows)


def _row(fact: EuropeanFact) -> dict[str, object]:
    return {
        "committed_at": iso_utc(at_utc(fact.committed, *_COMMITTED)),
        "file": fact.file,
        "fetched_at": iso_utc(at_utc(fact.fetched, *_FETCHED)),
        "source_url": fact.url,
        "eur_usd_rate": fact.eur_usd_rate,
        "i_id": fact.machine,
        "i_price_hourly": None if fact.price is None else canonical_decimal(fact.price),
        "i_currency": fact.currency,
        "i_location": fact.location,
        "i_gpu_count": fact.gpu_count,
        "i_gpu_model": fact.gpu_model,
        "i_gpu": fact.gpu,
        "i_gpu_type": fact.gpu_type,
    }
