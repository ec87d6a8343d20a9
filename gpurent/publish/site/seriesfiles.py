"""A grade's series as files: CSV, Parquet, and JSON by columns."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pyarrow as pa

from gpurent.publish.canonical import csv_bytes, parquet_bytes
from gpurent.publish.jsontext import json_value
from warehouse.dictionary import dictionary

# what people take home; the edition and the public file hold every column
COLUMNS = (
    "day", "grade_code", "vintage", "construction", "status", "reason_code", "level", "label", "letter", "basis",
    "flags", "settlement_eligible", "reference_usd_per_gpu_hour", "reference_log", "cross_section_usd_per_gpu_hour",
    "cross_section_log", "advertised_usd_per_gpu_hour", "traded_usd_per_gpu_hour", "trade_weight", "discount_log",
    "index_value", "matched_change_log", "catch_up_log", "level_ci_low", "level_ci_high", "change_20d_log",
    "change_20d_half_width", "max_leave_one_out", "owner_group_count", "firm_count", "offer_count", "trade_count",
    "gpu_hours", "methodology_version", "published_at", "notice",
)  # fmt: skip
ALL_SERIES = (
    "day", "grade_code", "grade_title", "vintage", "status", "reason_code", "level", "label", "letter",
    "reference_usd_per_gpu_hour", "cross_section_usd_per_gpu_hour", "advertised_usd_per_gpu_hour",
    "traded_usd_per_gpu_hour", "trade_weight", "index_value", "owner_group_count", "trade_count", "notice",
)  # fmt: skip


def series_files(table: pa.Table) -> Iterator[tuple[str, bytes]]:
    """Suffix and bytes of the files of one grade's rows; the same rows give the same bytes."""
    chosen = table.select(list(COLUMNS))
    yield "csv", csv_bytes(chosen)
    yield "json", json_columns(chosen)
    yield "parquet", parquet_bytes(chosen, facts(chosen))


def json_columns(table: pa.Table) -> bytes:
    """The table as one JSON object of columns, each a list in the order of days: what a data frame is made from."""
    text = json.dumps(
        table.to_pydict(), ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=json_value
    )
    return text.encode("utf-8") + b"\n"


def facts(table: pa.Table) -> dict[str, str]:
    """Parquet metadata: unit and meaning of each column the dictionary knows."""
    described = dictionary().table("reference_prices").columns
    meanings = {
        name: {"unit": described[name].unit, "meaning": described[name].says}
        for name in table.column_names
        if name in described
    }
    return {"gpurent.table": "reference_prices", "gpurent.columns": json.dumps(meanings, sort_keys=True)}
