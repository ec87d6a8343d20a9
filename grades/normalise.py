"""Steps 3 and 4: stated rows become offers and trades in USD per GPU-hour, and each is graded on its own day.

The words of a row are decided once per distinct set of words (`grades.axes`); everything a row needs beyond that is
a join in SQL. One transaction a batch of captures writes offers, trades, graded rows, refusals and the work log, so
that a run that was cut off resumes where it stood. A record keeps the `known_at` of the row it was made from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import pyarrow as pa

from gpurent.core.progress import SILENT, Progress
from gpurent.core.stages import reach
from gpurent.core.units import PRICE_BASES
from grades.axes import AXES, StatedWords, decide_once
from grades.match import PACKAGE
from grades.pseudonyms import pseudonym, pseudonym_key
from grades.register_files import Registers, registers_at
from warehouse.sql_files import run_sql, run_sql_arrow, run_sql_dicts
from warehouse.store import Warehouse

BATCH_ROWS = 250_000
NOT_REGISTERED = "unregistered:"

# An operator's own list and a marketplace's own asks are the offer itself; a broker resells; an aggregator only tells
ROUTE_RANKS = (
    ("operator_list", 1, False),
    ("marketplace_ask", 1, True),
    ("bills", 1, False),
    ("trade_reports", 1, False),
    ("broker", 2, False),
    ("aggregator", 3, False),
    ("research", 3, False),
)
UNKNOWN_ROUTE_RANK = 3


@dataclass(frozen=True, slots=True)
class NormaliseReport:
    """Captures taken up, records written, refusals by reason code (both stages together)."""

    captures: int = 0
    offers: int = 0
    trades: int = 0
    rejected: Mapping[str, int] = field(default_factory=dict)


def normalise(warehouse: Warehouse, register_version: str, *, progress: Progress = SILENT) -> NormaliseReport:
    """Normalise and grade every capture not yet in `normalisations` under this version; twice does nothing.

    `register_version` is what `grades.registers.sync` returned in this process, or the packaged registers'.
    """
    registers = registers_at(register_version)
    parameters: dict[str, object] = {
        "register_version": register_version,
        "unknown_route_rank": UNKNOWN_ROUTE_RANK,
        "now": warehouse.clock.now(),
    }
    run_sql(warehouse, PACKAGE, "00_macros")
    new = run_sql(warehouse, PACKAGE, "10_captures_to_normalise", parameters)
    # retried apart and afterwards: only they read what was settled before
    retried = run_sql(warehouse, PACKAGE, "12_captures_to_retry", parameters)
    totals: Counter[str] = Counter()
    rejected: Counter[str] = Counter()
    with _named_tables(warehouse, price_bases=_price_bases(), route_ranks=_route_ranks()):
        run_sql(warehouse, PACKAGE, "11_source_routes")
        batches = [(b, False) for b in _batches(new)] + [(b, True) for b in _batches(retried)]
        progress.start("grading", len(batches))
        for batch, is_retry in batches:
            with warehouse.transaction():
                counts, refused = _normalise_batch(warehouse, registers, batch, is_retry, parameters)
                reach("grades.normalise.written")
            totals.update(counts)
            rejected.update(refused)
            progress.advance(f"{len(batch)} captures")
    return NormaliseReport(
        len(new) + len(retried), totals["offers"], totals["trades"], dict(sorted(rejected.items()))
    )


def _batches(todo: Sequence[tuple[str, int]]) -> Iterator[list[str]]:
    """Captures in groups of about BATCH_ROWS stated rows; a larger one stands alone."""
    group: list[str] = []
    rows = 0
    for capture_id, stated_rows in todo:
        if group and rows + stated_rows > BATCH_ROWS:
            yield group
            group, rows = [], 0
        group.append(capture_id)
        rows += stated_rows
    if group:
        yield group


def _normalise_batch(
    warehouse: Warehouse,
    registers: Registers,
    captures: list[str],
    is_retry: bool,
    parameters: Mapping[str, object],
) -> tuple[dict[str, int], Counter[str]]:
    def run(name: str) -> list[tuple[Any, ...]]:
        return run_sql(warehouse, PACKAGE, name, parameters)

    columns = {
        "capture_id": pa.array(captures, pa.string()),
        "is_retry": pa.array([is_retry] * len(captures)),
    }
    with _named_tables(warehouse, batch_captures=pa.table(columns)):
        run("15_settled_rows" if is_retry else "14_no_settled_rows")
        run("20_batch")
        with _named_tables(
            warehouse,
            decided_words=_decided_words(warehouse, registers),
            decided_hosts=_decided_hosts(warehouse, registers),
            decided_parties=_decided_parties(warehouse),
        ):
            run("30_priced")
            counts = {
                table: _append(warehouse, table, name, parameters)
                for table, name in (("offers", "40_offers"), ("trades", "41_trades"))
            }
        refused = _reject(warehouse, "normalise", "42_unpriced", parameters)
        run("50_batch_records")
        run("62_matches")
        for table, name in (("graded_offers", "70_graded_offers"), ("graded_trades", "70_graded_trades")):
            _append(warehouse, table, name, parameters)
        refused += _reject(warehouse, "match", "71_unmatched", parameters)
        done = run_sql_dicts(warehouse, PACKAGE, "80_work_done", parameters)
        version = parameters["register_version"]
        warehouse.append("normalisations", [{**row, "register_version": version} for row in done])
    return counts, refused


def _append(warehouse: Warehouse, table: str, name: str, parameters: Mapping[str, object]) -> int:
    """Append a query's rows, whose columns are the table's in its order."""
    rows = run_sql_arrow(warehouse, PACKAGE, name, parameters)
    return warehouse.append_arrow(table, rows.cast(warehouse.schema(table))) if rows.num_rows else 0


def _reject(warehouse: Warehouse, stage: str, name: str, parameters: Mapping[str, object]) -> Counter[str]:
    rows = run_sql_dicts(warehouse, PACKAGE, name, parameters)
    warehouse.reject(stage, rows)
    return Counter(row["reason_code"] for row in rows)


def _decided_words(warehouse: Warehouse, registers: Registers) -> pa.Table:
    """The axes and the operator of every distinct set of words of the batch."""
    decided = [_decide(registers, row) for row in run_sql_dicts(warehouse, PACKAGE, "21_distinct_words")]
    names = ["words_key", "operator_id", "operator_rule", "operator_class"]
    names += [name for axis in AXES for name in (axis, f"{axis}_rule")]
    return pa.Table.from_pylist(decided, schema=pa.schema([(name, pa.string()) for name in names]))


def _decide(registers: Registers, row: dict[str, Any]) -> dict[str, str]:
    operator_text = row.pop("operator_text")
    words_key = row.pop("words_key")
    found = registers.operator_id(operator_text)
    operator_id = found or f"{NOT_REGISTERED}{operator_text}"
    axes = decide_once(StatedWords(operator_id=operator_id, **row))
    facts = registers.operators[found].fact if found else []
    cited = sorted((fact for fact in facts if fact.is_cited), key=lambda fact: str(fact.observed_on))
    result = {
        "words_key": words_key,
        "operator_id": operator_id,
        "operator_rule": "operator.name" if found else "operator.not_registered",
        "operator_class": cited[-1].operator_class if cited else "UNK",
    }
    for axis in AXES:
        decided = getattr(axes, axis)
        result |= {axis: decided.code, f"{axis}_rule": decided.rule}
    return result


def _decided_hosts(warehouse: Warehouse, registers: Registers) -> pa.Table:
    """A host that is a registered operator goes by its id, any other by the source's own name for it."""
    texts = [text for (text,) in run_sql(warehouse, PACKAGE, "22_distinct_hosts")]
    hosts = [registers.operator_id(text) or text for text in texts]
    return pa.table(
        {"host_text": pa.array(texts, pa.string()), "host_operator_id": pa.array(hosts, pa.string())}
    )


def _decided_parties(warehouse: Warehouse) -> pa.Table:
    names = ("reporter_id", "buyer_text", "agreement_text", "buyer_pseudonym", "agreement_id")
    schema = pa.schema([(name, pa.string()) for name in names])
    stated = run_sql(warehouse, PACKAGE, "23_distinct_parties")
    if not stated:
        return schema.empty_table()
    key = pseudonym_key(warehouse)
    rows = [
        {
            "reporter_id": reporter,
            "buyer_text": buyer,
            "agreement_text": agreement,
            "buyer_pseudonym": pseudonym(key, "buy", buyer),
            "agreement_id": pseudonym(key, "agr", reporter, agreement),
        }
        for reporter, buyer, agreement in stated
    ]
    return pa.Table.from_pylist(rows, schema=schema)


def _price_bases() -> pa.Table:
    """The bases of `gpurent.core.units`: hours one unit covers for one GPU, over `per_hour`."""
    one = Decimal(1)
    bases = list(PRICE_BASES.values())
    return pa.table(
        {
            "basis": [basis.name for basis in bases],
            "step": [basis.step for basis in bases],
            "needs_gpu_count": [basis.needs_gpu_count for basis in bases],
            "needs_hours": [basis.needs_hours for basis in bases],
            "hours": [float(basis.covered_hours(one, one)) for basis in bases],
            "per_hour": [float(basis.per_hour) for basis in bases],
        }
    )


def _route_ranks() -> pa.Table:
    kinds, ranks, venues = zip(*ROUTE_RANKS, strict=True)
    return pa.table({"kind": list(kinds), "route_rank": list(ranks), "is_venue": list(venues)})


@contextmanager
def _named_tables(warehouse: Warehouse, **tables: pa.Table) -> Iterator[None]:
    """Arrow tables that SQL can read by these names while the block runs."""
    for name, table in tables.items():
        warehouse.connection.register(name, table)
    try:
        yield
    finally:
        for name in tables:
            warehouse.connection.unregister(name)
