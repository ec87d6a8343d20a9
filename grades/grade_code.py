"""The readable code of a grade: `CHIP-FMEM-LOT-FABRIC-SCOPE-TERM-PLACE-CHECK`, with `.BUCKET` and `@version` behind.

The last part is a check character by ISO 7064 MOD 37,36 over all other letters and digits, hyphens skipped: any one
wrong character, and nearly any swap of neighbours, gives a code that is refused. A code without a bucket means `.ALL`.
Specifications write Y for "any" on an axis, observations Z for "not stated".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from gpurent.core.errors import UsageError
from grades.lexicon import Lexicon, lexicon

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
PARTS = ("CHIP", "FMEM", "LOT", "FABRIC", "SCOPE", "TERM", "PLACE", "CHECK")
EXAMPLE = "H100-S080-C-NV-VM-OD-US-7"
_FORM_MEMORY = re.compile(r"^([A-Z])(\d{3})$")
_VERSION = re.compile(r"^\d{4}\.\d+$")


@dataclass(frozen=True, slots=True)
class GradeCode:
    """A code taken apart. `bucket` is ALL where none was written, `version` None."""

    chip: str
    form_memory: str
    lot: str
    fabric: str
    scope: str
    term: str
    place: str
    bucket: str = "ALL"
    version: str | None = None

    @property
    def axes(self) -> tuple[str, ...]:
        return (self.chip, self.form_memory, self.lot, self.fabric, self.scope, self.term, self.place)

    @property
    def check(self) -> str:
        return check_character("".join(self.axes))

    @property
    def code(self) -> str:
        """The specification's code, without bucket and version."""
        return "-".join((*self.axes, self.check))

    def __str__(self) -> str:
        bucket = "" if self.bucket == "ALL" else f".{self.bucket}"
        version = f"@{self.version}" if self.version else ""
        return f"{self.code}{bucket}{version}"


def check_character(body: str) -> str:
    """ISO 7064 MOD 37,36 over the letters and digits of `body`; hyphens are skipped.

    Raises UsageError for any other character and for an empty body.
    """
    product = 36
    characters = body.replace("-", "")
    if not characters:
        raise UsageError("there is nothing to compute a check character from")
    for character in characters:
        value = ALPHABET.find(character)
        if value < 0:
            raise UsageError(f"{character!r} cannot stand in a grade code: letters A to Z and digits only")
        total = (product + value) % 36 or 36
        product = total * 2 % 37
    return ALPHABET[(37 - product) % 36]


def parse_code(text: str) -> GradeCode:
    """Read a code; lower case is taken as capitals. UsageError says which part is wrong and what would be right."""
    written = text.strip()
    body, at, version = written.upper().partition("@")
    if at and not _VERSION.match(version):
        raise UsageError(f"{written}: {version!r} is no version; write it as @2026.1, after the bucket")
    code, dot, bucket = body.partition(".")
    table = lexicon()
    if dot and bucket not in (known := [word.code for word in table.axes.bucket]):
        raise UsageError(f"{written}: {bucket!r} is no bucket; buckets are {', '.join(known)}")
    parts = code.split("-")
    if len(parts) != len(PARTS):
        raise UsageError(
            f"{written}: a grade code has {len(PARTS)} parts with hyphens between them, "
            f"{'-'.join(PARTS)}, such as {EXAMPLE}; this has {len(parts)}"
        )
    *axes, check = parts
    for problem in _problems(table, axes):
        raise UsageError(f"{written}: {problem}")
    should_be = check_character("".join(axes))
    if check != should_be:
        raise UsageError(
            f"{written}: the check character is {check!r} and would be {should_be!r} for these parts "
            f"({'-'.join((*axes, should_be))}); one of them may be mistyped"
        )
    return replace(GradeCode(*axes), bucket=bucket if dot else "ALL", version=version or None)


def format_code(chip: str, form_memory: str, lot: str, fabric: str, scope: str, term: str, place: str) -> str:
    """The code of seven axis values, check character included. UsageError for a value that is not one."""
    axes = (chip, form_memory, lot, fabric, scope, term, place)
    table = lexicon()
    for problem in _problems(table, axes):
        raise UsageError(problem)
    return GradeCode(*axes).code


def describe(code: GradeCode) -> dict[str, str]:
    """Each axis in words, in the order of the code, and the bucket."""
    table = lexicon()
    letter, memory = code.form_memory[0], code.form_memory[1:]
    size = "memory not stated" if memory == "000" else f"{int(memory)} GB"
    return {
        "chip": "chip not stated" if code.chip == "ZZ" else f"{table.chips[code.chip].vendor} {code.chip}",
        "form_memory": f"{_words(table, 'FORM')[letter]}, {size}",
        "lot": _words(table, "LOT")[code.lot],
        "fabric": _words(table, "FABRIC")[code.fabric],
        "scope": _words(table, "SCOPE")[code.scope],
        "term": _words(table, "TERM")[code.term],
        "place": _place_words(table, code.place),
        "bucket": _words(table, "BUCKET")[code.bucket],
    }


def _problems(table: Lexicon, axes: Sequence[str]) -> Iterator[str]:
    """What is wrong with the seven axis values, part by part, and then with chip and memory together."""
    found = [_problem(table, part, value) for part, value in zip(PARTS, axes, strict=False)]
    yield from filter(None, found)
    chip, memory = axes[0], axes[1][1:]
    if any(found) or chip == "ZZ" or memory == "000":
        return
    sizes = sorted({f"{variant.memory_gb:03d}" for variant in table.variants(chip)})
    if memory not in sizes:
        yield f"{axes[1]!r} is no form and memory of the {chip}, which comes with {' or '.join(sizes)} GB"


def _problem(table: Lexicon, part: str, value: str) -> str | None:
    """What is wrong with the value of one part; None when nothing is."""
    if part == "CHIP":
        is_chip = value == "ZZ" or value in table.chips
        return None if is_chip else f"{value!r} is no chip of the vocabulary"
    if part == "FMEM":
        return _form_memory_problem(table, value)
    if part == "PLACE":
        is_place = value in ("YY", "ZZ") or value in table.countries or value in table.groups
        others = f"nor one of {', '.join(table.groups)}, YY (any) or ZZ (not stated)"
        return None if is_place else f"{value!r} is no ISO 3166 country, {others}"
    known = _words(table, part)
    return None if value in known else f"{value!r} is no {part.lower()}; there are {', '.join(known)}"


def _form_memory_problem(table: Lexicon, value: str) -> str | None:
    forms = _words(table, "FORM")
    match = _FORM_MEMORY.match(value)
    if match is not None and match[1] in forms:
        return None
    return (
        f"{value!r} is no form and memory: write the letter of the form ({', '.join(forms)}) and three digits "
        "of GB, such as S080"
    )


def _words(table: Lexicon, part: str) -> dict[str, str]:
    entries = getattr(table.axes, part.lower())
    return {entry.code: entry.words for entry in entries}


def _place_words(table: Lexicon, place: str) -> str:
    if place in table.groups:
        return table.groups[place][0]
    fixed = {"YY": "any place", "ZZ": "place not stated"}
    return fixed.get(place) or table.country_words.get(place, place)
