"""A tracker's daily table of AWS p5.48xlarge (8 H100 SXM) in us-east-1, on demand, Linux. Read from files only.

Format: https://github.com/amorton45/aws-gpu-price-tracker (gpu_prices.csv: timestamp, instance, price_usd). A price is
USD for one hour of the INSTANCE. Times are UTC without saying so; some are dates alone, and the table is not in their
order. A blank price is a back-fill that found nothing. Each row is a look of its own day.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, time

from collectors.bases import FileOnlySpider
from collectors.decode import decode
from collectors.document import Document
from collectors.items import Item, StatedList, StatedOffer
from collectors.price_text import price
from collectors.reading import each_row
from collectors.reasons import RowError
from collectors.registry import SourceRecord
from collectors.rules.aws import fields_of, machine_named
from collectors.tables import BadRow
from collectors.values import Row, day, instant, text

_DATE = len("2025-04-23")


class AwsP5DailySpider(FileOnlySpider):
    name = "aws_p5_daily"


def read(document: Document, source: SourceRecord) -> Iterator[Item]:
    for number, row in enumerate(decode(document, source).rows("timestamp", "instance", "price_usd"), 1):
        if not isinstance(row, BadRow):
            with suppress(RowError):  # said again, and refused, when the row is read
                yield StatedList(snapshot_at=_seen(row))
        yield from each_row([row], offer, source, first=number)


def offer(row: Row, source: SourceRecord) -> StatedOffer:
    machine = machine_named(text(row, "instance"))
    stated = price(row, "price_usd")
    return StatedOffer(
        **fields_of(machine, source),
        sku=f"{machine.name} on-demand",
        term_text=source.stated("term_text"),
        place_text=source.stated("place_text"),
        price_text=stated.text,
        price_amount=stated.amount,
        observed_at=_seen(row),
    )


def _seen(row: Row) -> datetime:
    """When the row's price was seen: its time, or midnight of its date."""
    if len(text(row, "timestamp")) == _DATE:
        return datetime.combine(day(row, "timestamp"), time(), UTC)
    return instant(row, "timestamp", zone_of_source=True)
