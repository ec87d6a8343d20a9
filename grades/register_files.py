"""The registers as files: packaged ones and a user's own beside them, read once and known by a content hash.

A user's folder (`registers/`) may hold `operators/*.toml`, `specs/*.toml` and `evidence/*.toml`. An operator there
with a packaged id adds names and facts to it; everything else is added as it is. Ids are never used twice. A file of
comments alone says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib.resources import files
from pathlib import Path

from gpurent.core.errors import ConfigError, NotFoundError, UsageError
from gpurent.core.files import register_bytes
from gpurent.core.ids import content_id, sha256_hex
from grades.grade_code import GradeCode, parse_code
from grades.lexicon import lexicon, read_toml, vocabulary_bytes
from grades.records import (
    AnyFile,
    EvidenceFile,
    Operator,
    OperatorsFile,
    Spec,
    SpecsFile,
    TierScheme,
)
from grades.text import key

AXES_ACCEPTED = ("chip", "form_memory", "lot", "fabric", "scope", "term", "place")
ANY = "*"
OWN = "registers/"


@dataclass(frozen=True)
class Registers:
    """All registers of one version. `operator_names` maps the key of a name to the operator.

    `stated_in` names the files of an operator's or specification's id, `evidence_files` that of each evidence file.
    """

    version: str
    operators: Mapping[str, Operator]
    operator_names: Mapping[str, str]
    specs: tuple[Spec, ...]
    any_values: Mapping[str, list[str]]
    evidence: tuple[EvidenceFile, ...]
    scheme: TierScheme
    stated_in: Mapping[str, tuple[str, ...]]
    evidence_files: tuple[str, ...]

    def operator_id(self, text: str) -> str | None:
        """The operator a source's name means; None for a name that is not registered."""
        return self.operator_names.get(key(text))

    def accepted(self, spec: Spec) -> dict[str, list[str]]:
        """Axis → values that may enter the specification; `*` is every value."""
        code = parse_code(spec.code)
        return {
            axis: spec.accepts.get(axis) or self._by_code(axis, value)
            for axis, value in zip(AXES_ACCEPTED, code.axes, strict=True)
        }

    def _by_code(self, axis: str, value: str) -> list[str]:
        if axis in self.any_values and value in ("Y", "YY"):
            return self.any_values[axis]
        groups = lexicon().groups
        return sorted(groups[value][1]) if axis == "place" and value in groups else [value]


_loaded: dict[str, Registers] = {}
# the same files in another folder are the same registers under other names
_loaded_from: dict[tuple[str, Path], Registers] = {}


def load_registers(overlay: Path | None = None) -> Registers:
    """The registers, checked. Raises ConfigError naming file and entry; `overlay` need not exist."""
    bodies = dict(_files(overlay))
    digest = sha256_hex(
        "".join(f"{name}:{sha256_hex(body)}\n" for name, body in sorted(bodies.items())).encode()
    )
    version = content_id("reg", digest)
    place = overlay or Path(OWN)
    if (version, place) not in _loaded_from:
        _loaded[version] = _loaded_from[version, place] = _checked(_read(version, bodies, place))
    return _loaded_from[version, place]


def registers_at(version: str) -> Registers:
    """The registers of a version that this process loaded, or the packaged ones where they are that version."""
    if version not in _loaded and load_registers().version != version:
        raise NotFoundError(
            f"the registers {version} are not loaded here: run grades.registers.sync first, with the same folder"
        )
    return _loaded[version]


def _files(overlay: Path | None) -> Iterator[tuple[str, bytes]]:
    """Name and body of every register file; a user's files begin with `registers/`, wherever they lie."""
    yield from vocabulary_bytes()
    yield from _packaged()
    if overlay is None:
        return
    for folder in ("operators", "specs", "evidence"):
        for path in sorted((overlay / folder).glob("*.toml")) if (overlay / folder).is_dir() else []:
            body = register_bytes(path)
            if any(line.strip() and not line.lstrip().startswith(b"#") for line in body.splitlines()):
                yield f"{OWN}{folder}/{path.name}", body


@cache
def _packaged() -> tuple[tuple[str, bytes], ...]:
    root = files("grades")
    found = [("tier_scheme.toml", root.joinpath("tier_scheme.toml").read_bytes())]
    for folder in ("operators", "specs", "evidence"):
        entries = sorted(root.joinpath(folder).iterdir(), key=lambda entry: entry.name)
        found += [(f"{folder}/{e.name}", e.read_bytes()) for e in entries if e.name.endswith(".toml")]
    return tuple(found)


def _read(version: str, bodies: Mapping[str, bytes], overlay: Path) -> Registers:
    operators: dict[str, Operator] = {}
    specs: list[Spec] = []
    evidence: list[tuple[str, EvidenceFile]] = []
    stated_in: dict[str, tuple[str, ...]] = {}

    def state(entry_id: str, file: str) -> None:
        stated_in[entry_id] = (*stated_in.get(entry_id, ()), file)

    for name, body in sorted(bodies.items(), key=lambda entry: (entry[0].startswith(OWN), entry[0])):
        folder = name.removeprefix(OWN).partition("/")[0]
        shown = str(overlay / name.removeprefix(OWN)) if name.startswith(OWN) else f"grades/{name}"
        if folder == "operators":
            for operator in read_toml(body, shown, OperatorsFile).operator:
                operators[operator.operator_id] = _joined(name, operators.get(operator.operator_id), operator)
                state(operator.operator_id, shown)
        elif folder == "evidence":
            evidence.append((shown, read_toml(body, shown, EvidenceFile)))
        elif folder == "specs" and name != "specs/any.toml":
            for spec in read_toml(body, shown, SpecsFile).spec:
                specs.append(spec)
                state(spec.spec_id, shown)
    return Registers(
        version=version,
        operators=dict(sorted(operators.items())),
        operator_names=_names(operators.values(), stated_in),
        specs=tuple(sorted(specs, key=lambda spec: spec.spec_id)),
        any_values=read_toml(bodies["specs/any.toml"], "grades/specs/any.toml", AnyFile).any,
        evidence=tuple(file for _, file in evidence),
        stated_in=stated_in,
        evidence_files=tuple(shown for shown, _ in evidence),
        scheme=read_toml(bodies["tier_scheme.toml"], "grades/tier_scheme.toml", TierScheme),
    )


def _joined(file: str, have: Operator | None, more: Operator) -> Operator:
    if have is None:
        return more
    if not file.startswith(OWN):
        raise ConfigError(f"grades/{file}: operator {more.operator_id} stands in two files")
    names = {origin: [*have.names.get(origin, []), *found] for origin, found in more.names.items()}
    return have.model_copy(update={"names": {**have.names, **names}, "fact": [*have.fact, *more.fact]})


def _names(operators: Iterable[Operator], stated_in: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for operator in operators:
        said = [
            operator.operator_id,
            operator.name,
            *(name for names in operator.names.values() for name in names),
        ]
        for name in said:
            if found.setdefault(key(name), operator.operator_id) != operator.operator_id:
                both = found[key(name)], operator.operator_id
                files = dict.fromkeys(file for one in both for file in stated_in[one])
                raise ConfigError(
                    f"{', '.join(files)}: names: {name!r} is a name of both {' and '.join(both)}"
                )
    return found


def _checked(registers: Registers) -> Registers:
    """Rules over all files: known operators, permanent ids used once, codes that read, parents that exist."""
    _check_unique(registers, "spec_id", [(spec.spec_id, spec) for spec in registers.specs])
    codes = {spec.code for spec in registers.specs}
    for spec in registers.specs:
        file = registers.stated_in[spec.spec_id][-1]
        try:
            code = parse_code(spec.code)
        except UsageError as error:
            raise ConfigError(f"{file}: code: {error}") from None
        for problem in _spec_problems(registers, spec, code, codes):
            raise ConfigError(f"{file}: {spec.code}: {problem}")
    _check_parents(registers)
    versions = [(f"{spec.code}@{spec.version}", spec) for spec in registers.specs]
    _check_unique(registers, "code and version", versions)
    named: dict[str, str] = {}
    for spec in registers.specs:
        for bucket, grade_id in spec.grades.items():
            grade = f"{spec.code}.{bucket}"
            if named.setdefault(grade_id, grade) != grade:
                file = registers.stated_in[spec.spec_id][-1]
                raise ConfigError(
                    f"{file}: grades: grade_id {grade_id} stands for {named[grade_id]} and {grade}"
                )
    for file, entry in zip(registers.evidence_files, registers.evidence, strict=True):
        if entry.operator_id not in registers.operators:
            raise ConfigError(f"{file}: operator_id: {entry.operator_id} is not in the register of operators")
    return registers


def _spec_problems(registers: Registers, spec: Spec, code: GradeCode, codes: set[str]) -> Iterator[str]:
    if code.bucket != "ALL" or code.version is not None or spec.code != code.code:
        yield "code: is written without bucket and version, in capitals"
    if spec.parent is not None and spec.parent not in codes:
        yield f"parent: {spec.parent} is no specification"
    unknown = spec.accepts.keys() - set(AXES_ACCEPTED) or spec.grades.keys() - {
        word.code for word in lexicon().axes.bucket
    }
    if unknown:
        yield f"{', '.join(sorted(unknown))} is no axis or bucket"
    if code.form_memory[0] == "Y" and "form_memory" not in spec.accepts:
        yield "accepts: takes any form and must list the forms and memories it accepts"
    if not set(registers.accepted(spec)["chip"]) <= lexicon().chips.keys():
        yield "accepts: has a chip that is not in the vocabulary"
    if ("T12" not in spec.grades and {"T1", "T2"} & spec.grades.keys()) or "ALL" not in spec.grades:
        yield "grades: every specification has ALL, and T12 above T1 and T2"


def _check_parents(registers: Registers) -> None:
    """No specification is above itself, by whatever way."""
    # of a code's versions each may have another parent, so all of them are followed
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for spec in registers.specs:
        sorter.add(spec.code, *([spec.parent] if spec.parent else []))
    try:
        sorter.prepare()
    except CycleError as error:
        circle = error.args[1]
        spec = next(one for one in registers.specs if one.code in circle)
        file = registers.stated_in[spec.spec_id][-1]
        raise ConfigError(f"{file}: {spec.code}: parent: leads back to {spec.code} itself") from None


def _check_unique(registers: Registers, what: str, values: Iterable[tuple[str, Spec]]) -> None:
    """Every value stands once; a second one is named with the files of both."""
    first: dict[str, Spec] = {}
    for value, spec in values:
        if value in first:
            files = dict.fromkeys(
                [*registers.stated_in[first[value].spec_id], *registers.stated_in[spec.spec_id]]
            )
            raise ConfigError(f"{', '.join(files)}: {what} used twice: {value}")
        first[value] = spec
