"""The table of a day's prices as people see it, within the width of the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from gpurent.cli.output import dash, line, percent
from gpurent.publish.words import in_words, why_withheld

if TYPE_CHECKING:
    from rich.console import Console

Row = Mapping[str, Any]

TITLE_WIDTH = 44
# from here on the title has a column of its own; below it stands under the code
WIDE, MEDIUM = 144, 100
_LEGS = ("reference", "advertised", "traded")
CODES_SHOWN = 6


def show_prices(console: Console, prices: Sequence[Row]) -> None:
    """Grades with a value in a table, the withheld ones by reason below it."""
    valued = [price for price in prices if price["status"] != "withheld"]
    if valued:
        console.print(_table(valued, console.width))
        line(console, "USD per GPU-hour; weight is that of the traded leg", "dim")
    reasons: dict[str, list[str]] = {}
    for price in prices:
        if price["status"] == "withheld":
            reasons.setdefault(why_withheld(price), []).append(_code(price))
    for why, codes in sorted(reasons.items(), key=lambda pair: (len(pair[1]), pair[0])):
        rest = len(codes) - CODES_SHOWN
        shown = ", ".join(codes[:CODES_SHOWN]) + (f" and {rest} more" if rest > 0 else "")
        console.print(Text(f"withheld, {why} ({len(codes)}): {shown}"))


def _table(prices: Sequence[Row], width: int) -> Table:
    """The table that fits: with the title beside the code, below it, or with level and letter in one column too."""
    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", show_edge=False)
    made.add_column("grade", overflow="fold")
    if width >= WIDE:
        made.add_column("title", overflow="fold", max_width=TITLE_WIDTH)
    made.add_column("level", no_wrap=True)
    if width >= MEDIUM:
        made.add_column("letter", no_wrap=True)
    for name in (*_LEGS, "weight"):
        made.add_column(name, justify="right", no_wrap=True)
    for price in prices:
        made.add_row(*_cells(price, width))
    return made


def _cells(price: Row, width: int) -> list[Text]:
    code, title, letter = _code(price), str(price["title"]), dash(price["letter"])
    level = f"{price['level']} {in_words('labels', price['label'])}"
    if width >= WIDE:
        head = [Text(code), Text(title), Text(level), Text(letter)]
    else:
        both = Text(code).append(f"\n{title}", style="dim")
        head = (
            [both, Text(level), Text(letter)]
            if width >= MEDIUM
            else [both, Text(f"{price['level']} {letter}")]
        )
    usd = [Text(dash(price[f"{leg}_usd_per_gpu_hour"])) for leg in _LEGS]
    return [*head, *usd, Text(percent(price["trade_weight"]))]


def _code(price: Row) -> str:
    return f"{price['code']}.{price['bucket']}"
