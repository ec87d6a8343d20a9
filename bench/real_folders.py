"""Read and grade whole folders of real prices, source by source: what comes of every row, and at what cost.

`python -m bench.real_folders [--real FOLDER]`: the folder lies beside the checkout (or in GPURENT_SHARED) and is no part
of it; without it this says so and ends 0. One warehouse takes all sources, so that the peak of memory is that of the
whole run. A folder that holds the same rows in two forms is read in one of them.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from collectors.ingest import ingest
from gpurent.core.clock import RecordedClock
from grades.normalise import normalise
from grades.registers import sync
from warehouse import Warehouse, open_warehouse

REAL = Path(os.environ.get("GPURENT_SHARED", Path(__file__).parents[2] / "shared")) / "data" / "real"
CLOCK = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
GOAL_SECONDS = 180
GOAL_GB = 2.0
SHOWN_GRADES = 5
_EXCERPTS = "api_response_excerpts_2026_10"

# source and what it reads; exchange rates first, since every other price may need them
FOLDERS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("ecb", ("ecb_fx/*.csv",)),
    ("google_calculator", ("gcp_calculator_history/*.parquet",)),
    ("gpurentalprices", ("gpurentalprices_daily/*.json.gz",)),
    ("vast", ("vast_offers_raw/*.json.gz",)),
    ("prime_intellect", ("prime_intellect_availability/by_provider.parquet",)),
    ("cloud_gpus_com", ("cloud_gpus_com/prices.parquet",)),
    ("fsdl", ("fsdl_cloud_gpus/*.parquet",)),
    ("aws_history", ("aws_ec2_gpu_2013_2017/*.parquet", "aws_ec2_gpu_2013_2017/*.json.gz")),
    ("aws_p5_daily", ("aws_p5_daily/*.csv",)),
    ("eu_cloud", ("eu_cloud_prices/gpu_instances.parquet", "eu_cloud_prices/gpu_component_pricing.json")),
    ("scaleway", ("eu_cloud_prices/scaleway_catalog_excerpt.json",)),
    ("ovhcloud", ("eu_cloud_prices/ovh_catalog_excerpt.json",)),
    ("ccir", ("ccir_rate_cards/*.json",)),
    ("aws", (f"{_EXCERPTS}/aws_*.json",)),
    ("azure", (f"{_EXCERPTS}/azure_*.json",)),
    ("oracle", (f"{_EXCERPTS}/oci_*.json",)),
    ("runpod", (f"{_EXCERPTS}/runpod_*.json",)),
    ("focus", ("focus_sample/*.csv.gz", "focus_sample/*.csv")),
)

# rows of the documents that came to anything: a record, several, or a refusal
_ROWS_IN = """
    SELECT count(*) FROM (
        SELECT capture_id, row_number FROM stated_offers WHERE source_id = $source
        UNION SELECT capture_id, row_number FROM stated_trades WHERE source_id = $source
        UNION SELECT capture_id, row_number FROM rejections WHERE source_id = $source AND stage = 'read'
    )
"""
_RATES = "SELECT count(*) FROM fx_rates SEMI JOIN captures USING (capture_id) WHERE source_id = $source"
_RECORDS = """
    SELECT
        (SELECT count(*) FROM offers WHERE source_id = $source),
        (SELECT count(*) FROM trades WHERE source_id = $source)
"""
_REFUSED = """
    SELECT stage, reason_code, count(*) FROM rejections WHERE source_id = $source
    GROUP BY ALL ORDER BY CASE stage WHEN 'read' THEN 1 WHEN 'normalise' THEN 2 ELSE 3 END, count(*) DESC, reason_code
"""
_GRADED = """
    WITH graded AS (
        SELECT g.offer_id AS record_id, g.grade_id FROM graded_offers AS g
        INNER JOIN offers USING (offer_id) WHERE source_id = $source
        UNION ALL
        SELECT g.trade_id, g.grade_id FROM graded_trades AS g
        INNER JOIN trades USING (trade_id) WHERE source_id = $source
    ),
    newest AS (
        SELECT grade_id, arg_max(code, known_at) AS code FROM grades GROUP BY grade_id
    )
    SELECT code, count(DISTINCT record_id) AS records FROM graded INNER JOIN newest USING (grade_id)
    GROUP BY GROUPING SETS ((), (code)) ORDER BY records DESC, code NULLS FIRST
"""
_PRICES = "SELECT min(usd_per_gpu_hour), median(usd_per_gpu_hour), max(usd_per_gpu_hour) FROM offers WHERE source_id = $source"


@dataclass(frozen=True, slots=True)
class SourceFigures:
    """What came of a source's files. `refused` is stage, reason code and number; `grades` code and number of records."""

    source_id: str
    files: int
    rows_in: int
    rates: int
    offers: int
    trades: int
    graded: int
    prices: tuple[float | None, ...]
    refused: tuple[tuple[str, str, int], ...]
    grades: tuple[tuple[str, int], ...]
    seconds: float

    def __str__(self) -> str:
        lines = [
            f"{self.source_id:<18}{self.files:>4} files{self.rows_in:>9,} rows in{self.offers:>9,} offers"
            f"{self.trades:>5,} trades{self.graded:>9,} graded{self.seconds:>8.1f} s"
        ]
        if self.rates:
            lines.append(f"    {'exchange rates':<12} {self.rates:,}")
        if self.offers:
            low, middle, high = (float(price or 0) for price in self.prices)
            lines.append(f"    {'USD/GPU-hour':<12} {low:.4f} to {high:.2f}, median {middle:.4f}")
        for stage in dict.fromkeys(stage for stage, _, _ in self.refused):
            counts = ", ".join(f"{code} {number:,}" for at, code, number in self.refused if at == stage)
            lines.append(f"    {'no ' + stage:<12} {counts}")
        if self.grades:
            top = ", ".join(f"{code} {number:,}" for code, number in self.grades[:SHOWN_GRADES])
            lines.append(f"    {len(self.grades):>3} {'grades':<8} {top}")
        return "\n".join(lines)


def files_of(real: Path, patterns: Iterable[str]) -> list[Path]:
    """The files of a source, sorted; a folder that is not there has none."""
    return [path for pattern in patterns for path in sorted(real.glob(pattern))]


def figures(warehouse: Warehouse, source_id: str, paths: list[Path], register_version: str) -> SourceFigures:
    """Ingest and grade a source's files. Raises SystemExit for a file that could not be read to its end."""
    began = time.perf_counter()
    report = ingest(warehouse, source_id, paths, run_id="bench")
    if report.exit_code != 0:
        sys.exit(f"{source_id}: {report.to_json()}")
    normalise(warehouse, register_version)
    seconds = time.perf_counter() - began
    asked = {"source": source_id}
    ((rows_in,),) = warehouse.rows(_ROWS_IN, asked)
    ((rates,),) = warehouse.rows(_RATES, asked)
    ((offers, trades),) = warehouse.rows(_RECORDS, asked)
    graded = dict(warehouse.rows(_GRADED, asked))
    return SourceFigures(
        source_id,
        len(paths),
        rows_in,
        rates,
        offers,
        trades,
        graded.pop(None, 0),
        warehouse.rows(_PRICES, asked)[0],
        tuple(warehouse.rows(_REFUSED, asked)),
        tuple(graded.items()),
        seconds,
    )


def peak_gb() -> float:
    """The most memory this process ever held, in GB of 10^9 bytes."""
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used / 1e9 if sys.platform == "darwin" else used * 1024 / 1e9


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.real_folders", description=__doc__)
    parser.add_argument("--real", type=Path, default=REAL, help="folder with a folder of files a source")
    parser.add_argument(
        "--source", action="append", help="only this source and the exchange rates; repeatable"
    )
    asked = parser.parse_args()
    if not asked.real.is_dir():
        print(f"folders of real prices: passed over, {asked.real} is not here (no part of a checkout)")
        return
    seconds = 0.0
    with tempfile.TemporaryDirectory() as folder:
        with open_warehouse(Path(folder) / "real.duckdb", clock=RecordedClock(CLOCK)) as warehouse:
            register_version = sync(warehouse)
            for source_id, patterns in FOLDERS:
                if asked.source and source_id not in {"ecb", *asked.source}:
                    continue
                paths = files_of(asked.real, patterns)
                if not paths:
                    print(f"{source_id:<18} passed over: no file like {', '.join(patterns)}")
                    continue
                found = figures(warehouse, source_id, paths, register_version)
                seconds += found.seconds
                print(found, flush=True)
    print(
        f"all folders: {seconds:.0f} s (goal {GOAL_SECONDS} s), "
        f"peak memory {peak_gb():.2f} GB (goal {GOAL_GB} GB)"
    )


if __name__ == "__main__":
    main()
