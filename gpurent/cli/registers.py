"""grade, source, operator: the registers as tables."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cyclopts import App

from gpurent.cli.context import Given, Output

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console

_CODE = """Examples:
  gpurent grade code H100-S080-C-NV-VM-OD-US-7
  gpurent grade code h100-y080-y-yy-yy-od-yy-j.neo --json"""


def register(app: App) -> None:
    """Add the commands to the app."""
    grade = App(name="grade", help="Grades: described GPU-hours, and codes for them.")
    grade.command(grade_code, name="code", help_epilogue=_CODE)
    grade.command(grade_list, name="list", help_epilogue="Examples:\n  gpurent grade list")
    app.command(grade)
    source = App(name="source", help="Sources: where prices come from.")
    source.command(source_list, name="list", help_epilogue="Examples:\n  gpurent source list --json")
    app.command(source)
    operator = App(name="operator", help="Operators: who runs the machines.")
    operator.command(operator_list, name="list", help_epilogue="Examples:\n  gpurent operator list")
    app.command(operator)


def grade_code(code: str, /) -> Output:
    """Take a grade code apart and check its check character.

    Parameters
    ----------
    code
        A code, with or without bucket; lower case will do. A mistyped one ends with 2.
    """
    from grades.grade_code import describe, parse_code

    parsed = parse_code(code)
    words = describe(parsed)
    document = {
        "code": parsed.code,
        "bucket": parsed.bucket,
        "version": parsed.version,
        "check": parsed.check,
        "axes": {
            name: {"value": value, "meaning": words[name]}
            for name, value in zip(tuple(words)[:-1], parsed.axes, strict=True)
        },
        "bucket_meaning": words["bucket"],
    }

    def render(console: Console) -> None:
        from gpurent.cli.output import card, line

        line(console, f"{parsed.code}.{parsed.bucket}", "bold")
        rows = [
            (name.replace("_", " and "), value, words[name])
            for name, value in zip(words, parsed.axes, strict=False)
        ]
        console.print(card([*rows, ("bucket", parsed.bucket, words["bucket"])]))

    return Output(document, render)


def grade_list(*, context: Given) -> Output:
    """List the specifications of the registers, each with its buckets."""
    from grades.register_files import load_registers

    registers = load_registers(_overlay(context))
    specs = sorted(registers.specs, key=lambda spec: (spec.code, spec.version))
    rows = [
        {
            "code": spec.code,
            "title": spec.title,
            "version": spec.version,
            "status": spec.status,
            "valid_from": spec.valid_from,
            "valid_to": spec.valid_to,
            "buckets": list(spec.grades),
        }
        for spec in specs
    ]
    shown = [{**row, "buckets": " ".join(spec.grades)} for row, spec in zip(rows, specs, strict=True)]
    return _listing({"register_version": registers.version, "grades": rows}, shown)


def source_list(*, context: Given) -> Output:
    """List the sources: kind, currency, rights and state."""
    from collectors.registry import load_sources

    rows = [
        {
            "source_id": record.source_id,
            "title": record.title,
            "kind": record.kind,
            "currency": record.currency,
            "redistribution": record.redistribution,
            "terms_checked_on": record.terms_checked_on,
            "robots_checked_on": record.robots_checked_on,
            "fixture_origin": record.fixture_origin,
            "first_live_success": record.first_live_success,
            "is_file_only": record.is_file_only,
            "retired_on": record.retired_on,
            "url": record.url,
        }
        for record in load_sources(_overlay(context)).values()
    ]
    names = (
        "source_id",
        "title",
        "kind",
        "currency",
        "redistribution",
        "terms_checked_on",
        "fixture_origin",
        "first_live_success",
    )
    return _listing({"sources": rows}, [{name: row[name] for name in names} for row in rows])


def operator_list(*, context: Given) -> Output:
    """List the operators with class and owner group as known now; uncited facts count for nothing."""
    from grades.register_files import load_registers

    registers = load_registers(_overlay(context))
    rows = []
    for operator in sorted(registers.operators.values(), key=lambda one: one.operator_id):
        fact = max(operator.fact, key=lambda one: one.valid_from or date.min, default=None)
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
            }
        )
    shown = [{**row, "is_cited": "cited" if row["is_cited"] else "uncited"} for row in rows]
    return _listing({"register_version": registers.version, "operators": rows}, shown)


def _overlay(context: Given) -> Path | None:
    folder = context.settings.registers
    return folder if folder.exists() else None


def _listing(document: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> Output:
    def render(console: Console) -> None:
        from gpurent.cli.output import line, table

        if rows:
            columns = list(rows[0])
            console.print(
                table([name.replace("_", " ") for name in columns], [list(row.values()) for row in rows])
            )
        line(console, f"{len(rows)} in all", "dim")

    return Output(document, render)
