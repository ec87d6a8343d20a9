"""Running the project's `.sql` files: several statements, bound `$name` parameters, a header that explains.

A file opens with comment lines `-- Grain: …`, `-- Unit: …`, `-- Inputs: …`, `-- Clause: …` (a line without
a key continues the one before). Statements run in order; each gets the parameters it names and no others, so
one set of parameters serves a whole folder. What comes back is the result of the last statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import duckdb
import pyarrow as pa

from warehouse.store import Warehouse, sql_text

HEADER_KEYS = ("grain", "unit", "inputs", "clause")

_KEYED = re.compile(rf"^--\s*({'|'.join(HEADER_KEYS)})\s*:\s*(.*)$", re.IGNORECASE)

Parameters = Mapping[str, object]


def header(text: str) -> dict[str, str]:
    """The header of a file's text, keys in lower case; keys that are not there are left out."""
    found: dict[str, str] = {}
    key = ""
    for line in text.splitlines():
        if not line.startswith("--"):
            break
        keyed = _KEYED.match(line)
        if keyed:
            key = keyed[1].lower()
            found[key] = keyed[2].strip()
        elif key:
            found[key] = f"{found[key]} {line.removeprefix('--').strip()}".strip()
    return found


def run_sql(
    warehouse: Warehouse, package: str, name: str, parameters: Parameters | None = None
) -> list[tuple[Any, ...]]:
    """Run `<package>/<name>.sql`, e.g. `run_sql(warehouse, "index.sql", "30_items", {"day": day})`.

    Returns the rows of the last statement, as DuckDB gives them (for one that only creates or inserts: a
    count or nothing). Raises KeyError for a parameter that a statement names and `parameters` lacks; errors
    of DuckDB carry a note with the file and statement.
    """
    return _File(warehouse, package, name, parameters or {}).run().fetchall()


def run_sql_dicts(
    warehouse: Warehouse, package: str, name: str, parameters: Parameters | None = None
) -> list[dict[str, Any]]:
    """The same, each row as a dictionary in column order."""
    cursor = _File(warehouse, package, name, parameters or {}).run()
    names = [column[0] for column in cursor.description or []]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def run_sql_arrow(
    warehouse: Warehouse, package: str, name: str, parameters: Parameters | None = None
) -> pa.Table:
    """The same as an Arrow table, for `Warehouse.append_arrow`; the last statement must be a query."""
    return _File(warehouse, package, name, parameters or {}).run_to_arrow()


@dataclass(frozen=True, slots=True)
class _File:
    """One run of one file."""

    warehouse: Warehouse
    package: str
    name: str
    parameters: Parameters

    def statements(self) -> list[duckdb.Statement]:
        return self.warehouse.connection.extract_statements(sql_text(self.package, self.name))

    def run(self) -> duckdb.DuckDBPyConnection:
        """Run all statements; the last one's result is open."""
        *setup, last = self.statements()
        self.run_setup(setup)
        return self.execute(last, len(setup) + 1)

    def run_to_arrow(self) -> pa.Table:
        *setup, query = self.statements()
        self.run_setup(setup)
        bound = self.bound(query)
        with self.noting(len(setup) + 1):
            return self.warehouse.connection.sql(query.query, params=bound or None).to_arrow_table()

    def run_setup(self, statements: list[duckdb.Statement]) -> None:
        for number, statement in enumerate(statements, start=1):
            self.execute(statement, number).fetchall()

    def execute(self, statement: duckdb.Statement, number: int) -> duckdb.DuckDBPyConnection:
        bound = self.bound(statement)
        with self.noting(number):
            return self.warehouse.connection.execute(statement, bound or None)

    def bound(self, statement: duckdb.Statement) -> dict[str, object]:
        missing = statement.named_parameters - self.parameters.keys()
        if missing:
            raise KeyError(f"{self.package}/{self.name}.sql needs ${', $'.join(sorted(missing))}")
        return {named: self.parameters[named] for named in sorted(statement.named_parameters)}

    @contextmanager
    def noting(self, number: int) -> Iterator[None]:
        """Errors of DuckDB inside say which file and statement."""
        try:
            yield
        except duckdb.Error as error:
            error.add_note(f"in {self.package}/{self.name}.sql, statement {number}")
            raise
