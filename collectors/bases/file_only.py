"""A source that is read from files only, such as somebody's own bills."""

from __future__ import annotations

from collections.abc import Iterable

from collectors.bases.base import Fetch, SourceSpider


class FileOnlySpider(SourceSpider):
    """Fetches nothing: a live run passes it over, `ingest` reads its files."""

    def fetches(self) -> Iterable[Fetch]:
        return ()
