"""AWS EC2 list prices of 2013 to 2017, as a comparison site recorded them. Read from files only.

Format: https://github.com/vantage-sh/ec2instances.info (www/instances.json: a list of machines with `pricing` by region
and operating system; or a table of it with `committed_at`). A price is text, USD for one hour of the INSTANCE; a
reserved one has what is paid at once spread over its hours. The column of GPUs is not trusted (None, 0, or 16 where
there are 8): GPUs come from the type's name. `ebs` is an add-on, `f1` has FPGAs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from collectors.bases import FileOnlySpider
from collectors.decode import decode
from collectors.document import Document
from collectors.items import Item, StatedList
from collectors.price_text import priced
from collectors.reading import each_row, grouped, time_of_list
from collectors.reasons import RowError, refuse
from collectors.registry import SourceRecord
from collectors.rules.aws import fields_of
from collectors.rules.aws_history import linux_machine, prices_of, reserved_of, term_of
from collectors.values import Row, canonical_json, optional, text

_COLUMNS = ("committed_at", "instance_type", "region", "os", "ondemand")


class AwsHistorySpider(FileOnlySpider):
    name = "aws_history"


def read(document: Document, source: SourceRecord) -> Iterator[Item]:
    content = decode(document, source)
    if content.format == "json":
        yield from each_row((row for one in content.rows() for row in prices_of(one)), offers, source)
        return
    first = 1
    for (committed,), rows in grouped(content.rows(*_COLUMNS), "committed_at"):
        yield StatedList(snapshot_at=time_of_list(committed, "committed_at"))
        yield from each_row(rows, offers, source, first=first)
        first += len(rows)


def offers(row: Row, source: SourceRecord) -> Iterator[Item]:
    machine = linux_machine(row)
    common: dict[str, Any] = {
        **fields_of(machine, source),
        "place_text": text(row, "region"),
        "extra_json": canonical_json({"gpu_field": optional(row, "gpu_field")}),
    }
    yield from priced(
        row, "ondemand", {**common, "sku": f"{machine.name} on-demand", "term_text": "on-demand"}
    )
    for name, value in reserved_of(row):
        try:
            term = term_of(name)
        except RowError as fault:
            yield refuse(fault.reason_code, fault.detail)
            continue
        reserved = {"sku": f"{machine.name} reserved {name}", "term_text": term, "class_text": "reserved"}
        yield from priced({name: value}, name, {**common, **reserved})
