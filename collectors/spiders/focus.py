"""FOCUS bills: what a buyer was charged for hours of GPU machines. Read from files only.

Format: https://focus.finops.org/focus-specification/ (1.0 and later). A row is a charge; the price of a machine
hour is BilledCost over ConsumedQuantity where that is in Hours (`collectors.rules.focus`). There is no GPU
column: the machine comes from the instance type in the description. Times are UTC by the specification. A bill
is closed at the end of its billing period: before that a row could not be known.
"""

from __future__ import annotations

from collections.abc import Iterator

from collectors.bases import FileOnlySpider
from collectors.decode import decode
from collectors.document import Document
from collectors.items import Item, StatedTrade
from collectors.reading import each_row
from collectors.registry import SourceRecord
from collectors.rules.focus import billed, gpu_machine, has_tag, is_at_list, term_of, without_nothing
from collectors.values import Row, canonical_json, currency, decimal_text, instant, optional, picked, text
from collectors.values import optional_instant as maybe_instant
from collectors.values import optional_text as maybe

_NEEDED = (
    "BilledCost", "BillingAccountId", "BillingCurrency", "ChargeCategory", "ChargeDescription", "ChargePeriodStart",
    "ChargePeriodEnd", "ConsumedQuantity", "ConsumedUnit", "ProviderName",
)  # fmt: skip
_KEPT = ("SkuId", "SkuPriceId", "ListCost", "ListUnitPrice", "PricingCategory", "AvailabilityZone")


class FocusSpider(FileOnlySpider):
    name = "focus"


def read(document: Document, source: SourceRecord) -> Iterator[Item]:
    yield from each_row(decode(document, source).rows(*_NEEDED), trade, source)


def trade(raw: Row, source: SourceRecord) -> StatedTrade:
    row = without_nothing(raw)
    machine = gpu_machine(row)
    cost, hours = billed(row)
    operator, buyer = text(row, "ProviderName"), text(row, "BillingAccountId")
    return StatedTrade(
        reporter_id=f"focus:{operator}:{buyer}",
        reporter_side="buyer",
        trade_kind="billed_usage",
        operator_text=operator,
        buyer_text=buyer,
        agreement_text=maybe(row, "ResourceId") or text(row, "ChargeDescription"),
        sku=text(row, "ChargeDescription"),
        chip_text=machine.chip_text,
        form_text=machine.form_text,
        memory_gb=machine.memory_gb,
        gpu_count=machine.gpu_count.numerator,
        lot_gpus=machine.gpu_count.numerator,
        fabric_text=machine.fabric_text,
        scope_text=maybe(row, "ServiceName"),
        term_text=term_of(row),
        place_text=maybe(row, "RegionId") or maybe(row, "RegionName"),
        price_column="BilledCost",
        price_text=decimal_text(cost),
        cost_amount=cost,
        quantity=hours,
        price_basis="instance_hour",
        currency=currency(optional(row, "BillingCurrency"), source.currency),
        delivery_start=instant(row, "ChargePeriodStart", zone_of_source=True),
        delivery_end=instant(row, "ChargePeriodEnd", zone_of_source=True),
        is_administered=is_at_list(row),
        is_confidential=not has_tag(row, "gpurent_public"),
        is_synthetic=has_tag(row, "gpurent_synthetic"),
        available_at=maybe_instant(row, "BillingPeriodEnd", zone_of_source=True),
        extra_json=canonical_json({**picked(row, _KEPT), "instance_type": machine.name}),
    )
