"""What a day lacked for a better level, in words: read from the published row and the methodology's minimums."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from gpurent.core.numbers import round_half_even
from gpurent.publish.words import codes, counted, in_words, missing_reasons
from index.parameters import Level, Methodology

Row = Mapping[str, Any]

BEST, TRADED_THIN, ADVERTISED, INDICATIVE = 1, 2, 3, 4
# reasons of a withheld day that better data of that day would not have changed
_NO_LEVEL_HELPS = frozenset({"outage", "large_move", "unconfirmed", "confidential_trades", "discount_lapsed"})


@dataclass(frozen=True, slots=True)
class Lack:
    """What kept a day from `level`: phrases, at least one."""

    level: int
    phrases: Sequence[str]

    def __str__(self) -> str:
        return f"{self.heading}: {'; '.join(self.phrases)}"

    @property
    def heading(self) -> str:
        """`short of level 3 (advertised)`."""
        return f"short of level {self.level} ({in_words('levels', self.level).partition(':')[0]})"


def lacks(price: Row, method: Methodology) -> list[Lack]:
    """What was missing for the levels above the published one, the nearest first; empty at level 1."""
    if (price["reason_code"] or "") in _NO_LEVEL_HELPS:
        return []
    published, reached = price["level"], price["reached_level"]
    if reached is not None and reached < published <= INDICATIVE:
        days = method.reference.upgrade_days
        return [Lack(reached, [f"the day's data reach it, and must do so {days} days running"])]
    found = []
    if published > INDICATIVE:
        found.append(Lack(INDICATIVE, list(_offers(price, method.levels[INDICATIVE], "owner_group_count"))))
    if published == INDICATIVE:
        found.append(Lack(ADVERTISED, list(_offers(price, method.levels[ADVERTISED], "fresh_group_count"))))
    if published == ADVERTISED or (published == INDICATIVE and price["trade_count"]):
        found.append(Lack(TRADED_THIN, list(_thin(price, method))))
    if published == TRADED_THIN:
        found.append(Lack(BEST, [_traded(method.levels[BEST])]))
    return [one for one in found if one.phrases]


def same_sellers(price: Row) -> str:
    """How many owner groups the change rests on, and why these may be more than count for the level."""
    count = price["matched_groups"] or 0
    text = f"{counted(count, 'owner group')} on both days"
    if count > (price["owner_group_count"] or 0) and price["status"] != "withheld":
        text += "; one that comes and goes stands at its median: it counts here, and for no level"
    return text


def _offers(price: Row, level: Level, column: str) -> Iterator[str]:
    """What the advertised side lacks of a level that offers carry."""
    needed, have = level.offering_groups or 0, price[column] or 0
    if have < needed:
        days = "within a day" if not level.offer_age_days else f"within {level.offer_age_days} days"
        yield f"{have} of {needed} owner groups with a price verified {days}"
    yield from _routes(price, level)


def _routes(price: Row, level: Level) -> Iterator[str]:
    effective, largest = price["route_effective_n"], price["top_route_share"]
    if level.effective_routes and effective is not None and effective < level.effective_routes:
        yield f"{round_half_even(effective, 1)} of {level.effective_routes:g} effective routes"
    if level.top_route_share and largest is not None and largest > Decimal(repr(level.top_route_share)):
        yield f"{_share(largest)} of the weight by one route (at most {_share(level.top_route_share)})"


def _thin(price: Row, method: Methodology) -> Iterator[str]:
    """What is missing for trades to enter the price."""
    level, flags = method.levels[TRADED_THIN], codes(price["flags"])
    trades = price["trade_count"] or 0
    if "trades_confidential" in flags:
        return
    if trades < (level.trades or 0):
        yield f"{trades} of {level.trades} trades in {level.window_days} days"
    elif "trade_test_met" not in flags:
        yield f"trades of {level.sellers} sellers or more in {level.window_days} days"
    fresh, needed = price["fresh_group_count"] or 0, level.offering_groups or 0
    if fresh < needed:
        yield f"{fresh} of {needed} owner groups with a price verified within a day"
    if price["discount_log"] is None:
        why = missing_reasons(price).get("discount_log")
        yield "the discount from offers to trades is not known" + (
            f" ({in_words('empty', why)})" if why else ""
        )
    if trades:
        yield from _routes(price, method.levels[ADVERTISED])


def _traded(level: Level) -> str:
    return (
        f"{level.trades} trades of {level.sellers} sellers to {level.buyers} buyers with {level.gpu_hours:,g} "
        f"GPU-hours in {level.window_days} days, no seller with more than {_share(level.top_seller_share or 1)}"
    )


def _share(value: Decimal | float) -> str:
    return f"{round_half_even(Decimal(str(value)) * 100, 0)} %"
