"""Base spiders by the shape of a source: a JSON call, GraphQL, pages that link on, documents, files only."""

from collectors.bases.base import Fetch, SourceSpider
from collectors.bases.file_only import FileOnlySpider
from collectors.bases.graphql import GraphqlSpider
from collectors.bases.json_api import JsonApiSpider
from collectors.bases.page import PageSpider
from collectors.bases.paged import PagedSpider

__all__ = [
    "Fetch",
    "FileOnlySpider",
    "GraphqlSpider",
    "JsonApiSpider",
    "PageSpider",
    "PagedSpider",
    "SourceSpider",
]
