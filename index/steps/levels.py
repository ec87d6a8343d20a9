"""Which level a day reaches, and which it may publish at (section 7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from index.parameters import Methodology
from index.steps.legs import AdvertisedLeg
from index.steps.state import PublicationState
from index.steps.voices import Voice

WITHHELD = 6
MODELLED = 5


@dataclass(frozen=True, slots=True)
class OfferTest:
    """What the offers of a day reach: owner groups (frozen voices count for none), and the level or why not.

    `has_routes` is the route test, which applies wherever offers enter P at levels 1 to 3.
    """

    groups: int
    fresh_groups: int
    firm_groups: int
    has_routes: bool
    level: int | None
    reason: str


def offer_test(voices: Sequence[Voice], leg: AdvertisedLeg | None, method: Methodology) -> OfferTest:
    """Level 3 or 4 by offers alone; None with the reason where neither holds."""
    counting = [voice for voice in voices if voice.state != "frozen"]
    third, fourth = method.levels[3], method.levels[4]
    within = [voice for voice in counting if voice.age_days <= (fourth.offer_age_days or 0)]
    fresh = [voice for voice in counting if voice.age_days <= (third.offer_age_days or 0)]
    firm = sum(1 for voice in fresh if voice.is_firm)
    reason = "no_offers" if not within else "single_seller" if len(within) == 1 else "too_few_groups"
    has_routes = leg is not None and (
        leg.effective_routes >= (third.effective_routes or 0) - 1e-9
        and leg.top_route_share <= (third.top_route_share or 1) + 1e-9
    )
    level: int | None = None
    if leg is not None and len(within) >= (fourth.offering_groups or 0):
        level, reason = 4, ""
        if len(fresh) >= (third.offering_groups or 0) and has_routes:
            level = 3
    return OfferTest(len(within), len(fresh), firm, has_routes, level, reason)


@dataclass(frozen=True, slots=True)
class Reached:
    """The level a day's data reach (6: none by itself, with the reason), and whether trades alone carry it."""

    level: int
    is_traded_only: bool = False
    reason: str | None = None


def _traded_alone(
    offers: OfferTest, trade_level: int, method: Methodology, *, has_discount: bool
) -> int | None:
    """The level at which trades alone carry a grade on the traded-equivalent basis, or None."""
    if trade_level == 1 and offers.groups < (method.levels[1].offering_groups or 0):
        return 1
    if offers.groups == 0:
        return 2
    return None if has_discount else trade_level


def _blended(offers: OfferTest, trade_level: int, method: Methodology) -> int | None:
    """The level of trades beside offers (with d defined), or None."""
    if not offers.has_routes:
        return None
    if trade_level == 1 and offers.groups >= (method.levels[1].offering_groups or 0):
        return 1
    return 2 if offers.fresh_groups >= (method.levels[2].offering_groups or 0) else None


def reached_level(
    offers: OfferTest, trade_level: int | None, basis: str, *, has_discount: bool, method: Methodology
) -> Reached:
    """The first row of the table of section 7 that holds (rulings 30 and 33).

    Trades alone price only a grade on the traded-equivalent basis; beside offers they need a defined discount.
    """
    is_traded_basis = basis == "traded_equivalent"
    if trade_level is not None:
        blended = _blended(offers, trade_level, method) if has_discount else None
        alone = (
            _traded_alone(offers, trade_level, method, has_discount=has_discount) if is_traded_basis else None
        )
        if alone is not None and (blended is None or alone <= blended):
            return Reached(alone, True)
        if blended is not None:
            return Reached(blended)
    if offers.level is None:
        return Reached(WITHHELD, reason=offers.reason)
    if is_traded_basis and not has_discount:
        return Reached(WITHHELD, reason="discount_lapsed")
    return Reached(offers.level)


def settled_level(raw: int, state: PublicationState, method: Methodology, *, is_first_day: bool) -> int:
    """The level a day is published at: upgrades between 1 and 4 must hold two days, downgrades are at once.

    After a withheld or modelled day publication is at once, but at level 4 at best. On a first or restart day the
    level is what the day reaches.
    """
    before = state.level
    if is_first_day or before is None:
        return raw
    if before >= MODELLED:
        return max(raw, method.reference.entry_level_after_withheld)
    if raw < before:
        return min(before, max(raw, state.raw_level or before))
    return raw
