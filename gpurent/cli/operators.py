"""operator list, operator explain: who runs the machines, in which tier, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from cyclopts import App

from gpurent.cli.context import Context, Given, Output
from gpurent.cli.values import Day

if TYPE_CHECKING:
    from rich.console import Console

    from grades.register_files import Registers
    from grades.unit_explanation import ItemShown, UnitExplanation

Json = Mapping[str, Any]

_LIST = """Examples:
  gpurent operator list
  gpurent operator list --scope CT
  gpurent operator list --scope VM --day 2026-08-15 --json"""
_EXPLAIN = """Examples:
  gpurent operator explain runpod --scope CT
  gpurent operator explain coreweave --scope BM --day 2026-08-15 --json"""


def register(app: App) -> None:
    """Add the commands to the app."""
    operator = App(name="operator", help="Operators: who runs the machines, in which tier, and why.")
    operator.command(operator_list, name="list", help_epilogue=_LIST)
    operator.command(operator_explain, name="explain", help_epilogue=_EXPLAIN)
    app.command(operator)


def operator_list(*, scope: str | None = None, day: Day | None = None, context: Given) -> Output:
    """List the operators with class, owner group and tiers as known on a day; uncited facts count for nothing.

    Parameters
    ----------
    scope
        Tiers of this service scope only, with score and coverage: VM, BM, MK, MS or CT.
    day
        As known on this day; today when left out.
    """
    from gpurent.cli.reading import origin_words
    from grades.unit_explanation import check_scope

    registers, when = _registers(context), _day(day)
    if scope is not None:
        scope = scope.upper()
        check_scope(registers.scheme, scope)
    tiers = _tiers(registers, when) if scope is None else _tiers_of_scope(registers, scope, when)
    rows = []
    for operator in sorted(registers.operators.values(), key=lambda one: one.operator_id):
        fact = max(
            (one for one in operator.fact if (one.valid_from or one.observed_on or operator.read_on) <= when),
            key=lambda one: one.valid_from or one.observed_on or date.min,
            default=None,
        )
        rows.append(
            {
                "operator_id": operator.operator_id,
                "name": operator.name,
                "operator_class": fact.operator_class if fact else None,
                "owner_group": fact.owner_group if fact else None,
                "country": fact.country if fact else None,
                "is_cited": fact.is_cited if fact else False,
                "observed_on": fact.observed_on if fact else None,
                "url": fact.url if fact else None,
                "tiers": tiers.get(operator.operator_id, {}),
                "origin": origin_words(registers.stated_in[operator.operator_id]),
            }
        )
    document = {"register_version": registers.version, "day": when, "scope": scope, "operators": rows}
    return Output(document, lambda console: _show_list(console, rows, scope))


def operator_explain(operator_id: str, /, *, scope: str, day: Day | None = None, context: Given) -> Output:
    """Explain an operator's tier in a service scope: evidence, what it weighs, what is missing.

    Parameters
    ----------
    operator_id
        Id of the operator; `gpurent operator list` prints them.
    scope
        The service scope: VM, BM, MK, MS or CT. A tier is never carried from one scope to another.
    day
        As known on this day; today when left out. Reviews are on the first of a month.
    """
    from grades.unit_explanation import explain_unit

    registers = _registers(context)
    explanation = explain_unit(registers, operator_id.lower(), scope.upper(), _day(day))
    document = _document(registers, explanation)
    return Output(document, lambda console: _show(console, explanation, document))


def _registers(context: Context) -> Registers:
    from gpurent.cli.reading import overlay_of
    from grades.register_files import load_registers

    return load_registers(overlay_of(context.settings))


def _day(day: date | None) -> date:
    from gpurent.core.clock import SystemClock, utc_day

    return day or utc_day(SystemClock().now())


def _tiers_of_scope(registers: Registers, scope: str, day: date) -> dict[str, dict[str, Json]]:
    """Operator → the scope → tier, score and coverage at the review that holds on the day."""
    from grades.tiers import cited_evidence, grade_units
    from grades.unit_explanation import units_at

    review = day.replace(day=1)
    units = units_at(registers.scheme, cited_evidence(registers.evidence), scope, review)
    return {
        operator: {
            scope: {
                "tier": tier.tier,
                "is_provisional": tier.is_provisional,
                "score": units[operator].score,
                "score_low": units[operator].low,
                "score_high": units[operator].high,
                "coverage": units[operator].coverage,
                "reason": tier.reason,
                "valid_from": review,
            }
        }
        for operator, tier in grade_units(registers.scheme, units).items()
    }


def _tiers(registers: Registers, day: date) -> dict[str, dict[str, Json]]:
    """Operator → scope → the tier of the last review up to the day that changed it."""
    from grades.registers import register_rows

    names = ("tier", "is_provisional", "score", "score_low", "score_high", "coverage", "reason", "valid_from")
    found: dict[str, dict[str, Json]] = {}
    for row in dict(register_rows(registers.version, day.replace(day=1)))["operator_tiers"]:
        found.setdefault(str(row["operator_id"]), {})[str(row["scope"])] = {name: row[name] for name in names}
    return found


def _show_list(console: Console, rows: Sequence[Json], scope: str | None) -> None:
    from gpurent.cli.output import line, table

    columns = ["operator", "name", "class", "owner group", "country", "fact"]
    columns += ["tier", "score", "coverage"] if scope else ["tiers by scope"]
    shown = [row for row in rows if scope is None or scope in row["tiers"]]
    lines = [
        [
            row["operator_id"],
            row["name"],
            row["operator_class"],
            row["owner_group"],
            row["country"],
            f"cited {row['observed_on']}" if row["is_cited"] else "uncited",
            *_tier_cells(row["tiers"], scope),
            row["origin"],
        ]
        for row in shown
    ]
    console.print(table([*columns, "origin"], lines, numbers=("score", "coverage")))
    if scope:
        line(console, f"{len(shown)} of {len(rows)} operators have evidence in scope {scope}", "dim")
    else:
        line(console, f"{len(rows)} in all", "dim")


def _tier_cells(tiers: Mapping[str, Json], scope: str | None) -> list[object]:
    from gpurent.cli.output import percent

    if scope is None:
        return [" ".join(f"{name}:{_tier_word(unit)}" for name, unit in sorted(tiers.items())) or None]
    unit = tiers[scope]
    return [_tier_word(unit), percent(unit["score"]), percent(unit["coverage"])]


def _tier_word(unit: Json) -> str:
    return f"{unit['tier']}{' (provisional)' if unit['is_provisional'] else ''}"


def _document(registers: Registers, explanation: UnitExplanation) -> dict[str, Any]:
    from grades.unit_explanation import missing_coverage

    unit, scheme = explanation.assessment, explanation.scheme
    return {
        "operator_id": explanation.operator_id,
        "name": registers.operators[explanation.operator_id].name,
        "scope": explanation.scope,
        "day": explanation.day,
        "review": explanation.review,
        "tier": explanation.tier.tier,
        "is_provisional": explanation.tier.is_provisional,
        "reason": explanation.tier.reason,
        "score": unit.score if unit else None,
        "score_low": unit.low if unit else 0.0,
        "score_high": unit.high if unit else 1.0,
        "coverage": unit.coverage if unit else 0.0,
        "gate": scheme.gate.model_dump(),
        "coverage_missing": [
            {"of": name, "known": have, "needed": needed}
            for name, have, needed in missing_coverage(explanation)
        ],
        "rated_peers": explanation.peers,
        "least_peers": scheme.least_peers,
        "categories": [
            {
                "category": category.id,
                "weight": category.weight,
                "score": explanation.categories[category.id].score,
                "coverage": explanation.categories[category.id].coverage,
            }
            for category in scheme.category
        ],
        "evidence": [_item_json(shown) for shown in explanation.items],
        "missing": [
            {"criterion": one.id, "category": one.category, "says": one.says, "is_critical": one.is_critical}
            for one in explanation.missing
        ],
        "register_version": registers.version,
        "scheme_version": scheme.version,
    }


def _item_json(shown: ItemShown) -> dict[str, Any]:
    item, page = shown.item, shown.page
    return {
        "category": item.category,
        "criterion": shown.criterion,
        "item": item.criterion,
        "result": item.result,
        "value": item.value,
        "unit": item.unit,
        "source_class": page.source_class,
        "origin": page.origin,
        "url": page.url,
        "observed_on": page.observed_on,
        "confidence": item.confidence,
        "expires_on": item.expires_on,
        "is_synthetic": page.is_synthetic,
        "age_days": shown.age_days,
        "weight": shown.weight,
        "why_not": shown.why_not,
    }


def _show(console: Console, explanation: UnitExplanation, document: Json) -> None:
    from gpurent.cli.output import card, line, percent, table
    from gpurent.publish.words import in_words, tier_reason, value_in_words

    tier = _tier_word(document)
    line(console, f"{document['name']}, {value_in_words('scope', explanation.scope)}: {tier}", "bold")
    line(console, f"{in_words('tiers', document['tier'])}: {tier_reason(document['reason'])}")
    line(console, f"review of {explanation.review}, scheme {document['scheme_version']}", "dim")
    line(console)
    console.print(card(_figures(document)))
    line(console)
    rows = [
        (one["category"], percent(one["score"]), percent(one["coverage"]), one["weight"])
        for one in document["categories"]
    ]
    numbers = ("score", "known", "weight")
    console.print(table(("category", "score", "known", "weight"), rows, numbers=numbers))
    line(console)
    counted = [one for one in document["evidence"] if one["why_not"] is None]
    line(console, f"evidence that counts ({len(counted)} of {len(document['evidence'])})", "bold")
    columns = ("weight", "result", "criterion", "says", "class", "observed", "page")
    console.print(table(columns, [_evidence_line(one) for one in counted], numbers=("weight",)))
    left_out = [one for one in document["evidence"] if one["why_not"] is not None]
    if left_out:
        line(console)
        line(console, "does not count", "bold")
        lines = [
            (one["why_not"], one["item"], one["result"], one["observed_on"], one["url"]) for one in left_out
        ]
        console.print(table(("why", "item", "result", "observed", "page"), lines))
    line(console)
    line(console, f"nothing is known of {len(document['missing'])} criteria", "bold")
    console.print(
        table(
            ("category", "criterion", "says"),
            [(m["category"], m["criterion"], m["says"]) for m in document["missing"]],
        )
    )


def _figures(document: Json) -> Iterator[tuple[str, object, str]]:
    from gpurent.cli.output import percent

    yield "score", percent(document["score"]), "of what is known"
    bounds = f"{percent(document['score_low'])} to {percent(document['score_high'])}"
    yield "bounds", bounds, "what is not known taken as failed, and as passed"
    short = {one["of"] for one in document["coverage_missing"]}
    known = {one["category"]: one["coverage"] for one in document["categories"]}
    for name, have in (
        ("overall", document["coverage"]),
        ("security", known.get("security", 0.0)),
        ("reliability", known.get("reliability", 0.0)),
    ):
        needed = f"{percent(document['gate'][name])} needed"
        yield f"known, {name}", percent(have), needed if name in short else f"{needed}: passed"
    yield "rated peers", document["rated_peers"], f"{document['least_peers']} are needed for tiers"


def _evidence_line(one: Json) -> list[object]:
    value = " ".join(str(part) for part in (one["value"], one["unit"]) if part)
    return [
        f"{one['weight']:.3f}",
        one["result"],
        one["criterion"],
        value,
        one["source_class"].replace("_", " "),
        one["observed_on"],
        one["url"],
    ]
