"""FOCUS 1.2: the bill of the day before as a CSV file, ingested by hand at 01:30. Every row is synthetic.

A row says so in `Tags`, where it also says that the buyer allows it to be shown. Amounts are what the tables say
for an hour times the hours; buyers, machines and amounts are made up, the list price beside them is a fact.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from io import StringIO

from collectors.document import Document
from gpurent.core.clock import at_utc
from gpurent.core.ids import canonical_decimal
from gpurent.sample.tables import Bill, bills
from warehouse.warc import file_url

INGESTED = (1, 30)
COLUMNS = (
    "AvailabilityZone", "BilledCost", "BillingAccountId", "BillingAccountName", "BillingCurrency",
    "BillingPeriodEnd", "BillingPeriodStart", "ChargeCategory", "ChargeClass", "ChargeDescription",
    "ChargeFrequency", "ChargePeriodEnd", "ChargePeriodStart", "CommitmentDiscountCategory",
    "CommitmentDiscountId", "CommitmentDiscountName", "CommitmentDiscountStatus", "CommitmentDiscountType",
    "ConsumedQuantity", "ConsumedUnit", "ContractedCost", "ContractedUnitPrice", "EffectiveCost",
    "InvoiceIssuerName", "ListCost", "ListUnitPrice", "PricingCategory", "PricingQuantity", "PricingUnit",
    "ProviderName", "PublisherName", "RegionId", "RegionName", "ResourceId", "ResourceName", "ResourceType",
    "ServiceCategory", "ServiceName", "SkuId", "SkuPriceDetails", "SkuPriceId", "SubAccountId", "SubAccountName",
    "Tags",
)  # fmt: skip
_TAGS = json.dumps({"gpurent_public": "true", "gpurent_synthetic": "true"})
_ISSUERS = {"AWS": "Amazon Web Services, Inc."}
_SERVICES = {"AWS": "Amazon Elastic Compute Cloud"}
_GPUS_OF_A_NODE = 8


def documents(day: date) -> Iterator[Document]:
    """The file that holds the charges of the day before `day`; none where there were none."""
    charged = day - timedelta(days=1)
    rows = [
        _row(bill, number, charged) for number, bill in enumerate(bills(), 1) if bill.is_billed_on(charged)
    ]
    rows += [
        _row(bill, number, charged - timedelta(days=1))
        for number, bill in enumerate(bills(), 1)
        if bill.restated_on == charged
    ]
    if not rows:
        return
    name = f"focus_{charged}.csv"
    text = StringIO()
    writer = csv.DictWriter(text, COLUMNS, restval="NULL", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    yield Document(
        source_id="focus",
        url=file_url(name),
        body=text.getvalue().encode(),
        fetched_at=at_utc(day, *INGESTED),
        file_name=name,
    )


def _row(bill: Bill, number: int, day: date) -> dict[str, str]:
    row = {
        "BilledCost": _amount(bill.billed_per_hour, bill.hours),
        "BillingAccountId": bill.account,
        "BillingAccountName": bill.buyer,
        "BillingCurrency": bill.currency,
        "BillingPeriodEnd": _month_after(day),
        "BillingPeriodStart": f"{day:%Y-%m}-01 00:00:00",
        "ChargeCategory": bill.category,
        "ChargePeriodEnd": _hour(day, bill.hours or 24),
        "ChargePeriodStart": _hour(day, 0),
        "InvoiceIssuerName": _ISSUERS.get(bill.provider, bill.provider),
        "ProviderName": bill.provider,
        "PublisherName": _ISSUERS.get(bill.provider, bill.provider),
        "Tags": _TAGS,
    }
    if bill.instance is None or bill.list_per_hour is None:
        return {**row, "ChargeDescription": "Tax of the day's charges", "ChargeFrequency": "Recurring"}
    return {
        **row,
        "ChargeDescription": _description(bill.provider, bill.instance, bill.list_per_hour),
        "ChargeFrequency": "Usage-Based",
        "ConsumedQuantity": str(bill.hours),
        "ConsumedUnit": "Hours",
        "ContractedCost": row["BilledCost"],
        "ContractedUnitPrice": canonical_decimal(bill.billed_per_hour),
        "EffectiveCost": row["BilledCost"],
        "ListCost": _amount(bill.list_per_hour, bill.hours),
        "ListUnitPrice": canonical_decimal(bill.list_per_hour),
        "PricingCategory": "Standard",
        "PricingQuantity": str(bill.hours),
        "PricingUnit": "Hours",
        "RegionId": bill.region,
        # a machine a day: the same agreement counts once in a window
        "ResourceId": f"sample-{day:%Y%m%d}-{number:02d}",
        "ResourceType": "Virtual machine",
        "ServiceCategory": "Compute",
        "ServiceName": _SERVICES.get(bill.provider, "Virtual Machines"),
        "SkuId": f"SAMPLE-{bill.instance}",
        "SkuPriceDetails": _details(bill.provider, bill.instance),
    }


def _details(provider: str, instance: str) -> str:
    """The properties of the machine, where the provider's description does not name a type of machine."""
    if provider in {"AWS", "Microsoft"}:
        return "NULL"
    return json.dumps({"GpuCount": _GPUS_OF_A_NODE, "InstanceType": instance})


def _description(provider: str, instance: str, list_per_hour: Decimal) -> str:
    """The charge in the provider's manner: both name the machine, AWS its list price and term as well."""
    if provider not in {"AWS", "Microsoft"}:
        return f"On demand machine, {instance}"
    if provider == "AWS":
        return f"${canonical_decimal(list_per_hour)} per On Demand Linux {instance} Instance Hour"
    size = instance.removeprefix("Standard_").replace("_", "")
    return f"Virtual Machines NDsr H100 v5 Series - {size} - US East"


def _month_after(day: date) -> str:
    following = (day.replace(day=1) + timedelta(days=32)).replace(day=1)
    return f"{following} 00:00:00"


def _amount(per_hour: Decimal, hours: int | None) -> str:
    return canonical_decimal(per_hour * (hours or 1))


def _hour(day: date, hour: int) -> str:
    return f"{at_utc(day, hour):%Y-%m-%d %H:%M:%S}"
