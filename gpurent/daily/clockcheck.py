"""The machine's clock against what is recorded: nothing is recorded before what is there.

`known_at` decides what a past value could have used. A clock that was set back would put new records before old
ones, and a day would no longer be what its edition said.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from gpurent.core.clock import iso_utc
from gpurent.core.errors import ConfigError
from warehouse.store import Warehouse

CORRECTION = timedelta(minutes=1)
"""How far a clock that is kept by a time service may be set back without a word."""


def newest_known(warehouse: Warehouse) -> datetime | None:
    """The latest `known_at` of any table; None in an empty warehouse."""
    found = [
        warehouse.connection.table(name).aggregate("max(known_at)").fetchall()[0][0]
        for name in sorted(warehouse.tables)
        if "known_at" in warehouse.schema(name).names
    ]
    return max((instant for instant in found if instant is not None), default=None)


def fault_of_clock(warehouse: Warehouse) -> str | None:
    """What is wrong where the clock stands before the newest record, else None. An archive's clock is its own."""
    newest, now = newest_known(warehouse), warehouse.clock.now()
    if newest is None or warehouse.fact("purpose") is not None or newest <= now + CORRECTION:
        return None
    return f"it says {iso_utc(now)}, but something was recorded at {iso_utc(newest)}"


def refuse_clock_set_back(warehouse: Warehouse) -> None:
    """Before anything is written: ConfigError where the clock stands before the newest record."""
    fault = fault_of_clock(warehouse)
    if fault is not None:
        raise ConfigError(
            f"the clock: {fault}; set the machine's clock (see `gpurent doctor`). If it stood ahead when that was "
            "recorded, wait until it is past that time, or go on in another --warehouse"
        )
