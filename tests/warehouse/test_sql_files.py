"""The runner of .sql files, and what every .sql file of the project must fulfil."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest
import sqlglot
from sqlglot import exp

from gpurent.core.clock import RecordedClock
from warehouse import Warehouse, open_warehouse, sql_files
from warehouse.sql_files import header, run_sql, run_sql_arrow, run_sql_dicts

NOW = datetime(2026, 7, 15, 9, 0, tzinfo=UTC)

TEXT = """
-- Grain: a day.
-- Unit: USD per
-- GPU-hour.
-- Inputs: $day, $low.
-- Clause: none.
CREATE OR REPLACE TEMP TABLE days_tried AS
SELECT $day AS day; -- the second statement names other parameters
SELECT
    day,
    $low::DECIMAL(18, 4) AS usd_per_gpu_hour
FROM days_tried
WHERE day >= $day;
"""


@pytest.fixture
def warehouse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Warehouse]:
    texts = {
        "two": TEXT.strip(),
        "wrong": "CREATE OR REPLACE TEMP TABLE a AS SELECT 1 AS b;\nSELECT missing FROM a;",
        "only_query": "SELECT 1 AS a;",
    }
    monkeypatch.setattr(sql_files, "sql_text", lambda _package, name: texts[name])
    with open_warehouse(tmp_path / "w.duckdb", clock=RecordedClock(NOW)) as opened:
        yield opened


PARAMETERS = {"day": date(2026, 7, 15), "low": Decimal("1.5"), "unused": "x"}


def test_each_statement_gets_the_parameters_it_names(warehouse: Warehouse) -> None:
    expected = (date(2026, 7, 15), Decimal("1.5000"))
    assert run_sql(warehouse, "index.sql", "two", PARAMETERS) == [expected]
    assert run_sql_dicts(warehouse, "index.sql", "two", PARAMETERS) == [
        {"day": expected[0], "usd_per_gpu_hour": expected[1]}
    ]
    assert run_sql_arrow(warehouse, "index.sql", "two", PARAMETERS).to_pylist() == [
        {"day": expected[0], "usd_per_gpu_hour": expected[1]}
    ]
    assert run_sql(warehouse, "index.sql", "only_query") == [(1,)]
    assert run_sql_arrow(warehouse, "index.sql", "only_query").num_rows == 1


@pytest.mark.parametrize("run", [run_sql, run_sql_dicts, run_sql_arrow])
def test_a_missing_parameter_is_named(warehouse: Warehouse, run: object) -> None:
    assert callable(run)
    with pytest.raises(KeyError, match=r"index\.sql/two\.sql needs \$low"):
        run(warehouse, "index.sql", "two", {"day": date(2026, 7, 15)})


@pytest.mark.parametrize("run", [run_sql, run_sql_dicts, run_sql_arrow])
def test_an_error_says_in_which_file_and_statement(warehouse: Warehouse, run: object) -> None:
    assert callable(run)
    with pytest.raises(duckdb.BinderException) as caught:
        run(warehouse, "grades.sql", "wrong")
    assert caught.value.__notes__ == ["in grades.sql/wrong.sql, statement 2"]


def test_the_header_is_read_by_key() -> None:
    assert header(TEXT.strip()) == {
        "grain": "a day.",
        "unit": "USD per GPU-hour.",
        "inputs": "$day, $low.",
        "clause": "none.",
    }
    assert header("SELECT 1;") == {}


ROOT = Path(__file__).parents[2]
PACKAGES = ("warehouse", "collectors", "grades", "index", "gpurent")
SQL_FILES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.sql"))
EXPLAINED = [
    path
    for path in SQL_FILES
    if path.relative_to(ROOT).parent.as_posix()
    in {"grades/sql", "index/sql", "warehouse/sql", "warehouse/checks"}
]


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", EXPLAINED, ids=shown)
def test_a_file_says_its_grain_unit_inputs_and_clause(path: Path) -> None:
    words = header(path.read_text(encoding="utf-8"))
    assert words.keys() == {"grain", "unit", "inputs", "clause"}
    assert all(words.values())


@pytest.mark.parametrize("path", SQL_FILES, ids=shown)
def test_a_file_parses(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    with duckdb.connect() as connection:
        statements = connection.extract_statements(text)
    parsed = [tree for tree in sqlglot.parse(text, dialect="duckdb") if tree is not None]
    parsed = [tree for tree in parsed if not isinstance(tree, exp.Semicolon)]
    assert len(parsed) == len(statements) > 0
    assert not [tree for tree in parsed if isinstance(tree, exp.Command)]
