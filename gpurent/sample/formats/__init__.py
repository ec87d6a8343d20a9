"""One module a source: its looks of a day as documents, in the shape in which the source answers.

Each has `documents(day) -> Iterator[Document]`, in order of fetch time. Times of day are made up and plausible;
prices, names and days come from the tables alone.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from io import StringIO
from typing import Any

from collectors.document import Document
from gpurent.core.clock import at_utc, iso_utc
from warehouse.warc import file_url

# From this day on the data set of sellers is known. The lists of single sellers begin with it: before, two or three of
# the dearest would have stood for the market.
MARKET_BEGINS = date(2026, 7, 7)


def json_number(price: Decimal) -> int | float:
    """The number whose JSON text is the digits of `price`. Raises ValueError where a float cannot hold them."""
    if price == price.to_integral_value():
        return int(price)
    number = float(price)
    if Decimal(repr(number)) != price:
        raise ValueError(f"{price} has more digits than a JSON number keeps")
    return number


def json_body(value: Any) -> bytes:
    """Compact JSON with a line break at the end."""
    return (json.dumps(value, separators=(",", ":"), ensure_ascii=False) + "\n").encode()


def json_instant(moment: datetime) -> str:
    """ISO 8601 with milliseconds and a Z, as JavaScript writes it."""
    return iso_utc(moment).removesuffix("Z") + ".000Z"


def table_file(
    source_id: str, day: date, hour: int, name: str, rows: Sequence[Mapping[str, object]]
) -> Document:
    """A CSV file ingested by hand at an hour of `day`; its columns are those of the first row, None is empty."""
    text = StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return Document(
        source_id=source_id,
        url=file_url(name),
        body=text.getvalue().encode(),
        fetched_at=at_utc(day, hour),
        file_name=name,
    )
