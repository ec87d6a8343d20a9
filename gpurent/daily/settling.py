"""Held values: released at 12:00 UTC where the independent computation agrees, else withheld as unconfirmed (11)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal

from gpurent.core.clock import at_utc
from gpurent.core.stages import reach
from gpurent.daily.chain import day_vintages, memory_before
from gpurent.daily.press import Press
from gpurent.publish.edition import Edition, write_edition
from index.reduction import LIVE
from index.run import DayResult, compute_day, store_day
from warehouse.sql_files import run_sql
from warehouse.store import Warehouse

REASON = "held_release"


def held_grades(warehouse: Warehouse, day: date, vintage: str) -> list[str]:
    """The grades whose value of a vintage is held."""
    rows = run_sql(warehouse, "gpurent.daily.sql", "held_grades", {"day": day, "vintage": vintage})
    return [grade_id for (grade_id,) in rows]


def _references(result: DayResult) -> dict[str, Decimal | None]:
    return {str(row["grade_id"]): row["reference_log"] for row in result.rows["reference_prices"]}  # type: ignore[misc]


def _compute(warehouse: Warehouse, day: date, press: Press, settled: Mapping[str, bool]) -> DayResult:
    return compute_day(
        warehouse,
        day,
        construction=LIVE,
        vintage="1",
        methodology=press.method,
        register_version=press.register_version,
        memory=memory_before(warehouse, day, press.method),
        settled=settled,
    )


def settle_held(warehouse: Warehouse, day: date, press: Press) -> Edition | None:
    """Settle what is held of `day` once 12:00 UTC of the next day has passed, as a further vintage.

    None where it is not time yet, nothing is held, or it was settled before. Each held value is compared with the
    independent computation from the same stored rows: within 1e-9 it is released, else withheld.
    """
    due = at_utc(day, press.method.time.held_release_hour_utc)
    vintages = [name for name in day_vintages(warehouse, day) if name.isdigit()]
    if warehouse.clock.now() < due or not vintages:
        return None
    newest = max(vintages, key=int)
    held = held_grades(warehouse, day, newest)
    if not held:
        return None
    from gpurent.recompute import TOLERANCE, one_day  # noqa: PLC0415  # needed on the rare day with a large move

    independent = one_day(warehouse.connection, day, held)
    released = _references(_compute(warehouse, day, press, dict.fromkeys(held, True)))
    settled: dict[str, bool] = {}
    for grade_id in held:
        other = independent.get(grade_id)
        mine, theirs = released.get(grade_id), None if other is None else other.reference_log
        settled[grade_id] = mine is not None and theirs is not None and abs(float(mine) - theirs) <= TOLERANCE
    reach("daily.held.compared")
    vintage = str(int(newest) + 1)
    store_day(warehouse, _compute(warehouse, day, press, settled).as_vintage(vintage, due))
    edition = write_edition(
        warehouse,
        press.out,
        day=day,
        vintage=vintage,
        construction=LIVE,
        published_at=due,
        reason=REASON,
        key=press.key,
        is_sample=press.is_sample,
    )
    reach("daily.held.settled")
    return edition
