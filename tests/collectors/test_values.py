"""Single values of a row: read exactly, or refused with a code and never guessed."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collectors import values
from collectors.reasons import RowError, reason_codes

NOON = datetime(2026, 7, 20, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "at"),
    [
        ("2026-07-20T12:00:00Z", NOON),
        ("2026-07-20T14:00:00+02:00", NOON),
        ("2026-07-20 12:00:00+00:00", NOON),
        (NOON, NOON),
    ],
)
def test_an_instant_with_a_zone_is_read_in_utc(written: object, at: datetime) -> None:
    assert values.instant({"t": written}, "t") == at


@pytest.mark.parametrize("written", ["2026-07-20 12:00:00", datetime(2026, 7, 20, 12, 0)])  # noqa: DTZ001
def test_a_zone_is_never_guessed_but_may_be_the_sources(written: object) -> None:
    with pytest.raises(RowError, match="time_without_zone"):
        values.instant({"t": written}, "t")
    assert values.instant({"t": written}, "t", zone_of_source=True) == NOON


@pytest.mark.parametrize("written", ["2026-07-20", "noon", 1784548800, True, "9999-12-31T23:59:59-23:59"])
def test_a_date_or_a_number_is_no_instant(written: object) -> None:
    with pytest.raises(RowError, match="not_an_instant"):
        values.instant({"t": written}, "t")


def test_a_day_is_read_from_text_and_refused_from_anything_else() -> None:
    assert values.day({"d": "2026-02-28"}, "d") == date(2026, 2, 28)
    for written in ("2026-02-30", "20260228", 20260228):
        with pytest.raises(RowError, match="not_a_date"):
            values.day({"d": written}, "d")


@pytest.mark.parametrize("written", ["8.5", -1, 2**31, "many", Decimal("NaN"), True])
def test_a_count_is_whole_not_negative_and_fits(written: object) -> None:
    with pytest.raises(RowError):
        values.whole({"n": written}, "n")


def test_a_whole_decimal_is_a_count() -> None:
    assert values.whole({"n": Decimal("8.0")}, "n") == 8


def test_flags_know_true_false_and_not_stated() -> None:
    assert values.flag({"f": True}, "f") is True
    assert values.flag({"f": "False"}, "f") is False
    assert values.flag({}, "f") is None
    with pytest.raises(RowError, match="not_a_flag"):
        values.flag({"f": "perhaps"}, "f")


def test_a_currency_is_the_rows_else_the_sources_and_must_be_known() -> None:
    assert values.currency("eur", "USD") == "EUR"
    assert values.currency(None, "USD") == "USD"
    with pytest.raises(RowError, match="unknown_currency"):
        values.currency("XTS", "USD")


def test_kept_fields_are_canonical_and_keep_their_digits() -> None:
    kept = values.canonical_json({"b": Decimal("0.50"), "a": "x", "c": None, "d": Decimal("1E+999999")})
    assert kept == '{"a":"x","b":"0.5","d":"1E+999999"}'
    assert values.canonical_json({"c": None}) is None


READERS: list[Callable[[dict[str, Any], str], object]] = [
    values.text,
    values.number,
    values.whole,
    values.flag,
    values.instant,
    values.day,
]
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.decimals() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


def attempted(reader: Callable[[dict[str, Any], str], object], value: object) -> RowError | None:
    try:
        reader({"v": value}, "v")
    except RowError as refused:
        return refused
    return None


@given(st.sampled_from(READERS), ANYTHING)
def test_any_decoded_value_is_read_or_refused_with_a_listed_code(
    reader: Callable[[dict[str, Any], str], object], value: object
) -> None:
    refused = attempted(reader, value)
    assert refused is None or refused.reason_code in reason_codes()


@given(ANYTHING)
def test_any_row_can_be_kept_beside_its_refusal(value: object) -> None:
    kept = values.raw_text({"v": value})
    assert len(kept) <= 1000
    assert kept.isprintable()
    json.dumps(kept)
