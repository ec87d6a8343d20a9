"""Rows for tests: what a test says nothing about gets a neutral value of the column's type."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pyarrow as pa

from warehouse import Warehouse

NOW = datetime(2026, 7, 15, 9, 0, tzinfo=UTC)
DAY = date(2026, 7, 15)


def fill(warehouse: Warehouse, table: str, *rows: dict[str, object]) -> None:
    """Append rows, each completed with neutral values where the column may not be null."""
    required = {
        name
        for (name,) in warehouse.rows(
            "SELECT column_name FROM duckdb_columns() WHERE table_name = $1 AND NOT is_nullable", [table]
        )
    }
    neutral = {field.name: _neutral(field) for field in warehouse.schema(table) if field.name in required}
    warehouse.append(table, [{**neutral, **row} for row in rows])


def _neutral(field: pa.Field) -> object:
    kind = field.type
    if pa.types.is_timestamp(kind):
        return NOW
    if pa.types.is_date(kind):
        return DAY
    if pa.types.is_decimal(kind):
        return Decimal(1)
    if pa.types.is_boolean(kind):
        return False
    if pa.types.is_integer(kind):
        return 1
    return "x"
