"""Codes in words (`words.toml`), and the two columns that hold several codes: `flags` and `not_computed`."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Any

from grades.lexicon import lexicon
from grades.register_files import ANY

MANY_PLACES = 12
_NUMBERED = re.compile(r"^voice-(\d+)$")
_SHARE = re.compile(r"\b[01]\.\d{3}\b")


@cache
def _words() -> Mapping[str, Mapping[str, str]]:
    with files("gpurent.publish").joinpath("words.toml").open("rb") as stream:
        return tomllib.load(stream)


def all_words() -> Mapping[str, Mapping[str, str]]:
    """Kind → code → words."""
    return _words()


def in_words(kind: str, code: object) -> str:
    """A code of one kind (a table of `words.toml`) in words; unknown ones with spaces for underscores."""
    text = str(code)
    return _words()[kind].get(text, text.replace("_", " "))


def codes(text: str | None) -> list[str]:
    """Codes joined by commas, as a list; empty for nothing."""
    return [code for code in (text or "").split(",") if code]


def rules_in_words(text: str | None) -> str:
    """The rules of a voice or exclusion in words, joined by semicolons."""
    return "; ".join(in_words("rules", code) for code in codes(text))


def voice_number(owner_group: str | None) -> int | None:
    """The number of a voice that may not be named; None for an owner group's own name."""
    match = _NUMBERED.match(owner_group or "")
    return int(match[1]) if match else None


def missing_reasons(price: Mapping[str, Any]) -> dict[str, str]:
    """Column → why it is empty, for the empty columns of a row of `reference_prices` that say why.

    `not_computed` holds the reasons of the computation; a traded leg that may not be shown has its own.
    """
    stated: dict[str, str] = json.loads(price.get("not_computed") or "{}")
    reasons = {column: code for column, code in stated.items() if column in price and price[column] is None}
    if "trades_confidential" in codes(price.get("flags")):
        hidden = ("traded_usd_per_gpu_hour", "traded_log", "trade_weight", "trade_count", "gpu_hours")
        reasons |= {
            column: "trades_confidential" for column in hidden if column in price and price[column] is None
        }
    return dict(sorted(reasons.items()))


def why_withheld(price: Mapping[str, Any]) -> str:
    """Why a day has no value, in words."""
    return in_words("withheld", price.get("reason_code") or "no reason stated")


def tier_reason(reason: str) -> str:
    """Why a tier is what it is: the code in words, with the figures that stand behind it."""
    code, _, figures = reason.partition(": ")
    said = in_words("tier_reasons", code)
    return f"{said} ({_SHARE.sub(_as_percent, figures)})" if figures else said


def _as_percent(share: re.Match[str]) -> str:
    return f"{Decimal(share[0]) * 100:.0f} %"


def value_in_words(axis: str, value: str) -> str:
    """One value of an axis (chip, form_memory, lot, fabric, scope, term, place), in words."""
    table = lexicon()
    if value == ANY:
        return "anything, stated or not"
    if axis == "chip":
        return "chip not stated" if value == "ZZ" else value
    if axis == "form_memory":
        forms = {word.code: word.words for word in table.axes.form}
        size = "memory not stated" if value[1:] == "000" else f"{int(value[1:])} GB"
        return f"{forms.get(value[0], value[0])}, {size}"
    if axis == "place":
        named = {
            "YY": "any place",
            "ZZ": "place not stated",
            **{code: g[0] for code, g in table.groups.items()},
        }
        return named.get(value) or table.country_words.get(value, value)
    words: dict[str, str] = {word.code: word.words for word in getattr(table.axes, axis)}
    return words.get(value, value)


def values_in_words(axis: str, values: Sequence[str]) -> str:
    """What enters a specification on an axis, as one phrase; more than a dozen places are counted."""
    if axis == "place" and len(values) > MANY_PLACES:
        return f"{len(values)} countries"
    return "; ".join(value_in_words(axis, value) for value in values)


def counted(count: int | None, noun: str) -> str:
    """`1 trade`, `2 trades`; none is 0."""
    number = count or 0
    return f"{number} {noun}{'' if number == 1 else 's'}"


def sentence(text: str) -> str:
    """The text with a capital letter at its start."""
    return text[:1].upper() + text[1:]


def joined(parts: Iterable[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *head, last = list(parts) or [""]
    return f"{', '.join(head)} and {last}" if head else last
