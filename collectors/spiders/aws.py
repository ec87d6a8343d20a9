"""AWS EC2: on-demand list prices of Linux machines with GPUs, from the documents behind AWS's pricing page.

Calls: GET, one document a location of options.locations. Format: https://aws.amazon.com/ec2/pricing/on-demand/ (the
page that loads them; undocumented). A key is a display name, the price is text in USD for one hour of the instance,
billed by the second. GPUs come from the type's name (collectors/instances/aws.csv). Rows that AWS files under another
instance family than GPU are no rows of this source and are passed over.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote

from collectors.bases import Fetch, JsonApiSpider
from collectors.decode import decode
from collectors.document import Document
from collectors.items import Item, StatedList, StatedOffer
from collectors.price_text import price
from collectors.reading import each_row
from collectors.registry import SourceRecord
from collectors.rules.aws import gpu_instance, is_of_the_gpu_family
from collectors.values import Row, canonical_json, picked, text
from gpurent.core.errors import SourceError

_KEPT = ("rateCode", "Location", "Operating System", "License Model", "Pre Installed S/W", "vCPU", "Memory")


class AwsSpider(JsonApiSpider):
    name = "aws"

    def fetches(self) -> Iterable[Fetch]:
        for location, region in self.source.options["locations"].items():
            address = f"{self.source.url}{quote(location)}/Linux/index.json"
            yield Fetch(address, list_key=region)


def read(document: Document, source: SourceRecord) -> Iterator[Item]:
    places = decode(document, source).mapping().get("regions")
    if not isinstance(places, dict):
        raise SourceError("unexpected_format", "no object `regions` in it")
    yield StatedList(list_key=document.list_key)
    yield from each_row(rows_of(places), offer, source)


def rows_of(places: dict[str, Any]) -> Iterator[Any]:
    """The machines of every location, with the location's name where the machine does not say it."""
    for place, machines in places.items():
        for row in machines.values() if isinstance(machines, dict) else [machines]:
            if not isinstance(row, dict):
                yield row
            elif is_of_the_gpu_family(row):
                yield {"Location": place, **row}


def offer(row: Row, source: SourceRecord) -> StatedOffer:
    machine = gpu_instance(row)
    stated, gpus = price(row, "price"), machine.gpu_count.numerator
    location = text(row, "Location")
    return StatedOffer(
        operator_text="AWS",
        sku=f"{machine.name} on-demand",
        chip_text=machine.chip_text,
        form_text=machine.form_text,
        memory_gb=machine.memory_gb,
        gpu_count=gpus,
        lot_min_gpus=gpus,
        lot_max_gpus=gpus,
        fabric_text=machine.fabric_text,
        scope_text=source.stated("scope_text"),
        term_text="on-demand",
        place_text=source.options["locations"].get(location, location),
        offer_class="list",
        price_text=stated.text,
        price_amount=stated.amount,
        price_basis="instance_hour",
        currency=source.currency,
        extra_json=canonical_json(picked(row, _KEPT)),
    )
