"""A crawl of a server on this machine: what is asked, what is kept, what is refused, and its replay."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from collectors.bases.base import address
from collectors.live import collect
from collectors.replay import replay
from gpurent.core.clock import RecordedClock
from gpurent.core.errors import ConfigError, NotFoundError
from gpurent.core.settings import Settings
from tests.collectors.cases import FIXTURES
from tests.collectors.crawl_once import crawl_once
from tests.loopback import serving
from warehouse.store import Warehouse, open_warehouse

Answer = tuple[int, dict[str, str], bytes]
JSON = {"Content-Type": "application/json"}


@dataclass
class Site:
    """A server on this machine that answers for all sources, and remembers what it was asked."""

    url: str = ""
    asked: list[tuple[str, str, bytes, dict[str, str]]] = field(default_factory=list)

    def answer(self, method: str, target: str, body: bytes) -> Answer:
        path = urlsplit(target).path
        match path.split("/")[1]:
            case "robots.txt":
                return 200, {}, b"User-agent: *\nDisallow: /gpurentalprices/\n"
            case "vast":
                return self.vast(json.loads(body))
            case "runpod":
                return 200, {"Content-Type": "text/html"}, b"<html><title>Down for a moment</title></html>"
            case "azure":
                return self.azure(parse_qs(urlsplit(target).query))
            case "ecb":
                return 302, {"Location": "http://elsewhere.example/rates.xml"}, b"moved"
        return 404, {}, b""

    def vast(self, asked: dict[str, Any]) -> Answer:
        if asked["gpu_name"] == {"eq": "RTX 4090"}:
            packed = gzip.compress((FIXTURES / "vast" / "answer.json").read_bytes(), mtime=0)
            return 200, {**JSON, "Content-Encoding": "gzip"}, packed
        if asked["gpu_name"] == {"eq": "L40"}:
            return 500, JSON, b'{"error": "try later"}'
        return 200, JSON, b'{"offers": []}'

    def azure(self, query: dict[str, list[str]]) -> Answer:
        if "$skip" in query:
            return 200, JSON, (FIXTURES / "azure" / "page_2.json").read_bytes()
        if "'eastus'" in query["$filter"][0]:
            return 200, JSON, (FIXTURES / "azure" / "page_1.json").read_bytes()
        return 200, JSON, b'{"Items": [], "NextPageLink": null, "Count": 0}'


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    found = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.serve()

        def do_POST(self) -> None:
            self.serve()

        def serve(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            found.asked.append((self.command, self.path, body, dict(self.headers)))
            status, headers, answer = found.answer(self.command, self.path, body)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: Any) -> None:
            """Quiet."""

    with serving(Handler) as found.url:
        yield found


SERVED = ("azure", "ecb", "gpurentalprices", "runpod", "vast")


@dataclass
class Crawl:
    report: dict[str, Any]
    database: Path
    site: Site


@pytest.fixture(scope="module")
def crawl(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Crawl:
    database = tmp_path_factory.mktemp("live") / "w.duckdb"
    return Crawl(crawl_once(database, site.url, SERVED), database, site)


@pytest.fixture
def crawled(crawl: Crawl) -> Iterator[Warehouse]:
    with open_warehouse(crawl.database, clock=RecordedClock(datetime(2027, 1, 1, tzinfo=UTC))) as opened:
        yield opened


def faults_of(crawl: Crawl, source_id: str) -> set[str]:
    return {fault["reason_code"] for fault in crawl.report["sources"][source_id]["faults"]}


def test_one_source_that_fails_stops_no_other_and_each_fault_is_named(crawl: Crawl) -> None:
    status = {name: found["status"] for name, found in crawl.report["sources"].items()}
    assert status == {
        "azure": "complete",
        "ecb": "failed",
        "gpurentalprices": "failed",
        "runpod": "failed",
        "vast": "partial",
    }
    assert crawl.report["failed"] == ["ecb", "gpurentalprices", "runpod", "vast"]
    assert faults_of(crawl, "ecb") == {"redirect_to_other_host"}
    assert faults_of(crawl, "gpurentalprices") == {"robots_forbidden"}
    assert faults_of(crawl, "runpod") == {"html_instead_of_data"}
    assert faults_of(crawl, "vast") == {"http_status"}


def test_each_request_goes_to_the_sources_path_on_the_endpoint(crawl: Crawl) -> None:
    paths = {urlsplit(target).path for _, target, _, _ in crawl.site.asked}
    assert paths == {
        "/robots.txt",
        "/azure/api/retail/prices",
        "/ecb/stats/eurofxref/eurofxref-hist-90d.xml",
        "/runpod/graphql",
        "/vast/api/v0/bundles/",
    }
    (posted,) = [body for method, target, body, _ in crawl.site.asked if target == "/runpod/graphql"]
    assert json.loads(posted)["query"].startswith("query { gpuTypes {")


def test_every_request_names_the_project_and_carries_no_cookie_or_referrer(crawl: Crawl) -> None:
    for _, _, _, headers in crawl.site.asked:
        assert headers["User-Agent"].startswith("gpurent/")
        assert not headers.keys() & {"Cookie", "Referer"}
        assert headers.get("Accept-Encoding") == "gzip"


def test_a_failing_answer_is_asked_for_again_twice_and_then_kept_as_it_is(
    crawl: Crawl, crawled: Warehouse
) -> None:
    tries = [body for _, _, body, _ in crawl.site.asked if b'"L40"' in body]
    assert len(tries) == 3
    rows = crawled.rows("SELECT outcome, size_bytes FROM captures WHERE http_status = 500")
    assert rows == [("unreadable", len(b'{"error": "try later"}'))]


def test_pages_are_followed_to_the_last_and_are_one_look(crawled: Warehouse) -> None:
    rows = crawled.rows(
        "SELECT count(DISTINCT c.capture_id), count(DISTINCT s.snapshot_id), max(s.status = 'complete')"
        " FROM captures AS c JOIN snapshots AS s USING (snapshot_id) WHERE s.list_key = 'eastus'"
    )
    assert rows == [(2, 1, True)]


def test_what_came_packed_is_archived_packed_and_read(crawled: Warehouse) -> None:
    rows = crawled.rows(
        "SELECT c.size_bytes, c.accepted_rows FROM captures AS c WHERE c.accepted_rows > 0 AND c.source_id = 'vast'"
    )
    packed = gzip.compress((FIXTURES / "vast" / "answer.json").read_bytes(), mtime=0)
    assert rows == [(len(packed), 4)]


def test_a_redirect_to_another_host_is_not_followed_but_kept(crawled: Warehouse) -> None:
    rows = crawled.rows("SELECT http_status, outcome, size_bytes FROM captures WHERE source_id = 'ecb'")
    assert rows == [(302, "unreadable", 5)]


def test_a_source_that_brought_nothing_has_a_failed_look(crawled: Warehouse) -> None:
    rows = crawled.rows("SELECT status FROM snapshots WHERE source_id = 'gpurentalprices'")
    assert rows == [("failed",)]


def test_a_run_on_an_endpoint_is_no_live_success(crawled: Warehouse) -> None:
    assert crawled.rows("SELECT count(*) FROM sources WHERE first_live_success IS NOT NULL") == [(0,)]


STATED = "SELECT * FROM stated_offers ORDER BY stated_id"
CAPTURES = """
SELECT capture_id, source_id, url, request_json, fetched_at, http_status, media_type, sha256, snapshot_id, outcome,
    accepted_rows, rejected_rows, available_at
FROM captures ORDER BY capture_id
"""
REFUSED = "SELECT * EXCLUDE (known_at) FROM rejections ORDER BY rejection_id"
LOOKS = "SELECT * EXCLUDE (known_at) FROM snapshots WHERE source_id <> 'gpurentalprices' ORDER BY ALL"


def test_the_replay_of_its_archive_gives_the_same_rows(
    crawl: Crawl, crawled: Warehouse, tmp_path: Path
) -> None:
    clock = RecordedClock(datetime(2026, 11, 30, tzinfo=UTC))
    with open_warehouse(tmp_path / "again.duckdb", clock=clock) as again:
        report = replay(again, crawled.layout.archive, run_id="replay")
        for query in (CAPTURES, REFUSED, LOOKS):
            assert again.dicts(query) == crawled.dicts(query)
        first, second = again.dicts(STATED), crawled.dicts(STATED)
        assert len(first) == crawl.report["accepted"] == report.accepted > 0
        for row in first + second:
            known = row.pop("known_at")
            assert known >= row["available_at"]
        assert first == second
        known = again.rows("SELECT bool_and(known_at = fetched_at) FROM captures")
        assert known == [(True,)]
        assert replay(again, crawled.layout.archive, run_id="once more").accepted == 0


def test_an_address_keeps_path_and_query_and_nothing_else() -> None:
    url = "https://prices.azure.com:443/api/retail/prices?a=1&$skip=2"
    assert address(url, "azure", None) == url
    assert (
        address(url, "azure", "http://127.0.0.1:9/")
        == "http://127.0.0.1:9/azure/api/retail/prices?a=1&$skip=2"
    )
    assert address("https://x.example", "x", "http://127.0.0.1:9/m") == "http://127.0.0.1:9/m/x/"


def test_nobody_is_asked_without_a_contact(warehouse: Warehouse) -> None:
    with pytest.raises(ConfigError, match="GPURENT_CONTACT"):
        collect(warehouse, ["vast"], Settings(), run_id="run")


def test_an_unknown_source_is_refused_and_one_of_files_only_is_passed_over(warehouse: Warehouse) -> None:
    settings = Settings(contact="prices@example.org")
    with pytest.raises(NotFoundError, match="no source 'nobody'"):
        collect(warehouse, ["nobody"], settings, run_id="run")
    report = collect(warehouse, ["focus"], settings, run_id="run")
    assert report.to_json()["sources"]["focus"]["status"] == "skipped"  # type: ignore[index]
    assert report.failed == []
