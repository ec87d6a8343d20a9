"""Prime Intellect: a broker's configurations of other clouds' GPUs, as a tracker summed them up. Read from files only.

Format: https://github.com/tugot17/gpu-price-tracker (sums by provider as JSON Lines or a table; `min` is the lowest
USD per GPU-hour of a provider's configurations of a GPU). An answer of the broker's own availability call
(https://docs.primeintellect.ai, `items`) is read too: its price is for the WHOLE configuration. The provider is the
operator, the broker the route. Counts are numbers of configurations and weigh nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from collectors.bases import FileOnlySpider
from collectors.decode import decode, items
from collectors.document import Document
from collectors.items import Item, StatedList
from collectors.reading import each_row, grouped, time_of_list
from collectors.registry import SourceRecord
from collectors.rules.prime_intellect import configuration, gpu_name, lowest_of
from collectors.values import Row, text

_COLUMNS = ("timestamp", "gpu_type", "socket_type")


class PrimeIntellectSpider(FileOnlySpider):
    name = "prime_intellect"


def read(document: Document, source: SourceRecord) -> Iterator[Item]:
    content = decode(document, source)
    if not content.is_table:
        yield from each_row(items(content.mapping().get("items"), "items"), configuration, source)
        return
    first = 1
    # one list a look and GPU: a GPU that is missing from one look is not gone from the others'
    for (at, gpu, socket), rows in grouped(content.rows(*_COLUMNS), *_COLUMNS):
        yield StatedList(snapshot_at=time_of_list(at, "timestamp"), list_key=f"{gpu}/{socket or ''}")
        yield from each_row(rows, lowest, source, first=first)
        first += len(rows)


def lowest(row: Row, source: SourceRecord) -> Iterator[Item]:
    """The lowest price of every provider that the row sums up: one row a provider, or all of them in one."""
    summed = row.get("by_provider")
    if not isinstance(summed, dict):
        yield from lowest_of(row, text(row, "provider"), gpu_name(row), source)
        return
    for provider, found in summed.items():
        yield from lowest_of(found if isinstance(found, dict) else {}, provider, gpu_name(row), source)
