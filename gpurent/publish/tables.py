"""The tables of an edition: read from the warehouse, reduced to what may be shown, rounded once.

Rows come from the views of `warehouse.public`, so what may be shown is decided in one place, for editions, the
site and the public file. Every number is rounded half-even to the dictionary's decimals here and nowhere later.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

import pyarrow as pa

from gpurent.core.errors import CheckFailedError
from gpurent.core.ids import sha256_hex
from gpurent.core.numbers import round_half_even
from gpurent.publish.canonical import VINTAGE, content_sha256, csv_bytes, parquet_bytes, records
from gpurent.publish.jsontext import json_bytes
from gpurent.publish.manifest import PublishedFile
from warehouse import Warehouse
from warehouse.dictionary import dictionary
from warehouse.public import prepare_public_views
from warehouse.sql_files import run_sql_arrow

PACKAGE = "gpurent.publish.sql"
ALWAYS = ("reference_prices", "voices", "contributions", "exclusions")
WHEN_FILLED = ("attributions",)

# what an edition's tables have beside the columns of the warehouse's
_ADDED = {
    "grade_code": "code of the grade with its bucket",
    "grade_title": "the grade in words",
    "notice": "SAMPLE in everything made from the sample, else empty",
}


@dataclass(frozen=True, slots=True)
class EditionTables:
    """The published tables of one day and vintage by name, and the hash of what they say.

    `content_sha256` leaves out the names of vintages and the times of recording, so that the same content
    published again has the same hash.
    """

    day: date
    vintage: str
    tables: Mapping[str, pa.Table]

    @property
    def prices(self) -> pa.Table:
        return self.tables["reference_prices"]

    @property
    def content_sha256(self) -> str:
        lines = [
            f"{name} {content_sha256(table, without=VINTAGE)}\n"
            for name, table in sorted(self.tables.items())
        ]
        return sha256_hex("".join(lines).encode())


def read_tables(warehouse: Warehouse, day: date, vintage: str, *, notice: str | None) -> EditionTables:
    """The tables of a day and vintage as published. Raises CheckFailedError when no price was computed for it."""
    prepare_public_views(warehouse)
    tables = {}
    for name in (*ALWAYS, *WHEN_FILLED):
        found = run_sql_arrow(warehouse, PACKAGE, f"edition_{name}", {"day": day, "vintage": vintage})
        if found.num_rows or name in ALWAYS:
            tables[name] = _with_notice(rounded(name, found), notice)
    if tables["reference_prices"].num_rows == 0:
        raise CheckFailedError(
            f"{warehouse.layout.database}: there are no reference prices of {day} in vintage {vintage}; "
            f"compute them first: gpurent index --from {day} --to {day}"
        )
    return EditionTables(day, vintage, tables)


def rounded(name: str, table: pa.Table) -> pa.Table:
    """Every decimal column rounded half-even to the decimals the dictionary gives it, once."""
    described = dictionary().table(name).columns
    for index, field in enumerate(table.schema):
        if not pa.types.is_decimal(field.type) or field.name not in described:
            continue
        decimals = described[field.name].decimals
        if decimals is None:
            continue
        values = [
            None if value is None else round_half_even(value, decimals) for value in _values(table, index)
        ]
        target = pa.decimal128(18 if decimals <= 18 else 38, decimals)
        table = table.set_column(index, field.name, pa.array(values, target))
    return table


def table_files(tables: EditionTables, *, notice: str | None) -> list[PublishedFile]:
    """CSV and Parquet of every table, and the prices as JSON as well."""
    files = []
    for name, table in tables.tables.items():
        content, rows = content_sha256(table), table.num_rows
        facts = _facts(name, table, tables, notice)
        files.append(PublishedFile(f"{name}.csv", csv_bytes(table), content, rows))
        files.append(PublishedFile(f"{name}.parquet", parquet_bytes(table, facts), content, rows))
    document = {
        "day": tables.day,
        "vintage": tables.vintage,
        "notice": notice,
        "reference_prices": records(tables.prices),
    }
    content = content_sha256(tables.prices)
    files.append(
        PublishedFile("reference_prices.json", json_bytes(document), content, tables.prices.num_rows)
    )
    return files


def _values(table: pa.Table, index: int) -> list[Decimal | None]:
    return list(table.column(index).to_pylist())


def _with_notice(table: pa.Table, notice: str | None) -> pa.Table:
    return table.append_column("notice", pa.array([notice] * table.num_rows, pa.string()))


def _facts(name: str, table: pa.Table, tables: EditionTables, notice: str | None) -> dict[str, str]:
    """Parquet metadata: what the table is, and unit and meaning of each column."""
    described = dictionary().table(name).columns
    meanings = {}
    for column in table.column_names:
        if column in described:
            meanings[column] = {"unit": described[column].unit, "meaning": described[column].says}
        else:
            meanings[column] = {"unit": "", "meaning": _ADDED[column]}
    return {
        "gpurent.table": name,
        "gpurent.day": tables.day.isoformat(),
        "gpurent.vintage": tables.vintage,
        "gpurent.notice": notice or "",
        "gpurent.columns": json_bytes(meanings).decode(),
    }
