"""An archive read again: in order of time, up to any instant, with damage told and nothing counted twice."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from collectors.capture import store_capture
from collectors.document import Document
from collectors.ingest import ingest
from collectors.registry import load_sources
from collectors.replay import Replay, captures_in, document_of, replay
from gpurent.core.clock import RecordedClock
from gpurent.core.errors import NotFoundError
from tests.collectors.cases import FIXTURES
from warehouse.archive import open_archive
from warehouse.store import Warehouse, open_warehouse

START = datetime(2026, 7, 1, 8, 0, tzinfo=UTC)
FILES = {"vast": "answer.json", "runpod": "answer.json", "ecb": "rates.xml"}


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """The archive of three days of three sources, each source asked an hour after the other."""
    clock = RecordedClock(START)
    with open_warehouse(tmp_path / "first.duckdb", clock=clock) as first:
        for day in range(3):
            with open_archive(first) as archive:
                for hour, (source_id, name) in enumerate(FILES.items()):
                    clock.advance_to(START + timedelta(days=day, hours=hour))
                    made = Document(
                        source_id,
                        f"https://{source_id}.example/prices",
                        (FIXTURES / source_id / name).read_bytes(),
                        clock.now(),
                        http_status=200,
                    )
                    store_capture(first, archive, load_sources()[source_id], made, run_id=f"day {day}")
        return first.layout.archive


def again(folder: Path, name: str = "again") -> Warehouse:
    return open_warehouse(folder / f"{name}.duckdb", clock=RecordedClock(START - timedelta(days=1)))


def test_captures_come_in_the_order_in_which_they_were_fetched(recorded: Path) -> None:
    found = [(record.fetched_at, record.source_id) for record in captures_in(recorded)]
    assert found == sorted(found)
    assert [source_id for _, source_id in found] == [*FILES] * 3
    only = [record.source_id for record in captures_in(recorded, sources={"ecb"})]
    assert only == ["ecb"] * 3


def test_files_may_lie_anywhere_below_the_folder(recorded: Path, tmp_path: Path) -> None:
    deep = tmp_path / "kept" / "of 2026"
    deep.mkdir(parents=True)
    for number, folder in enumerate(sorted(recorded.iterdir())):
        folder.rename(deep / str(number))
    assert [record.source_id for record in captures_in(tmp_path / "kept")] == [*FILES] * 3


def test_the_clock_stands_at_each_fetch_time(recorded: Path, tmp_path: Path) -> None:
    with again(tmp_path) as warehouse:
        replay(warehouse, recorded, run_id="again")
        assert warehouse.rows("SELECT DISTINCT known_at = fetched_at FROM captures") == [(True,)]
        assert warehouse.clock.now() == START + timedelta(days=2, hours=2)


def test_a_caller_may_move_its_own_clock(recorded: Path, tmp_path: Path) -> None:
    told: list[datetime] = []
    with again(tmp_path) as warehouse:
        replay(warehouse, recorded, run_id="again", on_instant=told.append)
        assert told == [START + timedelta(days=day, hours=hour) for day in range(3) for hour in range(3)]
        assert warehouse.clock.now() == START - timedelta(days=1)


def test_a_replay_stops_at_an_instant_and_goes_on_from_there(recorded: Path, tmp_path: Path) -> None:
    with again(tmp_path) as warehouse, again(tmp_path, "whole") as whole:
        run = Replay(warehouse, recorded, run_id="again")
        for day in range(3):
            assert run.next_at == START + timedelta(days=day)
            run.advance(START + timedelta(days=day, hours=2))
            assert warehouse.rows("SELECT count(*) FROM captures") == [(3 * (day + 1),)]
        assert run.next_at is None
        assert run.advance() is run.report
        replay(whole, recorded, run_id="again")
        query = "SELECT * FROM stated_offers ORDER BY stated_id"
        assert warehouse.dicts(query) == whole.dicts(query)
        assert replay(warehouse, recorded, run_id="b", until=START).to_json()["accepted"] == 0


def test_a_replay_repeats_what_is_known_only_as_known(recorded: Path, tmp_path: Path) -> None:
    with again(tmp_path) as warehouse:
        first = replay(warehouse, recorded, run_id="again").to_json()
        second = replay(warehouse, recorded, run_id="again").to_json()
    assert first["accepted"] == 3 * (4 + 6) + 6
    assert second["accepted"] == 0
    assert all(found["known"] == 3 for found in second["sources"].values())  # type: ignore[attr-defined]


def test_damage_is_told_and_the_rest_is_read(recorded: Path, tmp_path: Path) -> None:
    path = sorted(recorded.rglob("vast/*.warc.gz"))[1]
    body = bytearray(path.read_bytes())
    body[len(body) // 2] ^= 0xFF
    path.write_bytes(bytes(body))
    with again(tmp_path) as warehouse:
        report = replay(warehouse, recorded, run_id="again")
        assert len(report.damages) >= 1
        assert path.name in report.damages[0]
        assert warehouse.rows("SELECT count(*) FROM captures") == [(8,)]


def test_a_source_nobody_registered_is_a_fault_and_no_end(recorded: Path, tmp_path: Path) -> None:
    with (
        open_warehouse(tmp_path / "other.duckdb", clock=RecordedClock(START)) as other,
        open_archive(other) as archive,
    ):
        archive.store(
            source_id="stranger",
            run_id="r",
            capture_id="c",
            url="https://s.example",
            body=b"{}",
            fetched_at=START,
        )
    with again(tmp_path) as warehouse:
        report = replay(warehouse, other.layout.archive, run_id="again")
    assert [fault.reason_code for fault in report.sources["stranger"].faults] == ["unknown_source"]


def test_a_folder_without_an_archive_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"no archive \(\*\.warc\.gz\) is there"):
        captures_in(tmp_path)
    with pytest.raises(NotFoundError):
        captures_in(tmp_path / "nowhere")


def test_an_ingested_file_is_replayed_with_the_time_it_was_given(tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    path.write_bytes((FIXTURES / "runpod" / "answer.json").read_bytes())
    at = datetime(2026, 6, 1, 3, 0, tzinfo=UTC)
    with open_warehouse(tmp_path / "first.duckdb", clock=RecordedClock(START)) as first:
        ingest(first, "runpod", [path], run_id="by hand", observed_at=at)
        (record,) = captures_in(first.layout.archive)
        assert document_of(record).file_name == "prices.json"
        with again(tmp_path) as warehouse:
            replay(warehouse, first.layout.archive, run_id="again")
            query = "SELECT * FROM stated_offers ORDER BY stated_id"
            assert warehouse.dicts(query) == first.dicts(query)
            assert warehouse.rows("SELECT DISTINCT observed_at, observed_at_from FROM stated_offers") == [
                (at, "option")
            ]
