"""`gpurent daily --sample`, run once for all tests of all workers; who changes something takes a copy.

As a program (`python -m tests.sample_run FOLDER`) it is that command line in FOLDER, with both forms of its outcome.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpurent.cli.app import app
from gpurent.cli.context import Output
from gpurent.cli.output import PIPED_WIDTH, PipeConsole, document_text

TOKENS = ("daily", "--sample")
DOCUMENT, TEXT, LOG = "document.json", "text.txt", "log.txt"


@dataclass(frozen=True)
class SampleRun:
    """The working folder of the run, in which `gpurent-sample/` is, and how the command ended."""

    folder: Path
    exit_code: int
    text: str
    document: Any

    @property
    def warehouse(self) -> Path:
        return self.folder / "gpurent-sample" / "gpurent.duckdb"

    def copy_to(self, folder: Path) -> Path:
        """A copy of `gpurent-sample/` below `folder`, to be changed; its path."""
        return Path(shutil.copytree(self.folder / "gpurent-sample", folder / "gpurent-sample"))


def run_once(shared: Path) -> SampleRun:
    """The run in `shared`, made by whoever comes first."""
    shared.mkdir(exist_ok=True)
    with (shared / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (shared / DOCUMENT).exists():
            own = {name: value for name, value in os.environ.items() if not name.startswith("GPURENT_")}
            with (shared / LOG).open("w") as log:
                subprocess.run(
                    [sys.executable, "-m", "tests.sample_run", shared],
                    cwd=Path(__file__).parents[1],
                    env=own,
                    stderr=log,
                    check=True,
                )
    kept = json.loads((shared / DOCUMENT).read_text())
    return SampleRun(shared, kept["exit_code"], (shared / TEXT).read_text(), kept["document"])


def _main(folder: Path) -> None:
    os.chdir(folder)
    outcome = app.meta(list(TOKENS), exit_on_error=False, print_error=False, result_action="return_value")
    assert isinstance(outcome, Output)
    with Path(TEXT).open("w") as stream:
        outcome.show(PipeConsole(file=stream, width=PIPED_WIDTH, highlight=False, markup=False, emoji=False))
    document = json.loads(document_text(outcome.document))
    aside = Path(f"{DOCUMENT}.writing")
    aside.write_text(json.dumps({"exit_code": outcome.exit_code, "document": document}))
    aside.rename(DOCUMENT)


if __name__ == "__main__":
    _main(Path(sys.argv[1]))
