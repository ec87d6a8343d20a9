"""The page in a real browser: from a folder and from a server, at phone and desk width, in light and dark."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from gpurent.publish.site import write_site
from tests.publish import synthetic_market as market

pytestmark = pytest.mark.browser

CHROMIUM = Path("/usr/bin/chromium")


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
    serving = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site)))
    thread = threading.Thread(target=serving.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{serving.server_port}/"
    serving.shutdown()
    thread.join()
    serving.server_close()


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
@pytest.mark.parametrize("width", [360, 900, 1440])
@pytest.mark.parametrize("origin", ["folder", "server"])
def test_the_page_draws_without_errors_requests_or_overflow(
    browser: Any, site: Path, server: str, origin: str, width: int, scheme: str
) -> None:
    home = (site / "index.html").as_uri() if origin == "folder" else server
    own = site.as_uri() if origin == "folder" else server
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    problems: list[str] = []
    outside: list[str] = []
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "request",
        lambda request: None if request.url.startswith((own, "data:")) else outside.append(request.url),
    )
    page.goto(home)
    for chart in page.query_selector_all(".chart"):
        chart.scroll_into_view_if_needed()
        page.wait_for_function("chart => chart.dataset.drawn === 'yes'", arg=chart)
    drawn = page.evaluate(
        "[...document.querySelectorAll('.chart')].map(c => c.querySelectorAll('svg path[aria-label], svg path').length)"
    )
    assert len(drawn) == 4
    assert min(drawn) > 3
    for details in page.query_selector_all("details"):
        details.evaluate("one => { one.open = true; }")
    assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
    too_wide = page.evaluate(
        """[...document.querySelectorAll('main *, header *, footer *')]
           .filter(e => !e.closest('.scroller, svg, .hidden'))
           .filter(e => e.getBoundingClientRect().right > window.innerWidth + 1)
           .map(e => e.tagName + '.' + e.className)"""
    )
    assert too_wide == []
    assert problems == []
    assert outside == []
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
    assert page.evaluate("document.activeElement.textContent") == "Skip to the prices"
    context.close()


def test_charts_follow_the_system_from_light_to_dark(browser: Any, site: Path) -> None:
    context = browser.new_context(viewport={"width": 1000, "height": 2000}, color_scheme="light")
    page = context.new_page()
    page.goto((site / "index.html").as_uri())
    page.wait_for_selector(".chart[data-drawn]")
    line = ".chart[data-drawn] .mark-line path[stroke='{}']"
    page.wait_for_selector(line.format("#0a5a6b"), state="attached")
    page.emulate_media(color_scheme="dark")
    page.wait_for_selector(line.format("#79c3d0"), state="attached")
    context.close()
