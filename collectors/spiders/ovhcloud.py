"""OVHcloud: the public catalogue of its public cloud, machines with GPUs by the hour or month.

Call: GET, one catalogue of the subsidiary in options. Format: https://api.ovh.com/console/#/order/catalog/public/cloud
`price` is a whole number of 1e-8 of the currency (`formattedPrice` is rounded), before VAT, for the INSTANCE and
`intervalUnit`. A plan `….consumption` is by the hour, `….monthly.postpaid` a commitment for the month. GPUs and their
memory stand in blobs.technical.gpu; numbers in a plan's name are the host's memory. `.LZ`, `.3AZ`: the kind of place.
"""

from __future__ import annotations

from collections.abc import Iterator

from collectors.bases import PageSpider
from collectors.decode import decode, items
from collectors.document import Document
from collectors.items import Item
from collectors.reading import each_row
from collectors.reasons import RowError, refuse
from collectors.registry import SourceRecord
from collectors.rules.ovhcloud import gpu_of, offered_at, terms_of
from collectors.values import Row, currency, text


class OvhcloudSpider(PageSpider):
    name = "ovhcloud"
    accept = "application/json"


def read(document: Document, source: SourceRecord) -> Iterator[Item]:
    catalogue = decode(document, source).mapping()
    place = catalogue.get("locale")
    stated = place.get("currencyCode") if isinstance(place, dict) else None
    priced_in = source.model_copy(update={"currency": currency(stated, source.currency)})
    yield from each_row(items(catalogue.get("addons"), "addons"), offers, priced_in)


def offers(row: Row, source: SourceRecord) -> Iterator[Item]:
    plan, gpu = text(row, "planCode"), gpu_of(row)
    for pricing in items(row.get("pricings"), "pricings"):
        try:
            term, basis = terms_of(plan, pricing)
            yield offered_at(pricing, plan, gpu, term, basis, source)
        except RowError as fault:
            yield refuse(fault.reason_code, fault.detail)
