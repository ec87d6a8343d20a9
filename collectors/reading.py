"""From a document to items: finds a source's reader by name and turns faults of rows into rejections."""

from __future__ import annotations

import importlib
import inspect
import logging
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from functools import cache
from itertools import groupby
from typing import Any

from pydantic import BaseModel, ValidationError

from collectors.document import Document
from collectors.items import Item, RowRejection, StatedOffer
from collectors.price_text import currency_written, unit_written
from collectors.reasons import RowError, printable, refuse
from collectors.registry import SourceRecord
from collectors.tables import BadRow
from collectors.values import Row, as_instant, raw_text
from gpurent.core.errors import ConfigError, SourceError

Reader = Callable[[Document, SourceRecord], Iterator[Item]]
Converter = Callable[[Row, SourceRecord], Item | Iterable[Item]]
_OK = 200
_UNFORESEEN = (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RecursionError)
_log = logging.getLogger(__name__)


@cache
def reader_of(source_id: str) -> Reader:
    """The pure function `read` of `collectors/spiders/<source_id>.py`. ConfigError where there is none."""
    name = f"collectors.spiders.{source_id}"
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise ConfigError(f"source {source_id!r} has no spider collectors/spiders/{source_id}.py") from None
    read = getattr(module, "read", None)
    if not inspect.isgeneratorfunction(read):
        raise ConfigError(f"collectors/spiders/{source_id}.py: `read` must be a generator function")
    found: Reader = read
    return found


def read_document(document: Document, source: SourceRecord) -> Iterator[Item]:
    """All items of a document. Raises SourceError, also midway, when it cannot be read to its end.

    A response that is not 200 is not read: `redirect_to_other_host` for a redirect that was not followed,
    `http_status` for the rest.
    """
    status = document.http_status
    if status is not None and 300 <= status < 400:
        raise SourceError("redirect_to_other_host", f"HTTP {status}: the answer points to another host")
    if status is not None and status != _OK:
        raise SourceError("http_status", f"HTTP {status} instead of 200")
    try:
        yield from reader_of(source.reader_id)(document, source)
    except RowError as fault:
        # a value that holds for all rows, such as the document's currency
        raise SourceError(fault.reason_code, fault.detail) from None
    except _UNFORESEEN as error:
        # a shape nobody thought of ends its own document, not the run; the bytes are kept
        _log.exception("%s: the reader of %s failed", document.url, source.reader_id)
        raise SourceError("reader_crashed", f"{type(error).__name__}: {error}") from error


def each_row(
    rows: Iterable[Any], convert: Converter, source: SourceRecord, *, first: int = 1
) -> Iterator[Item]:
    """The items of every row, numbered from `first`; a row that raises RowError becomes a rejection.

    `convert(row, source)` gives one item or several (an ask and a bid floor, refusals of single prices).
    """
    for number, row in enumerate(rows, first):
        if isinstance(row, BadRow):
            yield RowRejection(
                row_number=number, reason_code=row.reason_code, detail=row.detail, raw_text=row.raw
            )
            continue
        if not isinstance(row, dict):
            yield _rejection(number, row, "malformed_row", f"the row is {type(row).__name__}, not an object")
            continue
        try:
            made = convert(row, source)
            for item in [made] if isinstance(made, BaseModel) else made:
                yield _numbered(_as_written(item), number, row)
        except RowError as fault:
            yield _rejection(number, row, fault.reason_code, fault.detail)
        except ValidationError as error:
            yield _rejection(number, row, "field_out_of_range", _explain(error))
        except _UNFORESEEN as error:
            # a shape nobody thought of ends its own row; the others of its document stand
            _log.exception("row %d: the reader of %s failed", number, source.reader_id)
            yield _rejection(number, row, "reader_crashed", f"{type(error).__name__}: {error}")


def grouped(rows: Iterable[Any], *names: str) -> Iterator[tuple[tuple[Any, ...], list[Any]]]:
    """Runs of rows that agree in the fields `names`, with those fields: the lists inside one table."""

    def fields(row: Any) -> tuple[Any, ...]:
        return tuple(row.get(name) if isinstance(row, dict) else None for name in names)

    for found, run in groupby(rows, fields):
        yield found, list(run)


def time_of_list(value: Any, name: str) -> datetime | None:
    """The source's own time of a list; None where it states none, SourceError `document_time` if unreadable."""
    if value is None or value == "":
        return None
    try:
        return as_instant(value, name)
    except RowError as fault:
        raise SourceError("document_time", fault.detail) from None


def _as_written(item: Item) -> Item:
    """The item, or a refusal of an offer whose price's text contradicts it: `other_currency`, `wrong_unit`."""
    if not isinstance(item, StatedOffer):
        return item
    written, unit = currency_written(item.price_text), unit_written(item.price_text)
    if written not in {None, item.currency}:
        return refuse(
            "other_currency", f"the price {item.price_text} is in {written}, the list in {item.currency}"
        )
    is_per_gpu = item.price_basis.startswith("gpu_")
    if (unit == "gpu" and not is_per_gpu and item.gpu_count != 1) or (unit == "instance" and is_per_gpu):
        return refuse(
            "wrong_unit",
            f"the price {item.price_text} is of one {unit}, the list's are per {item.price_basis}",
        )
    return item


def _numbered(item: Item, number: int, row: Row) -> Item:
    if isinstance(item, RowRejection):
        return item.model_copy(update={"row_number": number, "raw_text": raw_text(row)})
    return item.model_copy(update={"row_number": number})


def _rejection(number: int, row: object, code: str, detail: str) -> RowRejection:
    try:
        raw = raw_text(row)
    except RecursionError:
        raw = "(nested too deeply to be shown)"
    return RowRejection(row_number=number, reason_code=code, detail=printable(detail), raw_text=raw)


def _explain(error: ValidationError) -> str:
    problems = error.errors(include_url=False, include_context=False)
    return "; ".join(
        f"{'.'.join(map(str, problem['loc'])) or 'row'}: {problem['msg']}" for problem in problems
    )
