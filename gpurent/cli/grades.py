"""grade list, grade show, grade code: described GPU-hours, their codes, and what they are worth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, Literal

from cyclopts import App

from gpurent.cli.context import Context, Given, Output
from gpurent.cli.values import Day

if TYPE_CHECKING:
    from rich.console import Console

    from grades.grade_code import GradeCode
    from grades.records import Spec
    from grades.register_files import Registers

Json = Mapping[str, Any]

_CODE = """Examples:
  gpurent grade code H100-S080-C-NV-VM-OD-US-7
  gpurent grade code h100-y080-y-yy-yy-od-yy-j.neo --json"""
_LIST = """Examples:
  gpurent grade list
  gpurent grade list --chip H100
  gpurent grade list --chip H100 --day 2026-08-15 --status published
  gpurent grade list --bucket NEO --day 2026-08-15"""
_SHOW = """Examples:
  gpurent grade show H100-Y080-Y-YY-YY-OD-YY-J
  gpurent grade show h100-y080-y-yy-yy-od-yy-j.neo --json"""


def register(app: App) -> None:
    """Add the commands to the app."""
    grade = App(name="grade", help="Grades: described GPU-hours, and codes for them.")
    grade.command(grade_code, name="code", help_epilogue=_CODE)
    grade.command(grade_list, name="list", help_epilogue=_LIST)
    grade.command(grade_show, name="show", help_epilogue=_SHOW)
    app.command(grade)


def grade_code(code: str, /) -> Output:
    """Take a grade code apart and check its check character.

    Parameters
    ----------
    code
        A code, with or without bucket; lower case will do. A mistyped one ends with 2.
    """
    from grades.grade_code import parse_code

    parsed = parse_code(code)
    document = _parsed(parsed)

    def render(console: Console) -> None:
        from gpurent.cli.output import card, line

        line(console, f"{parsed.code}.{parsed.bucket}", "bold")
        console.print(card(_axis_lines(document)))

    return Output(document, render)


def grade_list(
    *,
    chip: str | None = None,
    bucket: str | None = None,
    day: Day | None = None,
    status: Literal["published", "held", "withheld"] | None = None,
    context: Given,
) -> Output:
    """List the specifications of the registers with their buckets; with --day every grade with its value.

    Parameters
    ----------
    chip
        Grades of this chip only, such as H100.
    bucket
        Grades of this bucket of operators only, such as NEO.
    day
        Status, level and reference of every grade on this day.
    status
        Grades with this status on the day only.
    """
    from gpurent.cli.reading import origin_words, overlay_of
    from gpurent.core.errors import UsageError
    from grades.register_files import load_registers

    if status is not None and day is None:
        raise UsageError("--status needs --day: a grade has a status on a day")
    registers = load_registers(overlay_of(context.settings))
    specs = _chosen(registers.specs, chip, bucket)
    rows = [
        {
            "code": spec.code,
            "title": spec.title,
            "version": spec.version,
            "status": spec.status,
            "valid_from": spec.valid_from,
            "valid_to": spec.valid_to,
            "buckets": _buckets(spec, bucket),
            "origin": origin_words(registers.stated_in[spec.spec_id]),
        }
        for spec in specs
    ]
    document: dict[str, Any] = {"register_version": registers.version, "grades": rows}
    if day is not None:
        values = _values(context, specs, bucket, day)
        document |= {"day": day, "values": [row for row in values if status in (None, row["status"])]}
    return Output(document, lambda console: _show_list(console, document))


def _chosen(specs: Iterable[Spec], chip: str | None, bucket: str | None) -> list[Spec]:
    """The specifications of a chip that have a bucket, by code; NotFoundError names what there is."""
    from gpurent.core.errors import NotFoundError

    every = sorted(specs, key=lambda spec: (spec.code, spec.version))
    found = [spec for spec in every if chip is None or spec.code.startswith(f"{chip.upper()}-")]
    if not found:
        chips = sorted({spec.code.partition("-")[0] for spec in every})
        raise NotFoundError(f"no grade is of the chip {chip!r}; there are grades of {', '.join(chips)}")
    fitting = [spec for spec in found if _buckets(spec, bucket)]
    if not fitting:
        buckets = sorted({name for spec in found for name in spec.grades})
        raise NotFoundError(f"no such grade has the bucket {bucket!r}; there are {', '.join(buckets)}")
    return fitting


def _buckets(spec: Spec, bucket: str | None) -> list[str]:
    return [name for name in spec.grades if bucket is None or name == bucket.upper()]


def grade_show(code: str, /, *, context: Given) -> Output:
    """Show what a grade is: the hour in words, what enters on each axis, parent, buckets, and its newest value.

    Parameters
    ----------
    code
        Code of a specification, with or without bucket; lower case will do.
    """
    from gpurent.cli.reading import overlay_of
    from grades.grade_code import parse_code
    from grades.register_files import load_registers

    parsed = parse_code(code)
    registers = load_registers(overlay_of(context.settings))
    spec = _spec(registers, parsed)
    document = _document(context, registers, spec, parsed)
    return Output(document, lambda console: _show(console, document))


def _spec(registers: Registers, parsed: GradeCode) -> Spec:
    """The version that was asked for, else the newest; NotFoundError when the registers have none."""
    from gpurent.core.errors import NotFoundError

    versions = [spec for spec in registers.specs if spec.code == parsed.code]
    if parsed.version is not None:
        versions = [spec for spec in versions if spec.version == parsed.version]
    if not versions:
        raise NotFoundError(
            f"{parsed}: a valid code, but no specification of the registers; `gpurent grade list` prints them"
        )
    spec = max(versions, key=lambda one: one.valid_from)
    if parsed.bucket not in spec.grades:
        raise NotFoundError(f"{parsed.code} has no bucket {parsed.bucket}; it has {', '.join(spec.grades)}")
    return spec


def _parsed(parsed: GradeCode) -> dict[str, Any]:
    from grades.grade_code import describe

    words = describe(parsed)
    return {
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


def _axis_lines(document: Json) -> Iterator[tuple[str, object, str]]:
    for name, axis in document["axes"].items():
        yield name.replace("_", " and "), axis["value"], axis["meaning"]
    yield "bucket", document["bucket"], document["bucket_meaning"]


def _document(context: Context, registers: Registers, spec: Spec, parsed: GradeCode) -> dict[str, Any]:
    from gpurent.cli.reading import origin_words
    from gpurent.publish.words import values_in_words

    described = _parsed(parsed)
    for axis, values in registers.accepted(spec).items():
        described["axes"][axis] |= {"accepts": values, "accepts_in_words": values_in_words(axis, values)}
    last, note = _last_value(context, parsed)
    return {
        **described,
        "title": spec.title,
        "spec_id": spec.spec_id,
        "grade_id": spec.grades[parsed.bucket],
        "spec_version": spec.version,
        "status": spec.status,
        "valid_from": spec.valid_from,
        "valid_to": spec.valid_to,
        "parent": spec.parent,
        "falls_back_to": _falls_back_to(spec, parsed.bucket),
        "buckets": dict(spec.grades),
        "origin": origin_words(registers.stated_in[spec.spec_id]),
        "register_version": registers.version,
        "last": last,
        "note": note,
    }


def _falls_back_to(spec: Spec, bucket: str) -> str | None:
    """The grade that lends its change when this one is thin."""
    if bucket in ("T1", "T2"):
        return f"{spec.code}.T12"
    if bucket != "ALL":
        return f"{spec.code}.ALL"
    return f"{spec.parent}.ALL" if spec.parent else None


def _last_value(context: Context, parsed: GradeCode) -> tuple[dict[str, Any] | None, str | None]:
    """The newest row of the grade, or why there is none."""
    from gpurent.cli.reading import is_sample, warehouse_if_there
    from gpurent.core.errors import NotFoundError
    from gpurent.publish.lookup import find_grade, find_price

    with warehouse_if_there(context.settings) as found:
        if found.warehouse is None:
            return None, found.note
        try:
            price = find_price(found.warehouse, find_grade(found.warehouse, parsed), None, None)
        except NotFoundError as error:
            return None, str(error)
        notice = "SAMPLE" if is_sample(found.warehouse) else None
    names = (
        "day",
        "vintage",
        "status",
        "reason_code",
        "level",
        "label",
        "letter",
        "reference_usd_per_gpu_hour",
    )
    return {**{name: price[name] for name in names}, "notice": notice}, None


def _values(context: Context, specs: Sequence[Spec], bucket: str | None, day: date) -> list[dict[str, Any]]:
    """A row for every grade of the specifications; status None where the day was not priced."""
    from gpurent.cli.reading import open_for_reading
    from gpurent.publish.lookup import prices_of_day

    with open_for_reading(context.settings, is_public=False) as warehouse:
        by_grade = {row["grade_id"]: row for row in prices_of_day(warehouse, day)}
    names = ("status", "reason_code", "level", "label", "letter", "reference_usd_per_gpu_hour", "vintage")
    return [
        {
            "code": f"{spec.code}.{its}",
            "title": spec.title,
            **{name: by_grade.get(grade_id, {}).get(name) for name in names},
        }
        for spec in specs
        for its, grade_id in spec.grades.items()
        if its in _buckets(spec, bucket)
    ]


def _show_list(console: Console, document: Json) -> None:
    from gpurent.cli.output import line, table
    from gpurent.publish.words import in_words, why_withheld

    if "values" in document:
        heads = ("grade", "title", "status", "level", "letter", "reference", "why")
        lines = [
            (
                row["code"],
                row["title"],
                row["status"] or "not priced",
                f"{row['level']} {in_words('labels', row['label'])}" if row["level"] else None,
                row["letter"],
                row["reference_usd_per_gpu_hour"],
                why_withheld(row) if row["status"] in ("withheld", "held") else None,
            )
            for row in document["values"]
        ]
        console.print(table(heads, lines, numbers=("reference",)))
        line(console, f"{len(lines)} grades on {document['day']}", "dim")
        return
    names = ("code", "title", "version", "status", "valid_from", "buckets", "origin")
    rows = [{**row, "buckets": " ".join(row["buckets"])} for row in document["grades"]]
    columns = tuple(name.replace("_", " ") for name in names)
    console.print(table(columns, [[row[name] for name in names] for row in rows]))
    line(console, f"{len(rows)} in all", "dim")


def _show(console: Console, document: Json) -> None:
    from gpurent.cli.output import card, line, table

    line(console, document["title"], "bold")
    line(console, f"{document['code']}.{document['bucket']}: {document['bucket_meaning']}")
    since = f"since {document['valid_from']}" + (
        f" until {document['valid_to']}" if document["valid_to"] else ""
    )
    line(console, f"version {document['spec_version']}, {document['status']} {since}", "dim")
    line(console)
    rows = [
        (name.replace("_", " and "), axis["value"], axis["meaning"], axis["accepts_in_words"])
        for name, axis in document["axes"].items()
    ]
    console.print(table(("axis", "value", "meaning", "what enters"), rows))
    line(console)
    console.print(card(_facts(document)))
    if document["note"]:
        line(console, document["note"], "yellow")


def _facts(document: Json) -> Iterator[tuple[str, object, str]]:
    from gpurent.publish.words import in_words, why_withheld

    yield "falls back to", document["falls_back_to"] or "nothing", "lends its change where this grade is thin"
    yield "buckets", len(document["buckets"]), " ".join(document["buckets"])
    yield "origin", document["origin"], f"{document['spec_id']}, {document['grade_id']}"
    last = document["last"]
    if last is None:
        return
    if last["reference_usd_per_gpu_hour"] is None:
        yield "newest day", last["day"], f"{in_words('statuses', last['status'])}: {why_withheld(last)}"
    else:
        level = f"level {last['level']} {in_words('labels', last['label'])}, letter {last['letter'] or '-'}"
        sample = "; SAMPLE" if last["notice"] else ""
        yield (
            "newest value",
            last["reference_usd_per_gpu_hour"],
            f"USD per GPU-hour, {last['day']}, {level}{sample}",
        )
