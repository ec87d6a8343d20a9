"""Content is told by its bytes; every way to be unreadable has its own code."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from collectors.decode import Content, decode
from collectors.document import Document
from collectors.reasons import reason_codes
from collectors.registry import SourceRecord, load_sources
from collectors.tables import BadRow
from gpurent.core.errors import SourceError
from tests.collectors.cases import document

ROWS = [{"gpu": "h100", "usd": Decimal("2.49")}, {"gpu": "l4", "usd": Decimal("0.4")}]
AS_JSON = b'[{"gpu": "h100", "usd": 2.49}, {"gpu": "l4", "usd": 0.4}]'
AS_LINES = b'{"gpu": "h100", "usd": 2.49}\n\n{"gpu": "l4", "usd": 0.4}\n'
AS_CSV = b"gpu,usd\nh100,2.49\nl4,0.4\n"
AS_YAML = b"- gpu: h100\n  usd: 2.49\n- {gpu: l4, usd: 0.4}\n"


def source(**changed: Any) -> SourceRecord:
    return load_sources()["vast"].model_copy(update=changed)


def opened(body: bytes, **changed: Any) -> Content:
    return decode(document("vast", body), source(**changed))


def parquet(rows: list[dict[str, Any]]) -> bytes:
    stream = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), stream)
    return stream.getvalue()


AS_PARQUET = parquet([{"gpu": "h100", "usd": 2.49}, {"gpu": "l4", "usd": 0.4}])


@pytest.mark.parametrize(
    ("body", "name"),
    [(AS_JSON, "json"), (AS_LINES, "json_lines"), (AS_YAML, "yaml"), (AS_PARQUET, "parquet")],
)
@pytest.mark.parametrize("packed", [0, 1, 2])
def test_the_same_rows_come_out_of_every_format_packed_or_not(body: bytes, name: str, packed: int) -> None:
    for _ in range(packed):
        body = gzip.compress(body)
    content = opened(body)
    assert content.format == name
    assert content.is_table
    assert list(content.rows("gpu")) == ROWS


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_a_csv_is_read_with_any_delimiter_mark_and_width(delimiter: str, encoding: str) -> None:
    body = AS_CSV.decode().replace(",", delimiter).encode(encoding)
    assert list(opened(body).rows("gpu", "usd")) == [
        {"gpu": "h100", "usd": "2.49"},
        {"gpu": "l4", "usd": "0.4"},
    ]


def test_a_quoted_field_may_hold_delimiters_quotes_and_line_ends() -> None:
    body = b'gpu,note\r\nh100,"a ""b"", c\r\nd"\r\n'
    assert list(opened(body).rows()) == [{"gpu": "h100", "note": 'a "b", c\r\nd'}]


def test_a_row_of_another_width_is_one_bad_row_and_the_others_stand() -> None:
    first, second, third = opened(b"gpu,usd\nh100,2.49\nl4,0.4,extra\na10,1\n").rows()
    assert first == {"gpu": "h100", "usd": "2.49"}
    assert isinstance(second, BadRow)
    assert second.reason_code == "ragged_row"
    assert third == {"gpu": "a10", "usd": "1"}


def test_a_line_that_is_no_json_is_one_bad_row() -> None:
    _, bad = opened(b'{"gpu": "h100"}\n{"gpu": "l4", \n').rows()
    assert isinstance(bad, BadRow)
    assert bad.reason_code == "malformed_row"


def test_json_lines_are_told_even_when_the_first_line_is_very_long() -> None:
    line = json.dumps({"gpu": "h" * 100_000}).encode()
    content = opened(line + b"\n" + line + b"\n")
    assert content.format == "json_lines"
    assert len(list(content.rows())) == 2


def test_numbers_keep_the_digits_of_the_source() -> None:
    found = opened(b'{"a": 0.09333333333333334, "b": NaN, "c": 1e308, "d": 8}').mapping()
    assert found["a"] == Decimal("0.09333333333333334")
    assert found["b"].is_nan()
    assert found["c"] == Decimal("1E+308")
    assert found["d"] == 8


def test_xml_is_parsed_and_its_root_given() -> None:
    assert (
        opened(b'<?xml version="1.0"?><Envelope><Cube time="2026-10-30"/></Envelope>').xml().tag == "Envelope"
    )


FAULTS = [
    (b"", "empty_document"),
    (b" \r\n\t\n", "empty_document"),
    (b"\xef\xbb\xbf", "empty_document"),
    (gzip.compress(b"", mtime=0), "empty_document"),
    (gzip.compress(AS_JSON, mtime=0)[:-9], "truncated_gzip"),
    (gzip.compress(AS_JSON * 100_000, mtime=0)[:2000], "truncated_gzip"),
    (b"\x1f\x8b" + b"x" * 40, "corrupt_gzip"),
    (gzip.compress(AS_JSON, mtime=0)[:-8] + b"\0" * 8, "corrupt_gzip"),
    (gzip.compress(gzip.compress(gzip.compress(AS_JSON, mtime=0), mtime=0), mtime=0), "nested_too_deep"),
    (b'{"a": 1', "malformed_json"),
    (b"[" * 100_000, "malformed_json"),
    (b'{"a": ' + b"9" * 5000 + b"}", "malformed_json"),
    (b"42", "unknown_format"),
    (b"Service unavailable", "unknown_format"),
    (b"PK\x03\x04rest", "unknown_format"),
    (b"\x28\xb5\x2f\xfdrest", "unknown_format"),
    (b'{"a": "\xff\xfe"}', "not_text"),
    (b"PAR1 and nothing after", "malformed_parquet"),
    (AS_PARQUET[:-20], "malformed_parquet"),
    (b"a: [1, 2", "malformed_yaml"),
    (b"a: &x [1]\nb: *x\n", "malformed_yaml"),
    (b"a: !!python/object/apply:os.system [ls]\n", "malformed_yaml"),
    (b"gpu,gpu\n1,2\n", "duplicate_column"),
]


@pytest.mark.parametrize(("body", "code"), FAULTS)
def test_an_unreadable_document_has_its_own_code(body: bytes, code: str) -> None:
    with pytest.raises(SourceError) as refused:
        list(opened(body).rows())
    assert refused.value.reason_code == code


def test_a_table_without_a_needed_column_says_which() -> None:
    with pytest.raises(SourceError, match="missing_column: no column usd; the table has gpu, price"):
        opened(b"gpu,price\nh100,2\n").rows("gpu", "usd")


@pytest.mark.parametrize(
    "body", [b"<!DOCTYPE html><html><head><title>Just a moment</title>", b"<html><body>503"]
)
def test_a_web_page_is_named_where_data_were_expected(body: bytes) -> None:
    with pytest.raises(SourceError, match="html_instead_of_data"):
        opened(body).mapping()
    with pytest.raises(SourceError, match="html_instead_of_data"):
        opened(body).rows()
    with pytest.raises(SourceError, match="html_instead_of_data"):
        opened(body).xml()


def test_a_list_is_not_an_object_and_an_object_not_a_table() -> None:
    with pytest.raises(SourceError, match="unexpected_format"):
        opened(AS_JSON).mapping()
    with pytest.raises(SourceError, match="unexpected_format"):
        opened(b'{"offers": []}').rows()


@pytest.mark.parametrize(
    "markup",
    [
        '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
        '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]><a>&x;</a>',
        '<!DOCTYPE a SYSTEM "https://a.example/a.dtd"><a/>',
    ],
)
def test_xml_with_entities_is_not_read(markup: str) -> None:
    with pytest.raises(SourceError, match="unsafe_xml"):
        opened(markup.encode()).xml()


def test_what_unpacks_beyond_the_limit_is_stopped_there() -> None:
    bomb = gzip.compress(b"[" + b" " * 5_000_000 + b"]")
    with pytest.raises(SourceError, match="decompression_bomb"):
        list(opened(bomb, unpacked_limit_bytes=1_000_000).rows())
    with pytest.raises(SourceError, match="decompression_bomb"):
        opened(parquet([{"a": "x" * 100_000}]), unpacked_limit_bytes=1000)


def test_a_document_beyond_its_sources_limit_is_not_opened() -> None:
    with pytest.raises(SourceError, match="document_too_large: 56 bytes; the limit for vast is 10"):
        opened(AS_JSON[:56], size_limit_bytes=10)


def test_a_long_table_is_read_row_by_row(tmp_path: Path) -> None:
    body = gzip.compress(b"gpu,usd\n" + b"h100,2.49\n" * 200_000)
    rows = opened(body).rows("gpu")
    assert next(rows) == {"gpu": "h100", "usd": "2.49"}
    assert sum(1 for _ in rows) == 199_999


def attempted(body: bytes, ask: Callable[[Content], object]) -> SourceError | None:
    made = Document("vast", "file:x", body, document("vast", b"").fetched_at)
    try:
        found = ask(decode(made, source()))
        if isinstance(found, Iterator):
            list(found)
    except SourceError as refused:
        return refused
    return None


@given(st.binary(max_size=400), st.sampled_from([Content.mapping, Content.rows, Content.xml]))
def test_any_bytes_are_read_or_refused_with_a_listed_code(
    body: bytes, ask: Callable[[Content], object]
) -> None:
    refused = attempted(body, ask)
    assert refused is None or refused.reason_code in reason_codes()


def test_a_yaml_field_stated_twice_is_refused() -> None:
    with pytest.raises(SourceError, match=r"malformed_yaml.*'usd' stands twice"):
        opened(b"gpu: h100\nusd: 2.49\nusd: 4.29\n")


@pytest.mark.parametrize("written", [b"1e99999999999999999999", b"-1e99999999999999999999"])
def test_an_exponent_that_no_number_has_is_not_finite(written: bytes) -> None:
    assert opened(b'{"usd": ' + written + b"}").mapping()["usd"].is_nan()
    first, second = opened(b'{"usd": 1}\n{"usd": ' + written + b"}\n").rows()
    assert isinstance(first, dict)
    assert isinstance(second, dict)
    assert second["usd"].is_nan()
    assert opened(b"usd: " + written.replace(b"1e", b"1.0e+") + b"\n").mapping()["usd"].is_nan()
