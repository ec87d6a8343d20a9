"""European clouds: price lists of machines as a repository records them. Read from files only.

Format: https://github.com/mixxor/eu-cloud-prices (a table of its prices/*.json with `committed_at`, the fields of a
machine with `i_` before them). Prices are for one hour of the INSTANCE, most in euro; where `eur_usd_rate` is named, a
euro price was converted from dollars and says so. Lists that price the GPU apart from its host (an object of lists by
provider) are read too: they hold prices of machines only where the host is included, which options.host_included says.
`i_dedicated` speaks of the CPU: netcup's machines have slices of a GPU.
"""

from __future__ import annotations

from collections.abc import Iterator

from collectors.bases import FileOnlySpider
from collectors.decode import decode
from collectors.document import Document
from collectors.items import Item, StatedList
from collectors.reading import each_row, grouped, time_of_list
from collectors.registry import SourceRecord
from collectors.rules.eu_cloud import machine, part, parts_of

_COLUMNS = ("committed_at", "file", "i_id", "i_price_hourly", "i_currency")


class EuCloudSpider(FileOnlySpider):
    name = "eu_cloud"


def read(document: Document, source: SourceRecord) -> Iterator[Item]:
    content, first = decode(document, source), 1
    if not content.is_table:
        for provider, read_at, gpus in parts_of(content.mapping()):
            yield StatedList(list_key=f"{provider} by GPU", snapshot_at=time_of_list(read_at, "fetched_at"))
            yield from each_row(gpus, part, source, first=first)
            first += len(gpus)
        return
    for (committed, file), rows in grouped(content.rows(*_COLUMNS), "committed_at", "file"):
        yield StatedList(list_key=str(file or ""), snapshot_at=time_of_list(committed, "committed_at"))
        yield from each_row(rows, machine, source, first=first)
        first += len(rows)
