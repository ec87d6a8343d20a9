"""`rationale.md`: for every grade, in plain words, what decided its level, what moved it and what did not count."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from gpurent.core.numbers import round_half_even
from gpurent.publish.canonical import records
from gpurent.publish.levels import lacks, same_sellers
from gpurent.publish.tables import EditionTables
from gpurent.publish.words import (
    codes,
    counted,
    in_words,
    joined,
    rules_in_words,
    sentence,
    voice_number,
    why_withheld,
)
from index.parameters import Methodology

Row = Mapping[str, Any]

_MARKDOWN = re.compile(r"([\\`*_\[\]<>|#])")
_NAMES_SHOWN = 6


def rationale_markdown(tables: EditionTables, header: Mapping[str, Any], method: Methodology) -> str:
    """The page as Markdown, one section a grade with a value, the withheld ones by reason.

    `method` is the methodology the day was computed by; a level's minimums are named from it.
    """
    prices = records(tables.prices)
    voices = _by_grade(records(tables.tables["voices"]))
    refused = _by_grade(records(tables.tables["exclusions"]))
    grades = [
        _grade(price, voices.get(price["grade_id"], []), refused.get(price["grade_id"], []), method)
        for price in prices
    ]
    has_value = [grade for grade in grades if grade["price"]["status"] != "withheld"]
    owners = (row["owner_group"] for rows in (*voices.values(), *refused.values()) for row in rows)
    numbered = any(voice_number(owner) for owner in owners)
    return _template().render(
        header=header, grades=grades, published=has_value, withheld=_withheld(prices), has_numbered=numbered
    )


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("gpurent.publish"),
        undefined=StrictUndefined,
        autoescape=False,  # Markdown: `cell` escapes what comes from outside
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "words": lambda code, kind: in_words(kind, code),
        "cell": escaped,
        "dash": lambda value: "-" if value is None else value,
        "share": share,
        "sentence": sentence,
    }
    return environment.get_template("rationale.md.j2")


def escaped(text: object) -> str:
    """Text from outside as one line of Markdown without markup."""
    return _MARKDOWN.sub(r"\\\1", " ".join(str(text).split()))


def share(value: Decimal | None) -> str:
    """A share as a percentage without decimals; a dash for none."""
    return "-" if value is None else f"{round_half_even(value * 100, 0)} %"


def percent(log: Decimal | None) -> str:
    """A change in logs as a signed percentage with two decimals; a dash for none."""
    if log is None:
        return "-"
    change = round_half_even(Decimal(repr(math.expm1(float(log)) * 100)), 2)
    return f"{change:+} %" if change else "0.00 %"


def _by_grade(rows: Iterable[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["grade_id"], []).append(row)
    return found


def _grade(price: Row, voices: list[Row], refused: list[Row], method: Methodology) -> dict[str, Any]:
    return {
        "price": price,
        "level_reason": _level_reason(price),
        "lacks": [f"{sentence(str(lack))}." for lack in lacks(price, method)],
        "move": _move(price),
        "flags": [sentence(in_words("flags", flag)) for flag in codes(price["flags"])],
        "exclusions": list(_exclusion_lines(refused)),
        "held": list(_state_lines(voices)),
    }


def _level_reason(price: Row) -> str:
    counts = f"{counted(price['owner_group_count'], 'owner group')} with a price that counts, "
    counts += f"{price['firm_count'] or 0} of them firm"
    if price["route_effective_n"] is not None:
        routes = round_half_even(price["route_effective_n"], 1)
        counts += f"; effective routes {routes}"
        if price["top_route_share"] is not None:
            counts += f", the largest with {share(price['top_route_share'])}"
    trades = counted(price["trade_count"], "trade") if price["trade_count"] else "no trades that count"
    return f"{in_words('levels', price['level'])}. There were {counts}; {trades}."


def _move(price: Row) -> str:
    if price["matched_change_log"] is None:
        return "there is no day before to compare with."
    matched = percent(price["matched_change_log"])
    text = f"same sellers changed by {matched} ({same_sellers(price)})"
    if price["catch_up_log"] is not None:
        text += f"; on unchanged prices tomorrow's reference would move by {percent(price['catch_up_log'])}"
    return f"{text}."


def _exclusion_lines(refused: list[Row]) -> Iterable[str]:
    """One line a leg and rule: how many records, and whose where that may be said."""
    groups: dict[tuple[str, str], Counter[str]] = {}
    for row in refused:
        groups.setdefault((row["leg"], row["reason_code"]), Counter())[row["owner_group"]] += 1
    for (leg, code), owners in sorted(groups.items()):
        total = sum(owners.values())
        noun = "offer" if leg == "advertised" else "trade"
        named = sorted(owner for owner in owners if owner)
        whose = f" of {_names(named)}" if named else ""
        yield f"{counted(total, noun)}{whose}: {rules_in_words(code)} (`{code}`)."


def _state_lines(voices: list[Row]) -> Iterable[str]:
    for state, verb in (
        ("held", "stands at its last accepted price"),
        ("frozen", "stands at its median voice"),
    ):
        owners = sorted(row["owner_group"] for row in voices if row["state"] == state)
        if owners:
            yield f"{sentence(_names(owners))} {verb}."


def _withheld(prices: Sequence[Row]) -> list[dict[str, Any]]:
    """The withheld grades by reason, the most frequent reason first."""
    found: dict[str, list[str]] = {}
    for price in prices:
        if price["status"] == "withheld":
            found.setdefault(why_withheld(price), []).append(price["grade_code"] or price["grade_id"])
    ordered = sorted(found.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    return [{"why": why, "codes": sorted(names)} for why, names in ordered]


def _names(owners: list[str]) -> str:
    shown = [escaped(owner) for owner in owners[:_NAMES_SHOWN]]
    rest = len(owners) - len(shown)
    return joined([*shown, f"{rest} others"]) if rest else joined(shown)
