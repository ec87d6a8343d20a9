"""Who stands behind a day's value on a grade's page, and what did not count."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby

from gpurent.publish.site.figures import change, share, shown, tidy
from gpurent.publish.site.names import Owner, Owners
from gpurent.publish.site.reading import Row
from gpurent.publish.words import counted, in_words, rules_in_words

FULL_BAR = Decimal("0.25")


@dataclass(frozen=True, slots=True)
class Voice:
    """One owner group on one leg. `bar` is its weight in per cent of a quarter, or of the heaviest beyond that."""

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


@dataclass(frozen=True, slots=True)
class Refusal:
    """What one rule kept out: how many records, and whose, where that may be said."""

    leg: str
    why: str
    code: str
    count: str
    named: Sequence[tuple[Owner, str]]
    others: int


def make_voices(rows: Iterable[Row], owners: Owners) -> list[tuple[str, list[Voice]]]:
    """The voices by leg, the heaviest first; those without weight behind them."""
    found = []
    for leg, group in groupby(rows, key=lambda row: row["leg"]):
        members = list(group)
        most = max((row["weight"] for row in members if row["weight"] is not None), default=None)
        found.append((leg, [_voice(row, most, owners) for row in members]))
    return found


def _voice(row: Row, most: Decimal | None, owners: Owners) -> Voice:
    weight = row["weight"]
    return Voice(
        owner=owners.owner(row["owner_group"], is_public=row["is_public"]),
        price=shown(row["usd_per_gpu_hour"], 4),
        weight=share(weight, 1),
        bar=float(weight / max(most, FULL_BAR) * 100) if weight is not None and most else 0.0,
        state=in_words("states", row["state"]),
        why=rules_in_words(row["reason_code"]),
        age="today" if row["verified_age_days"] == 0 else f"{counted(row['verified_age_days'], 'day')} old",
        items=row["item_count"],
        influence=change(row["leave_one_out"]),
        hours=tidy(row["gpu_hours"], 0),
    )


def make_refusals(rows: Iterable[Row], owners: Owners) -> list[Refusal]:
    """What did not count, the rule with the most records first."""
    found = []
    for (leg, code), group in groupby(rows, key=lambda row: (row["leg"], row["reason_code"])):
        members = list(group)
        named = [(owners.owner(row["owner_group"]), row["detail"]) for row in members if row["owner_group"]]
        records = sum(row["records"] for row in members)
        noun = "offer" if leg == "advertised" else "trade"
        unnamed = sum(row["records"] for row in members if not row["owner_group"])
        found.append(Refusal(leg, rules_in_words(code), code, counted(records, noun), named, unnamed))
    return sorted(found, key=lambda one: (-int(one.count.split()[0]), one.leg, one.code))
