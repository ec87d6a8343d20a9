"""Which voices the trim of the advertised leg kept: the part of each that lies in the middle of the weight."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

Number = Decimal | None


def kept_parts(prices: Sequence[Number], weights: Sequence[Number], each_side: float) -> list[Decimal]:
    """For every voice the part of its weight, 0 to 1, between the shares `each_side` and 1 - `each_side`.

    In the order given; the mean of the prices by weight × part is A (section 6). A voice without price or weight is
    kept with nothing. Of equal prices the earlier one is taken to be the lower one.
    """
    parts = [Decimal(0)] * len(prices)
    ordered = sorted(
        (price, place, weight)
        for place, (price, weight) in enumerate(zip(prices, weights, strict=True))
        if price is not None and weight
    )
    total = sum((weight for _, _, weight in ordered), Decimal(0))
    low = total * Decimal(repr(each_side))
    high, running = total - low, Decimal(0)
    for _, place, weight in ordered:
        inside = min(running + weight, high) - max(running, low)
        parts[place] = max(inside, Decimal(0)) / weight
        running += weight
    return parts
