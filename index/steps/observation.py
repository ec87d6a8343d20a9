"""The day's items and trades as the ordered step sees them, and what it decides about each."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Literal, Self

from gpurent.core.numbers import round_half_even
from index.steps.state import Accepted

ItemState = Literal["counted", "held", "pending", "frozen", "excluded"]

PRICE_DECIMALS = 9
LOG_DECIMALS = 12
WEIGHT_DECIMALS = 15


@dataclass(frozen=True, slots=True)
class Identity:
    """Who rents out what: the parts of an item key, and its price for telling relabels apart."""

    item_key: str
    owner_group: str
    operator_id: str
    host_operator_id: str
    chip: str
    form_memory: str
    lot: str
    fabric: str
    scope: str
    term: str
    place: str
    native: Decimal

    @classmethod
    def from_key(cls, item_key: str, native: Decimal) -> Self:
        """Take a key apart: owner group, operator, host, then the seven axes, divided by bars."""
        group, operator, host, chip, form_memory, lot, fabric, scope, term, place = item_key.split("|")
        return cls(
            item_key, group, operator, host, chip, form_memory, lot, fabric, scope, term, place, native
        )

    @property
    def fixed_axes(self) -> tuple[str, ...]:
        """What two names of one item must share."""
        return (self.operator_id, self.host_operator_id, self.chip, self.scope, self.term)


@dataclass(frozen=True, slots=True)
class Capture:
    """A price of an item in one capture, in the seller's currency, and its time."""

    at: datetime
    native: Decimal


@dataclass(frozen=True, slots=True)
class Span:
    """From the first to the last of some captures of a day."""

    first: datetime
    last: datetime


@dataclass(frozen=True, slots=True)
class DayItem:
    """An item's price of a day: one row of the stateless reduction.

    `usd` and `native` are per GPU-hour; `native` is the lower median of the day's captures in the seller's
    currency; `at_or_below` and `at_or_above` span the captures on either side of it. `snapshot_day` is the day of
    the captures (before the day itself when the item is carried); `verified_age_days` is the day minus the UTC date
    of the row's own verification. `stated_usd` and `stated_native` keep what the flicker rule replaced.
    """

    item_key: str
    owner_group: str
    operator_id: str
    host_operator_id: str
    operator_class: str
    chip: str
    form_memory: str
    lot: str
    fabric: str
    scope: str
    term: str
    place: str
    route: str
    route_rank: int
    offer_class: str
    offer_id: str
    usd: Decimal
    native: Decimal
    currency: str
    is_converted: bool
    verified_at: datetime
    verified_age_days: int
    snapshot_day: date
    capture_count: int
    offer_rows: int
    first: Capture
    last: Capture
    lowest: Capture
    highest: Capture
    at_or_below: Span
    at_or_above: Span
    is_marketplace: bool
    host_count: int | None
    offer_count: int | None
    source_hold: str | None = None
    stated_usd: Decimal | None = None
    stated_native: Decimal | None = None
    relabelled_from: str | None = None
    unit_step: bool = False

    @property
    def is_smoothed(self) -> bool:
        """Whether the flicker rule replaced the stated price (`stated_usd`) by a median."""
        return self.stated_usd is not None and self.stated_usd != self.usd

    @property
    def identity(self) -> Identity:
        return Identity.from_key(self.item_key, self.native)

    def usd_of(self, native: Decimal) -> Decimal:
        """Another price of this item in USD, at this row's own rate."""
        if native == self.native:
            return self.usd
        return round_half_even(native * self.usd / self.native, PRICE_DECIMALS)


@dataclass(frozen=True, slots=True)
class Judged:
    """An item after the filters. `usd` is the price that counts today (None while a new one waits or is excluded)."""

    item: DayItem
    state: ItemState
    usd: Decimal | None
    rule: str | None
    detail: str
    previous: Accepted | None

    @property
    def counts(self) -> bool:
        return self.usd is not None and self.state in {"counted", "held", "frozen"}


@dataclass(frozen=True, slots=True)
class DayTrade:
    """One trade: buyer x seller x item x agreement x UTC day, hours summed, hours-weighted price."""

    trade_key: str
    owner_group: str
    operator_id: str
    buyer: str
    agreement: str
    item_key: str
    chip: str
    form_memory: str
    lot: str
    fabric: str
    scope: str
    term: str
    place: str
    day: date
    usd: Decimal
    native: Decimal
    currency: str
    gpu_hours: Decimal
    trade_kind: str
    is_arms_length: bool | None
    is_administered: bool
    is_confidential: bool
    is_synthetic: bool

    @property
    def agreement_key(self) -> tuple[str, str, str]:
        """Seller, buyer and their contract or resource: on however many days of a window, it counts once."""
        return (self.owner_group, self.buyer, self.agreement)


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A record that did not count: which, whose, on which leg, by which rule and why."""

    record_id: str
    owner_group: str
    leg: str
    rule_id: str
    reason_code: str
    detail: str
