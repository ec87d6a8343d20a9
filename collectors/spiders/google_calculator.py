"""Google Cloud list prices of machines with GPUs, as an open calculator's file sums them up.

Call: GET, one file. Format: https://github.com/Cyclenerd/google-cloud-pricing-cost-calculator (pricing.yml, or a table
of its versions). `hour` and `hour_spot` are USD for one hour of the INSTANCE, `month_1y` and `month_3y` for a month of
730 hours under a commitment; host, memory and local disks are in the sum. Some sizes carry a price that Google does not
offer, a sum whose GPU part has no SKU is the host alone, and a commitment may repeat the price without one: such prices
are refused (collectors.rules.google_calculator). Of a day's versions in a table the last one counts.
"""

from __future__ import annotations

from collections.abc import Iterator

from collectors.bases import PageSpider
from collectors.decode import decode
from collectors.document import Document
from collectors.items import Item, StatedList
from collectors.reading import each_row, grouped
from collectors.reasons import RowError
from collectors.registry import SourceRecord
from collectors.rules.google_calculator import (
    generated_at,
    last_of_days,
    machine_of,
    offers_of,
    rows_of,
    version_at,
)
from collectors.values import Row

_COLUMNS = ("committed_at", "generated", "machine_type", "gpu_key", "gpu_count", "region", "hour")


class GoogleCalculatorSpider(PageSpider):
    name = "google_calculator"
    accept = "text/plain, application/yaml"


def read(document: Document, source: SourceRecord) -> Iterator[Item]:
    content = decode(document, source)
    if not content.is_table:
        found = content.mapping()
        yield StatedList(snapshot_at=generated_at(found))
        yield from each_row(rows_of(found), offers, source)
        return
    first, last = 1, last_of_days(decode(document, source).rows(*_COLUMNS))
    for (committed, generated), rows in grouped(content.rows(*_COLUMNS), "committed_at", "generated"):
        version = (committed, generated)
        counts = last.get(version, version)
        yield StatedList(snapshot_at=version_at(*counts))
        yield from each_row(rows, offers if counts == version else replaced, source, first=first)
        first += len(rows)


def offers(row: Row, source: SourceRecord) -> Iterator[Item]:
    yield from offers_of(row, machine_of(row, source), source)


def replaced(row: Row, source: SourceRecord) -> Item:
    del source
    raise RowError("replaced_that_day", f"a later version replaces that of {row.get('committed_at')}")
