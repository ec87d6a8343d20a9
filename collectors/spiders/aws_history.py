"""AWS EC2 list prices of 2013 to 2017, as a comparison site recorded them. Read from files only.

Format: https://github.com/vantage-sh/ec2instances.info (www/instances.json: a list of machines with `pricing` by region
and operating system; or a table of it with `committed_at`). The on-demand price is text, USD for one hour of the
INSTANCE. The column of GPUs is not trusted (None, 0, or 16 where there are 8): GPUs come from the type's name. Reserved
prices are not read: what is paid up front differs. `ebs` is an add-on, `f1` has FPGAs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from collectors.bases import FileOnlySpider
from collectors.decode import decode
from collectors.document import Document
from collectors.items import Item, StatedList, StatedOffer
from collectors.price_text import price
from collectors.reading import each_row, grouped, time_of_list
from collectors.registry import SourceRecord
from collectors.rules.aws import linux_machine
from collectors.values import Row, text


class AwsHistorySpider(FileOnlySpider):
    name = "aws_history"


def read(document: Document, source: SourceRecord) -> Iterator[Item]:
    content = decode(document, source)
    if content.format == "json":
        yield from each_row(
            (price_row for row in content.rows() for price_row in prices_of(row)), offer, source
        )
        return
    first = 1
    columns = ("committed_at", "instance_type", "region", "os", "ondemand")
    for (committed,), rows in grouped(content.rows(*columns), "committed_at"):
        yield StatedList(snapshot_at=time_of_list(committed, "committed_at"))
        yield from each_row(rows, offer, source, first=first)
        first += len(rows)


def prices_of(machine: Any) -> Iterator[Any]:
    """The prices of a machine, as rows like those of the table; what has another shape is left to be refused."""
    pricing = machine.get("pricing") if isinstance(machine, dict) else None
    if not isinstance(pricing, dict):
        yield machine
        return
    for region, systems in pricing.items():
        for system, stated in systems.items() if isinstance(systems, dict) else ():
            on_demand = stated.get("ondemand") if isinstance(stated, dict) else stated
            name = machine.get("instance_type")
            yield {"instance_type": name, "region": region, "os": system, "ondemand": on_demand}


def offer(row: Row, source: SourceRecord) -> StatedOffer:
    machine = linux_machine(row)
    stated, gpus = price(row, "ondemand"), machine.gpu_count.numerator
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
        place_text=text(row, "region"),
        offer_class="list",
        price_text=stated.text,
        price_amount=stated.amount,
        price_basis="instance_hour",
        currency=source.currency,
    )
