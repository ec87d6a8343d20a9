"""The page about the prices: parameters as the methodology file has them, sources and their rights, codes in words."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from gpurent.publish.site.reading import Row, SiteData
from gpurent.publish.words import all_words, in_words
from grades.explanations import reason_codes

_SECTION = re.compile(r"^\[([A-Za-z0-9_.]+)\]\s*$")
_ASSIGNED = re.compile(r"^([A-Za-z0-9_]+)\s*=\s*(.+?)\s*$")
_HYPHENATED = frozenset({"catch_up", "cross_section", "leave_one_out", "settlement_eligible"})
_HEADINGS: Mapping[str, str] = {
    "time": "Times",
    "observations": "Observations",
    "filters": "Filters",
    "voices": "Voices and caps",
    "legs": "Legs",
    "discount": "Discount from offers to trades",
    "blend": "Blend of both legs",
    "confidence": "Confidence",
    "settlement": "Settlement and held values",
    "reference": "Change, reference and index",
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One line of the methodology file: the name, the value as it stands there, and the words beside it."""

    name: str
    value: str
    says: str


@dataclass(frozen=True, slots=True)
class Term:
    """A term of ours or the field's: key in `words.toml`, as it is written, meaning."""

    key: str
    name: str
    says: str


@dataclass(frozen=True, slots=True)
class AboutPage:
    """Everything the template shows."""

    parameters: Sequence[tuple[str, Sequence[Parameter]]]
    sources: Sequence[Row]
    codes: Sequence[tuple[str, str, Mapping[str, str]]]
    terms: Sequence[Term]


def make_about(site: SiteData) -> AboutPage:
    """The page about the prices of a day."""
    return AboutPage(
        parameters=list(parameters_of(site.methodology.raw)),
        sources=site.sources,
        codes=list(_codes()),
        terms=[Term(key, _as_written(key), says) for key, says in all_words()["terms"].items()],
    )


def _as_written(key: str) -> str:
    """`owner_group` as `Owner group`; codes stay as they are."""
    return key if key.isupper() else key.replace("_", "-" if key in _HYPHENATED else " ").capitalize()


def parameters_of(raw: bytes) -> Iterator[tuple[str, list[Parameter]]]:
    """Heading and parameters of every table of a methodology file, in its order, with the comments beside them.

    What is shown is checked against the parsed file, so that no line can be read wrongly or left out.
    """
    text = raw.decode("utf-8")
    parsed = tomllib.loads(text)
    section = ""
    found: dict[str, list[Parameter]] = {}
    for line in text.splitlines():
        body, comment = _split(line)
        if heading := _SECTION.match(body.strip()):
            section = heading[1]
        elif assigned := _ASSIGNED.match(body):
            found.setdefault(section, []).append(Parameter(assigned[1], _plain(assigned[2]), comment))
    for name, parameters in found.items():
        table: Any = parsed
        for part in filter(None, name.split(".")):
            table = table[part]
        stated = {key for key, value in table.items() if not isinstance(value, dict)}
        if stated != {parameter.name for parameter in parameters}:
            raise ValueError(
                f"[{name}] of the methodology holds {sorted(stated)}, which cannot be shown line by line"
            )
        if name:
            yield _heading(name), parameters


def _split(line: str) -> tuple[str, str]:
    """A line without its comment, and the comment; a # inside quotes is none."""
    is_quoted = False
    for index, character in enumerate(line):
        if character == '"':
            is_quoted = not is_quoted
        elif character == "#" and not is_quoted:
            return line[:index], line[index + 1 :].strip()
    return line, ""


def _plain(value: str) -> str:
    """A value without the quotes that keep its digits exact in the file."""
    return value.replace('"', "").strip("[]").strip()


def _heading(section: str) -> str:
    if section.startswith("levels."):
        level = section.removeprefix("levels.")
        return f"Level {level}: {in_words('levels', level)}"
    return _HEADINGS.get(section, section.capitalize())


def _codes() -> Iterator[tuple[str, str, Mapping[str, str]]]:
    """Heading, lead and codes of each kind of reason, in words."""
    words = all_words()
    yield "Why a day has no value", "reason_code of a withheld or held row", words["withheld"]
    yield (
        "Why an offer or trade did not count, or stands at another price",
        "reason_code of exclusions and voices",
        (words["rules"]),
    )
    yield "What a value is flagged with", "flags", words["flags"]
    yield "Why a column is empty", "the reason beside a dash", words["empty"]
    match = reason_codes()
    yield "Why a record is in no grade", "reason_code of rejections, stage match", match["match"]
    yield "Why a row became no price", "reason_code of rejections, stage normalise", match["normalise"]
    read = tomllib.loads(files("collectors").joinpath("reason_codes.toml").read_text(encoding="utf-8"))
    merged = {code: says for table in read.values() for code, says in table.items()}
    yield "Why a row, or a whole document, could not be read", "reason_code of rejections, stage read", merged
