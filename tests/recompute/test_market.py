"""Both computations over made-up markets: every number of every grade and day agrees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import date, timedelta
from pathlib import Path

import pytest

from gpurent.core.clock import RecordedClock, at_utc
from gpurent.recompute import compare
from index.parameters import load
from index.reduction import LIVE
from index.run import Memory, compute_day, store_day
from tests.recompute.market import GRADES, VERSION, MadeUpMarket
from tests.recompute.market_trades import render_trades
from warehouse import open_warehouse

FIRST = date(2026, 3, 20)


def priced(path: Path, seed: int, days: int) -> Path:
    """A warehouse with the market of a seed, every day priced by the index; large moves count as confirmed."""
    market = MadeUpMarket(seed)
    with open_warehouse(path, clock=RecordedClock(at_utc(FIRST, 0))) as warehouse:
        market.render(warehouse, FIRST, days)
        render_trades(market, warehouse, FIRST, days)
        memory = Memory()
        for number in range(days):
            day = FIRST + timedelta(days=number)
            warehouse.clock.advance_to(at_utc(day, 24 + 9))
            result = compute_day(
                warehouse,
                day,
                construction=LIVE,
                vintage="1",
                methodology=load(),
                register_version=VERSION,
                memory=memory,
                settled={f"{code}.{bucket}": True for code, bucket, _ in GRADES},
            )
            store_day(warehouse, result)
            memory = result.memory
    return path


def seen_in(path: Path) -> Counter[str]:
    """What the index met on the way: levels, reasons, flags, item states and rules of exclusion, each counted."""
    found: Counter[str] = Counter()
    with open_warehouse(path, read_only=True) as warehouse:
        for level, basis, reason, flags, count in warehouse.rows(
            "SELECT level, basis, reason_code, flags, count(*) FROM reference_prices GROUP BY ALL"
        ):
            for name in (f"level {level}", basis, reason, *flags.split(",")):
                found[str(name)] += count
        for rule, count in warehouse.rows("SELECT reason_code, count(*) FROM exclusions GROUP BY ALL"):
            found[rule] += count
    return found


def disagreements(folder: Path, seeds: Iterable[int], days: int) -> tuple[list[str], Counter[str]]:
    found: list[str] = []
    seen: Counter[str] = Counter()
    for seed in seeds:
        path = priced(folder / f"{seed}.duckdb", seed, days)
        differences = compare(path, FIRST, FIRST + timedelta(days=days))
        found += [f"seed {seed}: {difference}" for difference in differences]
        seen += seen_in(path)
        path.unlink()
    return found, seen


def test_both_computations_agree_on_a_made_up_market(tmp_path: Path) -> None:
    found, seen = disagreements(tmp_path, (10,), 45)
    assert found == []
    assert seen["level 4"] > 50, seen


@pytest.mark.slow
def test_both_computations_agree_on_many_made_up_markets(tmp_path: Path) -> None:
    found, seen = disagreements(tmp_path, (6, 7, 10), 80)
    assert found[:5] == []
    met = {name for name, count in seen.items() if count}
    assert {
        "level 3",
        "level 4",
        "level 5",
        "level 6",
        "unit_step",
        "flapping",
        "gate_pending",
        "after_gap",
    } <= met
