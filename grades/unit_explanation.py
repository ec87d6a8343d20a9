"""Why an operator has its tier in a service scope on a day: what was looked at, what it weighed, what is missing.

Reviews happen on the first of each month, so a day is explained by the review before it. Everything is taken from
the register files, by the same functions that make the tiers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from gpurent.core.errors import NotFoundError, UsageError
from grades.assessment import (
    Assessment,
    CategoryAssessment,
    Evidence,
    assess,
    counts,
    is_for,
    known_result,
    usable,
    weight_of,
)
from grades.records import Criterion, EvidenceItem, EvidenceSource, TierScheme
from grades.register_files import Registers
from grades.tiers import Tier, cited_evidence, grade_units


@dataclass(frozen=True, slots=True)
class ItemShown:
    """One item of evidence and what it weighs at the review; `why_not` where it does not count."""

    item: EvidenceItem
    page: EvidenceSource
    criterion: str | None
    age_days: int | None
    weight: float | None
    why_not: str | None


@dataclass(frozen=True, slots=True)
class CriterionShown:
    """A criterion that is asked of the scope: its known weight and result (0 to 1), None where nothing is known."""

    id: str
    category: str
    says: str
    is_critical: bool
    known_weight: float | None
    result: float | None


@dataclass(frozen=True, slots=True)
class UnitExplanation:
    """An operator in a scope at the review that holds on a day. `assessment` is None where nothing counts."""

    operator_id: str
    scope: str
    day: date
    review: date
    tier: Tier
    assessment: Assessment | None
    categories: Mapping[str, CategoryAssessment]
    criteria: Sequence[CriterionShown]
    items: Sequence[ItemShown]
    peers: int
    scheme: TierScheme

    @property
    def missing(self) -> list[CriterionShown]:
        """Criteria of which nothing is known."""
        return [one for one in self.criteria if one.known_weight is None]


def explain_unit(registers: Registers, operator_id: str, scope: str, day: date) -> UnitExplanation:
    """Explain a tier. NotFoundError for an unknown operator, UsageError for a scope that is not rated."""
    if operator_id not in registers.operators:
        known = registers.operator_id(operator_id)
        advice = f"did you mean {known}?" if known else "`gpurent operator list` prints the operators"
        raise NotFoundError(f"no operator {operator_id!r}; {advice}")
    scheme = registers.scheme
    check_scope(scheme, scope)
    review = day.replace(day=1)
    cited = cited_evidence(registers.evidence)
    own = [entry for entry in cited if entry.operator_id == operator_id]
    units = units_at(scheme, cited, scope, review)
    tiers = grade_units(scheme, units)
    criteria = [one for one in scheme.criterion if is_for(one, scope)]
    counted = [entry for entry in own if counts(scheme, scope, entry, review)]
    shown = [_criterion(scheme, criterion, counted, review) for criterion in criteria]
    return UnitExplanation(
        operator_id=operator_id,
        scope=scope,
        day=day,
        review=review,
        tier=tiers.get(operator_id, Tier("NR", False, "no_evidence")),
        assessment=units.get(operator_id),
        categories={
            category.id: CategoryAssessment.of(
                [
                    (one.known_weight, one.result)
                    for one in shown
                    if one.category == category.id and one.known_weight is not None and one.result is not None
                ],
                sum(1 for one in shown if one.category == category.id),
            )
            for category in scheme.category
        },
        criteria=[one for one in shown if one.category in {category.id for category in scheme.category}],
        items=_items(registers, operator_id, scope, review, own),
        peers=sum(1 for tier in tiers.values() if tier.tier in ("T1", "T2", "T3", "T4")),
        scheme=scheme,
    )


def check_scope(scheme: TierScheme, scope: str) -> None:
    """UsageError for a scope in which nobody is rated, with those there are."""
    if scope not in scheme.scopes.rated:
        raise UsageError(f"{scope!r} is no scope that is rated; there are {', '.join(scheme.scopes.rated)}")


def units_at(
    scheme: TierScheme, cited: Iterable[Evidence], scope: str, review: date
) -> dict[str, Assessment]:
    """Operator → assessment in a scope at a review, for those of whom something counts; ordered by operator."""
    by_operator: dict[str, list[Evidence]] = {}
    for entry in cited:
        if entry.item.scope == scope:
            by_operator.setdefault(entry.operator_id, []).append(entry)
    return {
        operator: assess(scheme, scope, entries, review)
        for operator, entries in sorted(by_operator.items())
        if any(counts(scheme, scope, entry, review) for entry in entries)
    }


def _criterion(
    scheme: TierScheme, criterion: Criterion, counted: Sequence[Evidence], review: date
) -> CriterionShown:
    entries = usable(scheme, [entry for entry in counted if entry.item.criterion in criterion.evidence])
    known = known_result(scheme, entries, review)
    return CriterionShown(
        id=criterion.id,
        category=criterion.category,
        says=criterion.says,
        is_critical=criterion.is_critical,
        known_weight=None if known is None else known[0],
        result=None if known is None else known[1],
    )


def _items(
    registers: Registers, operator_id: str, scope: str, review: date, own: Sequence[Evidence]
) -> list[ItemShown]:
    """All items of the operator in the scope, those that count first, the heaviest before the lighter."""
    scheme = registers.scheme
    by_item = {
        name: criterion
        for criterion in scheme.criterion
        if is_for(criterion, scope)
        for name in criterion.evidence
    }
    found = []
    for file in registers.evidence:
        if file.operator_id != operator_id:
            continue
        for page in file.source:
            for item in page.items:
                if item.scope == scope:
                    criterion = by_item.get(item.criterion)
                    found.append(_item(scheme, operator_id, item, page, criterion, review, own))
    return sorted(
        found,
        key=lambda one: (
            one.why_not is not None,
            -(one.weight or 0.0),
            one.item.category,
            one.item.criterion,
            one.page.url,
            one.item.value or "",
        ),
    )


def _item(
    scheme: TierScheme,
    operator_id: str,
    item: EvidenceItem,
    page: EvidenceSource,
    criterion: Criterion | None,
    review: date,
    own: Sequence[Evidence],
) -> ItemShown:
    observed = page.observed_on
    name = None if criterion is None else criterion.id
    if observed is None:
        return ItemShown(item, page, name, None, None, "uncited: the page has no date")
    entry = Evidence(operator_id, item, page, observed)
    why_not = _why_not(scheme, entry, criterion, review)
    if why_not is None and criterion is not None and page.source_class == "customer":
        said = [
            one
            for one in own
            if one.item.criterion in criterion.evidence and counts(scheme, item.scope, one, review)
        ]
        if entry not in usable(scheme, said):
            why_not = f"fewer than {scheme.least_customer_reports} customers say something"
    age = (review - observed).days
    weight = None if why_not else weight_of(scheme, entry, review)
    return ItemShown(item, page, name, max(age, 0), weight, why_not)


def _why_not(scheme: TierScheme, entry: Evidence, criterion: Criterion | None, review: date) -> str | None:
    item = entry.item
    if criterion is None:
        return "no criterion of this scope asks for it"
    if entry.observed_on > review:
        return "later than the review"
    if item.expires_on is not None and item.expires_on <= review:
        return f"ran out on {item.expires_on}"
    if item.confidence < scheme.least_confidence:
        return "read too weakly"
    if not counts(scheme, item.scope, entry, review):
        return f"says nothing either way ({item.result.replace('_', ' ')})"
    return None


def missing_coverage(explanation: UnitExplanation) -> list[tuple[str, float, float]]:
    """Name, known share and share needed, for each part of the gate that is not passed."""
    gate = explanation.scheme.gate
    unit = explanation.assessment
    parts = [
        ("overall", unit.coverage if unit else 0.0, gate.overall),
        *(
            (name, unit.by_category.get(name, 0.0) if unit else 0.0, needed)
            for name, needed in (("security", gate.security), ("reliability", gate.reliability))
        ),
    ]
    return [
        (name, have, needed)
        for name, have, needed in parts
        if have < needed and not math.isclose(have, needed)
    ]
