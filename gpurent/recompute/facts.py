"""What is stored before any price is computed: offers, trades, snapshots, registers, each as known at a cut-off."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

import duckdb

Row = dict[str, Any]
AXES = ("chip", "form_memory", "lot", "fabric", "scope", "term", "place")
TIERS_OF = {
    "T1": {"T1"},
    "T2": {"T2"},
    "T3": {"T3"},
    "T4": {"T4"},
    "T12": {"T1", "T2"},
    "U": {"U"},
    "NR": {"NR"},
}
_OFFERS = """
    SELECT offer_id, snapshot_id, snapshot_at, snapshot_day, observed_at, route, route_rank, operator_id, source_id,
           host_operator_id, offer_class, native_per_gpu_hour, usd_per_gpu_hour, currency, chip, form_memory, lot,
           fabric, scope, term, place, is_marketplace, host_count, offer_count, available_at, known_at
    FROM offers WHERE offer_class <> 'indication' AND scope <> 'MI' AND register_version = $version
"""
_TRADES = """
    SELECT trade_id, agreement_id, buyer_pseudonym, operator_id, host_operator_id, trade_kind, is_arms_length,
           is_administered, is_synthetic, currency, chip, form_memory, lot, fabric, scope, term, place, gpu_hours,
           usd_per_gpu_hour, traded_at, available_at, known_at
    FROM trades WHERE NOT is_confidential AND gpu_hours > 0 AND scope <> 'MI' AND register_version = $version
"""


@dataclass(frozen=True)
class Cutoff:
    """When knowledge of a day ends, and by which of its two times a row counts."""

    day: date
    at: datetime
    is_reconstructed: bool

    def sees(self, row: Mapping[str, Any]) -> bool:
        known: datetime = row["available_at"] if self.is_reconstructed else row["known_at"]
        return known <= self.at


def cutoff_of(day: date, hours: int, *, is_reconstructed: bool) -> Cutoff:
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
    return Cutoff(day, midnight + timedelta(hours=hours), is_reconstructed)


@dataclass(frozen=True)
class Operator:
    """What is known of an operator on a day."""

    operator_class: str
    owner_group: str


@dataclass(frozen=True)
class Grade:
    """A grade of the book: what its specification takes, and which operators."""

    grade_id: str
    code: str
    chip: str
    bucket: str
    parent: str | None
    accepts: Mapping[str, frozenset[str]]

    def takes(self, axes: Mapping[str, Any], operator: Operator, tier: str | None) -> bool:
        for axis in AXES:
            wanted = self.accepts.get(axis, frozenset())
            if axes[axis] not in wanted and not (axis == "place" and "*" in wanted):
                return False
        if self.bucket == "ALL":
            return True
        if self.bucket in {"HYP", "NEO", "MKT", "RES"}:
            return operator.operator_class == self.bucket
        return tier in TIERS_OF.get(self.bucket, {self.bucket})


@dataclass
class Facts:
    """All rows of a warehouse that the computation starts from."""

    offers: list[Row]
    trades: list[Row]
    snapshots: list[Row]
    operators: list[Row]
    tiers: list[Row]
    specs: list[Row]
    accepts: dict[str, dict[str, frozenset[str]]]
    grades: list[Row]
    sources: list[Row]
    live_since: datetime | None
    counts_synthetic: bool

    def held_sources(self, cutoff: Cutoff, shadow_days: int) -> frozenset[str]:
        """Sources known from a rendered fixture only that do not count yet: not reached so far, or in shadow."""
        if cutoff.is_reconstructed or self.counts_synthetic:
            return frozenset()
        newest: dict[str, Row] = {}
        for row in self.sources:
            have = newest.get(row["source_id"])
            if row["known_at"] <= cutoff.at and (have is None or _recorded_later(row, have)):
                newest[row["source_id"]] = row
        held = set()
        for name, row in newest.items():
            if row["fixture_origin"] != "rendered" or row["is_file_only"]:
                continue
            looks = [
                look
                for look in self.snapshots
                if look["source_id"] == name and look["status"] != "failed" and look["known_at"] <= cutoff.at
            ]
            if not looks:
                held.add(name)
                continue
            reached: date = min(look["snapshot_day"] for look in looks)
            if row["first_live_success"] is not None:
                reached = min(reached, row["first_live_success"])
            has_published = (
                self.live_since is not None and min(look["known_at"] for look in looks) > self.live_since
            )
            if has_published and (cutoff.day - reached).days < shadow_days:
                held.add(name)
        return frozenset(held)

    def operators_known(self, cutoff: Cutoff) -> dict[str, Operator]:
        """Every operator of the register; without a cited fact it is its own owner group, class unknown."""
        found = {row["operator_id"]: Operator("UNK", row["operator_id"]) for row in self.operators}
        newest: dict[str, Row] = {}
        for row in self.operators:
            if row["is_cited"] and _is_in_force(row, cutoff.day) and cutoff.sees(row):
                have = newest.get(row["operator_id"])
                if have is None or _is_newer(row, have):
                    newest[row["operator_id"]] = row
        for name, row in newest.items():
            found[name] = Operator(row["operator_class"], row["owner_group"])
        return found

    def tiers_known(self, cutoff: Cutoff) -> dict[tuple[str, str], str]:
        """Operator and scope → tier."""
        newest: dict[tuple[str, str], Row] = {}
        for row in self.tiers:
            if _is_in_force(row, cutoff.day) and cutoff.sees(row):
                key = (row["operator_id"], row["scope"])
                if key not in newest or _is_newer(row, newest[key]):
                    newest[key] = row
        return {key: row["tier"] for key, row in newest.items()}

    def grades_known(self, cutoff: Cutoff) -> list[Grade]:
        """Every grade of a specification in force, by its present record."""
        newest: dict[str, Row] = {}
        for row in self.specs:
            have = newest.get(row["spec_id"])
            if have is None or _recorded_later(row, have):
                newest[row["spec_id"]] = row
        by_code: dict[str, Row] = {}
        for row in newest.values():
            if row["status"] == "active" and (_is_in_force(row, cutoff.day) or cutoff.is_reconstructed):
                have = by_code.get(row["code"])
                if have is None or row["valid_from"] > have["valid_from"]:
                    by_code[row["code"]] = row
        specs = {row["spec_id"]: row for row in by_code.values()}
        found: dict[str, Grade] = {}
        for row in self.grades:
            spec = specs.get(row["spec_id"])
            if spec is not None:
                found[row["grade_id"]] = Grade(
                    row["grade_id"],
                    row["code"],
                    row["code"].split("-", 1)[0],
                    row["bucket"],
                    row["parent_grade_id"],
                    self.accepts.get(row["spec_id"], {}),
                )
        return [found[name] for name in sorted(found)]


def tier_of(tiers: Mapping[tuple[str, str], str], operator_id: str, scope: str) -> str | None:
    """The operator's tier in a scope: not rated where none is known, none at all where the scope is not stated."""
    return None if scope == "ZZ" else tiers.get((operator_id, scope), "NR")


def read_facts(connection: duckdb.DuckDBPyConnection) -> Facts:
    """Everything, under the newest registers."""
    connection.execute("SET TimeZone = 'UTC'")
    version = connection.execute(
        "SELECT register_version FROM normalisations ORDER BY known_at DESC, register_version LIMIT 1"
    ).fetchall()
    bound = {"version": version[0][0] if version else ""}
    purpose = connection.execute("SELECT value FROM warehouse_facts WHERE name = 'purpose'").fetchall()
    accepts: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in _rows(connection, "SELECT DISTINCT spec_id, axis, value FROM spec_accepts"):
        accepts[row["spec_id"]][row["axis"]].add(row["value"])
    return Facts(
        offers=_rows(connection, _OFFERS, bound),
        trades=_rows(connection, _TRADES, bound),
        snapshots=_rows(connection, "SELECT * FROM snapshots"),
        operators=_rows(connection, "SELECT * FROM operators"),
        tiers=_rows(connection, "SELECT * FROM operator_tiers"),
        specs=_rows(connection, "SELECT * FROM grade_specs"),
        accepts={
            spec: {axis: frozenset(values) for axis, values in axes.items()} for spec, axes in accepts.items()
        },
        grades=_rows(connection, "SELECT * FROM grades ORDER BY known_at"),
        sources=_rows(connection, "SELECT * FROM sources"),
        live_since=_rows(connection, "SELECT min(known_at) AS at FROM editions WHERE construction = 'live'")[
            0
        ]["at"],
        counts_synthetic=bool(purpose) and purpose[0][0] in {"sample", "replay"},
    )


def _rows(
    connection: duckdb.DuckDBPyConnection, sql: str, bound: Mapping[str, Any] | None = None
) -> list[Row]:
    cursor = connection.cursor()
    cursor.execute("SET TimeZone = 'UTC'")
    result = cursor.execute(sql, bound or None)
    names = [column[0] for column in result.description or ()]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def _is_in_force(row: Row, day: date) -> bool:
    return bool(row["valid_from"] <= day and (row["valid_to"] is None or row["valid_to"] > day))


def _is_newer(row: Row, have: Row) -> bool:
    mine = (row["valid_from"], row["known_at"], _reverse(row["record_sha256"]))
    theirs = (have["valid_from"], have["known_at"], _reverse(have["record_sha256"]))
    return mine > theirs


def _recorded_later(row: Row, have: Row) -> bool:
    mine = (row["known_at"], _reverse(row["record_sha256"]))
    return mine > (have["known_at"], _reverse(have["record_sha256"]))


def _reverse(text: str) -> list[int]:
    """A key that sorts texts the other way round: of two records of one time the first by hash stands."""
    return [-ord(letter) for letter in text]
