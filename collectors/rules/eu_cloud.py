"""What the European price lists state of a machine, and of a GPU that is priced apart from its host."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from pathlib import PurePosixPath
from typing import Any

from collectors.items import Item
from collectors.price_text import priced
from collectors.reasons import RowError
from collectors.registry import SourceRecord
from collectors.values import (
    Row,
    canonical_json,
    currency,
    optional,
    optional_instant,
    optional_number,
    optional_text,
    picked,
    shown,
    text,
    whole_gpus,
)

# the providers write the model into one of these, and the count into another
_MODEL_FIELDS = ("i_gpu_model", "i_gpu_type", "i_gpu")
_NO_MODEL = frozenset({"nvidia gpu"})
_COMMITTED = "i_price_hourly_commitment_36mo"
_KEPT = ("file", "commit", "source_url", "eur_usd_rate", "i_name")
_BY_GPU, _PREEMPTIBLE = "price_per_gpu_hour_usd", "preemptible_price_per_gpu_hour_usd"


def provider_of(row: Row) -> str:
    """The provider a file is of: `prices/civo.json` is Civo's."""
    return PurePosixPath(text(row, "file")).stem


def gpus_of(row: Row) -> tuple[str, Decimal]:
    """Model and number of the GPUs. RowError `not_a_gpu`, `gpu_slice`, `missing_value`."""
    name = text(row, "i_id")
    words = {field: optional_text(row, field) for field in _MODEL_FIELDS}
    model = next((word for word in words.values() if word is not None and _count(word) is None), None)
    if model is None:
        raise RowError("not_a_gpu", f"{name}: no GPU is stated")
    if "vgpu" in name.lower():
        raise RowError("gpu_slice", f"{name} has a slice of a {model}")
    if model.lower() in _NO_MODEL:
        raise RowError("missing_value", f"{name}: the GPU is called {shown(model)}, which names no model")
    count = optional_number(row, "i_gpu_count") or next(filter(None, map(_count, words.values())), None)
    if count is None or count < 1:
        raise RowError("missing_value", f"{name}: how many GPUs it has is not stated")
    return model, whole_gpus(count, name)


def machine(row: Row, source: SourceRecord) -> Iterator[Item]:
    """The prices of a machine: by the hour and, where stated, under a commitment of three years."""
    provider, model, gpus = provider_of(row), *gpus_of(row)
    code = currency(optional(row, "i_currency"), source.currency)
    common: dict[str, Any] = {
        "operator_text": provider,
        "chip_text": model,
        "memory_gb": optional_number(row, "i_gpu_memory_gb"),
        "gpu_count": gpus,
        "lot_min_gpus": int(gpus),
        "lot_max_gpus": int(gpus),
        "scope_text": source.stated("scope_text"),
        "place_text": optional_text(row, "i_location"),
        "offer_class": "list",
        "price_basis": "instance_hour",
        "currency": code,
        "is_converted": code == "EUR" and optional(row, "eur_usd_rate") is not None,
        "observed_at": optional_instant(row, "fetched_at"),
        "extra_json": canonical_json(picked(row, _KEPT)),
    }
    sku = f"{provider} {text(row, 'i_id')}"
    yield from priced(row, "i_price_hourly", common | {"sku": sku, "term_text": source.stated("term_text")})
    if optional(row, _COMMITTED) is not None:
        yield from priced(row, _COMMITTED, common | {"sku": f"{sku}, 36 months", "term_text": "36 months"})


def parts_of(found: Row) -> Iterator[tuple[str, Any, list[Any]]]:
    """Lists of prices by GPU: provider, when its page was read, and a row a GPU (one of the provider if none)."""
    for provider, stated in found.items():
        if not isinstance(stated, dict):
            yield provider, None, [stated]
            continue
        listed = stated.get("gpu_pricing")
        gpus = listed.get("gpus") if isinstance(listed, dict) else listed
        rows = gpus if isinstance(gpus, list) else [{"id": None}]
        named = [{"provider": provider, **gpu} if isinstance(gpu, dict) else gpu for gpu in rows]
        yield provider, stated.get("fetched_at"), named


def part(row: Row, source: SourceRecord) -> Iterator[Item]:
    """The prices of a GPU whose host is included (options.host_included). RowError `part_alone` of all others."""
    provider, name = text(row, "provider"), optional_text(row, "id")
    if name is None:
        raise RowError("missing_value", f"{provider}: no price by GPU is stated")
    form = source.options["host_included"].get(provider, {}).get(name)
    if form is None:
        raise RowError("part_alone", f"{provider}: {name} is priced apart from its host")
    place = optional_text(row, "location")
    common: dict[str, Any] = {
        "operator_text": provider,
        "chip_text": text(row, "name"),
        "form_text": form,
        "scope_text": source.stated("scope_text"),
        "place_text": place if place and "," not in place else None,
        "offer_class": "list",
        "price_basis": "gpu_hour",
        "currency": "USD",
    }
    sku = f"{provider} {name}"
    yield from priced(row, _BY_GPU, common | {"sku": f"{sku} on-demand", "term_text": "on-demand"})
    if optional(row, _PREEMPTIBLE) is not None:
        yield from priced(
            row, _PREEMPTIBLE, common | {"sku": f"{sku} preemptible", "term_text": "preemptible"}
        )


def _count(word: str | None) -> Decimal | None:
    """The number a word is, if it is one."""
    try:
        found = Decimal(word or "")
    except InvalidOperation:
        return None
    return found if found.is_finite() else None
