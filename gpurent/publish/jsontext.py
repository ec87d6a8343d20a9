"""The one spelling of a document as JSON: sorted keys, two spaces, UTF-8, a newline at the end."""

from __future__ import annotations

import json
from datetime import date, datetime
from decimal import Decimal

from gpurent.core.clock import iso_utc


def json_bytes(document: object) -> bytes:
    """Canonical JSON: sorted keys, two spaces, UTF-8, a newline at the end. Decimals become numbers."""
    text = json.dumps(
        document, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False, default=json_value
    )
    return text.encode("utf-8") + b"\n"


def json_value(value: object) -> object:
    """A value as JSON can say it: a decimal as a number, an instant with Z, a date as `YYYY-MM-DD`.

    The number is the nearest double, which is exact to 15 digits; CSV and Parquet hold every digit.
    """
    match value:
        case Decimal():
            return int(value) if value == value.to_integral_value() and abs(value) < 2**53 else float(value)
        case datetime():
            return iso_utc(value)
        case date():
            return value.isoformat()
        case _:
            raise TypeError(f"{type(value).__name__} has no JSON form here")
