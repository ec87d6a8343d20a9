"""Azure Retail Prices: the list of one region, in two pages, once a day. On FAILING_DAY the second page fails."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlencode

from collectors.document import Document, request_text
from collectors.registry import SourceRecord, load_sources
from gpurent.core.clock import at_utc
from gpurent.sample.formats import json_body, json_number
from gpurent.sample.tables import AzureFact, azure_facts

REGION = "eastus"
LOOK = (3, 0)
FAILING_DAY = date(2026, 8, 10)
_SECOND_PAGE_AFTER = timedelta(seconds=2)
_FAILURE = {"error": {"code": "InternalServerError", "message": "The request could not be completed."}}


def documents(day: date) -> Iterator[Document]:
    """Both pages of the region's list; they belong to one look."""
    source = load_sources()["azure"]
    began = at_utc(day, *LOOK)
    asked = request_text(list_key=REGION, snapshot_at=began)
    first, second = (
        [fact for fact in azure_facts() if fact.page == page and fact.is_shown_on(day)] for page in (1, 2)
    )
    first_url = list_url(source)
    second_url = f"{first_url}&%24skip={len(first)}"
    has_failed = day == FAILING_DAY
    for url, body, status, fetched_at in (
        (first_url, _page(first, second_url), 200, began),
        (
            second_url,
            _FAILURE if has_failed else _page(second, None),
            500 if has_failed else 200,
            began + _SECOND_PAGE_AFTER,
        ),
    ):
        yield Document(
            source_id=source.source_id,
            url=url,
            body=json_body(body),
            fetched_at=fetched_at,
            media_type="application/json; charset=utf-8",
            http_status=status,
            request_json=asked,
        )


def list_url(source: SourceRecord) -> str:
    """The address at which the spider begins a region's list."""
    asked = source.options["filter"].format(region=REGION)
    return f"{source.url}?{urlencode({'api-version': source.options['api_version'], '$filter': asked})}"


def _page(facts: list[AzureFact], next_url: str | None) -> dict[str, Any]:
    return {
        "BillingCurrency": "USD",
        "CustomerEntityId": "Default",
        "CustomerEntityType": "Retail",
        "Items": [_item(fact) for fact in facts],
        "NextPageLink": next_url,
        "Count": len(facts),
    }


def _item(fact: AzureFact) -> dict[str, Any]:
    price = json_number(fact.price)
    item: dict[str, Any] = {
        "currencyCode": fact.currency,
        "tierMinimumUnits": 0.0,
        "retailPrice": price,
        "unitPrice": price,
        "armRegionName": fact.region,
        "meterName": fact.meter,
        "productName": fact.product,
        "skuName": fact.meter,
        "serviceName": "Virtual Machines",
        "unitOfMeasure": "1 Hour",
        "type": "Consumption",
        "armSkuName": fact.sku,
    }
    if fact.effective_from is not None:
        item["effectiveStartDate"] = f"{fact.effective_from}T00:00:00Z"
    return item
