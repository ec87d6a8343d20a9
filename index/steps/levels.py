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
    """What the offers of a day reach: owner groups (frozen voices count for none), and the level or why not."""

    groups: int
    fresh_groups: int
    firm_groups: int
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
    level: int | None = None
    if leg is not None and len(within) >= (fourth.offering_groups or 0):
        level, reason = 4, ""
        has_routes = (
            leg.effective_routes >= (third.effective_routes or 0) - 1e-9
            and leg.top_route_share <= (third.top_route_share or 1) + 1e-9
        )
        if len(fresh) >= (third.offering_groups or 0) and has_routes:
            level = 3
    return OfferTest(len(within), len(fresh), firm, level, reason)


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
