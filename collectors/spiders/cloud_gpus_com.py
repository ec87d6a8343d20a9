"""cloud-gpus.com: a table of clouds by GPU, typed in by hand, 2021 to 2025; archived. Read from files only.

Format: https://github.com/cloud-gpus/cloud-gpus.github.io (cloud_gpu.json: `data`, a field `cost…` a GPU; or a table of
its versions with `committed_at`). A cell is a price text per GPU-hour, in US dollars unless it says otherwise, decimals
after a point. Whether it is on demand is not stated: the page said that some are spot, as AWS's were in 2022 and 2023.
A cell stays until somebody edits it: it is known to hold on the day of its version. One without a figure is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from collectors.bases import FileOnlySpider
from collectors.decode import decode, items
from collectors.document import Document
from collectors.items import Item, StatedList, StatedOffer
from collectors.price_text import price
from collectors.reading import each_row, grouped, time_of_list
from collectors.registry import SourceRecord
from collectors.tables import BadRow
from collectors.values import Row, currency, optional_text, text

_CELL = "cost"
_NOTHING = frozenset({"", "-", "$", "$-", "nan", "n/a"})
_COLUMNS = ("committed_at", "provider", "gpu_column", "price_text")


class CloudGpusComSpider(FileOnlySpider):
    name = "cloud_gpus_com"


def read(document: Document, source: SourceRecord) -> Iterator[Item]:
    content = decode(document, source)
    if not content.is_table:
        clouds = items(content.mapping().get("data"), "data")
        yield from each_row((cell for cloud in clouds for cell in cells_of(cloud)), offer, source)
        return
    first = 1
    for (committed,), rows in grouped(content.rows(*_COLUMNS), "committed_at"):
        yield StatedList(snapshot_at=time_of_list(committed, "committed_at"))
        for number, row in enumerate(rows, first):
            if isinstance(row, BadRow) or not _is_nothing(row.get("price_text")):
                yield from each_row([row], offer, source, first=number)
        first += len(rows)


def cells_of(cloud: Any) -> Iterator[Any]:
    """The cells with a figure of a cloud, as rows like those of the table; what is no object is left to be refused."""
    if not isinstance(cloud, dict):
        yield cloud
        return
    for field, written in cloud.items():
        if field.startswith(_CELL) and not _is_nothing(written):
            name, region = cloud.get("name"), cloud.get("region")
            yield {
                "provider": name,
                "gpu_column": field.removeprefix(_CELL),
                "price_text": written,
                "region": region,
            }


def offer(row: Row, source: SourceRecord) -> StatedOffer:
    provider, gpu, stated = text(row, "provider"), text(row, "gpu_column"), price(row, "price_text", mark=".")
    return StatedOffer(
        operator_text=provider,
        sku=f"{provider} {gpu}",
        chip_text=gpu,
        place_text=optional_text(row, "region"),
        offer_class="list",
        price_text=stated.text,
        price_amount=stated.amount,
        price_basis="gpu_hour",
        currency=currency(stated.currency, source.currency),
    )


def _is_nothing(written: Any) -> bool:
    return written is None or str(written).strip().lower() in _NOTHING
