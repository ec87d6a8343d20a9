"""A source with a GraphQL endpoint."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from collectors.bases.base import Fetch
from collectors.bases.json_api import JsonApiSpider


class GraphqlSpider(JsonApiSpider):
    """Posts one query to the source's URL. Read by this class: `query`."""

    query: ClassVar[str]

    def fetches(self) -> Iterable[Fetch]:
        yield Fetch(self.source.url, method="POST", body={"query": self.query})
