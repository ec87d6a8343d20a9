"""Showing outcomes: canonical JSON for machines, tables and cards for people."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from gpurent.core.numbers import round_half_even
from gpurent.publish.jsontext import json_bytes

PIPED_WIDTH = 200
GAP = 2
SAMPLE_LINE = "SAMPLE: made from the sample that comes with the program; not a market price, not for use"

Row = Mapping[str, Any]


def document_text(document: object) -> str:
    """A document as canonical JSON with a newline at its end."""
    return json_bytes(document).decode("utf-8")


class PipeConsole(Console):
    """A console that says so when its reader has gone, where Rich would end the process with 1."""

    def on_broken_pipe(self) -> None:
        """Leave it to `gpurent.cli.app.run`."""
        raise BrokenPipeError


def console() -> Console:
    """Standard output, as wide as the terminal it ends on, also through a pipe; wide where there is none."""
    return PipeConsole(file=sys.stdout, width=_width(), highlight=False, markup=False, emoji=False)


def _width() -> int:
    """Columns of the terminal: of COLUMNS, else of whichever standard stream is one."""
    stated = os.environ.get("COLUMNS", "")
    if stated.isdecimal() and int(stated) > 0:
        return int(stated)
    for stream in (sys.__stdout__, sys.__stderr__, sys.__stdin__):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            return os.get_terminal_size(stream.fileno()).columns  # type: ignore[union-attr]
    return PIPED_WIDTH


def dash(value: object) -> str:
    """The value, a number without an exponent, or a dash where there is none."""
    if value is None or value == "":
        return "-"
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def percent(share: Decimal | float | None, decimals: int = 0) -> str:
    """A share as per cent, whole unless `decimals` are asked for."""
    return "-" if share is None else f"{round_half_even(Decimal(str(share)) * 100, decimals)} %"


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, numbers: Iterable[str] = ()) -> Table:
    """A plain table; columns in `numbers` are aligned to the right. None is a dash."""
    right = set(numbers)
    made = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold", show_edge=False)
    for column in columns:
        made.add_column(column, justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        made.add_row(*(Text(dash(value)) for value in row))
    return made


def width_of(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> int:
    """How wide `table` would be without folding a cell."""
    widths = [len(column) for column in columns]
    for row in rows:
        widths = [
            max(width, *map(cell_len, dash(value).split("\n")))
            for width, value in zip(widths, row, strict=True)
        ]
    return sum(widths) + GAP * max(len(widths) - 1, 0)


def records(where: Console, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Each row as lines of its own, one a column: for rows that are wider than the terminal."""
    width = max(len(column) for column in columns)
    for number, row in enumerate(rows, start=1):
        line(where, f"row {number}", "bold")
        for column, value in zip(columns, row, strict=True):
            line(where, f"{column:<{width}}  {dash(value)}")
        line(where)


def card(lines: Iterable[tuple[str, object, str]]) -> Table:
    """Lines of (name, value, remark)."""
    made = Table.grid(padding=(0, 2, 0, 0))
    made.add_column()
    made.add_column(justify="right")
    made.add_column(style="dim", overflow="fold")
    for name, value, remark in lines:
        made.add_row(Text(name), Text(dash(value)), Text(remark))
    return made


def line(where: Console, text: str = "", style: str | None = None) -> None:
    """A line that is never broken, so that a path in it stays whole."""
    where.print(Text(text, style=style or ""), soft_wrap=True)


def short_path(path: object) -> str:
    """A path as it can be typed here: from the working folder where it lies below it, else absolute."""
    absolute = Path(str(path)).absolute()
    here = Path.cwd()
    return str(absolute.relative_to(here)) if absolute.is_relative_to(here) else str(absolute)


def sample_line(where: Console, *, is_sample: bool) -> None:
    """Say SAMPLE where it is one."""
    if is_sample:
        line(where, SAMPLE_LINE, "bold yellow")
