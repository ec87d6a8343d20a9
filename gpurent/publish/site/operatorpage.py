"""The pages of operators: who each is, its tiers, the evidence behind them, and where it is a voice today."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import groupby

from gpurent.publish.site.figures import share, shown
from gpurent.publish.site.front import code_of
from gpurent.publish.site.names import anchor, grade_page, operator_page
from gpurent.publish.site.reading import Row, Rows, SiteData
from gpurent.publish.words import in_words, rules_in_words, tier_reason, value_in_words
from grades.records import Criterion, TierScheme


@dataclass(frozen=True, slots=True)
class Tier:
    """The tier of an operator in a service scope."""

    scope: str
    scope_words: str
    tier: str
    words: str
    why: str
    score: str
    coverage: str
    since: object
    is_synthetic: bool


@dataclass(frozen=True, slots=True)
class Evidence:
    """One statement of a page on one criterion. `counts` is False for what is uncited or asked by no criterion."""

    row: Row
    criterion: str
    says: str
    result: str
    value: str
    source_class: str
    counts: bool


@dataclass(frozen=True, slots=True)
class VoiceOf:
    """A grade in which the operator's owner group is a voice today, under its own name."""

    code: str
    title: str
    page: str
    price: str
    weight: str
    state: str
    why: str


class OperatorPage:
    """Everything the template shows of one operator."""

    def __init__(self, site: SiteData, operator: Row, members: Sequence[Row], scheme: TierScheme) -> None:
        self._site = site
        self.operator = operator
        self.operator_id: str = operator["operator_id"]
        self.name: str = operator["name"]
        self.page = operator_page(self.operator_id)
        self._members = members
        self._scheme = scheme

    @property
    def class_words(self) -> str:
        return in_words("classes", self.operator["operator_class"] or "UNK")

    @property
    def others(self) -> list[tuple[str, str]]:
        """Name and page of the other operators of the same owner."""
        return [
            (row["name"], operator_page(row["operator_id"]))
            for row in self._members
            if row["operator_id"] != self.operator_id
        ]

    @property
    def group_anchor(self) -> str:
        return anchor(self.operator["owner_group"])

    @cached_property
    def tiers(self) -> list[Tier]:
        return [
            Tier(
                scope=row["scope"],
                scope_words=value_in_words("scope", row["scope"]),
                tier=row["tier"],
                words=in_words("tiers", row["tier"]) + (", provisional" if row["is_provisional"] else ""),
                why=tier_reason(row["reason"]),
                score=share(_decimal(row["score"])),
                coverage=share(_decimal(row["coverage"])),
                since=row["valid_from"],
                is_synthetic=row["is_synthetic"],
            )
            for row in self._site.tiers.get(self.operator_id, [])
        ]

    @property
    def tier_words(self) -> str:
        """The tiers in a few words, for the list of operators."""
        return ", ".join(f"{tier.scope} {tier.tier}" for tier in self.tiers)

    @cached_property
    def evidence(self) -> list[tuple[str, list[Evidence]]]:
        """Evidence by service scope, in words."""
        rows = self._site.evidence.get(self.operator_id, [])
        return [
            (scope, [self._evidence(row) for row in group])
            for scope, group in groupby(rows, key=lambda row: row["scope"])
        ]

    @property
    def evidence_count(self) -> int:
        return sum(len(rows) for _, rows in self.evidence)

    def scope_words(self, scope: str) -> str:
        """A scope of evidence in words; some pages speak of two scopes, or of none in particular."""
        if scope == "ZZ":
            return "no scope in particular"
        return " and ".join(value_in_words("scope", part) for part in scope.split("+"))

    def _evidence(self, row: Row) -> Evidence:
        criterion = self._criterion(row)
        value = " ".join(str(part) for part in (row["value"], row["unit"]) if part)
        is_read = row["confidence"] >= self._scheme.least_confidence
        return Evidence(
            row=row,
            criterion=(criterion.id if criterion else row["criterion"]).replace("_", " "),
            says=criterion.says if criterion else "",
            result=in_words("results", row["result"]),
            value=value,
            source_class=in_words("source_classes", row["source_class"]),
            counts=bool(row["is_cited"]) and criterion is not None and is_read,
        )

    def _criterion(self, row: Row) -> Criterion | None:
        return next(
            (
                one
                for one in self._scheme.criterion
                if row["criterion"] in one.evidence and (not one.scopes or row["scope"] in one.scopes)
            ),
            None,
        )

    @cached_property
    def voices(self) -> list[VoiceOf]:
        """Where it is a voice today, of those that may be named."""
        group = self.operator["owner_group"]
        found = []
        for grade_id in dict.fromkeys(row["grade_id"] for row in self._items):
            voice = next(
                row
                for row in self._site.voices[grade_id]
                if row["owner_group"] == group and row["leg"] == "advertised" and row["is_public"]
            )
            price = self._site.series[grade_id][-1]
            found.append(
                VoiceOf(
                    code=code_of(price),
                    title=price["grade_title"] or code_of(price),
                    page=grade_page(code_of(price)),
                    price=shown(voice["usd_per_gpu_hour"], 4),
                    weight=share(voice["weight"], 1),
                    state=in_words("states", voice["state"]),
                    why=rules_in_words(voice["reason_code"]),
                )
            )
        return sorted(found, key=lambda one: one.code)

    @cached_property
    def routes(self) -> list[Row]:
        """The sources its named offers reached us by today."""
        by_id = {source["source_id"]: source for source in self._site.sources}
        found = dict.fromkeys(row["route"] for row in self._items)
        return sorted((by_id[route] for route in found if route in by_id), key=lambda source: source["title"])

    @property
    def _items(self) -> list[Row]:
        group = self.operator["owner_group"]
        return [
            row for row in self._site.operator_items.get(self.operator_id, []) if row["owner_group"] == group
        ]


def make_operator_pages(site: SiteData, scheme: TierScheme) -> list[OperatorPage]:
    """A page for every operator of the register, by name."""
    groups: Rows = _by_group(site.operators)
    return [OperatorPage(site, row, groups[row["owner_group"]], scheme) for row in site.operators]


def _by_group(operators: Sequence[Row]) -> Mapping[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in operators:
        found.setdefault(row["owner_group"], []).append(row)
    return found


def _decimal(value: float | None) -> Decimal | None:
    return None if value is None else Decimal(repr(value))
