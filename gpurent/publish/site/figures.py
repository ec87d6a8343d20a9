"""Numbers as the pages print them: a dash where there is none, a true minus, a thin reading of logs as per cent."""

from __future__ import annotations

import math
from decimal import Decimal

from gpurent.core.ids import canonical_decimal
from gpurent.core.numbers import round_half_even

DASH = "–"
MINUS = "−"
# between a number and its per cent sign no line ends
PERCENT = "\u00a0%"


def shown(value: object, decimals: int | None = None) -> str:
    """The value as published, or with so many decimals; a dash for none."""
    if value is None:
        return DASH
    if isinstance(value, Decimal):
        exact = value if decimals is None else round_half_even(value, decimals)
        return format(exact, "f").replace("-", MINUS)
    return str(value)


def share(value: Decimal | None, decimals: int = 0) -> str:
    """A share as per cent."""
    if value is None:
        return DASH
    percent = value * 100
    if decimals == 0 and 0 < percent < 1:
        return f"< 1{PERCENT}"
    return f"{round_half_even(percent, decimals)}{PERCENT}"


def change(log: Decimal | None, decimals: int = 2) -> str:
    """A change in logs as a signed percentage; a dash for none."""
    if log is None:
        return DASH
    moved = round_half_even(Decimal(repr(math.expm1(float(log)) * 100)), decimals)
    sign = "" if moved == 0 else "+" if moved > 0 else MINUS
    return f"{sign}{abs(moved)}{PERCENT}"


def size(log: Decimal | None, decimals: int = 1) -> str:
    """The size of a change in logs as per cent, without its sign."""
    if log is None:
        return DASH
    return f"{round_half_even(Decimal(repr(math.expm1(abs(float(log))) * 100)), decimals)}{PERCENT}"


def direction(log: Decimal | None) -> str:
    """`up`, `down` or `none`, by what `change` would print."""
    text = change(log)
    return "up" if text.startswith("+") else "down" if text.startswith(MINUS) else "none"


def tidy(value: Decimal | None, decimals: int) -> str:
    """A number with at most so many decimals, and no zeros at its end."""
    return DASH if value is None else canonical_decimal(round_half_even(value, decimals))
