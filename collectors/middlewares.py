"""Scrapy's downloader middlewares of this project: no redirect to another host, no answer that is not archived."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self
from urllib.parse import urljoin, urlsplit

from scrapy.exceptions import IgnoreRequest
from scrapy.http import Request, Response

from collectors.bases.base import FETCH, SourceSpider

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

_REDIRECTS = frozenset({301, 302, 303, 307, 308})


class _Middleware:
    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    @property
    def spider(self) -> SourceSpider:
        spider = self._crawler.spider
        if not isinstance(spider, SourceSpider):
            raise TypeError(f"{spider} is not a SourceSpider")
        return spider


class SameHostRedirects(_Middleware):
    """Stops redirects that lead to another host: who agreed to be asked is the host in the source's record.

    The answer itself goes on, is archived and recorded as `redirect_to_other_host`. Fetches of robots.txt are
    left alone.
    """

    def process_response(self, request: Request, response: Response) -> Response:
        if FETCH in request.meta and response.status in _REDIRECTS:
            location = (response.headers.get(b"Location") or b"").decode("latin-1")
            if urlsplit(urljoin(request.url, location)).hostname != urlsplit(request.url).hostname:
                request.meta["dont_redirect"] = True
        return response


class ArchiveMiddleware(_Middleware):
    """Archives an answer before anything reads it. An answer that cannot be archived is not read."""

    def process_response(self, request: Request, response: Response) -> Response:
        if FETCH in request.meta and not self.spider.archive(request, response):
            raise IgnoreRequest("archive_limit")
        return response
