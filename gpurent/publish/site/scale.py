"""A logarithmic axis for prices: places in per cent of its width, and round numbers to mark it with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

# noise in a value must not look like a crash: no axis spans less than this part of its level
LEAST_SPAN = 0.04
_MARGIN, _LEAST_MARGIN = 0.04, 0.01
_WIDE = 5.0
_STEPS = (1.0, 2.0, 2.5, 5.0)
_FEWEST, _MOST = 3, 7


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis from `low` to `high`, both logs."""

    low: float
    high: float

    def place(self, value: Decimal | float | None) -> float | None:
        """Where a value stands, 0 to 100; None for none."""
        if value is None:
            return None
        return round((math.log(float(value)) - self.low) / (self.high - self.low) * 100, 2)

    @property
    def ticks(self) -> list[tuple[str, float]]:
        """Round numbers on the axis with their places: three to seven, 1-2-5 on a wide one, even steps on a narrow."""
        first, last = math.exp(self.low), math.exp(self.high)
        values = _powers(first, last) if last / first > _WIDE else []
        if len(values) < _FEWEST:
            values = _even(first, last)
        return [(f"{value:g}", self.place(value) or 0.0) for value in values]


def scale_of(values: Sequence[Decimal | float]) -> Scale:
    """The axis that holds positive values, at least LEAST_SPAN wide, with a margin. Raises ValueError for none."""
    logs = [math.log(float(value)) for value in values]
    low, high = min(logs), max(logs)
    missing = max(math.log1p(LEAST_SPAN) - (high - low), 0.0) / 2
    margin = max((high - low) * _MARGIN, _LEAST_MARGIN)
    return Scale(low - missing - margin, high + missing + margin)


def _powers(first: float, last: float) -> list[float]:
    powers = range(math.floor(math.log10(first)), math.ceil(math.log10(last)) + 1)
    every = [base * 10.0**power for power in powers for base in (1, 2, 5)]
    return [value for value in every if first <= value <= last]


def _even(first: float, last: float) -> list[float]:
    """Multiples of the smallest round step that leaves at most _MOST of them."""
    power = math.floor(math.log10((last - first) / _MOST))
    for step in (base * 10.0**exponent for exponent in (power, power + 1) for base in _STEPS):
        numbers = range(math.ceil(first / step - 1e-9), math.floor(last / step + 1e-9) + 1)
        if len(numbers) <= _MOST:
            return [round(number * step, 9) for number in numbers]
    return []
