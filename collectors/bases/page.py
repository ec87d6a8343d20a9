"""A source that is one document, or a few: a page, a JSON or XML file at a fixed address."""

from __future__ import annotations

from collections.abc import Iterable

from collectors.bases.base import Fetch, SourceSpider


class PageSpider(SourceSpider):
    """Gets the addresses in the record's `options.pages`, or its `url` where there are none."""

    def fetches(self) -> Iterable[Fetch]:
        for url in self.source.options.get("pages", [self.source.url]):
            yield Fetch(url)
