"""Checks of the data: each `.sql` file here returns the bad rows, so an empty answer is a good one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from warehouse.sql_files import header, run_sql_dicts
from warehouse.store import Warehouse, sql_text

_PACKAGE = "warehouse.checks"
_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Finding:
    """A check that found bad rows: what it is about, how many, and the first of them in the check's order."""

    check: str
    bad_row: str
    clause: str
    count: int
    rows: tuple[dict[str, Any], ...]

    def __str__(self) -> str:
        first = ", ".join(f"{name}={value}" for name, value in self.rows[0].items())
        return f"{self.check}: {self.count} bad rows ({self.bad_row}); the first: {first}"


@cache
def names() -> tuple[str, ...]:
    """The checks, in the order they run."""
    found = (entry.name.removesuffix(".sql") for entry in files("warehouse").joinpath("checks").iterdir())
    return tuple(sorted(name for name in found if name[0].isdigit()))


def run(warehouse: Warehouse) -> list[Finding]:
    """Run every check; what is well gives an empty list."""
    return [finding for name in names() if (finding := run_one(warehouse, name)) is not None]


def run_one(warehouse: Warehouse, name: str) -> Finding | None:
    """Run one check; None when it finds nothing."""
    rows = run_sql_dicts(warehouse, _PACKAGE, name)
    if not rows:
        return None
    words = header(sql_text(_PACKAGE, name))
    grain = words.get("grain", "").rstrip(".")
    return Finding(name, grain, words.get("clause", ""), len(rows), tuple(rows[:_SHOWN]))
