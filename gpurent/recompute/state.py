"""What a grade remembers from day to day, and what a day says of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

ADVERTISED, TRADED_EQUIVALENT = "advertised", "traded_equivalent"


@dataclass(frozen=True)
class Accepted:
    """The price at which an item last counted, and when."""

    day: date
    usd: Decimal
    native: Decimal
    currency: str


@dataclass
class Pending:
    """A price that waits for its confirmation: since when, on which side, and the native prices so far."""

    since: date
    side: int
    captures: list[Decimal]


@dataclass(frozen=True)
class Voice:
    """What an owner group says on a day. `routes` has one for each of the items behind it."""

    group: str
    usd: Decimal
    age: int
    is_frozen: bool
    routes: tuple[str, ...]


@dataclass(frozen=True)
class Trade:
    """A trade of a buyer with a seller on a day, hours summed. `price` is USD per GPU-hour."""

    seller: str
    buyer: str
    agreement: str
    day: date
    hours: float
    price: float
    identity: str


@dataclass
class GroupMemory:
    """An owner group: the days it had a voice, its daily voices where it was not frozen, its returns, its freeze."""

    heard: set[date] = field(default_factory=set)
    voices: dict[date, Decimal] = field(default_factory=dict)
    returns: list[date] = field(default_factory=list)
    frozen_until: date | None = None
    frozen_at: Decimal | None = None


@dataclass(frozen=True)
class Estimate:
    """A discount in logs with its standard error."""

    log: float
    error: float


@dataclass
class GradeMemory:
    """The state of a grade before a day."""

    accepted: dict[str, Accepted] = field(default_factory=dict)
    accepted_as_of: dict[date, dict[str, Accepted]] = field(default_factory=dict)
    pending: dict[str, Pending] = field(default_factory=dict)
    groups: dict[str, GroupMemory] = field(default_factory=dict)
    voices_before: list[tuple[str, float, float]] = field(default_factory=list)
    reference_log: float | None = None
    last_published: date | None = None
    last_observed: date | None = None
    level: int = 6
    reached: int = 6
    matched: dict[date, float] = field(default_factory=dict)
    basis: str | None = None
    reference_basis: str | None = None
    defined_days: set[date] = field(default_factory=set)
    last_discount: tuple[date, Estimate] | None = None
    published: set[date] = field(default_factory=set)
    fresh_voices: dict[date, dict[str, float]] = field(default_factory=dict)
    index_log: float = 0.0


@dataclass(frozen=True)
class Values:
    """A grade's day, named as the columns of reference_prices. Logs are natural; None where there is none."""

    day: date
    grade_id: str
    status: str
    level: int
    reference_log: float | None = None
    cross_section_log: float | None = None
    advertised_log: float | None = None
    traded_log: float | None = None
    trade_weight: float = 0.0
    discount_log: float | None = None
    matched_change_log: float | None = None
    index_log: float | None = None
    basis: str | None = None
    reason_code: str | None = None
