"""doctor, runs and migrate: looking after a warehouse."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from gpurent.core.clock import RecordedClock, SystemClock, at_utc
from gpurent.core.errors import GpurentError
from gpurent.core.signing import new_private_key
from gpurent.daily.bookkeeping import recorded_run
from gpurent.daily.history import last_runs
from tests.cli.conftest import Call, in_a_process
from tests.publish import synthetic_market as market
from tests.sample_run import SampleRun
from warehouse import lock, migrations, open_warehouse
from warehouse.layout import Layout
from warehouse.store import connect


def lines_of(document: Any, topic: str) -> list[Any]:
    return [line for line in document["lines"] if line["topic"] == topic]


def states_of(document: Any, topic: str) -> set[str]:
    return {line["state"] for line in lines_of(document, topic)}


@pytest.fixture
def live(home: Path) -> Path:
    """The working folder with its warehouse as a live one."""
    with open_warehouse(home / "gpurent.duckdb") as warehouse:
        warehouse.connection.execute("DELETE FROM warehouse_facts WHERE name = 'purpose'")
    return home


def test_doctor_finds_a_fresh_folder_well_and_says_what_is_missing(
    tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    call("init")
    ended = call("doctor", "--json")
    assert ended.exit_code == 0
    assert ended.document["is_well"] is True
    assert states_of(ended.document, "contact") == {"warn"}
    assert "GPURENT_CONTACT" in lines_of(ended.document, "contact")[0]["advice"]
    assert "not made yet" in lines_of(ended.document, "warehouse")[0]["text"]
    assert states_of(ended.document, "source vast") == {"ok"}
    assert not Path("gpurent.duckdb").exists()


def test_doctor_of_a_published_warehouse_looks_at_everything(home: Path, call: Call) -> None:
    ended = call("doctor", "--deep", "--json")
    document = ended.document
    topics = {line["topic"] for line in document["lines"]}
    assert {
        "configuration", "registers", "contact", "keys", "disk", "warehouse", "clock", "archive", "data", "runs",
        "days", "editions", "public file", "page", "source vast",
    } <= topics  # fmt: skip
    (archive,) = lines_of(document, "archive")
    assert archive["text"].startswith("21 of 21 captures read back")
    assert lines_of(document, "days")[0]["text"] == "published from 2026-07-13 to 2026-07-15, none missing"
    (editions,) = lines_of(document, "editions")
    assert "all 3: hashes and chain hold; valid by SAMPLE" in editions["text"]


def test_doctor_for_people_says_what_to_do(home: Path, call: Call) -> None:
    text = call("doctor").out
    assert "warn  public file" in text
    assert "→ gpurent daily writes it" in text


def test_doctor_reads_archived_bytes_back_and_ends_with_3(home: Path, call: Call) -> None:
    (path,) = (home / "gpurent.files/archive/closed_list").glob(f"*{market.DAYS[0]:%Y%m%d}*")
    body = bytearray(path.read_bytes())
    body[len(body) // 2] ^= 0xFF
    path.write_bytes(bytes(body))
    ended = call("doctor", "--json")
    assert ended.exit_code == 3
    assert "fail" in states_of(ended.document, "archive")
    assert path.name in lines_of(ended.document, "archive")[0]["text"]


def test_doctor_names_bad_data_by_check_and_clause(home: Path, call: Call) -> None:
    with open_warehouse(home / "gpurent.duckdb") as warehouse:
        warehouse.connection.execute("UPDATE offers SET usd_per_gpu_hour = 0 WHERE sku LIKE 'H200%'")
    ended = call("doctor", "--json")
    assert ended.exit_code == 3
    bad = [line for line in lines_of(ended.document, "data") if line["state"] == "fail"]
    assert any(line["text"].startswith("20_prices_not_positive") for line in bad)


def test_doctor_misses_days_that_were_never_published(live: Path, call: Call) -> None:
    with open_warehouse(live / "gpurent.duckdb") as warehouse:
        warehouse.connection.execute("DELETE FROM editions WHERE day = $1", [market.DAYS[1]])
    (days,) = lines_of(call("doctor", "--json").document, "days")
    assert days["state"] == "warn"
    assert "without an edition: 2026-07-14" in days["text"]


def test_doctor_misses_editions_that_are_recorded_but_gone(home: Path, call: Call) -> None:
    shutil.rmtree(home / "editions/2026-07-14")
    ended = call("doctor", "--json")
    assert ended.exit_code == 3
    assert any(
        "recorded, but not in editions: 2026-07-14/v1" in line["text"]
        for line in lines_of(ended.document, "editions")
    )


def test_doctor_finds_a_changed_edition(home: Path, call: Call) -> None:
    with (home / "editions/2026-07-15/v1/voices.csv").open("ab") as stream:
        stream.write(b"x")
    ended = call("doctor", "--json")
    assert ended.exit_code == 3
    assert any("hash_differs" in line["text"] for line in lines_of(ended.document, "editions"))


def test_doctor_refuses_a_clock_before_the_newest_record(live: Path, call: Call) -> None:
    late = RecordedClock(SystemClock().now() + timedelta(days=2))
    with open_warehouse(live / "gpurent.duckdb", clock=late) as warehouse:
        warehouse.append("grades", [{**market._grade_row(market.GRADES[0], market.DAYS[0])}])
    ended = call("doctor", "--json")
    assert ended.exit_code == 3
    assert states_of(ended.document, "clock") == {"fail"}


def test_doctor_says_who_holds_the_warehouse(home: Path) -> None:
    with lock.hold(Layout(home / "gpurent.duckdb"), SystemClock().now()):
        ended = in_a_process("doctor", "--json", cwd=home)
    (line,) = lines_of(ended.document, "warehouse")
    assert line["state"] == "warn"
    assert "is held by process" in line["text"]


def test_doctor_looks_at_keys(home: Path, call: Call) -> None:
    key = home / "key.pem"
    new_private_key(key)
    (home / "gpurent.toml").write_text('signing_key = "key.pem"\n[source_keys]\nnobody = "x"\n')
    assert states_of(call("doctor", "--json").document, "keys") == {"ok", "warn"}
    key.chmod(0o644)
    ended = call("doctor", "--json")
    assert ended.exit_code == 3
    assert "chmod 600 key.pem" in lines_of(ended.document, "keys")[0]["text"]


def test_doctor_names_register_files_that_are_wrong_or_read_by_nobody(home: Path, call: Call) -> None:
    stray = home / "registers" / "operator" / "mine.toml"
    stray.parent.mkdir(parents=True)
    stray.write_text("x = 1\n")
    lines = lines_of(call("doctor", "--json").document, "registers")
    assert [line["state"] for line in lines] == ["ok", "warn"]
    assert "nothing reads registers/operator/mine.toml" in lines[1]["text"]
    good = home / "registers" / "operators" / "mine.toml"
    good.parent.mkdir()
    good.write_text('[[operator]]\nname = "X"\n')
    ended = call("doctor", "--json")
    assert ended.exit_code == 3
    assert (
        "registers/operators/mine.toml: operator.0.operator_id"
        in lines_of(ended.document, "registers")[0]["text"]
    )


def test_runs_shows_what_a_run_did_and_how_it_ended(home: Path, call: Call) -> None:
    with open_warehouse(home / "gpurent.duckdb") as warehouse:
        with recorded_run(warehouse, "collect", "run_1") as log:
            log.report = {
                "accepted": 7,
                "rejected": {"price_zero": 2},
                "sources": {
                    "vast": {"status": "partial", "captures": 3, "accepted": 7, "rejected": {}, "faults": []}
                },
                "graded": {"offers": 6, "trades": 0, "rejected": {"no_grade": 1}},
            }
            log.exit_code = 4
        with pytest.raises(GpurentError), recorded_run(warehouse, "index", "run_2"):
            raise GpurentError("no day to price")
        # a run that was killed has a start and no end
        with recorded_run(warehouse, "daily", "run_3"):
            pass
        warehouse.connection.execute("DELETE FROM runs WHERE run_id = 'run_3' AND event = 'ended'")
    found = {run["run_id"]: run for run in call("runs", "--json").document["runs"]}
    assert (found["run_1"]["exit_code"], found["run_1"]["accepted"]) == (4, 7)
    assert found["run_1"]["rejected"] == {"no_grade": 1, "price_zero": 2}
    assert found["run_1"]["seconds"] >= 0
    assert (found["run_2"]["exit_code"], found["run_2"]["error"]) == (1, "no day to price")
    assert (found["run_3"]["exit_code"], found["run_3"]["ended_at"]) == (None, None)
    text = call("runs").out
    assert "0 of 1 whole" in text
    assert "did not end" in text
    assert len(call("runs", "--last", "2", "--json").document["runs"]) == 2
    assert call("runs", "--last", "0").exit_code == 2
    assert lines_of(call("doctor", "--json").document, "runs")[0]["state"] == "warn"


def test_a_run_that_is_repeated_under_a_recorded_clock_is_two_runs(tmp_path: Path) -> None:
    clock = RecordedClock(at_utc(market.DAYS[0], 9))
    with open_warehouse(tmp_path / "w.duckdb", clock=clock) as warehouse:
        for code in (0, 4):
            with recorded_run(warehouse, "daily --replay", "run_same") as log:
                log.exit_code = code
        assert [run.exit_code for run in last_runs(warehouse, 5)] == [4, 0]


def test_an_older_warehouse_is_upgraded_with_a_word_and_a_newer_one_refused(home: Path, call: Call) -> None:
    _make_older(home / "gpurent.duckdb")
    assert in_a_process("show", "H100-Y080-Y-YY-YY-OD-YY-J", cwd=home).exit_code == 2
    line = lines_of(call("doctor", "--json").document, "warehouse")[0]
    assert line["state"] == "fail"
    assert "run: gpurent migrate" in line["text"]
    assert call("migrate", "--json").document["applied"] == ["007_item_spans"]
    assert call("migrate", "--json").document["applied"] == []

    _make_older(home / "gpurent.duckdb")
    written = in_a_process("collect", "--endpoint", "http://127.0.0.1:9", "focus", cwd=home)
    assert "was written by an older version; brought up to date: 007_item_spans" in written.err

    connection = connect(home / "gpurent.duckdb")
    connection.execute("INSERT INTO schema_migrations VALUES (999, 'of_tomorrow', 'x', now())")
    connection.close()
    for command in (("migrate",), ("runs",), ("collect", "focus")):
        ended = in_a_process(*command, cwd=home)
        assert ended.exit_code == 2
        assert "999_of_tomorrow" in ended.err


def _make_older(path: Path) -> None:
    """Take the last schema file back, as a version that did not have it would have left the file."""
    newest = migrations.all_migrations()[-1]
    assert newest.title == "007_item_spans"
    connection = connect(path)
    connection.execute("DELETE FROM schema_migrations WHERE number = $1", [newest.number])
    for side in ("below", "above"):
        for which in ("first", "last"):
            connection.execute(f"ALTER TABLE items DROP COLUMN at_or_{side}_{which}_at")
    connection.close()


def test_a_run_of_a_collected_day_is_kept_whole(
    sample_run: SampleRun, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What `daily` puts into `runs` has the parts `gpurent runs` shows."""
    assert sample_run.exit_code == 0
    monkeypatch.chdir(sample_run.folder)
    done = call("runs", "--warehouse", "gpurent-sample/gpurent.duckdb", "--json")
    (run,) = done.document["runs"]
    assert run["command"] == "daily --sample"
    assert len(run["days"]) == len(sample_run.document["editions"])
    assert run["accepted"] == sample_run.document["collected"]["accepted"]
    assert run["sources"].keys() == sample_run.document["collected"]["sources"].keys()
    assert run["rejected"]
