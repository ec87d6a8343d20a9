"""The public file: `public.duckdb`, what strangers, the API and the site read.

Tables that the dictionary calls public, reduced to their public columns and to the rows that may be shown
(`sql/public_views.sql` says which). It is built aside and put in place by a rename, so it can be opened at any
moment, and it has storage version v1.0.0, so the previous DuckDB major opens it too.
"""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa

from gpurent.core.files import replacing
from gpurent.core.stages import reach
from warehouse.dictionary import apply_comments, public_columns, public_tables
from warehouse.sql_files import run_sql
from warehouse.store import Warehouse, connect, sql_text

# every row of these may be shown; of all other public tables only what the view `public_<table>` holds
_WHOLE = frozenset(
    {
        "availability",
        "composites",
        "differentials",
        "editions",
        "fx_rates",
        "grade_specs",
        "grades",
        "operator_evidence",
        "operator_tiers",
        "operators",
        "settlements",
        "sources",
        "spec_accepts",
        "term_curves",
        "warehouse_facts",
    }
)


def prepare_public_views(warehouse: Warehouse) -> None:
    """Create the temporary views `public_<table>`: what may be shown, decided once for every output."""
    run_sql(warehouse, "warehouse.sql", "public_views")


def write_public(warehouse: Warehouse) -> Path:
    """Build the public file from a warehouse and replace the one that is there. Returns its path.

    The same warehouse gives the same tables, row by row in the same order.
    """
    prepare_public_views(warehouse)
    target = warehouse.layout.public_database
    with replacing(target) as aside:
        connection = connect(aside)
        try:
            connection.execute("BEGIN")
            for table in public_tables():
                connection.from_arrow(_shown(warehouse, table)).create(table)
            connection.execute(sql_text("warehouse.schema", "006_as_of"))
            connection.execute(sql_text("warehouse.sql", "public_file_views"))
            apply_comments(connection)
            connection.execute("COMMIT")
        finally:
            connection.close()
        reach("warehouse.public.built")
    reach("warehouse.public.replaced")
    return target


def _shown(warehouse: Warehouse, table: str) -> pa.Table:
    """The rows and columns of a table that may be shown, columns as in the schema, rows totally ordered."""
    public = frozenset(public_columns(table))
    columns = [duckdb.ColumnExpression(name) for name in warehouse.schema(table).names if name in public]
    rows = warehouse.connection.view(table if table in _WHOLE else f"public_{table}")
    return rows.select(*columns).sort(*columns).to_arrow_table()
