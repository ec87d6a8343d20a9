"""The dictionary describes the schema: all of it, nothing else, in units that can be read by a machine."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pint
import pytest

from gpurent.core.errors import NotFoundError
from warehouse import Warehouse, open_warehouse
from warehouse.dictionary import (
    ColumnEntry,
    column_comment,
    decimals,
    dictionary,
    public_columns,
    public_tables,
)
from warehouse.dictionary_page import PAGE, page

COLUMNS = [
    (table, column, entry)
    for table, described in dictionary().tables.items()
    for column, entry in described.columns.items()
]


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warehouse]:
    with open_warehouse(tmp_path_factory.mktemp("w") / "w.duckdb") as opened:
        yield opened


@pytest.fixture(scope="module")
def types(warehouse: Warehouse) -> dict[tuple[str, str], str]:
    rows = warehouse.rows(
        "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal"
    )
    return {(table, column): data_type for table, column, data_type in rows}


@pytest.fixture(scope="module")
def units() -> pint.UnitRegistry:
    registry = pint.UnitRegistry()
    for definition in (
        "USD = [currency]",
        "stated_currency = nan USD",
        "gpu = [gpu]",
        "token = [token]",
    ):
        registry.define(definition)
    return registry


def test_every_column_is_described_and_every_described_column_exists(
    types: dict[tuple[str, str], str],
) -> None:
    described = {(table, column) for table, column, _ in COLUMNS}
    assert types.keys() - described == set(), "columns without a description in warehouse/dictionary.toml"
    assert described - types.keys() == set(), "described columns that the schema does not have"


def test_quantities_have_a_unit_that_parses_and_nothing_else_has_one(units: pint.UnitRegistry) -> None:
    for table, column, entry in COLUMNS:
        if entry.kind == "quantity":
            assert entry.unit, f"{table}.{column} is a quantity without a unit"
            units.parse_units(entry.unit)
        else:
            assert entry.unit == "", f"{table}.{column} is a {entry.kind} with a unit"


def test_money_per_gpu_hour_has_the_dimension_its_name_says(units: pint.UnitRegistry) -> None:
    expected = units.parse_units("USD / gpu / hour").dimensionality
    named = [
        (f"{table}.{column}", entry) for table, column, entry in COLUMNS if column.endswith("_per_gpu_hour")
    ]
    assert len(named) > 20
    for name, entry in named:
        assert units.parse_units(entry.unit).dimensionality == expected, name
    with pytest.raises(pint.UndefinedUnitError):
        units.parse_units("USD / gpu_hour")


def test_kinds_and_decimals_fit_the_types(types: dict[tuple[str, str], str]) -> None:
    fitting = {
        "id": r"VARCHAR",
        "code": r"VARCHAR|INTEGER",
        "text": r"VARCHAR",
        "flag": r"BOOLEAN",
        "time": r"DATE|TIMESTAMP WITH TIME ZONE",
        "count": r"INTEGER|BIGINT",
        "quantity": r"DECIMAL\(\d+,\d+\)|DOUBLE|INTEGER|BIGINT",
    }
    for table, column, entry in COLUMNS:
        data_type = types[table, column]
        if (table, column) == ("reference_prices", "level"):
            assert data_type == "INTEGER"
        assert re.fullmatch(fitting[entry.kind], data_type), f"{table}.{column} is {entry.kind}, {data_type}"
        scale = re.fullmatch(r"DECIMAL\(\d+,(\d+)\)", data_type)
        if scale:
            assert entry.decimals is not None, f"{table}.{column} needs decimals"
            assert entry.decimals <= int(scale[1]), f"{table}.{column} cannot hold its decimals"


def test_flags_and_times_are_named_as_what_they_are() -> None:
    for table, column, entry in COLUMNS:
        if column.startswith("is_"):
            assert entry.kind == "flag", f"{table}.{column}"
        if column.endswith("_at") or column.endswith("_on"):
            assert entry.kind == "time", f"{table}.{column}"


def test_every_sentence_is_a_sentence() -> None:
    for table, column, entry in COLUMNS:
        assert entry.says.endswith("."), f"{table}.{column}: {entry.says}"
    for name, table_entry in dictionary().tables.items():
        assert not table_entry.grain.endswith("."), name


def test_published_decimals_are_those_of_the_specification() -> None:
    assert decimals("reference_prices", "reference_usd_per_gpu_hour") == 4
    assert decimals("reference_prices", "index_value") == 4
    assert decimals("reference_prices", "reference_log") == 12
    assert decimals("attributions", "carry_over") == 12
    assert decimals("reference_prices", "grade_id") is None
    with pytest.raises(NotFoundError, match=r"reference_prices\.price"):
        decimals("reference_prices", "price")


def test_what_must_stay_private_is_private() -> None:
    private = {
        "stated_trades", "trades", "graded_trades", "series_states", "contributors", "runs", "differential_pairs",
        "snapshots", "normalisations", "lake_files", "schema_migrations",
    }  # fmt: skip
    assert private.isdisjoint(public_tables())
    for table in private:
        assert public_columns(table) == []
    for column in (
        "archive_file",
        "archive_offset",
        "record_file",
        "record_offset",
        "request_json",
        "run_id",
    ):
        assert column not in public_columns("captures")
    assert "raw_text" not in public_columns("rejections")
    shown = {column for table in public_tables() for column in public_columns(table)}
    assert shown.isdisjoint({"buyer_pseudonym", "buyer_text", "reporter_id", "agreement_id", "buyer_count"})


def test_the_words_stand_in_the_database(warehouse: Warehouse) -> None:
    rows = warehouse.rows("SELECT table_name, column_name, comment FROM duckdb_columns() WHERE NOT internal")
    assert {(table, column): comment for table, column, comment in rows} == {
        (table, column): column_comment(table, column) for table, column, _ in COLUMNS
    }
    tables = warehouse.rows("SELECT comment FROM duckdb_tables() WHERE table_name = 'offers'")
    assert tables == [("One row is an advertised price seen once, in USD per GPU-hour on the seven axes.",)]


def test_a_comment_with_an_apostrophe_survives(warehouse: Warehouse) -> None:
    assert "'" in ColumnEntry.model_validate(dictionary().column("offers", "sku")).says
    (comment,) = warehouse.rows(
        "SELECT comment FROM duckdb_columns() WHERE table_name = 'offers' AND column_name = 'sku'"
    )
    assert comment == ("The seller's own name for the product.",)


def test_the_page_is_rendered_from_this_dictionary() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python -m warehouse.dictionary_page"
    for name in dictionary().tables:
        assert f"### {name}\n" in page()
