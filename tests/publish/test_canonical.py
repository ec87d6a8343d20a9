from __future__ import annotations

import csv
import io
import json
from datetime import UTC, date, datetime
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpurent.publish.canonical import content_sha256, csv_bytes, harmless, parquet_bytes
from gpurent.publish.jsontext import json_bytes
from gpurent.publish.words import in_words, missing_reasons, rules_in_words, why_withheld

TEXT = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x00"), max_size=20)


def read(body: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(body.decode(), newline="")))


@settings(deadline=None)
@given(st.lists(st.tuples(TEXT, TEXT), max_size=5))
def test_any_text_comes_back_from_csv_and_none_starts_a_formula(rows: list[tuple[str, str]]) -> None:
    table = pa.table(
        {"a": pa.array([a for a, _ in rows], pa.string()), "b": pa.array([b for _, b in rows], pa.string())}
    )
    header, *found = read(csv_bytes(table))
    assert header == ["a", "b"]
    assert found == [[harmless(a), harmless(b)] for a, b in rows]
    assert not [cell for row in found for cell in row if cell[:1] in set("=+-@\t\r")]


def test_cells_are_spelled_in_one_way() -> None:
    table = pa.table(
        {
            "usd": pa.array([Decimal("-1.50"), None], pa.decimal128(18, 4)),
            "at": pa.array([datetime(2026, 7, 15, 9, tzinfo=UTC), None], pa.timestamp("us", "UTC")),
            "day": pa.array([date(2026, 7, 15), None], pa.date32()),
            "is_firm": pa.array([True, None]),
            "text": pa.array(['a "quoted", word', None], pa.string()),
            "known_at": pa.array([1, 2]),
        }
    )
    assert csv_bytes(table, without={"known_at"}) == (
        b"usd,at,day,is_firm,text\r\n"
        b'-1.5000,2026-07-15T09:00:00Z,2026-07-15,true,"a ""quoted"", word"\r\n'
        b",,,,\r\n"
    )


def test_content_leaves_out_when_it_was_recorded() -> None:
    one = pa.table({"usd": ["2.5"], "known_at": ["yesterday"]})
    other = pa.table({"usd": ["2.5"], "known_at": ["today"]})
    assert content_sha256(one) == content_sha256(other)
    assert content_sha256(one) != content_sha256(pa.table({"usd": ["2.6"], "known_at": ["yesterday"]}))


def test_json_has_one_spelling() -> None:
    document = {
        "b": Decimal("2.5000"),
        "a": [date(2026, 7, 15), datetime(2026, 7, 15, tzinfo=UTC), "–", None, True],
    }
    body = json_bytes(document)
    assert body.endswith(b"}\n")
    assert list(json.loads(body)) == ["a", "b"]
    assert json.loads(body) == {"a": ["2026-07-15", "2026-07-15T00:00:00Z", "–", None, True], "b": 2.5}
    with pytest.raises(ValueError, match="JSON"):
        json_bytes({"bad": float("nan")})


def test_parquet_of_the_same_rows_has_the_same_bytes() -> None:
    table = pa.table({"usd": pa.array([Decimal("2.5")] * 3, pa.decimal128(18, 4))})
    one = parquet_bytes(table, {"b": "2", "a": "1"})
    assert one == parquet_bytes(table, {"a": "1", "b": "2"})
    assert one != parquet_bytes(table, {"a": "1", "b": "3"})


def test_codes_are_said_in_words_and_unknown_ones_stay_readable() -> None:
    assert in_words("labels", "traded_thin") == "traded thinly"
    assert rules_in_words("stale,some_new_rule") == "not verified for more than seven days; some new rule"
    assert why_withheld({"reason_code": "too_few_groups"}) == "fewer than three owner groups offer it"


def test_only_empty_columns_have_a_reason() -> None:
    price = {
        "letter": None,
        "traded_usd_per_gpu_hour": None,
        "index_value": Decimal(100),
        "flags": "start,trades_confidential",
        "not_computed": '{"index_value": "withheld", "letter": "not_in_this_version"}',
    }
    assert missing_reasons(price) == {
        "letter": "not_in_this_version",
        "traded_usd_per_gpu_hour": "trades_confidential",
    }
