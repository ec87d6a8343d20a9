"""The bench over folders of real prices: it knows every source, passes over what is missing, and loses no row."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from bench.real_folders import PARTS
from collectors.registry import load_sources
from tests.collectors.cases import FIXTURES

CHECKOUT = Path(__file__).parents[2]


def run(folder: Path) -> tuple[int, list[str]]:
    done = subprocess.run(
        [sys.executable, "-m", "bench.real_folders", str(folder)],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, [" ".join(line.split()) for line in done.stdout.splitlines()]


def test_every_source_has_its_folder() -> None:
    assert {part.source_id for part in PARTS} == set(load_sources())


def test_a_folder_that_is_not_here_is_passed_over(tmp_path: Path) -> None:
    assert run(tmp_path / "none") == (0, [f"real folders: passed over, {tmp_path / 'none'} is not here"])


def test_a_source_is_told_with_its_rows_grades_and_refusals(tmp_path: Path) -> None:
    folder = tmp_path / "ccir_rate_cards"
    folder.mkdir()
    shutil.copy(FIXTURES / "ccir" / "rates.json", folder)
    code, lines = run(tmp_path)
    assert code == 0
    (told,) = [line for line in lines if line.startswith("ccir")]
    # six points: one is a part, one of a machine nobody knows
    assert told.startswith("ccir 1 6 4 4 ")
    assert told.endswith(" part_alone 1, unknown_instance_type 1")
    below = lines.index(told) + 1
    assert lines[below : below + 3] == [
        "1 A100-Y040-Y-YY-YY-OD-YY-Q",
        "1 H100-N094-Y-YY-YY-OD-YY-W",
        "1 H100-N094-Y-YY-YY-SP-YY-K",
    ]
    assert sum("passed over: no " in line for line in lines) == len(PARTS) - 1
    assert lines[-1].startswith("all in ")


def test_a_file_that_cannot_be_read_ends_it_with_1(tmp_path: Path) -> None:
    folder = tmp_path / "aws_p5_daily"
    folder.mkdir()
    (folder / "gpu_prices.csv").write_text('{"not": "a table"}', encoding="utf-8")
    code, lines = run(tmp_path)
    assert code == 1
    assert "unexpected_format" in lines[-1]
