"""The dictionary: what every column means, in which unit, with how many decimals, and who may see it.

It is data (`dictionary.toml`). The comments in the database, `docs/dictionary.md`, the public file and the
rounding of published values all read it, so they cannot disagree.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import duckdb
from pydantic import BaseModel, ConfigDict

from gpurent.core.errors import ConfigError, NotFoundError

_COLUMNS = """
SELECT table_name, column_name
FROM duckdb_columns()
WHERE NOT internal
ORDER BY table_name, column_index
"""

_VIEWS = """
SELECT view_name
FROM duckdb_views()
WHERE NOT internal
ORDER BY view_name
"""

Kind = Literal["id", "code", "text", "flag", "time", "count", "quantity"]


class ColumnEntry(BaseModel):
    """A column as described. `unit` is empty for everything but quantities."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Kind
    says: str
    unit: str = ""
    decimals: int | None = None


class TableEntry(BaseModel):
    """A table as described; `columns` holds its own columns, `shared` names those described once for all."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    layer: str
    grain: str
    public: bool
    shared: tuple[str, ...]
    private: tuple[str, ...] = ()
    columns: dict[str, ColumnEntry]


class ViewEntry(BaseModel):
    """A view of the public file: its own columns, and the tables (`of`) whose columns it hands on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    grain: str
    of: tuple[str, ...]
    columns: dict[str, ColumnEntry]


@dataclass(frozen=True, slots=True)
class Dictionary:
    """All tables, each with all its columns, and the views of the public file."""

    tables: dict[str, TableEntry]
    views: dict[str, ViewEntry]

    def table(self, name: str) -> TableEntry:
        """The entry of a table; NotFoundError when it has none."""
        try:
            return self.tables[name]
        except KeyError:
            raise NotFoundError(f"the dictionary has no table {name!r}") from None

    def column(self, table: str, column: str) -> ColumnEntry:
        """The entry of a column; NotFoundError when it has none."""
        try:
            return self.table(table).columns[column]
        except KeyError:
            raise NotFoundError(f"the dictionary has no column {table}.{column}") from None


@cache
def dictionary() -> Dictionary:
    """The packaged dictionary. Raises ConfigError when it contradicts itself."""
    with files("warehouse").joinpath("dictionary.toml").open("rb") as stream:
        return _read(tomllib.load(stream))


def decimals(table: str, column: str) -> int | None:
    """Decimals a published value of the column is rounded to; None where there is nothing to round."""
    return dictionary().column(table, column).decimals


def public_tables() -> list[str]:
    """Tables with rows that may be shown, by name."""
    return sorted(name for name, table in dictionary().tables.items() if table.public)


def public_columns(table: str) -> list[str]:
    """Columns of a table that may be shown, in the dictionary's order; empty for a private table."""
    entry = dictionary().table(table)
    return [name for name in entry.columns if entry.public and name not in entry.private]


def apply_comments(connection: duckdb.DuckDBPyConnection) -> None:
    """Write the dictionary into the database, as comments on the tables, columns and views it has.

    Call it inside a transaction: hundreds of comments with a commit each take longer than all the data.
    """
    statements = []
    for table, column in _present(connection):
        if column is None:
            statements.append(_comment("TABLE", _quoted(table), table_comment(table)))
        else:
            name = f"{_quoted(table)}.{_quoted(column)}"
            statements.append(_comment("COLUMN", name, column_comment(table, column)))
    columns = connection.execute(_COLUMNS).fetchall()
    for (view,) in connection.execute(_VIEWS).fetchall():
        if view in dictionary().views:
            statements.append(_comment("VIEW", _quoted(view), table_comment(view)))
            statements += [
                _comment(
                    "COLUMN", f"{_quoted(view)}.{_quoted(column)}", _entry_comment(view_column(view, column))
                )
                for name, column in columns
                if name == view
            ]
    connection.execute(";\n".join(statements))


def table_comment(table: str) -> str:
    """A table, or a view of the public file, in a sentence."""
    entry = dictionary().views.get(table) or dictionary().table(table)
    return f"One row is {entry.grain}."


def column_comment(table: str, column: str) -> str:
    """A column in a sentence, with its unit."""
    return _entry_comment(dictionary().column(table, column))


def view_column(view: str, column: str) -> ColumnEntry:
    """The entry of a view's column: its own, else that of the first table of the view that has it."""
    entry = dictionary().views[view]
    if column in entry.columns:
        return entry.columns[column]
    for table in entry.of:
        if column in dictionary().table(table).columns:
            return dictionary().column(table, column)
    raise NotFoundError(f"the dictionary has no column {view}.{column}")


def _entry_comment(entry: ColumnEntry) -> str:
    unit = f" [{entry.unit}]" if entry.unit else ""
    return f"{entry.says}{unit}"


def _read(data: dict[str, Any]) -> Dictionary:
    shared = {name: ColumnEntry.model_validate(entry) for name, entry in data["shared"].items()}
    tables = {}
    for name, raw in data["tables"].items():
        own = TableEntry.model_validate(raw)
        unknown = set(own.shared) - shared.keys() | set(own.private) - {*own.columns, *own.shared}
        twice = own.columns.keys() & set(own.shared)
        if unknown or twice:
            wrong = ", ".join(sorted(unknown | twice))
            raise ConfigError(
                f"warehouse/dictionary.toml: table {name}: {wrong} is unknown or described twice"
            )
        columns = {column: shared[column] for column in own.shared} | own.columns
        tables[name] = own.model_copy(update={"columns": columns})
    views = {name: ViewEntry.model_validate(entry) for name, entry in data["views"].items()}
    return Dictionary(tables, views)


def _present(connection: duckdb.DuckDBPyConnection) -> Iterator[tuple[str, str | None]]:
    """What of the dictionary the database has: each table, then its columns."""
    rows = connection.execute(_COLUMNS).fetchall()
    described = dictionary().tables
    for table in sorted({table for table, _ in rows} & described.keys()):
        yield table, None
        for name, column in rows:
            if name == table and column in described[table].columns:
                yield table, column


def _comment(what: str, name: str, text: str) -> str:
    """COMMENT takes no bound parameters, so the packaged text is quoted here."""
    literal = "'" + text.replace("'", "''") + "'"
    return " ".join(("COMMENT ON", what, name, "IS", literal))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
