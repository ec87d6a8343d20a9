"""What a value may be used for: settlement eligibility, and the large moves that wait for confirmation (7, 11)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from index.parameters import Methodology
from index.steps.confidence import Confidence
from index.steps.publication import Outcome
from index.steps.state import PublicationState


@dataclass(frozen=True, slots=True)
class Standing:
    """What a grade's value may be used for: whether it can be settled on at all, and what became of a held one.

    `confirmed`: None at the first publication (a large move is held), else whether the independent computation agreed.
    """

    may_settle: bool = False
    confirmed: bool | None = None


ORDINARY = Standing()


def passes_settlement(outcome: Outcome, confidence: Confidence | None, method: Methodology) -> bool:
    """The last column of the table of section 7, for a live value of a narrow grade."""
    if outcome.status != "published" or confidence is None:
        return False
    if outcome.level == 1:
        return True
    is_sure = confidence.letter in {"A", "B"}
    if outcome.level == 2:
        return is_sure and not outcome.is_traded_only
    firm = 0 if outcome.offers is None else outcome.offers.firm_groups
    has_firm = firm >= method.settlement.firm_groups_level_3
    return outcome.level == 3 and is_sure and has_firm and outcome.discount is not None


def is_large_move(before: PublicationState, outcome: Outcome, method: Methodology) -> bool:
    """|change of R| above 10 % since the last published day; a restart is no move."""
    if before.reference_log is None or outcome.reference_log is None:
        return False
    if {"start", "restart", "basis_change"} & set(outcome.flags):
        return False
    return abs(math.expm1(float(outcome.reference_log - before.reference_log))) > method.settlement.held_move
