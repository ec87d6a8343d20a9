"""What a plan of OVHcloud's catalogue is: which GPUs it has, for how long it binds, what it costs."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from collectors.items import StatedOffer
from collectors.reasons import RowError
from collectors.registry import SourceRecord
from collectors.values import (
    Row,
    canonical_json,
    checked_amount,
    decimal_text,
    number,
    optional_number,
    picked,
    shown,
    text,
    whole,
)

_PRICE_UNIT = Decimal("1e-8")


@dataclass(frozen=True, slots=True)
class Gpu:
    """The GPUs of a plan: name, how many, GB of each where stated."""

    model: str
    count: int
    memory_gb: Decimal | None


def gpu_of(row: Row) -> Gpu:
    """The plan's GPUs. RowError `not_a_gpu` where it has none."""
    found: Any = row
    for name in ("blobs", "technical", "gpu"):
        found = found.get(name) if isinstance(found, dict) else None
    if not isinstance(found, dict) or not found.get("model"):
        raise RowError("not_a_gpu", f"plan {shown(row.get('planCode'))} has no GPU")
    memory = found.get("memory")
    size = optional_number(memory, "size") if isinstance(memory, dict) else None
    return Gpu(text(found, "model"), whole(found, "number"), size)


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
    if gpu.count < 1:
        raise RowError("not_a_gpu", f"{plan} has {gpu.count} GPUs")
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
