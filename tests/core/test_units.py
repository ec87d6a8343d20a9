"""Price bases: what a stated price is a price of, and the one step to a GPU-hour."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpurent.core.units import CURRENCIES, PRICE_BASES, per_gpu_hour

D = Decimal
AMOUNTS = st.decimals("0.0001", "1000000", places=4)


@pytest.mark.parametrize(
    ("amount", "basis", "gpus", "hours", "expected", "step"),
    [
        ("2.49", "gpu_hour", None, None, "2.49", "as_stated"),
        ("0.05", "gpu_minute", None, None, "3.00", "minute_to_hour"),
        ("0.001", "gpu_second", None, None, "3.600", "second_to_hour"),
        ("1460", "gpu_month", None, None, "2", "month_of_730_hours"),
        ("98.32", "instance_hour", "8", None, "12.29", "instance_to_gpu"),
        ("11680", "instance_month", "8", None, "2", "instance_month_of_730_hours"),
        ("140160", "instance_year", "8", None, "2", "instance_year_of_8760_hours"),
        # a block of 64 GPUs for seven days
        ("26880", "block", "64", "168", "2.5", "block_to_gpu_hour"),
        # a fifth of a GPU
        ("0.50", "instance_hour", "0.2", None, "2.5", "instance_to_gpu"),
    ],
)
def test_each_basis_leads_to_the_gpu_hour(
    amount: str, basis: str, gpus: str | None, hours: str | None, expected: str, step: str
) -> None:
    count = None if gpus is None else D(gpus)
    span = None if hours is None else D(hours)
    assert per_gpu_hour(D(amount), basis, gpu_count=count, hours=span) == D(expected)
    assert PRICE_BASES[basis].step == step


@pytest.mark.parametrize("basis", ["instance_hour", "instance_month", "instance_year", "block"])
@pytest.mark.parametrize("count", [None, D(0), D(-1)])
def test_a_basis_that_covers_gpus_needs_their_number(basis: str, count: Decimal | None) -> None:
    with pytest.raises(ValueError, match=f"per {basis} needs the number of GPUs"):
        per_gpu_hour(D(1), basis, gpu_count=count, hours=D(1))


@pytest.mark.parametrize("hours", [None, D(0), D(-1)])
def test_a_block_needs_its_hours(hours: Decimal | None) -> None:
    with pytest.raises(ValueError, match="per block needs the number of hours"):
        per_gpu_hour(D(1), "block", gpu_count=D(1), hours=hours)


def test_an_unknown_basis_is_refused_and_the_known_ones_are_named() -> None:
    with pytest.raises(ValueError, match=r"unknown price basis 'fortnight'; known: block, gpu_hour"):
        per_gpu_hour(D(1), "fortnight")


@given(AMOUNTS, st.integers(1, 512))
def test_the_instance_price_of_n_gpus_is_n_gpu_prices(amount: Decimal, count: int) -> None:
    assert per_gpu_hour(amount * count, "instance_hour", gpu_count=D(count)) == amount


@given(AMOUNTS, AMOUNTS, st.sampled_from(sorted(PRICE_BASES)))
def test_conversion_keeps_the_order_of_prices(low: Decimal, high: Decimal, basis: str) -> None:
    first, second = (per_gpu_hour(a, basis, gpu_count=D(8), hours=D(24)) for a in sorted((low, high)))
    assert first <= second


def test_every_currency_is_an_iso_code() -> None:
    assert {"USD", "EUR", "GBP", "INR"} <= CURRENCIES
    assert all(len(code) == 3 and code.isupper() for code in CURRENCIES)
