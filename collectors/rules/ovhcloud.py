"""What a plan of OVHcloud's catalogue is: which GPUs it has, for how long it binds, what it costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from collectors.items import StatedOffer
from collectors.price_text import read_price
from collectors.reasons import RowError
from collectors.registry import SourceRecord
from collectors.values import (
    Row,
    canonical_json,
    checked_amount,
    decimal_text,
    number,
    optional_number,
    optional_text,
    picked,
    shown,
    text,
    whole,
)

_PRICE_UNIT = Decimal("1e-8")
_ROUNDED_TO = Decimal("0.01")
_PRODUCT = "publiccloud-instance"


@dataclass(frozen=True, slots=True)
class Gpu:
    """The GPUs of a plan: name, how many, GB of each where stated."""

    model: str
    count: int
    memory_gb: Decimal | None


def gpu_of(row: Row) -> Gpu:
    """The GPUs of a plan that is a Linux machine and sold. RowError for every other plan, `not_a_gpu` without GPUs."""
    gpu = _gpu_in(row)
    plan, product, system = text(row, "planCode"), optional_text(row, "product"), _technical(row).get("os")
    if product is not None and product != _PRODUCT:
        raise RowError("other_service", f"{plan} is of {shown(product)}, not of machines")
    if isinstance(system, dict) and system.get("family") == "windows":
        raise RowError("windows_licence", f"{plan}: the price includes a Windows licence")
    tags = row["blobs"].get("tags")
    if isinstance(tags, list) and "active" not in tags:
        raise RowError("not_offered", f"{plan} has the tags {shown(', '.join(map(str, tags)))}, not `active`")
    return gpu


def _technical(row: Row) -> Mapping[str, Any]:
    blobs = row.get("blobs")
    found = blobs.get("technical") if isinstance(blobs, dict) else None
    return found if isinstance(found, dict) else {}


def _gpu_in(row: Row) -> Gpu:
    found = _technical(row).get("gpu")
    if not isinstance(found, dict) or not found.get("model"):
        raise RowError("not_a_gpu", f"plan {shown(row.get('planCode'))} has no GPU")
    memory, count = found.get("memory"), whole(found, "number")
    if count < 1:
        raise RowError("not_a_gpu", f"plan {shown(row.get('planCode'))} has {count} GPUs")
    size = optional_number(memory, "size") if isinstance(memory, dict) else None
    return Gpu(text(found, "model"), count, size)


def terms_of(plan: str, pricing: Row) -> tuple[str, str]:
    """Term in words and price basis. RowError `wrong_unit`, `unknown_market` for what is neither hour nor month."""
    unit = text(pricing, "intervalUnit")
    if ".consumption" in plan:
        if unit != "hour":
            raise RowError("wrong_unit", f"{plan}: intervalUnit is {unit!r}, not 'hour'")
        return "consumption", "instance_hour"
    if ".monthly" in plan:
        if unit != "month":
            raise RowError("wrong_unit", f"{plan}: intervalUnit is {unit!r}, not 'month'")
        return "1 month", "instance_month"
    raise RowError("unknown_market", f"{plan} is neither by consumption nor by the month")


def offered_at(pricing: Row, plan: str, gpu: Gpu, term: str, basis: str, source: SourceRecord) -> StatedOffer:
    """The offer of a plan at one of its prices."""
    written = number(pricing, "price")
    amount = checked_amount(written * _PRICE_UNIT, "price")
    _check_unit(pricing, amount)
    return StatedOffer(
        operator_text="OVHcloud",
        sku=plan,
        chip_text=gpu.model,
        memory_gb=gpu.memory_gb,
        gpu_count=Decimal(gpu.count),
        lot_min_gpus=gpu.count,
        lot_max_gpus=gpu.count,
        scope_text=source.stated("scope_text"),
        term_text=term,
        offer_class="list",
        price_text=decimal_text(written),
        price_amount=amount,
        price_basis=basis,
        currency=source.currency,
        extra_json=canonical_json({"planCode": plan, **picked(pricing, ("formattedPrice", "intervalUnit"))}),
    )


def _check_unit(pricing: Row, amount: Decimal) -> None:
    """Refuse a whole number that is not of 1e-8: the price as it is shown, rounded to cents, says another one."""
    if optional_text(pricing, "formattedPrice") is None:
        return
    shown_as = read_price(pricing["formattedPrice"], "formattedPrice", zero="wrong_unit").amount
    if abs(shown_as - amount) > _ROUNDED_TO:
        raise RowError(
            "wrong_unit", f"price is {decimal_text(amount)} in units of 1e-8, and shown as {shown_as}"
        )
