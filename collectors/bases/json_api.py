"""A source that answers calls with JSON."""

from __future__ import annotations

from typing import ClassVar

from collectors.bases.base import SourceSpider


class JsonApiSpider(SourceSpider):
    """Asks for JSON. A spider says in `fetches` which calls to make, one a list of the source."""

    accept: ClassVar[str | None] = "application/json"
