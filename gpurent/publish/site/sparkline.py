"""A line of recent values, small enough for a table cell."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from gpurent.publish.site.scale import LEAST_SPAN

WIDTH, HEIGHT, MARGIN = 96, 24, 3


def sparkline_path(values: Sequence[Decimal | None]) -> str:
    """SVG path data in a box of 96 × 24; a missing value breaks the line. Empty for less than two values.

    The box is never less than LEAST_SPAN of the level high, so that noise stays small.
    """
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return ""
    low, high = min(known), max(known)
    span = max(high - low, (low + high) / 2 * Decimal(repr(LEAST_SPAN)))
    low = (low + high - span) / 2
    step = Decimal(WIDTH - 2 * MARGIN) / max(len(values) - 1, 1)
    parts, is_open = [], False
    for index, value in enumerate(values):
        if value is None:
            is_open = False
            continue
        height = (value - low) / span if span else Decimal("0.5")  # values of 0 alone have no span
        x, y = MARGIN + index * step, HEIGHT - MARGIN - height * (HEIGHT - 2 * MARGIN)
        parts.append(f"{'L' if is_open else 'M'}{x:.1f} {y:.1f}")
        is_open = True
    return "".join(parts)
