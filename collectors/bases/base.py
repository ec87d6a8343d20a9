"""What all spiders share: how a request is made, archived, handed to the capture step, and how it fails."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Protocol
from urllib.parse import urlsplit

from scrapy import Request, Spider
from scrapy.exceptions import CloseSpider
from scrapy.http import Response

from collectors.document import Document, request_text
from collectors.registry import SourceRecord
from collectors.reports import CaptureOutcome, Fault
from warehouse.archive import StoredRecord

FETCH = "gpurent_fetch"
_DOCUMENT = "gpurent_document"
_STORED = "gpurent_stored"


@dataclass(frozen=True, slots=True)
class Fetch:
    """One request as a spider wants it. `body` is sent as JSON; `list_key` names the list it asks for."""

    url: str
    method: str = "GET"
    body: object = None
    list_key: str | None = None


class Run(Protocol):
    """What a spider needs of the run it is part of (`collectors.live`)."""

    endpoint: str | None
    snapshot_at: datetime

    def now(self) -> datetime: ...

    def archive(self, document: Document, headers: list[tuple[str, str]]) -> StoredRecord | None: ...

    def store(self, document: Document, stored: StoredRecord) -> CaptureOutcome: ...

    def fault(self, fault: Fault) -> None: ...

    def failed(self, url: str, error: BaseException) -> None: ...

    def crashed(self, error: BaseException) -> None: ...


class SourceSpider(Spider):
    """Base of all spiders. A spider names its source and says what to fetch; its module holds `read`.

    Read by this class: `name` (the source id), `accept` (media types asked for), `fetches`, `following`.
    """

    accept: ClassVar[str | None] = None

    def __init__(self, *args: Any, run: Run, source: SourceRecord, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.run = run
        self.source = source

    def fetches(self) -> Iterable[Fetch]:
        """The requests that begin the look at the source."""
        raise NotImplementedError

    def following(self, document: Document) -> Iterable[Fetch]:
        """The requests that a readable document asks for: none, unless the source has pages."""
        del document
        return ()

    async def start(self) -> AsyncIterator[Request]:
        for request in self._requests(self.fetches):
            yield request

    def parse(self, response: Response, **kwargs: Any) -> Iterator[Request]:
        """Hand the archived answer to the capture step, then go on to what it links to."""
        del kwargs
        document: Document = response.meta[_DOCUMENT]
        try:
            outcome = self.run.store(document, response.meta[_STORED])
        except Exception as error:
            self.run.crashed(error)
            raise CloseSpider("crashed") from error
        if outcome.outcome == "read":
            yield from self._requests(lambda: self.following(document))

    def archive(self, request: Request, response: Response) -> bool:
        """Archive an answer (called by the middleware); False when the archive is full."""
        fetch: Fetch = request.meta[FETCH]
        media_type = response.headers.get(b"Content-Type")
        document = Document(
            source_id=self.source.source_id,
            url=response.url,
            body=response.body,
            fetched_at=self.run.now(),
            media_type=media_type.decode("latin-1") if media_type else None,
            http_status=response.status,
            request_json=request_text(
                method=None if fetch.method == "GET" else fetch.method,
                body=fetch.body,
                list_key=fetch.list_key,
                snapshot_at=self.run.snapshot_at,
            ),
        )
        stored = self.run.archive(document, _headers(response))
        request.meta[_DOCUMENT], request.meta[_STORED] = document, stored
        return stored is not None

    def _requests(self, wanted: Any) -> Iterator[Request]:
        try:
            for fetch in wanted():
                if self._is_ours(fetch.url):
                    yield self._request(fetch)
                else:
                    self.run.fault(Fault(fetch.url, "page_on_other_host", "its link leads to another host"))
        except Exception as error:  # a spider's bug ends its own source, not the run
            self.run.fault(Fault(self.source.url, "spider_crashed", f"{type(error).__name__}: {error}"))

    def _is_ours(self, url: str) -> bool:
        endpoint = self.run.endpoint
        hosts = {urlsplit(self.source.url).hostname, urlsplit(endpoint).hostname if endpoint else None}
        return urlsplit(url).hostname in hosts - {None}

    def _request(self, fetch: Fetch) -> Request:
        body = None if fetch.body is None else json.dumps(fetch.body, sort_keys=True)
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if self.accept is not None:
            headers["Accept"] = self.accept
        return Request(
            address(fetch.url, self.source.source_id, self.run.endpoint),
            callback=self.parse,
            errback=self._failed,
            method=fetch.method,
            body=body,
            headers=headers,
            meta={FETCH: fetch},
            dont_filter=True,
        )

    def _failed(self, failure: Any) -> None:
        self.run.failed(failure.request.url, failure.value)


def address(url: str, source_id: str, endpoint: str | None) -> str:
    """Where a request goes: the source's own URL, or `ENDPOINT/<source_id>/<path and query>`."""
    if endpoint is None or url.startswith(f"{endpoint.rstrip('/')}/"):
        return url
    parts = urlsplit(url)
    query = f"?{parts.query}" if parts.query else ""
    return f"{endpoint.rstrip('/')}/{source_id}{parts.path or '/'}{query}"


def _headers(response: Response) -> list[tuple[str, str]]:
    return [
        (name.decode("latin-1"), value.decode("latin-1"))
        for name, values in sorted(response.headers.items())
        for value in values
    ]
