"""Runs in the `runs` table: one row when a run starts, one when it ends, with wall time and versions.

Wall time lives here and nowhere else: everything that is published carries the run's clock.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator
from contextlib import contextmanager

import duckdb

from gpurent import __version__
from gpurent.core.clock import SystemClock
from gpurent.core.errors import GpurentError
from gpurent.core.ids import content_id
from gpurent.daily.clockcheck import refuse_clock_set_back
from warehouse.store import Warehouse


def run_id_of(command: str, warehouse: Warehouse, *words: str) -> str:
    """The id of a run: its command, words and the time of its clock (the recorded one in a replay)."""
    return content_id("run", command, warehouse.clock.now(), *words)


class RunLog:
    """Collects what the end of a run reports."""

    def __init__(self) -> None:
        self.report: dict[str, object] = {}
        self.exit_code = 0


@contextmanager
def recorded_run(warehouse: Warehouse, command: str, run_id: str) -> Iterator[RunLog]:
    """Record start and end of a run; an error is recorded with its exit code and goes on.

    Refused with ConfigError, before anything is recorded, where the clock stands before what is there.
    """
    refuse_clock_set_back(warehouse)
    versions = {"gpurent": __version__, "duckdb": duckdb.__version__, "python": platform.python_version()}

    def record(event: str, exit_code: int | None, report: object) -> None:
        warehouse.append(
            "runs",
            [
                {
                    "run_id": run_id,
                    "command": command,
                    "event": event,
                    "occurred_at": warehouse.clock.now(),
                    "recorded_at": SystemClock().now(),
                    "exit_code": exit_code,
                    "report_json": json.dumps(report, sort_keys=True, default=str),
                }
            ],
        )

    record("started", None, versions)
    log = RunLog()
    try:
        yield log
    except GpurentError as error:
        record("failed", error.exit_code, {"error": str(error)})
        raise
    except Exception as error:
        record("failed", 1, {"error": f"{type(error).__name__}: {error}"})
        raise
    record("ended", log.exit_code, log.report)
