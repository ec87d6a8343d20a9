"""The items of a day (section 2): one price an item, from the newest look at its source, one route, no copies."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from gpurent.recompute.facts import AXES, Cutoff, Facts, Operator, Row
from gpurent.recompute.rules import Rules
from gpurent.recompute.sums import lower_median, round_price

_NOT_STATED = {"lot": "Z", "fabric": "ZZ", "scope": "ZZ", "term": "ZZ", "place": "ZZ"}


@dataclass(frozen=True)
class Item:
    """What an owner group asks for one thing on a day. Prices are Decimals as stored; `seen_on` its last look.

    `native` and `usd` are what it counts at, `stated` is what it said: they differ where it flickers.
    """

    key: str
    group: str
    operator: str
    host: str
    operator_class: str
    axes: Mapping[str, str]
    usd: Decimal
    native: Decimal
    currency: str
    route: str
    route_rank: int
    is_list: bool
    is_marketplace: bool
    rows: int
    stated_hosts: int
    stated_offers: int
    seen_on: date
    age: int
    captures: tuple[tuple[datetime, Decimal], ...]
    stated: Decimal

    def usd_of(self, native: Decimal) -> Decimal:
        """Another price of the seller's in USD, at the rate of the item's own."""
        return round_price(native * self.usd / self.native)

    @property
    def product(self) -> tuple[str, ...]:
        """What a copy on another route has in common."""
        return (self.operator, self.host, self.axes["chip"], self.axes["term"])


@dataclass
class Track:
    """What is remembered of an item: the prices it stated, by day, and the last one that was no unit step."""

    item: Item
    stated: list[tuple[date, Decimal, str]]
    plain: tuple[Decimal, str]
    step_since: date | None = None


def items_of(facts: Facts, cutoff: Cutoff, operators: Mapping[str, Operator], rules: Rules) -> list[Item]:
    """The items that stand on the day, by key."""
    looks = _looks(facts, cutoff, rules)
    by_look: dict[str, list[Row]] = defaultdict(list)
    for row in facts.offers:
        if row["snapshot_id"] in looks.all_ids and cutoff.sees(row) and row["operator_id"] in operators:
            by_look[row["snapshot_id"]].append(row)
    routes: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for identity, rows in by_look.items():
        for row in rows:
            key = item_key(row, operators[row["operator_id"]])
            routes[key, row["route"]].append({**row, "is_present": identity in looks.present})
    candidates: dict[str, list[Item]] = defaultdict(list)
    for (key, _), rows in routes.items():
        made = _item(key, rows, operators, cutoff.day)
        if made is not None:
            candidates[key].append(made)
    chosen = [
        min(found, key=lambda item: (item.route_rank, -item.captures[-1][0].timestamp(), item.route))
        for found in candidates.values()
    ]
    return sorted(_without_copies(chosen), key=lambda item: item.key)


@dataclass(frozen=True)
class _Looks:
    present: frozenset[str]
    all_ids: frozenset[str]


def _looks(facts: Facts, cutoff: Cutoff, rules: Rules) -> _Looks:
    """The snapshots from which items come, and all others of their days that were not failures."""
    first = cutoff.day - timedelta(days=rules.whole("observations", "expiry_days"))
    best: dict[str, Row] = {}
    rank = {"complete": 0, "partial": 1, "failed": 2}
    for row in facts.snapshots:
        if first <= row["snapshot_day"] <= cutoff.day and cutoff.sees(row):
            have = best.get(row["snapshot_id"])
            if have is None or rank[row["status"]] < rank[have["status"]]:
                best[row["snapshot_id"]] = row
    lists: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in best.values():
        if row["status"] != "failed":
            lists[row["source_id"], row["list_key"]].append(row)
    present: set[str] = set()
    for rows in lists.values():
        complete = [row for row in rows if row["status"] == "complete"]
        newest = max(complete, key=lambda row: row["snapshot_at"], default=None)
        for row in rows:
            if (
                newest is None
                or row is newest
                or (row["status"] == "partial" and row["snapshot_at"] > newest["snapshot_at"])
            ):
                present.add(row["snapshot_id"])
    everything = {row["snapshot_id"] for rows in lists.values() for row in rows}
    return _Looks(frozenset(present), frozenset(everything))


def item_key(row: Mapping[str, Any], operator: Operator) -> str:
    host = str(row["host_operator_id"]).replace("|", "/")
    parts = [operator.owner_group, row["operator_id"], host, *(row[axis] for axis in AXES)]
    return "|".join(parts)


def _item(key: str, rows: list[Row], operators: Mapping[str, Operator], day: date) -> Item | None:
    present = [row for row in rows if row["is_present"]]
    if not present:
        return None
    seen_on: date = max(row["snapshot_day"] for row in present)
    of_day = [row for row in rows if row["snapshot_day"] == seen_on]
    currency = min(row["currency"] for row in of_day)
    of_day = [row for row in of_day if row["currency"] == currency]
    looks: dict[tuple[datetime, str], list[Row]] = defaultdict(list)
    for row in of_day:
        looks[row["snapshot_at"], row["snapshot_id"]].append(row)
    natives = {
        look: lower_median([row["native_per_gpu_hour"] for row in found]) for look, found in looks.items()
    }
    dollars = {
        look: lower_median([row["usd_per_gpu_hour"] for row in found]) for look, found in looks.items()
    }
    verified = max(row["observed_at"] for row in of_day)
    last = max(looks)
    one = of_day[0]
    operator = operators[one["operator_id"]]
    return Item(
        key=key,
        group=operator.owner_group,
        operator=one["operator_id"],
        host=one["host_operator_id"],
        operator_class=operator.operator_class,
        axes={axis: one[axis] for axis in AXES},
        usd=lower_median(list(dollars.values())),
        native=lower_median(list(natives.values())),
        currency=currency,
        route=one["route"],
        route_rank=min(row["route_rank"] for row in of_day),
        is_list=all(row["offer_class"] == "list" for row in of_day),
        is_marketplace=any(row["is_marketplace"] for row in of_day),
        rows=len(looks[last]),
        stated_hosts=max(row["host_count"] or 0 for row in looks[last]),
        stated_offers=max(row["offer_count"] or 0 for row in looks[last]),
        seen_on=seen_on,
        age=max(0, (day - verified.date()).days),
        captures=tuple((look[0], natives[look]) for look in sorted(natives)),
        stated=lower_median(list(natives.values())),
    )


def _without_copies(items: Sequence[Item]) -> list[Item]:
    """Without views of an item by a route of higher rank: the operator's own offer beats them."""
    by_product: dict[tuple[str, ...], list[Item]] = defaultdict(list)
    for item in items:
        by_product[item.product].append(item)
    return [
        item
        for item in items
        if not any(
            other.route_rank < item.route_rank and agree(item.axes, other.axes, ("form_memory", *_OTHER))
            for other in by_product[item.product]
        )
    ]


_OTHER = ("lot", "fabric", "scope", "place")


def agree(mine: Mapping[str, str], theirs: Mapping[str, str], axes: Sequence[str]) -> bool:
    """Whether the axes are equal or not stated on one side."""
    return all(_differs(axis, mine[axis], theirs[axis]) is not None for axis in axes)


def _differs(axis: str, mine: str, theirs: str) -> int | None:
    """0 equal, 1 not stated on one side, None different."""
    if mine == theirs:
        return 0
    if axis == "form_memory":
        form = mine[0] == theirs[0] or "Z" in (mine[0], theirs[0])
        memory = mine[1:] == theirs[1:] or "000" in (mine[1:], theirs[1:])
        return 1 if form and memory else None
    return 1 if _NOT_STATED[axis] in (mine, theirs) else None


def relabelled(ended: Sequence[Track], begun: Sequence[Item]) -> dict[str, str]:
    """New key → the key of the item that it continues: pairs that are each other's single best, again and again."""
    found: dict[str, str] = {}
    olds, news = {track.item.key: track for track in ended}, {item.key: item for item in begun}
    while True:
        ranks: dict[tuple[str, str], tuple[int, bool]] = {}
        for old_key, track in olds.items():
            for new_key, item in news.items():
                old = track.item
                same = (old.operator, old.host, old.axes["chip"], old.axes["scope"], old.axes["term"])
                if same != (
                    item.operator,
                    item.host,
                    item.axes["chip"],
                    item.axes["scope"],
                    item.axes["term"],
                ):
                    continue
                steps = [
                    _differs(a, old.axes[a], item.axes[a]) for a in ("form_memory", "lot", "fabric", "place")
                ]
                if None not in steps:
                    is_other_price = (old.currency, old.native) != (item.currency, item.native)
                    ranks[old_key, new_key] = (sum(step or 0 for step in steps), is_other_price)
        taken = [
            pair
            for pair, rank in ranks.items()
            if all(
                other == pair or theirs > rank
                for other, theirs in ranks.items()
                if other[0] == pair[0] or other[1] == pair[1]
            )
        ]
        if not taken:
            return found
        for old_key, new_key in taken:
            found[new_key] = old_key
            del olds[old_key], news[new_key]


def with_flicker(item: Item, track: Track, day: date, rules: Rules) -> Item:
    """The item at its 7-day lower median where it is a reseller's list offer that keeps turning round."""
    is_resold = (
        item.operator_class == "RES"
        and item.axes["term"] != "SP"
        and item.is_list
        and item.host == item.operator
    )
    if not is_resold:
        return item
    move, reversals, direction = rules.number("observations", "flicker_move"), 0, 0
    days = rules.whole("observations", "flicker_days")
    recent = [entry for entry in track.stated if (day - entry[0]).days < days]
    at = recent[0][1]
    for _, native, _ in recent[1:]:
        change = float(native / at) - 1
        if abs(change) > move:
            turn = 1 if change > 0 else -1
            reversals += direction not in (0, turn)
            direction, at = turn, native
    if reversals < rules.whole("observations", "flicker_reversals"):
        return item
    week = [e for e in track.stated if (day - e[0]).days < rules.whole("observations", "flicker_median_days")]
    native = lower_median([stated for _, stated, _ in week])
    return replace(item, usd=item.usd_of(native), native=native, stated=item.native)
