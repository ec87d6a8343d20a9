"""Tiers: weights, gate, peers, cuts, failings, and that no scope borrows from another."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime

import pytest

from grades.assessment import Assessment, Evidence, assess
from grades.match import match_axes
from grades.records import EvidenceFile, EvidenceItem, EvidenceSource, TierScheme
from grades.register_files import load_registers
from grades.tiers import cited_evidence, grade_units, percentile, reviews, tier_rows
from warehouse import Warehouse

DAY = date(2026, 7, 1)


@pytest.fixture(scope="module")
def scheme() -> TierScheme:
    return load_registers().scheme


def item(criterion: str, result: str = "pass", *, category: str = "security", source: str = "own_test",
         observed: date = DAY, scope: str = "VM", confidence: int = 3, url: str = "https://example.org/t",
         operator: str = "one", **more: object) -> Evidence:  # fmt: skip
    stated = EvidenceItem.model_validate(
        {
            "scope": scope,
            "category": category,
            "criterion": criterion,
            "result": result,
            "confidence": confidence,
        }
        | more
    )
    page = EvidenceSource.model_validate(
        {"url": url, "dated": observed.isoformat(), "class": source, "origin": "test", "items": []}
    )
    return Evidence(operator, stated, page, observed)


def everything(
    scheme: TierScheme, scope: str = "VM", *, share: float = 1.0, **given: object
) -> Iterator[Evidence]:
    """One item for each of the first `share` of the criteria of every category that count in the scope."""
    for category in scheme.category:
        criteria = [
            c for c in scheme.criterion if c.category == category.id and (not c.scopes or scope in c.scopes)
        ]
        for criterion in criteria[: round(len(criteria) * share)]:
            yield item(criterion.evidence[0], scope=scope, category=category.id, **given)  # type: ignore[arg-type]


def test_a_unit_known_in_everything_by_own_tests_of_today(scheme: TierScheme) -> None:
    unit = assess(scheme, "VM", everything(scheme), DAY)
    assert unit.coverage == pytest.approx(1.0)
    assert unit.score == 1.0
    assert [unit.low, unit.high] == pytest.approx([1.0, 1.0])
    assert not unit.has_critical_failing


def test_nothing_known_is_neither_good_nor_bad(scheme: TierScheme) -> None:
    unit = assess(scheme, "VM", [], DAY)
    assert unit.score is None
    assert [unit.coverage, unit.low, unit.high] == pytest.approx([0.0, 0.0, 1.0])
    assert grade_units(scheme, {"one": unit})["one"].tier == "NR"


@pytest.mark.parametrize(
    ("source", "weight"),
    [("own_test", 1.0), ("independent_test", 0.8), ("attestation", 0.7), ("contract", 0.6), ("document", 0.2),
     ("press", 0.2), ("marketing", 0.2)],
)  # fmt: skip
def test_class_weights_and_their_halving_in_twelve_months(
    scheme: TierScheme, source: str, weight: float
) -> None:
    security = [
        c for c in scheme.criterion if c.category == "security" and (not c.scopes or "VM" in c.scopes)
    ]
    fresh = assess(scheme, "VM", [item("tenant_isolation", source=source)], DAY)
    old = assess(scheme, "VM", [item("tenant_isolation", source=source, observed=date(2025, 7, 1))], DAY)
    assert fresh.by_category["security"] == pytest.approx(weight / len(security))
    assert old.by_category["security"] == pytest.approx(weight / len(security) / 2, rel=1e-3)
    # the weight of an item does not make its result better or worse
    assert fresh.score == old.score == 1.0


def test_many_weak_items_make_no_strong_one(scheme: TierScheme) -> None:
    one = assess(scheme, "VM", [item("soc2", source="document")], DAY)
    many = assess(
        scheme, "VM", [item("soc2", source="document", url=f"https://e.org/{n}") for n in range(9)], DAY
    )
    assert many.coverage == one.coverage


def test_results_of_one_criterion_are_weighted(scheme: TierScheme) -> None:
    unit = assess(scheme, "VM", [item("soc2", "pass"), item("soc2", "fail", source="marketing")], DAY)
    assert unit.score == pytest.approx(1.0 / 1.2)
    assert assess(scheme, "VM", [item("soc2", "part")], DAY).score == 0.5


def test_customers_reports_count_from_three_independent_ones_on(scheme: TierScheme) -> None:
    reports = [
        item("burn_in", category="reliability", source="customer", url=f"https://e.org/{n}") for n in range(3)
    ]
    assert assess(scheme, "VM", reports[:2], DAY).coverage == 0.0
    assert assess(scheme, "VM", [reports[0]] * 5, DAY).coverage == 0.0
    assert assess(scheme, "VM", reports, DAY).coverage > 0.0


@pytest.mark.parametrize(
    "ignored",
    [
        item("soc2", scope="BM"),
        item("soc2", scope="MK+MS"),
        item("soc2", scope="ZZ"),
        item("soc2", observed=date(2026, 7, 2)),
        item("soc2", confidence=1),
        item("soc2", "unknown"),
        item("soc2", "not_applicable"),
        item("soc2", expires_on=date(2026, 7, 1)),
        item("clustermax_2_0", category="external_rating"),
        item("attr_fleet", category="availability"),
    ],
    ids=lambda entry: f"{entry.item.criterion} {entry.item.scope} {entry.item.result} {entry.observed_on}",
)
def test_what_does_not_count(scheme: TierScheme, ignored: Evidence) -> None:
    for scope in ("VM", "MK", "MS"):
        if ignored.item.scope != scope:
            assert assess(scheme, scope, [ignored], DAY).evidence_count == 0
    assert assess(scheme, "VM", [ignored], DAY).score is None


def unit(score: float, coverage: float = 1.0, **more: object) -> Assessment:
    base = Assessment(
        score, 0.0, 1.0, coverage, {"security": coverage, "reliability": coverage}, False, True, False, 1
    )
    return Assessment(**({field: getattr(base, field) for field in base.__slots__} | more))


def test_percentiles_cut_the_peers_into_four_tiers(scheme: TierScheme) -> None:
    units = {f"o{n}": unit(n / 8) for n in range(9)}
    tiers = {operator: tier.tier for operator, tier in grade_units(scheme, units).items()}
    assert [tiers[f"o{n}"] for n in range(9)] == ["T4", "T4", "T3", "T3", "T2", "T2", "T1", "T1", "T1"]
    assert percentile([0.0, 1.0], 75) == 0.75
    assert percentile([3.0], 25) == 3.0
    with pytest.raises(ValueError, match="of nothing"):
        percentile([], 50)


def test_fewer_than_eight_peers_have_scores_and_no_tiers(scheme: TierScheme) -> None:
    units = {f"o{n}": unit(n / 8) for n in range(7)}
    found = grade_units(scheme, units)
    assert {tier.tier for tier in found.values()} == {"NR"}
    assert found["o0"].reason == "too_few_peers: 7 of 8"


@pytest.mark.parametrize(
    ("given", "tier", "is_provisional"),
    [
        ({"coverage": 0.34}, "NR", False),
        ({"coverage": 0.35}, "T1", True),
        ({"coverage": 0.59}, "T1", True),
        ({"coverage": 0.60}, "T1", False),
        ({"coverage": 0.60, "by_category": {"security": 0.39, "reliability": 0.9}}, "T1", True),
        ({"coverage": 0.60, "by_category": {"security": 0.9, "reliability": 0.39}}, "T1", True),
        ({"has_critical_failing": True}, "U", False),
        ({"has_critical_failing": True, "coverage": 0.01}, "U", False),
        ({"is_testable": False}, "NT", False),
    ],
)
def test_the_gate(scheme: TierScheme, given: dict[str, object], tier: str, is_provisional: bool) -> None:
    units = {f"o{n}": unit(n / 20) for n in range(8)} | {"it": unit(1.0, **given)}  # type: ignore[arg-type]
    found = grade_units(scheme, units)["it"]
    assert (found.tier, found.is_provisional) == (tier, is_provisional)


def test_a_critical_failing_stands_until_it_is_known_to_be_mended(scheme: TierScheme) -> None:
    failed = item("cross_tenant_access", "fail", observed=date(2026, 1, 1))
    mended = item("cross_tenant_access", "pass", observed=date(2026, 3, 1))
    assert assess(scheme, "VM", [failed], DAY).has_critical_failing
    assert not assess(scheme, "VM", [failed, mended], DAY).has_critical_failing
    assert assess(scheme, "VM", [failed, mended], date(2026, 2, 1)).has_critical_failing
    assert not assess(scheme, "BM", [failed], DAY).has_critical_failing
    # what is not known fails nobody
    assert not assess(scheme, "VM", [item("soc2", "fail")], DAY).has_critical_failing


def _file(scheme: TierScheme, operator: str, share: float, dated: str) -> EvidenceFile:
    entries = everything(scheme, share=share)
    return EvidenceFile.model_validate(
        {
            "operator_id": operator,
            "source": [
                {
                    "url": "https://example.org",
                    "dated": dated,
                    "class": "own_test",
                    "origin": "test",
                    "is_synthetic": True,
                    "items": [entry.item.model_dump() for entry in entries],
                }
            ],
        }
    )


def test_reviews_make_a_row_when_something_is_new(scheme: TierScheme) -> None:
    files = [_file(scheme, f"o{n}", 1.0, "2026-05-10") for n in range(8)]
    files.append(_file(scheme, "late", 1.0, "2026-06-20"))
    rows = list(tier_rows(scheme, files, date(2026, 7, 15)))
    assert {row["valid_from"] for row in rows if row["operator_id"] == "o1"} == {date(2026, 6, 1)}
    assert [row["valid_from"] for row in rows if row["operator_id"] == "late"] == [date(2026, 7, 1)]
    assert all(row["tier"] == "T1" and row["is_synthetic"] and row["scope"] == "VM" for row in rows)
    assert all(str(row["available_at"]) == f"{row['valid_from']} 00:00:00+00:00" for row in rows)
    assert len({row["record_sha256"] for row in rows}) == len(rows)
    assert list(reviews(date(2025, 11, 6), date(2026, 1, 31))) == [date(2025, 12, 1), date(2026, 1, 1)]


def test_later_knowledge_never_changes_an_earlier_review(scheme: TierScheme) -> None:
    early = [_file(scheme, f"o{n}", 1.0, "2026-05-10") for n in range(8)]
    later = [*early, _file(scheme, "o0", 1.0, "2026-06-20")]
    before = list(tier_rows(scheme, early, date(2026, 6, 1)))
    after = [
        row for row in tier_rows(scheme, later, date(2026, 7, 1)) if row["valid_from"] == date(2026, 6, 1)
    ]
    assert before == after


def test_with_the_cited_evidence_there_is_everybody_is_not_rated(scheme: TierScheme) -> None:
    files = load_registers().evidence
    assert len(cited_evidence(files)) == 666
    rows = list(tier_rows(scheme, files, date(2026, 12, 1)))
    assert len(rows) > 100
    assert {row["tier"] for row in rows} == {"NR"}
    assert all(str(row["reason"]).startswith("coverage_below_gate: overall 0.") for row in rows)
    assert {row["scope"] for row in rows} <= {"VM", "BM", "MK", "MS", "CT"}


def test_the_scheme_names_every_item_once_and_price_nowhere(scheme: TierScheme) -> None:
    names = [name for criterion in scheme.criterion for name in criterion.evidence]
    assert len(names) == len(set(names))
    assert {category.id for category in scheme.category} == {
        "security", "lifecycle", "orchestration", "storage", "network", "reliability", "monitoring",
        "support_sla", "availability",
    }  # fmt: skip
    assert sum(criterion.is_critical for criterion in scheme.criterion) == 3


def _tier_row(scope: str, tier: str, valid_from: date, **more: object) -> dict[str, object]:
    return {
        "operator_id": "vast", "scope": scope, "tier": tier, "is_provisional": False, "is_synthetic": True,
        "reason": "rated", "valid_from": valid_from, "available_at": datetime(2026, 6, 1, tzinfo=UTC),
        "known_at": datetime(2026, 6, 1, tzinfo=UTC), "scheme_version": "test",
        "record_sha256": f"{scope}{tier}{valid_from}",
    } | more  # fmt: skip


def _buckets(warehouse: Warehouse, scope: str, day: date, *, is_reconstructed: bool = False) -> set[str]:
    """Buckets of the wide H100 specification that an on-demand ask of Vast.ai is in, in one scope."""
    warehouse.connection.execute(
        "CREATE OR REPLACE TEMP TABLE axes_to_match AS SELECT 'k' AS axes_key, 'vast' AS operator_id, "
        "'H100' AS chip, 'S080' AS form_memory, 'A' AS lot, 'NA' AS fabric, $1 AS scope, 'OD' AS term, "
        "'US' AS place",
        [scope],
    )
    cutoff = datetime(day.year, day.month, day.day + 1, 6, tzinfo=UTC)
    match_axes(warehouse, day, cutoff, is_reconstructed)
    rows = warehouse.rows(
        "SELECT g.bucket FROM axes_matches AS m INNER JOIN grades AS g ON m.grade_id = g.grade_id WHERE g.code = $1",
        ["H100-Y080-Y-YY-YY-OD-YY-J"],
    )
    return {bucket for (bucket,) in rows} - {"ALL", "MKT"}


def test_a_tier_joins_on_operator_scope_and_day_and_never_falls_back(
    warehouse: Warehouse, version: str
) -> None:
    warehouse.append(
        "operator_tiers",
        [
            _tier_row("VM", "T1", date(2026, 6, 1)),
            _tier_row("MK+MS", "T2", date(2026, 6, 1)),
            _tier_row("ZZ", "T3", date(2026, 6, 1)),
            _tier_row("MS", "U", date(2026, 6, 1), operator_id="aws"),
        ],
    )
    day = date(2026, 7, 16)
    assert _buckets(warehouse, "VM", day) == {"T1", "T12"}
    # a container of the same operator is not the virtual machine that was rated
    assert _buckets(warehouse, "CT", day) == {"NR"}
    assert _buckets(warehouse, "MK", day) == {"NR"}
    assert _buckets(warehouse, "MS", day) == {"NR"}
    # what is not stated has no tier at all, not even "not rated"
    assert _buckets(warehouse, "ZZ", day) == set()
    # before the tier holds
    assert _buckets(warehouse, "VM", date(2026, 5, 30), is_reconstructed=True) == {"NR"}
    assert version


def test_a_tier_counts_from_when_it_was_known(warehouse: Warehouse, version: str) -> None:
    recorded = datetime(2026, 7, 20, 12, tzinfo=UTC)
    warehouse.append(
        "operator_tiers",
        [
            _tier_row("CT", "T4", date(2026, 6, 1)),
            _tier_row(
                "CT", "T2", date(2026, 7, 1), known_at=recorded, available_at=datetime(2026, 7, 1, tzinfo=UTC)
            ),
        ],
    )
    assert _buckets(warehouse, "CT", date(2026, 7, 19)) == {"T4"}
    assert _buckets(warehouse, "CT", date(2026, 7, 20)) == {"T2", "T12"}
    # a reconstructed day asks when it could be known
    assert _buckets(warehouse, "CT", date(2026, 7, 19), is_reconstructed=True) == {"T2", "T12"}
    assert version
