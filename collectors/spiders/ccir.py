"""CCIR: one collection of published rate cards of four clouds. Read from files only.

Format: https://github.com/ccir-index/cri-h100 (data/reference-rates: JSON `results`, or the same as CSV).
`price_per_gpu_hr` is USD for one hour of one of a machine's `gpus_per_vm`. The label of the GPU is not trusted where
the machine has a name (Azure's NC sizes are called SXM): its GPUs come from collectors/instances. Google's rows are
the GPU's part alone, without a host: no price of a machine. `effective_date` is when a price began.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from collectors.bases import FileOnlySpider
from collectors.decode import decode, items
from collectors.document import Document
from collectors.instances import instance_types, key
from collectors.items import Item, StatedList, StatedOffer
from collectors.price_text import price
from collectors.reading import each_row, grouped, time_of_list
from collectors.reasons import RowError
from collectors.registry import SourceRecord
from collectors.values import Row, optional_instant, optional_whole, shown, text

_TABLES = frozenset({"aws", "azure"})
_SCOPES = {"community": "community", "secure": "secure", "secure_spot": "secure"}


class CcirSpider(FileOnlySpider):
    name = "ccir"


def read(document: Document, source: SourceRecord) -> Iterator[Item]:
    content = decode(document, source)
    if content.is_table:
        for (at,), rows in grouped(content.rows("collected_utc", "source", "sku"), "collected_utc"):
            yield StatedList(snapshot_at=time_of_list(at, "collected_utc"))
            yield from each_row(rows, offer, source)
        return
    found = content.mapping()
    yield StatedList(snapshot_at=time_of_list(found.get("collected_utc"), "collected_utc"))
    yield from each_row(items(found.get("results"), "results"), offer, source)


def offer(row: Row, source: SourceRecord) -> StatedOffer:
    cloud, sku, kind = text(row, "source"), text(row, "sku"), text(row, "price_type")
    if cloud == "gcp":
        raise RowError("part_alone", f"{sku} is the GPU alone, without virtual CPUs and memory")
    machine = instance_types(cloud).get(key(sku)) if cloud in _TABLES else None
    if cloud in _TABLES and machine is None:
        raise RowError("unknown_instance_type", f"{shown(sku)} is not in collectors/instances/{cloud}.csv")
    stated, gpus = price(row, "price_per_gpu_hr"), optional_whole(row, "gpus_per_vm")
    lot = gpus if machine else None
    return StatedOffer(
        operator_text=cloud,
        host_text=f"{cloud}:community" if kind == "community" else None,
        sku=f"{sku} {kind}",
        chip_text=machine.chip_text if machine else sku,
        form_text=machine.form_text if machine else None,
        memory_gb=machine.memory_gb if machine else None,
        lot_min_gpus=lot,
        lot_max_gpus=lot,
        fabric_text=machine.fabric_text if machine else None,
        scope_text="Virtual Machines" if machine else _SCOPES.get(kind),
        term_text=kind.replace("_", " "),
        place_text=text(row, "region") if machine else None,
        offer_class="list",
        price_text=stated.text,
        price_amount=stated.amount,
        price_basis="gpu_hour",
        currency=source.currency,
        effective_date=_since(row),
    )


def _since(row: Row) -> date | None:
    since = optional_instant(row, "effective_date")
    return since.date() if since else None
