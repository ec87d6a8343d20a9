"""The table of a day's prices as people see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gpurent.cli.output import line, percent, table
from gpurent.publish.words import in_words, why_withheld

if TYPE_CHECKING:
    from rich.console import Console

Row = Mapping[str, Any]

COLUMNS = ("grade", "title", "level", "letter", "reference", "advertised", "traded", "weight")
NUMBERS = ("reference", "advertised", "traded", "weight")
CODES_SHOWN = 6


def show_prices(console: Console, prices: Sequence[Row]) -> None:
    """Grades with a value in a table, the withheld ones by reason below it."""
    valued = [price for price in prices if price["status"] != "withheld"]
    if valued:
        console.print(table(COLUMNS, [_row(price) for price in valued], numbers=NUMBERS))
        line(console, "USD per GPU-hour; weight is that of the traded leg", "dim")
    reasons: dict[str, list[str]] = {}
    for price in prices:
        if price["status"] == "withheld":
            reasons.setdefault(why_withheld(price), []).append(_code(price))
    for why, codes in sorted(reasons.items(), key=lambda pair: (len(pair[1]), pair[0])):
        rest = len(codes) - CODES_SHOWN
        shown = ", ".join(codes[:CODES_SHOWN]) + (f" and {rest} more" if rest > 0 else "")
        line(console, f"withheld, {why} ({len(codes)}): {shown}")


def _code(price: Row) -> str:
    return f"{price['code']}.{price['bucket']}"


def _row(price: Row) -> list[object]:
    return [
        _code(price),
        price["title"],
        f"{price['level']} {in_words('labels', price['label'])}",
        price["letter"],
        price["reference_usd_per_gpu_hour"],
        price["advertised_usd_per_gpu_hour"],
        price["traded_usd_per_gpu_hour"],
        percent(price["trade_weight"]),
    ]
