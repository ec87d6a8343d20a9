"""What happens in a grade before it publishes: items are set aside or judged, voices made, trades paired."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from index.formulas.robust import Estimate
from index.parameters import Methodology
from index.steps.discount import Pair, basis_on, make_pairs, outside, own_estimate
from index.steps.filters import Gate, judge
from index.steps.flapping import frozen_price, note_returns
from index.steps.legs import eligible_trades, screen_prices, traded_leg
from index.steps.observation import DayItem, DayTrade, Exclusion, Judged
from index.steps.state import Accepted, SeriesState
from index.steps.voices import Voice, group_voice


@dataclass(slots=True)
class Prepared:
    """A grade's day before any grade lends to another: what was judged, its voices, trades, pairs and own d.

    `estimate` is the grade's own estimate of the discount, for the pools of its relatives.
    """

    grade_id: str
    state: SeriesState
    day: date
    judged: list[Judged]
    aside: list[Judged]
    voices: list[Voice]
    frozen: dict[str, Decimal]
    before: dict[str, Accepted]
    trades: list[DayTrade]
    pairs: tuple[Pair, ...]
    estimate: Estimate | None
    is_basis_due: bool
    exclusions: list[Exclusion]
    outage: bool


def rename(state: SeriesState, renamed: Mapping[str, str]) -> None:
    """Let relabelled items go on with the history of the item they continue, in place.

    A new one was not seen for thirty days, so that a price still kept under its name is too old to count.
    """
    for new, old in renamed.items():
        for memory in (state.accepted, state.pending):
            if old in memory:
                memory[new] = memory.pop(old)  # type: ignore[assignment]
        for recursion in (state.main, *state.left_out.values()):
            gap = recursion.gap_prices
            if gap is not None and old in gap:
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
            accepted = state.last_accepted(item.item_key, day, method.reference.accepted_price_days)
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


def prepare(
    grade_id: str,
    state: SeriesState,
    items: Sequence[DayItem],
    trades: Sequence[DayTrade],
    day: date,
    method: Methodology,
    *,
    renamed: Mapping[str, str],
    outage: bool,
    counts_synthetic: bool = False,
) -> Prepared:
    """Judge a grade's items and trades. `state` is yesterday's and is brought up to `day` in place.

    `trades` reach back over the discount's window. On an outage no item is judged: nothing was seen, so nothing is
    accepted, held or carried, and a grade that has no basis yet gets none.
    """
    rename(state, renamed)
    before = dict(state.accepted)
    usable, aside = ([], []) if outage else _set_aside(items, method)
    judged, frozen = ([], {}) if outage else _judge_all(state, usable, day, method)
    voices = make_voices(judged, frozen, method)
    eligible, excluded = eligible_trades(trades, method, counts_synthetic=counts_synthetic)
    widest = max(method.legs.trade_windows_days)
    in_window = {trade.trade_key for trade in trades if 0 <= (day - trade.day).days < widest}
    counted, outliers = screen_prices([t for t in eligible if t.trade_key in in_window], method)
    pairs = make_pairs(eligible, state.groups, day, method)
    is_due = False
    if state.basis is not None:
        state.basis, is_due = basis_on(state.basis, state.discount, day, method)
    elif not outage and (voices or counted):
        state.basis = "advertised" if voices else "traded_equivalent"
    shown, _ = traded_leg(counted, day, state.matched, method)
    window = shown.window_days if shown is not None else 0
    return Prepared(
        grade_id=grade_id,
        state=state,
        day=day,
        judged=judged,
        aside=aside,
        voices=voices,
        frozen=dict(frozen),
        before=before,
        trades=counted,
        pairs=pairs,
        estimate=own_estimate(outside(pairs, day, window), method),
        is_basis_due=is_due,
        exclusions=[
            *_exclusions(judged + aside),
            *(one for one in excluded if one.record_id in in_window),
            *outliers,
        ],
        outage=outage,
    )
