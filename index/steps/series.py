"""A grade's day published: the recursion, the runs without each group, the confidence, and the memory after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal

from index.formulas.robust import Estimate
from index.parameters import Methodology
from index.steps.confidence import Confidence, confidence_of
from index.steps.discount import remember_discount
from index.steps.flapping import bridge_outage, remember_voices
from index.steps.legs import advertised_leg
from index.steps.levels import MODELLED, WITHHELD, offer_test
from index.steps.observation import DayItem, DayTrade, Exclusion, Judged
from index.steps.preparation import Prepared, make_voices, prepare
from index.steps.publication import Outcome, Parents, View, matched_change, publish, withheld_state
from index.steps.resampling import pairs_of
from index.steps.settlement import ORDINARY, Standing, is_large_move, passes_settlement
from index.steps.state import PublicationState, SeriesState
from index.steps.voices import Voice, offer_shares


@dataclass(slots=True)
class GradeDay:
    """All that a grade's day produced. `left_out` maps an owner group to ln R without it - ln R (None: no R)."""

    grade_id: str
    state: SeriesState
    items: list[Judged]
    voices: list[Voice]
    view: View
    outcome: Outcome
    exclusions: list[Exclusion]
    left_out: dict[str, Decimal | None]
    state_before: PublicationState
    frozen: dict[str, Decimal]
    confidence: Confidence | None
    is_eligible: bool = False


def _left_out(
    state: SeriesState,
    before: PublicationState,
    view: View,
    outcome: Outcome,
    parents: Parents,
    method: Methodology,
) -> dict[str, Decimal | None]:
    """Run the recursion once without each group; keep those that differ, start those that are new."""
    today = {voice.owner_group for voice in view.voices} | {trade.owner_group for trade in view.trades}
    moves: dict[str, Decimal | None] = {}
    kept: dict[str, PublicationState] = {}
    for group in sorted(today | state.left_out.keys()):
        own = state.left_out.get(group, before)
        without, result = publish(own, view.without(group), parents, method)
        if group in today or without != state.main:
            kept[group] = without
        if outcome.reference_log is not None:
            log = result.reference_log
            moves[group] = None if log is None else log - outcome.reference_log
    state.left_out = kept
    return moves


def finish(
    prepared: Prepared,
    pool: Sequence[Estimate],
    parents: Parents,
    method: Methodology,
    standing: Standing = ORDINARY,
) -> GradeDay:
    """Publish a prepared day: the recursion, the runs without each group, the confidence, and the memory after it."""
    state, day = prepared.state, prepared.day
    view = View(
        day=day,
        grade_id=prepared.grade_id,
        voices=tuple(prepared.voices),
        trades=tuple(prepared.trades),
        before=prepared.before,
        matched_history=dict(state.matched),
        basis=state.basis or "advertised",
        pairs=prepared.pairs,
        pool=tuple(pool),
        discount_memory=state.discount,
        outage=prepared.outage,
    )
    main_before, left_out_before = state.main, dict(state.left_out)
    state.main, outcome = publish(main_before, view, parents, method)
    if prepared.is_basis_due:
        outcome.flags.append("basis_change_due")
    moves = _left_out(
        state, main_before, replace(view, variances=outcome.variances), outcome, parents, method
    )
    _remember(prepared, outcome, method)
    confidence = confidence_of(state, view, outcome, moves, method)
    if confidence is not None and confidence.is_wide:
        outcome.flags.append("wide")
    is_eligible = standing.may_settle and passes_settlement(outcome, confidence, method)
    if is_eligible and is_large_move(main_before, outcome, method) and not standing.confirmed:
        outcome = _stopped(state, view, outcome, main_before, left_out_before, standing)
        is_eligible = False
    return GradeDay(
        grade_id=prepared.grade_id,
        state=state,
        items=prepared.judged + prepared.aside,
        voices=prepared.voices,
        view=view,
        outcome=outcome,
        exclusions=prepared.exclusions,
        left_out=moves,
        state_before=main_before,
        frozen=prepared.frozen,
        confidence=confidence if outcome.status == "published" else None,
        is_eligible=is_eligible,
    )


def _stopped(
    state: SeriesState,
    view: View,
    outcome: Outcome,
    main_before: PublicationState,
    left_out_before: Mapping[str, PublicationState],
    standing: Standing,
) -> Outcome:
    """A value that is not printed: held until it is confirmed, or withheld because it was not. The series waits."""
    state.main = withheld_state(main_before, view, outcome)
    state.left_out = {group: withheld_state(own, view, outcome) for group, own in left_out_before.items()}
    state.matched.pop(view.day, None)
    state.references.pop(view.day, None)
    is_refused = standing.confirmed is False
    return replace(
        outcome,
        status="withheld" if is_refused else "held",
        level=WITHHELD if is_refused else outcome.level,
        label="withheld" if is_refused else outcome.label,
        reason="unconfirmed" if is_refused else "large_move",
        reference_log=None,
        cross_section_log=None,
        index_log=None,
        matched_log=None,
        catch_up_log=None,
        trade_weight=None,
    )


def run_day(
    grade_id: str,
    state: SeriesState,
    items: Sequence[DayItem],
    trades: Sequence[DayTrade],
    day: date,
    parents: Parents,
    method: Methodology,
    *,
    renamed: Mapping[str, str],
    outage: bool,
    counts_synthetic: bool = False,
    pool: Sequence[Estimate] = (),
) -> GradeDay:
    """One grade's day by itself: `prepare`, then `finish`."""
    prepared = prepare(
        grade_id,
        state,
        items,
        trades,
        day,
        method,
        renamed=renamed,
        outage=outage,
        counts_synthetic=counts_synthetic,
    )
    return finish(prepared, pool, parents, method)


def _remember(prepared: Prepared, outcome: Outcome, method: Methodology) -> None:
    """Bring memories up to the day and drop what no rule looks back to."""
    state, day, voices = prepared.state, prepared.day, prepared.voices
    remember_voices(state, voices, day, method)
    state.discount = remember_discount(state.discount, outcome.discount, day)
    if prepared.outage:
        bridge_outage(state, day)
        return
    shares = offer_shares({voice.owner_group: voice.age_days for voice in voices}, method)
    state.voices = {voice.owner_group: (voice.usd, shares[voice.owner_group]) for voice in voices}
    oldest = day - timedelta(days=method.reference.accepted_price_days)
    if outcome.status == "published":
        if "restart" in outcome.flags:
            state.matched = {}
        state.matched[day] = outcome.matched_log or Decimal(0)
        if outcome.reference_log is not None:
            state.references[day] = outcome.reference_log
    state.matched = {when: log for when, log in state.matched.items() if when > oldest}
    state.references = {when: log for when, log in state.references.items() if when > oldest}
    first = day - timedelta(days=method.reference.change_days - 1)
    if outcome.matched is not None:
        ages = {voice.owner_group: voice.age_days for voice in voices}
        state.recent_pairs[day] = pairs_of(outcome.matched.groups, ages)
    state.recent_pairs = {when: pairs for when, pairs in state.recent_pairs.items() if when >= first}
    state.changes = [change for change in state.changes if change[0] >= first]
    state.changes += [(day, group, count) for group, count in sorted(_changed(prepared).items())]
    state.accepted = {key: price for key, price in state.accepted.items() if price.day >= oldest}
    state.pending = {
        key: wait
        for key, wait in state.pending.items()
        if (day - wait.since).days <= method.filters.pending_days
    }


def _changed(prepared: Prepared) -> dict[str, int]:
    """Price changes of the day by owner group, in the seller's currency; converted prices tell nothing."""
    changed: dict[str, int] = {}
    for one in prepared.judged:
        now = prepared.state.accepted.get(one.item.item_key)
        is_known = one.state == "counted" and one.previous is not None and now is not None
        if is_known and not one.item.is_converted and now.native != one.previous.native:  # type: ignore[union-attr]
            changed[one.item.owner_group] = changed.get(one.item.owner_group, 0) + 1
    return changed


def modelled_change(parent: GradeDay, child_items: frozenset[str], method: Methodology) -> Decimal | None:
    """The matched change of a parent's day without the child's own items; None where that is no level 4 or better.

    Only for a parent that was published yesterday, so that its change is from yesterday to today.
    """
    day = parent.view.day
    if parent.state_before.last_day != day - timedelta(days=1) or parent.view.outage:
        return None
    items = [one for one in parent.items if one.item.item_key not in child_items]
    voices = make_voices(items, parent.frozen, method)
    test = offer_test(voices, advertised_leg(voices, method), method)
    if test.level is None or test.level > (method.levels[MODELLED].parent_level or 0):
        return None
    matched = matched_change(voices, parent.view.before, day, method)
    return None if matched is None else Decimal(repr(matched.change)).quantize(Decimal("1e-12"))


def lent_change(parent: GradeDay, since: date) -> Decimal | None:
    """The matched change of a published parent from a day it was published on to today; None where there is none."""
    if parent.outcome.status != "published" or parent.outcome.level >= MODELLED:
        return None
    history = parent.state.matched
    if since not in history:
        return None
    return sum((log for when, log in history.items() if since < when <= parent.view.day), Decimal(0))
