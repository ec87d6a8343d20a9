"""One module a source: its looks of a day as documents, in the shape in which the source answers.

Each has `documents(day) -> Iterator[Document]`, in order of fetch time. Times of day are made up and plausible;
prices, names and days come from the tables alone.
"""

from __future__ import annotations

import json
from datetime import datetime
from decimal import Decimal
from typing import Any

from gpurent.core.clock import iso_utc


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
