"""What Scaleway's two answers state of a machine with GPUs."""

from __future__ import annotations

from decimal import Decimal
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from collectors.items import StatedOffer
from collectors.price_text import price, read_price
from collectors.reasons import RowError
from collectors.registry import SourceRecord
from collectors.values import Row, currency, number, optional_number, optional_text, shown, text, whole

_BYTES_PER_GB = Decimal(2**30)
_NANOS = Decimal(10**9)
_HOURS = {"hour": Decimal(1), "minute": Decimal(60)}
_OFFERED = frozenset({"general_availability", "public_beta"})


def is_full(servers: Any, url: str) -> bool:
    """Whether a page has as many server types as it was asked for, so that another may follow."""
    asked = parse_qs(urlsplit(url).query).get("per_page")
    return isinstance(servers, dict) and asked is not None and len(servers) >= int(asked[0])


def page_after(url: str) -> str:
    """The address of the page after the one at `url`; an address without a page is the first's."""
    parts = urlsplit(url)
    query = {name: values[0] for name, values in parse_qs(parts.query).items()}
    query["page"] = str(int(query.get("page", "1")) + 1)
    return parts._replace(query=urlencode(query)).geturl()


def has_gpu(row: Any) -> bool:
    """Whether a server type has GPUs; what is no object is left to be refused."""
    return not isinstance(row, dict) or bool(row.get("gpu"))


def server_offer(row: Row, source: SourceRecord) -> StatedOffer:
    """A server type of a zone."""
    name, gpus, stated = text(row, "name"), whole(row, "gpu"), price(row, "hourly_price")
    info = row.get("gpu_info")
    model = optional_text(info, "gpu_model") if isinstance(info, dict) else None
    memory = optional_number(info, "gpu_memory") if isinstance(info, dict) else None
    return _offer(
        name, model or _model_in(name), gpus, memory, stated, source.currency, text(row, "zone"), source
    )


def catalogue_offer(row: Row, source: SourceRecord) -> StatedOffer:
    """A product of the catalogue. RowError `not_a_gpu`, `not_offered`, `wrong_unit`."""
    name, status = text(row, "product"), optional_text(row, "status")
    gpu = _inside(row, "properties", "hardware", "gpu")
    if not isinstance(gpu, dict) or not gpu.get("count"):
        raise RowError("not_a_gpu", f"{name} has no GPU")
    if status not in _OFFERED:
        raise RowError("not_offered", f"{name}: status is {shown(status)}")
    unit, money = _inside(row, "unit_of_measure"), _inside(row, "price", "retail_price")
    if not isinstance(unit, dict) or unit.get("unit") not in _HOURS or number(unit, "size") <= 0:
        raise RowError("wrong_unit", f"{name}: unit_of_measure is {shown(unit)}")
    if not isinstance(money, dict):
        raise RowError("missing_value", f"{name}: no retail price")
    amount = number(money, "units") + number(money, "nanos") / _NANOS
    stated = read_price(amount * _HOURS[str(unit["unit"])] / number(unit, "size"), "retail_price")
    zone = _inside(row, "locality", "zone")
    code = currency(money.get("currency_code"), source.currency)
    model, gpus = optional_text(gpu, "type") or _model_in(name), whole(gpu, "count")
    return _offer(name, model, gpus, None, stated, code, zone if isinstance(zone, str) else None, source)


def _offer(
    name: str,
    model: str,
    gpus: int,
    memory_bytes: Decimal | None,
    stated: Any,
    code: str,
    zone: str | None,
    source: SourceRecord,
) -> StatedOffer:
    return StatedOffer(
        operator_text="Scaleway",
        sku=name,
        chip_text=model,
        memory_gb=memory_bytes / _BYTES_PER_GB if memory_bytes else None,
        gpu_count=Decimal(gpus),
        lot_min_gpus=gpus,
        lot_max_gpus=gpus,
        scope_text=source.stated("scope_text"),
        term_text="hourly",
        place_text=zone,
        offer_class="list",
        price_text=stated.text,
        price_amount=stated.amount,
        price_basis="instance_hour",
        currency=code,
    )


def _model_in(name: str) -> str:
    """The GPU as a server type's name begins: `H100-SXM` of H100-SXM-8-80G, `L4` of L4-1-24G."""
    return name.rsplit("-", 2)[0] if name.count("-") >= 2 else name


def _inside(row: Row, *names: str) -> Any:
    found: Any = row
    for name in names:
        found = found.get(name) if isinstance(found, dict) else None
    return found
