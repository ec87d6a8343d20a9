"""A crawl of the price lists of AWS, Oracle, OVHcloud, Scaleway and the Google calculator, answered by this machine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import unquote

import pytest

from collectors.registry import load_sources
from gpurent.core.clock import RecordedClock
from tests.collectors.cases import FIXTURES
from tests.collectors.crawl_once import crawl_once
from tests.loopback import serving
from warehouse.store import Warehouse, open_warehouse

ASKED = ("aws", "google_calculator", "oracle", "ovhcloud", "scaleway")
FILES = {
    "google_calculator": "google_calculator/pricing.yml",
    "oracle": "oracle/products.json",
    "ovhcloud": "ovhcloud/catalogue.json",
}


@dataclass
class Site:
    url: str = ""
    asked: list[str] = field(default_factory=list)

    def answer(self, target: str) -> tuple[int, bytes]:
        source_id = target.split("/")[1]
        if source_id == "scaleway":
            return 200, self.scaleway(target)
        if source_id in FILES:
            return 200, (FIXTURES / FILES[source_id]).read_bytes()
        if "US East (N. Virginia)" in unquote(target):
            return 200, (FIXTURES / "aws" / "us_east_1.json").read_bytes()
        return (200, b'{"regions": {}}') if source_id == "aws" else (404, b"")

    def scaleway(self, target: str) -> bytes:
        """Paris 2 has a full page of machines without GPUs before the page with them."""
        if "/zones/fr-par-2/" in target and "page=2" not in target:
            plain = {f"DEV1-{number}": {"hourly_price": 0.01, "gpu": 0} for number in range(100)}
            return json.dumps({"servers": plain}).encode()
        return (FIXTURES / "scaleway" / "servers.json").read_bytes()


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    found = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found.asked.append(self.path)
            status, body = found.answer(self.path)
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Quiet."""

    with serving(Handler) as found.url:
        yield found


@dataclass
class Crawl:
    asked: list[str]
    warehouse: Warehouse


@pytest.fixture(scope="module")
def crawl(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawl]:
    database = tmp_path_factory.mktemp("live") / "w.duckdb"
    crawl_once(database, site.url, ASKED)
    clock = RecordedClock(datetime(2026, 12, 1, tzinfo=UTC))
    with open_warehouse(database, clock=clock) as opened:
        yield Crawl(site.asked, opened)


def test_every_location_of_aws_is_a_list_and_the_others_are_one_document(crawl: Crawl) -> None:
    places = load_sources()["aws"].options["locations"]
    of_aws = [unquote(path).split("/")[-3] for path in crawl.asked if path.startswith("/aws/")]
    assert sorted(of_aws) == sorted(places)
    rest = sorted(
        path for path in crawl.asked if not path.startswith(("/aws/", "/scaleway/")) and path != "/robots.txt"
    )
    assert rest == [
        "/google_calculator/Cyclenerd/google-cloud-pricing-cost-calculator/master/pricing.yml",
        "/oracle/pls/apex/cetools/api/v1/products/?currencyCode=USD",
        "/ovhcloud/v1/order/catalog/public/cloud?ovhSubsidiary=DE",
    ]
    keys = crawl.warehouse.rows("SELECT DISTINCT list_key FROM snapshots WHERE source_id = 'aws'")
    assert {key for (key,) in keys} == set(places.values())


def test_an_answer_shows_what_holds_when_it_is_given(crawl: Crawl) -> None:
    """Oracle's list was last changed in September and holds; the calculator says when it was built."""
    days = crawl.warehouse.rows(
        "SELECT source_id, snapshot_day, status FROM snapshots"
        " WHERE source_id NOT IN ('aws', 'scaleway') ORDER BY 1"
    )
    assert days == [
        ("google_calculator", date(2026, 7, 30), "complete"),
        ("oracle", date(2026, 11, 30), "complete"),
        ("ovhcloud", date(2026, 11, 30), "complete"),
    ]


def test_what_is_read_live_is_what_the_fixtures_state(crawl: Crawl) -> None:
    rows = crawl.warehouse.rows("SELECT source_id, count(*) FROM stated_offers GROUP BY ALL ORDER BY ALL")
    assert rows == [
        ("aws", 4),
        ("google_calculator", 10),
        ("oracle", 5),
        ("ovhcloud", 5),
        ("scaleway", 2 * len(load_sources()["scaleway"].options["zones"])),
    ]


def test_a_full_page_of_scaleway_is_followed_and_the_zone_is_one_list(crawl: Crawl) -> None:
    asked = sorted(path.partition("/zones/")[2] for path in crawl.asked if path.startswith("/scaleway/"))
    assert asked == [
        "fr-par-1/products/servers?per_page=100",
        "fr-par-2/products/servers?per_page=100",
        "fr-par-2/products/servers?per_page=100&page=2",
        "nl-ams-1/products/servers?per_page=100",
        "pl-waw-2/products/servers?per_page=100",
    ]
    pages = crawl.warehouse.rows(
        "SELECT list_key, status, stated_rows FROM snapshots WHERE source_id = 'scaleway' ORDER BY ALL"
    )
    assert pages == [
        ("fr-par-1", "complete", 2),
        ("fr-par-2", "complete", 2),
        ("fr-par-2", "partial", 0),
        ("nl-ams-1", "complete", 2),
        ("pl-waw-2", "complete", 2),
    ]
    looks = crawl.warehouse.rows(
        "SELECT count(DISTINCT snapshot_id) FROM snapshots WHERE source_id = 'scaleway'"
    )
    assert looks == [(4,)]
