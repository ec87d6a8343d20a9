"""Content identifiers: an id is the hash of a row's identifying fields, so the same input has the same id.

`content_id("cap", source, url, fetched_at, body_hash)` gives `cap_` and 24 hexadecimal digits (96 bits) of the
SHA-256 of the fields in a canonical spelling. Fields are separated by their lengths, so ("a", "bc") and
("ab", "c") differ. None, an empty text and zero differ as well.
"""

from __future__ import annotations

import hashlib
import uuid
from datetime import date, datetime
from decimal import Decimal

from gpurent.core.clock import iso_utc

Field = str | int | Decimal | date | datetime | bool | None

_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "urn:gpurent:record")


def canonical_decimal(value: Decimal) -> str:
    """A decimal without exponent and without trailing zeros: 1.50, 1.5 and 15E-1 are all `1.5`."""
    text = format(value, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in {"-0", ""} else text


def _spell(value: Field) -> bytes:  # noqa: PLR0911 - one spelling a type
    # most fields of most rows are one of these two
    if value is None:
        return b"n"
    if type(value) is str:
        return b"s" + value.encode("utf-8", "surrogatepass")
    match value:
        case bool():
            return b"b1" if value else b"b0"
        case int():
            return b"i" + str(value).encode()
        case Decimal():
            return b"d" + canonical_decimal(value).encode()
        case datetime():
            return b"t" + iso_utc(value).encode()
        case date():
            return b"D" + value.isoformat().encode()
        case str():
            return b"s" + value.encode("utf-8", "surrogatepass")
    raise TypeError(f"{type(value).__name__} cannot be part of an identifier")


def content_id(prefix: str, *fields: Field) -> str:
    """`prefix_` and 24 hex digits over the fields. Floats are refused: spell them as Decimal or text."""
    spelled = [prefix.encode()]
    for field in fields:
        word = _spell(field)
        spelled.append(b"%d:%b" % (len(word), word))
    return f"{prefix}_{hashlib.sha256(b''.join(spelled)).hexdigest()[:24]}"


def sha256_hex(body: bytes) -> str:
    """SHA-256 of bytes as 64 lower-case hex digits."""
    return hashlib.sha256(body).hexdigest()


def record_uuid(capture_id: str) -> str:
    """The WARC record id of a capture: `<urn:uuid:…>` with the uuid5 of the capture id."""
    return f"<urn:uuid:{uuid.uuid5(_NAMESPACE, capture_id)}>"


def seed_from(*fields: Field) -> int:
    """A 64-bit seed for a random generator, from a day and a grade for example."""
    return int(content_id("seed", *fields).removeprefix("seed_")[:16], 16)
