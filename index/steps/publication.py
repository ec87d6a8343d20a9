"""The recursion of one series: level, cross-section P, matched change M, reference R and index I (sections 7, 8).

The same function runs for the grade itself and once for every owner group left out, so that the influence of a
group is a from-scratch run without it (with pending and held states as they were in the run).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from gpurent.core.numbers import round_half_even
from index.parameters import Methodology
from index.steps.legs import AdvertisedLeg, TradedLeg, advertised_leg, traded_leg, trimmed
from index.steps.levels import MODELLED, WITHHELD, OfferTest, offer_test, settled_level
from index.steps.observation import LOG_DECIMALS, DayTrade
from index.steps.state import Accepted, PublicationState
from index.steps.voices import MatchedGroup, Voice, matched_group, offer_shares


@dataclass(frozen=True, slots=True)
class View:
    """What a recursion sees of a day: voices, trades, and each item's accepted price before the day."""

    day: date
    voices: tuple[Voice, ...]
    trades: tuple[DayTrade, ...]
    before: Mapping[str, Accepted]
    matched_history: Mapping[date, Decimal]
    basis: str
    outage: bool = False

    def without(self, owner_group: str) -> View:
        """The same day without one owner group, on both legs."""
        return View(
            day=self.day,
            voices=tuple(voice for voice in self.voices if voice.owner_group != owner_group),
            trades=tuple(trade for trade in self.trades if trade.owner_group != owner_group),
            before=self.before,
            matched_history=self.matched_history,
            basis=self.basis,
            outage=self.outage,
        )


@dataclass(frozen=True, slots=True)
class Matched:
    """The matched change of a day. `change` is of A over `groups`, `index_change` the equal-weight mean."""

    change: float
    index_change: float
    groups: tuple[MatchedGroup, ...]
    shares: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Parents:
    """What the ancestors of a grade can lend it on a day; each gives None where no ancestor is eligible.

    `matched(since)`: the nearest ancestor's matched change since a published day. `modelled()`: the change of the
    nearest ancestor at level 4 or better, computed without the child's own items.
    """

    matched: Callable[[date], Decimal | None]
    modelled: Callable[[], Decimal | None]


NO_PARENTS = Parents(lambda _since: None, lambda: None)


@dataclass(slots=True)
class Outcome:
    """A day of a series, as it is published. Logs are rounded to twelve decimals; None where nothing is published."""

    status: str
    level: int
    raw_level: int
    label: str
    reason: str | None
    flags: list[str] = field(default_factory=list)
    reference_log: Decimal | None = None
    cross_section_log: Decimal | None = None
    index_log: Decimal | None = None
    matched_log: Decimal | None = None
    catch_up_log: Decimal | None = None
    trade_weight: float | None = None
    advertised: AdvertisedLeg | None = None
    traded: TradedLeg | None = None
    offers: OfferTest | None = None
    matched: Matched | None = None
    last_published: date | None = None


def matched_change(
    voices: Sequence[Voice], before: Mapping[str, Accepted], day: date, method: Methodology
) -> Matched | None:
    """ln A(S; D) - ln A(S; before) over groups present on both sides, or None under the minimum of groups.

    Weights, caps and trim are D's over S, the same on both sides.
    """
    pairs = [(voice, matched_group(voice, before, day, method)) for voice in voices]
    found = sorted(
        ((voice, pair) for voice, pair in pairs if pair is not None), key=lambda both: both[0].owner_group
    )
    if len(found) < method.reference.matched_min_groups:
        return None
    shares = offer_shares({voice.owner_group: voice.age_days for voice, _ in found}, method)
    new = trimmed({pair.owner_group: float(pair.new_usd) for _, pair in found}, shares, method)
    old = trimmed({pair.owner_group: float(pair.old_usd) for _, pair in found}, shares, method)
    mean = math.fsum(pair.index_change for _, pair in found) / len(found)
    return Matched(math.log(new / old), mean, tuple(pair for _, pair in found), shares)


def _log(value: float) -> Decimal:
    return round_half_even(value, LOG_DECIMALS)


@dataclass(frozen=True, slots=True)
class _Change:
    """The change since the last published day: of M and of I, the grade's own matched groups, and what to flag."""

    log: Decimal
    index_log: Decimal
    own: Matched | None
    flag: str | None


_NO_CHANGE = _Change(Decimal(0), Decimal(0), None, None)


def _change(state: PublicationState, view: View, parents: Parents, method: Methodology) -> _Change:
    """The grade's own matched change; under three groups the parent's; without an eligible parent none."""
    before = view.before if state.gap_prices is None else state.gap_prices
    own = matched_change(view.voices, before, view.day, method)
    if own is not None:
        return _Change(_log(own.change), _log(own.index_change), own, None)
    lent = None if state.last_day is None else parents.matched(state.last_day)
    if lent is None:
        return _Change(Decimal(0), Decimal(0), None, "unmatched")
    return _Change(lent, Decimal(0), None, "matched_from_parent")


def _raw_level(
    view: View, offers: OfferTest, trade_level: int | None, method: Methodology
) -> tuple[int, bool]:
    """The level the day's data reach (6: none by itself), and whether trades alone carry it.

    Trades alone price only a grade on the traded-equivalent basis: level 1 where fewer than three groups offer,
    level 2 where nobody does.
    """
    if view.basis == "traded_equivalent" and trade_level is not None:
        few_offer = offers.groups < (method.levels[1].offering_groups or 0)
        if trade_level == 1 and few_offer:
            return 1, True
        if not view.voices:
            return 2, True
    return (offers.level or WITHHELD), False


def publish(
    state: PublicationState, view: View, parents: Parents, method: Methodology
) -> tuple[PublicationState, Outcome]:
    """One day of a recursion: the new state and what is published. Pure: the given state is not changed."""
    day, rules = view.day, method.reference
    leg = advertised_leg(view.voices, method)
    offers = offer_test(view.voices, leg, method)
    gap = None if state.last_day is None else (day - state.last_day).days
    is_first = gap is None or gap > rules.gap_days
    change = _NO_CHANGE if view.outage or is_first else _change(state, view, parents, method)
    history = {**view.matched_history, day: change.log}
    trades, trade_level = traded_leg(view.trades, day, history, method)
    raw, is_traded_only = _raw_level(view, offers, trade_level, method)
    if view.outage:
        raw = WITHHELD
    level = settled_level(raw, state, method, is_first_day=is_first) if raw < MODELLED else raw

    outcome = Outcome(
        "withheld", WITHHELD, raw, "withheld", None, advertised=leg, traded=trades, offers=offers
    )
    outcome.matched = change.own
    outcome.last_published = state.last_day

    if level < MODELLED:
        cross = (
            trades.log if is_traded_only and trades is not None else (leg.log if leg is not None else None)
        )
        assert cross is not None  # a level below 5 has a leg
        outcome.trade_weight = 1.0 if is_traded_only else 0.0
        outcome.label = "traded_only" if is_traded_only else method.levels[level].label
    else:
        cross = _modelled_cross_section(state, view, offers, parents, gap, method)
        if cross is not None:
            level = MODELLED
            outcome.label = method.levels[MODELLED].label
            outcome.trade_weight = 0.0
    if cross is None:
        outcome.reason = "outage" if view.outage else offers.reason
        return _withheld(state, view, outcome), outcome
    outcome.status, outcome.level = "published", level
    outcome.cross_section_log = _log(cross)
    if is_first:
        _start(state, outcome)
    else:
        _continue(state, outcome, change, method)
    _flag(outcome, trade_level, is_traded_only)
    return _published(state, view, outcome), outcome


def _modelled_cross_section(
    state: PublicationState,
    view: View,
    offers: OfferTest,
    parents: Parents,
    gap: int | None,
    method: Methodology,
) -> float | None:
    """Level 5: yesterday's reference moved by the parent, for ten days after the last observed one."""
    carry = method.levels[MODELLED].carry_days or 0
    is_single = offers.groups == 1
    if view.outage or is_single or gap != 1 or state.reference_log is None or state.last_observed is None:
        return None
    if (view.day - state.last_observed).days > carry:
        return None
    change = parents.modelled()
    return None if change is None else float(state.reference_log + change)


def _start(state: PublicationState, outcome: Outcome) -> None:
    """R = P; I starts at 100 or resumes at its last value after a long gap."""
    outcome.reference_log = outcome.cross_section_log
    outcome.index_log = Decimal(0) if state.index_log is None else state.index_log
    outcome.flags.append("start" if state.last_day is None else "restart")
    outcome.catch_up_log = _log(0.0)


def _continue(state: PublicationState, outcome: Outcome, change: _Change, method: Methodology) -> None:
    assert state.reference_log is not None
    assert state.index_log is not None
    assert outcome.cross_section_log is not None
    if outcome.level == MODELLED:
        outcome.matched_log = outcome.cross_section_log - state.reference_log
        outcome.flags.append("modelled_from_parent")
    else:
        outcome.matched_log = change.log
        if change.flag is not None:
            outcome.flags.append(change.flag)
    if change.own is None:
        outcome.flags.append("index_unmatched")
    if state.gap_prices is not None:
        outcome.flags.append("after_gap")
    kappa = method.kappa(outcome.level)
    gap = float(outcome.cross_section_log - state.reference_log - outcome.matched_log)
    outcome.reference_log = state.reference_log + outcome.matched_log + _log(kappa * gap)
    outcome.index_log = state.index_log + change.index_log
    outcome.catch_up_log = _log(kappa * float(outcome.cross_section_log - outcome.reference_log))


def _flag(outcome: Outcome, trade_level: int | None, is_traded_only: bool) -> None:
    if outcome.traded is not None and not is_traded_only:
        outcome.flags.append("discount_undefined")
    if outcome.traded is not None and any(trade.is_synthetic for trade in outcome.traded.trades):
        outcome.flags.append("synthetic_trades")
    if outcome.traded is not None and not outcome.traded.is_feasible:
        outcome.flags.append("caps_infeasible")
    if trade_level is not None and not is_traded_only:
        outcome.flags.append("trade_test_met")


def _published(state: PublicationState, view: View, outcome: Outcome) -> PublicationState:
    return PublicationState(
        started=state.started or view.day,
        last_day=view.day,
        reference_log=outcome.reference_log,
        index_log=outcome.index_log,
        level=outcome.level,
        raw_level=outcome.raw_level,
        last_observed=view.day if outcome.level < MODELLED else state.last_observed,
        cross_section_log=outcome.cross_section_log,
        gap_prices=None,
    )


def _withheld(state: PublicationState, view: View, outcome: Outcome) -> PublicationState:
    """Keep the last published state; remember the prices it stood on while the gap lasts."""
    kept = state.copy()
    kept.level, kept.raw_level = WITHHELD, outcome.raw_level
    if state.last_day is not None and state.gap_prices is None:
        kept.gap_prices = dict(view.before)
    return kept
