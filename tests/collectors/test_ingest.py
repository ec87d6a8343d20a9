"""Files by hand: read by the same readers, counted once, timed by the best time there is, never lost."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from collectors.ingest import ingest
from collectors.moments import instant_in_name
from collectors.reports import IngestReport
from gpurent.core.errors import NotFoundError
from tests.collectors.cases import FETCHED_AT as NOW
from tests.collectors.cases import FIXTURES
from warehouse.archive import open_archive
from warehouse.store import Warehouse

ANSWER = (FIXTURES / "runpod" / "answer.json").read_bytes()
LIST = (FIXTURES / "gpurentalprices" / "list.json").read_bytes()


def written(folder: Path, name: str, body: bytes) -> Path:
    path = folder / name
    path.write_bytes(body)
    return path


def run(
    warehouse: Warehouse, source_id: str, *paths: Path, observed_at: datetime | None = None
) -> IngestReport:
    return ingest(warehouse, source_id, paths, run_id="run", observed_at=observed_at)


def test_the_report_counts_rows_and_names_captures(warehouse: Warehouse, tmp_path: Path) -> None:
    report = run(warehouse, "gpurentalprices", written(tmp_path, "list.json.gz", gzip.compress(LIST)))
    found = report.to_json()
    assert found["accepted"] == 7
    assert found["rejected"] == {"not_a_price": 1}
    (entry,) = found["captures"]  # type: ignore[misc]
    assert entry["path"].endswith("list.json.gz")
    assert (entry["accepted"], entry["rejected"], entry["outcome"]) == (7, 1, "read")
    assert warehouse.rows("SELECT capture_id, url FROM captures") == [
        (entry["capture_id"], "file:list.json.gz")
    ]
    assert report.exit_code == 0


def test_a_file_read_twice_counts_once_under_any_name(warehouse: Warehouse, tmp_path: Path) -> None:
    first = written(tmp_path, "a.json", LIST)
    assert run(warehouse, "gpurentalprices", first).accepted == 7
    report = run(warehouse, "gpurentalprices", first, written(tmp_path, "b.json", LIST))
    assert (report.accepted, report.rejected, report.exit_code) == (0, {}, 0)
    assert [file.to_json()["outcome"] for file in report.files] == ["known", "known"]
    assert warehouse.rows("SELECT count(*) FROM captures") == [(1,)]


@pytest.mark.parametrize(
    ("name", "option", "at", "known", "origin"),
    [
        ("prices.json", None, NOW, NOW, "clock"),
        (
            "prices.json",
            datetime(2026, 3, 4, 5, tzinfo=UTC),
            datetime(2026, 3, 4, 5, tzinfo=UTC),
            None,
            "option",
        ),
        (
            "runpod-2026-10-10.json",
            datetime(2026, 3, 4, tzinfo=UTC),
            datetime(2026, 10, 10, tzinfo=UTC),
            datetime(2026, 10, 11, tzinfo=UTC),
            "name",
        ),
        ("20261010T0915Z.json", None, datetime(2026, 10, 10, 9, 15, tzinfo=UTC), None, "name"),
    ],
)
def test_the_time_is_the_names_else_the_options_else_the_clocks(
    warehouse: Warehouse,
    tmp_path: Path,
    name: str,
    option: datetime | None,
    at: datetime,
    known: datetime | None,
    origin: str,
) -> None:
    run(warehouse, "runpod", written(tmp_path, name, ANSWER), observed_at=option)
    rows = warehouse.rows(
        "SELECT DISTINCT observed_at, snapshot_at, available_at, observed_at_from FROM stated_offers"
    )
    assert rows == [(at, at, known or at, origin)]


def test_a_files_own_time_comes_before_its_name_and_a_rows_own_before_both(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    run(warehouse, "gpurentalprices", written(tmp_path, "2026-01-01.json", LIST))
    assert warehouse.rows("SELECT DISTINCT snapshot_day::VARCHAR FROM snapshots") == [("2026-07-09",)]
    assert warehouse.rows("SELECT DISTINCT observed_at_from FROM stated_offers") == [("row",)]
    run(
        warehouse,
        "vast",
        written(tmp_path, "2026-01-02.json", (FIXTURES / "vast" / "collected.json").read_bytes()),
    )
    rows = warehouse.rows("SELECT DISTINCT observed_at_from FROM stated_offers WHERE source_id = 'vast'")
    assert rows == [("file",)]


def test_carried_forward_rows_keep_the_time_their_price_was_last_seen(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    run(warehouse, "gpurentalprices", written(tmp_path, "list.json", LIST))
    rows = warehouse.rows(
        "SELECT observed_at::DATE::VARCHAR, snapshot_at::DATE::VARCHAR FROM stated_offers WHERE operator_text = 'vultr'"
    )
    assert rows == [("2026-07-08", "2026-07-09")]


@pytest.mark.parametrize(
    ("name", "day"),
    [
        ("2026-07-20.json.gz", "2026-07-20"),
        ("prices_20260720.csv", "2026-07-20"),
        ("v2-2026.07.20-final", "2026-07-20"),
        ("1202607201.json", None),
        ("2026-13-40.json", None),
        ("2026-02-30.json", None),
        ("h100.json", None),
    ],
)
def test_a_date_in_a_name_is_a_whole_date_or_none(name: str, day: str | None) -> None:
    found = instant_in_name(name)
    assert (found[0].date().isoformat() if found else None) == day


FAULTS = {
    "empty_document": b"",
    "truncated_gzip": gzip.compress(LIST)[:-20],
    "html_instead_of_data": b"<!doctype html><html><title>Sign in</title></html>",
    "malformed_json": LIST[:200],
    "unexpected_format": b'{"generated_at": "2026-07-20T11:00:00Z", "offers": {}}',
    "missing_column": b"generated_at,provider\n2026-07-20T11:00:00Z,a\n".replace(b"generated_at", b"made_at"),
    "document_time": b'{"generated_at": "today", "offers": []}',
    "unknown_format": b"PK\x03\x04",
}


def test_unreadable_files_are_named_their_bytes_kept_and_the_good_ones_read(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    paths = [written(tmp_path, f"{code}.bin", body) for code, body in FAULTS.items()]
    paths.insert(3, written(tmp_path, "good.json", LIST))
    report = run(warehouse, "gpurentalprices", *paths, tmp_path / "missing.json", tmp_path)
    assert report.accepted == 7
    assert (report.readable, report.unreadable, report.exit_code) == (1, len(FAULTS) + 2, 4)
    faults = [file.fault.reason_code for file in report.files if file.fault]
    assert faults == [*FAULTS, "file_not_readable", "file_not_readable"]
    assert report.rejected == {"not_a_price": 1} | dict.fromkeys(FAULTS, 1)
    with open_archive(warehouse) as archive:
        for file, offset, url in warehouse.rows(
            "SELECT archive_file, archive_offset, url FROM captures WHERE outcome = 'unreadable'"
        ):
            name = url.removeprefix("file:").removesuffix(".bin")
            assert archive.read(file, offset).body == FAULTS[name]


def test_prices_of_a_row_refused_in_the_same_words_are_each_a_refusal(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    versions = (FIXTURES / "google_calculator" / "versions.csv").read_text(encoding="utf-8")
    first = next(csv.DictReader(io.StringIO(versions)))
    made = io.StringIO()
    table = csv.DictWriter(made, list(first))
    table.writeheader()
    table.writerow(first | {"hour": "eight"})
    report = run(warehouse, "google_calculator", written(tmp_path, "v.csv", made.getvalue().encode()))
    refused = sum(report.rejected.values())
    assert report.rejected["not_a_number"] == 3
    assert warehouse.rows("SELECT count(*), count(DISTINCT rejection_id) FROM rejections") == [
        (refused, refused)
    ]


def test_a_pipe_is_no_file_and_is_not_waited_for(warehouse: Warehouse, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    good = written(tmp_path, "good.json", LIST)
    report = run(warehouse, "gpurentalprices", tmp_path / "pipe", tmp_path / "loop", Path("/dev/zero"), good)
    assert [file.fault.reason_code if file.fault else None for file in report.files] == [
        *["file_not_readable"] * 3,
        None,
    ]
    assert report.accepted == 7


def test_an_unreadable_file_is_unreadable_again_but_recorded_once(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    path = written(tmp_path, "x.json", FAULTS["html_instead_of_data"])
    for _ in range(2):
        report = run(warehouse, "gpurentalprices", path)
        assert report.exit_code == 3
        (file,) = report.files
        assert file.fault is not None
        assert file.fault.reason_code == "html_instead_of_data"
    assert report.rejected == {}
    assert warehouse.rows("SELECT count(*) FROM rejections") == [(1,)]


def test_nothing_readable_ends_with_three(warehouse: Warehouse, tmp_path: Path) -> None:
    assert run(warehouse, "gpurentalprices", written(tmp_path, "x", b"")).exit_code == 3


def test_a_file_of_200_megabytes_is_kept_and_refused_whole(warehouse: Warehouse, tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    with path.open("wb") as stream:
        stream.truncate(200 * 10**6)
    report = run(warehouse, "gpurentalprices", path)
    assert report.rejected == {"document_too_large": 1}
    assert report.exit_code == 3
    (file, offset, size) = warehouse.rows("SELECT archive_file, archive_offset, size_bytes FROM captures")[0]
    assert size == 200 * 10**6
    with open_archive(warehouse) as archive:
        assert len(archive.read(file, offset).body) == size


def test_an_unknown_source_is_refused_before_anything_is_read(warehouse: Warehouse, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no source 'nobody'"):
        run(warehouse, "nobody", tmp_path / "missing.json")


def test_reading_files_starts_no_reactor() -> None:
    code = (
        "import sys, collectors.ingest, collectors.replay, collectors.live\n"
        "from collectors.reading import reader_of\n"
        "from collectors.registry import load_sources\n"
        "[reader_of(name) for name in load_sources()]\n"
        "print('twisted.internet.reactor' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_the_report_is_json(warehouse: Warehouse, tmp_path: Path) -> None:
    report = run(warehouse, "gpurentalprices", written(tmp_path, "x", b""), tmp_path / "missing")
    assert json.loads(json.dumps(report.to_json())) == report.to_json()
