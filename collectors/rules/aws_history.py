"""Rows of the history of AWS's prices: which machine, at which of its prices on demand and reserved."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from collectors.instances import InstanceType
from collectors.reasons import RowError
from collectors.rules.aws import machine_named, refuse_no_gpu, refuse_other_systems
from collectors.values import Row, shown, text

# the term's years, then since late 2016 whether it can be converted, then how much is paid at once
_RESERVED = re.compile(r"yrTerm(?P<years>[13])(?:Standard|Convertible)?\.(?:no|partial|all)Upfront")
_TERMS = {"1": "1 year", "3": "3 years"}


def prices_of(machine: Any) -> Iterator[Any]:
    """The prices of a machine, as rows like those of the table; what has another shape is left to be refused."""
    pricing = machine.get("pricing") if isinstance(machine, dict) else None
    if not isinstance(pricing, dict):
        yield machine
        return
    for region, systems in pricing.items():
        for system, stated in systems.items() if isinstance(systems, dict) else ():
            yield {
                "instance_type": machine.get("instance_type"),
                "gpu_field": machine.get("GPU"),
                "region": region,
                "os": system,
                "ondemand": stated.get("ondemand") if isinstance(stated, dict) else stated,
                "reserved": stated.get("reserved") if isinstance(stated, dict) else None,
            }


def linux_machine(row: Row) -> InstanceType:
    """The machine of a row. RowError for another system, an add-on, and machines without GPUs."""
    name, system = text(row, "instance_type"), text(row, "os")
    refuse_no_gpu(name)
    if system == "ebs":
        raise RowError("add_on", f"{name}: the price of an option, faster disks, beside the machine's")
    refuse_other_systems(name, system)
    if "gov" in text(row, "region"):
        raise RowError("restricted_market", f"{shown(row['region'])} is a cloud that only some may use")
    return machine_named(name)


def reserved_of(row: Row) -> Iterator[tuple[str, Any]]:
    """The reserved prices of a row by the source's own names, `yrTerm1Standard.noUpfront`; one version nests them."""
    stated = row.get("reserved")
    if isinstance(stated, str):
        try:
            stated = json.loads(stated or "null")
        except (ValueError, RecursionError):
            raise RowError("malformed_row", "`reserved` is no JSON") from None
    for name, value in (stated or {}).items() if isinstance(stated or {}, dict) else ():
        if isinstance(value, dict):
            yield from ((f"{name}.{upfront}", price) for upfront, price in value.items())
        else:
            yield name, value


def term_of(name: str) -> str:
    """The term of a reserved price's name in words. RowError `unknown_market` for a name of another form."""
    found = _RESERVED.fullmatch(name)
    if found is None:
        raise RowError("unknown_market", f"{shown(name)} names no term of one or three years")
    return _TERMS[found["years"]]
