"""Oracle Cloud: the public price list, GPUs of its compute shapes by the hour.

Call: GET, one document. Format: https://docs.oracle.com/en-us/iaas/Content/Billing/Tasks/signingup_topic-Estimating_Costs.htm
A row's metric says what its price is for; only `GPU Per Hour` is read. One price holds for all commercial regions. The
list does not say where a shape exists, nor a GPU's memory, nor how many GPUs a machine has: the smallest machine of a
part is in collectors/instances/oracle.csv. Half of a price is the preemptible one, which is a rule and not listed.
Products that do not speak of GPUs are passed over.
"""

from __future__ import annotations

from collections.abc import Iterator

from collectors.bases import PageSpider
from collectors.decode import decode, items
from collectors.document import Document
from collectors.instances import instance_types, key
from collectors.items import Item, StatedList, StatedOffer
from collectors.price_text import read_price
from collectors.reading import each_row
from collectors.registry import SourceRecord
from collectors.rules.oracle import chip_of, gpu_product, is_about_gpus, of_file, pay_as_you_go
from collectors.values import Row, canonical_json, picked, text


class OracleSpider(PageSpider):
    name = "oracle"
    accept = "application/json"


def read(document: Document, source: SourceRecord) -> Iterator[Item]:
    found = decode(document, source).mapping()
    listed = items(found.get("items"), "items")
    yield StatedList(snapshot_at=of_file(document, found))
    yield from each_row((row for row in listed if is_about_gpus(row)), offer, source)


def offer(row: Row, source: SourceRecord) -> StatedOffer:
    product, part = gpu_product(row), text(row, "partNumber")
    machine = instance_types("oracle").get(key(part))
    stated = read_price(pay_as_you_go(row, source.currency), "value")
    return StatedOffer(
        operator_text="Oracle",
        sku=f"{part} {product}",
        chip_text=chip_of(product),
        memory_gb=machine.memory_gb if machine else None,
        lot_min_gpus=machine.gpu_count.numerator if machine else None,
        scope_text=machine.scope_text if machine else None,
        term_text="pay as you go",
        class_text=text(row, "serviceCategory"),
        offer_class="list",
        price_text=stated.text,
        price_amount=stated.amount,
        price_basis="gpu_hour",
        currency=source.currency,
        extra_json=canonical_json(picked(row, ("partNumber", "metricName", "serviceCategory"))),
    )
