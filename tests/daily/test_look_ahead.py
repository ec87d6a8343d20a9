"""No look-ahead: whatever becomes known after a day's cut-off changes nothing of that day's live values.

A replay of three days; then rows that say something else about those days, available then but known to us only
later, are added to a copy table by table, and every day is computed again.
"""

from __future__ import annotations

import shutil
from datetime import UTC, date, datetime, timedelta

import pytest

from gpurent.core.settings import load_settings
from gpurent.daily import run_daily
from gpurent.sample.render import SMALL_FIRST_DAY, small_archive
from index.parameters import load
from index.reduction import LIVE
from index.run import Memory, compute_day, stored_content
from warehouse import open_warehouse

pytestmark = pytest.mark.slow

DAYS = [SMALL_FIRST_DAY + timedelta(days=number) for number in range(3)]
LAST_CUT_OFF = datetime(DAYS[-1].year, DAYS[-1].month, DAYS[-1].day, 6, tzinfo=UTC) + timedelta(days=1)
LATER = LAST_CUT_OFF + timedelta(minutes=1)
H100 = "H100-Y080-Y-YY-YY-OD-YY-J"
# what each table says differently: SQL that reads what is there and yields rows as of the time $later
NEWS = {
    "offers": "SELECT * REPLACE ('later-' || offer_id AS offer_id, usd_per_gpu_hour * 1.2 AS usd_per_gpu_hour, "
    "native_per_gpu_hour * 1.2 AS native_per_gpu_hour, $later AS known_at) FROM offers",
    "trades": "SELECT * REPLACE ('later-' || trade_id AS trade_id, agreement_id || '-b' AS agreement_id, "
    "usd_per_gpu_hour * 1.2 AS usd_per_gpu_hour, $later AS known_at) FROM trades",
    "fx_rates": "SELECT DISTINCT snapshot_day AS day, 'EUR' AS currency, 9.99 AS usd_per_unit, "
    "'9.99' AS eur_rate_text, capture_id, CAST(snapshot_day AS TIMESTAMPTZ) AS published_at, "
    "CAST(snapshot_day AS TIMESTAMPTZ) AS available_at, "
    "$later AS known_at FROM offers WHERE offer_id IN (SELECT min(offer_id) FROM offers GROUP BY snapshot_day)",
    "operators": "SELECT * REPLACE ('HYP' AS operator_class, 'one-owner' AS owner_group, "
    "'later-' || record_sha256 AS record_sha256, $later AS known_at) FROM operators",
    "operator_tiers": "SELECT * REPLACE ('T1' AS tier, 'later-' || record_sha256 AS record_sha256, "
    "$later AS known_at) FROM operator_tiers",
    "operator_evidence": "SELECT * REPLACE ('later-' || evidence_id AS evidence_id, 'fail' AS result, "
    "'later-' || record_sha256 AS record_sha256, $later AS known_at) FROM operator_evidence",
    "snapshots": "SELECT * REPLACE ('later-' || snapshot_id AS snapshot_id, 'complete' AS status, "
    "snapshot_at + INTERVAL 1 MINUTE AS snapshot_at, 0 AS stated_rows, $later AS known_at) FROM snapshots",
    "sources": "SELECT * REPLACE (false AS is_file_only, $later_day AS first_live_success, "
    "'later-' || record_sha256 AS record_sha256, $later AS known_at) FROM sources",
    "spec_accepts": "SELECT s.spec_id, 'form_memory' AS axis, 'S080' AS value, 'later' AS record_sha256, "
    "$later AS known_at FROM (SELECT DISTINCT spec_id FROM grade_specs WHERE chip = 'H200') AS s",
}


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    folder = tmp_path_factory.mktemp("published")
    small_archive(folder / "archive")
    run = run_daily(
        load_settings({"warehouse": folder / "w.duckdb"}, folder=folder), replay=folder / "archive"
    )
    assert [edition["day"] for edition in run.editions] == [day.isoformat() for day in DAYS]
    return folder / "w.duckdb"


def recomputed(warehouse) -> list[str]:
    """The content hash of every day, computed live from nothing, as it was when it was published."""
    method, memory, found = load(), Memory(), []
    ((register_version,),) = warehouse.rows("SELECT DISTINCT register_version FROM reference_prices")
    for day in DAYS:
        result = compute_day(
            warehouse,
            day,
            construction=LIVE,
            vintage="1",
            methodology=method,
            register_version=register_version,
            memory=memory,
        )
        memory = result.memory
        found.append(result.content_sha256)
    return found


def stored(warehouse) -> list[str]:
    return [stored_content(warehouse, day, "1") for day in DAYS]


def test_the_days_computed_again_say_the_same(published):
    with open_warehouse(published, read_only=True) as warehouse:
        assert recomputed(warehouse) == stored(warehouse)
        ((count,),) = warehouse.rows(
            "SELECT count(*) FROM reference_prices WHERE status = 'published' AND trade_count > 0"
        )
        assert count > 0


@pytest.mark.parametrize("table", NEWS)
def test_what_becomes_known_later_changes_no_earlier_live_value(published, tmp_path, table):
    path = tmp_path / "w.duckdb"
    shutil.copy(published, path)
    shutil.copytree(published.with_suffix(".files"), path.with_suffix(".files"))
    with open_warehouse(path) as warehouse:
        before = stored(warehouse)
        assert add_news(warehouse, table, LATER) > 0
        assert recomputed(warehouse) == before


@pytest.mark.parametrize("table", ["offers", "trades", "snapshots", "operators"])
def test_the_same_rows_known_in_time_would_have_changed_it(published, tmp_path, table):
    """The test above could fail: what it adds matters once it is known before the cut-off."""
    path = tmp_path / "w.duckdb"
    shutil.copy(published, path)
    with open_warehouse(path) as warehouse:
        before = stored(warehouse)
        add_news(warehouse, table, LAST_CUT_OFF - timedelta(minutes=1))
        after = recomputed(warehouse)
        assert after[:-1] == before[:-1]
        assert after[-1] != before[-1]


def add_news(warehouse, table: str, when: datetime) -> int:
    """Append the news of a table as known at `when`; the number of rows."""
    bound = {"later": when} | ({"later_day": date(2026, 8, 30)} if "$later_day" in NEWS[table] else {})
    sql = f"INSERT INTO {table} BY NAME {NEWS[table]}"
    ((count,),) = warehouse.connection.execute(sql, bound).fetchall()
    return count
