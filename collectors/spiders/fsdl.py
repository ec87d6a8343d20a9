"""Full Stack Deep Learning: a hand-kept table of cloud machines with GPUs, 2022 to 2025. Read from files only.

Format: https://github.com/the-full-stack/website (docs/cloud-gpus: cloud-gpus.csv and serverless-gpus.csv; or tables of
their versions with `committed_at`). `On-demand` and `Spot` are USD for one hour of the INSTANCE of `GPUs`; `Per-GPU` is
rounded and sometimes stale, and not read. `GPU RAM` is that of all GPUs; the name carries one's. Serverless rows are
seconds of inference, and say so. A price stays until somebody edits it: it was observed in the version that first
had it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from collectors.bases import FileOnlySpider
from collectors.decode import decode
from collectors.document import Document
from collectors.items import Item, StatedList
from collectors.price_text import priced
from collectors.reading import each_row, grouped, time_of_list
from collectors.reasons import RowError
from collectors.registry import SourceRecord
from collectors.rules.hand_kept import Written
from collectors.values import Row, optional_text, shown, text, whole

# field, term in words, scope in words
_PRICES = (("On-demand", "on-demand", None), ("Spot", "spot", None), ("Per-Hour", "on-demand", "serverless"))

# what tells one machine of a cloud from another
_NAMED = ("GPU Type", "GPUs", "vCPUs", "RAM", "Name")


class FsdlSpider(FileOnlySpider):
    name = "fsdl"


def read(document: Document, source: SourceRecord) -> Iterator[Item]:
    first, written = 1, Written()
    offers = partial(machine, written=written)
    for (committed,), rows in grouped(decode(document, source).rows("GPU Type", "GPUs"), "committed_at"):
        at = time_of_list(committed, "committed_at")
        yield StatedList(snapshot_at=at)
        written.begin(at)
        yield from each_row(rows, offers, source, first=first)
        first += len(rows)


def machine(row: Row, source: SourceRecord, written: Written) -> Iterator[Item]:
    cloud = optional_text(row, "Cloud") or text(row, "Vendor")
    gpu, gpus = text(row, "GPU Type"), whole(row, "GPUs")
    if gpus < 1:
        raise RowError("not_a_gpu", f"GPUs is {shown(row['GPUs'])}")
    name, named = optional_text(row, "Name"), tuple(optional_text(row, field) for field in _NAMED)
    for field, term, scope in _PRICES:
        price = optional_text(row, field)
        if price is None:
            continue
        common: dict[str, Any] = {
            "operator_text": cloud,
            "sku": f"{name or gpu} {term}",
            "chip_text": gpu,
            "gpu_count": gpus,
            "lot_min_gpus": gpus,
            "lot_max_gpus": gpus,
            "scope_text": scope,
            "term_text": term,
            "offer_class": "list",
            "price_basis": "instance_hour",
            "currency": source.currency,
            "observed_at": written.at(cloud, named, field, price),
        }
        yield from priced(row, field, common)
