"""Matching axes against the specifications of a day, and operators as known at a cut-off.

One implementation in SQL serves the offers' own days (`grades.normalise`) and the items of a day (the index room):
`sql/62_matches.sql`. Inputs and results are temporary tables of the connection.
"""

from __future__ import annotations

from datetime import date, datetime

from warehouse.sql_files import run_sql
from warehouse.store import Warehouse

PACKAGE = "grades.sql"


def operators_known(warehouse: Warehouse, cutoff: datetime, is_reconstructed: bool) -> None:
    """Make `operators_known(operator_id, operator_class, owner_group)`: every operator of the register.

    `cutoff` is that of the day asked for (06:00 UTC of the next day). Without a fact known by then an operator is
    its own owner group, class UNK.
    """
    run_sql(
        warehouse, PACKAGE, "61_operators_known", {"cutoff": cutoff, "is_reconstructed": is_reconstructed}
    )


def match_axes(warehouse: Warehouse, day: date, cutoff: datetime, is_reconstructed: bool) -> None:
    """Make `axes_matches(axes_key, grade_id, rule_id)` and `axes_refusals(axes_key, reason_code, detail)`.

    Reads `axes_to_match(axes_key, operator_id, chip, form_memory, lot, fabric, scope, term, place)`. A tuple is in
    one grade per specification and bucket that takes it, or is refused with one reason.
    """
    parameters = {"day": day, "cutoff": cutoff, "is_reconstructed": is_reconstructed}
    for name in ("60_one_day", "62_matches", "63_of_one_day"):
        run_sql(warehouse, PACKAGE, name, parameters)
