"""Which rows of AWS's price documents are Linux machines with whole GPUs, and which GPUs those are."""

from __future__ import annotations

import re

from collectors.instances import InstanceType, instance_types, key
from collectors.reasons import RowError
from collectors.values import Row, optional_text, text

_FAMILY = "GPU instance"
# families with GPUs by name, for rows that do not state theirs; f has FPGAs, trn and inf have none
_BY_NAME = re.compile(r"(?:p\d|g\d|gr\d|cg\d)")
_EXPECTED = (
    ("Operating System", "Linux", "windows_licence"),
    ("Pre Installed S/W", "NA", "other_service"),
    ("License Model", "No License required", "other_service"),
)


def is_of_the_gpu_family(row: Row) -> bool:
    """Whether AWS files the machine under GPU instances; by its name where the row states no family."""
    family = row.get("Instance Family")
    if isinstance(family, str) and family:
        return family == _FAMILY
    return bool(_BY_NAME.match(str(row.get("Instance Type"))))


def gpu_instance(row: Row) -> InstanceType:
    """The machine of a row. Raises RowError for software or a licence in the price, and for an unknown type."""
    name = text(row, "Instance Type")
    for field, wanted, code in _EXPECTED:
        stated = optional_text(row, field)
        if stated is not None and stated != wanted:
            raise RowError(code, f"{name}: {field} is {stated!r}, not {wanted!r}")
    return machine_named(name)


def machine_named(name: str) -> InstanceType:
    """A type of collectors/instances/aws.csv. Raises RowError `unknown_instance_type`, `gpu_slice`."""
    machine = instance_types("aws").get(key(name))
    if machine is None:
        raise RowError("unknown_instance_type", f"{name} is not in collectors/instances/aws.csv")
    if machine.is_slice:
        raise RowError("gpu_slice", f"{name} has {machine.gpu_count} of one {machine.chip_text}")
    return machine


def linux_machine(row: Row) -> InstanceType:
    """The machine of a row of the price history. RowError for another system, an add-on, and machines without GPUs."""
    name, system = text(row, "instance_type"), text(row, "os")
    if name.startswith("f1."):
        raise RowError("not_a_gpu", f"{name} has FPGAs")
    if system.startswith("mswin"):
        raise RowError("windows_licence", f"{name}: the price holds for {system}")
    if system != "linux":
        raise RowError("other_service", f"{name}: the price holds for {system}, not for plain Linux")
    if "gov" in text(row, "region"):
        raise RowError("restricted_market", f"{row['region']} is a cloud that only some may use")
    return machine_named(name)
