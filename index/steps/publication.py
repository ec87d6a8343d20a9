"""The recursion of one series: level, cross-section P, matched change M, reference R and index I (sections 7, 8).

The same function runs for the grade itself and once for every owner group left out, so that the influence of a
group is a from-scratch run without it (with pending and held states as they were in the run).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal

from gpurent.core.draws import multinomial_counts
from gpurent.core.numbers import round_half_even
from index.formulas.robust import Estimate
from index.parameters import Methodology
from index.steps.blend import Variances, trade_weight, traded_variance, within_joint_cap
from index.steps.discount import Discount, Pair, discount_of, outside
from index.steps.legs import AdvertisedLeg, TradedLeg, advertised_leg, traded_leg, trimmed
from index.steps.levels import (
    MODELLED,
    WITHHELD,
    OfferTest,
    Reached,
    offer_test,
    reached_level,
    settled_level,
)
from index.steps.observation import LOG_DECIMALS, DayTrade
from index.steps.resampling import advertised_draws, traded_draws, variance
from index.steps.state import NO_DISCOUNT, Accepted, DiscountMemory, PublicationState
from index.steps.voices import MatchedGroup, Voice, matched_group, offer_shares


@dataclass(frozen=True, slots=True)
class View:
    """What a recursion sees of a day: voices, trades, each item's accepted price before the day, and its discount.

    `pairs` are those of the discount's window, `pool` other grades' own estimates; `variances` are given where they
    are another run's (a left-out run takes the grade's), else they are drawn.
    """

    day: date
    grade_id: str
    voices: tuple[Voice, ...]
    trades: tuple[DayTrade, ...]
    before: Mapping[str, Accepted]
    matched_history: Mapping[date, Decimal]
    basis: str
    pairs: tuple[Pair, ...] = ()
    pool: tuple[Estimate, ...] = ()
    discount_memory: DiscountMemory = NO_DISCOUNT
    variances: Variances | None = None
    outage: bool = False

    def without(self, owner_group: str) -> View:
        """The same day without one owner group, on both legs and in the pairs."""
        return replace(
            self,
            voices=tuple(voice for voice in self.voices if voice.owner_group != owner_group),
            trades=tuple(trade for trade in self.trades if trade.owner_group != owner_group),
            pairs=tuple(pair for pair in self.pairs if pair.owner_group != owner_group),
        )

    def clusters(self, traded: TradedLeg | None) -> list[str]:
        """Owner groups with a voice or a trade in T, sorted: the clusters of the bootstrap."""
        sellers = set() if traded is None else {trade.owner_group for trade in traded.trades}
        return sorted({voice.owner_group for voice in self.voices} | sellers)


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
    discount: Discount | None = None
    variances: Variances | None = None
    is_traded_only: bool = False
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


def draw_variances(
    view: View, leg: AdvertisedLeg, traded: TradedLeg, method: Methodology
) -> Variances | None:
    """Bootstrap variances of both legs; None where the advertised one has none."""
    groups = view.clusters(traded)
    counts = multinomial_counts(view.day, view.grade_id, groups=len(groups), draws=method.confidence.draws)
    of_offers = variance(advertised_draws(view.voices, groups, counts, method))
    if of_offers is None:
        return None
    of_trades = variance(traded_draws(traded, groups, counts, method))
    return Variances(of_offers, traded_variance(of_trades, traded.sellers, method))


@dataclass(slots=True)
class _Legs:
    """The legs of a day, the levels they reach, and d."""

    advertised: AdvertisedLeg | None
    traded: TradedLeg | None
    trade_level: int | None
    offers: OfferTest
    discount: Discount | None
    reached: Reached


def _traded(view: View, change: Decimal, method: Methodology) -> tuple[TradedLeg | None, int | None]:
    """T with older trades carried to the day, whose own matched change is `change`, and the level they reach."""
    return traded_leg(view.trades, view.day, {**view.matched_history, view.day: change}, method)


def _legs(view: View, change: Decimal, method: Methodology) -> _Legs:
    leg = advertised_leg(view.voices, method)
    offers = offer_test(view.voices, leg, method)
    traded, trade_level = _traded(view, change, method)
    window = traded.window_days if traded is not None else 0
    pairs = outside(view.pairs, view.day, window)
    discount = discount_of(pairs, view.pool, view.discount_memory, view.day, method)
    reached = reached_level(offers, trade_level, view.basis, has_discount=discount is not None, method=method)
    if view.outage:
        reached = Reached(WITHHELD, reason="outage")
    return _Legs(leg, traded, trade_level, offers, discount, reached)


def _cross_section(view: View, legs: _Legs, level: int, outcome: Outcome, method: Methodology) -> float:
    """ln P of a level that publishes from its own data, on the grade's basis; fills weight and variances."""
    leg, traded, discount = legs.advertised, legs.traded, legs.discount
    if legs.reached.is_traded_only:
        outcome.trade_weight, outcome.is_traded_only = 1.0, True
        if traded is None:
            raise ArithmeticError("trades alone carry a level that has no trades")
        return traded.log
    if leg is None:
        raise ArithmeticError("offers carry a level that has none")
    is_traded_basis = view.basis == "traded_equivalent"
    shift = discount.log if discount is not None else 0.0
    offered = leg.log + (shift if is_traded_basis else 0.0)
    outcome.trade_weight = 0.0
    if discount is None or traded is None or method.levels[level].trade_weight is None:
        return offered
    variances = view.variances or draw_variances(view, leg, traded, method)
    if variances is None:
        return offered
    weight = trade_weight(variances, discount, level, method)
    traded = within_joint_cap(traded, leg, weight, method)
    outcome.trade_weight, outcome.variances, outcome.traded = weight, variances, traded
    concluded = traded.log - (0.0 if is_traded_basis else shift)
    return weight * concluded + (1 - weight) * offered


def _label(level: int, view: View, method: Methodology, *, is_traded_only: bool) -> str:
    if is_traded_only:
        return "traded_only"
    rule = method.levels[level]
    if view.basis == "traded_equivalent" and rule.label_with_discount is not None:
        return rule.label_with_discount
    return rule.label


def publish(
    state: PublicationState, view: View, parents: Parents, method: Methodology
) -> tuple[PublicationState, Outcome]:
    """One day of a recursion: the new state and what is published. Pure: the given state is not changed."""
    day, rules = view.day, method.reference
    gap = None if state.last_day is None else (day - state.last_day).days
    is_first = gap is None or gap > rules.gap_days
    change = _NO_CHANGE if view.outage or is_first else _change(state, view, parents, method)
    legs = _legs(view, change.log, method)
    reached = legs.reached
    level = reached.level
    if level < MODELLED:
        level = settled_level(level, state, method, is_first_day=is_first)

    outcome = Outcome("withheld", WITHHELD, reached.level, "withheld", None)
    outcome.advertised, outcome.traded, outcome.offers = legs.advertised, legs.traded, legs.offers
    outcome.discount, outcome.matched, outcome.last_published = legs.discount, change.own, state.last_day

    if level < MODELLED:
        cross: float | None = _cross_section(view, legs, level, outcome, method)
        outcome.label = _label(level, view, method, is_traded_only=reached.is_traded_only)
    else:
        cross = _modelled_cross_section(state, view, legs, parents, gap, method)
        if cross is not None:
            level, outcome.label = MODELLED, method.levels[MODELLED].label
            outcome.trade_weight = 0.0
    if cross is None:
        outcome.reason = reached.reason
        return withheld_state(state, view, outcome), outcome
    outcome.status, outcome.level = "published", level
    outcome.cross_section_log = _log(cross)
    if is_first:
        _start(state, outcome)
    else:
        _continue(state, view, outcome, change, method)
    _flag(outcome, legs)
    return _published(state, view, outcome), outcome


def _modelled_cross_section(
    state: PublicationState,
    view: View,
    legs: _Legs,
    parents: Parents,
    gap: int | None,
    method: Methodology,
) -> float | None:
    """Level 5: yesterday's reference moved by the parent, for ten days after the last observed one.

    For days with too few groups; one whose offers cannot be brought to the basis (a lapsed d) is withheld.
    """
    carry = method.levels[MODELLED].carry_days or 0
    is_thin = legs.offers.level is None and legs.offers.groups != 1
    if view.outage or not is_thin or gap != 1 or state.reference_log is None or state.last_observed is None:
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


def _continue(
    state: PublicationState, view: View, outcome: Outcome, change: _Change, method: Methodology
) -> None:
    """M and I run on; R takes M and a part of the composition gap, or restarts at P on a new basis."""
    assert state.reference_log is not None
    assert state.index_log is not None
    assert outcome.cross_section_log is not None
    if outcome.level == MODELLED:
        outcome.matched_log = outcome.cross_section_log - state.reference_log
        outcome.flags.append("modelled_from_parent")
        outcome.traded, _ = _traded(view, outcome.matched_log, method)
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
    if outcome.level < MODELLED and state.basis not in {None, view.basis}:
        outcome.reference_log = outcome.cross_section_log
        outcome.flags.append("basis_change")
    else:
        outcome.reference_log = state.reference_log + outcome.matched_log + _log(kappa * gap)
    outcome.index_log = state.index_log + change.index_log
    outcome.catch_up_log = _log(kappa * float(outcome.cross_section_log - outcome.reference_log))


def _flag(outcome: Outcome, legs: _Legs) -> None:
    traded = outcome.traded
    if traded is not None and legs.discount is None and not outcome.is_traded_only:
        outcome.flags.append("discount_undefined")
    if legs.discount is not None and legs.discount.origin == "lapsed":
        outcome.flags.append("discount_lapsed")
    if traded is not None and any(trade.is_synthetic for trade in traded.trades):
        outcome.flags.append("synthetic_trades")
    if traded is not None and not traded.is_feasible:
        outcome.flags.append("caps_infeasible")
    if legs.trade_level is not None and outcome.trade_weight == 0 and outcome.level < MODELLED:
        outcome.flags.append("trade_test_met")
    if legs.offers.level == 4 and not legs.offers.has_routes and legs.offers.fresh_groups >= 6:
        outcome.flags.append("route_concentration")


def _published(state: PublicationState, view: View, outcome: Outcome) -> PublicationState:
    return PublicationState(
        started=view.day if {"start", "restart"} & set(outcome.flags) else state.started,
        last_day=view.day,
        reference_log=outcome.reference_log,
        index_log=outcome.index_log,
        level=outcome.level,
        raw_level=outcome.raw_level,
        last_observed=view.day if outcome.level < MODELLED else state.last_observed,
        cross_section_log=outcome.cross_section_log,
        basis=view.basis if outcome.level < MODELLED else state.basis,
        gap_prices=None,
    )


def withheld_state(state: PublicationState, view: View, outcome: Outcome) -> PublicationState:
    """Keep the last published state; remember the prices it stood on while the gap lasts."""
    kept = state.copy()
    kept.level, kept.raw_level = WITHHELD, outcome.raw_level
    if state.last_day is not None and state.gap_prices is None:
        kept.gap_prices = dict(view.before)
    return kept
