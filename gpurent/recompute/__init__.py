"""The reference price a second time: plain Python from stored facts, sharing no code with the index.

Written from the specification of the number and from docs/rulings.md alone; slow and simple on purpose. It decides
whether a held value is released, and a test compares it with the index on every day of the sample.

- `recompute(warehouse, first_day, last_day)`: every grade's day, from the beginning of the facts on.
- `compare(warehouse, first_day, last_day)`: where it differs from the stored reference prices.
- `one_day(warehouse, day, grade_ids)`: single grades of a day.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import duckdb

from gpurent.recompute.run import run
from gpurent.recompute.state import Values

__all__ = ["Difference", "Values", "compare", "one_day", "recompute"]

Warehouse = Path | str | duckdb.DuckDBPyConnection
_STORED = """
    SELECT grade_id, status, level, basis, reason_code, reference_log::DOUBLE, cross_section_log::DOUBLE,
           matched_change_log::DOUBLE, advertised_log::DOUBLE, traded_log::DOUBLE, trade_weight::DOUBLE,
           discount_log::DOUBLE, index_log::DOUBLE
    FROM reference_prices WHERE day = $day ORDER BY known_at, vintage
"""
_LOGS = (
    "reference_log",
    "cross_section_log",
    "matched_change_log",
    "advertised_log",
    "traded_log",
    "trade_weight",
    "discount_log",
    "index_log",
)
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Difference:
    """A value that the index stored and this computation does not confirm."""

    day: date
    grade_id: str
    column: str
    stored: float | str | None
    computed: float | str | None


def recompute(warehouse: Warehouse, first_day: date, last_day: date) -> dict[date, dict[str, Values]]:
    """Day → grade → values. Days before `first_day` are computed too, since each starts from the day before."""
    with _Opened(warehouse) as connection:
        found = run(connection, last_day)
    return {day: values for day, values in found.items() if first_day <= day <= last_day}


def one_day(warehouse: Warehouse, day: date, grade_ids: Sequence[str]) -> dict[str, Values]:
    """The values of single grades on a day, whether what is stored of it is held or not."""
    with _Opened(warehouse) as connection:
        found = run(connection, day, judging=day)[day]
    return {name: values for name, values in found.items() if name in grade_ids}


def compare(warehouse: Warehouse, first_day: date, last_day: date) -> list[Difference]:
    """Every stored value of the newest vintage that differs by more than 1e-9, in order of day and grade.

    Compared are status and level, and of published values the reference, what it is made of, the index and the
    basis; of withheld ones the reason. Held values are passed over: nothing is printed for them.
    """
    found: list[Difference] = []
    with _Opened(warehouse) as connection:
        computed = run(connection, last_day)
        for day, values in sorted(computed.items()):
            if not first_day <= day <= last_day:
                continue
            newest = {row[0]: row for row in connection.execute(_STORED, {"day": day}).fetchall()}
            for name, row in sorted(newest.items()):
                if row[1] != "held":
                    found += _differences(day, row, values.get(name))
    return found


def _differences(day: date, row: tuple[object, ...], mine: Values | None) -> list[Difference]:
    name, status, level, basis, reason, *numbers = row
    if mine is None or (status, level) != (mine.status, mine.level):
        computed = None if mine is None else f"{mine.status} {mine.level}"
        return [Difference(day, str(name), "status and level", f"{status} {level}", computed)]
    if status != "published":
        is_same = reason in {mine.reason_code, "unconfirmed"}
        return [] if is_same else [Difference(day, str(name), "reason_code", _text(reason), mine.reason_code)]
    found = [] if basis == mine.basis else [Difference(day, str(name), "basis", str(basis), mine.basis)]
    for column, stored in zip(_LOGS, numbers, strict=True):
        computed = getattr(mine, column)
        if not _agree(stored, computed):
            found.append(Difference(day, str(name), column, _number(stored), computed))
    return found


def _agree(stored: object, computed: float | None) -> bool:
    if not isinstance(stored, float) or computed is None:
        return stored is None and computed is None
    return abs(computed - stored) <= TOLERANCE


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _number(value: object) -> float | None:
    return value if isinstance(value, float) else None


class _Opened:
    """A connection to the warehouse: the one that was given, or one of our own that is closed again."""

    def __init__(self, warehouse: Warehouse) -> None:
        self._is_ours = not isinstance(warehouse, duckdb.DuckDBPyConnection)
        self._connection = (
            warehouse
            if isinstance(warehouse, duckdb.DuckDBPyConnection)
            else duckdb.connect(str(warehouse), read_only=True)
        )

    def __enter__(self) -> duckdb.DuckDBPyConnection:
        return self._connection

    def __exit__(self, *_: object) -> None:
        if self._is_ours:
            self._connection.close()
