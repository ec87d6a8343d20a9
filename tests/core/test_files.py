"""Files are replaced whole or stay as they were."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpurent.core.files import replacing, sync_file, sync_folder, write_atomic


def test_a_file_is_written_and_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "new" / "latest.json"
    write_atomic(path, b"one")
    write_atomic(path, b"two")
    assert path.read_bytes() == b"two"
    assert [entry.name for entry in path.parent.iterdir()] == ["latest.json"]


def test_until_the_block_ends_the_old_file_stands(tmp_path: Path) -> None:
    path = tmp_path / "public.duckdb"
    path.write_bytes(b"old")
    with replacing(path) as aside:
        aside.write_bytes(b"new")
        assert path.read_bytes() == b"old"
        assert aside.parent == path.parent
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_what_killed_runs_left_is_removed_and_what_others_are_writing_stays(tmp_path: Path) -> None:
    path = tmp_path / "public.duckdb"
    dead = 2**22 + 1  # above the highest process id there can be
    for name in (f".public.duckdb.{dead}.tmp", f".public.duckdb.{dead}.tmp.wal", ".public.duckdb.1.tmp"):
        (tmp_path / name).write_bytes(b"half")
    with replacing(path) as aside:
        aside.write_bytes(b"new")
        aside.with_name(f"{aside.name}.wal").write_bytes(b"log")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [".public.duckdb.1.tmp", "public.duckdb"]


def test_a_block_that_fails_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "public.duckdb"
    path.write_bytes(b"old")

    def fail_half_way() -> None:
        with replacing(path) as aside:
            aside.write_bytes(b"half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_half_way()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_block_that_writes_nothing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), replacing(tmp_path / "x"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_syncing_what_is_not_there_is_an_error(tmp_path: Path) -> None:
    sync_folder(tmp_path)
    with pytest.raises(FileNotFoundError):
        sync_file(tmp_path / "x")
