"""One live run in a process of its own: a reactor starts once, so each crawl of a test has its own process.

python crawl_once.py WAREHOUSE ENDPOINT SOURCE… prints the report as JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from collectors.live import collect
from gpurent.core.clock import RecordedClock
from gpurent.core.settings import Settings
from warehouse.store import open_warehouse


def crawl_once(warehouse: Path, endpoint: str, source_ids: Sequence[str]) -> dict[str, Any]:
    """Such a run; its report. No setting of the person who runs the tests reaches it."""
    root = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, __file__, str(warehouse), endpoint, *source_ids],
        capture_output=True,
        text=True,
        check=False,
        cwd=root,
        env={"PYTHONPATH": root, "PATH": "/usr/bin:/bin"},
    )
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


class StepClock(RecordedClock):
    """A clock that moves on by a second at every look, so that times are the same in every run."""

    def now(self) -> datetime:
        self.advance_to(self._instant.fromtimestamp(self._instant.timestamp() + 1, UTC))
        return super().now()


def main() -> None:
    path, endpoint, *source_ids = sys.argv[1:]
    clock = StepClock(datetime(2026, 11, 30, 12, 0, tzinfo=UTC))
    with open_warehouse(Path(path), clock=clock) as warehouse:
        report = collect(warehouse, source_ids, Settings(), run_id="live run", endpoint=endpoint)
    print(json.dumps(report.to_json()))


if __name__ == "__main__":
    main()
