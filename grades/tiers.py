"""Operator tiers: from cited evidence to T1–T4, U, NR or NT, one row per change, in knowledge time.

Reviews happen on the first of each month. A unit (operator x scope) gets a row when a review finds new evidence or
another tier; the row holds from that day on and was known from that day on. A tier is never carried to another
scope, and later knowledge makes a new row.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from gpurent.core.clock import at_utc
from gpurent.core.ids import sha256_hex
from grades.assessment import Assessment, Evidence, assess, counts
from grades.records import EvidenceFile, TierScheme

TIERS = ("T1", "T2", "T3", "T4")


@dataclass(frozen=True, slots=True)
class Tier:
    """A unit's tier at a review. `reason` is a code, with figures behind it where they explain it."""

    tier: str
    is_provisional: bool
    reason: str


def cited_evidence(files: Iterable[EvidenceFile]) -> list[Evidence]:
    """Items with an address and a date; the others count for nothing."""
    return [
        Evidence(file.operator_id, item, page, page.observed_on)
        for file in files
        for page in file.source
        if page.observed_on is not None
        for item in page.items
    ]


def grade_units(scheme: TierScheme, units: Mapping[str, Assessment]) -> dict[str, Tier]:
    """Tiers of all units of one scope at one review, by operator.

    Cuts are percentiles of the scores of units that pass the gate or the provisional one; with fewer than the
    scheme's least number of them there are scores and no tiers.
    """
    gated = {operator: _gate(scheme, unit) for operator, unit in units.items()}
    scores = [
        unit.score
        for operator, unit in sorted(units.items())
        if gated[operator].tier == "" and unit.score is not None
    ]
    has_peers = len(scores) >= scheme.least_peers
    cuts = [percentile(scores, share) for share in scheme.cut_percentiles] if has_peers else []
    return {
        operator: _placed(scheme, unit, gated[operator], cuts, len(scores))
        for operator, unit in units.items()
    }


def percentile(values: Iterable[float], share: float) -> float:
    """The `share`-th percentile (0 to 100), linear between order statistics; ValueError for no values."""
    ordered = sorted(values)
    if not ordered:
        raise ValueError("a percentile of nothing")
    position = share / 100 * (len(ordered) - 1)
    below = int(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (position - below)


def _gate(scheme: TierScheme, unit: Assessment) -> Tier:
    """What coverage and failings alone decide; an empty tier means that the score decides."""
    gate = scheme.gate
    security = unit.by_category.get("security", 0.0)
    reliability = unit.by_category.get("reliability", 0.0)
    if unit.has_critical_failing:
        return Tier("U", False, "critical_failing")
    if not unit.is_testable:
        return Tier("NT", False, "not_testable")
    if unit.coverage < gate.provisional_overall:
        figures = f"overall {unit.coverage:.3f}, security {security:.3f}, reliability {reliability:.3f}"
        return Tier("NR", False, f"coverage_below_gate: {figures}")
    is_full = unit.coverage >= gate.overall and security >= gate.security and reliability >= gate.reliability
    return Tier("", not is_full, "rated" if is_full else "provisional_coverage")


def _placed(scheme: TierScheme, unit: Assessment, gated: Tier, cuts: list[float], peers: int) -> Tier:
    if gated.tier:
        return gated
    if not cuts or unit.score is None:
        return Tier("NR", False, f"too_few_peers: {peers} of {scheme.least_peers}")
    place = next((i for i, cut in enumerate(cuts) if unit.score >= cut), len(cuts))
    return Tier(TIERS[place], gated.is_provisional, gated.reason)


def tier_rows(scheme: TierScheme, files: Iterable[EvidenceFile], until: date) -> Iterator[dict[str, object]]:
    """Rows of `operator_tiers` for every review up to `until`, without `known_at`; ordered by scope and day."""
    evidence = cited_evidence(files)
    for scope in scheme.scopes.rated:
        by_operator: dict[str, list[Evidence]] = defaultdict(list)
        for entry in evidence:
            if entry.item.scope == scope:
                by_operator[entry.operator_id].append(entry)
        if by_operator:
            yield from _rows_of_scope(scheme, scope, by_operator, until)


def _rows_of_scope(
    scheme: TierScheme, scope: str, by_operator: Mapping[str, list[Evidence]], until: date
) -> Iterator[dict[str, object]]:
    last: dict[str, tuple[Tier, int]] = {}
    first = min(entry.observed_on for entries in by_operator.values() for entry in entries)
    for review in reviews(first, until):
        units = {
            operator: assess(scheme, scope, entries, review)
            for operator, entries in sorted(by_operator.items())
            if any(counts(scheme, scope, entry, review) for entry in entries)
        }
        for operator, tier in sorted(grade_units(scheme, units).items()):
            unit = units[operator]
            now = (Tier(tier.tier, tier.is_provisional, ""), unit.evidence_count)
            if last.get(operator) != now:
                last[operator] = now
                yield _row(scheme, operator, scope, unit, tier, review)


def reviews(first: date, until: date) -> Iterator[date]:
    """First days of months after `first` and not after `until`."""
    year, month = first.year, first.month
    while True:
        year, month = (year + 1, 1) if month == 12 else (year, month + 1)
        review = date(year, month, 1)
        if review > until:
            return
        yield review


def _row(
    scheme: TierScheme, operator_id: str, scope: str, unit: Assessment, tier: Tier, review: date
) -> dict[str, object]:
    row: dict[str, object] = {
        "operator_id": operator_id,
        "scope": scope,
        "tier": tier.tier,
        "is_provisional": tier.is_provisional,
        "is_synthetic": unit.is_synthetic,
        "score": _rounded(unit.score),
        "score_low": _rounded(unit.low),
        "score_high": _rounded(unit.high),
        "coverage": _rounded(unit.coverage),
        "reason": tier.reason,
        "valid_from": review,
        "valid_to": None,
        "available_at": at_utc(review, 0),
        "superseded_at": None,
        "scheme_version": scheme.version,
    }
    return {**row, "record_sha256": sha256_hex(json.dumps(row, sort_keys=True, default=str).encode())}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)
