"""The one spelling of a published table as CSV and Parquet: same rows, same bytes.

A published table is an Arrow table whose decimals are already rounded. CSV follows RFC 4180 (CRLF, quotes only
where needed, UTF-8 without mark, an empty cell for a missing value). Text that a spreadsheet would run as a
formula gets a leading apostrophe in CSV; JSON (`jsontext`) and Parquet hold it as it is.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Collection, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from gpurent.core.clock import iso_utc
from gpurent.core.ids import sha256_hex

# when a row was recorded, not what it says: two computations of the same content differ in it
RECORDED = frozenset({"known_at"})
# what a vintage is called, when it came out and which registers were read: the same content may come with others
VINTAGE = frozenset({"known_at", "published_at", "vintage", "register_version"})

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def harmless(text: str) -> str:
    """The text, with an apostrophe before it where a spreadsheet would take it for a formula."""
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


def _cell(value: object) -> str:
    match value:
        case None:
            text = ""
        case bool():
            text = "true" if value else "false"
        case str():
            text = harmless(value)
        case Decimal():
            text = format(value, "f")
        case datetime():
            text = iso_utc(value)
        case date():
            text = value.isoformat()
        case _:
            text = str(value)
    return text


def csv_bytes(table: pa.Table, *, without: Collection[str] = ()) -> bytes:
    """The table as CSV, its columns in order, less those in `without`. An empty table is its header."""
    names = [name for name in table.column_names if name not in without]
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow(names)
    columns = [table.column(name).to_pylist() for name in names]
    writer.writerows([_cell(value) for value in row] for row in zip(*columns, strict=True))
    return stream.getvalue().encode("utf-8")


def content_sha256(table: pa.Table, *, without: Collection[str] = RECORDED) -> str:
    """SHA-256 of the table's CSV without the columns that say when it was recorded."""
    return sha256_hex(csv_bytes(table, without=without))


def parquet_bytes(table: pa.Table, facts: Mapping[str, str]) -> bytes:
    """The table as Parquet with `facts` as key-value metadata; fixed options, no creation time."""
    described = table.replace_schema_metadata({key: facts[key] for key in sorted(facts)})
    sink = pa.BufferOutputStream()
    pq.write_table(
        described,
        sink,
        version="2.6",
        compression="zstd",
        compression_level=9,
        use_dictionary=True,
        write_statistics=True,
        data_page_version="1.0",
        row_group_size=100_000,
        store_schema=True,
    )
    return bytes(sink.getvalue().to_pybytes())


def records(table: pa.Table, spell: Callable[[object], object] = lambda value: value) -> list[dict[str, Any]]:
    """The rows as dictionaries in column order."""
    return [{name: spell(value) for name, value in row.items()} for row in table.to_pylist()]
