"""Rows out of CSV, JSON Lines, Parquet and YAML, lazily where the format allows it."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from collectors.reasons import printable
from collectors.unpack import open_text, readable_text
from gpurent.core.errors import SourceError

if TYPE_CHECKING:
    from collectors.unpack import Buffered

PARQUET = b"PAR1"
_DELIMITERS = ",;\t|"
_BATCH = 2048
_FIELD_LIMIT = 2**20
_NAME_AND_VALUE = 2


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that could not be taken apart; it is refused as one row, the others go on."""

    reason_code: str
    detail: str
    raw: str


class Twice:
    """What stands in the place of a field that an object names twice with different values.

    It is neither text nor number, list nor object: a row whose field is read is refused, as nobody can tell which of
    the values was meant.
    """

    def __init__(self, value: object, other: object) -> None:
        self._values = sorted((printable(str(value), 100), printable(str(other), 100)))

    def __str__(self) -> str:
        return f"stated twice ({self._values[0]} and {self._values[1]})"


@dataclass(frozen=True, slots=True)
class Rows:
    """A table. `columns` is None where rows name their own fields (JSON Lines); `notice` stood before its header."""

    columns: tuple[str, ...] | None
    rows: Iterable[Mapping[str, Any] | BadRow]
    notice: Mapping[str, str] = field(default_factory=dict)


def delimiter_of(line: str) -> str | None:
    """The column separator of a header line; None when it has none."""
    counts = {mark: line.count(mark) for mark in _DELIMITERS}
    best = max(counts, key=lambda mark: counts[mark])
    return best if counts[best] else None


def csv_table(stream: Buffered, delimiter: str, header_begins: str | None = None) -> Rows:
    """A CSV with a header. A row with more or fewer fields is a BadRow; quoting errors end the document.

    `header_begins` is the first column of a header that may have a notice before it: lines of a name and its value.
    A line that is neither is the header all the same.
    """
    csv.field_size_limit(_FIELD_LIMIT)
    reader = csv.reader(open_text(stream), delimiter=delimiter, strict=True)
    with _readable_csv():
        header, notice = _header(reader, header_begins)
    doubled = sorted({name for name in header if header.count(name) > 1})
    if doubled:
        raise SourceError("duplicate_column", f"the header names {', '.join(doubled)} more than once")
    return Rows(tuple(header), _csv_rows(reader, header), notice)


def _header(reader: Iterator[list[str]], begins: str | None) -> tuple[list[str], dict[str, str]]:
    notice: dict[str, str] = {}
    line = [name.strip() for name in next(reader, [])]
    while begins is not None and line[:1] != [begins] and len(line) == _NAME_AND_VALUE:
        notice[line[0]] = line[1]
        line = [name.strip() for name in next(reader, [])]
    return line, notice


def _csv_rows(reader: Iterable[list[str]], header: list[str]) -> Iterator[Mapping[str, Any] | BadRow]:
    with _readable_csv():
        for fields in reader:
            if len(fields) == len(header):
                yield dict(zip(header, fields, strict=True))
            elif fields:
                what = f"{len(fields)} fields under {len(header)} columns"
                yield BadRow("ragged_row", what, printable(" | ".join(fields)))


@contextmanager
def _readable_csv() -> Iterator[None]:
    try:
        with readable_text():
            yield
    except csv.Error as error:
        raise SourceError("malformed_csv", printable(str(error), 200)) from None


def json_value(text: str) -> Any:
    """JSON with decimals kept as written; NaN and the infinities become their Decimal. ValueError if it is none.

    A number whose exponent no Decimal holds is NaN, which every reader refuses. A field that an object names twice,
    with different values, is `Twice`, which is no value of any kind.
    """
    return json.loads(text, parse_float=_decimal, parse_constant=Decimal, object_pairs_hook=_object)


def _decimal(written: str) -> Decimal:
    try:
        return Decimal(written)
    except InvalidOperation:
        return Decimal("NaN")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    for name, value in pairs:
        last = found[name]
        if not isinstance(last, Twice) and repr(last) != repr(value):
            found[name] = Twice(value, last)
    return found


def json_lines(lines: Iterable[str]) -> Rows:
    """One JSON object a line; a line that is none is a BadRow, a blank one is passed over."""
    return Rows(None, _json_rows(lines))


def _json_rows(lines: Iterable[str]) -> Iterator[Mapping[str, Any] | BadRow]:
    with readable_text():
        for line in lines:
            bare = line.strip("\ufeff \t\r\n")
            if not bare:
                continue
            try:
                found = json_value(bare)
            except (ValueError, RecursionError):
                found = BadRow("malformed_row", "the line is no JSON object", printable(bare))
            yield found


def parquet(body: bytes, limit_bytes: int) -> Rows:
    """A Parquet file's rows, batch by batch. Floats become the shortest decimal that is them."""
    import pyarrow as pa  # noqa: PLC0415  # 0.2 s that JSON and CSV need not pay
    import pyarrow.parquet as pq  # noqa: PLC0415

    try:
        file = pq.ParquetFile(pa.BufferReader(body))
        groups = range(file.metadata.num_row_groups)
        size = sum(file.metadata.row_group(group).total_byte_size for group in groups)
    except (pa.ArrowException, OSError) as error:
        raise SourceError("malformed_parquet", _first_line(error)) from None
    if size > limit_bytes:
        raise SourceError("decompression_bomb", f"unpacks to {size} bytes; {limit_bytes} are allowed here")
    return Rows(tuple(file.schema_arrow.names), _parquet_rows(file, pa.ArrowException))


def _parquet_rows(file: Any, fault: type[Exception]) -> Iterator[Mapping[str, Any]]:
    try:
        for batch in file.iter_batches(_BATCH):
            for row in batch.to_pylist():
                yield {name: _exact(value) for name, value in row.items()}
    except (fault, OSError) as error:
        raise SourceError("malformed_parquet", _first_line(error)) from None


def _exact(value: Any) -> Any:
    match value:
        case bool():
            return value
        case float():
            return Decimal(repr(value))
        case dict():
            return {name: _exact(inner) for name, inner in value.items()}
        case list():
            return [_exact(inner) for inner in value]
        case bytes():
            return value.hex()
        case _:
            return value


def yaml_tree(text: str) -> Any:
    """A YAML document by the safe loader: no tags of Python, no aliases, numbers as int or Decimal."""
    import yaml  # noqa: PLC0415

    class Loader(yaml.SafeLoader):
        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                raise yaml.YAMLError("aliases are not read")
            return super().compose_node(parent, index)

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            names = [self.construct_object(name, deep=True) for name, _ in node.value]
            doubled = next((name for at, name in enumerate(names) if name in names[:at]), None)
            if doubled is not None:
                raise yaml.YAMLError(f"the field {doubled!r} stands twice in one object")
            return super().construct_mapping(node, deep=deep)

    Loader.add_constructor("tag:yaml.org,2002:float", _yaml_number)
    try:
        return yaml.load(text, Loader=Loader)  # a SafeLoader
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise SourceError("malformed_yaml", _first_line(error)) from None


def _yaml_number(loader: Any, node: Any) -> Decimal | float:
    written = str(loader.construct_scalar(node)).replace("_", "").lower()
    special = {".nan": "NaN", ".inf": "Infinity", "+.inf": "Infinity", "-.inf": "-Infinity"}
    return _decimal(special.get(written, written))


def _first_line(error: Exception) -> str:
    lines = str(error).splitlines()
    return printable(lines[0] if lines else type(error).__name__, 200)
