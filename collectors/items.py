"""What a reader hands over: offers, trades and rates in the source's own words and numbers, and refusals.

Fields are named as the columns of `stated_offers`, `stated_trades`, `fx_rates` and `rejections`. Ids, times of
recording and the capture come from the capture step (`collectors.capture`). Nothing is inferred here: a word
the source does not say stays None. A field that would not fit its column is refused while the item is made,
so that one bad row can never spoil the transaction of its document.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, model_validator

from gpurent.core.units import PRICE_BASES

_WIDE = Context(prec=60)
LARGEST_AMOUNT = Decimal(10) ** 12
_INTEGER = 2**31 - 1


def to_scale(value: Decimal, decimals: int) -> Decimal:
    """`value` with at most `decimals` digits behind the point, ties to even: what its column can hold."""
    return value.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_EVEN, context=_WIDE)


def _storable(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("holds half of a surrogate pair, which is no text") from None
    if "\x00" in text:
        raise ValueError("holds a NUL character")
    return text


def _scaled(decimals: int) -> AfterValidator:
    def scale(value: Decimal) -> Decimal:
        return to_scale(value, decimals)

    return AfterValidator(scale)


def _utc(value: datetime) -> datetime:
    return value.astimezone(UTC)


def _basis(name: str) -> str:
    if name not in PRICE_BASES:
        raise ValueError(f"{name!r} is not one of {', '.join(sorted(PRICE_BASES))}")
    return name


Text = Annotated[str, Field(min_length=1, max_length=2000), AfterValidator(_storable)]
Json = Annotated[str, Field(min_length=2, max_length=20_000), AfterValidator(_storable)]
Instant = Annotated[AwareDatetime, AfterValidator(_utc)]
Amount = Annotated[Decimal, Field(gt=0, lt=LARGEST_AMOUNT), _scaled(12), Field(gt=0)]
Cost = Annotated[Decimal, Field(ge=0, lt=LARGEST_AMOUNT), _scaled(12)]
Count = Annotated[Decimal, Field(gt=0, lt=10**6), _scaled(6), Field(gt=0)]
Hours = Annotated[Decimal, Field(gt=0, lt=10**9), _scaled(6), Field(gt=0)]
MemoryGb = Annotated[Decimal, Field(gt=0, lt=10**6), _scaled(3), Field(gt=0)]
Whole = Annotated[int, Field(ge=0, le=_INTEGER)]
AtLeastOne = Annotated[int, Field(ge=1, le=_INTEGER)]
Basis = Annotated[str, AfterValidator(_basis)]
Currency = Annotated[str, Field(pattern=r"^[A-Z]{3}$")]
OfferClass = Literal["firm", "list", "indication"]
SnapshotStatus = Literal["complete", "partial"]


class _Item(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Gpu(_Item):
    """The words for the seven axes, and the numbers that stand beside them.

    `gpu_count` is the GPUs the price covers, `memory_gb` is GB per GPU.
    """

    row_number: AtLeastOne = 1
    sku: Text
    chip_text: Text | None = None
    form_text: Text | None = None
    memory_text: Text | None = None
    memory_gb: MemoryGb | None = None
    gpu_count: Count | None = None
    fabric_text: Text | None = None
    scope_text: Text | None = None
    term_text: Text | None = None
    place_text: Text | None = None
    price_text: Text
    price_basis: Basis
    currency: Currency
    extra_json: Json | None = None


class StatedOffer(_Gpu):
    """An advertised price. `price_amount` is per `price_basis`, in `currency`, before tax."""

    operator_text: Text
    host_text: Text | None = None
    lot_min_gpus: AtLeastOne | None = None
    lot_max_gpus: AtLeastOne | None = None
    class_text: Text | None = None
    offer_class: OfferClass
    price_amount: Amount
    block_hours: Hours | None = None
    is_converted: bool = False
    available_gpus: Whole | None = None
    host_count: Whole | None = None
    offer_count: Whole | None = None
    observed_at: Instant | None = None
    effective_date: date | None = None

    @model_validator(mode="after")
    def _basis_has_its_numbers(self) -> Self:
        basis = PRICE_BASES[self.price_basis]
        if basis.needs_gpu_count and self.gpu_count is None:
            raise ValueError(f"a price per {self.price_basis} needs gpu_count")
        if basis.needs_hours and self.block_hours is None:
            raise ValueError(f"a price per {self.price_basis} needs block_hours")
        return self


class StatedTrade(_Gpu):
    """A concluded rental as its reporter states it: `cost_amount` for `quantity` units of `price_basis`."""

    reporter_id: Text
    reporter_side: Literal["buyer", "seller", "venue"]
    trade_kind: Text
    operator_text: Text
    buyer_text: Text
    agreement_text: Text
    lot_gpus: AtLeastOne | None = None
    price_column: Text
    cost_amount: Cost
    quantity: Amount
    traded_at: Instant | None = None
    delivery_start: Instant
    delivery_end: Instant
    is_arms_length: bool | None = None
    is_administered: bool
    is_confidential: bool
    is_synthetic: bool = False
    available_at: Instant | None = None

    @model_validator(mode="after")
    def _window_runs_forward(self) -> Self:
        if self.delivery_end <= self.delivery_start:
            raise ValueError("delivery_end must be after delivery_start")
        return self


class StatedRate(_Item):
    """A euro reference rate: `usd_per_unit` US dollars for one unit of `currency` on `day`."""

    row_number: AtLeastOne = 1
    day: date
    currency: Currency
    usd_per_unit: Amount
    eur_rate_text: Text
    published_at: Instant


class RowRejection(_Item):
    """A row, or one price of a row, that becomes no record. `reason_code` is one of `reason_codes.toml`."""

    row_number: AtLeastOne | None = None
    reason_code: Text
    detail: Text
    raw_text: Text | None = None
    observed_at: Instant | None = None


class StatedList(_Item):
    """The start of one of a document's lists: the items after it belong to it, up to the next one.

    `list_key` names a list of a source that has several which come and go on their own (a model searched for,
    a region). `snapshot_at` is the source's own time of the list, None where it states none. `status` says
    whether something that is not in it is known to be gone.
    """

    list_key: str = ""
    snapshot_at: Instant | None = None
    status: SnapshotStatus = "complete"


Item = StatedOffer | StatedTrade | StatedRate | RowRejection | StatedList
Stated = StatedOffer | StatedTrade | StatedRate
