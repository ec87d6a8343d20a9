"""Which products of Oracle's price list are GPUs that anybody can rent by the hour, and at which price."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from collectors.document import Document
from collectors.reading import time_of_list
from collectors.reasons import RowError
from collectors.values import Row, optional_number, shown, text

_METRIC = "GPU Per Hour"
# older names say the family of a shape and no GPU: it is left open, not guessed (`A100 - v2` names one)
_SHAPE_FAMILY = re.compile(r"- (?:E\d|V\d|X\d)$")
# hardware at the customer's place and licences of others: another product than a rented GPU
_OTHER_SERVICE = re.compile(r"VMware|Cloud@Customer|Roving Edge", re.IGNORECASE)


def is_about_gpus(row: Any) -> bool:
    """Whether the product's name or metric speaks of GPUs; what is no object is left to be refused."""
    if not isinstance(row, dict):
        return True
    return any(
        "GPU" in str(row.get(field) or "") for field in ("displayName", "metricName", "serviceCategory")
    )


def gpu_product(row: Row) -> str:
    """The product's name. Raises RowError `other_service`, `wrong_unit`."""
    name, metric = text(row, "displayName"), text(row, "metricName")
    if _OTHER_SERVICE.search(name):
        raise RowError("other_service", f"{shown(name)} is no GPU rented in Oracle's cloud")
    if metric != _METRIC:
        raise RowError("wrong_unit", f"metricName is {shown(metric)}, not {_METRIC!r}")
    return name


def chip_of(name: str) -> str | None:
    """The words that name the GPU; None where the product names a family of shapes alone."""
    return None if _SHAPE_FAMILY.search(name) else name


def of_file(document: Document, found: Row) -> datetime | None:
    """When a file's list was last changed; None for an answer, which shows what holds when it is given."""
    return None if document.file_name is None else time_of_list(found.get("lastUpdated"), "lastUpdated")


def pay_as_you_go(row: Row, currency: str) -> Any:
    """The price without a commitment, from the first unit on, as it is written. RowError where there is none."""
    localizations = row.get("currencyCodeLocalizations")
    for localization in localizations if isinstance(localizations, list) else []:
        if not isinstance(localization, dict) or localization.get("currencyCode") != currency:
            continue
        for price in localization.get("prices") or []:
            if isinstance(price, dict) and price.get("model") == "PAY_AS_YOU_GO" and _is_first(price):
                return price.get("value")
    raise RowError("missing_value", f"no PAY_AS_YOU_GO price in {currency}")


def _is_first(price: Row) -> bool:
    return (optional_number(price, "rangeMin") or 0) == 0
