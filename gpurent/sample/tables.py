"""The tables of the sample: dated, cited price facts, and the synthetic bills. One row model a file.

A row is shown on every day from `first_seen` to `last_seen`: the source stated it on both, and on each day between
or unchanged. A row that a reader must refuse (a price that is filled in and not offered, another product's meter)
may be seen on other days than it is shown; it then names them in `shown_from` and `shown_to`.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from gpurent.core.errors import ConfigError

Text = Annotated[str, Field(min_length=1)]
Url = Annotated[str, Field(pattern=r"^https://")]
Price = Annotated[Decimal, Field(ge=0)]


class Reference(BaseModel):
    """Where figures were read, with the licence they came under."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    reference: Text
    what: Text
    url: Url
    licence: Text


class _Cited(BaseModel):
    """A row that says where it was read: `url` is the seller's page, `read_where` names rows of references.csv."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: Url
    read_where: Text

    @property
    def references(self) -> list[str]:
        return self.read_where.split("+")


class PriceFact(_Cited):
    """A price that a source stated. `price` keeps the digits of the source."""

    price: Price
    unit: Literal["gpu_hour", "instance_hour"]
    currency: Literal["EUR", "USD"]
    first_seen: date
    last_seen: date
    shown_from: date | None
    shown_to: date | None

    @model_validator(mode="after")
    def _days_run_forward(self) -> Self:
        if self.first_seen > self.last_seen or (self.shown_from is None) != (self.shown_to is None):
            raise ValueError("first_seen must not lie after last_seen; shown_from and shown_to go together")
        return self

    def is_shown_on(self, day: date) -> bool:
        return (self.shown_from or self.first_seen) <= day <= (self.shown_to or self.last_seen)


class AggregatorFact(PriceFact):
    """gpurentalprices.com: `verified_until` is the last day on which the seller's own page was read."""

    operator: Text
    gpu: Text
    kind: Literal["on-demand", "spot", "secure", "community", "serverless"]
    vram_gb: Text
    min_gpus: str | None
    verified_until: date | None


class RunpodFact(PriceFact):
    """RunPod: a price in one of its clouds; `is_offered` false where it is filled in and not offered."""

    gpu_id: Text
    display_name: Text
    memory_gb: int
    cloud: Literal["secure", "community"]
    is_offered: bool


class AzureFact(PriceFact):
    """Azure: a meter of a size in a region, on the first or second page of the region's list."""

    page: Annotated[int, Field(ge=1, le=2)]
    sku: Text
    region: Text
    meter: Text
    product: Text
    effective_from: date | None


class AwsFact(PriceFact):
    """AWS: an instance type in a location, as its pricing page names both."""

    instance: Text
    vcpus: int
    memory_gib: int
    location: Text


class OracleFact(PriceFact):
    """Oracle: a part of the price list."""

    part: Text
    name: Text
    metric: Text
    category: Text


class OvhFact(PriceFact):
    """OVHcloud: a plan by the hour."""

    plan: Text
    model: Text
    gpus: int
    memory_gb: int


class ScalewayFact(PriceFact):
    """Scaleway: a server type of a zone. Its euro price is what gives the dollar figures of every day at the ECB's rate

    of the day before, to the fourth decimal.
    """

    server: Text
    zone: Text
    model: Text
    gpus: int
    memory_gb: int


class BrokerFact(PriceFact):
    """Prime Intellect: a provider's lowest price of a GPU. Of another year than the days they are shown on."""

    provider: Text
    gpu_type: Text
    socket: str | None


class VastFact(PriceFact):
    """Vast.ai: an ask. Asks of another time than the sample's: see `shown_from`; ask, host and machine are numbered."""

    model: Text
    ask: int
    host: int
    machine: int
    gpus: int
    memory_mib: int
    min_bid: Price
    place: str | None


class RateCardFact(_Cited):
    """CCIR: a point of its one collection."""

    seen_on: date
    operator: Text
    sku: Text
    label: Text
    gpus: int | None
    price: Price
    kind: Text
    region: Text
    effective_from: date | None


class CellFact(_Cited):
    """cloud-gpus.com: a cell of the table of a day, as it was typed."""

    seen_on: date
    cloud: Text
    gpu: Text
    price_text: Text
    region: str | None


class EuropeanFact(_Cited):
    """European clouds: a machine in the version of a day, with the fields as its provider's file has them."""

    committed: date
    file: Text
    fetched: date
    machine: Text
    price: Price | None
    currency: Literal["EUR", "USD"]
    location: str | None
    gpu_count: str | None
    gpu_model: str | None
    gpu: str | None
    gpu_type: str | None
    eur_usd_rate: str | None


class GoogleFact(_Cited):
    """The open Google calculator: a machine in a region, in the version of a day."""

    version: date
    machine: Text
    region: Text
    gpu_key: Text
    gpus: int
    vcpus: int
    memory_gb: int
    hour: Price
    hour_spot: Price | None


class RateFact(_Cited):
    """The ECB's reference rate of a TARGET day: units of a currency for 1 EUR."""

    day: date
    currency: Text
    units_per_eur: Price


class Bill(BaseModel):
    """A synthetic charge, once a day from `first_day` to `last_day`; the list price beside it is a cited fact.

    `restated_on`: the bill of that day repeats the row of the day before, as exports do.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    provider: Literal["AWS", "CoreWeave", "Crusoe", "Lambda", "Microsoft", "Nebius", "Verda"]
    account: Text
    buyer: Text
    instance: str | None
    region: Text
    currency: Literal["USD", "EUR"]
    hours: int | None
    list_per_hour: Price | None
    billed_per_hour: Price
    category: Literal["Usage", "Tax"]
    first_day: date
    last_day: date
    restated_on: date | None
    list_url: Url | None
    read_where: str | None

    def is_billed_on(self, day: date) -> bool:
        return self.first_day <= day <= self.last_day


Row = TypeVar("Row", bound=BaseModel)


@cache
def aggregator_facts() -> tuple[AggregatorFact, ...]:
    return _rows("facts/gpurentalprices.csv", AggregatorFact)


@cache
def runpod_facts() -> tuple[RunpodFact, ...]:
    return _rows("facts/runpod.csv", RunpodFact)


@cache
def azure_facts() -> tuple[AzureFact, ...]:
    return _rows("facts/azure.csv", AzureFact)


@cache
def aws_facts() -> tuple[AwsFact, ...]:
    return _rows("facts/aws.csv", AwsFact)


@cache
def oracle_facts() -> tuple[OracleFact, ...]:
    return _rows("facts/oracle.csv", OracleFact)


@cache
def ovh_facts() -> tuple[OvhFact, ...]:
    return _rows("facts/ovhcloud.csv", OvhFact)


@cache
def scaleway_facts() -> tuple[ScalewayFact, ...]:
    return _rows("facts/scaleway.csv", ScalewayFact)


@cache
def broker_facts() -> tuple[BrokerFact, ...]:
    return _rows("facts/prime_intellect.csv", BrokerFact)


@cache
def vast_facts() -> tuple[VastFact, ...]:
    return _rows("facts/vast.csv", VastFact)


@cache
def google_facts() -> tuple[GoogleFact, ...]:
    return _rows("facts/google_calculator.csv", GoogleFact)


@cache
def rate_card_facts() -> tuple[RateCardFact, ...]:
    return _rows("facts/ccir.csv", RateCardFact)


@cache
def cell_facts() -> tuple[CellFact, ...]:
    return _rows("facts/cloud_gpus_com.csv", CellFact)


@cache
def european_facts() -> tuple[EuropeanFact, ...]:
    return _rows("facts/eu_cloud.csv", EuropeanFact)


@cache
def rate_facts() -> tuple[RateFact, ...]:
    return _rows("facts/ecb.csv", RateFact)


@cache
def bills() -> tuple[Bill, ...]:
    return _rows("synthetic/bills.csv", Bill)


@cache
def references() -> tuple[Reference, ...]:
    return _rows("facts/references.csv", Reference)


def price_facts() -> Iterable[PriceFact]:
    """Every price fact of every source."""
    yield from aggregator_facts()
    yield from runpod_facts()
    yield from azure_facts()
    yield from aws_facts()
    yield from oracle_facts()
    yield from ovh_facts()
    yield from scaleway_facts()
    yield from broker_facts()
    yield from vast_facts()


def _rows(name: str, model: type[Row]) -> tuple[Row, ...]:
    return read_rows(files("gpurent.sample").joinpath(name), model)


def read_rows(path: Traversable, model: type[Row]) -> tuple[Row, ...]:
    """The rows of a table in its order. Raises ConfigError naming file, line and field."""
    found = []
    for number, raw in enumerate(csv.DictReader(path.read_text(encoding="utf-8").splitlines()), 2):
        row: dict[str, Any] = {field: value or None for field, value in raw.items()}
        try:
            found.append(model.model_validate(row))
        except ValidationError as error:
            problem = error.errors(include_url=False)[0]
            place = ".".join(map(str, problem["loc"])) or "row"
            raise ConfigError(f"{path}, line {number}: {place}: {problem['msg']}") from None
    return tuple(found)
