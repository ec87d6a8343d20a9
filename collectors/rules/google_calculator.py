"""Rows of the open Google calculator: machines by region, the prices that are offered, sums that lack a GPU."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from collectors.items import Item, StatedOffer
from collectors.price_text import price
from collectors.reading import time_of_list
from collectors.reasons import RowError, refuse
from collectors.registry import SourceRecord
from collectors.values import Row, decimal_text, number, optional, optional_number, shown, text, whole_gpus
from gpurent.core.errors import SourceError
from gpurent.core.units import HOURS_PER_MONTH

# field, term in words, price basis
_PRICES = (
    ("hour", "on-demand", "instance_hour"),
    ("hour_spot", "spot", "instance_hour"),
    ("month_1y", "1 year", "instance_month"),
    ("month_3y", "3 years", "instance_month"),
)
# prices that a commitment must differ from, and by what a field is multiplied to be a month
_SHORTER = {"month_1y": ("hour",), "month_3y": ("hour", "month_1y")}
_PER_MONTH = {"hour": HOURS_PER_MONTH, "month_1y": Decimal(1)}
_ASCTIME = "%a %b %d %H:%M:%S %Y"
_NOT_A_KEY = frozenset({"bandwidth", "cost", "cpu", "local-ssd", "ram", "type"})
# what a dearer region may add to the host's price in us-central1; a sum within it has no GPU in it
_DEARER_REGION = Decimal("1.33")
# a commitment of three years takes off at most two thirds; a sum below a quarter of the on-demand price lacks its GPU
_LEAST_COMMITTED = Decimal("0.25")
# spot takes off at most 91 %: https://docs.cloud.google.com/compute/docs/instances/spot
_LEAST_SPOT = Decimal("0.085")
_SAME = Decimal("1e-6")


# `committed_at` and `generated` of a row of the table
Version = tuple[Any, Any]


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine in a region: how many GPUs of which key, and its virtual CPUs where stated."""

    name: str
    gpu_key: str
    gpus: Decimal
    vcpus: Decimal | None


def generated_at(found: Row) -> datetime | None:
    """When the file says that it was built; None where it does not. SourceError `document_time` if unreadable."""
    about = found.get("about")
    stamp = about.get("timestamp") if isinstance(about, dict) else None
    if stamp is None:
        return None
    try:
        return datetime.fromtimestamp(int(stamp), UTC)
    except (ValueError, OverflowError, OSError, TypeError):
        raise SourceError("document_time", f"about.timestamp is {shown(stamp)}") from None


def version_at(committed: Any, generated: Any) -> datetime | None:
    """When a version in the table was built, as its text says (UTC, as its timestamp is); else when it was recorded."""
    if generated is None or generated == "":
        return time_of_list(committed, "committed_at")
    try:
        return datetime.strptime(str(generated), _ASCTIME).replace(tzinfo=UTC)
    except ValueError:
        raise SourceError("document_time", f"generated is {shown(generated)}") from None


def last_of_days(rows: Iterable[Any]) -> dict[Version, Version]:
    """For every version in a table the one that counts that UTC day: the last that was built, then recorded."""
    versions = {(row.get("committed_at"), row.get("generated")) for row in rows if isinstance(row, dict)}
    built = {version: version_at(*version) for version in versions}
    last: dict[date, Version] = {}
    for version in sorted(versions, key=lambda one: (str(built[one]), str(one[0]))):
        at = built[version]
        if at is not None:
            last[at.date()] = version
    return {version: last[at.date()] if at else version for version, at in built.items()}


def rows_of(found: Row) -> Iterator[Any]:
    """Machine and region, as rows like those of the table. Machines without a GPU key are no rows of this source."""
    compute = found.get("compute")
    machines = compute.get("instance") if isinstance(compute, dict) else None
    if not isinstance(machines, dict):
        raise SourceError("unexpected_format", "no object compute.instance in it")
    for name, machine in machines.items():
        if not isinstance(machine, dict):
            yield machine
            continue
        keys = [field for field in machine if field not in _NOT_A_KEY]
        regions = machine.get("cost")
        for region, costs in regions.items() if keys and isinstance(regions, dict) else ():
            yield {
                "machine_type": name,
                "gpu_key": keys[0],
                "gpu_count": machine[keys[0]],
                "vcpu": machine.get("cpu"),
                "region": region,
                **(costs if isinstance(costs, dict) else {}),
            }


def machine_of(row: Row, source: SourceRecord) -> Machine:
    """The machine of a row. RowError `unknown_instance_type` for a GPU key that is not known, `gpu_slice`."""
    name, gpu_key = text(row, "machine_type"), text(row, "gpu_key")
    if gpu_key not in source.options["gpu_keys"]:
        raise RowError(
            "unknown_instance_type", f"{name}: {shown(gpu_key)} is none of the GPU keys known here"
        )
    gpus = number(row, "gpu_count")
    if gpus < 1:
        raise RowError("gpu_slice", f"{name} has {gpus} of one {gpu_key}")
    return Machine(name, gpu_key, whole_gpus(gpus, name), optional_number(row, "vcpu"))


def offers_of(row: Row, machine: Machine, source: SourceRecord) -> Iterator[Item]:
    """One item for every price that the row states: an offer, or why it is none."""
    region, lot = text(row, "region"), int(machine.gpus)
    for field, term, basis in _PRICES:
        if optional(row, field) is None:
            continue
        try:
            stated = price(row, field)
            _check(row, machine, field, stated.amount, source)
        except RowError as fault:
            yield refuse(fault.reason_code, fault.detail)
            continue
        yield StatedOffer(
            operator_text="Google Cloud",
            sku=f"{machine.name} {term}",
            chip_text=machine.gpu_key,
            gpu_count=machine.gpus,
            lot_min_gpus=lot,
            lot_max_gpus=lot,
            scope_text=source.stated("scope_text"),
            term_text=term,
            place_text=region,
            offer_class="list",
            price_text=stated.text,
            price_amount=stated.amount,
            price_basis=basis,
            currency=source.currency,
        )


def _check(row: Row, machine: Machine, field: str, amount: Decimal, source: SourceRecord) -> None:
    """Refuse a price that Google does not offer, a sum without its GPU, and a commitment that changes nothing."""
    if machine.name in source.options["not_on_demand"] and field != "hour_spot":
        raise RowError("not_offered", f"{machine.name} is sold as spot or flex-start only")
    least = _least(row, machine, field, source)
    if amount <= least:
        raise RowError(
            "sum_without_gpu",
            f"{machine.name}: {field} {decimal_text(amount)} is no more than a host, {least:.4f}",
        )
    for shorter in _SHORTER.get(field, ()):
        other = optional_number(row, shorter)
        if other is not None and abs(amount - other * _PER_MONTH[shorter]) <= amount * _SAME:
            raise RowError(
                "repeats_shorter_term", f"{machine.name}: {field} {decimal_text(amount)} is that of {shorter}"
            )


def _least(row: Row, machine: Machine, field: str, source: SourceRecord) -> Decimal:
    """What a sum with its GPU is above: the host's price, or a share of an on-demand price that has its GPU.

    The GPU's part may lack for one term and not for another, so each is looked at.
    """
    host = _host_usd_per_hour(machine, source) * _DEARER_REGION
    on_demand = optional_number(row, "hour")
    if field == "hour" or (on_demand is not None and on_demand <= host):
        least = host
    elif on_demand is None:
        least = Decimal(0) if field == "hour_spot" else host
    else:
        least = on_demand * (_LEAST_SPOT if field == "hour_spot" else _LEAST_COMMITTED)
    return least * HOURS_PER_MONTH if field.startswith("month_") else least


def _host_usd_per_hour(machine: Machine, source: SourceRecord) -> Decimal:
    """The machine's host alone in us-central1; 0 where it is not known for its family."""
    rates = source.options["host_usd_per_vcpu_hour"]
    rate = next((rate for family, rate in rates.items() if machine.name.startswith(family)), "0")
    return (machine.vcpus or Decimal(0)) * Decimal(rate)
