"""What a stated price is a price of, and the named step that turns it into a price per GPU-hour.

A price basis is part of every stated offer. `per_gpu_hour` divides by the GPUs the price covers and by the
hours it covers; nothing is guessed, and a basis that needs a count or a number of hours fails without it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, localcontext

HOURS_PER_MONTH = Decimal(730)
HOURS_PER_YEAR = Decimal(8760)

# ISO 4217 codes of the ECB's euro reference rates, and EUR itself: the currencies that can become USD
_ECB_REFERENCE_CURRENCIES = """
    USD GBP CHF SEK NOK DKK PLN CZK HUF INR CAD AUD JPY CNY SGD
    KRW BRL HKD ILS TRY NZD ZAR MXN THB MYR IDR PHP RON ISK
"""
CURRENCIES = frozenset({"EUR", *_ECB_REFERENCE_CURRENCIES.split()})


@dataclass(frozen=True, slots=True)
class PriceBasis:
    """A way to state a price: name, the step's name, what it needs, and the step itself.

    A price on the basis covers `covered_hours(count, block hours)` GPU-hours, divided by `per_hour`: whole
    numbers both, so that a price per minute becomes its sixtyfold exactly.
    """

    name: str
    step: str
    needs_gpu_count: bool
    needs_hours: bool
    covered_hours: Callable[[Decimal, Decimal], Decimal]
    per_hour: int = 1

    def divide(self, count: Decimal, hours: Decimal) -> Decimal:
        """The GPU-hours that a price on this basis covers; for minutes and seconds a rounded quotient."""
        return self.covered_hours(count, hours) / self.per_hour


def _bases() -> dict[str, PriceBasis]:
    hour, month, year = Decimal(1), HOURS_PER_MONTH, HOURS_PER_YEAR

    def over(hours: Decimal) -> Callable[[Decimal, Decimal], Decimal]:
        return lambda count, _hours: count * hours

    rows = [
        PriceBasis("gpu_hour", "as_stated", False, False, lambda _count, _hours: hour),
        PriceBasis("gpu_minute", "minute_to_hour", False, False, lambda _count, _hours: hour, 60),
        PriceBasis("gpu_second", "second_to_hour", False, False, lambda _count, _hours: hour, 3600),
        PriceBasis("gpu_month", "month_of_730_hours", False, False, lambda _count, _hours: month),
        PriceBasis("instance_hour", "instance_to_gpu", True, False, over(hour)),
        PriceBasis("instance_month", "instance_month_of_730_hours", True, False, over(month)),
        PriceBasis("instance_year", "instance_year_of_8760_hours", True, False, over(year)),
        PriceBasis("block", "block_to_gpu_hour", True, True, lambda count, hours: count * hours),
    ]
    return {basis.name: basis for basis in rows}


PRICE_BASES = _bases()


def per_gpu_hour(
    amount: Decimal, basis: str, *, gpu_count: Decimal | None = None, hours: Decimal | None = None
) -> Decimal:
    """`amount`, stated on `basis`, as a price of one GPU for one hour, in the same currency.

    `gpu_count` is the GPUs the price covers (fractions exist), `hours` the hours a block covers. Raises
    ValueError for an unknown basis or where the basis needs a count or hours that are missing or not positive.
    Exact to 28 significant digits.
    """
    try:
        rule = PRICE_BASES[basis]
    except KeyError:
        raise ValueError(f"unknown price basis {basis!r}; known: {', '.join(sorted(PRICE_BASES))}") from None
    if rule.needs_gpu_count and (gpu_count is None or gpu_count <= 0):
        raise ValueError(f"a price per {basis} needs the number of GPUs it covers")
    if rule.needs_hours and (hours is None or hours <= 0):
        raise ValueError(f"a price per {basis} needs the number of hours it covers")
    with localcontext() as context:
        context.prec = 28
        covered = rule.covered_hours(gpu_count or Decimal(1), hours or Decimal(1))
        return amount * rule.per_hour / covered
