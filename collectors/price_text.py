"""Prices as sources print them: `$1.49`, `€1.999,50`, `2.10 USD`, and everything that only looks like one.

`price-parser` reads the digits and the currency; what it would silently accept is refused before: "from"
prices, ranges, other units, text with a number in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from price_parser import Price as ParsedPrice

from collectors.items import Item, StatedOffer
from collectors.reasons import RowError, refuse
from collectors.values import Row, checked_amount, required, shown

_PLACEHOLDERS = frozenset(
    [
        *[
            "-",
            "--",
            "–",
            "—",
            "?",
            "n/a",
            "na",
            "none",
            "null",
            "nil",
            "tbd",
            "tba",
            "free",
            "unavailable",
            "soon",
        ],
        *[
            "contact sales",
            "contact us",
            "call",
            "call us",
            "on request",
            "sold out",
            "coming soon",
            "get a quote",
        ],
    ]
)
_TEASER = re.compile(r"\b(from|starting|starts|as low as|up to|ab|dès|desde|a partir)\b", re.IGNORECASE)
_RANGE = re.compile(r"\d\s*(?:-|–|—|to|bis)\s*[^\d\s]{0,3}\s*\d", re.IGNORECASE)
_NOT_FINITE = re.compile(r"[+-]?(nan|inf(inity)?)", re.IGNORECASE)
_AS_MACHINES_WRITE = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?")
_PER_HOUR = re.compile(
    r"(?:/|\bper\b|\ban?\b)?\s*(?:gpu|card|instance)?[\s/-]*\b(?:hours?|hrs?|h)\b\.?", re.IGNORECASE
)
_UNIT = re.compile(r"\b(gpu|card|instance)[\s/-]*(?:hours?|hrs?|h)\b", re.IGNORECASE)
_PER_OTHER = re.compile(
    r"(?:/|\bper\b|\ba\b)\s*(?:gpu[\s/-]*)?"
    r"(?:months?|mo|years?|yr|days?|weeks?|min(?:ute)?s?|sec(?:ond)?s?|s|m)\b",
    re.IGNORECASE,
)
_SYMBOLS = {
    "$": "USD", "US$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "₩": "KRW", "zł": "PLN", "Kč": "CZK",
}  # fmt: skip
_SIGN = re.compile(r"^\D{0,4}[-−]\s*\D{0,4}\d")
_DIGITS = re.compile(r"\d[\d.,'’\s]*")
_PLAIN = re.compile(r"\d+(?:(?P<mark>[.,])(?P<after>\d+))?")
_GROUPED = re.compile(r"\d{1,3}(?P<group>[.,'’\s])\d{3}(?:(?P=group)\d{3})*(?:(?P<mark>[.,])\d+)?")
# where a lone comma before three digits groups thousands, and a point is always the decimal mark
_POINT_CURRENCIES = frozenset({None, "USD", "GBP", "CAD", "AUD", "SGD", "HKD", "INR", "JPY", "CNY", "KRW"})


@dataclass(frozen=True, slots=True)
class Price:
    """A price as read. `text` is how the source wrote it, `currency` what it said beside it, if anything."""

    text: str
    amount: Decimal
    currency: str | None = None


def price(row: Row, name: str, *, zero: str = "price_zero", mark: str | None = None) -> Price:
    """The price in a field, per hour unless the field's own name says otherwise; `mark` is the source's decimal mark.

    Each way to be no price has its code: missing_column, missing_value, not_a_price (a placeholder or other
    text), price_from (a teaser), price_range, price_ambiguous (1.999 EUR), wrong_unit, price_not_finite,
    price_negative, `zero` for nought, price_out_of_range.
    """
    return read_price(required(row, name), name, zero=zero, mark=mark)


def read_price(value: Any, name: str, *, zero: str = "price_zero", mark: str | None = None) -> Price:
    """A decoded value as a price (see `price`)."""
    if isinstance(value, bool) or not isinstance(value, int | Decimal | str):
        raise RowError("not_a_price", f"{name} is {shown(value)}")
    if not isinstance(value, str):
        found = Decimal(value)
        return Price(str(value), checked_amount(found, name, zero=zero))
    written = value.strip()
    if _NOT_FINITE.fullmatch(written):
        raise RowError("price_not_finite", f"{name} is {written}")
    if _AS_MACHINES_WRITE.fullmatch(written):
        return Price(written, checked_amount(Decimal(written), name, zero=zero))
    _refuse_text_that_is_no_price(written, name)
    found, code = _parsed(written, name, mark)
    return Price(written, checked_amount(-found if _SIGN.match(written) else found, name, zero=zero), code)


def _refuse_text_that_is_no_price(written: str, name: str) -> None:
    if written.lower() in _PLACEHOLDERS or not any(letter.isdigit() for letter in written):
        raise RowError("not_a_price", f"{name} is {shown(written)}")
    if _TEASER.search(written):
        raise RowError("price_from", f"{name} is {shown(written)}: the lowest of several, not a price")
    if _PER_OTHER.search(written):
        raise RowError("wrong_unit", f"{name} is {shown(written)}, not a price per hour")
    if _RANGE.search(written):
        raise RowError("price_range", f"{name} is {shown(written)}: more than one price")


def _parsed(written: str, name: str, known_mark: str | None) -> tuple[Decimal, str | None]:
    bare = _PER_HOUR.sub(" ", written).strip()
    symbol = ParsedPrice.fromstring(bare).currency
    code = _code(symbol, bare)
    digits = _DIGITS.search(bare)
    rest = bare if digits is None else bare[: digits.start()] + bare[digits.end() :]
    for known in (symbol, code, "−", "-", "+", "/"):
        rest = rest.replace(known or "", "")
    if digits is None or rest.strip():
        raise RowError("not_a_price", f"{name} is {shown(written)}")
    mark = _decimal_mark(digits[0].strip(), code, known_mark, f"{name} is {shown(written)}")
    amount = ParsedPrice.fromstring(digits[0], decimal_separator=mark).amount
    if amount is None:
        raise RowError("not_a_price", f"{name} is {shown(written)}")
    return amount, code


def _decimal_mark(digits: str, code: str | None, known: str | None, what: str) -> str:
    """Which of point and comma is the decimal mark; `price_ambiguous` where neither digits nor source tell."""
    plain = _PLAIN.fullmatch(digits)
    if plain is None:
        grouped = _GROUPED.fullmatch(digits)
        if grouped is None or grouped["mark"] == grouped["group"]:
            raise RowError("not_a_price", what)
        return grouped["mark"] or ("," if grouped["group"] == "." else ".")
    if plain["after"] is None or len(plain["after"]) != 3:
        return plain["mark"] or "."
    is_bare_comma = code is None and plain["mark"] == ","
    if known is None and (is_bare_comma or code not in _POINT_CURRENCIES):
        raise RowError("price_ambiguous", f"{what}: thousands or three decimals")
    return known or "."


def currency_written(text: str | None) -> str | None:
    """The currency that a price's text states, as its code; None where it states none."""
    if text is None or _AS_MACHINES_WRITE.fullmatch(text.strip()):
        return None
    bare = _PER_HOUR.sub(" ", text).strip()
    return _code(ParsedPrice.fromstring(bare).currency, bare)


def unit_written(text: str) -> str | None:
    """Whether a price's text says it is of a `gpu` or of an `instance`; None where it says neither."""
    found = _UNIT.search(text)
    if found is None:
        return None
    return "instance" if found[1].lower() == "instance" else "gpu"


def _code(symbol: str | None, bare: str) -> str | None:
    if symbol is not None:
        return _SYMBOLS.get(symbol, symbol.upper())
    letters = re.search(r"\b[A-Z]{3}\b", bare)
    return letters[0] if letters else None


def priced(row: Row, name: str, common: dict[str, Any], *, zero: str = "price_zero") -> Iterator[Item]:
    """One of several prices of a row: an offer of the `common` fields at this price, or its refusal."""
    try:
        found = price(row, name, zero=zero)
    except RowError as fault:
        yield refuse(fault.reason_code, fault.detail)
        return
    yield StatedOffer(**common, price_text=found.text, price_amount=found.amount)
