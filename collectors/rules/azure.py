"""Which rows of Azure's retail prices are prices of a Linux GPU machine that anybody can rent, and of which one."""

from __future__ import annotations

from collectors.instances import InstanceType, instance_types, key, whole_machine
from collectors.price_text import Price, price
from collectors.reasons import RowError
from collectors.values import Row, currency, optional, optional_number, optional_text, text

_SERVICE = "Virtual Machines"
# N is Azure's letter for sizes with accelerators
_GPU_FAMILY = "standard_n"


def chosen_market(row: Row) -> str:
    """The row's term in the source's words: `Consumption`, `Spot`, or a reservation's term.

    Raises RowError for every other market: another service, Windows, Low Priority, Dedicated Host, Dev/Test,
    a government or Chinese cloud, a tier above the first, a unit that is not one hour.
    """
    meter, product = text(row, "meterName"), optional_text(row, "productName") or ""
    kind = text(row, "type")
    _refuse_other_products(row, product)
    if "low priority" in meter.lower():
        raise RowError(
            "low_priority_meter", f"{meter}: a meter of batch pools, not a machine anybody can rent"
        )
    if kind == "DevTestConsumption":
        raise RowError("not_public_price", "DevTestConsumption is a price for subscribers")
    if text(row, "unitOfMeasure") != "1 Hour":
        raise RowError("wrong_unit", f"unitOfMeasure is {row['unitOfMeasure']!r}, not '1 Hour'")
    if (optional_number(row, "tierMinimumUnits") or 0) > 0:
        raise RowError("price_of_a_tier", f"holds from {row['tierMinimumUnits']} units on")
    if kind == "Reservation":
        return _reservation_term(row)
    if kind != "Consumption":
        raise RowError("unknown_market", f"type is {kind!r}")
    return "Spot" if "spot" in meter.lower().split() else "Consumption"


def _refuse_other_products(row: Row, product: str) -> None:
    service = optional_text(row, "serviceName")
    region = text(row, "armRegionName")
    if (service or _SERVICE) != _SERVICE:
        raise RowError("other_service", f"serviceName is {service!r}")
    if "Windows" in product:
        raise RowError("windows_licence", f"{product}: the price includes a Windows licence")
    for other in ("Cloud Services", "Dedicated Host"):
        if other in product:
            raise RowError("other_service", f"{product}: not a virtual machine")
    if region.startswith(("usgov", "usdod", "china")):
        raise RowError("restricted_market", f"{region} is a cloud that only some may use")


def _reservation_term(row: Row) -> str:
    term = text(row, "reservationTerm")
    if term not in {"1 Year", "3 Years", "5 Years"}:
        raise RowError("unknown_market", f"reservationTerm is {term!r}")
    return term


def price_in_usd(row: Row, of_source: str) -> Price:
    """The retail price. Azure prices in USD; a price in another currency is for reference and refused."""
    code = currency(optional(row, "currencyCode"), of_source)
    if code != "USD":
        raise RowError("reference_currency", f"a price in {code} is for reference; Azure prices in USD")
    return price(row, "retailPrice")


def sku_of(row: Row) -> str:
    """The row's whole name: size, meter, product and, of a reservation, its term."""
    names = ("armSkuName", "meterName", "productName", "reservationTerm")
    return " / ".join(filter(None, (optional_text(row, name) for name in names)))


def gpu_size(row: Row) -> InstanceType:
    """The GPUs of the row's size. Raises RowError for a size without GPU, with a share of one, or not in the table."""
    name = text(row, "armSkuName")
    if key(name) not in instance_types("azure") and not name.lower().startswith(_GPU_FAMILY):
        raise RowError("not_a_gpu", f"{name} has no GPU")
    return whole_machine("azure", name)
