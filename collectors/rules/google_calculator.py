"""Rows of the open Google calculator: machines by region, the prices that are offered, sums that lack a GPU."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from collectors.items import Item, StatedOffer
from collectors.price_text import price
from collectors.reasons import RowError, refuse
from collectors.registry import SourceRecord
from collectors.values import Row, decimal_text, number, optional, optional_number, shown, text
from gpurent.core.errors import SourceError
from gpurent.core.units import HOURS_PER_MONTH

# field, term in words, price basis
_PRICES = (
    ("hour", "on-demand", "instance_hour"),
    ("hour_spot", "spot", "instance_hour"),
    ("month_1y", "1 year", "instance_month"),
    ("month_3y", "3 years", "instance_month"),
)
_NOT_A_KEY = frozenset({"bandwidth", "cost", "cpu", "local-ssd", "ram", "type"})
# what a dearer region may add to the host's price in us-central1; a sum within it has no GPU in it
_DEARER_REGION = Decimal("1.33")
# a commitment of three years takes off at most two thirds; a sum below a quarter of the on-demand price lacks its GPU
_LEAST_COMMITTED = Decimal("0.25")


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
    return Machine(name, gpu_key, gpus, optional_number(row, "vcpu"))


def offers_of(row: Row, machine: Machine, source: SourceRecord) -> Iterator[Item]:
    """One item for every price that the row states: an offer, or why it is none."""
    region, lot = text(row, "region"), int(machine.gpus)
    for field, term, basis in _PRICES:
        if optional(row, field) is None:
            continue
        try:
            stated = price(row, field)
            _check_sum(row, machine, field, stated.amount, source)
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


def _check_sum(row: Row, machine: Machine, field: str, amount: Decimal, source: SourceRecord) -> None:
    """Refuse an on-demand price that Google does not offer, and a sum without its GPU.

    A spot price may fall to a tenth of the on-demand one by itself, so nothing can be told from it.
    """
    host = _host_usd_per_hour(machine, source) * _DEARER_REGION
    if field == "hour":
        if machine.name in source.options["not_on_demand"]:
            raise RowError("not_offered", f"{machine.name} is sold as spot or flex-start only")
        least = host
    elif field.startswith("month_"):
        on_demand = optional_number(row, "hour")
        least = HOURS_PER_MONTH * (host if on_demand is None else on_demand * _LEAST_COMMITTED)
    else:
        return
    if amount <= least:
        raise RowError(
            "sum_without_gpu",
            f"{machine.name}: {field} {decimal_text(amount)} is no more than a host, {least:.4f}",
        )


def _host_usd_per_hour(machine: Machine, source: SourceRecord) -> Decimal:
    """The machine's host alone in us-central1; 0 where it is not known for its family."""
    rates = source.options["host_usd_per_vcpu_hour"]
    rate = next((rate for family, rate in rates.items() if machine.name.startswith(family)), "0")
    return (machine.vcpus or Decimal(0)) * Decimal(rate)
