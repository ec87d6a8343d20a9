"""Asking for help is quick: heavy libraries are imported by the commands that need them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HEAVY = ("scrapy", "twisted", "pandas", "numpy", "statsmodels", "scipy", "fastapi", "duckdb", "pyarrow")


def test_help_imports_no_heavy_library(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "gpurent", "--help"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "daily" in done.stdout
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if "|" in line}
    assert "gpurent.cli" in imported
    heavy = sorted(name for name in imported if name.partition(".")[0] in HEAVY)
    assert heavy == []
