"""What the broker's configurations and their summaries state: GPU, provider, lot, term and price."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from collectors.items import Item, StatedOffer
from collectors.price_text import priced, read_price
from collectors.reasons import RowError
from collectors.registry import SourceRecord
from collectors.values import Row, currency, flag, optional, optional_text, shown, text, whole

_STOCK = frozenset({"Available", "High", "Medium", "Low"})


def gpu_name(row: Row) -> str:
    """GPU and socket as one name, as the broker tells its cards apart: `H100_80GB/SXM5`."""
    socket = optional_text(row, "socket_type")
    return text(row, "gpu_type") + (f"/{socket}" if socket else "")


def lowest_of(row: Row, provider: str, gpu: str, source: SourceRecord) -> Iterator[Item]:
    """A provider's lowest price of a GPU, over configurations of any size: the lot is not stated.

    Nor is the term where the provider sells spot as well (options.sells_spot): the lowest may be either.
    """
    common = {
        "operator_text": provider,
        "sku": f"{provider} {gpu}, lowest",
        "chip_text": gpu,
        "scope_text": source.stated("scope_text"),
        "term_text": None if provider in source.options["sells_spot"] else source.stated("term_text"),
        "offer_class": "list",
        "price_basis": "gpu_hour",
        "currency": source.currency,
    }
    yield from priced(row, "min", common)


def configuration(row: Row, source: SourceRecord) -> StatedOffer:
    """One configuration of the availability call; firm where the broker says that there is stock.

    `gpuMemory` is not read: answers disagree whether it is one GPU's or all of them; the type's name has one GPU's.
    RowError `not_a_gpu`, `missing_value`, `other_market` (some are paid in advance).
    """
    provider, gpus, stock = text(row, "provider"), whole(row, "gpuCount"), optional_text(row, "stockStatus")
    prices, socket = row.get("prices"), optional_text(row, "socket")
    if not isinstance(prices, dict):
        raise RowError("missing_value", f"prices is {shown(prices)}")
    if gpus < 1:
        raise RowError("not_a_gpu", f"gpuCount is {gpus}")
    if optional(row, "prepaidTime"):
        raise RowError("other_market", f"prepaidTime is {shown(row['prepaidTime'])}: it is paid in advance")
    stated = read_price(prices.get("onDemand"), "prices.onDemand")
    return StatedOffer(
        operator_text=provider,
        sku=text(row, "cloudId"),
        chip_text=text(row, "gpuType") + (f"/{socket}" if socket else ""),
        gpu_count=Decimal(gpus),
        lot_min_gpus=gpus,
        lot_max_gpus=gpus,
        scope_text=source.stated("scope_text"),
        term_text="spot" if flag(row, "isSpot") else source.stated("term_text"),
        place_text=optional_text(row, "country"),
        class_text=stock,
        offer_class="firm" if stock in _STOCK else "list",
        price_text=stated.text,
        price_amount=stated.amount,
        price_basis="instance_hour",
        currency=currency(prices.get("currency"), source.currency),
    )
