"""The charts of a grade's page: the series as columns for the script, and what they say in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from gpurent.publish.site.figures import share
from gpurent.publish.site.reading import Row
from gpurent.publish.words import in_words

_COLUMNS = {
    "reference": "reference_usd_per_gpu_hour",
    "cross_section": "cross_section_usd_per_gpu_hour",
    "low": "level_ci_low",
    "high": "level_ci_high",
    "advertised": "advertised_usd_per_gpu_hour",
    "traded": "traded_usd_per_gpu_hour",
    "weight": "trade_weight",
}


def chart_columns(points: Sequence[Row]) -> dict[str, object]:
    """The series as columns of plain values, for the script; a column that is empty throughout is left out."""
    data: dict[str, object] = {
        "day": [row["day"].isoformat() for row in points],
        "level": [row["level"] for row in points],
        "label": [in_words("labels", row["label"]) for row in points],
    }
    for name, column in _COLUMNS.items():
        values = [None if row[column] is None else round(float(row[column]), 4) for row in points]
        if any(value is not None for value in values):
            data[name] = values
    return data


def series_in_words(title: str, points: Sequence[Row]) -> str:
    """The chart of the reference in a sentence, for who cannot see it; at least one point has a value."""
    valued = [row for row in points if row["reference_usd_per_gpu_hour"] is not None]
    prices = [row["reference_usd_per_gpu_hour"] for row in valued]
    return (
        f"Reference price of {title}, {valued[0]['day']} to {valued[-1]['day']}: from {prices[0]} to "
        f"{prices[-1]} USD per GPU-hour, lowest {min(prices)}, highest {max(prices)}; "
        f"{len(valued)} of {len(points)} days have a value."
    )


def legs_in_words(title: str, points: Sequence[Row]) -> str:
    """The chart of both legs in a sentence."""
    offered = [row for row in points if row["advertised_usd_per_gpu_hour"] is not None]
    traded = [row for row in points if row["traded_usd_per_gpu_hour"] is not None]
    weights = [row["trade_weight"] for row in points if row["trade_weight"]]
    most = f"weight of traded up to {share(max(weights))}" if weights else "trades carry no weight"
    return f"Both legs of {title}: advertised on {len(offered)} days, traded on {len(traded)} days; {most}."
