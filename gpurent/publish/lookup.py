"""Finding a grade by its code and its price by day, as known at an instant."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from gpurent.core.errors import NotFoundError
from grades.grade_code import GradeCode
from warehouse import Warehouse
from warehouse.sql_files import run_sql_dicts

PACKAGE = "gpurent.publish.sql"

# later than anything that can have been recorded, whatever the clock of the machine says
EVER = datetime(9999, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Grade:
    """A grade of the warehouse: permanent id, `CODE.BUCKET`, and the title."""

    grade_id: str
    code: str
    title: str


def find_grade(warehouse: Warehouse, code: GradeCode) -> Grade:
    """The grade a valid code names; NotFoundError when the registers have no such grade."""
    rows = run_sql_dicts(warehouse, PACKAGE, "grade_by_code", {"code": code.code, "bucket": code.bucket})
    if not rows:
        raise NotFoundError(
            f"{code.code}.{code.bucket}: a valid code, but no grade of this warehouse; "
            "`gpurent grade list` prints the grades there are"
        )
    return Grade(rows[0]["grade_id"], rows[0]["grade_code"], rows[0]["grade_title"])


def find_price(
    warehouse: Warehouse, grade: Grade, day: date | None, as_of: datetime | None
) -> dict[str, Any]:
    """The row of `reference_prices`, with `grade_code` and `grade_title`; NotFoundError when there is none.

    Without `day` the newest one; without `as_of` the vintage published last.
    """
    parameters = {"grade_id": grade.grade_id, "day": day, "as_of": as_of or EVER}
    rows = run_sql_dicts(warehouse, PACKAGE, "price_as_of", parameters)
    if not rows:
        when = f" of {day}" if day else ""
        known = f" as known at {as_of:%Y-%m-%d %H:%M:%S} UTC" if as_of else ""
        raise NotFoundError(
            f"{grade.code}: no value and no withheld day{when}{known} in {warehouse.layout.database}; "
            "`gpurent index --from … --to …` computes past days"
        )
    return {**rows[0], "grade_code": grade.code, "grade_title": grade.title}


def find_price_before(
    warehouse: Warehouse, grade: Grade, day: date, as_of: datetime | None
) -> dict[str, Any] | None:
    """Day and log of the newest value before `day`; None when there was none."""
    parameters = {"grade_id": grade.grade_id, "day": day, "as_of": as_of or EVER}
    rows = run_sql_dicts(warehouse, PACKAGE, "price_before", parameters)
    return rows[0] if rows else None


def prices_of_day(warehouse: Warehouse, day: date) -> list[dict[str, Any]]:
    """Status, level and reference of every grade on a day; NotFoundError when the day was not priced."""
    rows = run_sql_dicts(warehouse, PACKAGE, "prices_of_day", {"day": day})
    if not rows:
        raise NotFoundError(
            f"{day}: not priced in {warehouse.layout.database}; `gpurent index --from {day} --to {day}` computes it"
        )
    return rows
