"""Single values of a row: text, whole numbers, instants, currencies. What cannot be read raises RowError.

A row is a mapping as it was decoded: numbers are int or Decimal, never float; a missing value is None, an empty
text or one of the source's own words for nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from collectors.items import LARGEST_AMOUNT, to_scale
from collectors.reasons import RowError, printable
from gpurent.core.clock import as_utc
from gpurent.core.ids import canonical_decimal
from gpurent.core.units import CURRENCIES

Row = Mapping[str, Any]

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_INSTANT = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?")
_LONGEST_DIGITS = 40
_SPECIAL = {"nan", "inf", "+inf", "-inf", "infinity", "+infinity", "-infinity"}


def required(row: Row, name: str) -> Any:
    """The value of a field that must be there: absent raises `missing_column`, empty `missing_value`."""
    if name not in row:
        raise RowError("missing_column", f"the row has no field {name!r}")
    value = optional(row, name)
    if value is None:
        raise RowError("missing_value", f"the field {name!r} is empty")
    return value


def optional(row: Row, name: str) -> Any:
    """The value of a field, None where it is absent, null or blank."""
    value = row.get(name)
    return None if isinstance(value, str) and not value.strip() else value


def text(row: Row, name: str) -> str:
    """A field that must hold text; a number is taken as it was written."""
    return _as_text(required(row, name), name)


def optional_text(row: Row, name: str) -> str | None:
    """A field's text, None where it is absent or empty."""
    value = optional(row, name)
    return None if value is None else _as_text(value, name)


def number(row: Row, name: str) -> Decimal:
    """A field that must hold a finite number, or a text that is one (with a point, without separators)."""
    return as_number(required(row, name), name)


def optional_number(row: Row, name: str) -> Decimal | None:
    """A field's number, None where it is absent or empty."""
    value = optional(row, name)
    return None if value is None else as_number(value, name)


def as_number(value: Any, name: str) -> Decimal:
    """A decoded value as a finite Decimal; `not_a_number` or `number_not_finite` otherwise."""
    if isinstance(value, bool) or not isinstance(value, int | Decimal | str):
        raise RowError("not_a_number", f"{name} is {shown(value)}, not a number")
    if isinstance(value, str):
        stripped = value.strip()
        if stripped.lower() in _SPECIAL:
            raise RowError("number_not_finite", f"{name} is {stripped}")
        if not _NUMBER.fullmatch(stripped):
            raise RowError("not_a_number", f"{name} is {shown(value)}, not a number")
        value = stripped
    try:
        found = Decimal(value)
    except InvalidOperation:
        raise RowError("not_a_number", f"{name} is {shown(value)}, not a number") from None
    if not found.is_finite():
        raise RowError("number_not_finite", f"{name} is {found}")
    return found


def whole(row: Row, name: str) -> int:
    """A field that must hold a whole number, not negative, that a database integer can hold."""
    found = number(row, name)
    if found < 0 or found >= 2**31 or found != found.to_integral_value():
        raise RowError(
            "not_a_count", f"{name} is {shown(row[name])}, not a whole number from 0 to 2147483647"
        )
    return int(found)


def whole_gpus(count: Decimal, machine: str) -> Decimal:
    """The number of GPUs of a machine; `not_a_count` where it is no whole number below a million."""
    if count >= 10**6 or count != count.to_integral_value():
        raise RowError("not_a_count", f"{machine}: {shown(count)} GPUs, not a whole number")
    return count


def optional_whole(row: Row, name: str) -> int | None:
    """A field's whole number, None where it is absent or empty."""
    return None if optional(row, name) is None else whole(row, name)


def flag(row: Row, name: str) -> bool | None:
    """A field's truth value, None where it is not stated; anything but true or false is `not_a_flag`."""
    value = optional(row, name)
    if value is None or isinstance(value, bool):
        return value
    words = {"true": True, "false": False}
    if isinstance(value, str) and value.strip().lower() in words:
        return words[value.strip().lower()]
    raise RowError("not_a_flag", f"{name} is {shown(value)}, neither true nor false")


def instant(row: Row, name: str, *, zone_of_source: bool = False) -> datetime:
    """A field that must hold a point in time. A time without a zone is refused, unless the source's

    documentation says it is UTC (`zone_of_source`). A bare date is `not_an_instant`: use `day`.
    """
    return as_instant(required(row, name), name, zone_of_source=zone_of_source)


def optional_instant(row: Row, name: str, *, zone_of_source: bool = False) -> datetime | None:
    """A field's point in time, None where it is absent or empty."""
    value = optional(row, name)
    return None if value is None else as_instant(value, name, zone_of_source=zone_of_source)


def as_instant(value: Any, name: str, *, zone_of_source: bool = False) -> datetime:
    """A decoded value as an instant in UTC (see `instant`)."""
    found: datetime | None = value if isinstance(value, datetime) else None
    if isinstance(value, str) and _INSTANT.match(value.strip()):
        try:
            found = datetime.fromisoformat(value.strip())
        except ValueError:
            found = None
    if found is None:
        raise RowError("not_an_instant", f"{name} is {shown(value)}, not a date with a time")
    if found.tzinfo is None:
        if not zone_of_source:
            raise RowError("time_without_zone", f"{name} is {shown(value)}, which states no time zone")
        found = found.replace(tzinfo=UTC)
    try:
        return as_utc(found)
    except OverflowError:
        raise RowError("not_an_instant", f"{name} is {shown(value)}, outside the calendar") from None


def day(row: Row, name: str) -> date:
    """A field that must hold a date, as YYYY-MM-DD."""
    value = required(row, name)
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    if isinstance(value, str) and _DATE.fullmatch(value.strip()):
        try:
            return date.fromisoformat(value.strip())
        except ValueError:
            pass
    raise RowError("not_a_date", f"{name} is {shown(value)}, not a date as YYYY-MM-DD")


def currency(stated: Any, of_source: str) -> str:
    """The ISO 4217 code a row states, or the source's where it states none. Unknown: `unknown_currency`."""
    code = of_source if stated is None else str(stated).strip().upper()
    if code not in CURRENCIES:
        raise RowError("unknown_currency", f"currency {shown(stated)} has no euro reference rate here")
    return code


def checked_amount(found: Decimal, name: str, *, zero: str = "price_zero") -> Decimal:
    """`found` as a price with 12 decimals: finite, above zero, below 10^12. `zero` is the code for nought."""
    if not found.is_finite():
        raise RowError("price_not_finite", f"{name} is {found}")
    if found < 0:
        raise RowError("price_negative", f"{name} is {decimal_text(found)}, below zero")
    if found == 0:
        raise RowError(zero, f"{name} is 0")
    if found >= LARGEST_AMOUNT:
        raise RowError("price_out_of_range", f"{name} is {found:.6E}, beyond any price")
    scaled = to_scale(found, 12)
    if scaled == 0:
        raise RowError("price_out_of_range", f"{name} is {found:.6E}, too small for 12 decimals")
    return scaled


def canonical_json(values: Mapping[str, Any]) -> str | None:
    """`extra_json`: the fields that are stated, sorted; numbers as the decimal text they had. None if empty."""
    kept = {name: value for name, value in values.items() if value is not None}
    return json.dumps(kept, sort_keys=True, separators=(",", ":"), default=_plain) if kept else None


def picked(row: Row, names: Iterable[str]) -> dict[str, Any]:
    """The named fields of a row, None where it has none: what is kept beside a price."""
    return {name: optional(row, name) for name in names}


def raw_text(row: object, limit: int = 500) -> str:
    """The row as one line of JSON for a rejection, cut to `limit` characters."""
    return printable(json.dumps(row, default=_plain, ensure_ascii=True), limit)


def decimal_text(value: Decimal) -> str:
    """A decimal without exponent, unless that would be a very long text (1e999999 is five characters too)."""
    is_short = value.is_finite() and abs(value.adjusted()) <= _LONGEST_DIGITS
    return canonical_decimal(value) if is_short else str(value)


def shown(value: object) -> str:
    """A value inside a message: short, on one line."""
    return printable(repr(value) if isinstance(value, str) else str(value), 80)


def _as_text(value: Any, name: str) -> str:
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise RowError("not_text", f"{name} is {shown(value)}, not text")
    return decimal_text(value) if isinstance(value, Decimal) else str(value)


def _plain(value: object) -> str:
    return decimal_text(value) if isinstance(value, Decimal) else str(value)
