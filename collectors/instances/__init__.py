"""Which GPUs an instance type has: the price lists and bills of the clouds name types, not GPUs.

One CSV a cloud, every row with the page it was read on and when; a fact without a page has no row, and what the
page leaves out is empty. `gpu_count` may be a fraction: a share of one card. `memory_gb` is per GPU.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from collectors.reasons import RowError
from gpurent.core.errors import ConfigError

_NOT_PART_OF_A_NAME = re.compile(r"[\s_-]+")


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine with GPUs. None is what nobody states; `memory_gb` is per GPU."""

    name: str
    gpu_count: Fraction
    chip_text: str
    form_text: str | None
    memory_gb: Decimal | None
    fabric_text: str | None

    @property
    def is_slice(self) -> bool:
        """Whether it has less than one whole GPU."""
        return self.gpu_count < 1


@dataclass(frozen=True, slots=True)
class InstanceType(Machine):
    """One instance type of a cloud, with the page it was read on. `scope_text` where its name says what is rented."""

    url: str
    observed_on: date
    scope_text: str | None = None


def key(name: str) -> str:
    """The spelling under which a type is looked up: `Standard_NC40ads_H100_v5` and `NC40adsH100v5` are one."""
    return _NOT_PART_OF_A_NAME.sub("", name).lower().removeprefix("standard")


@cache
def instance_types(cloud: str) -> Mapping[str, InstanceType]:
    """All types of a cloud by `key`. Raises ConfigError for a cloud without a table, or a bad row in it."""
    path = files("collectors.instances").joinpath(f"{cloud}.csv")
    if not path.is_file():
        raise ConfigError(f"collectors/instances has no table {cloud}.csv")
    found = {}
    for number, row in enumerate(csv.DictReader(path.read_text(encoding="utf-8").splitlines()), 2):
        try:
            found[key(row["instance_type"])] = _instance(row)
        except (KeyError, ValueError, ArithmeticError) as error:
            raise ConfigError(f"collectors/instances/{cloud}.csv, line {number}: {error}") from None
    return MappingProxyType(found)


def whole_machine(cloud: str, name: str) -> InstanceType:
    """The type of that name in the cloud's table. RowError `unknown_instance_type`, `gpu_slice`."""
    machine = instance_types(cloud).get(key(name))
    if machine is None:
        raise RowError("unknown_instance_type", f"{name} is not in collectors/instances/{cloud}.csv")
    if machine.is_slice:
        raise RowError("gpu_slice", f"{name} has {machine.gpu_count} of one {machine.chip_text}")
    return machine


def _instance(row: Mapping[str, str]) -> InstanceType:
    if not row["url"].startswith("https://"):
        raise ValueError("every row needs the page it was read on")
    return InstanceType(
        name=row["instance_type"],
        gpu_count=Fraction(row["gpu_count"]),
        chip_text=row["chip_text"],
        form_text=row["form_text"] or None,
        memory_gb=Decimal(row["memory_gb"]) if row["memory_gb"] else None,
        fabric_text=row["fabric_text"] or None,
        url=row["url"],
        observed_on=date.fromisoformat(row["observed_on"]),
        scope_text=row.get("scope_text") or None,
    )
