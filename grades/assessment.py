"""What the evidence about one operator in one service scope amounts to on a day: score, bounds and coverage.

Pure: evidence in, numbers out. Nothing known later than the day, and nothing of another scope, is looked at.
Parameters are those of `tier_scheme.toml`; the specification is section 3.5, points 2 to 5.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from grades.records import Category, Criterion, EvidenceItem, EvidenceSource, Result, TierScheme

DAYS_PER_MONTH = 365.2425 / 12
_RESULTS: Mapping[Result, float] = {"pass": 1.0, "part": 0.5, "fail": 0.0}


@dataclass(frozen=True, slots=True)
class Evidence:
    """One cited item: who, in which scope, and on which page of which day it stands."""

    operator_id: str
    item: EvidenceItem
    page: EvidenceSource
    observed_on: date


@dataclass(frozen=True, slots=True)
class Assessment:
    """Shares between 0 and 1. `score` is None where nothing that counts is known.

    `low` and `high` take what is not known as failed and as passed. `coverage` is the known weight over all,
    `by_category` the same within a category. `evidence_count` is the number of items that counted.
    """

    score: float | None
    low: float
    high: float
    coverage: float
    by_category: Mapping[str, float]
    has_critical_failing: bool
    is_testable: bool
    is_synthetic: bool
    evidence_count: int


def assess(scheme: TierScheme, scope: str, evidence: Iterable[Evidence], day: date) -> Assessment:
    """The assessment of one unit on `day`. `evidence` may hold other scopes and later pages: they do not count."""
    counted = [entry for entry in evidence if counts(scheme, scope, entry, day)]
    by_criterion = {
        criterion.id: usable(scheme, [e for e in counted if e.item.criterion in criterion.evidence])
        for criterion in scheme.criterion
    }
    categories = []
    for category in scheme.category:
        criteria = [c for c in scheme.criterion if c.category == category.id and is_for(c, scope)]
        known = [known_result(scheme, by_criterion[c.id], day) for c in criteria]
        categories.append((category, CategoryAssessment.of([pair for pair in known if pair], len(criteria))))
    used = {id(entry) for entries in by_criterion.values() for entry in entries}
    return Assessment(
        score=_mean([(c, found.score) for c, found in categories if found.score is not None]),
        low=_mean([(c, found.low) for c, found in categories]) or 0.0,
        high=_mean([(c, found.high) for c, found in categories]) or 0.0,
        coverage=_mean([(c, found.coverage) for c, found in categories]) or 0.0,
        by_category={c.id: found.coverage for c, found in categories},
        has_critical_failing=any(
            criterion.is_critical and is_for(criterion, scope) and _newest_fails(by_criterion[criterion.id])
            for criterion in scheme.criterion
        ),
        is_testable=not _newest_fails(by_criterion.get("testable", [])),
        is_synthetic=any(entry.page.is_synthetic for entry in counted if id(entry) in used),
        evidence_count=len(used),
    )


def counts(scheme: TierScheme, scope: str, entry: Evidence, day: date) -> bool:
    """Whether an item counts for a unit on a day: its own scope, known by then, not run out, read well enough."""
    item = entry.item
    return (
        item.scope == scope
        and entry.observed_on <= day
        and (item.expires_on is None or item.expires_on > day)
        and item.confidence >= scheme.least_confidence
        and item.result in _RESULTS
    )


@dataclass(frozen=True, slots=True)
class CategoryAssessment:
    """Shares of one category; `score` is None where nothing of it is known."""

    score: float | None
    low: float
    high: float
    coverage: float

    @classmethod
    def of(cls, known: list[tuple[float, float]], criteria: int) -> CategoryAssessment:
        """From (known weight, result) pairs of the criteria known, out of `criteria` in all."""
        weight = math.fsum(w for w, _ in known)
        passed = math.fsum(w * result for w, result in known)
        if criteria == 0:
            return cls(None, 0.0, 1.0, 0.0)
        return cls(
            score=passed / weight if weight else None,
            low=passed / criteria,
            high=(passed + criteria - weight) / criteria,
            coverage=weight / criteria,
        )


def is_for(criterion: Criterion, scope: str) -> bool:
    """Whether a criterion is asked of a scope."""
    return not criterion.scopes or scope in criterion.scopes


def usable(scheme: TierScheme, entries: list[Evidence]) -> list[Evidence]:
    """Customers' reports count together or not at all: a few of them prove nothing."""
    reports = {entry.page.url for entry in entries if entry.page.source_class == "customer"}
    if len(reports) >= scheme.least_customer_reports:
        return entries
    return [entry for entry in entries if entry.page.source_class != "customer"]


def known_result(scheme: TierScheme, entries: list[Evidence], day: date) -> tuple[float, float] | None:
    """Known weight (that of the best item, aged) and mean result of one criterion; None without items."""
    if not entries:
        return None
    weights = [weight_of(scheme, entry, day) for entry in entries]
    total = math.fsum(weights)
    result = math.fsum(w * _RESULTS[e.item.result] for w, e in zip(weights, entries, strict=True)) / total
    return min(1.0, max(weights)), result


def weight_of(scheme: TierScheme, entry: Evidence, day: date) -> float:
    """The weight of an item on a day: that of its page's class, halved every half life."""
    months = (day - entry.observed_on).days / DAYS_PER_MONTH
    return float(scheme.class_weights[entry.page.source_class] * 0.5 ** (months / scheme.half_life_months))


def _newest_fails(entries: list[Evidence]) -> bool:
    """A failing stands until a newer item says it is mended; of two pages of one day the worse one is believed."""
    newest = max((entry.observed_on for entry in entries), default=None)
    return any(entry.observed_on == newest and entry.item.result == "fail" for entry in entries)


def _mean(values: list[tuple[Category, float]]) -> float | None:
    total = math.fsum(category.weight for category, _ in values)
    if not total:
        return None
    return math.fsum(category.weight * value for category, value in values) / total
