"""The tracker of AWS p5.48xlarge: its table since the sample began, ingested by hand on Mondays from 13 July on."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from collectors.document import Document
from gpurent.core.clock import at_utc
from gpurent.core.ids import canonical_decimal
from gpurent.sample.formats import MARKET_BEGINS
from gpurent.sample.tables import aws_facts
from warehouse.warc import file_url

BEGINS = date(2026, 6, 15)
INGESTED = (8, 0)
_INSTANCE, _SEEN_AT, _MONDAY = "p5.48xlarge", "07:30:00", 0


def documents(day: date) -> Iterator[Document]:
    """The table as it stands on a Monday: a row a day, in the order of days."""
    if day.weekday() != _MONDAY or day < MARKET_BEGINS:
        return
    lines = ["timestamp,instance,price_usd"]
    for number in range((day - BEGINS).days + 1):
        on = BEGINS + timedelta(days=number)
        for fact in aws_facts():
            if fact.instance == _INSTANCE and fact.is_shown_on(on):
                lines.append(f"{on}T{_SEEN_AT},{fact.instance},{canonical_decimal(fact.price)}")
    name = f"gpu_prices_until_{day}.csv"
    yield Document(
        source_id="aws_p5_daily",
        url=file_url(name),
        body=("\n".join(lines) + "\n").encode(),
        fetched_at=at_utc(day, *INGESTED),
        file_name=name,
    )
