"""A grade's day from its items to its outcome: filters, voices, the recursion, and the runs without each group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal

from index.parameters import Methodology
from index.steps.filters import Gate, judge
from index.steps.flapping import bridge_outage, frozen_price, note_returns, remember_voices
from index.steps.legs import advertised_leg, screen_trades
from index.steps.levels import MODELLED, offer_test
from index.steps.observation import DayItem, DayTrade, Exclusion, Judged
from index.steps.publication import Outcome, Parents, View, matched_change, publish
from index.steps.state import PublicationState, SeriesState
from index.steps.voices import Voice, group_voice, offer_shares


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
    left_out: dict[str, Decimal | None] = field(default_factory=dict)
    state_before: PublicationState = field(default_factory=PublicationState)
    frozen: dict[str, Decimal] = field(default_factory=dict)


def rename(state: SeriesState, renamed: Mapping[str, str]) -> None:
    """Let relabelled items go on with the history of the item they continue, in place."""
    for new, old in renamed.items():
        for memory in (state.accepted, state.pending):
            if old in memory and new not in memory:
                memory[new] = memory.pop(old)  # type: ignore[assignment]
        for recursion in (state.main, *state.left_out.values()):
            gap = recursion.gap_prices
            if gap is not None and old in gap and new not in gap:
                gap[new] = gap.pop(old)


def _thin_marketplaces(items: Sequence[DayItem], method: Methodology) -> dict[str, str]:
    """Owner groups whose marketplace has too few hosts or offers to be a voice, with the counts in words."""
    rules = method.observations
    hosts: dict[str, set[str]] = {}
    offers: dict[str, int] = {}
    stated: dict[str, tuple[int, int]] = {}
    for item in items:
        if item.is_marketplace:
            hosts.setdefault(item.owner_group, set()).add(item.host_operator_id)
            offers[item.owner_group] = offers.get(item.owner_group, 0) + item.offer_rows
            have = stated.get(item.owner_group, (0, 0))
            stated[item.owner_group] = (
                max(have[0], item.host_count or 0),
                max(have[1], item.offer_count or 0),
            )
    thin: dict[str, str] = {}
    for group, names in hosts.items():
        host_count = max(len(names), stated[group][0])
        offer_count = max(offers[group], stated[group][1])
        if host_count < rules.marketplace_min_hosts or offer_count < rules.marketplace_min_offers:
            thin[group] = f"{host_count} hosts, {offer_count} offers"
    return thin


def _set_aside(items: Sequence[DayItem], method: Methodology) -> tuple[list[DayItem], list[Judged]]:
    """Items that may count, and those that cannot today whatever their price, with the reason."""
    usable: list[DayItem] = []
    aside: list[Judged] = []
    for item in items:
        if item.source_hold is not None:
            aside.append(Judged(item, "excluded", None, item.source_hold, f"source {item.route}", None))
        elif item.verified_age_days > method.observations.expiry_days:
            detail = f"last verified {item.verified_age_days} days ago"
            aside.append(Judged(item, "excluded", None, "stale", detail, None))
        else:
            usable.append(item)
    thin = _thin_marketplaces(usable, method)
    for item in usable:
        if item.is_marketplace and item.owner_group in thin:
            detail = thin[item.owner_group]
            aside.append(Judged(item, "excluded", None, "marketplace_thin", detail, None))
    kept = [item for item in usable if not (item.is_marketplace and item.owner_group in thin)]
    return kept, aside


def _judge_all(
    state: SeriesState, items: Sequence[DayItem], day: date, method: Methodology
) -> tuple[list[Judged], dict[str, Decimal]]:
    """Judge every usable item; items of a frozen group keep their last accepted price untouched."""
    last = state.main.last_day
    is_open = last is None or (day - last).days > method.reference.gap_days
    reference = state.main.reference_log
    gate = Gate(
        state.voices, None if reference is None else float(reference), method.filters, is_open=is_open
    )
    note_returns(state, items, day, method)
    frozen = {
        group: price
        for group, memory in sorted(state.groups.items())
        if (price := frozen_price(memory, day)) is not None
    }
    judged: list[Judged] = []
    for item in items:
        if item.owner_group in frozen:
            accepted = state.accepted.get(item.item_key)
            usd = None if accepted is None else accepted.usd
            detail = f"frozen until {state.groups[item.owner_group].frozen_until}"
            judged.append(Judged(item, "frozen", usd, "flapping", detail, accepted))
        else:
            judged.append(judge(item, state, gate, day, method))
    return judged, frozen


def make_voices(judged: Sequence[Judged], frozen: Mapping[str, Decimal], method: Methodology) -> list[Voice]:
    """One voice an owner group, sorted by group: from the items that count, or at the frozen price."""
    by_group: dict[str, list[Judged]] = {group: [] for group in frozen}
    for one in judged:
        if one.counts:
            by_group.setdefault(one.item.owner_group, []).append(one)
    return [group_voice(group, items, method, frozen.get(group)) for group, items in sorted(by_group.items())]


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


def _exclusions(judged: Sequence[Judged]) -> list[Exclusion]:
    """Every hit of a filter: records that did not count, or not at the price that was stated."""

    def hit(one: Judged, rule: str, detail: str) -> Exclusion:
        item = one.item
        return Exclusion(item.offer_id, item.owner_group, "advertised", f"offer.{rule}", rule, detail)

    stopped = [
        hit(one, one.rule or one.state, one.detail)
        for one in judged
        if one.state in {"excluded", "pending", "held", "frozen"}
    ]
    smoothed = [
        hit(
            one,
            "flicker",
            f"stated {one.item.stated_usd} USD, taken at its recent lower median {one.item.usd}",
        )
        for one in judged
        if one.item.is_smoothed and one.counts
    ]
    return stopped + smoothed


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
) -> GradeDay:
    """Compute one grade's day. `state` is yesterday's and is brought up to `day` in place.

    On an outage no item is judged: nothing was seen, so nothing is accepted, held or carried.
    """
    rename(state, renamed)
    before = dict(state.accepted)
    usable, aside = ([], []) if outage else _set_aside(items, method)
    judged, frozen = ([], {}) if outage else _judge_all(state, usable, day, method)
    voices = make_voices(judged, frozen, method)
    counted, excluded_trades = screen_trades(trades, method, counts_synthetic=counts_synthetic)
    if state.basis is None and (voices or counted):
        state.basis = "advertised" if voices else "traded_equivalent"
    view = View(
        day=day,
        voices=tuple(voices),
        trades=tuple(counted),
        before=before,
        matched_history=dict(state.matched),
        basis=state.basis or "advertised",
        outage=outage,
    )
    main_before = state.main
    state.main, outcome = publish(main_before, view, parents, method)
    moves = _left_out(state, main_before, view, outcome, parents, method)
    _remember(state, judged, voices, outcome, day, method, outage=outage)
    return GradeDay(
        grade_id=grade_id,
        state=state,
        items=judged + aside,
        voices=voices,
        view=view,
        outcome=outcome,
        exclusions=_exclusions(judged + aside) + excluded_trades,
        left_out=moves,
        state_before=main_before,
        frozen=dict(frozen),
    )


def _remember(
    state: SeriesState,
    judged: Sequence[Judged],
    voices: Sequence[Voice],
    outcome: Outcome,
    day: date,
    method: Methodology,
    *,
    outage: bool,
) -> None:
    """Bring memories up to the day and drop what no rule looks back to."""
    remember_voices(state, voices, day, method)
    if outage:
        bridge_outage(state, day)
        return
    shares = offer_shares({voice.owner_group: voice.age_days for voice in voices}, method)
    state.voices = {voice.owner_group: (voice.usd, shares[voice.owner_group]) for voice in voices}
    oldest = day - timedelta(days=method.reference.accepted_price_days)
    if outcome.status == "published":
        if "restart" in outcome.flags:
            state.matched = {}
        state.matched[day] = outcome.matched_log or Decimal(0)
    state.matched = {when: log for when, log in state.matched.items() if when > oldest}
    changed: dict[str, int] = {}
    for one in judged:
        native = state.accepted.get(one.item.item_key)
        if (
            one.state == "counted"
            and one.previous is not None
            and native is not None
            and not one.item.is_converted
            and native.native != one.previous.native
        ):
            changed[one.item.owner_group] = changed.get(one.item.owner_group, 0) + 1
    first = day - timedelta(days=method.reference.change_days - 1)
    state.changes = [change for change in state.changes if change[0] >= first]
    state.changes += [(day, group, count) for group, count in sorted(changed.items())]
    state.accepted = {key: price for key, price in state.accepted.items() if price.day >= oldest}
    state.pending = {
        key: wait
        for key, wait in state.pending.items()
        if (day - wait.since).days <= method.filters.pending_days
    }


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
