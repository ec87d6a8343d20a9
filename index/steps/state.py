"""What the ordered step remembers from one day to the next, and its one spelling as JSON.

Prices are Decimals with nine decimals as stored in `items`; logs are Decimals with twelve. Nothing else is kept:
a day is a function of this state, the day's items and the methodology.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from datetime import date
from decimal import Decimal
from typing import Any, Self

Json = dict[str, Any]


def _day(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)


def _text(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


@dataclass(frozen=True, slots=True)
class Accepted:
    """The last accepted price of an item: on which day, in USD (at that day's rate) and in its own currency."""

    day: date
    usd: Decimal
    native: Decimal
    currency: str

    def to_json(self) -> list[str]:
        return [self.day.isoformat(), str(self.usd), str(self.native), self.currency]

    @classmethod
    def from_json(cls, data: list[str]) -> Self:
        return cls(date.fromisoformat(data[0]), Decimal(data[1]), Decimal(data[2]), data[3])


@dataclass(frozen=True, slots=True)
class Pending:
    """A price that waits for confirmation: since when, on which side (+1 above, -1 below), the captures so far."""

    since: date
    side: int
    rule: str
    captures: tuple[Decimal, ...]

    def to_json(self) -> list[Any]:
        return [self.since.isoformat(), self.side, self.rule, [str(price) for price in self.captures]]

    @classmethod
    def from_json(cls, data: list[Any]) -> Self:
        return cls(date.fromisoformat(data[0]), data[1], data[2], tuple(Decimal(price) for price in data[3]))


Span = tuple[date, date, Decimal]


def _spans_to_json(spans: list[Span]) -> list[list[str]]:
    return [[first.isoformat(), last.isoformat(), str(usd)] for first, last, usd in spans]


def _spans_from_json(data: list[list[str]]) -> list[Span]:
    return [(date.fromisoformat(a), date.fromisoformat(b), Decimal(usd)) for a, b, usd in data]


@dataclass(frozen=True, slots=True)
class DiscountMemory:
    """Since when d has been defined without a break, and the last defined one with its day."""

    since: date | None = None
    last_day: date | None = None
    log: float | None = None
    standard_error: float | None = None

    def to_json(self) -> list[Any]:
        return [_text(self.since), _text(self.last_day), self.log, self.standard_error]

    @classmethod
    def from_json(cls, data: list[Any]) -> Self:
        return cls(_day(data[0]), _day(data[1]), data[2], data[3])


NO_DISCOUNT = DiscountMemory()


@dataclass(slots=True)
class GroupMemory:
    """An owner group in a grade: last day with a voice, its voices as (first day, last day, USD), returns, a freeze.

    `fresh` are the voices of the days on which they were verified, for as long as a discount looks back.
    """

    last_day: date
    spans: list[Span] = field(default_factory=list)
    fresh: list[Span] = field(default_factory=list)
    returns: list[date] = field(default_factory=list)
    frozen_until: date | None = None
    frozen_usd: Decimal | None = None

    def to_json(self) -> Json:
        data: Json = {"d": self.last_day.isoformat(), "v": _spans_to_json(self.spans)}
        if self.fresh:
            data["o"] = _spans_to_json(self.fresh)
        if self.returns:
            data["r"] = [day.isoformat() for day in self.returns]
        if self.frozen_until is not None:
            data["f"] = [self.frozen_until.isoformat(), str(self.frozen_usd)]
        return data

    @classmethod
    def from_json(cls, data: Json) -> Self:
        frozen = data.get("f", [None, None])
        return cls(
            last_day=date.fromisoformat(data["d"]),
            spans=_spans_from_json(data["v"]),
            fresh=_spans_from_json(data.get("o", [])),
            returns=[date.fromisoformat(day) for day in data.get("r", [])],
            frozen_until=_day(frozen[0]),
            frozen_usd=None if frozen[1] is None else Decimal(frozen[1]),
        )

    def fresh_price(self, day: date) -> Decimal | None:
        """The voice of a day on which it was verified; None where there was none."""
        return next((usd for first, last, usd in self.fresh if first <= day <= last), None)


@dataclass(slots=True)
class PublicationState:
    """The recursion of R and I: one for the grade and one for each left-out owner group.

    `basis` is what R stands on: another one restarts it on the next day that is published from its own data.
    `gap_prices` holds, only while nothing is published, the accepted prices as of the last published day.
    """

    started: date | None = None
    last_day: date | None = None
    reference_log: Decimal | None = None
    index_log: Decimal | None = None
    level: int | None = None
    raw_level: int | None = None
    last_observed: date | None = None
    cross_section_log: Decimal | None = None
    basis: str | None = None
    gap_prices: dict[str, Accepted] | None = None

    def to_json(self) -> Json:
        data: Json = {
            "s": _text(self.started),
            "d": _text(self.last_day),
            "r": None if self.reference_log is None else str(self.reference_log),
            "i": None if self.index_log is None else str(self.index_log),
            "l": self.level,
            "w": self.raw_level,
            "o": _text(self.last_observed),
            "p": None if self.cross_section_log is None else str(self.cross_section_log),
            "b": self.basis,
        }
        if self.gap_prices is not None:
            data["g"] = {key: price.to_json() for key, price in self.gap_prices.items()}
        return {key: value for key, value in data.items() if value is not None}

    @classmethod
    def from_json(cls, data: Json) -> Self:
        def number(key: str) -> Decimal | None:
            return Decimal(data[key]) if key in data else None

        gap = data.get("g")
        return cls(
            started=_day(data.get("s")),
            last_day=_day(data.get("d")),
            reference_log=number("r"),
            index_log=number("i"),
            level=data.get("l"),
            raw_level=data.get("w"),
            last_observed=_day(data.get("o")),
            cross_section_log=number("p"),
            basis=data.get("b"),
            gap_prices=None
            if gap is None
            else {key: Accepted.from_json(price) for key, price in gap.items()},
        )

    def copy(self) -> PublicationState:
        """An independent copy (prices themselves are immutable)."""
        values = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        if self.gap_prices is not None:
            values["gap_prices"] = dict(self.gap_prices)
        return PublicationState(**values)


@dataclass(slots=True)
class SeriesState:
    """A grade's memory.

    `accepted` and `pending` by item; `groups` by owner group; `voices` are the accepted voices of the last
    computed day with their weights (the gate compares with them); `matched` the matched changes of the last days
    (to carry trades) and `references` ln R of the published ones; `discount` when d was defined; `changes` the
    price changes of the last days as (day, owner group, count); `basis` is advertised or traded_equivalent;
    `left_out` one recursion for each owner group seen since the start. `recent_pairs` are the matched groups of
    the last days as (new, old, age): they stand in `voices` and are not part of the JSON.
    """

    accepted: dict[str, Accepted] = field(default_factory=dict)
    pending: dict[str, Pending] = field(default_factory=dict)
    groups: dict[str, GroupMemory] = field(default_factory=dict)
    voices: dict[str, tuple[Decimal, float]] = field(default_factory=dict)
    matched: dict[date, Decimal] = field(default_factory=dict)
    changes: list[tuple[date, str, int]] = field(default_factory=list)
    references: dict[date, Decimal] = field(default_factory=dict)
    discount: DiscountMemory = NO_DISCOUNT
    basis: str | None = None
    main: PublicationState = field(default_factory=PublicationState)
    left_out: dict[str, PublicationState] = field(default_factory=dict)
    recent_pairs: dict[date, dict[str, tuple[float, float, int]]] = field(default_factory=dict)

    def last_accepted(self, item_key: str, day: date, days: int) -> Accepted | None:
        """The price at which an item last counted, if that was at most `days` before `day`."""
        found = self.accepted.get(item_key)
        return None if found is None or (day - found.day).days > days else found

    def to_text(self) -> str:
        """Canonical JSON: sorted keys, no spaces."""
        data: Json = {
            "accepted": {key: price.to_json() for key, price in self.accepted.items()},
            "pending": {key: price.to_json() for key, price in self.pending.items()},
            "groups": {key: memory.to_json() for key, memory in self.groups.items()},
            "voices": {key: [str(usd), repr(weight)] for key, (usd, weight) in self.voices.items()},
            "matched": {day.isoformat(): str(change) for day, change in self.matched.items()},
            "changes": [[day.isoformat(), group, count] for day, group, count in self.changes],
            "references": {day.isoformat(): str(log) for day, log in self.references.items()},
            "discount": None if self.discount == NO_DISCOUNT else self.discount.to_json(),
            "basis": self.basis,
            "main": self.main.to_json(),
            "left_out": {key: state.to_json() for key, state in self.left_out.items()},
        }
        return json.dumps({k: v for k, v in data.items() if v}, sort_keys=True, separators=(",", ":"))

    @classmethod
    def from_text(cls, text: str) -> Self:
        """The state that `to_text` spelled."""
        data: Json = json.loads(text)
        return cls(
            accepted={key: Accepted.from_json(price) for key, price in data.get("accepted", {}).items()},
            pending={key: Pending.from_json(price) for key, price in data.get("pending", {}).items()},
            groups={key: GroupMemory.from_json(memory) for key, memory in data.get("groups", {}).items()},
            voices={
                key: (Decimal(usd), float(weight)) for key, (usd, weight) in data.get("voices", {}).items()
            },
            matched={date.fromisoformat(day): Decimal(x) for day, x in data.get("matched", {}).items()},
            changes=[(date.fromisoformat(day), group, n) for day, group, n in data.get("changes", [])],
            references={date.fromisoformat(day): Decimal(x) for day, x in data.get("references", {}).items()},
            discount=DiscountMemory.from_json(data["discount"]) if "discount" in data else NO_DISCOUNT,
            basis=data.get("basis"),
            main=PublicationState.from_json(data.get("main", {})),
            left_out={key: PublicationState.from_json(s) for key, s in data.get("left_out", {}).items()},
        )


@dataclass(slots=True)
class Track:
    """An item across grades: when it was last present, its clean price, and (resellers' lists) its recent prices."""

    last_day: date
    native: Decimal
    currency: str
    unit_step_since: date | None = None
    recent: list[tuple[date, Decimal]] = field(default_factory=list)

    def to_json(self) -> Json:
        data: Json = {"d": self.last_day.isoformat(), "n": str(self.native), "c": self.currency}
        if self.unit_step_since is not None:
            data["u"] = self.unit_step_since.isoformat()
        if self.recent:
            data["r"] = [[day.isoformat(), str(price)] for day, price in self.recent]
        return data

    @classmethod
    def from_json(cls, data: Json) -> Self:
        return cls(
            last_day=date.fromisoformat(data["d"]),
            native=Decimal(data["n"]),
            currency=data["c"],
            unit_step_since=_day(data.get("u")),
            recent=[(date.fromisoformat(day), Decimal(price)) for day, price in data.get("r", [])],
        )


@dataclass(slots=True)
class TrackState:
    """All items' tracks, by item key, and the last day they were brought up to."""

    last_day: date | None = None
    tracks: dict[str, Track] = field(default_factory=dict)

    def to_text(self) -> str:
        """Canonical JSON."""
        data = {
            "last_day": _text(self.last_day),
            "tracks": {key: track.to_json() for key, track in self.tracks.items()},
        }
        return json.dumps(data, sort_keys=True, separators=(",", ":"))

    @classmethod
    def from_text(cls, text: str) -> Self:
        """The state that `to_text` spelled."""
        data: Json = json.loads(text)
        return cls(
            last_day=_day(data.get("last_day")),
            tracks={key: Track.from_json(track) for key, track in data.get("tracks", {}).items()},
        )
