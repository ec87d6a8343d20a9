"""Which machines of the European price lists have whole GPUs, of which model and how many."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from pathlib import PurePosixPath
from typing import Any

from collectors.items import Item
from collectors.reasons import RowError
from collectors.registry import SourceRecord
from collectors.values import Row, optional_number, optional_text, shown, text

# the providers write the model into one of these, and the count into another
_MODEL_FIELDS = ("i_gpu_model", "i_gpu_type", "i_gpu")
_NO_MODEL = frozenset({"nvidia gpu"})


def provider_of(row: Row) -> str:
    """The provider a file is of: `prices/civo.json` is Civo's."""
    return PurePosixPath(text(row, "file")).stem


def gpus_of(row: Row) -> tuple[str, Decimal]:
    """Model and number of the GPUs. RowError `not_a_gpu`, `gpu_slice`, `missing_value`."""
    name = text(row, "i_id")
    words = {field: optional_text(row, field) for field in _MODEL_FIELDS}
    model = next((word for word in words.values() if word is not None and _count(word) is None), None)
    if model is None:
        raise RowError("not_a_gpu", f"{name} has no GPU")
    if "vgpu" in name.lower():
        raise RowError("gpu_slice", f"{name} has a slice of a {model}")
    if model.lower() in _NO_MODEL:
        raise RowError("missing_value", f"{name}: the GPU is called {shown(model)}, which names no model")
    count = optional_number(row, "i_gpu_count") or next(filter(None, map(_count, words.values())), None)
    if count is None or count < 1:
        raise RowError("missing_value", f"{name}: how many GPUs it has is not stated")
    return model, count


def parts_of(found: Row) -> Iterator[Any]:
    """The GPUs of lists that price them apart from virtual CPUs and memory, one row a GPU."""
    for provider, stated in found.items():
        listed = stated.get("gpu_pricing") if isinstance(stated, dict) else None
        gpus = listed.get("gpus") if isinstance(listed, dict) else listed
        for gpu in gpus if isinstance(gpus, list) else [stated]:
            yield {"provider": provider, **gpu} if isinstance(gpu, dict) else gpu


def refuse_part(row: Row, source: SourceRecord) -> Iterator[Item]:
    """Always `part_alone`: which of these prices hold the host as well is said in prose alone."""
    name = optional_text(row, "name") or optional_text(row, "id") or "a list"
    raise RowError("part_alone", f"{text(row, 'provider')}: {name} is priced apart from its host")


def _count(word: str | None) -> Decimal | None:
    """The number a word is, if it is one."""
    try:
        return Decimal(word or "")
    except InvalidOperation:
        return None
