"""show, explain, sql: looking at prices, and at everything behind them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from gpurent.cli.context import Given, Output
from gpurent.cli.values import AsOf, Day

if TYPE_CHECKING:
    from rich.console import Console

_SHOW = """Examples:
  gpurent show H100-Y080-Y-YY-YY-OD-YY-J
  gpurent show h100-y080-y-yy-yy-od-yy-j.neo --day 2026-07-15
  gpurent show H100-Y080-Y-YY-YY-OD-YY-J --as-of 2026-07-20 --json"""
_EXPLAIN = """Examples:
  gpurent explain H100-Y080-Y-YY-YY-OD-YY-J --day 2026-07-15
  gpurent explain H100-Y080-Y-YY-YY-OD-YY-J --day 2026-07-15 --json"""
_SQL = """Examples:
  gpurent sql "SELECT day, count(*) FROM offers GROUP BY day ORDER BY day"
  gpurent sql "SELECT * FROM daily_reference LIMIT 10" --public"""

Public = Annotated[
    bool, Parameter(negative="", help="Read the public file, which no other process can hold.")
]


def register(app: App) -> None:
    """Add the commands to the app."""
    app.command(show, help_epilogue=_SHOW)
    app.command(explain, help_epilogue=_EXPLAIN)
    app.command(sql, help_epilogue=_SQL)


def show(
    grade: str,
    /,
    *,
    day: Day | None = None,
    as_of: AsOf | None = None,
    public: Public = False,
    context: Given,
) -> Output:
    """Show a grade's price of a day with both legs, or why there is none.

    Parameters
    ----------
    grade
        Code of the grade, with or without bucket (without: all operators); lower case will do.
    day
        The day; the newest one when left out.
    as_of
        What was known then: a time with its zone, or a date (its end).
    """
    from gpurent.cli.pricecard import show_card
    from gpurent.cli.reading import is_sample, open_for_reading
    from gpurent.publish.lookup import find_grade, find_price, find_price_before
    from grades.grade_code import parse_code

    code = parse_code(grade)
    with open_for_reading(context.settings, is_public=public) as warehouse:
        found = find_grade(warehouse, code)
        price = find_price(warehouse, found, day, as_of)
        before = find_price_before(warehouse, found, price["day"], as_of)
        notice = "SAMPLE" if is_sample(warehouse) else None
    return Output({**price, "notice": notice}, lambda console: show_card(console, price, before, notice))


def explain(grade: str, /, *, day: Day, as_of: AsOf | None = None, context: Given) -> Output:
    """Walk from a price to its voices, items, offers and trades, down to the file and offset that hold them.

    Parameters
    ----------
    grade
        Code of the grade, with or without bucket.
    day
        The day.
    as_of
        The vintage that was known then: a time with its zone, or a date (its end).
    """
    from gpurent.cli.explanation import show_explanation
    from gpurent.cli.reading import is_sample, open_for_reading
    from gpurent.publish.lineage import explain as explain_price
    from gpurent.publish.lookup import find_grade, find_price
    from grades.grade_code import parse_code

    code = parse_code(grade)
    with open_for_reading(context.settings, is_public=False) as warehouse:
        price = find_price(warehouse, find_grade(warehouse, code), day, as_of)
        document = explain_price(warehouse, price)
        document["notice"] = "SAMPLE" if is_sample(warehouse) else None
    return Output(document, lambda console: show_explanation(console, document))


def sql(query: str, /, *, public: Public = False, context: Given) -> Output:
    """Ask the warehouse a question in SQL; nothing can be changed, and no other file can be read.

    Parameters
    ----------
    query
        One statement.
    """
    import duckdb

    from gpurent.cli.reading import is_sample, open_for_reading
    from gpurent.core.errors import UsageError

    with open_for_reading(context.settings, is_public=public) as warehouse:
        warehouse.connection.execute("SET enable_external_access = false; SET lock_configuration = true")
        try:
            cursor = warehouse.connection.execute(query)
            names = _distinct([column[0] for column in cursor.description or []])
            rows = cursor.fetchall()
        except duckdb.Error as error:
            raise UsageError(f"{warehouse.layout.database}: {error}") from None
        notice = "SAMPLE" if is_sample(warehouse) else None
    document = {
        "columns": names,
        "rows": [{name: _plain(value) for name, value in zip(names, row, strict=True)} for row in rows],
        "notice": notice,
    }
    return Output(document, lambda console: _show_rows(console, names, rows, notice))


def _distinct(names: Iterable[str]) -> list[str]:
    """Column names made distinct: the second `a` is `a_1`."""
    found: list[str] = []
    for name in names:
        distinct, number = name, 0
        while distinct in found:
            number += 1
            distinct = f"{name}_{number}"
        found.append(distinct)
    return found


def _plain(value: object) -> object:
    """A value of DuckDB as JSON can say it: what has no form of its own becomes text."""
    match value:
        case float() if not math.isfinite(value):
            return str(value)
        case list() | tuple():
            return [_plain(one) for one in value]
        case dict():
            return {str(key): _plain(one) for key, one in value.items()}
        case bytes():
            return value.hex()
        case None | bool() | int() | float() | str() | Decimal():
            return value
    return value if hasattr(value, "isoformat") and hasattr(value, "year") else str(value)


def _show_rows(
    console: Console, names: Sequence[str], rows: Sequence[Sequence[object]], notice: str | None
) -> None:
    from gpurent.cli.output import line, sample_line, table

    sample_line(console, is_sample=notice is not None)
    if names:
        console.print(table(names, rows))
    line(console, f"{len(rows)} row{'s' * (len(rows) != 1)}", "dim")
