"""What the page shows, read from the warehouse: rows of the table, withheld grades, series for the charts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa

from gpurent.core.numbers import round_half_even
from gpurent.publish.jsontext import json_value
from gpurent.publish.manifest import edition_path
from gpurent.publish.site.sparkline import sparkline_path
from gpurent.publish.tables import PACKAGE
from gpurent.publish.words import codes, in_words, missing_reasons, why_withheld
from warehouse import Warehouse
from warehouse.sql_files import run_sql_arrow, run_sql_dicts

Row = Mapping[str, Any]

_EXPLAINED = {
    "letter": "Letter",
    "advertised_usd_per_gpu_hour": "Advertised",
    "traded_usd_per_gpu_hour": "Traded",
}
SPARKLINE_DAYS = 30
VALUES_SHOWN = 30

_CLASSES = frozenset({"HYP", "NEO", "MKT", "RES"})


@dataclass(frozen=True, slots=True)
class Code:
    """A grade code with its bucket, as far as the page needs it."""

    text: str

    @property
    def bucket(self) -> str:
        return self.text.partition(".")[2]

    @property
    def term(self) -> str:
        parts = self.text.partition(".")[0].split("-")
        return parts[5] if len(parts) > 5 else ""


_GROUPS: tuple[tuple[str, Callable[[Code], bool]], ...] = (
    ("On demand, all operators", lambda code: code.bucket == "ALL" and code.term != "SP"),
    ("Interruptible, all operators", lambda code: code.bucket == "ALL"),
    ("By class of operator", lambda code: code.bucket in _CLASSES),
    ("By tier of operator", lambda code: True),
)


@dataclass(frozen=True, slots=True)
class Line:
    """One grade with a value today."""

    code: Code
    anchor: str
    price: Row
    change: str
    change_since: str
    direction: str
    sparkline: str
    why_empty: Mapping[str, str]
    flags: Sequence[str]

    def cell(self, column: str) -> str:
        """The number as published, or a dash."""
        value = self.price[column]
        return "–" if value is None else str(value)

    @property
    def weight(self) -> str:
        value = self.price["trade_weight"]
        return "–" if value is None else f"{round_half_even(value * 100, 0)} %"


@dataclass(frozen=True, slots=True)
class Series:
    """A grade that ever had a value: what its chart and its table of values need."""

    code: str
    title: str
    anchor: str
    points: Sequence[Row]

    @property
    def newest_first(self) -> list[Row]:
        return list(reversed(self.points))[:VALUES_SHOWN]

    @property
    def summary(self) -> str:
        """The chart in a sentence, for who cannot see it."""
        valued = [point for point in self.points if point["reference_usd_per_gpu_hour"] is not None]
        first, last = valued[0], valued[-1]
        prices = [point["reference_usd_per_gpu_hour"] for point in valued]
        return (
            f"Reference price of {self.title}, {first['day']} to {last['day']}: from "
            f"{first['reference_usd_per_gpu_hour']} to {last['reference_usd_per_gpu_hour']} USD per GPU-hour, "
            f"lowest {min(prices)}, highest {max(prices)}; {len(valued)} of {len(self.points)} days have a value."
        )


@dataclass(frozen=True, slots=True)
class Withheld:
    """The grades withheld for one reason."""

    why: str
    lines: Sequence[Row]


@dataclass(frozen=True, slots=True)
class Page:
    """Everything the template shows."""

    day: date
    notice: str | None
    vintage: str
    construction: str
    published_at: datetime
    methodology_version: str
    groups: Sequence[tuple[str, Sequence[Line]]]
    withheld: Sequence[Withheld]
    series: Sequence[Series]
    series_table: pa.Table
    sources: Sequence[Row]
    edition: Path | None

    @property
    def edition_folder(self) -> str:
        return f"editions/{edition_path(self.day, self.vintage)}"

    @property
    def edition_files(self) -> list[str]:
        return [] if self.edition is None else sorted(path.name for path in self.edition.iterdir())

    @property
    def value_count(self) -> int:
        return sum(len(lines) for _, lines in self.groups)

    @property
    def dash_notes(self) -> list[str]:
        """Why there are dashes in the table, one sentence a column and reason."""
        found = {
            (name, line.why_empty[column])
            for _, lines in self.groups
            for line in lines
            for column, name in _EXPLAINED.items()
            if column in line.why_empty
        }
        return [f"{name} –: {why}." for name, why in sorted(found)]

    @property
    def withheld_count(self) -> int:
        return sum(len(group.lines) for group in self.withheld)

    @property
    def long_day(self) -> str:
        return long_day(self.day)

    @property
    def published(self) -> str:
        return f"{long_day(self.published_at.date())}, {self.published_at:%H:%M} UTC"

    @property
    def final_from(self) -> str:
        """When the newest vintage becomes final: 15:00 UTC of the next day."""
        return f"{long_day(self.day + timedelta(days=1))}, 15:00 UTC"

    @property
    def chart_data(self) -> list[dict[str, object]]:
        """The series as plain values, for the script."""
        return [
            {
                "anchor": series.anchor,
                "description": series.summary,
                "points": [
                    {
                        "day": point["day"].isoformat(),
                        "reference": _plain(point["reference_usd_per_gpu_hour"]),
                        "cross_section": _plain(point["cross_section_usd_per_gpu_hour"]),
                        "level": point["level"],
                        "label": in_words("labels", point["label"]),
                    }
                    for point in series.points
                ],
            }
            for series in self.series
        ]


def read_page(warehouse: Warehouse, day: date, *, notice: str | None, out: Path | None) -> Page:
    """Read the page of `day` through the views of what may be shown, which must be there."""
    table = run_sql_arrow(warehouse, PACKAGE, "site_series", {"day": day})
    by_grade: dict[str, list[Row]] = {}
    for row in table.to_pylist():
        by_grade.setdefault(row["grade_id"], []).append(row)
    today = [rows[-1] for rows in by_grade.values() if rows[-1]["day"] == day]
    first = today[0]
    lines = [_line(price, by_grade[price["grade_id"]]) for price in today if price["status"] != "withheld"]
    edition = None if out is None else out / edition_path(day, first["vintage"])
    return Page(
        day=day,
        notice=notice,
        vintage=first["vintage"],
        construction=first["construction"],
        published_at=first["published_at"],
        methodology_version=first["methodology_version"],
        groups=_grouped(lines),
        withheld=_withheld(price for price in today if price["status"] == "withheld"),
        series=[series for rows in by_grade.values() if (series := _series(rows)) is not None],
        series_table=_with_notice(table, notice),
        sources=run_sql_dicts(warehouse, PACKAGE, "site_sources", {"day": day}),
        edition=edition if edition is not None and edition.is_dir() else None,
    )


def long_day(day: date) -> str:
    """`15 July 2026`."""
    return f"{day.day} {day:%B %Y}"


def _line(price: Row, rows: Sequence[Row]) -> Line:
    code = Code(price["grade_code"] or price["grade_id"])
    before = [row for row in rows[:-1] if row["reference_log"] is not None]
    change, since, direction = "–", "", "none"
    if before and price["reference_log"] is not None:
        moved = price["reference_log"] - before[-1]["reference_log"]
        share = round_half_even(Decimal(repr(math.expm1(float(moved)) * 100)), 2)
        direction = "up" if share > 0 else "down" if share < 0 else "none"
        change = f"{abs(share)} %" if share == 0 else f"{'+' if share > 0 else '−'}{abs(share)} %"
        if before[-1]["day"] != price["day"] - timedelta(days=1):
            since = f"since {long_day(before[-1]['day'])}"
    recent = [row["reference_usd_per_gpu_hour"] for row in rows[-SPARKLINE_DAYS:]]
    return Line(
        code=code,
        anchor=_anchor(code.text),
        price=price,
        change=change,
        change_since=since,
        direction=direction,
        sparkline=sparkline_path(recent),
        why_empty={column: in_words("empty", why) for column, why in missing_reasons(price).items()},
        flags=[in_words("flags", flag) for flag in codes(price["flags"])],
    )


def _grouped(lines: Iterable[Line]) -> list[tuple[str, Sequence[Line]]]:
    """Lines under the first heading that fits, in order of code; headings without lines are left out."""
    found: dict[str, list[Line]] = {heading: [] for heading, _ in _GROUPS}
    for line in sorted(lines, key=lambda one: one.code.text):
        found[next(heading for heading, fits in _GROUPS if fits(line.code))].append(line)
    return [(heading, group) for heading, group in found.items() if group]


def _withheld(prices: Iterable[Row]) -> list[Withheld]:
    """By reason, the rarest first: what nearly has a price is of more interest than what nobody offers."""
    found: dict[str, list[Row]] = {}
    for price in prices:
        found.setdefault(why_withheld(price), []).append(price)
    return [
        Withheld(why, rows) for why, rows in sorted(found.items(), key=lambda pair: (len(pair[1]), pair[0]))
    ]


def _series(rows: Sequence[Row]) -> Series | None:
    """The series of a grade from its first value on; None when it never had one."""
    start = next((n for n, row in enumerate(rows) if row["reference_usd_per_gpu_hour"] is not None), None)
    if start is None:
        return None
    code = rows[-1]["grade_code"] or rows[-1]["grade_id"]
    return Series(code, rows[-1]["grade_title"] or code, _anchor(code), rows[start:])


def _anchor(code: str) -> str:
    return f"series-{code.replace('.', '-')}"


def _plain(value: Decimal | None) -> object:
    return None if value is None else json_value(value)


def _with_notice(table: pa.Table, notice: str | None) -> pa.Table:
    dropped = table.drop_columns(["not_computed"])
    return dropped.append_column("notice", pa.array([notice] * table.num_rows, pa.string()))
