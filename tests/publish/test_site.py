from __future__ import annotations

import csv
import json
import math
import os
import tomllib
from collections.abc import Iterator
from decimal import Decimal
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from gpurent.core.clock import at_utc
from gpurent.core.errors import CheckFailedError
from gpurent.core.ids import sha256_hex
from gpurent.publish.edition import write_edition
from gpurent.publish.sample_key import sample_key
from gpurent.publish.site import write_site
from gpurent.publish.site.aboutpage import parameters_of
from gpurent.publish.site.front import make_front
from gpurent.publish.site.names import file_name
from gpurent.publish.site.reading import SiteData, read_site
from gpurent.publish.site.sparkline import sparkline_path
from index.parameters import load, parse
from tests.publish import synthetic_market as market
from warehouse import Warehouse, open_warehouse
from warehouse.public import prepare_public_views

H100 = "grades/H100-Y080-Y-YY-YY-OD-YY-J.ALL.html"


@pytest.fixture
def warehouse(template: Path, tmp_path: Path) -> Iterator[Warehouse]:
    with market.copy_of(template, tmp_path / "w.duckdb") as made:
        yield made


class Page(HTMLParser):
    """A page: what it loads, where it leads, its ids, and its text without markup."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.linked: list[str] = []
        self.ids: list[str] = []
        self.words: list[str] = []
        self._is_script = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self._is_script = tag == "script"
        if found.get("id"):
            self.ids.append(str(found["id"]))
        if tag in {"script", "img"} and found.get("src"):
            self.loaded.append(str(found["src"]))
        if tag == "link":
            self.loaded.append(str(found["href"]))
        if tag == "a":
            self.linked.append(str(found["href"]))

    def handle_endtag(self, tag: str) -> None:
        self._is_script = False

    def handle_data(self, data: str) -> None:
        if not self._is_script:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def pages(folder: Path) -> dict[str, Page]:
    """Every page of a site by its path."""
    return {
        path.relative_to(folder).as_posix(): Page(path.read_text(encoding="utf-8"))
        for path in sorted(folder.rglob("*.html"))
    }


def broken_links(folder: Path) -> list[str]:
    """Every address of every page that leads, or loads from, nowhere; outside addresses are those of sources."""
    found = pages(folder)
    broken = []
    for name, page in found.items():
        for address in page.loaded + page.linked:
            if address.startswith(("data:", "https://", "http://")):
                continue
            path, _, fragment = address.partition("#")
            target = (folder / name).parent / path if path else folder / name
            relative = Path(os.path.relpath(target, folder)).as_posix()
            if not target.is_file() or (fragment and fragment not in found[relative].ids):
                broken.append(f"{name}: {address}")
    return broken


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


def test_every_link_of_every_page_leads_somewhere(warehouse: Warehouse, tmp_path: Path) -> None:
    out = _editions(warehouse, tmp_path)
    folder = write_site(warehouse, tmp_path / "site", is_sample=True, out=out).parent
    assert broken_links(folder) == []
    found = pages(folder)
    assert len(found) == 3 + len(market.GRADES) + len({owner for g in market.GRADES for owner in g.prices})
    for name, page in found.items():
        assert len(page.ids) == len(set(page.ids)), name
        assert not [address for address in page.loaded if "//" in address], name
    assert "editions/2026-07-15/v1/manifest.json" in found["index.html"].linked
    assert "../editions/2026-07-15/v1/manifest.json" in found[H100].linked
    (folder / "about.html").unlink()
    assert "index.html: about.html" in broken_links(folder)


def test_without_editions_no_page_leads_to_one(warehouse: Warehouse, tmp_path: Path) -> None:
    folder = write_site(warehouse, tmp_path / "site", is_sample=False).parent
    assert broken_links(folder) == []
    assert not any("editions/" in address for page in pages(folder).values() for address in page.linked)


def test_the_same_warehouse_gives_the_same_bytes(template: Path, tmp_path: Path) -> None:
    trees = []
    for threads in (1, 4):
        with open_warehouse(template, threads=threads) as warehouse:
            write_site(warehouse, tmp_path / str(threads), is_sample=False)
        trees.append(tree(tmp_path / str(threads)))
    assert trees[0] == trees[1]


def test_values_changes_and_reasons_are_on_the_front_page(warehouse: Warehouse, tmp_path: Path) -> None:
    front = Page(write_site(warehouse, tmp_path / "site", is_sample=False).read_text())
    assert "H100 80 GB, any form, on demand H100-Y080-Y-YY-YY-OD-YY-J.ALL 2.7001 +1.00 %" in front.text
    assert "B200 180 GB, any form, on demand, neoclouds B200-Y180-Y-YY-YY-OD-YY-T.NEO 4.5643" in front.text
    assert "Fewer than three owner groups offer it 1 MI300X 192 GB" in front.text
    assert "the seller asks 1.3771" in front.text
    assert "4 of 6 grades have a value today" in front.text
    assert "Letter –: not computed by this version." in front.text
    assert "SAMPLE" not in front.text
    assert H100 in front.linked
    assert "grades/A100-Y080-Y-YY-YY-OD-YY-W.ALL.html" in front.linked


def test_the_market_stands_on_one_logarithmic_axis(warehouse: Warehouse, tmp_path: Path) -> None:
    write_site(warehouse, tmp_path / "site", is_sample=False)
    market_of_day = make_front(_read(warehouse)).market
    assert market_of_day is not None
    marks = {mark.title: mark for mark in market_of_day.marks}
    assert list(marks) == ["B200 180 GB", "H200 141 GB", "H100 80 GB"]
    values = {title: math.log(float(mark.value)) for title, mark in marks.items()}
    slope = (marks["B200 180 GB"].reference - marks["H100 80 GB"].reference) / (
        values["B200 180 GB"] - values["H100 80 GB"]
    )
    between = marks["H100 80 GB"].reference + slope * (values["H200 141 GB"] - values["H100 80 GB"])
    assert marks["H200 141 GB"].reference == pytest.approx(between, abs=0.02)
    h200 = marks["H200 141 GB"]
    assert h200.low is not None
    assert h200.high is not None
    assert h200.low < h200.reference < h200.high
    assert marks["H100 80 GB"].low is None
    assert all(0 <= at <= 100 for _, at in market_of_day.ticks)


def test_a_grades_page_has_value_legs_voices_refusals_and_history(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    folder = write_site(warehouse, tmp_path / "site", is_sample=False).parent
    page = pages(folder)[H100]
    assert "2.7001 USD per GPU-hour +1.00 % since yesterday Level 4 indicative" in page.text
    assert "Advertised 2.7001 100 % 6 owner groups, 0 of them firm" in page.text
    assert "Traded – 0 % no trades in the window" in page.text
    # of six equal voices the trim cuts the outer ones and half of the next
    assert "alpha_cloud 2.1422 16.7 % counts cut by the trim today 1 −1.23 %" in page.text
    held = "delta_compute 2.8461 16.7 % held at its last accepted price moved by more than a quarter at once"
    assert held in page.text
    assert "Voice 1 3.0093 16.7 %" in page.text
    assert (
        "Not verified for more than seven days. 1 offer stale 1 owner group beta_gpu : last verified 9 days ago"
        in page.text
    )
    assert "2026-07-15 2.7001 +1.00 % 2.7001 102.0100 2.7001 – 0 % 4 indicative" in page.text
    assert "2026-07-13 2.6469 – 2.6469 100.0000" in page.text
    assert "Form and memory Y080 any form, 80 GB SXM module, 80 GB; form not stated, 80 GB" in page.text
    assert "Specification 2026.1, active since 2026-07-13." in page.text
    assert "../operators/alpha_cloud.html" in page.linked
    assert "../vendor/vega.min.js" in page.loaded


def test_a_grades_page_says_why_there_is_no_interval_and_shows_it_where_there_is(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    found = pages(write_site(warehouse, tmp_path / "site", is_sample=False).parent)
    assert "95 % interval – not computed by this version" in found[H100].text
    h200 = found["grades/H200-Y141-Y-YY-YY-OD-YY-H.ALL.html"].text
    assert "Letter B 95 % interval 3.3148 to 3.6987" in h200
    assert "95 % interval of P" in h200


def test_a_withheld_grades_page_says_why_and_loads_no_charts(warehouse: Warehouse, tmp_path: Path) -> None:
    found = pages(write_site(warehouse, tmp_path / "site", is_sample=False).parent)
    page = found["grades/A100-Y080-Y-YY-YY-OD-YY-W.ALL.html"]
    assert (
        "Withheld Only one owner group offers it, and one seller's price is a quote, not a market."
        in page.text
    )
    assert "The seller asks 1.3771: a quote, no reference." in page.text
    assert page.loaded == ["data:,", "../static/site.css"]
    assert found["index.html"].loaded == ["data:,", "static/site.css"]


def test_a_grade_that_lost_its_value_still_shows_its_series(warehouse: Warehouse, tmp_path: Path) -> None:
    change = (
        "UPDATE reference_prices SET status = 'withheld', level = 6, label = 'withheld', reason_code = 'outage', "
        "reference_usd_per_gpu_hour = NULL, reference_log = NULL WHERE grade_id = 'gr_h100' AND day = $1"
    )
    warehouse.connection.execute(change, [market.DAYS[2]])
    page = pages(write_site(warehouse, tmp_path / "site", is_sample=False).parent)[H100]
    assert "Last value: 2.6733 on 2026-07-14." in page.text
    assert "2026-07-15 Our own collection failed that day; nothing is carried. 6 withheld" in page.text
    assert "../vendor/vega.min.js" in page.loaded


def test_a_held_value_says_so(warehouse: Warehouse, tmp_path: Path) -> None:
    change = (
        "UPDATE reference_prices SET status = 'held', reason_code = 'large_move', "
        "reference_usd_per_gpu_hour = NULL, reference_log = NULL WHERE grade_id = 'gr_h100' AND day = $1"
    )
    warehouse.connection.execute(change, [market.DAYS[2]])
    found = pages(write_site(warehouse, tmp_path / "site", is_sample=False).parent)
    assert "H100-Y080-Y-YY-YY-OD-YY-J.ALL – held until it is checked" in found["index.html"].text
    assert "Held until it is checked The value moved by more than 10 %" in found[H100].text


def test_the_files_of_a_series_are_the_series(warehouse: Warehouse, tmp_path: Path) -> None:
    folder = write_site(warehouse, tmp_path / "site", is_sample=True).parent
    stem = folder / H100.removesuffix(".html")
    with Path(f"{stem}.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    columns = json.loads(Path(f"{stem}.json").read_text())
    parquet = pq.read_table(f"{stem}.parquet")
    assert [row["reference_usd_per_gpu_hour"] for row in rows] == ["2.6469", "2.6733", "2.7001"]
    assert columns["reference_usd_per_gpu_hour"] == [2.6469, 2.6733, 2.7001]
    assert parquet.column("reference_usd_per_gpu_hour").to_pylist() == [
        Decimal(row["reference_usd_per_gpu_hour"]) for row in rows
    ]
    assert list(columns) == parquet.column_names == list(rows[0])
    assert set(columns["notice"]) == {"SAMPLE"}
    whole = pq.read_table(folder / "series.parquet")
    assert whole.num_rows == len(market.DAYS) * len(market.GRADES)
    assert not (folder / "grades/A100-Y080-Y-YY-YY-OD-YY-W.ALL.csv").exists()


def test_an_operators_page_has_facts_tiers_evidence_and_the_grades_it_is_a_voice_of(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    found = pages(write_site(warehouse, tmp_path / "site", is_sample=False).parent)
    page = found["operators/alpha_cloud.html"]
    assert "Neocloud. Its own owner group. Class and owner: register.example , 2026-01-01." in page.text
    assert (
        "NR not rated; rests on synthetic evidence too little is known (overall 1 %, security 5 %, reliability 0 %)"
        in page.text
    )
    assert "data wiped Memory and disks are cleared between tenants. met synthetic disk_wipe" in page.text
    assert "rbac_sso synthetic pages.example the seller's document uncited" in page.text
    assert "sla" not in page.text  # known only after the day that is shown
    assert "H100 80 GB, any form, on demand H100-Y080-Y-YY-YY-OD-YY-J.ALL 2.1422 16.7 % counts" in page.text
    assert "../grades/H100-Y080-Y-YY-YY-OD-YY-J.ALL.html" in page.linked
    assert "https://open_list.example/" in page.linked
    listed = found["operators/index.html"]
    assert "alpha_cloud neocloud itself CT NR 2 5" in listed.text


def test_operators_of_one_owner_lead_to_each_other(warehouse: Warehouse, tmp_path: Path) -> None:
    warehouse.connection.execute(
        "UPDATE operators SET owner_group = 'big_holding' WHERE operator_id IN ('alpha_cloud', 'beta_gpu')"
    )
    folder = write_site(warehouse, tmp_path / "site", is_sample=False).parent
    found = pages(folder)
    assert broken_links(folder) == []
    assert "beta_gpu.html" in " ".join(found["operators/alpha_cloud.html"].linked)
    assert "index.html#group-big_holding" in found["operators/alpha_cloud.html"].linked
    assert found["operators/index.html"].ids.count("group-big_holding") == 1


def test_the_about_page_shows_the_parameters_of_the_methodology_that_is_given(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    folder = write_site(warehouse, tmp_path / "site", is_sample=False).parent
    assert "jump_ratio 1.25" in pages(folder)["about.html"].text
    changed = parse(load().raw.replace(b'jump_ratio = "1.25"', b'jump_ratio = "1.30"'), "changed.toml")
    write_site(warehouse, folder, is_sample=False, methodology=changed)
    text = pages(folder)["about.html"].text
    assert "jump_ratio 1.30" in text
    assert "jump_ratio 1.25" not in text


def test_every_parameter_of_the_methodology_is_shown_with_its_remark() -> None:
    found = dict(parameters_of(load().raw))
    shown = {(heading, one.name) for heading, parameters in found.items() for one in parameters}
    tables = {**{k: v for k, v in tomllib.loads(load().raw.decode()).items() if isinstance(v, dict)}}
    levels = tables.pop("levels")
    assert len(shown) == sum(map(len, tables.values())) + sum(map(len, levels.values()))
    (cap,) = [one for one in found["Voices and caps"] if one.name == "cap"]
    assert (cap.value, cap.says) == ("0.25", "max(25 %, 1/n) per owner group and per buyer")
    with pytest.raises(ValueError, match="cannot be shown line by line"):
        dict(parameters_of(b"[time]\ncut_off_hour_utc = [\n  30,\n]\n'x y' = 1\n"))


def test_the_about_page_says_which_sources_and_what_every_code_means(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    text = pages(write_site(warehouse, tmp_path / "site", is_sample=False).parent)["about.html"].text
    assert "synthetic open_list open_list an aggregator may be shown – not yet not yet yes" in text
    assert "jump_pending Moved by more than a quarter at once: waits for a second capture." in text
    for code in (
        "single_seller",
        "too_few_pairs",
        "own_offer_seen",
        "price_negative",
        "no_grade",
        "route_concentration",
    ):
        assert code in text


def test_what_may_not_be_shown_stands_nowhere_but_in_the_register(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    """The name is in the register of operators, which is public; that it sells, and at which price, is not."""
    write_site(warehouse, tmp_path / "site", is_sample=False)
    own = f"operators/{market.HIDDEN}.html"
    for name, body in tree(tmp_path / "site").items():
        if name not in {own, "operators/index.html"}:
            assert market.HIDDEN.encode() not in body, name
    page = pages(tmp_path / "site")[own]
    assert "In no grade under its own name." in page.text
    assert not [address for address in page.linked if address.startswith("../grades/")]


def test_text_from_outside_cannot_become_markup(warehouse: Warehouse, tmp_path: Path) -> None:
    evil = "</script><script>alert(1)</script>"
    warehouse.connection.execute("UPDATE grades SET title = $1 WHERE grade_id = 'gr_h100'", [evil])
    warehouse.connection.execute("UPDATE operators SET name = $1 WHERE operator_id = 'beta_gpu'", [evil])
    warehouse.connection.execute("UPDATE exclusions SET detail = $1", [evil])
    warehouse.connection.execute("UPDATE operator_evidence SET value = $1", [evil])
    folder = write_site(warehouse, tmp_path / "site", is_sample=False).parent
    for path in folder.rglob("*.html"):
        assert evil not in path.read_text(), path
    assert evil in pages(folder)[H100].text
    assert broken_links(folder) == []


def test_names_that_are_no_file_names_get_pages_all_the_same(warehouse: Warehouse, tmp_path: Path) -> None:
    folder = write_site(warehouse, tmp_path / "site", is_sample=False).parent
    (page,) = [page for page in pages(folder).values() if f"{market.FORMULA} Neocloud" in page.text]
    assert page.linked
    assert file_name("../../etc/passwd") != file_name("..%2Fetc/passwd")
    assert all("/" not in file_name(name) for name in ("../x", "a/b", "/"))


def test_the_sample_says_so_on_every_page_and_in_every_file(warehouse: Warehouse, tmp_path: Path) -> None:
    folder = write_site(warehouse, tmp_path / "site", is_sample=True).parent
    for name, page in pages(folder).items():
        assert page.text.count("SAMPLE") >= 2, name
    with (folder / "series.csv").open(newline="") as stream:
        assert {row["notice"] for row in csv.DictReader(stream)} == {"SAMPLE"}


def test_a_day_of_the_past_shows_nothing_after_it(warehouse: Warehouse, tmp_path: Path) -> None:
    page = write_site(warehouse, tmp_path / "site", is_sample=False, day=market.DAYS[1])
    assert "<h1>14 July 2026</h1>" in page.read_text()
    for path in page.parent.rglob("*.html"):
        assert "2026-07-15" not in path.read_text().replace("15 July 2026", ""), path
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


def _read(warehouse: Warehouse) -> SiteData:
    prepare_public_views(warehouse)
    return read_site(warehouse, market.DAYS[2], notice=None, out=None)


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
