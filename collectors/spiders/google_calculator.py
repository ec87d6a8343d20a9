"""Google Cloud list prices of machines with GPUs, as an open calculator's file sums them up. Read from files only.

Format: https://github.com/Cyclenerd/google-cloud-pricing-cost-calculator (pricing.yml, or a table of its versions).
`hour` and `hour_spot` are USD for one hour of the INSTANCE, `month_1y` and `month_3y` for a month of 730 hours under a
commitment; host, memory and local disks are in the sum. Some sizes carry an on-demand price that Google does not offer.
A sum whose GPU part has no SKU would be the host alone: such a price is refused (collectors.rules.google_calculator).
"""

from __future__ import annotations

from collections.abc import Iterator

from collectors.bases import FileOnlySpider
from collectors.decode import decode
from collectors.document import Document
from collectors.items import Item, StatedList
from collectors.reading import each_row, grouped, time_of_list
from collectors.registry import SourceRecord
from collectors.rules.google_calculator import generated_at, machine_of, offers_of, rows_of
from collectors.values import Row

_COLUMNS = ("committed_at", "generated", "machine_type", "gpu_key", "gpu_count", "region", "hour")


class GoogleCalculatorSpider(FileOnlySpider):
    name = "google_calculator"


def read(document: Document, source: SourceRecord) -> Iterator[Item]:
    content = decode(document, source)
    if not content.is_table:
        found = content.mapping()
        yield StatedList(snapshot_at=generated_at(found))
        yield from each_row(rows_of(found), offers, source)
        return
    first = 1
    for (committed, _), rows in grouped(content.rows(*_COLUMNS), "committed_at", "generated"):
        yield StatedList(snapshot_at=time_of_list(committed, "committed_at"))
        yield from each_row(rows, offers, source, first=first)
        first += len(rows)


def offers(row: Row, source: SourceRecord) -> Iterator[Item]:
    yield from offers_of(row, machine_of(row, source), source)
