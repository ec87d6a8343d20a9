"""A daily run that is killed at any named boundary and started again ends as if nothing had happened.

A replay of three days of four sources, in processes of their own: SIGKILL leaves no handler to tidy up.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from gpurent.sample.render import small_archive
from tests.daily.processes import run_command
from tests.daily.tables import differing_tables
from warehouse import checks, open_warehouse
from warehouse.archive import iterate

MOMENTS, MOMENTS_OF_THE_MAIN_SUITE = 25, 6
SEED = 20260807


def run_daily(archive: Path, folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """`gpurent daily --replay` of the archive into a warehouse in `folder`."""
    tokens = ["daily", "--replay", str(archive), "--json", *words, "--warehouse", str(folder / "w.duckdb")]
    return run_command(tokens, folder=folder, variables=variables)


def files_of(folder: Path) -> dict[str, str]:
    """Every file of the editions and its hash."""
    editions = folder / "editions"
    return {
        path.relative_to(editions).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(editions.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("archive")
    small_archive(folder)
    return folder


@pytest.fixture(scope="module")
def undisturbed(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Counter[str]]:
    """The folder of a run that nobody killed, and how often it reached each boundary."""
    folder = tmp_path_factory.mktemp("undisturbed")
    log = folder / "stages.txt"
    done = run_daily(archive, folder, GPURENT_STAGE_LOG=str(log))
    assert done.returncode == 0, done.stderr
    reached = Counter(line.rpartition(":")[0] for line in log.read_text().split())
    log.unlink()
    return folder, reached


def moment(number: int, reached: Counter[str]) -> str:
    """The boundaries in turn, so that every one is tried; which time it is reached is drawn."""
    names = sorted(reached)
    name = names[number % len(names)]
    return f"{name}:{random.Random(SEED + number).randint(1, reached[name])}"


@pytest.mark.parametrize(
    "number",
    [
        number if number < MOMENTS_OF_THE_MAIN_SUITE else pytest.param(number, marks=pytest.mark.slow)
        for number in range(MOMENTS)
    ],
)
def test_a_run_killed_anywhere_and_started_again_ends_the_same(number, archive, undisturbed, tmp_path):
    whole, reached = undisturbed
    when = moment(number, reached)
    assert run_daily(archive, tmp_path, GPURENT_KILL_AT=when).returncode == -signal.SIGKILL, when
    again = run_daily(archive, tmp_path)
    assert again.returncode == 0, (when, again.stderr)
    assert files_of(tmp_path) == files_of(whole), when
    assert differing_tables(tmp_path / "w.duckdb", whole / "w.duckdb") == [], when
    with open_warehouse(tmp_path / "w.duckdb", read_only=True) as warehouse:
        assert [str(finding) for finding in checks.run(warehouse)] == [], when
        captures = {name for (name,) in warehouse.rows("SELECT capture_id FROM captures")}
        archived = {record.capture_id for record in iterate(warehouse.layout.archive)}
    assert captures == archived, when


def test_there_are_more_boundaries_than_stages_and_all_are_tried(undisturbed):
    _, reached = undisturbed
    rooms = {"collectors", "warehouse", "grades", "index", "publish", "daily"}
    assert {name.split(".")[0] for name in reached} == rooms
    assert 12 <= len(reached) <= MOMENTS


def test_the_run_repeated_writes_nothing_and_says_the_same(archive, undisturbed):
    whole, _ = undisturbed
    before = files_of(whole)
    again = run_daily(archive, whole)
    assert again.returncode == 0
    report = json.loads(again.stdout)
    assert [edition["is_new"] for edition in report["editions"]] == [False] * 3
    assert files_of(whole) == before


@pytest.mark.parametrize("threads", ["1", pytest.param("2", marks=pytest.mark.slow), "4"])
def test_the_number_of_threads_changes_no_byte(threads, archive, undisturbed, tmp_path):
    whole, _ = undisturbed
    assert run_daily(archive, tmp_path, GPURENT_THREADS=threads).returncode == 0
    assert files_of(tmp_path) == files_of(whole)
    assert differing_tables(tmp_path / "w.duckdb", whole / "w.duckdb") == []


def test_a_second_run_at_once_exits_2_and_names_the_holder_and_the_public_file(archive, undisturbed):
    whole, _ = undisturbed
    with open_warehouse(whole / "w.duckdb", read_only=True):
        second = run_daily(archive, whole)
    assert second.returncode == 2
    assert f"process {os.getpid()}" in second.stdout + second.stderr
    assert "public.duckdb" in second.stdout + second.stderr
