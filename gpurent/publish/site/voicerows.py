"""Who stands behind a day's value on a grade's page, and what did not count."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby

from gpurent.publish.site.figures import change, share, shown, tidy
from gpurent.publish.site.names import Owner, Owners
from gpurent.publish.site.reading import Row
from gpurent.publish.site.scale import scale_of
from gpurent.publish.trim import kept_parts
from gpurent.publish.words import counted, in_words, rules_in_words

FULL_BAR = Decimal("0.25")
# a bar of the influence that reaches its end is at least a move of one per cent
FULL_PULL = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class Voice:
    """One owner group on one leg. `bar` is its weight in per cent of a quarter, or of the heaviest beyond that.

    `kept` says what the trim left of it, where that is not all. `pull` is how far the reference would move without it:
    start and width of a bar in per cent, 50 being no move; None where that is not known.
    """

    owner: Owner
    price: str
    weight: str
    bar: float
    state: str
    why: str
    age: str
    items: int
    influence: str
    hours: str
    kept: str
    pull: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Dot:
    """A voice in the strip of voices: place in per cent, whether the trim cut it (`cut`, `part`, `whole`), words."""

    at: float
    kept: str
    says: str


@dataclass(frozen=True, slots=True)
class Strip:
    """The voices of the advertised leg on one axis, with A among them."""

    dots: Sequence[Dot]
    ticks: Sequence[tuple[str, float]]
    mean: float
    says: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """What one rule kept out: how many records, and whose, where that may be said."""

    leg: str
    why: str
    code: str
    count: str
    named: Sequence[tuple[Owner, str]]
    others: int


def make_voices(rows: Iterable[Row], owners: Owners, each_side: float) -> list[tuple[str, list[Voice]]]:
    """The voices by leg, the heaviest first; those without weight behind them."""
    found = []
    for leg, group in groupby(rows, key=lambda row: row["leg"]):
        members = list(group)
        parts = _parts(members, each_side) if leg == "advertised" else [Decimal(1)] * len(members)
        weights = [row["weight"] for row in members if row["weight"] is not None]
        pulls = [abs(row["leave_one_out"]) for row in members if row["leave_one_out"] is not None]
        most = (max(weights, default=None), max(pulls, default=None))
        found.append(
            (leg, [_voice(row, part, most, owners) for row, part in zip(members, parts, strict=True)])
        )
    return found


def make_strip(rows: Iterable[Row], owners: Owners, each_side: float, mean: Decimal | None) -> Strip | None:
    """The strip of the advertised voices; None for fewer than three, of which a picture says nothing."""
    members = [row for row in rows if row["leg"] == "advertised" and row["usd_per_gpu_hour"] is not None]
    if mean is None or len(members) < 3:
        return None
    members.sort(key=lambda row: (row["usd_per_gpu_hour"], row["owner_group"]))
    scale = scale_of([*(row["usd_per_gpu_hour"] for row in members), mean])
    parts = _parts(members, each_side)
    dots = [
        Dot(
            at=scale.place(row["usd_per_gpu_hour"]) or 0.0,
            kept="cut" if part == 0 else "whole" if part == 1 else "part",
            says=f"{owners.owner(row['owner_group'], is_public=row['is_public']).name} "
            f"{shown(row['usd_per_gpu_hour'], 4)}, {share(row['weight'], 1)}; {_kept(part) or 'whole in the mean'}",
        )
        for row, part in zip(members, parts, strict=True)
    ]
    cut = sum(1 for dot in dots if dot.kept == "cut")
    says = (
        f"{counted(len(dots), 'voice')} from {shown(members[0]['usd_per_gpu_hour'], 4)} to "
        f"{shown(members[-1]['usd_per_gpu_hour'], 4)} USD per GPU-hour; the trim cuts {cut} of them; A is {mean}."
    )
    return Strip(dots, scale.ticks, scale.place(mean) or 0.0, says)


def _parts(rows: Sequence[Row], each_side: float) -> list[Decimal]:
    """What the trim keeps of each voice, taken in order of price and name."""
    places = sorted(
        range(len(rows)), key=lambda n: (rows[n]["usd_per_gpu_hour"] or 0, rows[n]["owner_group"])
    )
    ordered = [rows[place] for place in places]
    prices, weights = ([row[name] for row in ordered] for name in ("usd_per_gpu_hour", "weight"))
    kept = dict(zip(places, kept_parts(prices, weights, each_side), strict=True))
    return [kept[place] for place in range(len(rows))]


def _kept(part: Decimal) -> str:
    if part == 1:
        return ""
    return "cut by the trim" if part == 0 else f"{share(part)} of it in the mean"


def _voice(row: Row, part: Decimal, most: tuple[Decimal | None, Decimal | None], owners: Owners) -> Voice:
    weight, pull = row["weight"], row["leave_one_out"]
    heaviest, strongest = most
    return Voice(
        owner=owners.owner(row["owner_group"], is_public=row["is_public"]),
        price=shown(row["usd_per_gpu_hour"], 4),
        weight=share(weight, 1),
        bar=float(weight / max(heaviest, FULL_BAR) * 100) if weight is not None and heaviest else 0.0,
        state=in_words("states", row["state"]),
        why=rules_in_words(row["reason_code"]),
        age="today" if row["verified_age_days"] == 0 else f"{counted(row['verified_age_days'], 'day')} old",
        items=row["item_count"],
        influence=change(pull),
        hours=tidy(row["gpu_hours"], 0),
        kept=_kept(part) if weight else "",
        pull=_pull(pull, strongest),
    )


def _pull(log: Decimal | None, strongest: Decimal | None) -> tuple[float, float] | None:
    """Start and width of the bar of a move, from the middle to the side it goes to."""
    if log is None or not strongest:
        return None
    width = round(float(abs(log) / max(strongest, FULL_PULL)) * 50, 1)
    return (50.0 if log >= 0 else 50.0 - width), width


def make_refusals(rows: Iterable[Row], owners: Owners) -> list[Refusal]:
    """What did not count, the rule with the most records first."""
    found = []
    for (leg, code), group in groupby(rows, key=lambda row: (row["leg"], row["reason_code"])):
        members = list(group)
        named = [(owners.owner(row["owner_group"]), row["detail"]) for row in members if row["owner_group"]]
        records = sum(row["records"] for row in members)
        noun = "offer" if leg == "advertised" else "trade"
        unnamed = sum(row["records"] for row in members if not row["owner_group"])
        refusal = Refusal(leg, rules_in_words(code), code, counted(records, noun), named, unnamed)
        found.append((-records, leg, code, refusal))
    return [refusal for *_, refusal in sorted(found, key=lambda one: one[:3])]
