"""source, operator and grade: the registers as people and machines see them."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from collectors.registry import load_sources, sync_sources
from gpurent.core.clock import RecordedClock, SystemClock, at_utc
from gpurent.core.settings import Settings
from gpurent.daily.health import STATUSES, SourceHealth, source_health
from grades.grade_code import format_code
from tests.cli.conftest import Call, in_a_process
from tests.sample_run import SampleRun
from warehouse import lock, open_warehouse
from warehouse.layout import Layout

H100 = "H100-Y080-Y-YY-YY-OD-YY-J"
RUNPOD_REVIEW = ("--scope", "CT", "--day", "2026-08-15")


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _statuses(call: Call) -> dict[str, str]:
    return {row["source_id"]: row["status"] for row in call("source", "list", "--json").document["sources"]}


def test_sources_are_not_configured_without_a_contact_and_untried_with_one(
    empty: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _statuses(call)["vast"] == "not_configured"
    assert _statuses(call)["focus"] == "file_only"
    monkeypatch.setenv("GPURENT_CONTACT", "desk@example.org")
    assert _statuses(call)["vast"] == "untried"
    overlay = empty / "registers" / "sources" / "vast.toml"
    overlay.parent.mkdir(parents=True)
    overlay.write_text("retired_on = 2026-01-01\n")
    assert _statuses(call)["vast"] == "retired"
    assert set(_statuses(call).values()) <= set(STATUSES)


def _look(path: Path, at: date, status: str, rows: int = 5, hour: int = 4) -> None:
    """A look at vast that ended in a way, recorded then."""
    instant = at_utc(at, hour)
    with open_warehouse(path, clock=RecordedClock(instant)) as warehouse:
        warehouse.append(
            "snapshots",
            [
                {
                    "snapshot_id": f"snap_{at}_{hour}",
                    "source_id": "vast",
                    "list_key": "",
                    "snapshot_at": instant,
                    "snapshot_day": at,
                    "status": status,
                    "stated_rows": rows,
                    "available_at": instant,
                }
            ],
        )
        sync_sources(warehouse, [load_sources()["vast"]])


def test_a_source_is_late_after_twice_its_cadence_and_failing_when_its_last_look_was_not_whole(
    empty: Path,
) -> None:
    path, day = empty / "gpurent.duckdb", date(2026, 7, 14)
    settings = Settings(contact="desk@example.org")
    records = {"vast": load_sources()["vast"]}
    cadence = timedelta(hours=records["vast"].cadence_hours)
    _look(path, day, "complete", rows=312)

    def health(after: timedelta) -> SourceHealth:
        with open_warehouse(path, read_only=True) as warehouse:
            (found,) = source_health(warehouse, records, settings, at_utc(day, 4) + after)
        return found

    first = health(cadence)
    assert (first.status, first.is_late, first.stated_rows, first.age_hours) == ("live", False, 312, 6.0)
    assert health(2 * cadence).is_late is False
    assert health(2 * cadence + timedelta(minutes=6)).is_late is True
    _look(path, day, "partial", hour=10)
    _look(path, day, "failed", rows=0, hour=16)
    then = health(timedelta(hours=13))
    assert (then.status, then.last_status, then.failures_in_a_row) == ("failing", "failed", 2)
    assert (then.last_good_at, then.stated_rows) == (at_utc(day, 4), 312)


def test_a_list_of_a_source_that_failed_makes_its_look_partial(empty: Path) -> None:
    path, day = empty / "gpurent.duckdb", date(2026, 7, 14)
    _look(path, day, "complete")
    with open_warehouse(path, clock=RecordedClock(at_utc(day, 5))) as warehouse:
        row = warehouse.dicts("SELECT * FROM snapshots")[0]
        other = {**row, "snapshot_id": "snap_other", "list_key": "H200", "status": "failed", "known_at": None}
        warehouse.append("snapshots", [other])
        (found,) = source_health(warehouse, {"vast": load_sources()["vast"]}, Settings(), at_utc(day, 6))
    assert (found.status, found.last_status, found.last_good_at) == ("failing", "partial", None)


def test_source_show_says_which_axes_are_stated(home: Path, call: Call) -> None:
    document = call("source", "show", "vast", "--json").document
    axes = {axis["axis"]: axis for axis in document["axes"]}
    assert axes["scope"]["says_of_all"] == "docker"
    assert axes["place"]["stated_offers"] is None  # no offer of vast in this warehouse
    with open_warehouse(home / "gpurent.duckdb") as warehouse:
        warehouse.connection.execute(
            "UPDATE offers SET source_id = 'vast', place = 'ZZ' WHERE sku LIKE 'H200%'"
        )
    document = call("source", "show", "vast", "--json").document
    axes = {axis["axis"]: axis for axis in document["axes"]}
    assert document["offers_counted"] == 4
    assert (axes["chip"]["stated_offers"], axes["place"]["stated_offers"]) == (4, 0)
    text = call("source", "show", "vast").out
    assert "'docker' of all rows, https://docs.vast.ai" in text
    assert call("source", "show", "nobody").exit_code == 2


def test_registers_can_be_read_while_a_run_holds_the_warehouse(home: Path) -> None:
    with lock.hold(Layout(home / "gpurent.duckdb"), SystemClock().now()):
        for tokens in (("source", "list"), ("source", "show", "vast"), ("grade", "show", H100)):
            ended = in_a_process(*tokens, "--json", cwd=home)
            assert ended.exit_code == 0, ended.err
            assert "is held by process" in ended.document["note"]


def test_operator_list_knows_tiers_of_a_scope_on_a_day(call: Call) -> None:
    document = call("operator", "list", *RUNPOD_REVIEW, "--json").document
    found = {row["operator_id"]: row for row in document["operators"]}
    assert found["runpod"]["tiers"]["CT"]["tier"] == "NR"
    assert 0 < found["runpod"]["tiers"]["CT"]["coverage"] < 0.35
    assert found["runpod"]["origin"] == "packaged"
    assert found["lambda"]["tiers"] == {}
    before = call("operator", "list", "--scope", "CT", "--day", "2020-01-01", "--json").document
    assert all(not row["tiers"] for row in before["operators"])
    assert "there are VM, BM, MK, MS, CT" in call("operator", "list", "--scope", "XX").err


def test_operator_explain_leads_from_evidence_to_the_tier(call: Call) -> None:
    document = call("operator", "explain", "runpod", *RUNPOD_REVIEW, "--json").document
    assert (document["tier"], document["review"]) == ("NR", "2026-08-01")
    counted = [one for one in document["evidence"] if one["why_not"] is None]
    assert counted
    for one in counted:
        assert one["observed_on"] <= "2026-08-01"
        assert one["url"].startswith("https://")
        assert 0 < one["weight"] <= 1
    assert [one["weight"] for one in counted] == sorted((one["weight"] for one in counted), reverse=True)
    shares = {one["of"]: (one["known"], one["needed"]) for one in document["coverage_missing"]}
    assert shares["overall"] == (document["coverage"], 0.6)
    weight = sum(one["weight"] for one in document["categories"])
    mean = sum(one["coverage"] * one["weight"] for one in document["categories"]) / weight
    assert document["coverage"] == pytest.approx(mean, abs=1e-12)
    known = {one["criterion"] for one in counted}
    assert known.isdisjoint(one["criterion"] for one in document["missing"])


def test_operator_explain_agrees_with_the_list(call: Call) -> None:
    listed = call("operator", "list", *RUNPOD_REVIEW, "--json").document["operators"]
    for row in listed:
        if "CT" in row["tiers"]:
            explained = call("operator", "explain", row["operator_id"], *RUNPOD_REVIEW, "--json").document
            assert explained["tier"] == row["tiers"]["CT"]["tier"]
            assert explained["score"] == row["tiers"]["CT"]["score"]


def test_operator_explain_for_people_and_its_refusals(call: Call) -> None:
    text = call("operator", "explain", "runpod", *RUNPOD_REVIEW).out
    assert text.startswith("RunPod, container on a marketplace: NR")
    assert "not rated: too little is known" in text
    assert "later than the review" in text
    assert "nothing is known of" in text
    nothing = call("operator", "explain", "aws", "--scope", "CT", "--day", "2020-01-01", "--json").document
    assert (nothing["tier"], nothing["reason"], nothing["score"]) == ("NR", "no_evidence", None)
    assert "did you mean vast?" in call("operator", "explain", "Vast.ai", "--scope", "CT").err
    assert call("operator", "explain", "nobody", "--scope", "CT").exit_code == 2
    assert call("operator", "explain", "runpod", "--scope", "MI").exit_code == 2
    assert call("operator", "explain", "runpod").exit_code == 2


def test_grade_list_of_a_chip_and_with_the_values_of_a_day(home: Path, call: Call) -> None:
    codes = [row["code"] for row in call("grade", "list", "--chip", "h200", "--json").document["grades"]]
    assert codes
    assert all(code.startswith("H200-") for code in codes)
    ended = call("grade", "list", "--chip", "X1")
    assert ended.exit_code == 2
    assert "there are grades of A10, A100" in ended.err
    with open_warehouse(home / "gpurent.duckdb") as warehouse:
        warehouse.connection.execute(
            "UPDATE reference_prices SET grade_id = 'grd_sqvsqwpuq7' WHERE grade_id = 'gr_h100'"
        )
    values = call("grade", "list", "--chip", "H100", "--day", "2026-07-15", "--json").document["values"]
    found = {row["code"]: row for row in values}
    assert found[f"{H100}.ALL"]["reference_usd_per_gpu_hour"] == 2.7001
    assert found[f"{H100}.NEO"]["status"] is None
    assert call("grade", "list", "--day", "2020-01-01").exit_code == 2


def test_grade_show_says_in_words_what_the_hour_is(empty: Path, call: Call) -> None:
    document = call("grade", "show", f"{H100}.NEO".lower(), "--json").document
    assert document["axes"]["form_memory"]["accepts"] == ["S080", "P080", "Z080"]
    assert (
        document["axes"]["form_memory"]["accepts_in_words"]
        == "SXM module, 80 GB; PCIe card, 80 GB; form not stated, 80 GB"
    )
    assert document["axes"]["place"]["accepts_in_words"] == "anything, stated or not"
    assert document["falls_back_to"] == f"{H100}.ALL"
    assert document["grade_id"] == document["buckets"]["NEO"]
    assert document["last"] is None
    assert "no warehouse yet" in document["note"]
    narrow = call("grade", "show", "H100-S080-C-NV-VM-OD-US-7", "--json").document
    assert narrow["axes"]["place"]["accepts_in_words"] == "United States"


def test_grade_show_has_the_newest_value(home: Path, call: Call) -> None:
    last = call("grade", "show", H100, "--json").document["last"]
    assert (last["day"], last["reference_usd_per_gpu_hour"], last["notice"]) == (
        "2026-07-15",
        2.7001,
        "SAMPLE",
    )
    withheld = call("grade", "show", "A100-Y080-Y-YY-YY-OD-YY-W").out
    assert "only one owner group offers it" in withheld


def test_grade_show_refuses_what_is_no_specification(call: Call) -> None:
    valid = format_code("H100", "S080", "D", "IB", "BM", "1Y", "DE")
    assert "no specification of the registers" in call("grade", "show", valid).err
    assert call("grade", "show", f"{H100}@1999.1").exit_code == 2
    ended = call("grade", "show", "H100-N094-Y-YY-YY-OD-YY-W.T1")
    assert ended.exit_code == 2
    assert "has no bucket T1; it has ALL" in ended.err


def test_grades_can_be_listed_by_bucket_and_by_status_of_a_day(sample_run: SampleRun, call: Call) -> None:
    neo = call("grade", "list", "--bucket", "neo", "--json").document["grades"]
    assert {tuple(row["buckets"]) for row in neo} == {("NEO",)}
    of_day = ("--day", "2026-08-15", "--warehouse", sample_run.warehouse, "--json")
    every = call("grade", "list", *of_day).document["values"]
    valued = call("grade", "list", "--status", "published", *of_day).document["values"]
    assert {row["status"] for row in valued} == {"published"}
    assert valued == [row for row in every if row["status"] == "published"]
    assert 0 < len(valued) < len(every)
