"""Which cells of cloud-gpus.com are prices of whole GPUs with their host, and in which currency they were typed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from collectors.items import StatedOffer
from collectors.price_text import price
from collectors.reasons import RowError
from collectors.registry import SourceRecord
from collectors.rules.hand_kept import Written
from collectors.values import Row, currency, optional_text, text

_CELL = "cost"
_NOTHING = frozenset({"", "-", "$", "$-", "nan", "n/a"})


def is_nothing(written: Any) -> bool:
    """Whether a cell states no figure: empty, a dash, a lone sign."""
    return written is None or str(written).strip().lower() in _NOTHING


def cells_of(cloud: Any) -> Iterator[Any]:
    """The cells with a figure of a cloud, as rows like those of the table; what is no object is left to be refused."""
    if not isinstance(cloud, dict):
        yield cloud
        return
    for field, written in cloud.items():
        if field.startswith(_CELL) and not is_nothing(written):
            gpu = field.removeprefix(_CELL)
            yield {
                "provider": cloud.get("name"),
                "gpu_column": gpu,
                "price_text": written,
                "region": cloud.get("region"),
            }


def cell_offer(row: Row, source: SourceRecord, written: Written) -> StatedOffer:
    """A cell, observed when it was last written. RowError `part_alone` (options), and those of a price's text."""
    provider, gpu, stated = text(row, "provider"), text(row, "gpu_column"), price(row, "price_text", mark=".")
    alone = source.options["part_alone"].get(provider, ())
    if gpu in alone or f"{gpu} {stated.text}" in alone:
        raise RowError(
            "part_alone", f"{provider}: {gpu} at {stated.text} is the GPU alone, without a machine"
        )
    code = currency(stated.currency, source.currency)
    return StatedOffer(
        operator_text=provider,
        sku=f"{provider} {gpu}",
        chip_text=gpu,
        place_text=optional_text(row, "region"),
        offer_class="list",
        price_text=stated.text,
        price_amount=stated.amount,
        price_basis="gpu_hour",
        currency=code,
        is_converted=code == "USD" and provider in source.options["converted"],
        observed_at=written.at(provider, gpu, stated.text),
    )
