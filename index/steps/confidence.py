"""How sure a value is: the level's interval, the 20-day change's, the largest influence, and the letter (section 9)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from gpurent.core.draws import multinomial_counts
from index.parameters import ConfidenceRules, Methodology
from index.steps.blend import t_factor
from index.steps.levels import MODELLED
from index.steps.publication import Outcome, View
from index.steps.resampling import advertised_draws, matched_draws, traded_draws
from index.steps.state import SeriesState

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Confidence:
    """The three numbers and the letter; logs. None where a number cannot be had (one owner group, no draws).

    `half_width_change` is (b); `is_informative` says whether enough groups changed a price for it to mean anything.
    """

    letter: str
    low_log: float | None
    high_log: float | None
    half_width_change: float | None
    change_20d: float | None
    is_informative: bool
    is_wide: bool


def _distances(
    draws: Floats, centre: float, groups: int, rules: ConfidenceRules
) -> tuple[float, float] | None:
    """How far the percentile points lie below and above the centre, widened for few groups."""
    there = draws[np.isfinite(draws)]
    factor = t_factor(groups, rules.interval)
    if there.size < 2 or not math.isfinite(factor):
        return None
    tail = (1 - rules.interval) / 2
    low, high = np.quantile(there, [tail, 1 - tail])
    return max(centre - float(low), 0.0) * factor, max(float(high) - centre, 0.0) * factor


def _level_draws(view: View, outcome: Outcome, counts: NDArray[np.int64], method: Methodology) -> Floats:
    """ln P in every draw, at the run's weight and discount."""
    groups = view.clusters(outcome.traded)
    weight = outcome.trade_weight or 0.0
    shift = outcome.discount.log if outcome.discount is not None else 0.0
    is_traded_basis = view.basis == "traded_equivalent"
    draws = np.zeros(counts.shape[0])
    if weight > 0 and outcome.traded is not None:
        concluded = traded_draws(outcome.traded, groups, counts, method)
        lift = 0.0 if is_traded_basis or outcome.is_traded_only else -shift
        draws = draws + weight * (concluded + lift)
    if weight < 1:
        offered = advertised_draws(view.voices, groups, counts, method)
        draws = draws + (1 - weight) * (offered + (shift if is_traded_basis else 0.0))
    return draws


def _change_draws(state: SeriesState, view: View, method: Methodology) -> tuple[Floats, int]:
    """The sum of M over the last days in every draw of one draw of owner groups, and how many groups there are."""
    first = view.day - timedelta(days=method.reference.change_days - 1)
    days = {when: pairs for when, pairs in state.recent_pairs.items() if when >= first}
    groups = sorted({group for pairs in days.values() for group in pairs})
    counts = multinomial_counts(view.day, view.grade_id, groups=len(groups), draws=method.confidence.draws)
    total = np.zeros(method.confidence.draws)
    for when in sorted(days):
        total = total + matched_draws(days[when], groups, counts, method)
    return total, len(groups)


def _change(state: SeriesState, outcome: Outcome, view: View, method: Methodology) -> float | None:
    """ln R today minus ln R of the newest published day at least 20 days ago."""
    limit = view.day - timedelta(days=method.reference.change_days)
    older = [when for when in state.references if when <= limit]
    if not older or outcome.reference_log is None:
        return None
    return float(outcome.reference_log - state.references[max(older)])


def letter_of(
    *,
    half_width: float | None,
    change: float | None,
    influence: float | None,
    is_informative: bool,
    level: int,
    rules: ConfidenceRules,
) -> str:
    """A, B or C. `influence` None (no reference without a group), a modelled day: C."""
    if influence is None or level >= MODELLED:
        return "C"
    if half_width is None or change is None or not is_informative:
        return "B" if influence <= rules.influence_b else "C"
    size = abs(change)
    if half_width <= max(rules.change_a, size / 2) and influence <= rules.influence_a:
        return "A"
    if half_width <= max(rules.change_b, size) and influence <= rules.influence_b:
        return "B"
    return "C"


def largest_influence(moves: Mapping[str, Decimal | None]) -> float | None:
    """max |ln R without a group - ln R|; None where without one of them there is no R, or there is no group."""
    if not moves or any(move is None for move in moves.values()):
        return None
    return max(abs(float(move)) for move in moves.values() if move is not None)


def confidence_of(
    state: SeriesState,
    view: View,
    outcome: Outcome,
    moves: Mapping[str, Decimal | None],
    method: Methodology,
) -> Confidence | None:
    """The confidence of a published day; None for a withheld one. Call it when the memory is of that day."""
    if outcome.status != "published" or outcome.cross_section_log is None:
        return None
    rules = method.confidence
    low = high = None
    if outcome.level < MODELLED:
        groups = view.clusters(outcome.traded)
        counts = multinomial_counts(view.day, view.grade_id, groups=len(groups), draws=rules.draws)
        centre = float(outcome.cross_section_log)
        distances = _distances(_level_draws(view, outcome, counts, method), centre, len(groups), rules)
        if distances is not None:
            low, high = centre - distances[0], centre + distances[1]
    totals, drawn_from = _change_draws(state, view, method)
    centre_change = float(np.median(totals)) if drawn_from else 0.0
    spread = _distances(totals, centre_change, drawn_from, rules) if drawn_from else None
    half_width = None if spread is None else (spread[0] + spread[1]) / 2
    changing = len({group for _, group, _ in state.changes})
    is_informative = changing >= rules.informative_groups
    change = _change(state, outcome, view, method)
    return Confidence(
        letter=letter_of(
            half_width=half_width,
            change=change,
            influence=largest_influence(moves),
            is_informative=is_informative,
            level=outcome.level,
            rules=rules,
        ),
        low_log=low,
        high_log=high,
        half_width_change=half_width,
        change_20d=change,
        is_informative=is_informative,
        is_wide=low is not None and high is not None and (high - low) / 2 > rules.wide,
    )
