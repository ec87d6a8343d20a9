from __future__ import annotations

import csv
import json
import re
import tomllib
from collections.abc import Iterator
from decimal import Decimal
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import pytest

from gpurent.core.clock import at_utc
from gpurent.core.errors import CheckFailedError
from gpurent.core.ids import sha256_hex
from gpurent.publish.edition import write_edition
from gpurent.publish.sample_key import sample_key
from gpurent.publish.site import write_site
from gpurent.publish.site.sparkline import sparkline_path
from tests.publish import synthetic_market as market
from warehouse import Warehouse, open_warehouse


@pytest.fixture
def warehouse(template: Path, tmp_path: Path) -> Iterator[Warehouse]:
    with market.copy_of(template, tmp_path / "w.duckdb") as made:
        yield made


class Links(HTMLParser):
    """The addresses a page refers to, and its ids."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.linked: list[str] = []
        self.ids: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if found.get("id"):
            self.ids.append(str(found["id"]))
        if tag in {"script", "img"} and found.get("src"):
            self.loaded.append(str(found["src"]))
        if tag == "link":
            self.loaded.append(str(found["href"]))
        if tag == "a":
            self.linked.append(str(found["href"]))


def tree(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_the_vendored_libraries_are_the_ones_that_were_vendored() -> None:
    folder = files("gpurent.publish.site").joinpath("vendor")
    libraries = tomllib.loads(folder.joinpath("vendor.toml").read_text())["library"]
    assert [library["name"] for library in libraries] == ["vega", "vega-lite", "vega-embed"]
    for library in libraries:
        assert sha256_hex(folder.joinpath(library["file"]).read_bytes()) == library["sha256"]
        licence = folder.joinpath(library["licence"]).read_bytes()
        assert sha256_hex(licence) == library["licence_sha256"]
        assert b"Redistribution and use in source and binary forms" in licence
    assert len([entry for entry in folder.iterdir() if entry.name != "vendor.toml"]) == 2 * len(libraries)


def test_every_file_and_place_the_page_refers_to_is_in_the_folder(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    out = _editions(warehouse, tmp_path)
    page = write_site(warehouse, tmp_path / "site", is_sample=True, out=out)
    links = Links(page.read_text())
    assert len(links.ids) == len(set(links.ids))
    for address in links.loaded + links.linked:
        if address.startswith("#"):
            assert address[1:] in links.ids
        elif not address.startswith(("data:", "https://open_list.example", "https://closed_list.example")):
            assert (page.parent / address).is_file(), address
    assert "editions/2026-07-15/v1/manifest.json" in links.linked
    assert not [address for address in links.loaded if "//" in address]


def test_the_same_warehouse_gives_the_same_bytes(template: Path, tmp_path: Path) -> None:
    trees = []
    for threads in (1, 4):
        with open_warehouse(template, threads=threads) as warehouse:
            write_site(warehouse, tmp_path / str(threads), is_sample=False)
        trees.append(tree(tmp_path / str(threads)))
    assert trees[0] == trees[1]


def test_values_changes_and_reasons_are_in_the_page(warehouse: Warehouse, tmp_path: Path) -> None:
    text = write_site(warehouse, tmp_path / "site", is_sample=False).read_text()
    flat = " ".join(re.sub(r"<[^>]*>", " ", text).split())
    assert "H100 80 GB, any form, on demand H100-Y080-Y-YY-YY-OD-YY-J.ALL 2.7001 +1.00 %" in flat
    assert "B200 180 GB, any form, on demand, neoclouds B200-Y180-Y-YY-YY-OD-YY-T.NEO 4.5643" in flat
    assert "Fewer than three owner groups offer it 1 MI300X 192 GB" in flat
    assert "the seller asks 1.3771" in flat
    assert "4 of 6 grades have a value today" in flat
    assert "Letter –: not computed by this version." in flat
    assert "SAMPLE" not in text


def test_what_may_not_be_shown_is_not_in_the_page(warehouse: Warehouse, tmp_path: Path) -> None:
    write_site(warehouse, tmp_path / "site", is_sample=False)
    for name, body in tree(tmp_path / "site").items():
        assert market.HIDDEN.encode() not in body, name


def test_text_from_outside_cannot_become_markup(warehouse: Warehouse, tmp_path: Path) -> None:
    evil = "</script><script>alert(1)</script>"
    warehouse.connection.execute("UPDATE grades SET title = $1 WHERE grade_id = 'gr_h100'", [evil])
    text = write_site(warehouse, tmp_path / "site", is_sample=False).read_text()
    assert evil not in text
    data = re.search(r'<script type="application/json" id="series-data">(.*?)</script>', text, re.DOTALL)
    assert data is not None
    assert any(evil in series["description"] for series in json.loads(data[1]))


def test_the_sample_says_so_in_page_and_file(warehouse: Warehouse, tmp_path: Path) -> None:
    page = write_site(warehouse, tmp_path / "site", is_sample=True)
    assert "<strong>SAMPLE</strong>" in page.read_text()
    with (page.parent / "series.csv").open(newline="") as stream:
        assert {row["notice"] for row in csv.DictReader(stream)} == {"SAMPLE"}


def test_a_day_of_the_past_shows_nothing_after_it(warehouse: Warehouse, tmp_path: Path) -> None:
    page = write_site(warehouse, tmp_path / "site", is_sample=False, day=market.DAYS[1])
    assert "<h1>14 July 2026</h1>" in page.read_text()
    assert "2026-07-15" not in page.read_text().replace("15 July 2026", "")
    with (page.parent / "series.csv").open(newline="") as stream:
        assert max(row["day"] for row in csv.DictReader(stream)) == "2026-07-14"


def test_a_site_replaces_the_one_before_whole(warehouse: Warehouse, tmp_path: Path) -> None:
    target = tmp_path / "site"
    target.mkdir()
    (target / "old.html").write_text("old")
    (tmp_path / ".site.writing").mkdir()
    (tmp_path / ".site.writing" / "half.html").write_text("half")
    write_site(warehouse, target, is_sample=False)
    assert not (target / "old.html").exists()
    assert not (target / "half.html").exists()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".site")] == []


def test_there_is_no_page_without_a_price(tmp_path: Path) -> None:
    with (
        open_warehouse(tmp_path / "empty.duckdb") as warehouse,
        pytest.raises(CheckFailedError, match="nothing to show"),
    ):
        write_site(warehouse, tmp_path / "site", is_sample=False)


def test_a_sparkline_breaks_where_a_value_is_missing() -> None:
    assert sparkline_path([Decimal(1), Decimal(2), None, Decimal(1)]) == "M3.0 21.0L33.0 3.0M93.0 21.0"
    assert sparkline_path([Decimal(2), Decimal(2)]) == "M3.0 12.0L93.0 12.0"
    assert sparkline_path([None, Decimal(2)]) == ""


def _editions(warehouse: Warehouse, folder: Path) -> Path:
    write_edition(
        warehouse,
        folder / "editions",
        day=market.DAYS[2],
        vintage="1",
        construction="live",
        published_at=at_utc(market.DAYS[2], 33),
        key=sample_key(),
        is_sample=True,
    )
    return folder / "editions"
