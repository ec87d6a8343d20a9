"""sql: any question to the warehouse or the public file."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from cyclopts import App

from gpurent.cli.context import Given, Output
from gpurent.cli.values import Public

if TYPE_CHECKING:
    import duckdb
    from rich.console import Console

_SQL = """Examples:
  gpurent sql "SELECT snapshot_day, count(*) FROM offers GROUP BY ALL ORDER BY ALL"
  gpurent sql "FROM reference_prices WHERE status = 'published' ORDER BY day DESC LIMIT 1"
  gpurent sql "SELECT day, grade_code, reference_usd_per_gpu_hour FROM daily_reference" --public
  gpurent sql "SELECT comment FROM duckdb_columns() WHERE column_name = 'effective_n'"
"""


def register(app: App) -> None:
    """Add the command to the app."""
    app.command(sql, help_epilogue=_SQL.rstrip())


def sql(query: str, /, *, public: Public = False, context: Given) -> Output:
    """Ask the warehouse a question in SQL; nothing can be changed, and no other file can be read.

    Parameters
    ----------
    query
        One statement. `--public` has two views more: daily_reference and legs.
    """
    import duckdb

    from gpurent.cli.reading import is_sample, open_for_reading
    from gpurent.core.errors import UsageError

    with open_for_reading(context.settings, is_public=public) as warehouse:
        warehouse.connection.execute("SET enable_external_access = false; SET lock_configuration = true")
        try:
            _check_single(warehouse.connection, query)
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


def _check_single(connection: duckdb.DuckDBPyConnection, query: str) -> None:
    """Refuse a text of no or several statements: only the last one's rows would be seen."""
    from gpurent.core.errors import UsageError

    count = len(connection.extract_statements(query))
    if count != 1:
        said = f"{count} statements" if count else "no statement"
        raise UsageError(f"one statement at a time: this text has {said}; call `gpurent sql` once for each")


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
        case list() | tuple():
            return [_plain(one) for one in value]
        case dict():
            return {str(key): _plain(one) for key, one in value.items()}
        case bytes():
            return value.hex()
        case datetime() if value.tzinfo is None:
            return value.isoformat()  # a zone is never guessed
        case None | bool() | int() | str() | Decimal():
            return value
    is_plain = math.isfinite(value) if isinstance(value, float) else isinstance(value, date)
    return value if is_plain else str(value)


def _show_rows(
    console: Console, names: Sequence[str], rows: Sequence[Sequence[object]], notice: str | None
) -> None:
    from gpurent.cli.output import line, records, sample_line, table, width_of
    from gpurent.publish.words import counted

    sample_line(console, is_sample=notice is not None)
    if names and rows and width_of(names, rows) > console.width:
        records(console, names, rows)
    elif names:
        console.print(table(names, rows))
    line(console, counted(len(rows), "row"), "dim")
