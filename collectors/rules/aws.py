"""Which rows of AWS's price documents are Linux machines with whole GPUs, and which GPUs those are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from collectors.instances import InstanceType, whole_machine
from collectors.reasons import RowError
from collectors.registry import SourceRecord
from collectors.values import Row, day, optional_text, text
from gpurent.core.errors import SourceError

_FAMILY = "GPU instance"
# families with GPUs by name, for rows that do not state theirs; f has FPGAs, trn and inf have none
_BY_NAME = re.compile(r"(?:cg|gr?|p)\d")
# what the price of a machine that anybody rents by the hour says, where it says anything; the codes of what it is else
_MARKET = (
    ("TermType", "OnDemand", "commitment_in_parts"),
    ("MarketOption", "OnDemand", "other_market"),
    ("CapacityStatus", "Used", "other_market"),
    ("Tenancy", "Shared", "other_market"),
    ("Unit", "Hrs", "wrong_unit"),
)
_SOFTWARE = (
    ("Pre Installed S/W", "NA", "software_licence"),
    ("License Model", "No License required", "software_licence"),
)
_METAL = re.compile(r"\.metal\b")
_LINUX = frozenset({"Linux", "linux", "Linux/UNIX", "Linux/UNIX (Amazon VPC)"})
_WINDOWS = re.compile(r"Windows|mswin", re.IGNORECASE)
# an offer file in JSON names the columns of the CSV otherwise
_ATTRIBUTES = {
    "instanceType": "Instance Type", "instanceFamily": "Instance Family", "location": "Location",
    "regionCode": "Region Code", "operatingSystem": "Operating System", "preInstalledSw": "Pre Installed S/W",
    "licenseModel": "License Model", "tenancy": "Tenancy", "capacitystatus": "CapacityStatus",
    "marketoption": "MarketOption", "gpu": "GPU", "vcpu": "vCPU", "memory": "Memory",
}  # fmt: skip


def is_of_the_gpu_family(row: Row) -> bool:
    """Whether AWS files the machine under GPU instances; by its name where the row states no family."""
    family = row.get("Instance Family")
    if isinstance(family, str) and family:
        return family == _FAMILY
    return bool(_BY_NAME.match(str(row.get("Instance Type"))))


def gpu_instance(row: Row) -> InstanceType:
    """The machine of a row of a price list. RowError for every other market, for a licence, for an unknown type."""
    name = text(row, "Instance Type")
    _refuse_other_than(_MARKET, name, row)
    system = optional_text(row, "Operating System")
    if system is not None:
        refuse_other_systems(name, system)
    _refuse_other_than(_SOFTWARE, name, row)
    return machine_named(name)


def _refuse_other_than(expected: tuple[tuple[str, str, str], ...], name: str, row: Row) -> None:
    for field, wanted, code in expected:
        stated = optional_text(row, field)
        if stated is not None and stated != wanted:
            raise RowError(code, f"{name}: {field} is {stated!r}, not {wanted!r}")


def refuse_other_systems(name: str, system: str) -> None:
    """Raises RowError `windows_licence` or `software_licence` for a price that is not one of plain Linux."""
    if _WINDOWS.search(system):
        raise RowError("windows_licence", f"{name}: the price holds for {system}")
    if system not in _LINUX:
        raise RowError("software_licence", f"{name}: the price holds for {system}, not for plain Linux")


def refuse_no_gpu(name: str) -> None:
    """Raises RowError `not_a_gpu` for a type of a family without GPUs."""
    if not _BY_NAME.match(name):
        raise RowError("not_a_gpu", f"{name} has no GPU")


def machine_named(name: str) -> InstanceType:
    """A type of collectors/instances/aws.csv. RowError `not_a_gpu`, `unknown_instance_type`, `gpu_slice`."""
    refuse_no_gpu(name)
    return whole_machine("aws", name)


def fields_of(machine: InstanceType, source: SourceRecord) -> dict[str, Any]:
    """The fields of an offer that its machine decides."""
    gpus = machine.gpu_count.numerator
    return {
        "operator_text": "AWS",
        "chip_text": machine.chip_text,
        "form_text": machine.form_text,
        "memory_gb": machine.memory_gb,
        "gpu_count": gpus,
        "lot_min_gpus": gpus,
        "lot_max_gpus": gpus,
        "fabric_text": machine.fabric_text,
        "scope_text": "bare metal" if _METAL.search(machine.name) else source.stated("scope_text"),
        "offer_class": "list",
        "price_basis": "instance_hour",
        "currency": source.currency,
    }


def effective_day(row: Row) -> date | None:
    """From when on a price holds; None where the row does not say."""
    stated = optional_text(row, "EffectiveDate")
    return None if stated is None else day({"EffectiveDate": stated[:10]}, "EffectiveDate")


def lists_of(found: Row, locations: Mapping[str, str]) -> Iterator[tuple[str, Any, list[Any]]]:
    """The lists of a document in JSON: key, time of publication as stated, rows.

    The pricing page's documents have a list a location, named by its region; an offer file is one list.
    """
    places, manifest = found.get("regions"), found.get("manifest")
    if not isinstance(places, dict):
        yield "", found.get("publicationDate"), list(offer_file_rows(found))
        return
    published = manifest.get("hawkFilePublicationDate") if isinstance(manifest, dict) else None
    for place, machines in places.items():
        yield locations.get(place, place), published, list(page_rows(place, machines))


def page_rows(place: str, machines: Any) -> Iterator[Any]:
    """The GPU machines of a location on the pricing page, with its name where the machine does not say it."""
    for row in machines.values() if isinstance(machines, dict) else [machines]:
        if not isinstance(row, dict):
            yield row
        elif is_of_the_gpu_family(row):
            yield {"Location": place, **row}


def table_rows(rows: Iterator[Any]) -> Iterator[Any]:
    """The GPU machines of an offer file in CSV; what is no row is left to be refused."""
    return (row for row in rows if not isinstance(row, Mapping) or is_of_the_gpu_family(row))


def offer_file_rows(found: Row) -> Iterator[Any]:
    """The prices of GPU machines in an offer file in JSON, as rows like those of the CSV."""
    products, terms = found.get("products"), found.get("terms")
    if not isinstance(products, dict) or not isinstance(terms, dict):
        raise SourceError(
            "unexpected_format", "neither `regions` of the pricing page nor `products` and `terms`"
        )
    for sku, product in products.items():
        stated = product.get("attributes") if isinstance(product, dict) else None
        if not isinstance(stated, dict):
            yield product
            continue
        row = {"SKU": sku} | {name: stated.get(field) for field, name in _ATTRIBUTES.items()}
        if is_of_the_gpu_family(row):
            for term_type, skus in terms.items():
                for term in _values(skus.get(sku) if isinstance(skus, dict) else None):
                    for price in _values(term.get("priceDimensions")):
                        yield row | _priced(term_type, term, price)


def _priced(term_type: str, term: Row, price: Row) -> dict[str, Any]:
    amounts = price.get("pricePerUnit")
    code, amount = next(iter(amounts.items())) if isinstance(amounts, dict) and amounts else (None, None)
    return {
        "TermType": term_type,
        "EffectiveDate": term.get("effectiveDate"),
        "RateCode": price.get("rateCode"),
        "Unit": price.get("unit"),
        "Currency": code,
        "PricePerUnit": amount,
    }


def _values(found: Any) -> Iterator[Row]:
    return (value for value in (found.values() if isinstance(found, dict) else ()) if isinstance(value, dict))
