"""Comparing two warehouses row by row, whatever order their rows were written in."""

from __future__ import annotations

from pathlib import Path

import duckdb

# wall time lives in `runs`; when a schema file was applied is a fact about the machine's day
_OF_THE_MACHINE = {"runs", "schema_migrations"}


def _rows(connection: duckdb.DuckDBPyConnection, table: str) -> list[str]:
    return sorted(str(row) for row in connection.table(table).order("ALL").fetchall())


def differing_tables(one: Path, other: Path) -> list[str]:
    """Names of tables whose rows differ between two warehouses, with the first row that differs."""
    found: list[str] = []
    with (
        duckdb.connect(str(one), read_only=True) as left,
        duckdb.connect(str(other), read_only=True) as right,
    ):
        names = "SELECT table_name FROM duckdb_tables() WHERE NOT internal ORDER BY table_name"
        for (table,) in left.execute(names).fetchall():
            if table in _OF_THE_MACHINE:
                continue
            mine, theirs = _rows(left, table), _rows(right, table)
            if mine != theirs:
                first = next(
                    (m for m, t in zip(mine, theirs, strict=False) if m != t), "another number of rows"
                )
                found.append(f"{table} ({len(mine)} and {len(theirs)} rows): {first[:300]}")
    return found


def differing_rows(
    one: Path, other: Path, table: str, *, without: tuple[str, ...]
) -> list[tuple[object, object]]:
    """The first rows of a table that differ between two warehouses, leaving columns out."""
    found: list[list[str]] = []
    for path in (one, other):
        with duckdb.connect(str(path), read_only=True) as connection:
            relation = connection.table(table)
            kept = [duckdb.ColumnExpression(name) for name in relation.columns if name not in without]
            found.append(sorted(str(row) for row in relation.select(*kept).fetchall()))
    mine, theirs = found
    if len(mine) != len(theirs):
        return [(len(mine), len(theirs))]
    return [(m, t) for m, t in zip(mine, theirs, strict=True) if m != t][:3]
