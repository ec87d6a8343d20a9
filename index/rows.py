"""A computed day as rows of the warehouse's tables. Numbers are rounded here, once, half-even."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal

from gpurent.core.clock import at_utc
from gpurent.core.numbers import round_half_even
from index.formulas.caps import cap_for
from index.formulas.location import weighted_quantile
from index.parameters import Methodology
from index.steps.levels import MODELLED
from index.steps.observation import LOG_DECIMALS, PRICE_DECIMALS, WEIGHT_DECIMALS, Judged
from index.steps.series import GradeDay
from index.steps.voices import offer_weight

Row = dict[str, object]

USD_DECIMALS = 4

# why a column is empty on a published day; a withheld day says `withheld` for what it would have needed
_LATER = ("repeat_capture_noise", "groups_to_move_one_percent")


@dataclass(frozen=True, slots=True)
class Stamp:
    """What every row of a day carries."""

    day: date
    vintage: str
    construction: str
    register_version: str
    known_at: datetime

    def base(self, grade_id: str) -> Row:
        return {"day": self.day, "grade_id": grade_id, "vintage": self.vintage, "known_at": self.known_at}


def _log(value: float | Decimal) -> Decimal:
    return round_half_even(value, LOG_DECIMALS)


def _usd_of_log(log: Decimal | float | None) -> Decimal | None:
    return None if log is None else round_half_even(math.exp(float(log)), USD_DECIMALS)


def _share(value: float) -> Decimal:
    return round_half_even(value, WEIGHT_DECIMALS)


def item_rows(graded: GradeDay, stamp: Stamp) -> Iterator[Row]:
    """Rows of `items`, advertised leg first, then traded; sorted by key."""
    shares = graded.outcome.advertised.shares if graded.outcome.advertised else {}
    counting: dict[str, int] = {}
    for one in graded.items:
        if one.counts:
            counting[one.item.owner_group] = counting.get(one.item.owner_group, 0) + 1
    for one in sorted(graded.items, key=lambda judged: judged.item.item_key):
        item = one.item
        weight = shares.get(item.owner_group, 0.0) / counting[item.owner_group] if one.counts else None
        yield {
            **stamp.base(graded.grade_id),
            "leg": "advertised",
            "item_key": item.item_key,
            "owner_group": item.owner_group,
            "operator_id": item.operator_id,
            "host_operator_id": item.host_operator_id,
            "chip": item.chip,
            "form_memory": item.form_memory,
            "lot": item.lot,
            "fabric": item.fabric,
            "scope": item.scope,
            "term": item.term,
            "place": item.place,
            "route": item.route,
            "offer_class": item.offer_class,
            "offer_id": item.offer_id,
            "usd_per_gpu_hour": one.usd,
            "observed_usd_per_gpu_hour": item.stated_usd or item.usd,
            "native_per_gpu_hour": item.native,
            "currency": item.currency,
            "is_converted": item.is_converted,
            "state": one.state,
            "reason_code": one.rule,
            "weight": None if weight is None else _share(weight),
            "verified_at": item.verified_at,
            "verified_age_days": item.verified_age_days,
            "snapshot_day": item.snapshot_day,
            "capture_count": item.capture_count,
            "first_captured_at": item.first.at,
            "first_native_per_gpu_hour": item.first.native,
            "last_captured_at": item.last.at,
            "last_native_per_gpu_hour": item.last.native,
            "lowest_captured_at": item.lowest.at,
            "lowest_native_per_gpu_hour": item.lowest.native,
            "highest_captured_at": item.highest.at,
            "highest_native_per_gpu_hour": item.highest.native,
            "at_or_below_first_at": item.at_or_below.first,
            "at_or_below_last_at": item.at_or_below.last,
            "at_or_above_first_at": item.at_or_above.first,
            "at_or_above_last_at": item.at_or_above.last,
            "is_marketplace": item.is_marketplace,
            "host_count": item.host_count,
            "offer_count": item.offer_count,
            "relabelled_from": item.relabelled_from,
            "previous_usd_per_gpu_hour": None if one.previous is None else one.previous.usd,
            "previous_day": None if one.previous is None else one.previous.day,
        }


def voice_rows(
    graded: GradeDay, stamp: Stamp, method: Methodology, public_routes: frozenset[str]
) -> Iterator[Row]:
    """Rows of `voices`: an owner group's price on each leg. Public where all its routes may be shown."""
    outcome = graded.outcome
    shares = outcome.advertised.shares if outcome.advertised else {}
    pairs = {} if outcome.matched is None else {pair.owner_group: pair for pair in outcome.matched.groups}
    matched = {} if outcome.matched is None else outcome.matched.shares
    raw = {voice.owner_group: offer_weight(voice.age_days, method) for voice in graded.voices}
    total = math.fsum(raw.values())
    for voice in graded.voices:
        pair = pairs.get(voice.owner_group)
        routes = sorted(voice.route_shares)
        yield {
            **stamp.base(graded.grade_id),
            "leg": "advertised",
            "owner_group": voice.owner_group,
            "usd_per_gpu_hour": voice.usd,
            "state": voice.state,
            "reason_code": "flapping" if voice.state == "frozen" else _held_rule(voice.items),
            "weight": _share(shares[voice.owner_group]),
            "weight_before_caps": _share(raw[voice.owner_group] / total),
            "verified_age_days": voice.age_days,
            "item_count": len(voice.items),
            "is_firm": voice.is_firm,
            "routes": ",".join(routes),
            "previous_usd_per_gpu_hour": None
            if pair is None
            else round_half_even(pair.old_usd, PRICE_DECIMALS),
            "previous_day": None if pair is None else pair.old_day,
            "matched_weight": None if pair is None else _share(matched[voice.owner_group]),
            "matched_usd_per_gpu_hour": None
            if pair is None
            else round_half_even(pair.new_usd, PRICE_DECIMALS),
            "gpu_hours": None,
            "is_public": all(route in public_routes for route in routes),
        }
    if outcome.traded is not None:
        yield from _traded_voices(graded, stamp)


def _held_rule(items: tuple[Judged, ...]) -> str | None:
    rules = sorted({one.rule for one in items if one.state == "held" and one.rule})
    return ",".join(rules) or None


def _traded_voices(graded: GradeDay, stamp: Stamp) -> Iterator[Row]:
    leg = graded.outcome.traded
    if leg is None:
        return
    for seller, share in leg.seller_shares().items():
        mine = [trade for trade in leg.trades if trade.owner_group == seller]
        hours = sum((trade.gpu_hours for trade in mine), Decimal(0))
        mean = math.fsum(float(trade.usd) * float(trade.gpu_hours) for trade in mine) / float(hours)
        yield {
            **stamp.base(graded.grade_id),
            "leg": "traded",
            "owner_group": seller,
            "usd_per_gpu_hour": round_half_even(mean, PRICE_DECIMALS),
            "state": "counted",
            "reason_code": None,
            "weight": _share(share),
            "weight_before_caps": _share(float(hours / leg.gpu_hours)),
            "verified_age_days": min((stamp.day - trade.day).days for trade in mine),
            "item_count": len({trade.item_key for trade in mine}),
            "is_firm": True,
            "routes": "",
            "gpu_hours": hours,
            "is_public": not any(trade.is_confidential for trade in mine),
        }


def contribution_rows(graded: GradeDay, stamp: Stamp, public_routes: frozenset[str]) -> Iterator[Row]:
    """Rows of `contributions`: weight of each owner group on a leg, and how far R moves without it."""
    outcome = graded.outcome
    if outcome.status != "published":
        return
    legs: list[tuple[str, dict[str, float]]] = []
    if outcome.advertised is not None:
        legs.append(("advertised", dict(outcome.advertised.shares)))
    if outcome.traded is not None:
        legs.append(("traded", outcome.traded.seller_shares()))
    routes = {voice.owner_group: voice.route_shares for voice in graded.voices}
    for leg, shares in legs:
        for group, share in sorted(shares.items()):
            yield {
                **stamp.base(graded.grade_id),
                "leg": leg,
                "owner_group": group,
                "weight": _share(share),
                "price_contribution_log": None,
                "leave_one_out": graded.left_out.get(group),
                "is_public": leg == "traded"
                or all(route in public_routes for route in routes.get(group, ())),
            }


def discount_rows(graded: GradeDay, stamp: Stamp, method: Methodology) -> Iterator[Row]:
    """The row of `discounts` of a grade that has pairs or a d: the estimate, or why there is none."""
    found, pairs = graded.outcome.discount, graded.view.pairs
    if found is None and not pairs:
        return
    yield {
        **stamp.base(graded.grade_id),
        "estimate_log": None if found is None else _log(found.log),
        "standard_error": None if found is None else _log(found.standard_error),
        "pair_count": len(pairs) if found is None else found.pairs,
        "seller_count": len({pair.owner_group for pair in pairs}) if found is None else found.sellers,
        "pool": None if found is None else found.origin,
        "reason_code": "too_few_pairs" if found is None else None,
        "valid_from": stamp.day - timedelta(days=method.discount.window_days - 1),
        "valid_to": stamp.day,
    }


def exclusion_rows(graded: GradeDay, stamp: Stamp) -> Iterator[Row]:
    """Rows of `exclusions`, sorted by record and rule."""
    for one in sorted(graded.exclusions, key=lambda e: (e.leg, e.record_id, e.rule_id)):
        yield {
            **stamp.base(graded.grade_id),
            "record_id": one.record_id,
            "owner_group": one.owner_group,
            "leg": one.leg,
            "rule_id": one.rule_id,
            "reason_code": one.reason_code,
            "detail": one.detail,
        }


def _missing(graded: GradeDay) -> dict[str, str]:
    """Column → reason for every column that is empty on this row."""
    outcome, confidence = graded.outcome, graded.confidence
    has_trades = outcome.traded is not None
    reasons = dict.fromkeys(_LATER, "not_in_this_version")
    reasons["cost_of_one_percent_usd"] = "not_in_this_version" if has_trades else "no_trades"
    if outcome.discount is None:
        few = "too_few_pairs" if graded.view.pairs else "no_pairs"
        reasons |= dict.fromkeys(("discount_log", "discount_se"), few)
    if outcome.traded is None:
        reasons["traded_usd_per_gpu_hour"] = "no_trades"
    if outcome.advertised is None:
        reasons["advertised_usd_per_gpu_hour"] = "no_offers"
    if outcome.status != "published":
        columns = ("reference_usd_per_gpu_hour", "cross_section_usd_per_gpu_hour", "index_value", "letter")
        reasons |= dict.fromkeys(columns, outcome.status)
    elif outcome.matched_log is None:
        reasons["matched_change_log"] = "start_or_restart"
    if confidence is not None:
        if confidence.low_log is None:
            modelled = outcome.level >= MODELLED
            reasons["level_ci_low"] = reasons["level_ci_high"] = "modelled" if modelled else "one_owner_group"
        if confidence.half_width_change is None:
            reasons["change_20d_half_width"] = "no_matched_days"
        elif not confidence.is_informative:
            reasons["change_20d_half_width"] = "not_informative"
        if confidence.change_20d is None:
            reasons["change_20d_log"] = "under_21_days_of_history"
    return reasons


def _confidence(graded: GradeDay) -> Row:
    """The three numbers and the letter."""
    found = graded.confidence
    if found is None:
        return {}

    def log(value: float | None) -> Decimal | None:
        return None if value is None else _log(value)

    return {
        "letter": found.letter,
        "level_ci_low": _usd_of_log(found.low_log),
        "level_ci_high": _usd_of_log(found.high_log),
        "change_20d_log": log(found.change_20d),
        "change_20d_half_width": log(found.half_width_change) if found.is_informative else None,
    }


def _shape(graded: GradeDay, method: Methodology) -> Row:
    """Quantiles and concentration of the advertised voices; empty without offers."""
    leg = graded.outcome.advertised
    if leg is None:
        return {}
    prices = [float(voice.usd) for voice in graded.voices]
    weights = [leg.shares[voice.owner_group] for voice in graded.voices]
    shares = sorted(leg.shares.values(), reverse=True)
    return {
        "p25": round_half_even(weighted_quantile(values=prices, weights=weights, share=0.25), USD_DECIMALS),
        "p75": round_half_even(weighted_quantile(values=prices, weights=weights, share=0.75), USD_DECIMALS),
        "effective_n": round_half_even(leg.effective_n, 6),
        "top_share": _log(shares[0]),
        "top5_share": _log(math.fsum(shares[:5])),
        "route_effective_n": round_half_even(leg.effective_routes, 6),
        "top_route_share": _log(leg.top_route_share),
        "owner_cap": _log(cap_for(len(shares), method.voices.cap)),
    }


def _excluded(graded: GradeDay) -> Row:
    """Share of the grade's items that did not count at their own price, and by which rule."""
    if not graded.items:
        return {"share_excluded": None, "share_excluded_json": "{}"}
    by_rule: dict[str, int] = {}
    for one in graded.items:
        if one.state != "counted":
            by_rule[one.rule or one.state] = by_rule.get(one.rule or one.state, 0) + 1
    total = len(graded.items)
    shares = {rule: str(round_half_even(count / total, 6)) for rule, count in sorted(by_rule.items())}
    return {
        "share_excluded": _log(sum(by_rule.values()) / total),
        "share_excluded_json": json.dumps(shares, sort_keys=True, separators=(",", ":")),
    }


def reference_row(graded: GradeDay, stamp: Stamp, method: Methodology) -> Row:
    """The row of `reference_prices`: one for every grade and day, published or withheld."""
    outcome, leg, traded = graded.outcome, graded.outcome.advertised, graded.outcome.traded
    is_published = outcome.status == "published"
    moves = list(graded.left_out.values())
    largest = None
    if is_published and moves and all(move is not None for move in moves):
        largest = max(abs(move) for move in moves if move is not None)
    missing = _missing(graded)
    if largest is None:
        missing["max_leave_one_out"] = "no_reference_without_a_group" if is_published else "withheld"
    offers = outcome.offers
    is_single = outcome.reason == "single_seller" and leg is not None
    return {
        **stamp.base(graded.grade_id),
        "construction": stamp.construction,
        "status": outcome.status,
        "reason_code": outcome.reason,
        "level": outcome.level,
        "reached_level": outcome.raw_level,
        "label": outcome.label,
        "basis": graded.view.basis,
        "flags": ",".join(sorted(outcome.flags)),
        "not_computed": json.dumps(missing, sort_keys=True, separators=(",", ":")),
        "settlement_eligible": graded.is_eligible,
        "reference_usd_per_gpu_hour": _usd_of_log(outcome.reference_log),
        "reference_log": outcome.reference_log,
        "cross_section_usd_per_gpu_hour": _usd_of_log(outcome.cross_section_log),
        "cross_section_log": outcome.cross_section_log,
        "index_value": None
        if outcome.index_log is None
        else round_half_even(method.reference.index_base * math.exp(outcome.index_log), USD_DECIMALS),
        "index_log": outcome.index_log,
        "matched_change_log": outcome.matched_log,
        "advertised_usd_per_gpu_hour": None if leg is None else _usd_of_log(_log(leg.log)),
        "advertised_log": None if leg is None else _log(leg.log),
        "traded_usd_per_gpu_hour": None
        if traded is None or traded.usd is None
        else _usd_of_log(_log(traded.log)),
        "traded_log": None if traded is None or traded.usd is None else _log(traded.log),
        "trade_weight": None if outcome.trade_weight is None else _log(outcome.trade_weight),
        "discount_log": None if outcome.discount is None else _log(outcome.discount.log),
        "discount_se": None if outcome.discount is None else _log(outcome.discount.standard_error),
        "catch_up_log": outcome.catch_up_log,
        "seller_quote_usd_per_gpu_hour": round_half_even(leg.usd, USD_DECIMALS)
        if is_single and leg
        else None,
        "owner_group_count": 0 if offers is None else offers.groups,
        "fresh_group_count": 0 if offers is None else offers.fresh_groups,
        "firm_count": 0 if offers is None else offers.firm_groups,
        "offer_count": sum(one.item.offer_rows for one in graded.items if one.counts),
        "trade_count": 0 if traded is None else traded.trade_count,
        "gpu_hours": Decimal(0) if traded is None else traded.gpu_hours,
        "trade_window_days": None if traded is None else traded.window_days,
        "max_leave_one_out": largest,
        "buyer_cap": None if traded is None else _log(traded.buyer_cap),
        "prices_changed_20d": sum(count for _, _, count in graded.state.changes),
        "matched_groups": 0 if outcome.matched is None else len(outcome.matched.groups),
        "last_published_day": outcome.last_published,
        "series_started_on": graded.state.main.started if is_published else None,
        "methodology_version": method.version,
        "register_version": stamp.register_version,
        "published_at": at_utc(stamp.day, method.time.provisional_hour_utc),
        **_confidence(graded),
        **_shape(graded, method),
        **_excluded(graded),
    }
