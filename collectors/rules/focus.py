"""Which rows of a FOCUS bill are hours of a GPU machine at a price, and which machine that is.

The cost taken is BilledCost: what the invoice rests on. EffectiveCost spreads commitments paid elsewhere over
usage, ListCost is the price list again, and both it and ContractedCost come rounded in some exports. A row that
a commitment covers has no price of its own in BilledCost and is refused.

Two tags, the text `true` under a key of the column Tags, are the buyer's own word: `gpurent_public` allows the
row to be shown (without it a trade is confidential), `gpurent_synthetic` says that the charge is made up.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction

from collectors.instances import InstanceType, Machine, whole_machine
from collectors.reasons import RowError
from collectors.values import Row, decimal_text, number, optional_number, optional_text, shown, text

# what exporters write for nothing
_NOTHING = frozenset({"NULL", "null", "None", "N/A"})
_NOT_USAGE = {
    "Purchase": "charge_purchase",
    "Tax": "charge_tax",
    "Credit": "charge_credit",
    "Adjustment": "charge_adjustment",
}
_HOURS = frozenset({"Hours", "Hour", "Hrs"})
_AWS_TYPE = re.compile(
    r"\b([a-z][a-z0-9-]*\d[a-z0-9-]*\.(?:\d*xlarge|metal(?:-\d+xl)?|large|medium|small|micro|nano))\b"
)
# AWS's families with GPUs; g5g has Arm hosts, and the table says which of these are known
_AWS_GPU_FAMILY = re.compile(r"(?:p\d|g\d|gr\d)")
_AZURE_SIZE = re.compile(
    r"\b(?:Standard_)?N[CDGV]\d+[a-z]*[\w ]*?[_ ]?v\d\b|\b(?:Standard_)?N[CDGV]\d+[a-z]+\w*v\d\b"
)
_TERM = re.compile(r"\b(On[- ]Demand|Spot|Reserved|Dedicated)\b", re.IGNORECASE)
# these clouds bill by names of machines, which the tables in collectors/instances resolve
_CLOUDS_WITH_TABLES = frozenset({"AWS", "Microsoft"})
_CARD = re.compile(
    r"(?:(?P<count>[1-9]\d*)x )?(?P<chip>[A-Z][A-Za-z0-9 ]*?)(?: (?P<form>SXM\d?|PCIe|NVL))?(?: (?P<memory>\d+) ?GB)?"
)
_WHOLE_NUMBER = re.compile(r"[1-9]\d*")
_INSTANCE_COLUMNS = ("ChargeDescription", "SkuMeter", "SkuPriceDetails", "x_SkuDetails", "ResourceType")


def without_nothing(row: Row) -> Row:
    """The row with the exporters' words for nothing taken as empty."""
    return {name: None if value in _NOTHING else value for name, value in row.items()}


def gpu_machine(row: Row) -> Machine:
    """The GPU machine a usage row is an hour of.

    Raises RowError: the code of a charge that is no usage, `not_a_gpu`, `unknown_instance_type`, `gpu_slice`.
    """
    category = text(row, "ChargeCategory")
    if category != "Usage":
        raise RowError(_NOT_USAGE.get(category, "charge_unknown"), f"ChargeCategory is {shown(category)}")
    if optional_text(row, "ChargeClass") is not None:
        raise RowError(
            "charge_correction", f"ChargeClass is {shown(row['ChargeClass'])}: it corrects another row"
        )
    if (found_in_details := _from_details(row)) is not None:
        return found_in_details
    for column in _INSTANCE_COLUMNS:
        words = optional_text(row, column) or ""
        found = _AWS_TYPE.search(words)
        if found is not None:
            return _aws(found[1])
        size = _AZURE_SIZE.search(words)
        if size is not None:
            return whole_machine("azure", size[0])
    raise RowError(
        "not_a_gpu", f"no GPU machine is named in {shown(optional_text(row, 'ChargeDescription') or '')}"
    )


def term_of(row: Row) -> str:
    """The term in the bill's words: as the description names it, else the pricing category."""
    found = _TERM.search(optional_text(row, "ChargeDescription") or "")
    return found[1] if found else (optional_text(row, "PricingCategory") or "not stated")


def billed(row: Row) -> tuple[Decimal, Decimal]:
    """What was billed, and for how many hours of the machine.

    Raises RowError: `commitment_covered`, `wrong_unit`, `quantity_not_positive`, `price_negative`, `price_zero`.
    """
    if optional_text(row, "CommitmentDiscountStatus") or optional_text(row, "CommitmentDiscountId"):
        raise RowError("commitment_covered", "a commitment covers the row; what it cost was paid elsewhere")
    unit = text(row, "ConsumedUnit")
    if unit not in _HOURS:
        raise RowError("wrong_unit", f"ConsumedUnit is {shown(unit)}, not Hours")
    hours, cost = number(row, "ConsumedQuantity"), number(row, "BilledCost")
    if hours <= 0:
        raise RowError("quantity_not_positive", f"ConsumedQuantity is {decimal_text(hours)}")
    if cost < 0:
        raise RowError("price_negative", f"BilledCost is {decimal_text(cost)}, below zero")
    if cost == 0:
        raise RowError("price_zero", "BilledCost is 0")
    return cost, hours


def is_at_list(row: Row) -> bool:
    """Whether the bill is the price list's own price: a posted price, not one that was agreed on."""
    listed = optional_number(row, "ListCost")
    if listed is None:
        return optional_text(row, "PricingCategory") == "Standard"
    return listed == number(row, "BilledCost")


def has_tag(row: Row, name: str) -> bool:
    """Whether the row's Tags (a JSON object) hold `name` with the text `true`. Tags that cannot be read hold none."""
    tags = row.get("Tags")
    if isinstance(tags, str):
        try:
            tags = json.loads(tags)
        except (ValueError, RecursionError):
            return False
    return isinstance(tags, Mapping) and tags.get(name) == "true"


def _from_details(row: Row) -> Machine | None:
    """The machine as the properties of SkuPriceDetails describe it (FOCUS 1.2), for clouds that have no table here.

    `GpuCount` and an `InstanceType` that names the card, such as `8x H100 SXM 80 GB`; None where they do not.
    """
    if text(row, "ProviderName") in _CLOUDS_WITH_TABLES:
        return None
    try:
        details = json.loads(optional_text(row, "SkuPriceDetails") or "")
    except (ValueError, RecursionError):
        return None
    if not isinstance(details, Mapping):
        return None
    named = _CARD.fullmatch(str(details.get("InstanceType") or ""))
    count = _WHOLE_NUMBER.fullmatch(str(details.get("GpuCount") or ""))
    if named is None or count is None or named["count"] not in (None, count[0]):
        return None
    return Machine(
        name=named[0],
        gpu_count=Fraction(int(count[0])),
        chip_text=named["chip"],
        form_text=named["form"],
        memory_gb=Decimal(named["memory"]) if named["memory"] else None,
        fabric_text=None,
    )


def _aws(name: str) -> InstanceType:
    if not _AWS_GPU_FAMILY.match(name):
        raise RowError("not_a_gpu", f"{name} has no GPU")
    return whole_machine("aws", name)
