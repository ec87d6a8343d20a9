"""What runs say to people: within the terminal, days without a value folded, faults with day and reason."""

from __future__ import annotations

import io
import shutil
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from gpurent.cli.output import PipeConsole
from gpurent.cli.pricetable import show_prices
from gpurent.cli.runreports import show_indexed
from tests.cli.conftest import Call
from tests.collectors.cases import FIXTURES
from tests.sample_run import SampleRun


def console_of(width: int) -> PipeConsole:
    return PipeConsole(file=io.StringIO(), width=width, highlight=False, markup=False, emoji=False)


def text_of(console: PipeConsole) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def with_decimals(price: dict[str, Any]) -> dict[str, Any]:
    """A row of the JSON document with its prices as they were before JSON."""
    names = [name for name in price if name.endswith("_usd_per_gpu_hour") and price[name] is not None]
    return price | {name: Decimal(f"{price[name]:.4f}") for name in names}


@pytest.mark.parametrize("width", [80, 100, 120, 144, 200])
def test_the_table_of_prices_keeps_within_the_terminal_and_codes_and_numbers_whole(
    sample_run: SampleRun, width: int
) -> None:
    prices = [with_decimals(price) for price in sample_run.document["table"]]
    console = console_of(width)
    show_prices(console, prices)
    lines = text_of(console).splitlines()
    assert max(len(line.rstrip()) for line in lines) <= width
    longest = 33 if width < 100 else 99
    for price in prices:
        code = f"{price['code']}.{price['bucket']}"
        if price["status"] != "withheld" and len(code) <= longest:
            (row,) = [line for line in lines if line.startswith(f"{code} ")]
            assert f" {price['reference_usd_per_gpu_hour']} " in row
            assert price["title"].split(",")[0] in "\n".join(lines)


def test_the_daily_run_names_the_day_and_the_reason_of_what_did_not_come_whole(sample_run: SampleRun) -> None:
    said = [line for line in sample_run.text.splitlines() if line.startswith("not read whole")]
    assert said == [
        "not read whole: azure on 2026-08-10: HTTP 500 instead of 200 (http_status)",
        "not read whole: oracle from 2026-08-07 to 2026-08-15: HTTP 503 instead of 200 (http_status)",
    ]


def test_paths_are_all_of_one_kind(sample_run: SampleRun) -> None:
    document = sample_run.document
    paths = [document[name] for name in ("edition_path", "page_path", "public_path")]
    assert [Path(path).is_absolute() and Path(path).exists() for path in paths] == [True] * 3
    shown = [
        line.split()[-1]
        for line in sample_run.text.splitlines()
        if line.startswith(("edition ", "page ", "public "))
    ]
    assert [path.split("/")[0] for path in shown] == ["gpurent-sample"] * 3


def day(number: int, published: int, *, is_new: bool = True) -> dict[str, Any]:
    name = f"2026-07-{number:02d}"
    return {
        "day": name,
        "vintage": "backfill-1",
        "published": published,
        "withheld": 135 - published,
        "is_new": is_new,
    }


def test_days_in_a_row_without_a_value_are_one_line() -> None:
    console = console_of(100)
    days = [day(1, 0), day(2, 0), day(3, 0), day(4, 9), day(5, 9), day(6, 0), day(7, 0, is_new=False)]
    show_indexed(console, {"days": days, "live_days": []})
    rows = [" ".join(line.split()) for line in text_of(console).splitlines()[1:]]
    assert rows == [
        "2026-07-01 to 2026-07-03, 3 days backfill-1 0 135 each yes",
        "2026-07-04 backfill-1 9 126 yes",
        "2026-07-05 backfill-1 9 126 yes",
        "2026-07-06 backfill-1 0 135 yes",
        "2026-07-07 backfill-1 0 135 no",
    ]


def test_rows_without_a_time_are_said_to_be_recorded_as_of_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(FIXTURES / "runpod" / "answer.json", "prices.json")
    first = call("ingest", "prices.json", "--source", "runpod")
    rows = int(first.out.split("1 file: ")[1].split()[0])
    assert rows > 3
    assert f"{rows} rows state no time: recorded as observed now; give --observed-at" in first.out

    again = call("ingest", "prices.json", "--source", "runpod")
    assert "prices.json: already known since 20" in again.out
    assert "keep the time" not in again.out
    late = call("ingest", "prices.json", "--source", "runpod", "--observed-at", "2026-08-15")
    assert "its rows keep the time they were recorded with" in late.out
    as_json = call("ingest", "prices.json", "--source", "runpod", "--json").document
    assert as_json["untimed"] == 0
    assert as_json["captures"][0]["known_since"].endswith("Z")


def test_rows_whose_time_is_given_are_not_counted_as_untimed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(FIXTURES / "runpod" / "answer.json", "prices.json")
    ended = call("ingest", "prices.json", "--source", "runpod", "--observed-at", "2026-08-15", "--json")
    assert ended.document["untimed"] == 0
    assert ended.document["accepted"] > 3
