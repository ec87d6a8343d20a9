"""Prices as sources print them: read to the digit, or refused with the right code."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collectors.price_text import Price, price, read_price
from collectors.reasons import RowError, reason_codes

READ = [
    ("$1.49", "1.49", "USD"),
    ("1.49", "1.49", None),
    ("10.235", "10.235", None),
    ("$10.235", "10.235", "USD"),
    ("0.09333333333333334", "0.093333333333", None),
    ("$2.10 /GPU/hr", "2.1", "USD"),
    ("1.49 per hour", "1.49", None),
    ("$1.2 per GPU hour", "1.2", "USD"),
    ("€1.999,50", "1999.5", "EUR"),
    ("1 234,50 €", "1234.5", "EUR"),
    ("12,50 €", "12.5", "EUR"),
    ("1'234.50 CHF", "1234.5", "CHF"),
    ("$1,234", "1234", "USD"),
    ("USD 3.10", "3.1", "USD"),
    ("3.10 XYZ", "3.1", "XYZ"),
    ("£2", "2", "GBP"),
    ("zł 5,20", "5.2", "PLN"),
    ("1.5e0", "1.5", None),
    ("1,50", "1.5", None),
    ("1,234.50", "1234.5", None),
    ("1.234 per hour", "1.234", None),
]
REFUSED = [
    ("from $2.10", "price_from"),
    ("Starting at 1.99", "price_from"),
    ("ab 2,10 €", "price_from"),
    ("$1.20 - $3.40", "price_range"),
    ("1.20–1.50", "price_range"),
    ("$1,100/mo", "wrong_unit"),
    ("$0.0004 per second", "wrong_unit"),
    ("-1.20", "price_negative"),
    ("$-3", "price_negative"),
    ("−5 USD", "price_negative"),
    ("0", "price_zero"),
    ("$0.00", "price_zero"),
    ("1e308", "price_out_of_range"),
    ("1e-30", "price_out_of_range"),
    ("NaN", "price_not_finite"),
    ("-Infinity", "price_not_finite"),
    ("Contact sales", "not_a_price"),
    ("n/a", "not_a_price"),
    ("—", "not_a_price"),
    ("H100 2.5", "not_a_price"),
    ("1.2.3", "not_a_price"),
    ("1 2", "not_a_price"),
    ("€1.234", "price_ambiguous"),
    ("€1,234", "price_ambiguous"),
    ("1,234", "price_ambiguous"),
    ("1,234 / hr", "price_ambiguous"),
]


@pytest.mark.parametrize(("written", "amount", "currency"), READ)
def test_a_price_is_read_to_the_digit(written: str, amount: str, currency: str | None) -> None:
    found = read_price(written, "usd")
    assert (found.text, found.amount, found.currency) == (written, Decimal(amount), currency)


@pytest.mark.parametrize(("written", "code"), REFUSED)
def test_what_only_looks_like_a_price_has_its_own_code(written: str, code: str) -> None:
    with pytest.raises(RowError) as refused:
        read_price(written, "usd")
    assert refused.value.reason_code == code
    assert "usd" in refused.value.detail


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (Decimal("NaN"), "price_not_finite"),
        (Decimal("Infinity"), "price_not_finite"),
        (Decimal("1E+308"), "price_out_of_range"),
        (Decimal("1E+999999999"), "price_out_of_range"),
        (Decimal(10) ** 12, "price_out_of_range"),
        (Decimal("-0.01"), "price_negative"),
        (0, "price_zero"),
        (True, "not_a_price"),
        ([1], "not_a_price"),
    ],
)
def test_numbers_that_are_no_price_have_the_same_codes(value: object, code: str) -> None:
    with pytest.raises(RowError) as refused:
        read_price(value, "usd")
    assert refused.value.reason_code == code


@pytest.mark.parametrize(
    ("written", "mark", "amount"),
    [
        ("€1.375", ".", "1.375"),
        ("€1,375", ".", "1375"),
        ("€1,375", ",", "1.375"),
        ("$1,375.5", ",", "1375.5"),
    ],
)
def test_a_source_that_keeps_one_decimal_mark_is_not_ambiguous(written: str, mark: str, amount: str) -> None:
    assert price({"eur": written}, "eur", mark=mark).amount == Decimal(amount)


def test_a_missing_and_an_empty_field_differ() -> None:
    with pytest.raises(RowError, match="missing_column"):
        price({}, "usd")
    with pytest.raises(RowError, match="missing_value"):
        price({"usd": None}, "usd")


def test_the_code_of_nought_can_be_the_sources_own() -> None:
    with pytest.raises(RowError, match="not_offered"):
        price({"usd": 0}, "usd", zero="not_offered")


AMOUNTS = st.decimals(min_value="0.000001", max_value="9999999", places=6)


@given(AMOUNTS)
def test_any_amount_comes_back_however_it_is_dressed(amount: Decimal) -> None:
    cents = amount.quantize(Decimal("0.01"))
    assert read_price(str(amount), "p").amount == amount
    assert read_price(amount, "p").amount == amount
    if cents > 0:
        assert read_price(f"${cents:,} / hr", "p").amount == cents
        in_german = f"{cents:,}".replace(",", " ").replace(".", ",").replace(" ", ".")
        assert read_price(f"{in_german} €", "p").amount == cents


def attempted(value: object) -> Price | RowError:
    try:
        return price({"p": value}, "p")
    except RowError as refused:
        return refused


@given(st.one_of(st.text(), st.decimals(), st.integers(), st.booleans(), st.none(), st.lists(st.integers())))
def test_every_value_is_a_sound_price_or_is_refused_with_a_listed_code(value: object) -> None:
    found = attempted(value)
    if isinstance(found, RowError):
        assert found.reason_code in reason_codes()
        assert found.detail.isprintable()
    else:
        assert 0 < found.amount < 10**12
        assert found.amount == round(found.amount, 12)
