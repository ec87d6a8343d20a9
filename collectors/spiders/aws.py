"""AWS EC2: prices of Linux machines with GPUs: on demand from the documents behind AWS's pricing page, and from files.

Calls: GET, one document a location of options.locations. Format: https://aws.amazon.com/ec2/pricing/on-demand/ (the
page that loads them; undocumented): a key is a display name, the price text in USD for one hour of the instance. Files:
the offer file in CSV or JSON (https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/reading-an-offer.html) and
answers of DescribeSpotPriceHistory, which needs an account and is not asked here. GPUs come from the type's name
(collectors/instances/aws.csv). What AWS files under another instance family than GPU is passed over.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any
from urllib.parse import quote

from collectors.bases import Fetch, JsonApiSpider
from collectors.decode import decode, items
from collectors.document import Document
from collectors.items import Item, SnapshotStatus, StatedList, StatedOffer
from collectors.price_text import price
from collectors.reading import each_row, time_of_list
from collectors.registry import SourceRecord
from collectors.rules.aws import effective_day, fields_of, gpu_instance, lists_of, table_rows
from collectors.rules.aws_spot import days_of
from collectors.values import Row, canonical_json, currency, optional, optional_text, picked, text

_COLUMNS = ("SKU", "TermType", "PricePerUnit", "Currency", "Location", "Instance Type", "Operating System")
_KEPT = ("SKU", "rateCode", "RateCode", "Location", "Operating System", "vCPU", "Memory", "GPU")


class AwsSpider(JsonApiSpider):
    name = "aws"

    def fetches(self) -> Iterable[Fetch]:
        for location, region in self.source.options["locations"].items():
            address = f"{self.source.url}{quote(location)}/Linux/index.json"
            yield Fetch(address, list_key=region)


def read(document: Document, source: SourceRecord) -> Iterator[Item]:
    content = decode(document, source, header_begins="SKU")
    if content.is_table:
        yield StatedList(snapshot_at=of_file(document, content.notice.get("Publication Date")))
        yield from each_row(table_rows(content.rows(*_COLUMNS)), offer, source)
        return
    found = content.mapping()
    if "SpotPriceHistory" in found:
        status: SnapshotStatus = "partial" if found.get("NextToken") else "complete"
        yield from days_of(items(found["SpotPriceHistory"], "SpotPriceHistory"), source, status)
        return
    first = 1
    for key, published, rows in lists_of(found, source.options["locations"]):
        yield StatedList(list_key=key, snapshot_at=of_file(document, published))
        yield from each_row(rows, offer, source, first=first)
        first += len(rows)


def of_file(document: Document, published: Any) -> datetime | None:
    """When a file was published; None for an answer, which shows what holds when it is given, however old it is."""
    return None if document.file_name is None else time_of_list(published, "publication date")


def offer(row: Row, source: SourceRecord) -> StatedOffer:
    machine, location = gpu_instance(row), text(row, "Location")
    stated = price(row, "price" if "price" in row else "PricePerUnit")
    return StatedOffer(
        **fields_of(machine, source) | {"currency": currency(optional(row, "Currency"), source.currency)},
        sku=f"{machine.name} on-demand",
        term_text="on-demand",
        place_text=optional_text(row, "Region Code") or source.options["locations"].get(location, location),
        price_text=stated.text,
        price_amount=stated.amount,
        effective_date=effective_day(row),
        extra_json=canonical_json(picked(row, _KEPT)),
    )
