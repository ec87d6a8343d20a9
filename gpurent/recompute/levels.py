"""The level that a day reaches and the one that is published, and the basis of a grade (sections 6, 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from gpurent.recompute.legs import routes_hold
from gpurent.recompute.rules import Rules
from gpurent.recompute.state import ADVERTISED, TRADED_EQUIVALENT, Estimate, GradeMemory, Voice

MODELLED, WITHHELD = 5, 6


@dataclass(frozen=True)
class Reached:
    """A level, and whether trades alone hold it: then P is T, whatever level is published."""

    level: int
    by_trades_alone: bool = False


def heard(voices: Mapping[str, Voice]) -> list[Voice]:
    """The voices that count in level tests: frozen ones do not."""
    return [voice for voice in voices.values() if not voice.is_frozen]


def reaches(
    basis: str | None,
    passes: int,
    voices: Mapping[str, Voice],
    shares: Mapping[str, float],
    discount: Estimate | None,
    rules: Rules,
) -> Reached:
    """The best level that a day's voices and trades hold; `passes`: the level whose trade test holds, or 0."""
    offering = len(heard(voices))
    if basis == TRADED_EQUIVALENT and passes:
        if discount is None or (passes == 1 and offering < rules.level(1, "offering_groups")):
            return Reached(passes, by_trades_alone=True)
        if not offering:
            return Reached(2, by_trades_alone=True)
    if is_lapsed(basis, voices, discount, rules) or offering < rules.level(4, "offering_groups"):
        return Reached(WITHHELD)
    if not routes_hold(voices, shares, rules):
        return Reached(4)
    fresh = sum(voice.age <= rules.level(3, "offer_age_days") for voice in heard(voices))
    level = 3 if fresh >= rules.level(3, "offering_groups") else 4
    if discount is not None and passes == 1 and offering >= rules.level(1, "offering_groups"):
        level = 1
    elif discount is not None and passes and fresh >= rules.level(2, "offering_groups"):
        level = 2
    return Reached(level)


def published_level(memory: GradeMemory, reached: int, *, is_first: bool) -> int:
    """Upgrades wait a day, after a withheld or modelled day the best is 4, downgrades are at once."""
    if is_first or reached == WITHHELD:
        return reached
    if memory.level in (MODELLED, WITHHELD):
        return max(reached, 4)
    if reached < memory.level:
        return min(memory.level, max(reached, memory.reached))
    return reached


def is_lapsed(
    basis: str | None, voices: Mapping[str, Voice], discount: Estimate | None, rules: Rules
) -> bool:
    """Whether enough groups offer, but nothing brings what they ask to the grade's basis."""
    least = rules.level(4, "offering_groups")
    return basis == TRADED_EQUIVALENT and discount is None and len(heard(voices)) >= least


def basis_of(memory: GradeMemory, day: date, rules: Rules) -> str | None:
    """The basis of a grade that has begun: it changes on the first of a month, after forty days with a discount."""
    days = rules.whole("discount", "basis_defined_days") + rules.whole("discount", "basis_notice_days")
    before = (day - timedelta(days=number) for number in range(1, days + 1))
    if memory.basis is not None and day.day == 1 and all(one in memory.defined_days for one in before):
        return TRADED_EQUIVALENT
    return memory.basis


def first_basis(voices: Mapping[str, Voice], trades: Sequence[object]) -> str:
    """The basis on the first day with a voice or a trade."""
    return TRADED_EQUIVALENT if trades and not voices else ADVERTISED


def reason_withheld(voices: Mapping[str, Voice], *, has_lapsed: bool) -> str:
    """Why a day is withheld that no level holds."""
    if has_lapsed:
        return "discount_lapsed"
    return {0: "no_offers", 1: "single_seller"}.get(len(heard(voices)), "too_few_groups")
