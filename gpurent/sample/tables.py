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
    currency: Literal["USD"]
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

    provider: Literal["AWS", "Microsoft"]
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
