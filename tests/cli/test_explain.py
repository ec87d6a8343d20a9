"""`gpurent explain`: a screen that says who stands behind a price, one owner group's way, and everybody's."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpurent.cli.app import run
from tests.cli.conftest import Call
from tests.daily.days import H100, at, offer, snapshot

PRICES = {"runpod": 2.5, "vultr": 2.8, "lambda": 3.1, "hyperstack": 2.4}


@pytest.fixture(scope="module")
def priced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four sellers on two days; on the second one asks ten times as much, which waits for confirmation."""
    folder = tmp_path_factory.mktemp("explain")
    for number, prices in enumerate((PRICES, {**PRICES, "vultr": 28.0})):
        body = snapshot(at(number), [offer(name, usd) for name, usd in prices.items()])
        (folder / f"{number}.json").write_bytes(body)
    for tokens in (
        ["ingest", str(folder / "0.json"), str(folder / "1.json"), "--source", "gpurentalprices"],
        ["index"],
    ):
        assert run([*tokens, "--warehouse", str(folder / "w.duckdb"), "--json"]) == 0
    return folder / "w.duckdb"


def lines_of(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines()]


def test_the_summary_shows_voices_by_price_what_the_trim_left_and_a_among_them(
    priced: Path, call: Call
) -> None:
    lines = lines_of(call("explain", H100, "--day", "2026-07-07", "--warehouse", priced).out)
    start = lines.index("advertised leg 2.6500: the mean of the middle half by weight of 4 voices")
    assert lines[start + 2 : start + 7] == [
        "hyperstack 2.4 25.00 % cut today 1",
        "runpod 2.5 25.00 % whole today 1",
        "→ A 2.6500",
        "vultr 2.8 25.00 % whole today 1",
        "lambda 3.1 25.00 % cut today 1",
    ]
    assert "traded leg -: no trades" in lines
    assert (
        "short of level 3 (advertised): 4 of 6 owner groups with a price verified within a day; 1.0 of 3"
        in " ".join(lines)
    )
    assert lines[-2] == "1 stored response behind it, all intact"


def test_without_a_day_the_newest_one_is_explained(priced: Path, call: Call) -> None:
    ended = call("explain", H100, "--warehouse", priced, "--json")
    assert ended.document["price"]["day"] == "2026-07-08"


def test_what_did_not_count_is_shown_with_its_price_and_its_reason_once(priced: Path, call: Call) -> None:
    text = call("explain", H100, "--warehouse", priced).out
    lines = lines_of(text)
    start = lines.index("did not count, or not at the price stated")
    assert lines[start + 2] == "vultr 28"
    assert "(gate_pending)" in lines[start + 1] or "(jump_pending)" in lines[start + 1]
    (voice,) = [line for line in lines if line.startswith("vultr 2.8 ")]
    assert "held at its last accepted price" in voice
    full = call("explain", H100, "--warehouse", priced, "--full").out
    assert full.count("waits for a second capture") == 2  # at the voice, and under what did not count


def test_one_voice_is_walked_to_the_bytes(priced: Path, call: Call) -> None:
    ended = call("explain", H100, "--voice", "Lambda", "--warehouse", priced)
    assert "stated in row 3: '3.1'" in ended.out
    assert "hyperstack" not in ended.out
    document = call("explain", H100, "--voice", "lambda", "--warehouse", priced, "--json").document
    assert [group["owner_group"] for group in document["advertised"]] == ["lambda"]
    assert document["advertised"][0]["items"][0]["offers"][0]["capture"]["is_intact"] is True


def test_a_voice_that_is_not_there_is_answered_with_those_that_are(priced: Path, call: Call) -> None:
    ended = call("explain", H100, "--voice", "vast", "--warehouse", priced)
    assert ended.exit_code == 2
    assert (
        "'vast' is no owner group behind this price; there are hyperstack, lambda, runpod, vultr" in ended.err
    )


def test_voice_and_full_exclude_each_other(priced: Path, call: Call) -> None:
    ended = call("explain", H100, "--voice", "lambda", "--full", "--warehouse", priced)
    assert ended.exit_code == 2
    assert "take one of them" in ended.err


def test_a_withheld_day_is_explained_too(home: Path, call: Call) -> None:
    assert home.is_dir()
    ended = call("explain", "A100-Y080-Y-YY-YY-OD-YY-W")
    assert ended.exit_code == 0
    assert "withheld: only one owner group offers it" in ended.out
    assert "1 voice" in ended.out
