"""The shapes of the register files: operators, specifications, evidence, the tier scheme."""

from __future__ import annotations

import calendar
import re
from datetime import date
from typing import Annotated, Literal

from pydantic import Field, field_validator

from grades.words import Names, Url, Words

OperatorClass = Literal["HYP", "NEO", "MKT", "RES", "UNK"]
Result = Literal["pass", "part", "fail", "unknown", "not_applicable"]
SourceClass = Literal[
    "own_test", "independent_test", "attestation", "contract", "customer", "document", "press", "marketing"
]
Scope = Literal["VM", "BM", "MK", "MS", "CT", "MI", "MK+MS", "ZZ"]
Slug = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]*$")]
Share = Annotated[float, Field(ge=0, le=1)]
_PARTIAL_DATE = re.compile(r"^(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?$")


def end_of(dated: str) -> date:
    """The day by which a page dated YYYY, YYYY-MM or YYYY-MM-DD was there: the last day of what is named."""
    match = _PARTIAL_DATE.match(dated)
    if match is None:
        raise ValueError(f"{dated!r} is no date: write YYYY-MM-DD, YYYY-MM or YYYY")
    year, month = int(match[1]), int(match[2] or 12)
    return date(year, month, int(match[3]) if match[3] else calendar.monthrange(year, month)[1])


class OperatorFact(Words):
    """Class and owner of an operator as a page states them. Without a url or a day it is uncited."""

    operator_class: OperatorClass
    owner_group: Slug
    country: Annotated[str, Field(pattern=r"^[A-Z]{2}$")] | None = None
    url: Url | None = None
    observed_on: date | None = None
    valid_from: date | None = None
    valid_to: date | None = None
    note: str = ""

    @property
    def is_cited(self) -> bool:
        return self.url is not None and self.observed_on is not None


class Operator(Words):
    """An operator, the names sources use for it (by origin) and what is known of it."""

    operator_id: Slug
    name: str
    read_on: date
    names: Names = Field(default_factory=dict)
    fact: list[OperatorFact] = Field(default_factory=list)


class OperatorsFile(Words):
    operator: list[Operator]


class Spec(Words):
    """One version of a specification. `accepts` lists values where the code's own is not the only one."""

    spec_id: Annotated[str, Field(pattern=r"^spec_[a-z0-9]+$")]
    code: str
    version: Annotated[str, Field(pattern=r"^\d{4}\.\d+$")]
    title: str
    parent: str | None = None
    status: Literal["active", "proposed", "retired"]
    valid_from: date
    valid_to: date | None = None
    accepts: dict[str, list[str]] = Field(default_factory=dict)
    grades: dict[str, Annotated[str, Field(pattern=r"^grd_[a-z0-9]+$")]]


class SpecsFile(Words):
    spec: list[Spec]


class AnyFile(Words):
    any: dict[str, list[str]]


class EvidenceItem(Words):
    """What one page says on one criterion in one scope. `confidence`: 3 read plainly, 2 second-hand, 1 weak."""

    scope: Scope
    category: str
    criterion: str
    result: Result
    value: str | None = None
    unit: str | None = None
    confidence: Literal[1, 2, 3]
    expires_on: date | None = None


class EvidenceSource(Words):
    """A page and what it says. `dated` is the page's date, as exact as it prints it; without one it is uncited."""

    url: Url
    dated: str | None = None
    source_class: SourceClass = Field(alias="class")
    origin: str
    is_synthetic: bool = False
    items: list[EvidenceItem]

    @field_validator("dated")
    @classmethod
    def _is_a_date(cls, dated: str | None) -> str | None:
        if dated is not None:
            end_of(dated)
        return dated

    @property
    def observed_on(self) -> date | None:
        return end_of(self.dated) if self.dated else None


class EvidenceFile(Words):
    operator_id: Slug
    source: list[EvidenceSource]


class Gate(Words):
    """Least coverage, as shares of the known weight."""

    overall: Share
    security: Share
    reliability: Share
    provisional_overall: Share


class Criterion(Words):
    """A criterion and the names of the items that state it; no `scopes` means all rated ones."""

    id: str
    category: str
    says: str
    evidence: list[str]
    scopes: list[str] = Field(default_factory=list)
    is_critical: bool = False


class Category(Words):
    id: str
    weight: Annotated[float, Field(gt=0)]


class RatedScopes(Words):
    rated: list[str]


class TierScheme(Words):
    """Parameters of the tiers; the file says what each means."""

    version: str
    valid_from: date
    half_life_months: Annotated[float, Field(gt=0)]
    least_confidence: int
    least_customer_reports: int
    least_peers: int
    cut_percentiles: Annotated[list[float], Field(min_length=3, max_length=3)]
    gate: Gate
    class_weights: dict[SourceClass, Share]
    scopes: RatedScopes
    criterion: list[Criterion]
    category: list[Category]
