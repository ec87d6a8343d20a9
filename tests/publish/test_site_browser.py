"""The site in a real browser: from a folder and from a server, at phone and desk width, in light and dark."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from gpurent.publish.site import write_site
from tests.loopback import serving
from tests.publish import synthetic_market as market

pytestmark = pytest.mark.browser

CHROMIUM = Path("/usr/bin/chromium")
# every kind of page, with how many charts it has
PAGES = {
    "index.html": 0,
    "about.html": 0,
    "operators/index.html": 0,
    "operators/alpha_cloud.html": 0,
    "grades/H100-Y080-Y-YY-YY-OD-YY-J.ALL.html": 2,  # no interval, no weight
    "grades/H200-Y141-Y-YY-YY-OD-YY-H.ALL.html": 2,  # with an interval
    "grades/B200-Y180-Y-YY-YY-OD-YY-T.NEO.html": 3,  # traded only: a weight as well
    "grades/A100-Y080-Y-YY-YY-OD-YY-W.ALL.html": 0,  # withheld since ever
}


@pytest.fixture(scope="module")
def site(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("browser")
    with market.copy_of(template, folder / "w.duckdb") as warehouse:
        return write_site(warehouse, folder / "site", is_sample=True).parent


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def server(site: Path) -> Iterator[str]:
    with serving(partial(_Quiet, directory=str(site))) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    if not CHROMIUM.exists():
        pytest.skip(f"{CHROMIUM} is not installed")
    with playwright.sync_playwright() as running:
        launched = running.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 900, 1440])
@pytest.mark.parametrize("origin", ["folder", "server"])
def test_every_kind_of_page_draws_without_errors_requests_or_overflow(
    browser: Any, site: Path, server: str, origin: str, width: int, scheme: str
) -> None:
    own = site.as_uri() if origin == "folder" else server
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    problems: list[str] = []
    outside: list[str] = []
    page.on("console", lambda said: problems.append(said.text) if said.type in {"error", "warning"} else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "request",
        lambda request: None if request.url.startswith((own, "data:")) else outside.append(request.url),
    )
    for name, charts in PAGES.items():
        page.goto(f"{own}/{name}")
        assert page.locator(".chart").count() == charts, name
        for chart in page.query_selector_all(".chart"):  # drawn without being scrolled to
            page.wait_for_function("chart => chart.dataset.drawn === 'yes'", arg=chart)
            assert len(chart.query_selector_all("svg path")) > 3, name
        for details in page.query_selector_all("details"):
            details.evaluate("one => { one.open = true; }")
        assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0, name
        too_wide = page.evaluate(
            """[...document.querySelectorAll('main *, header *, footer *')]
               .filter(e => !e.closest('.scroller, svg, .hidden'))
               .filter(e => e.getBoundingClientRect().right > window.innerWidth + 1)
               .map(e => e.tagName + '.' + e.className)"""
        )
        assert too_wide == [], name
        assert problems == [], name
        assert outside == [], name
    context.close()


def test_every_link_can_be_followed_from_the_front_page(browser: Any, server: str, site: Path) -> None:
    """A walk over all pages: everything on the site is reached, and nothing is missing."""
    context = browser.new_context()
    page = context.new_page()
    waiting, seen = [f"{server}/index.html"], set[str]()
    while waiting:
        url = waiting.pop()
        if url in seen:
            continue
        seen.add(url)
        if not url.endswith(".html"):
            assert context.request.get(url).status == 200, url
            continue
        answer = page.goto(url, wait_until="domcontentloaded")
        assert answer is not None
        assert answer.status == 200, url
        links = page.evaluate("[...document.querySelectorAll('a[href]')].map(a => a.href.split('#')[0])")
        waiting += [link for link in links if link.startswith(server)]
    reached = {url.removeprefix(f"{server}/") for url in seen}
    made = {path.relative_to(site).as_posix() for path in site.rglob("*.html")}
    assert made <= reached
    context.close()


def test_the_table_of_prices_is_a_table_to_a_screen_reader_also_on_a_phone(browser: Any, site: Path) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 800})
    page = context.new_page()
    page.goto((site / "index.html").as_uri())
    table = page.get_by_role("table", name="Reference prices of 15 July 2026, USD per GPU-hour")
    assert table.count() == 1
    assert table.get_by_role("rowheader", name="H200 141 GB").count() == 1
    assert table.get_by_role("columnheader").count() == 10
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.url.endswith("#content")
    context.close()


def test_pages_can_be_read_and_left_by_keyboard(browser: Any, site: Path) -> None:
    context = browser.new_context(viewport={"width": 1000, "height": 800})
    page = context.new_page()
    page.goto((site / "grades/H100-Y080-Y-YY-YY-OD-YY-J.ALL.html").as_uri())
    assert page.locator("h1").count() == 1
    assert page.get_by_role("navigation", name="Site").get_by_role("link").count() == 3
    assert page.get_by_role("img", name="Reference price of H100 80 GB").count() == 1
    # what scrolls can be reached and scrolled without a pointer
    assert page.locator(".scroller:not([tabindex='0'])").count() == 0
    page.get_by_role("link", name="alpha_cloud").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/operators/alpha_cloud.html")
    assert page.get_by_role("heading", level=1, name="alpha_cloud").count() == 1
    context.close()


def test_the_interval_is_drawn_where_there_is_one(browser: Any, site: Path) -> None:
    context = browser.new_context(viewport={"width": 1000, "height": 2000})
    page = context.new_page()
    areas = {}
    for code in ("H200-Y141-Y-YY-YY-OD-YY-H.ALL", "H100-Y080-Y-YY-YY-OD-YY-J.ALL"):
        page.goto((site / f"grades/{code}.html").as_uri())
        page.wait_for_selector(".chart[data-chart='reference'][data-drawn]")
        areas[code[:4]] = page.locator(".chart[data-chart='reference'] .mark-area path").count()
    assert areas["H200"] > 0
    assert areas["H100"] == 0
    context.close()


def test_charts_follow_the_system_from_light_to_dark(browser: Any, site: Path) -> None:
    context = browser.new_context(viewport={"width": 1000, "height": 2000}, color_scheme="light")
    page = context.new_page()
    page.goto((site / "grades/H100-Y080-Y-YY-YY-OD-YY-J.ALL.html").as_uri())
    page.wait_for_selector(".chart[data-drawn]")
    line = ".chart[data-drawn] .mark-line path[stroke='{}']"
    page.wait_for_selector(line.format("#0a5a6b"), state="attached")
    page.emulate_media(color_scheme="dark")
    page.wait_for_selector(line.format("#79c3d0"), state="attached")
    context.close()


def test_the_labels_of_an_axis_differ_and_a_flat_series_stays_low(browser: Any, site: Path) -> None:
    """The synthetic series moves by two per cent: less than an axis spans, so the picture is not tall."""
    context = browser.new_context(viewport={"width": 1000, "height": 800})
    page = context.new_page()
    page.goto((site / "grades/H100-Y080-Y-YY-YY-OD-YY-J.ALL.html").as_uri())
    page.wait_for_selector(".chart[data-chart='reference'][data-drawn]")
    labels = page.eval_on_selector_all(
        ".chart[data-chart='reference'] .role-axis-label text", "found => found.map(one => one.textContent)"
    )
    prices = [label for label in labels if label and label[0].isdigit() and "." in label]
    assert len(prices) >= 3
    assert len(prices) == len(set(prices))
    span = float(prices[-1]) - float(prices[0])
    assert abs(span) / float(prices[0]) > 0.015
    assert page.evaluate("document.querySelector('.chart[data-chart=reference]').offsetHeight") < 200
    context.close()


def test_a_page_that_is_printed_has_its_charts(browser: Any, site: Path) -> None:
    context = browser.new_context(viewport={"width": 1000, "height": 600})
    page = context.new_page()
    page.goto((site / "grades/B200-Y180-Y-YY-YY-OD-YY-T.NEO.html").as_uri())
    page.wait_for_function(
        "[...document.querySelectorAll('.chart')].every(chart => chart.dataset.drawn === 'yes')"
    )
    page.emulate_media(media="print")
    assert page.locator(".chart svg").count() == 3
    assert page.pdf()[:5] == b"%PDF-"
    context.close()


@pytest.mark.parametrize("width", [375, 1440])
def test_the_strip_shows_every_voice_inside_its_track(browser: Any, site: Path, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800})
    page = context.new_page()
    page.goto((site / "grades/H100-Y080-Y-YY-YY-OD-YY-J.ALL.html").as_uri())
    assert page.locator(".strip .dot").count() == 6
    assert page.locator(".strip .dot.cut").count() == 2
    track = page.locator(".strip .track").bounding_box()
    for dot in page.locator(".strip .dot, .strip b").all():
        box = dot.bounding_box()
        assert track["x"] <= box["x"] + box["width"] / 2 <= track["x"] + track["width"]
    opacities = page.eval_on_selector_all(
        ".strip .dot", "found => found.map(one => getComputedStyle(one).opacity)"
    )
    assert float(opacities[0]) < float(opacities[2])
    context.close()


@pytest.mark.parametrize("name", PAGES)
def test_text_on_a_phone_is_large_enough_to_read(browser: Any, site: Path, name: str) -> None:
    context = browser.new_context(viewport={"width": 375, "height": 800})
    page = context.new_page()
    page.goto((site / name).as_uri())
    small = page.evaluate(
        """[...document.querySelectorAll('main *')]
           .filter(e => [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()))
           .filter(e => e.getClientRects().length && !e.closest('.hidden, svg'))
           .filter(e => parseFloat(getComputedStyle(e).fontSize) < 11)
           .map(e => e.tagName + '.' + e.className)"""
    )
    assert small == []
    context.close()
