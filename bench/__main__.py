"""Seconds and rates of the parts that grow with the data, on this machine.

`python -m bench [--rows N] [--real FOLDER]`: with FOLDER also `bench.real_folders`.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

from gpurent.core.clock import RecordedClock
from gpurent.core.ids import content_id
from warehouse import Warehouse, checks, open_warehouse
from warehouse.archive import StoredRecord, open_archive
from warehouse.public import write_public

START = datetime(2026, 7, 1, 9, 0, tzinfo=UTC)
DAYS = 30


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the answer."""

    what: str
    seconds: float
    amount: float
    unit: str

    def __str__(self) -> str:
        return (
            f"{self.what:<44}{self.seconds:>9.2f} s{_rounded(self.amount / self.seconds):>14,} {self.unit}/s"
        )


def _rounded(rate: float) -> float:
    """Three digits are all that a single run can tell."""
    return float(f"{rate:.3g}")


def timed(what: str, amount: float, unit: str, work: Callable[[], object]) -> Figure:
    """Run `work` once and say how long it took."""
    began = time.perf_counter()
    work()
    return Figure(what, time.perf_counter() - began, amount, unit)


def archive_figures(warehouse: Warehouse, responses: int) -> list[Figure]:
    """Responses of 50 kB, half of them unchanged; each is on the disk before the next."""
    dice = random.Random(1)
    bodies = [dice.randbytes(1_000) * 50 for _ in range(responses // 2)]
    stored: list[StoredRecord] = []
    with open_archive(warehouse) as archive:

        def store() -> None:
            for number in range(responses):
                page = number % len(bodies)
                stored.append(
                    archive.store(
                        source_id="bench",
                        run_id="bench",
                        capture_id=f"cap_{number}",
                        url=f"https://bench.example/{page}",
                        body=bodies[page],
                        fetched_at=START,
                        http_status=200,
                    )
                )

        def read() -> None:
            for record in stored:
                archive.read(record.archive_file, record.archive_offset)

        return [
            timed("archive: store, synced one by one", responses, "records", store),
            timed("archive: read and verify", responses, "records", read),
        ]


def offer(number: int, columns: set[str]) -> dict[str, object]:
    """A synthetic offer: one of 40 operators, one of 30 days."""
    day = number % DAYS
    seen = START + timedelta(days=day)
    row: dict[str, object] = dict.fromkeys(columns, "x")
    row |= {
        "offer_id": content_id("bench", number),
        "source_id": "bench",
        "operator_id": f"operator_{number % 40}",
        "route_rank": 1,
        "price_amount": Decimal(200 + number % 97) / 100,
        "native_per_gpu_hour": Decimal(200 + number % 97) / 100,
        "usd_per_gpu_hour": Decimal(200 + number % 97) / 100,
        "gpu_count": Decimal(8),
        "is_converted": False,
        "is_marketplace": False,
        "currency": "USD",
        "fx_day": None,
        "fx_age_days": None,
        "available_gpus": None,
        "host_count": None,
        "offer_count": None,
        "effective_date": None,
        "snapshot_at": seen,
        "snapshot_day": date(2026, 7, 1) + timedelta(days=day),
        "observed_at": seen,
        "available_at": seen,
    }
    row.pop("known_at")
    return row


def table_figures(warehouse: Warehouse, rows: int) -> list[Figure]:
    """Rows through the one door, then out again."""
    columns = set(warehouse.schema("offers").names)
    offers = [offer(number, columns) for number in range(rows)]
    source = dict.fromkeys(warehouse.schema("sources").names, None) | {
        "source_id": "bench",
        "redistribution": "allowed",
        "cadence_hours": 6,
        "is_file_only": False,
    }
    text = ("title", "kind", "url", "unit", "currency", "time_meaning", "fixture_origin", "record_sha256")
    warehouse.append("sources", [source | dict.fromkeys(text, "x")])
    return [
        timed("warehouse: append offers", rows, "rows", lambda: warehouse.append("offers", offers)),
        timed("warehouse: all checks", rows, "rows", lambda: checks.run(warehouse)),
        timed("public file", rows, "rows", lambda: write_public(warehouse)),
    ]


def sample_figure(folder: Path) -> Figure:
    """The whole daily run of the sample, in a process of its own."""
    words = [sys.executable, "-m", "gpurent", "daily", "--sample"]
    quiet = os.environ | {"GPURENT_LOG_LEVEL": "error"}
    return timed(
        "gpurent daily --sample",
        1,
        "runs",
        lambda: subprocess.run(words, cwd=folder, env=quiet, check=True, stdout=subprocess.DEVNULL),
    )


def real_folders(folder: Path | None) -> int:
    """The folders of real prices, in a process of their own so that its peak memory is theirs; its exit code."""
    if folder is None:
        print("real folders: passed over, none was named (--real FOLDER)")
        return 0
    return subprocess.run([sys.executable, "-m", "bench.real_folders", str(folder)], check=False).returncode


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000, help="offers to append (default 100000)")
    parser.add_argument("--responses", type=int, default=400, help="responses to archive (default 400)")
    parser.add_argument(
        "--real", type=Path, metavar="FOLDER", help="folders of real prices to ingest and grade"
    )
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        with open_warehouse(Path(folder) / "bench.duckdb", clock=RecordedClock(START)) as warehouse:
            for figure in archive_figures(warehouse, asked.responses) + table_figures(warehouse, asked.rows):
                print(figure, flush=True)
        print(sample_figure(Path(folder)), flush=True)
    return real_folders(asked.real)


if __name__ == "__main__":
    sys.exit(main())
