"""A source whose answers link to the next page."""

from __future__ import annotations

from collections.abc import Iterable

from collectors.bases.base import Fetch
from collectors.bases.json_api import JsonApiSpider
from collectors.document import Document


class PagedSpider(JsonApiSpider):
    """Follows `next_page` within one list: all pages of a list are one look at it.

    The last page's reader says that the list is complete; a chain that breaks leaves it partial.
    """

    def next_page(self, document: Document) -> str | None:
        """The address of the page after this one; None on the last."""
        raise NotImplementedError

    def following(self, document: Document) -> Iterable[Fetch]:
        url = self.next_page(document)
        if url is not None:
            yield Fetch(url, list_key=document.list_key or None)
