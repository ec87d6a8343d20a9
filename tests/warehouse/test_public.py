"""The public file: what may be shown, nothing else, and readable by anyone at any time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from gpurent.core.clock import RecordedClock
from tests.warehouse.rows import DAY, NOW, fill
from warehouse import Warehouse, open_warehouse
from warehouse.dictionary import column_comment, dictionary, public_columns, public_tables
from warehouse.public import write_public

CELL = {"day": DAY, "grade_id": "grade_1", "vintage": "1"}
SECRETS = ("secretive", "buyer", "reporter", "archive/", "hush")


@pytest.fixture
def warehouse(tmp_path: Path) -> Iterator[Warehouse]:
    """A copy of its own for a test that changes it."""
    with _opened(tmp_path) as opened:
        yield opened


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The public file of the unchanged warehouse."""
    with _opened(tmp_path_factory.mktemp("public")) as opened:
        return write_public(opened)


@contextmanager
def _opened(folder: Path) -> Iterator[Warehouse]:
    """Two sources: `open` may be shown, `shy` counts in aggregates only; one trade reported in confidence."""
    with open_warehouse(folder / "w.duckdb", clock=RecordedClock(NOW)) as opened:
        _captured(opened)
        _priced(opened)
        yield opened


def _captured(warehouse: Warehouse) -> None:
    fill(
        warehouse,
        "sources",
        # the newest record of a source decides
        {"source_id": "open", "redistribution": "unknown", "known_at": NOW - timedelta(days=9)},
        {"source_id": "open", "redistribution": "allowed"},
        {"source_id": "shy", "redistribution": "allowed", "known_at": NOW - timedelta(days=9)},
        {"source_id": "shy", "redistribution": "aggregates_only"},
    )
    for source, operator in (("open", "aurora"), ("shy", "secretive")):
        fill(
            warehouse,
            "captures",
            {
                "capture_id": f"cap_{source}",
                "source_id": source,
                "archive_file": "archive/x",
                "url": f"https://{source}",
            },
        )
        fill(
            warehouse,
            "stated_offers",
            {"stated_id": f"st_{source}", "source_id": source, "operator_text": operator},
        )
        fill(warehouse, "rejections", {"source_id": source, "raw_text": "hush", "detail": operator})
        fill(
            warehouse,
            "offers",
            {
                "offer_id": f"of_{source}",
                "stated_id": f"st_{source}",
                "source_id": source,
                "operator_id": operator,
            },
            {
                "offer_id": f"again_{source}",
                "stated_id": f"st_{source}",
                "source_id": source,
                "operator_id": operator,
            },
            {
                "offer_id": f"old_{source}",
                "stated_id": f"old_{source}",
                "source_id": source,
                "snapshot_day": DAY - timedelta(days=90),
            },
        )
        fill(warehouse, "graded_offers", {"offer_id": f"of_{source}"}, {"offer_id": f"old_{source}"})
        fill(
            warehouse,
            "items",
            {**CELL, "leg": "advertised", "route": source, "owner_group": operator, "weight": 1},
        )
    fill(warehouse, "stated_trades", {"stated_id": "st_t", "buyer_text": "buyer"})
    fill(warehouse, "trades", {"trade_id": "tr_1", "reporter_id": "reporter", "is_confidential": True})


def _priced(warehouse: Warehouse) -> None:
    fill(warehouse, "grades", {"grade_id": "grade_1", "code": "H100-Y080", "bucket": "ALL", "title": "H100"})
    voices = (("aurora", "2.10", True), ("secretive", "1.90", False), ("secretive_two", "2.50", False))
    for group, price, is_public in voices:
        voice = {**CELL, "leg": "advertised", "owner_group": group, "is_public": is_public, "routes": "a,b"}
        fill(warehouse, "voices", {**voice, "usd_per_gpu_hour": Decimal(price), "weight": Decimal("0.3")})
        part = {name: value for name, value in voice.items() if name != "routes"}
        fill(warehouse, "contributions", {**part, "weight": Decimal("0.3")})
    fill(warehouse, "voices", {**CELL, "leg": "traded", "owner_group": "secretive", "is_public": False})
    fill(
        warehouse,
        "exclusions",
        {**CELL, "leg": "advertised", "record_id": "of_open", "owner_group": "boreas", "detail": "9.99"},
        {
            **CELL,
            "leg": "advertised",
            "record_id": "of_shy",
            "owner_group": "secretive_new",
            "detail": "secretive",
        },
        {
            **CELL,
            "leg": "advertised",
            "record_id": "of_shy",
            "owner_group": "secretive",
            "detail": "secretive",
        },
        {**CELL, "leg": "traded", "record_id": "tr_1", "owner_group": "aurora", "detail": "hush"},
    )
    price = {**CELL, "status": "published", "level": 4, "construction": "live", "flags": ""}
    fill(
        warehouse,
        "reference_prices",
        {
            **price,
            "reference_usd_per_gpu_hour": Decimal("2.0500"),
            "advertised_usd_per_gpu_hour": Decimal("2.0500"),
            "traded_usd_per_gpu_hour": Decimal("1.7000"),
            "trade_count": 4,
            "trade_weight": Decimal(0),
        },
    )
    fill(warehouse, "series_states", {**CELL, "state_json": "hush"})


def contents(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    with duckdb.connect(str(path), read_only=True) as connection:
        names = [name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()]
        return {name: connection.table(name).fetchall() for name in sorted(names)}


def test_it_holds_the_public_tables_and_columns_and_no_others(public: Path) -> None:
    with duckdb.connect(str(public), read_only=True) as connection:
        rows = connection.execute(
            "SELECT table_name, column_name, comment FROM duckdb_columns() "
            "WHERE NOT internal AND table_name NOT IN ('daily_reference', 'legs')"
        ).fetchall()
    assert {(table, column) for table, column, _ in rows} == {
        (table, column) for table in public_tables() for column in public_columns(table)
    }
    assert all(comment for _, _, comment in rows)


def test_nothing_that_may_not_be_shown_is_in_it(public: Path) -> None:
    for table, rows in contents(public).items():
        for row in rows:
            assert not any(secret in str(value) for value in row for secret in SECRETS), (table, row)
    stored = public.read_bytes()
    assert b"aurora" in stored
    assert b"secretive" not in stored
    assert b"hush" not in stored


def test_single_rows_of_a_source_are_shown_where_it_allows_that_for_ninety_days(public: Path) -> None:
    with duckdb.connect(str(public), read_only=True) as connection:
        assert connection.execute("SELECT offer_id FROM offers ORDER BY ALL").fetchall() == [
            ("again_open",),
            ("of_open",),
        ]
        assert connection.execute("SELECT offer_id FROM graded_offers").fetchall() == [("of_open",)]
        assert connection.execute("SELECT stated_id FROM stated_offers").fetchall() == [("st_open",)]
        assert connection.execute("SELECT capture_id FROM captures").fetchall() == [("cap_open",)]
        assert connection.execute("SELECT route FROM items").fetchall() == [("open",)]
        assert connection.execute("SELECT source_id, detail FROM rejections").fetchall() == [
            ("open", "aurora")
        ]


def test_other_voices_are_numbered_by_the_price_shown_beside_them(public: Path) -> None:
    with duckdb.connect(str(public), read_only=True) as connection:
        voices = connection.execute(
            "SELECT owner_group, usd_per_gpu_hour, routes, leg FROM voices ORDER BY usd_per_gpu_hour"
        ).fetchall()
        parts = connection.execute("SELECT owner_group FROM contributions ORDER BY ALL").fetchall()
    assert voices == [
        ("voice-1", Decimal("1.900000000"), "", "advertised"),
        ("aurora", Decimal("2.100000000"), "a,b", "advertised"),
        ("voice-2", Decimal("2.500000000"), "", "advertised"),
    ]
    assert parts == [("aurora",), ("voice-1",), ("voice-2",)]


def test_every_exclusion_is_shown_and_names_only_what_it_may(public: Path) -> None:
    with duckdb.connect(str(public), read_only=True) as connection:
        rows = connection.execute(
            "SELECT leg, record_id, owner_group, detail FROM exclusions ORDER BY ALL"
        ).fetchall()
    assert rows == [
        ("advertised", "", "", ""),
        ("advertised", "", "voice-1", ""),
        ("advertised", "of_open", "boreas", "9.99"),
        ("traded", "", "", ""),
    ]


def test_a_traded_leg_reported_in_confidence_is_left_out(public: Path) -> None:
    with duckdb.connect(str(public), read_only=True) as connection:
        assert connection.execute(
            "SELECT reference_usd_per_gpu_hour, traded_usd_per_gpu_hour, trade_count, flags FROM reference_prices"
        ).fetchall() == [(Decimal("2.0500"), None, None, "trades_confidential")]


def test_a_price_made_of_such_trades_is_withheld(warehouse: Warehouse) -> None:
    fill(
        warehouse,
        "reference_prices",
        {**CELL, "grade_id": "grade_2", "level": 2, "status": "published", "trade_weight": Decimal(1)}
        | {"reference_usd_per_gpu_hour": Decimal("1.7000"), "construction": "live"},
    )
    fill(warehouse, "voices", {**CELL, "grade_id": "grade_2", "leg": "traded", "is_public": False})
    with duckdb.connect(str(write_public(warehouse)), read_only=True) as connection:
        assert connection.execute(
            "SELECT status, reason_code, level, reference_usd_per_gpu_hour FROM reference_prices "
            "WHERE grade_id = 'grade_2'"
        ).fetchall() == [("withheld", "confidential_trades", 6, None)]


def test_views_and_macros_answer_to_a_bare_connection(warehouse: Warehouse) -> None:
    price = {**CELL, "status": "published", "level": 4, "trade_weight": Decimal(0)}
    fill(
        warehouse,
        "reference_prices",
        {**price, "vintage": "research-1", "construction": "live", "published_at": NOW + timedelta(days=3)},
        {**price, "vintage": "2", "construction": "live", "published_at": NOW + timedelta(hours=3)}
        | {"advertised_usd_per_gpu_hour": Decimal("2.0600")},
        {
            **price,
            "vintage": "backfill-1",
            "construction": "reconstructed",
            "published_at": NOW + timedelta(days=9),
        },
    )
    with duckdb.connect(str(write_public(warehouse)), read_only=True) as connection:
        assert connection.execute("SELECT vintage, grade_code FROM daily_reference").fetchall() == [
            ("2", "H100-Y080.ALL")
        ]
        assert connection.execute("SELECT leg, usd_per_gpu_hour, weight FROM legs").fetchall() == [
            ("advertised", Decimal("2.0600"), Decimal(1))
        ]
        assert connection.execute(
            "SELECT count(*) FROM offers_as_of(TIMESTAMPTZ '2026-07-15 09:00:00Z')"
        ).fetchall() == [(2,)]
        assert connection.execute(
            "SELECT count(*) FROM offers_as_of(TIMESTAMPTZ '2026-07-15 08:59:00Z')"
        ).fetchall() == [(0,)]


def test_every_column_of_a_view_is_described(public: Path) -> None:
    with duckdb.connect(str(public), read_only=True) as connection:
        rows = connection.execute(
            "SELECT view_name, column_name FROM duckdb_views() AS v "
            "INNER JOIN duckdb_columns() AS c ON v.view_name = c.table_name WHERE NOT v.internal"
        ).fetchall()
    views = dictionary().views
    assert {view for view, _ in rows} == views.keys()
    for view, column in rows:
        described = set(views[view].columns)
        for table in views[view].of:
            described |= set(public_columns(table))
        assert column in described, f"{view}.{column}"


def test_a_view_carries_the_comments_of_its_columns(public: Path) -> None:
    with duckdb.connect(str(public), read_only=True) as connection:
        rows = connection.execute(
            "SELECT table_name, column_name, comment FROM duckdb_columns() "
            "WHERE table_name IN (SELECT view_name FROM duckdb_views() WHERE NOT internal)"
        ).fetchall()
    comments = {(view, column): comment for view, column, comment in rows}
    assert None not in comments.values()
    # of the view itself, and of the table behind it
    assert comments["legs", "weight"] == "The leg's weight in the cross-section. [dimensionless]"
    in_table = column_comment("reference_prices", "reference_usd_per_gpu_hour")
    assert comments["daily_reference", "reference_usd_per_gpu_hour"] == in_table


def test_the_same_warehouse_gives_the_same_rows_in_the_same_order(warehouse: Warehouse) -> None:
    first = contents(write_public(warehouse))
    assert contents(write_public(warehouse)) == first
    assert sum(len(rows) for rows in first.values()) > 10


def test_a_reader_keeps_the_file_it_opened_while_it_is_replaced(warehouse: Warehouse) -> None:
    with duckdb.connect(str(write_public(warehouse)), read_only=True) as reader:
        fill(warehouse, "grades", {"grade_id": "grade_9"})
        path = write_public(warehouse)
        assert reader.execute("SELECT count(*) FROM grades").fetchall() == [(1,)]
    with duckdb.connect(str(path), read_only=True) as reader:
        assert reader.execute("SELECT count(*) FROM grades").fetchall() == [(2,)]
    assert [entry.name for entry in path.parent.iterdir()] == ["public.duckdb"]


def test_warehouse_and_public_file_have_the_storage_version_that_the_previous_major_opens(
    warehouse: Warehouse,
) -> None:
    write_public(warehouse)
    for path in (warehouse.layout.public_database, warehouse.layout.database):
        # bytes 12 to 19 of a DuckDB file hold its storage version; 64 is that of v1.0.0
        assert int.from_bytes(path.read_bytes()[12:20], "little") == 64
