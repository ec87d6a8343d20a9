"""RunPod: list prices of GPU types in its secure cloud (data centres) and community cloud (private hosts).

Call: POST GraphQL `gpuTypes`. Format: https://docs.runpod.io/sdks/graphql/manage-pods
All prices are USD per GPU-hour, `memoryInGb` is per GPU. 0 means not offered; where `secureCloud` or
`communityCloud` is false the price is filled in and not offered either. `stockStatus` null means none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from collectors.bases import GraphqlSpider
from collectors.decode import decode, items
from collectors.document import Document
from collectors.items import Item
from collectors.price_text import priced
from collectors.reading import each_row
from collectors.reasons import printable, refuse
from collectors.registry import SourceRecord
from collectors.rules.runpod import PRICES, Stated, prices_of, refuse_what_is_no_gpu, stock_of, with_bid_floor
from collectors.values import Row, canonical_json, optional_number, optional_text, text
from gpurent.core.errors import SourceError


class RunpodSpider(GraphqlSpider):
    name = "runpod"
    query = (
        "query { gpuTypes { id displayName memoryInGb secureCloud communityCloud "
        + " ".join(stated.field for stated in PRICES if stated.field != "minimumBidPrice")
        + " secure: lowestPrice(input: {gpuCount: 1, secureCloud: true}) { stockStatus }"
        " community: lowestPrice(input: {gpuCount: 1, secureCloud: false}) { stockStatus } } }"
    )


def read(document: Document, source: SourceRecord) -> Iterator[Item]:
    found = decode(document, source).mapping()
    if found.get("errors"):
        raise SourceError("answer_is_an_error", printable(f"GraphQL errors: {found['errors']}", 300))
    yield from each_row(items((found.get("data") or {}).get("gpuTypes"), "data.gpuTypes"), offers, source)


def offers(row: Row, source: SourceRecord) -> Iterator[Item]:
    refuse_what_is_no_gpu(row)
    row = with_bid_floor(row)
    for stated, reason in prices_of(row):
        if reason is not None:
            yield refuse(reason.reason_code, reason.detail)
            continue
        common = common_fields(row, source, stated)
        yield from priced(row, stated.field, common, zero="not_offered")


def common_fields(row: Row, source: SourceRecord, stated: Stated) -> dict[str, Any]:
    gpu, stock = text(row, "id"), stock_of(row, stated)
    return {
        "operator_text": "RunPod",
        # private hosts' machines: another product than the operator's own
        "host_text": "runpod:community" if stated.cloud == "community" else None,
        "sku": f"{gpu} {stated.field}",
        # stock is asked for one GPU, so where there is some, one can be rented
        "lot_min_gpus": 1 if stock else None,
        "chip_text": optional_text(row, "displayName") or gpu,
        "memory_text": optional_text(row, "memoryInGb"),
        "memory_gb": optional_number(row, "memoryInGb"),
        "scope_text": source.stated("scope_text"),
        "term_text": stated.term,
        "class_text": ", ".join(filter(None, [stated.cloud, stock and f"stock {stock}"])) or None,
        "offer_class": "firm" if stock and stated.term == "on-demand" else "list",
        "price_basis": "gpu_hour",
        "currency": source.currency,
        "extra_json": canonical_json({"id": gpu, "cloud": stated.cloud, "lowest": row.get("lowestPrice")}),
    }
