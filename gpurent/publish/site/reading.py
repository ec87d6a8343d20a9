"""Everything the site shows of a day, read from the warehouse once, through the views of what may be shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from gpurent.core.clock import at_utc
from gpurent.publish.manifest import edition_path
from gpurent.publish.tables import PACKAGE
from gpurent.publish.words import in_words
from index.methodologies import methodology_named
from index.parameters import Methodology
from warehouse import Warehouse
from warehouse.sql_files import run_sql, run_sql_arrow, run_sql_dicts

Row = Mapping[str, Any]
Rows = Mapping[str, Sequence[Row]]

# columns of the series that are for the pages only
_FOR_PAGES = ("not_computed",)


@dataclass(frozen=True)
class SiteData:
    """One day's site as rows. Tables by grade id or operator id; `series` holds every grade's days, oldest first."""

    day: date
    notice: str | None
    vintage: str
    construction: str
    published_at: datetime
    written_at: datetime
    methodology: Methodology
    series_table: pa.Table
    series: Rows
    voices: Rows
    exclusions: Rows
    attributions: Rows
    grades: Mapping[str, Row]
    accepts: Mapping[str, Mapping[str, Sequence[str]]]
    operators: Sequence[Row]
    tiers: Rows
    evidence: Rows
    operator_items: Rows
    sources: Sequence[Row]
    edition: Path | None

    @property
    def today(self) -> list[Row]:
        """The grades' rows of the day, by code."""
        return [rows[-1] for rows in self.series.values() if rows[-1]["day"] == self.day]

    @cached_property
    def codes_today(self) -> frozenset[str]:
        """Codes of the grades that have a row today, and so a page."""
        return frozenset(row["grade_code"] or row["grade_id"] for row in self.today)

    @property
    def edition_folder(self) -> str:
        return f"editions/{edition_path(self.day, self.vintage)}"

    @property
    def edition_files(self) -> list[str]:
        return [] if self.edition is None else sorted(path.name for path in self.edition.iterdir())

    @property
    def long_day(self) -> str:
        return long_day(self.day)

    @property
    def published(self) -> str:
        return f"{long_day(self.published_at.date())}, {self.published_at:%H:%M} UTC"

    @property
    def final_from(self) -> str:
        """When the newest vintage becomes final: 15:00 UTC of the next day."""
        return f"{long_day(self._final_at.date())}, {self._final_at:%H:%M} UTC"

    @property
    def is_final(self) -> bool:
        """Whether that instant has passed by the clock of the run that writes the site."""
        return self.written_at >= self._final_at

    @property
    def _final_at(self) -> datetime:
        return at_utc(self.day, self.methodology.time.final_hour_utc)

    @property
    def made(self) -> str:
        """How the day was computed; what is replayed from the sample was never live."""
        if self.notice and self.construction == "live":
            return "as on the day itself, replayed from the sample"
        return in_words("constructions", self.construction)

    @property
    def sources_named(self) -> list[Row]:
        """The sources that stood behind an item in the last 90 days."""
        return [source for source in self.sources if source["is_used"]]


def read_site(
    warehouse: Warehouse,
    day: date,
    *,
    notice: str | None,
    out: Path | None,
    methodology: Methodology | None = None,
) -> SiteData:
    """Read the site of `day`; the views `public_…` must be there.

    `methodology` is the one whose parameters are shown: by default the version the day's rows name.
    """
    table = run_sql_arrow(warehouse, PACKAGE, "site_series", {"day": day})
    series = _by("grade_id", table.to_pylist())
    first = next(rows[-1] for rows in series.values() if rows[-1]["day"] == day)
    method = methodology or methodology_named(warehouse, first["methodology_version"])
    bound = {
        "day": day,
        "vintage": first["vintage"],
        "cutoff": at_utc(day, method.time.cut_off_hour_utc),
    }

    def rows(name: str) -> list[dict[str, Any]]:
        return run_sql_dicts(warehouse, PACKAGE, name, bound)

    edition = None if out is None else out / edition_path(day, first["vintage"])
    return SiteData(
        day=day,
        notice=notice,
        vintage=first["vintage"],
        construction=first["construction"],
        published_at=first["published_at"],
        written_at=warehouse.clock.now(),
        methodology=method,
        series_table=_with_notice(table.drop_columns(list(_FOR_PAGES)), notice),
        series=series,
        voices=_by("grade_id", rows("site_voices")),
        exclusions=_by("grade_id", rows("site_exclusions")),
        attributions=_by("grade_id", rows("site_attributions")),
        grades={row["grade_id"]: row for row in rows("site_grades")},
        accepts=_accepts(run_sql(warehouse, PACKAGE, "site_accepts")),
        operators=rows("site_operators"),
        tiers=_by("operator_id", rows("site_tiers")),
        evidence=_by("operator_id", rows("site_evidence")),
        operator_items=_by("operator_id", rows("site_operator_items")),
        sources=rows("site_sources"),
        edition=edition if edition is not None and edition.is_dir() else None,
    )


def long_day(day: date) -> str:
    """`15 July 2026`."""
    return f"{day.day} {day:%B %Y}"


def next_day(day: date) -> date:
    """The day after."""
    return day + timedelta(days=1)


def _by(column: str, rows: Iterable[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row[column], []).append(row)
    return found


def _accepts(rows: Iterable[tuple[str, str, str]]) -> dict[str, dict[str, list[str]]]:
    found: dict[str, dict[str, list[str]]] = {}
    for spec_id, axis, value in rows:
        found.setdefault(spec_id, {}).setdefault(axis, []).append(value)
    return found


def _with_notice(table: pa.Table, notice: str | None) -> pa.Table:
    return table.append_column("notice", pa.array([notice] * table.num_rows, pa.string()))
