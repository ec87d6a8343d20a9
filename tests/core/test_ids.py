"""Content identifiers: the same content has the same id for ever, other content another."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpurent.core.ids import canonical_decimal, content_id, record_uuid, seed_from, sha256_hex

FIELDS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.text(max_size=8),
    st.dates(),
    st.decimals(allow_nan=False, allow_infinity=False),
)


def test_ids_are_what_they_were() -> None:
    # stored in warehouses that exist: a change here orphans every row
    instant = datetime(2026, 7, 15, 9, 0, tzinfo=UTC)
    assert content_id("cap", "vast", "https://a.example/x", instant, "00ff") == "cap_7e55edaf1d9a918208581ee6"
    assert content_id("cap") == "cap_45e84635bc4803c5cc5d456c"
    assert record_uuid("cap_1") == "<urn:uuid:b1305c43-59b2-5b8a-9dcd-ae7c2748e89a>"
    assert seed_from(date(2026, 7, 15), "grade_1") == 14595293270693728318
    assert sha256_hex(b"abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


@given(st.lists(FIELDS, max_size=4), st.lists(FIELDS, max_size=4))
def test_different_content_has_a_different_id(first: list[object], second: list[object]) -> None:
    def shape(fields: list[object]) -> list[tuple[str, str]]:
        return [(type(field).__name__, str(spelled(field))) for field in fields]

    def spelled(field: object) -> object:
        return canonical_decimal(field) if isinstance(field, Decimal) else field

    same = content_id("x", *first) == content_id("x", *second)  # type: ignore[arg-type]
    assert same == (shape(first) == shape(second))


def test_neither_the_split_of_texts_nor_the_kind_of_nothing_is_lost() -> None:
    ids = [
        content_id("x", "a", "bc"),
        content_id("x", "ab", "c"),
        content_id("x", "abc"),
        content_id("x", None),
        content_id("x", ""),
        content_id("x", 0),
        content_id("x", False),
        content_id("x", Decimal(0)),
        content_id("y", None),
    ]
    assert len(set(ids)) == len(ids)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6), st.integers(0, 5))
def test_a_decimal_has_one_spelling(value: Decimal, zeros: int) -> None:
    padded = Decimal(f"{value:f}" + "0" * zeros)
    assert canonical_decimal(value) == canonical_decimal(padded)
    assert Decimal(canonical_decimal(value)) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [("1.50", "1.5"), ("15E-1", "1.5"), ("-0", "0"), ("0.00", "0"), ("100", "100"), ("1E+3", "1000")],
)
def test_decimals_are_spelled_without_exponent_and_padding(value: str, text: str) -> None:
    assert canonical_decimal(Decimal(value)) == text


def test_an_instant_has_one_id_in_every_zone() -> None:
    utc = datetime(2026, 7, 15, 9, 0, tzinfo=UTC)
    tokyo = utc.astimezone(timezone(timedelta(hours=9)))
    assert content_id("x", utc) == content_id("x", tokyo)
    assert content_id("x", utc) != content_id("x", utc.date())


def test_floats_and_naive_times_are_refused() -> None:
    with pytest.raises(TypeError, match="float cannot be part"):
        content_id("x", 1.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no time zone"):
        content_id("x", datetime(2026, 7, 15, 9, 0))  # noqa: DTZ001
