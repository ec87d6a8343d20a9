"""From files to a price and back, through the command line. Rendered lists; sellers exist, figures are made up."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Call

H100 = "H100-Y080-Y-YY-YY-OD-YY-J"
PRICES = {"runpod": "2.50", "vultr": "2.80", "lambda": "3.10", "hyperstack": "2.40"}


def _list(folder: Path, day: str, prices: dict[str, str], more: str = "") -> Path:
    """A list in the format of gpurentalprices, seen at 10:00 UTC of `day`."""
    rows = [
        f'{{"provider": "{seller}", "gpu": "h100-sxm", "vram_gb": 80, "usd_hr": {usd}, "kind": "on-demand", '
        f'"source_url": "https://{seller}.example/", "fetched_at": "{day}T09:59:00.000Z"}}'
        for seller, usd in prices.items()
    ]
    body = f'{{"date": "{day}", "generated_at": "{day}T10:00:00.000Z", "offers": [{", ".join(rows)}{more}]}}'
    path = folder / f"{day}.json.gz"
    path.write_bytes(gzip.compress(body.encode(), mtime=0))
    return path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_files_become_prices_that_lead_back_to_them(folder: Path, call: Call) -> None:
    first = _list(folder, "2026-07-08", PRICES)
    second = _list(folder, "2026-07-09", {**PRICES, "runpod": "2.60"})
    ingested = call("ingest", first, second, "--source", "gpurentalprices", "--json")
    assert ingested.exit_code == 0, ingested.err
    assert (ingested.document["accepted"], ingested.document["rejected"]) == (8, {})
    assert [one["accepted"] for one in ingested.document["captures"]] == [4, 4]

    indexed = call("index", "--from", "2026-07-08", "--to", "2026-07-09", "--json")
    assert indexed.exit_code == 0, indexed.err
    assert [(one["day"], one["vintage"]) for one in indexed.document["days"]] == [
        ("2026-07-08", "backfill-1"),
        ("2026-07-09", "backfill-1"),
    ]

    shown = call("show", H100, "--json").document
    assert (shown["day"], shown["construction"], shown["level"]) == ("2026-07-09", "reconstructed", 4)
    # four equal voices: the trim leaves the middle two
    assert shown["advertised_usd_per_gpu_hour"] == 2.7
    assert call("show", H100, "--day", "2026-07-08", "--json").document["reference_usd_per_gpu_hour"] == 2.65

    head = call("show", H100).out.splitlines()[2]
    assert head.startswith("2026-07-09, vintage backfill-1, computed 20")
    assert head.endswith(" UTC, reconstructed afterwards from what was available at the cut-off")

    groups = call("explain", H100, "--day", "2026-07-09", "--json").document["advertised"]
    offers = {group["owner_group"]: group["items"][0]["offers"][0] for group in groups}
    assert offers["runpod"]["stated"]["price_text"] == "2.60"
    assert {offer["capture"]["is_intact"] for offer in offers.values()} == {True}


def test_the_same_again_changes_nothing(folder: Path, call: Call) -> None:
    path = _list(folder, "2026-07-08", PRICES)
    for _ in range(2):
        assert call("ingest", path, "--source", "gpurentalprices").exit_code == 0
    days = [
        call("index", "--from", "2026-07-08", "--to", "2026-07-08", "--json").document["days"]
        for _ in range(2)
    ]
    assert [found[0]["is_new"] for found in days] == [True, False]
    assert days[0][0]["content_sha256"] == days[1][0]["content_sha256"]
    assert call("sql", "SELECT count(*) AS n FROM offers", "--json").document["rows"] == [{"n": 4}]


def test_a_bad_row_is_counted_and_a_bad_file_ends_with_4_or_3(folder: Path, call: Call) -> None:
    negative = ', {"provider": "runpod", "gpu": "h100-sxm", "vram_gb": 80, "usd_hr": -1, "kind": "spot"}'
    good = _list(folder, "2026-07-08", PRICES, negative)
    bad = folder / "page.json"
    bad.write_text("<html>503</html>")
    one = call("ingest", good, "--source", "gpurentalprices", "--json")
    assert (one.exit_code, one.document["accepted"], sum(one.document["rejected"].values())) == (0, 4, 1)
    assert call("ingest", good, bad, "--source", "gpurentalprices").exit_code == 4
    none = call("ingest", bad, "--source", "gpurentalprices", "--json")
    assert none.exit_code == 3
    assert json.dumps(none.document).count("page.json") >= 1


def test_an_unknown_source_ends_with_2_and_lists_those_there_are(folder: Path, call: Call) -> None:
    ended = call("ingest", _list(folder, "2026-07-08", PRICES), "--source", "gpurentalprice")
    assert ended.exit_code == 2
    assert "gpurentalprices" in ended.err


def test_collecting_live_without_a_contact_ends_with_2(folder: Path, call: Call) -> None:
    ended = call("collect", "vast", "--json")
    assert ended.exit_code == 2
    assert "contact" in ended.document["error"]["message"]
