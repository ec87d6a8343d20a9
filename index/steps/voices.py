"""One owner group, one voice: the mid median over its items, its age, and its weight after the cap (section 5)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from gpurent.core.numbers import round_half_even
from index.formulas.caps import cap_for, capped_shares
from index.parameters import Methodology
from index.steps.observation import PRICE_DECIMALS, Judged
from index.steps.state import Accepted


@dataclass(frozen=True, slots=True)
class Voice:
    """The price of an owner group that counts on a day. `items` are all its items that count; prices in USD.

    `state` is counted, held (an item that sets the median is held) or frozen; a frozen voice counts for no level
    minimum. `age_days` is the oldest verification among the items that set the median.
    """

    owner_group: str
    usd: Decimal
    state: str
    age_days: int
    items: tuple[Judged, ...]
    is_firm: bool
    route_shares: Mapping[str, float]

    @property
    def log(self) -> float:
        return math.log(self.usd)


def middle(items: Sequence[Judged]) -> tuple[Judged, Judged]:
    """The one or two items that set the mid median, in price order; ties by age, then key. Empty raises."""
    if not items:
        raise ValueError("a voice needs an item")
    ranked = sorted(
        items, key=lambda judged: (judged.usd, judged.item.verified_age_days, judged.item.item_key)
    )
    return ranked[(len(ranked) - 1) // 2], ranked[len(ranked) // 2]


def mid_median(prices: Sequence[Decimal]) -> Decimal:
    """The mid median of prices, exact to one digit more than they have. Empty raises ValueError."""
    if not prices:
        raise ValueError("no price")
    ranked = sorted(prices)
    low, high = ranked[(len(ranked) - 1) // 2], ranked[len(ranked) // 2]
    return low if low == high else (low + high) / 2


def group_voice(
    owner_group: str, items: Sequence[Judged], method: Methodology, frozen: Decimal | None
) -> Voice:
    """The voice of a group from its items that count, or at its frozen price (then items may be missing)."""
    routes: dict[str, float] = {}
    for judged in items:
        routes[judged.item.route] = routes.get(judged.item.route, 0.0) + 1 / len(items)
    if frozen is not None:
        age = min((judged.item.verified_age_days for judged in items), default=0)
        return Voice(owner_group, frozen, "frozen", age, tuple(items), False, routes)
    low, high = middle(items)
    firm_age = method.observations.firm_age_days
    is_firm = all(
        judged.item.offer_class == "firm" and judged.item.verified_age_days <= firm_age
        for judged in (low, high)
    )
    return Voice(
        owner_group=owner_group,
        usd=round_half_even(mid_median([low.usd or Decimal(0), high.usd or Decimal(0)]), PRICE_DECIMALS),
        state="held" if "held" in {low.state, high.state} else "counted",
        age_days=max(low.item.verified_age_days, high.item.verified_age_days),
        items=tuple(items),
        is_firm=is_firm,
        route_shares=routes,
    )


def offer_weight(age_days: int, method: Methodology) -> float:
    """0.5 ^ (max(age - 1, 0) / 3 days): a voice verified yesterday still weighs one."""
    rules = method.voices
    return float(0.5 ** (max(age_days - rules.offer_grace_days, 0) / rules.offer_half_life_days))


def offer_shares(ages: Mapping[str, int], method: Methodology) -> dict[str, float]:
    """Shares of the owner groups after ageing and the cap max(25 %, 1/n); sorted by group; empty gives empty."""
    if not ages:
        return {}
    raw = {group: offer_weight(ages[group], method) for group in sorted(ages)}
    return capped_shares(raw, cap_for(len(raw), method.voices.cap))


@dataclass(frozen=True, slots=True)
class MatchedGroup:
    """A group's two sides of the matched change: its median now and at its last accepted prices before, in USD.

    `index_change` is the mean log change of its matched items; `old_day` the newest of the days before.
    """

    owner_group: str
    new_usd: Decimal
    old_usd: Decimal
    old_day: date
    index_change: float


def matched_group(
    voice: Voice, before: Mapping[str, Accepted], day: date, method: Methodology
) -> MatchedGroup | None:
    """The matched sides of a voice, over its items present today that have an accepted price before (section 8).

    `before` are accepted prices as of the day the change is taken from. None where no item has one at most 30
    days old.
    """
    limit = method.reference.accepted_price_days
    pairs: list[tuple[Decimal, Accepted]] = []
    for judged in voice.items:
        old = before.get(judged.item.item_key)
        if judged.usd is not None and old is not None and 0 < (day - old.day).days <= limit:
            pairs.append((judged.usd, old))
    if not pairs:
        return None
    changes = sorted(math.log(new / old.usd) for new, old in pairs)
    return MatchedGroup(
        owner_group=voice.owner_group,
        new_usd=mid_median([new for new, _ in pairs]),
        old_usd=mid_median([old.usd for _, old in pairs]),
        old_day=max(old.day for _, old in pairs),
        index_change=math.fsum(changes) / len(changes),
    )
