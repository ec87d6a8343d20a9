"""Vast.ai: a marketplace of hosts; the ask for every whole offer, and the lowest interruptible bid.

Calls: POST search, one a model of options.models. Format: https://docs.vast.ai/api-reference
`dph_total` and `min_bid` are USD per hour for the WHOLE offer of `num_gpus`; `gpu_ram` is MiB per GPU and alone
tells an A100 of 40 GB from one of 80. An answer as long as its limit was cut. Collected files (`offers_by_model`)
and tables of offers are read too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

from collectors.bases import Fetch, JsonApiSpider
from collectors.decode import decode, items
from collectors.document import Document
from collectors.items import Item, StatedList
from collectors.price_text import priced
from collectors.reading import each_row, grouped, time_of_list
from collectors.registry import SourceRecord
from collectors.values import Row, canonical_json, flag, optional_text, picked, text, whole

_KEPT = ("machine_id", "host_id", "gpu_frac", "verification", "reliability2", "dph_base", "storage_cost", "duration",
         "inet_up_cost", "inet_down_cost", "cluster_id", "vms_enabled")  # fmt: skip


class VastSpider(JsonApiSpider):
    name = "vast"

    def fetches(self) -> Iterable[Fetch]:
        for model in self.source.options["models"]:
            body = {**self.source.options["filter"], "gpu_name": {"eq": model}}
            yield Fetch(self.source.url, method="POST", body=body, list_key=model)


def read(document: Document, source: SourceRecord) -> Iterator[Item]:
    limit, first = (document.asked("body") or {}).get("limit", source.options["default_limit"]), 1
    for at, model, rows in lists(document, source):
        status = "partial" if len(rows) >= limit else "complete"
        yield StatedList(list_key=model, snapshot_at=time_of_list(at, "collected_utc"), status=status)
        yield from each_row(rows, offers, source, first=first)
        first += len(rows)


def lists(document: Document, source: SourceRecord) -> Iterator[tuple[Any, str, list[Any]]]:
    """Time, model and offers of every list in the document."""
    content = decode(document, source)
    if content.is_table:
        for (at, model), rows in grouped(content.rows("collected_utc"), "collected_utc", "query_model"):
            yield at, str(model or document.list_key), rows
        return
    found = content.mapping()
    for model, rows in (found.get("offers_by_model") or {document.list_key: found.get("offers")}).items():
        yield found.get("collected_utc"), model, list(items(rows, "offers"))


def offers(row: Row, source: SourceRecord) -> Iterator[Item]:
    gpus, memory, name = whole(row, "num_gpus"), whole(row, "gpu_ram"), text(row, "gpu_name")
    is_free = flag(row, "rentable") is True and flag(row, "rented") is not True
    common: dict[str, Any] = {
        "operator_text": "Vast.ai", "host_text": f"vast:host:{text(row, 'host_id')}", "currency": source.currency,
        "sku": f"{gpus}x {name} {memory} MB, ask {text(row, 'id')}", "chip_text": name,
        "memory_text": f"{memory} MB", "memory_gb": Decimal(memory) / 1024,
        "gpu_count": gpus, "lot_min_gpus": gpus, "lot_max_gpus": gpus, "available_gpus": gpus if is_free else 0,
        "scope_text": source.stated("scope_text"), "place_text": optional_text(row, "geolocation"),
        "class_text": "rentable" if is_free else "not rentable", "offer_class": "firm" if is_free else "list",
        "price_basis": "instance_hour", "extra_json": canonical_json(picked(row, _KEPT)),
    }  # fmt: skip
    yield from priced(row, "dph_total", {**common, "term_text": "on-demand"})
    yield from priced(row, "min_bid", {**common, "term_text": "interruptible"}, zero="not_a_price")
