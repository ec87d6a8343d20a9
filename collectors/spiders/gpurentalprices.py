"""gpurentalprices.com: one JSON document a day with the list prices of some thirty sellers.

Address: the url of the record. Format: https://github.com/adriannutiu/gpu-rental-prices (README)
Unit: USD per GPU-hour. A row's `fetched_at` is when the seller's own price was last seen: rows that were carried
forward after a failed fetch keep the old time. Tables of rows (CSV, Parquet) with `generated_at` are read too.
"""

from __future__ import annotations

from collections.abc import Iterator

from collectors.bases import PageSpider
from collectors.decode import decode, items
from collectors.document import Document
from collectors.items import Item, StatedList, StatedOffer
from collectors.price_text import price
from collectors.reading import each_row, grouped, time_of_list
from collectors.registry import SourceRecord
from collectors.values import (
    Row,
    canonical_json,
    instant,
    optional,
    optional_number,
    optional_text,
    optional_whole,
    text,
)

_ARE_SCOPES_TOO = frozenset({"secure", "community", "serverless"})


class GpurentalpricesSpider(PageSpider):
    name = "gpurentalprices"


def read(document: Document, source: SourceRecord) -> Iterator[Item]:
    content = decode(document, source)
    if content.is_table:
        first = 1
        for (generated,), rows in grouped(content.rows("generated_at"), "generated_at"):
            yield StatedList(snapshot_at=time_of_list(generated, "generated_at"))
            yield from each_row(rows, offer, source, first=first)
            first += len(rows)
        return
    found = content.mapping()
    yield StatedList(snapshot_at=time_of_list(found.get("generated_at"), "generated_at"))
    yield from each_row(items(found.get("offers"), "offers"), offer, source)


def offer(row: Row, source: SourceRecord) -> StatedOffer:
    seller, gpu, kind = text(row, "provider"), text(row, "gpu"), text(row, "kind")
    stated, at_least = price(row, "usd_hr"), optional_whole(row, "min_gpus")
    return StatedOffer(
        operator_text=seller,
        # private hosts' machines: another product than the operator's own
        host_text=f"{seller}:community" if kind == "community" else None,
        sku=f"{seller} {gpu} {kind}" + (f" min {at_least}" if at_least else ""),
        chip_text=gpu,
        memory_text=optional_text(row, "vram_gb"),
        memory_gb=optional_number(row, "vram_gb"),
        lot_min_gpus=at_least,
        scope_text=kind if kind in _ARE_SCOPES_TOO else source.stated("scope_text"),
        term_text=kind,
        class_text=kind,
        offer_class="list",
        price_text=stated.text,
        price_amount=stated.amount,
        price_basis="gpu_hour",
        currency=source.currency,
        is_converted=seller in source.options.get("converted_sellers", {}),
        observed_at=instant(row, "fetched_at"),
        extra_json=canonical_json({"source_url": optional(row, "source_url")}),
    )
