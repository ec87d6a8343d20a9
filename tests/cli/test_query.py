"""`gpurent sql` for people: as a table where it fits the terminal, else a column a line; one statement at a time."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Call

H100 = "H100-Y080-Y-YY-YY-OD-YY-J"
SAID = "SAMPLE: made from the sample that comes with the program; not a market price, not for use"


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")


@pytest.mark.usefixtures("home", "narrow")
def test_rows_that_fit_are_a_table(call: Call) -> None:
    ended = call(
        "sql", "SELECT 'a' AS name, 0.5::DECIMAL(9,3) AS share UNION ALL SELECT 'bb', NULL ORDER BY 1"
    )
    assert [line.rstrip() for line in ended.out.splitlines()] == [
        SAID,
        "name  share",
        "a     0.500",
        "bb    -",
        "2 rows",
    ]


@pytest.mark.usefixtures("home", "narrow")
def test_rows_that_do_not_fit_are_shown_a_column_a_line_and_no_value_is_broken(call: Call) -> None:
    ended = call(
        "sql", f"SELECT '{H100}' AS grade_code, 2.7001 AS reference_usd_per_gpu_hour, NULL AS letter"
    )
    assert ended.out.splitlines() == [
        SAID,
        "row 1",
        f"grade_code                  {H100}",
        "reference_usd_per_gpu_hour  2.7001",
        "letter                      -",
        "",
        "1 row",
    ]


@pytest.mark.usefixtures("home", "narrow")
def test_every_column_of_a_price_can_be_read_in_a_narrow_terminal(call: Call) -> None:
    ended = call(
        "sql", "FROM reference_prices WHERE status = 'published' ORDER BY day DESC, grade_id LIMIT 1"
    )
    lines = dict(line.split(maxsplit=1) for line in ended.out.splitlines() if "_" in line.partition(" ")[0])
    assert lines["reference_usd_per_gpu_hour"] == "5.1516"
    assert len(lines) > 40


@pytest.mark.usefixtures("home")
def test_a_number_has_no_exponent(call: Call) -> None:
    assert "0.000000000000" in call("sql", "SELECT 0::DECIMAL(18,12) AS nothing").out


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(("text", "count"), [("SELECT 1; SELECT 2", "2 statements"), (" ", "no statement")])
def test_one_statement_is_asked_at_a_time(call: Call, text: str, count: str) -> None:
    ended = call("sql", text)
    assert (ended.exit_code, ended.out) == (2, "")
    assert f"one statement at a time: this text has {count}" in ended.err


@pytest.mark.usefixtures("home")
def test_a_semicolon_at_the_end_is_no_second_statement(call: Call) -> None:
    assert call("sql", "SELECT 1 AS one;", "--json").document["rows"] == [{"one": 1}]
    plain = call("sql", "SELECT TIMESTAMP '2026-08-15 09:00:00' AS at", "--json")
    assert plain.document["rows"] == [{"at": "2026-08-15T09:00:00"}]


@pytest.mark.parametrize(
    "tokens",
    [
        ("show", H100),
        ("sql", "SELECT 1"),
        ("sql", "SELECT 1", "--public"),
        ("verify",),
        ("edition", "list"),
        ("migrate",),
    ],
)
def test_where_only_the_sample_is_the_error_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call, tokens: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    without = call(*tokens)
    (tmp_path / "gpurent-sample").mkdir()
    (tmp_path / "gpurent-sample" / "gpurent.duckdb").touch()
    ended = call(*tokens)
    assert (without.exit_code, ended.exit_code) == (2, 2)
    said = "the sample is in gpurent-sample/: `cd gpurent-sample` first, or add --warehouse gpurent-sample/gpurent"
    assert said not in without.err
    assert said in ended.err
