"""Ingest and grade every folder of real prices: rows in, records, graded, refusals by reason, seconds, peak memory.

Below each source stand the grades most of its records have.

`python -m bench.real_folders FOLDER`, or `python -m bench --real FOLDER`. The folders are no part of a checkout: what
is not there is named and passed over. Ends 1 where a file cannot be read or a row is neither a record nor refused.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from collectors.ingest import ingest
from gpurent.core.clock import RecordedClock
from grades.normalise import normalise
from grades.registers import sync
from warehouse import Warehouse, open_warehouse

NOW = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
GOAL_SECONDS, GOAL_MIB = 180, 2048
TOP_GRADES = 3
_EXCERPTS, _EUROPE = "api_response_excerpts_2026_10", "eu_cloud_prices"


@dataclass(frozen=True, slots=True)
class Part:
    """Files of one folder that one source reads; `observed_at` where neither rows nor names of files say a time."""

    source_id: str
    folder: str
    patterns: tuple[str, ...]
    observed_at: datetime | None = None

    def files(self, root: Path) -> list[Path]:
        """Sorted, so that every run reads in the same order."""
        return sorted({path for pattern in self.patterns for path in (root / self.folder).glob(pattern)})


# the rates first: prices in euro need them
PARTS = (
    Part("ecb", "ecb_fx", ("*.csv",)),
    Part("aws", _EXCERPTS, ("aws_*.json",)),
    Part("aws_history", "aws_ec2_gpu_2013_2017", ("*.parquet", "*.json.gz")),
    Part("aws_p5_daily", "aws_p5_daily", ("*.csv",)),
    Part("azure", _EXCERPTS, ("azure_*.json",)),
    Part("ccir", "ccir_rate_cards", ("*.json", "*.csv")),
    Part("cloud_gpus_com", "cloud_gpus_com", ("*.parquet", "*.json.gz")),
    Part("eu_cloud", _EUROPE, ("gpu_instances.parquet", "gpu_component_pricing.json")),
    Part("focus", "focus_sample", ("*.csv", "*.csv.gz")),
    Part("fsdl", "fsdl_cloud_gpus", ("*.parquet",)),
    Part("fsdl", "fsdl_cloud_gpus", ("*_latest.csv",), datetime(2025, 3, 7, tzinfo=UTC)),
    Part("google_calculator", "gcp_calculator_history", ("*.parquet", "*.yml.gz")),
    Part("gpurentalprices", "gpurentalprices_daily", ("*.json.gz", "*.parquet")),
    Part("oracle", _EXCERPTS, ("oci_*.json",)),
    Part("ovhcloud", _EUROPE, ("ovh_*.json",)),
    # stats.parquet and by_config.parquet sum up all providers: no price of anyone
    Part("prime_intellect", "prime_intellect_availability", ("by_provider.parquet", "*.jsonl.first100.gz")),
    Part("runpod", _EXCERPTS, ("runpod_*.json",)),
    Part("scaleway", _EUROPE, ("scaleway_*.json",)),
    Part("vast", "vast_offers_raw", ("*.json.gz", "*.parquet")),
)


@dataclass(frozen=True, slots=True)
class Result:
    """One source: stated rows read or refused, rates or records made of them, how many have a grade.

    `grades` are the codes most of them have, most frequent first; one record may have several.
    """

    source_id: str
    files: int
    rows_in: int
    records: int
    graded: int
    refused: dict[str, int]
    grades: tuple[tuple[str, int], ...]
    seconds: float
    faults: tuple[str, ...]
    lost: int

    def __str__(self) -> str:
        reasons = ", ".join(f"{code} {count:,}" for code, count in self.refused.items())
        figures = f"{self.files:>4}{self.rows_in:>9,}{self.records:>9,}{self.graded:>9,}{self.seconds:>8.1f}"
        grades = "".join(f"\n{'':<24}{count:>9,}  {code}" for code, count in self.grades)
        return f"{self.source_id:<19}{figures}  {reasons}".rstrip() + grades


# rates, offers and trades; those with at least one grade; rows that could not be priced
_COUNTS = """
SELECT
    (SELECT count(*) FROM fx_rates JOIN captures USING (capture_id) WHERE source_id = $1)
        + (SELECT count(*) FROM offers WHERE source_id = $1)
        + (SELECT count(*) FROM trades WHERE source_id = $1),
    (SELECT count(*) FROM offers SEMI JOIN graded_offers USING (offer_id) WHERE source_id = $1)
        + (SELECT count(*) FROM trades SEMI JOIN graded_trades USING (trade_id) WHERE source_id = $1),
    (SELECT count(*) FROM rejections WHERE source_id = $1 AND stage = 'normalise')
"""
_REFUSED = "SELECT reason_code, count(*) FROM rejections WHERE source_id = $1 GROUP BY ALL ORDER BY ALL"
# the grades that most records have, by the newest code of each
_GRADES = """
WITH graded AS (
    SELECT grade_id FROM graded_offers JOIN offers USING (offer_id) WHERE source_id = $1
    UNION ALL
    SELECT grade_id FROM graded_trades JOIN trades USING (trade_id) WHERE source_id = $1
),
named AS (
    SELECT grade_id, arg_max(code, known_at) AS code FROM grades GROUP BY grade_id
)
SELECT code, count(*) FROM graded JOIN named USING (grade_id) GROUP BY code ORDER BY count(*) DESC, code LIMIT $2
"""

HEADER = (
    f"{'source':<19}{'file':>4}{'rows in':>9}{'records':>9}{'graded':>9}{'seconds':>8}  refused, by reason"
)


def results(root: Path, warehouse: Warehouse) -> Iterator[Result]:
    """Every source that has files in `root`, one after the other; those without are said to be missing."""
    version = sync(warehouse)
    for source_id in dict.fromkeys(part.source_id for part in PARTS):
        parts = [part for part in PARTS if part.source_id == source_id]
        for part in parts:
            if not part.files(root):
                print(f"{source_id:<19}passed over: no {' or '.join(part.patterns)} in {root / part.folder}")
        if any(part.files(root) for part in parts):
            yield _result(root, warehouse, parts, version)


def _result(root: Path, warehouse: Warehouse, parts: list[Part], version: str) -> Result:
    began, source_id = time.perf_counter(), parts[0].source_id
    reports = [
        ingest(warehouse, source_id, part.files(root), observed_at=part.observed_at, run_id="bench")
        for part in parts
    ]
    normalise(warehouse, version)
    seconds = time.perf_counter() - began
    accepted = sum(report.accepted for report in reports)
    refused = warehouse.rows(_REFUSED, [source_id])
    ((records, graded, unpriced),) = warehouse.rows(_COUNTS, [source_id])
    return Result(
        source_id=source_id,
        files=sum(len(report.files) for report in reports),
        rows_in=accepted + sum(sum(report.rejected.values()) for report in reports),
        records=records,
        graded=graded,
        refused=dict(refused),
        grades=tuple(warehouse.rows(_GRADES, [source_id, TOP_GRADES])),
        seconds=seconds,
        faults=tuple(str(found.fault) for report in reports for found in report.files if found.fault),
        lost=accepted - records - unpriced,
    )


def peak_mib() -> float:
    """The most memory this process has held at once, in MiB (ru_maxrss is KiB, on macOS bytes)."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / 2**20 if sys.platform == "darwin" else most / 2**10


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.real_folders", description=__doc__)
    parser.add_argument("folder", type=Path, help="the folder that holds the folders of real prices")
    root = parser.parse_args().folder
    if not root.is_dir():
        print(f"real folders: passed over, {root} is not here")
        return 0
    began, wrong = time.perf_counter(), []
    print(HEADER)
    with (
        tempfile.TemporaryDirectory() as folder,
        open_warehouse(Path(folder) / "real.duckdb", clock=RecordedClock(NOW)) as warehouse,
    ):
        for result in results(root, warehouse):
            print(result, flush=True)
            wrong += [
                *result.faults,
                *([f"{result.source_id}: {result.lost} rows lost"] if result.lost else []),
            ]
    seconds = time.perf_counter() - began
    print(f"all in {seconds:.1f} s (goal {GOAL_SECONDS}), at most {peak_mib():,.0f} MiB (goal {GOAL_MIB:,})")
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
