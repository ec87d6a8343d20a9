"""Bringing the registers into the warehouse: what is new is appended, what is there is left, nothing is changed.

A record is known by the hash of its content. A changed entry is a new row with a later `known_at`, and readers take
the newest row known at their cut-off.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import date
from functools import lru_cache
from pathlib import Path

from gpurent.core.clock import at_utc, utc_day
from gpurent.core.errors import ConfigError
from gpurent.core.ids import content_id, sha256_hex
from gpurent.core.stages import reach
from grades.grade_code import GradeCode, parse_code
from grades.lexicon import lexicon
from grades.records import Operator, OperatorFact, Spec
from grades.register_files import Registers, load_registers, registers_at
from grades.tiers import tier_rows
from warehouse.sql_files import run_sql
from warehouse.store import Warehouse

Record = dict[str, object]
ANY_LETTERS = ("Y", "YY")


def sync(warehouse: Warehouse, overlay: Path | None = None) -> str:
    """Append what the warehouse does not have yet, in one transaction; returns the register version.

    `overlay` is the user's folder of registers; it need not exist. Tier reviews run up to the warehouse clock's
    day. Raises ConfigError for a file that is wrong.
    """
    registers = load_registers(overlay)
    today = utc_day(warehouse.clock.now())
    recorded: dict[str, set[str]] = defaultdict(set)
    for register, record in run_sql(warehouse, "grades.sql", "recorded"):
        recorded[register].add(record)
    _refuse_changed_specs(warehouse, registers)
    with warehouse.transaction():
        for table, rows in register_rows(registers.version, date(today.year, today.month, 1)):
            warehouse.append(table, [row for row in rows if row["record_sha256"] not in recorded[table]])
        reach("grades.registers.written")
    return registers.version


def _refuse_changed_specs(warehouse: Warehouse, registers: Registers) -> None:
    """A specification that was recorded takes the same values for ever: another one is another version."""
    recorded: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for spec_id, axis, value in run_sql(warehouse, "grades.sql", "recorded_accepts"):
        recorded[spec_id].add((axis, value))
    for spec in registers.specs:
        have = recorded.get(spec.spec_id)
        now = {(axis, value) for axis, values in registers.accepted(spec).items() for value in values}
        if have is not None and have != now:
            changed = ", ".join(f"{axis} {value}" for axis, value in sorted(have ^ now))
            raise ConfigError(
                f"specs: {spec.code} ({spec.spec_id}) was recorded with other accepted values ({changed}): give the "
                "changed one a new version and a new spec_id"
            )


@lru_cache(maxsize=16)
def register_rows(version: str, until: date) -> tuple[tuple[str, tuple[Record, ...]], ...]:
    """Table and rows of every register of a loaded version; tiers by reviews up to `until`, a first of a month."""
    registers = registers_at(version)
    return (
        ("operators", tuple(_operator_rows(registers.operators.values()))),
        ("grade_specs", tuple(_hashed(_spec_row(spec)) for spec in registers.specs)),
        ("spec_accepts", tuple(_accepts_rows(registers))),
        ("grades", tuple(_grade_rows(registers))),
        ("operator_evidence", tuple(_evidence_rows(registers))),
        ("operator_tiers", tuple(tier_rows(registers.scheme, registers.evidence, until))),
    )


def _hashed(row: Record) -> Record:
    body = json.dumps(row, sort_keys=True, default=str, ensure_ascii=False)
    return {**row, "record_sha256": sha256_hex(body.encode())}


def _operator_rows(operators: Iterable[Operator]) -> Iterator[Record]:
    for operator in operators:
        unknown = OperatorFact(operator_class="UNK", owner_group=operator.operator_id)
        for fact in operator.fact or [unknown]:
            since = fact.valid_from or fact.observed_on or operator.read_on
            yield _hashed(
                {
                    "operator_id": operator.operator_id,
                    "name": operator.name,
                    "operator_class": fact.operator_class,
                    "owner_group": fact.owner_group,
                    "country": fact.country,
                    "is_cited": fact.is_cited,
                    "url": fact.url,
                    "observed_on": fact.observed_on,
                    "valid_from": since,
                    "valid_to": fact.valid_to,
                    "available_at": at_utc(fact.observed_on or operator.read_on, 0),
                }
            )


def _spec_row(spec: Spec) -> Record:
    code = parse_code(spec.code)
    return {
        "spec_id": spec.spec_id,
        "code": spec.code,
        "spec_version": spec.version,
        "title": spec.title,
        **dict(
            zip(("chip", "form_memory", "lot", "fabric", "scope", "term", "place"), code.axes, strict=True)
        ),
        "parent_code": spec.parent,
        "status": spec.status,
        "is_composite": has_open_axis(code),
        "valid_from": spec.valid_from,
        "valid_to": spec.valid_to,
    }


def has_open_axis(code: GradeCode) -> bool:
    """Whether form, lot, scope or term is "any"; fabric and place do not make a grade composite."""
    return code.form_memory[0] == "Y" or any(
        axis in ANY_LETTERS for axis in (code.lot, code.scope, code.term)
    )


def _accepts_rows(registers: Registers) -> Iterator[Record]:
    for spec in registers.specs:
        for axis, values in registers.accepted(spec).items():
            for value in values:
                yield _hashed({"spec_id": spec.spec_id, "axis": axis, "value": value})


def _grade_rows(registers: Registers) -> Iterator[Record]:
    words = {word.code: word.words for word in lexicon().axes.bucket}
    whole = {spec.code: spec.grades["ALL"] for spec in sorted(registers.specs, key=lambda s: s.valid_from)}
    for spec in registers.specs:
        for bucket, grade_id in spec.grades.items():
            yield _hashed(
                {
                    "grade_id": grade_id,
                    "spec_id": spec.spec_id,
                    "code": spec.code,
                    "bucket": bucket,
                    "title": spec.title if bucket == "ALL" else f"{spec.title}; {words[bucket]}",
                    "parent_grade_id": _parent(spec, bucket, whole),
                    "is_composite": bucket == "ALL" or has_open_axis(parse_code(spec.code)),
                    "valid_from": spec.valid_from,
                    "valid_to": spec.valid_to,
                }
            )


def _parent(spec: Spec, bucket: str, whole: dict[str, str]) -> str | None:
    """Tiers 1 and 2 fall back to both together, every other bucket to all, all to the specification's parent."""
    if bucket in ("T1", "T2"):
        return spec.grades["T12"]
    if bucket != "ALL":
        return spec.grades["ALL"]
    return whole[spec.parent] if spec.parent else None


def _evidence_rows(registers: Registers) -> Iterator[Record]:
    for file in registers.evidence:
        for page in file.source:
            observed = page.observed_on
            for item in page.items:
                identity = (
                    file.operator_id,
                    item.scope,
                    item.category,
                    item.criterion,
                    item.result,
                    item.value,
                )
                yield _hashed(
                    {
                        "evidence_id": content_id("evd", *identity, page.url, observed),
                        "operator_id": file.operator_id,
                        "scope": item.scope,
                        "category": item.category,
                        "criterion": item.criterion,
                        "result": item.result,
                        "value": item.value,
                        "unit": item.unit,
                        "source_class": page.source_class,
                        "origin": page.origin,
                        "confidence": item.confidence,
                        "is_cited": observed is not None,
                        "is_synthetic": page.is_synthetic,
                        "observed_at": observed,
                        "available_at": at_utc(observed, 0) if observed else None,
                        "expires_at": item.expires_on,
                        "url": page.url,
                    }
                )
