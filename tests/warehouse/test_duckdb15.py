"""The previous DuckDB major opens what this one writes, and the other way round.

Run in an environment that has DuckDB 1.5.5; the other engine is that of the checkout's `.venv`.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import duckdb
import pytest

from tests.warehouse.rows import fill
from warehouse import open_warehouse
from warehouse.public import write_public

pytestmark = pytest.mark.duckdb15

OTHER = Path(__file__).parents[2] / ".venv" / "bin" / "python"

WRITE = """
import sys, pathlib
from tests.warehouse.rows import fill
from warehouse import open_warehouse
from warehouse.public import write_public
with open_warehouse(pathlib.Path(sys.argv[1])) as warehouse:
    fill(warehouse, "grades", {"grade_id": "written by the other engine"})
    print(write_public(warehouse))
"""

READ = """
import sys, duckdb
with duckdb.connect(sys.argv[1], read_only=True) as connection:
    print(duckdb.__version__, connection.execute("SELECT grade_id FROM grades").fetchall())
"""


def other_engine(script: str, path: Path) -> str:
    if not OTHER.exists():
        pytest.skip(f"{OTHER} is not here: there is no other engine to compare with")
    words = [str(OTHER), "-c", script, str(path)]
    return subprocess.run(
        words, cwd=OTHER.parents[2], capture_output=True, text=True, check=True
    ).stdout.strip()


def test_this_is_the_previous_major() -> None:
    assert duckdb.__version__ == "1.5.5"


def test_it_reads_and_writes_what_the_newer_engine_wrote(tmp_path: Path) -> None:
    path = tmp_path / "w.duckdb"
    public = Path(other_engine(WRITE, path))
    with duckdb.connect(str(public), read_only=True) as connection:
        rows = connection.execute("SELECT grade_id FROM grades").fetchall()
        assert rows == [("written by the other engine",)]
        assert connection.execute("SELECT count(*) FROM daily_reference").fetchall() == [(0,)]
    with open_warehouse(path) as warehouse:
        fill(warehouse, "grades", {"grade_id": "written by this one"})
        assert warehouse.rows("SELECT count(*) FROM grades") == [(2,)]


def test_the_newer_engine_reads_what_it_writes(tmp_path: Path) -> None:
    path = tmp_path / "w.duckdb"
    with open_warehouse(path) as warehouse:
        fill(warehouse, "grades", {"grade_id": "written by this one"})
        public = write_public(warehouse)
    for file in (path, public):
        answer = other_engine(READ, file)
        assert answer.endswith("[('written by this one',)]")
        assert answer.startswith("2.")
