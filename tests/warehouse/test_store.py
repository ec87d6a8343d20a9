"""The store: rows enter whole or not at all, one process at a time, and nothing is shared between warehouses."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from gpurent.core.clock import RecordedClock
from gpurent.core.errors import ConfigError, LockedError, NotFoundError
from tests.warehouse.rows import NOW, fill
from warehouse import Warehouse, migrations, open_warehouse
from warehouse.store import connect

RATE = {
    "day": date(2026, 7, 14),
    "currency": "EUR",
    "usd_per_unit": Decimal("1.083400000001"),
    "eur_rate_text": "1.0834",
    "capture_id": "c",
    "published_at": NOW,
    "available_at": NOW,
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "w.duckdb"


@pytest.fixture
def warehouse(path: Path) -> Iterator[Warehouse]:
    with open_warehouse(path, clock=RecordedClock(NOW)) as opened:
        yield opened


def test_rows_come_back_as_they_went_in_with_the_time_of_recording(warehouse: Warehouse) -> None:
    assert (
        warehouse.append(
            "fx_rates", [RATE, {**RATE, "currency": "GBP", "known_at": datetime(2026, 1, 1, tzinfo=UTC)}]
        )
        == 2
    )
    assert warehouse.rows(
        "SELECT currency, usd_per_unit, published_at, known_at FROM fx_rates ORDER BY currency"
    ) == [
        ("EUR", Decimal("1.083400000001"), NOW, NOW),
        ("GBP", Decimal("1.083400000001"), NOW, datetime(2026, 1, 1, tzinfo=UTC)),
    ]
    (row,) = warehouse.dicts(
        "SELECT currency, day FROM fx_rates WHERE currency = $currency", {"currency": "EUR"}
    )
    assert row == {"currency": "EUR", "day": date(2026, 7, 14)}
    assert warehouse.append("fx_rates", []) == 0


def test_an_unknown_column_or_table_is_refused(warehouse: Warehouse) -> None:
    with pytest.raises(KeyError, match="table fx_rates has no column price, rate"):
        warehouse.append("fx_rates", [RATE, {**RATE, "rate": 1, "price": 2}])
    with pytest.raises(NotFoundError, match="no table 'prices'"):
        warehouse.append("prices", [RATE])
    assert warehouse.rows("SELECT count(*) FROM fx_rates") == [(0,)]


def test_a_missing_or_unfitting_value_is_refused_and_nothing_is_written(warehouse: Warehouse) -> None:
    with pytest.raises(duckdb.ConstraintException):
        warehouse.append("fx_rates", [RATE, {**RATE, "currency": None}])
    with pytest.raises(pa.ArrowInvalid):
        warehouse.append("fx_rates", [{**RATE, "usd_per_unit": Decimal("1e20")}])
    with pytest.raises(pa.ArrowInvalid):
        warehouse.append("fx_rates", [{**RATE, "usd_per_unit": Decimal("1.0000000000001")}])
    assert warehouse.rows("SELECT count(*) FROM fx_rates") == [(0,)]


def test_a_transaction_that_fails_leaves_nothing_and_the_next_one_works(warehouse: Warehouse) -> None:
    def write_two_and_fail() -> None:
        with warehouse.transaction():
            warehouse.append("fx_rates", [RATE])
            with warehouse.transaction():
                warehouse.append("fx_rates", [{**RATE, "currency": "GBP"}])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_two_and_fail()
    assert warehouse.rows("SELECT count(*) FROM fx_rates") == [(0,)]
    with warehouse.transaction():
        warehouse.append("fx_rates", [RATE])
    assert warehouse.rows("SELECT count(*) FROM fx_rates") == [(1,)]


def test_a_rejection_has_one_id_a_reason_and_a_record(warehouse: Warehouse) -> None:
    refusal = {
        "record_id": "row_1",
        "capture_id": "c",
        "source_id": "vast",
        "reason_code": "not_a_price",
        "detail": "usd: 'contact us'",
        "available_at": NOW,
    }
    assert warehouse.reject("read", [refusal, {**refusal, "reason_code": "no_currency"}]) == 2
    warehouse.reject("match", [refusal])
    rows = warehouse.rows(
        "SELECT stage, reason_code, rejection_id FROM rejections ORDER BY stage, reason_code"
    )
    assert [row[:2] for row in rows] == [
        ("match", "not_a_price"),
        ("read", "no_currency"),
        ("read", "not_a_price"),
    ]
    assert len({identity for _, _, identity in rows}) == 3


def test_facts_about_the_warehouse_never_change(warehouse: Warehouse) -> None:
    assert warehouse.fact("purpose") is None
    warehouse.set_fact("purpose", "sample")
    warehouse.set_fact("purpose", "sample")
    assert warehouse.fact("purpose") == "sample"
    with pytest.raises(ConfigError, match="purpose is 'sample' and cannot become 'live'"):
        warehouse.set_fact("purpose", "live")


def test_read_only_reads_and_does_not_write(path: Path) -> None:
    with pytest.raises(NotFoundError, match="no warehouse here"):
        open_warehouse(path, read_only=True)
    assert not path.exists()
    with open_warehouse(path, clock=RecordedClock(NOW)) as warehouse:
        warehouse.append("fx_rates", [RATE])
    before = path.read_bytes()
    with open_warehouse(path, read_only=True) as warehouse:
        assert warehouse.rows("SELECT count(*) FROM fx_rates") == [(1,)]
        with pytest.raises(duckdb.Error, match="read-only"):
            warehouse.append("fx_rates", [RATE])
    assert path.read_bytes() == before


def test_a_bare_connection_reads_every_table(path: Path) -> None:
    with open_warehouse(path, clock=RecordedClock(NOW)) as warehouse:
        names = sorted(warehouse.tables)
    with duckdb.connect(str(path), read_only=True) as connection:
        for name in names:
            connection.table(name).fetchall()
        assert connection.execute("SELECT count(*) FROM reference_prices_as_of(now())").fetchall() == [(0,)]
    assert {"offers", "reference_prices", "captures"} <= set(names)


def test_point_in_time_macros_show_what_had_been_recorded(warehouse: Warehouse) -> None:
    later = datetime(2026, 7, 15, 15, 0, tzinfo=UTC)
    fill(warehouse, "offers", {"offer_id": "early"}, {"offer_id": "late", "known_at": later})
    fill(
        warehouse,
        "operator_tiers",
        {"operator_id": "a", "tier": "T2", "superseded_at": later},
        {"operator_id": "a", "tier": "T1", "known_at": later, "superseded_at": None},
    )
    fill(
        warehouse,
        "reference_prices",
        {"vintage": "1", "published_at": NOW},
        {"vintage": "2", "published_at": later, "known_at": later},
    )
    for instant, offers, tier, vintage in ((NOW, 1, "T2", "1"), (later, 2, "T1", "2")):
        assert warehouse.rows("SELECT count(*) FROM offers_as_of($1)", [instant]) == [(offers,)]
        assert warehouse.rows("SELECT tier FROM operator_tiers_as_of($1)", [instant]) == [(tier,)]
        assert warehouse.rows("SELECT vintage FROM reference_prices_as_of($1)", [instant]) == [(vintage,)]


def test_a_newer_schema_is_refused_by_name(path: Path) -> None:
    with open_warehouse(path, clock=RecordedClock(NOW)) as warehouse:
        fill(warehouse, "schema_migrations", {"number": 900, "name": "tomorrow"})
    for read_only in (False, True):
        with pytest.raises(ConfigError, match=r"schema 900_tomorrow.*install the newer version"):
            open_warehouse(path, read_only=read_only)


def test_a_schema_file_edited_after_it_was_applied_is_refused(path: Path) -> None:
    with open_warehouse(path, clock=RecordedClock(NOW)) as warehouse:
        warehouse.connection.execute("UPDATE schema_migrations SET sha256 = 'other' WHERE number = 1")
    with pytest.raises(ConfigError, match=r"001_captures\.sql was edited after it was applied"):
        open_warehouse(path)


def test_an_older_warehouse_is_brought_up_to_date_for_writing_only(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    everything = migrations.all_migrations()
    monkeypatch.setattr(migrations, "all_migrations", lambda: everything[:-1])
    open_warehouse(path, clock=RecordedClock(NOW)).close()
    monkeypatch.undo()
    with pytest.raises(ConfigError, match="gpurent migrate"):
        open_warehouse(path, read_only=True)
    with open_warehouse(path, clock=RecordedClock(NOW)) as warehouse:
        applied = warehouse.rows("SELECT number FROM schema_migrations ORDER BY number")
    assert applied == [(migration.number,) for migration in everything]


def test_a_migration_that_fails_leaves_the_warehouse_as_it_was(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = migrations.Migration(1, "broken", "CREATE TABLE a (b INTEGER); SELECT * FROM nowhere;", "x")
    monkeypatch.setattr(migrations, "all_migrations", lambda: [broken])
    with pytest.raises(duckdb.Error):
        open_warehouse(path)
    with connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM duckdb_tables()").fetchall() == [(0,)]


def test_a_file_that_is_no_database_is_named(path: Path) -> None:
    path.write_text("<html>moved</html>", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"w\.duckdb cannot be opened as a warehouse"):
        open_warehouse(path)


def test_a_second_process_is_refused_and_told_who_holds_the_warehouse(path: Path) -> None:
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            textwrap.dedent("""
                import sys, pathlib, warehouse
                with warehouse.open_warehouse(pathlib.Path(sys.argv[1])):
                    print("held", flush=True)
                    sys.stdin.read()
            """),
            str(path),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdin is not None
    assert holder.stdout is not None
    try:
        assert holder.stdout.readline() == "held\n"
        for read_only in (False, True):
            with pytest.raises(LockedError) as caught:
                open_warehouse(path, read_only=read_only)
            assert f"process {holder.pid} (-c {path}, since 20" in str(caught.value)
            assert "w.files/public.duckdb" in str(caught.value)
            assert caught.value.exit_code == 2
        holder.kill()
        holder.wait()
        open_warehouse(path).close()
    finally:
        holder.kill()
        holder.communicate()


def test_two_warehouses_in_one_folder_share_nothing(tmp_path: Path) -> None:
    with (
        open_warehouse(tmp_path / "a.duckdb", clock=RecordedClock(NOW)) as first,
        open_warehouse(tmp_path / "b.duckdb", clock=RecordedClock(NOW)) as second,
    ):
        first.append("fx_rates", [RATE])
        assert second.rows("SELECT count(*) FROM fx_rates") == [(0,)]
        ours, theirs = (
            {layout.database, layout.files, layout.archive, layout.lake, layout.spool, layout.site}
            | {layout.public_database, layout.lock}
            for layout in (first.layout, second.layout)
        )
        assert ours.isdisjoint(theirs)
        assert first.layout.archive == tmp_path / "a.files" / "archive"


def test_connections_speak_utc_and_fetch_no_extension(warehouse: Warehouse) -> None:
    assert warehouse.rows("SELECT current_setting('TimeZone')") == [("UTC",)]
    with pytest.raises(duckdb.Error):
        warehouse.rows("SELECT * FROM read_xlsx('nowhere.xlsx')")


@pytest.mark.parametrize("read_only", [True, False])
def test_somebody_elses_database_is_refused_and_left_as_it_is(tmp_path, clock, read_only):
    path = tmp_path / "theirs.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute("CREATE TABLE theirs (number INTEGER)")
    before = path.read_bytes()
    with pytest.raises(
        ConfigError, match=r"theirs\.duckdb is a DuckDB database, but not a warehouse of gpurent"
    ):
        open_warehouse(path, clock=clock, read_only=read_only)
    assert path.read_bytes() == before
