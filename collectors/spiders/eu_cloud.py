"""European clouds: price lists of machines as a repository records them. Read from files only.

Format: https://github.com/mixxor/eu-cloud-prices (a table of its prices/*.json with `committed_at`, the fields of a
machine with `i_` before them). Prices are for one hour of the INSTANCE, most in euro; where `eur_usd_rate` is named, a
euro price was converted from dollars and says so. Lists that price the GPU apart from its host are no prices of
machines. `i_dedicated` speaks of the CPU: netcup's machines have slices of a GPU.
"""

from __future__ import annotations

from collections.abc import Iterator

from collectors.bases import FileOnlySpider
from collectors.decode import decode
from collectors.document import Document
from collectors.items import Item, StatedList, StatedOffer
from collectors.price_text import price
from collectors.reading import each_row, grouped, time_of_list
from collectors.registry import SourceRecord
from collectors.rules.eu_cloud import gpus_of, parts_of, provider_of, refuse_part
from collectors.values import (
    Row,
    canonical_json,
    currency,
    optional,
    optional_instant,
    optional_text,
    picked,
    text,
)

_COLUMNS = ("committed_at", "file", "i_id", "i_price_hourly", "i_currency")
_KEPT = ("file", "commit", "source_url", "eur_usd_rate", "i_name")


class EuCloudSpider(FileOnlySpider):
    name = "eu_cloud"


def read(document: Document, source: SourceRecord) -> Iterator[Item]:
    content, first = decode(document, source), 1
    if not content.is_table:
        yield from each_row(parts_of(content.mapping()), refuse_part, source)
        return
    for (committed, file), rows in grouped(content.rows(*_COLUMNS), "committed_at", "file"):
        yield StatedList(list_key=str(file or ""), snapshot_at=time_of_list(committed, "committed_at"))
        yield from each_row(rows, offer, source, first=first)
        first += len(rows)


def offer(row: Row, source: SourceRecord) -> StatedOffer:
    provider, model, gpus = provider_of(row), *gpus_of(row)
    stated = price(row, "i_price_hourly")
    code = currency(optional(row, "i_currency"), source.currency)
    return StatedOffer(
        operator_text=provider,
        sku=f"{provider} {text(row, 'i_id')}",
        chip_text=model,
        gpu_count=gpus,
        lot_min_gpus=int(gpus),
        lot_max_gpus=int(gpus),
        scope_text=source.stated("scope_text"),
        term_text=source.stated("term_text"),
        place_text=optional_text(row, "i_location"),
        offer_class="list",
        price_text=stated.text,
        price_amount=stated.amount,
        price_basis="instance_hour",
        currency=code,
        is_converted=code == "EUR" and optional(row, "eur_usd_rate") is not None,
        observed_at=optional_instant(row, "fetched_at"),
        extra_json=canonical_json(picked(row, _KEPT)),
    )
