"""Comparing names: whole, without regard to case and separators, and never by prefix.

A separator between two digits is kept as `_`, since dropping it would make new numbers out of old ones
("A10 0" is not an A100, "T4 16" is not a T416).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_SEPARATORS = re.compile(r"[^0-9a-z]+")
_VENDORS = re.compile(
    r"^(?:nvidia|amd|intel)[\s_-]+(?:geforce[\s_-]+|tesla[\s_-]+|instinct[\s_-]+)?", re.IGNORECASE
)
_MEMORY = re.compile(r"^\s*(\d+(?:\.\d+)?)\s*(?:GB|GiB|G)?\s*$", re.IGNORECASE)


@lru_cache(maxsize=65536)
def key(text: str) -> str:
    """The spelling under which two names are the same: `H100 SXM5 80GB` and `h100-sxm5-80gb` are."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    out: list[str] = []
    for part in filter(None, _SEPARATORS.split(plain)):
        if out and out[-1][-1].isdigit() and part[0].isdigit():
            out.append("_")
        out.append(part)
    return "".join(out)


def without_vendor(text: str) -> str | None:
    """The name without a leading maker's name, or None when it has none."""
    short = _VENDORS.sub("", text.strip())
    return short if short and short != text.strip() else None


def gigabytes(text: str | None) -> float | None:
    """GB out of a text that is nothing but a memory size ("80GB", "141 GB", "48"); anything else gives None."""
    match = _MEMORY.match(text or "")
    return float(match[1]) if match else None
