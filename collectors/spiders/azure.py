"""Azure Retail Prices: list prices of Linux virtual machines with GPUs, on demand, spot and reserved.

Calls: GET, one list a region of options.regions, pages by `NextPageLink`. Format:
https://learn.microsoft.com/en-us/rest/api/cost-management/retail-prices/azure-retail-prices
A price is USD for one hour of the instance, of a Reservation for its WHOLE term. GPUs come from the size's name
(collectors/instances/azure.csv). A bare list of items is read too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from urllib.parse import urlencode

from collectors.bases import Fetch, PagedSpider
from collectors.decode import decode, items
from collectors.document import Document
from collectors.items import Item, StatedList, StatedOffer
from collectors.reading import each_row
from collectors.registry import SourceRecord
from collectors.rules.azure import chosen_market, gpu_size, price_in_usd, sku_of
from collectors.values import Row, canonical_json, optional_instant, optional_text, picked, text

_KEPT = ("meterId", "skuId", "skuName", "productName", "type", "isPrimaryMeterRegion", "effectiveStartDate")
_TERM_HOURS = {"1 Year": 8760, "3 Years": 3 * 8760, "5 Years": 5 * 8760}


class AzureSpider(PagedSpider):
    name = "azure"

    def fetches(self) -> Iterable[Fetch]:
        for region in self.source.options["regions"]:
            asked = self.source.options["filter"].format(region=region)
            query = urlencode({"api-version": self.source.options["api_version"], "$filter": asked})
            yield Fetch(f"{self.source.url}?{query}", list_key=region)

    def next_page(self, document: Document) -> str | None:
        return decode(document, self.source).mapping().get("NextPageLink")


def read(document: Document, source: SourceRecord) -> Iterator[Item]:
    content = decode(document, source)
    listed = {"Items": list(content.rows())} if content.is_table else content.mapping()
    status = "partial" if listed.get("NextPageLink") else "complete"
    yield StatedList(list_key=document.list_key, status=status)
    yield from each_row(items(listed.get("Items"), "Items"), offer, source)


def offer(row: Row, source: SourceRecord) -> StatedOffer:
    term = chosen_market(row)
    size = gpu_size(row)
    stated, term_hours = price_in_usd(row, source.currency), _TERM_HOURS.get(term)
    since = optional_instant(row, "effectiveStartDate")
    gpus = size.gpu_count.numerator
    return StatedOffer(
        operator_text="Microsoft Azure",
        sku=sku_of(row),
        chip_text=size.chip_text,
        form_text=size.form_text,
        memory_gb=size.memory_gb,
        gpu_count=gpus,
        lot_min_gpus=gpus,
        lot_max_gpus=gpus,
        fabric_text=size.fabric_text,
        scope_text=optional_text(row, "serviceName") or source.stated("scope_text"),
        term_text=term,
        place_text=text(row, "armRegionName"),
        class_text=optional_text(row, "type"),
        offer_class="list",
        price_text=stated.text,
        price_amount=stated.amount,
        price_basis="block" if term_hours else "instance_hour",
        block_hours=term_hours,
        currency=source.currency,
        effective_date=since.date() if since else None,
        extra_json=canonical_json(picked(row, _KEPT)),
    )
