"""cloud-gpus.com: a table of clouds by GPU, typed in by hand, 2021 to 2025; archived. Read from files only.

Format: https://github.com/cloud-gpus/cloud-gpus.github.io (cloud_gpu.json: `data`, a field `cost…` a GPU; or a table of
its versions with `committed_at`). A cell is a price text per GPU-hour, in US dollars unless it says otherwise, decimals
after a point. Its term is not stated, and differs (collectors/sources/cloud_gpus_com.toml). A cell stays until somebody
edits it: its price was observed in the version that first had it. One without a figure is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from collectors.bases import FileOnlySpider
from collectors.decode import decode, items
from collectors.document import Document
from collectors.items import Item, StatedList
from collectors.reading import each_row, grouped, time_of_list
from collectors.registry import SourceRecord
from collectors.rules.cloud_gpus_com import cell_offer, cells_of, is_nothing
from collectors.rules.hand_kept import Written
from collectors.tables import BadRow

_COLUMNS = ("committed_at", "provider", "gpu_column", "price_text")


class CloudGpusComSpider(FileOnlySpider):
    name = "cloud_gpus_com"


def read(document: Document, source: SourceRecord) -> Iterator[Item]:
    content, written = decode(document, source), Written()
    offer = partial(cell_offer, written=written)
    if not content.is_table:
        clouds = items(content.mapping().get("data"), "data")
        yield from each_row((cell for cloud in clouds for cell in cells_of(cloud)), offer, source)
        return
    first = 1
    for (committed,), rows in grouped(content.rows(*_COLUMNS), "committed_at"):
        at = time_of_list(committed, "committed_at")
        yield StatedList(snapshot_at=at)
        written.begin(at)
        for number, row in enumerate(rows, first):
            if isinstance(row, BadRow) or not is_nothing(row.get("price_text")):
                yield from each_row([row], offer, source, first=number)
        first += len(rows)
