"""Scaleway: Instances with GPUs, list prices by zone, in euro before VAT.

Calls: GET, one a zone of options.zones, and the next page while one is full. Format:
https://www.scaleway.com/en/developers/api/instances/ (of products/servers: `hourly_price` is for the INSTANCE,
`gpu_memory` bytes of one GPU). The product catalogue (https://www.scaleway.com/en/developers/api/product-catalog/) is
read from files: its money is units + nanos, its time unit is in `unit_of_measure`, and `status` tells what is retired.
Products without a GPU are passed over.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from collectors.bases import Fetch, PagedSpider
from collectors.decode import decode, items
from collectors.document import Document
from collectors.items import Item, StatedList
from collectors.reading import each_row
from collectors.registry import SourceRecord
from collectors.rules.scaleway import catalogue_offer, has_gpu, is_full, page_after, server_offer
from gpurent.core.errors import SourceError


class ScalewaySpider(PagedSpider):
    name = "scaleway"

    def fetches(self) -> Iterable[Fetch]:
        for zone in self.source.options["zones"]:
            yield Fetch(self.source.url.replace("{zone}", zone), list_key=zone)

    def next_page(self, document: Document) -> str | None:
        servers = decode(document, self.source).mapping().get("servers")
        return page_after(document.url) if is_full(servers, document.url) else None


def read(document: Document, source: SourceRecord) -> Iterator[Item]:
    found = decode(document, source).mapping()
    servers = found.get("servers")
    status = "partial" if is_full(servers, document.url) else "complete"
    yield StatedList(list_key=document.list_key, status=status)
    if servers is None:
        yield from each_row(items(found.get("products"), "products"), catalogue_offer, source)
        return
    if not isinstance(servers, dict):
        raise SourceError("unexpected_format", "`servers` is no object")
    yield from each_row(rows_of(servers, document.list_key), server_offer, source)


def rows_of(servers: dict[str, Any], zone: str) -> Iterator[Any]:
    """The server types with GPUs, each with its name and zone."""
    for name, row in servers.items():
        if has_gpu(row):
            yield {"name": name, "zone": zone, **row} if isinstance(row, dict) else row
