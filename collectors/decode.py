"""A document's content, told by its bytes and never by its suffix.

gzip is taken off (`collectors.unpack`); then JSON, JSON Lines, CSV, YAML, Parquet, XML or HTML is recognised.
Numbers come out as int or Decimal, never as float, so that a price keeps the digits its source wrote. A reader
asks for the shape it can use and gets it or a SourceError that says what is there instead.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from collectors import tables
from collectors.document import Document
from collectors.reasons import printable
from collectors.tables import BadRow, Rows
from collectors.unpack import first_text, head, open_plain, open_text, whole_text
from gpurent.core.errors import SourceError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from collectors.registry import SourceRecord
    from collectors.unpack import Buffered

_HTML = re.compile(r"<(!doctype\s+html|html|head|body|script|title|div|h1|p)\b", re.IGNORECASE)
_TITLE = re.compile(r"<title[^>]*>\s*([^<]{1,120})", re.IGNORECASE)
_YAML = re.compile(r"(---(\s|$)|-\s+\S|#|%YAML|[\w\"'][\w .\"'-]*:(\s|$))")
_OTHER = {
    b"PK\x03\x04": "a ZIP file",
    b"\x28\xb5\x2f\xfd": "zstandard",
    b"BZh": "bzip2",
    b"%PDF": "a PDF file",
}


@dataclass(slots=True)
class Content:
    """What was recognised. Ask once, for `mapping`, `rows` or `xml`: the underlying stream is read through."""

    format: str
    _tree: Any = None
    _table: Rows | None = None
    _markup: str = ""

    @property
    def notice(self) -> Mapping[str, str]:
        """What stands before the header of a CSV, name by name (see `decode`)."""
        return {} if self._table is None else self._table.notice

    @property
    def is_table(self) -> bool:
        """Whether it is a list of rows: CSV, Parquet, JSON Lines, or a JSON or YAML list."""
        return self._table is not None or isinstance(self._tree, list)

    def mapping(self) -> Mapping[str, Any]:
        """The one JSON or YAML object the document is."""
        if isinstance(self._tree, dict):
            return self._tree
        raise self._unexpected("an object (JSON or YAML)")

    def rows(self, *required: str) -> Iterator[Mapping[str, Any] | BadRow]:
        """The rows of a table, in order. A table with a header needs the `required` columns there."""
        if isinstance(self._tree, list):
            return iter(self._tree)
        if self._table is None:
            raise self._unexpected("a table (CSV, Parquet, JSON Lines or a list)")
        missing = [] if self._table.columns is None else [n for n in required if n not in self._table.columns]
        if missing:
            has = ", ".join(self._table.columns or ())
            raise SourceError("missing_column", f"no column {', '.join(missing)}; the table has {has}")
        return iter(self._table.rows)

    def xml(self) -> Element:
        """The root element of an XML document, read with entities and external references switched off."""
        if self.format != "xml":
            raise self._unexpected("XML")
        from defusedxml import DefusedXmlException  # noqa: PLC0415  # only one source answers in XML
        from defusedxml.ElementTree import ParseError, fromstring  # noqa: PLC0415

        try:
            root: Element = fromstring(self._markup, forbid_dtd=True)
        except DefusedXmlException as error:
            raise SourceError("unsafe_xml", f"holds {type(error).__name__}, which is not read") from None
        except (ParseError, ValueError) as error:
            raise SourceError("malformed_xml", str(error)) from None
        return root

    def html(self) -> str:
        """The text of an HTML page."""
        if self.format != "html":
            raise self._unexpected("an HTML page")
        return self._markup

    def _unexpected(self, wanted: str) -> SourceError:
        if self.format == "html":
            title = _TITLE.search(self._markup)
            saying = f" titled {printable(title[1].strip(), 80)!r}" if title else ""
            return SourceError(
                "html_instead_of_data", f"an HTML page{saying} came where {wanted} was expected"
            )
        found = f"{self.format} holding {type(self._tree).__name__}" if self._table is None else self.format
        return SourceError("unexpected_format", f"found {found} where {wanted} was expected")


def decode(document: Document, source: SourceRecord, *, header_begins: str | None = None) -> Content:
    """Recognise and open a document's content. `header_begins`: the first column of a CSV with a notice before it.

    Raises SourceError: `document_too_large`, those of `collectors.unpack`, `malformed_json`, `malformed_yaml`,
    `malformed_parquet`, `unknown_format`. Rows of a table are read lazily and may raise while they are.
    """
    if len(document.body) > source.size_limit_bytes:
        raise SourceError(
            "document_too_large",
            f"{len(document.body)} bytes; the limit for {source.source_id} is {source.size_limit_bytes} "
            "(size_limit_bytes of its record)",
        )
    stream = open_plain(document.body, source.unpacked_limit_bytes)
    first = head(stream)
    for magic, name in _OTHER.items():
        if first.startswith(magic):
            raise SourceError("unknown_format", f"{name} is not read; unpack or convert it first")
    if first.startswith(tables.PARQUET):
        return Content("parquet", _table=tables.parquet(stream.read(), source.unpacked_limit_bytes))
    return _text_content(stream, first_text(first), header_begins)


def _text_content(stream: Buffered, beginning: str, header_begins: str | None) -> Content:
    if beginning.startswith("<"):
        return _markup(whole_text(stream), beginning)
    if beginning.startswith(("{", "[")):
        return _json(stream, beginning)
    line = beginning.splitlines()[0] if beginning else ""
    delimiter = tables.delimiter_of(line)
    if delimiter is not None and not _YAML.match(line):
        return Content("csv", _table=tables.csv_table(stream, delimiter, header_begins))
    if _YAML.match(line):
        return Content("yaml", _tree=_tree_only(tables.yaml_tree(whole_text(stream)), "yaml"))
    raise SourceError(
        "unknown_format", f"begins with {printable(line, 60)!r}: no JSON, CSV, YAML, Parquet or XML"
    )


def _markup(text: str, beginning: str) -> Content:
    body = (
        beginning[beginning.index("?>") + 2 :]
        if beginning.startswith("<?xml") and "?>" in beginning
        else beginning
    )
    is_html = bool(_HTML.match(body.lstrip()))
    return Content("html" if is_html else "xml", _markup=text)


def _json(stream: Buffered, beginning: str) -> Content:
    if _is_json_lines(beginning):
        return Content("json_lines", _table=tables.json_lines(open_text(stream)))
    text = whole_text(stream)
    try:
        tree = tables.json_value(text)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data" and "\n" in text[: error.pos + 1]:
            return Content("json_lines", _table=tables.json_lines(text.splitlines()))
        raise SourceError("malformed_json", _where(error)) from None
    except (ValueError, RecursionError) as error:
        raise SourceError("malformed_json", _where(error)) from None
    return Content("json", _tree=_tree_only(tree, "json"))


def _is_json_lines(beginning: str) -> bool:
    """Whether the first line is a whole object and another line follows; long first lines are told later."""
    first, _, second = beginning.partition("\n")
    if not first.startswith("{") or not second.strip():
        return False
    try:
        tables.json_value(first)
    except (ValueError, RecursionError):
        return False
    return True


def _tree_only(tree: Any, name: str) -> Any:
    if isinstance(tree, dict | list):
        return tree
    raise SourceError("unexpected_format", f"the {name} document is a single {type(tree).__name__}")


def _where(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"line {error.lineno}, column {error.colno}: {error.msg}"
    return "nested too deeply" if isinstance(error, RecursionError) else printable(str(error), 200)


def items(rows: Sequence[Any] | Any, name: str) -> Sequence[Any]:
    """A field that must hold a list; SourceError `missing_column` or `unexpected_format` otherwise."""
    if rows is None:
        raise SourceError("missing_column", f"the document has no list {name!r}")
    if not isinstance(rows, list):
        raise SourceError("unexpected_format", f"{name!r} is {type(rows).__name__}, not a list")
    return rows
