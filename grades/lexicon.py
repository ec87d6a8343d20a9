"""The vocabulary as loaded: chips, axis words and places, each found by a whole name.

Files lie in `grades/vocabulary/`; their headers say what an entry means. A name that stands twice for different
things in one place is an error while loading, never a silent choice.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

from pydantic import ValidationError

from gpurent.core.errors import ConfigError
from grades.text import key, without_vendor
from grades.words import (
    AxesFile,
    AxisWord,
    Chip,
    ChipsFile,
    CountriesFile,
    OriginsFile,
    RegionsFile,
    TermWord,
    Variant,
    Words,
)

FILES = ("axes", "chips", "countries", "origins", "regions")
_Model = TypeVar("_Model", bound=Words)


@dataclass(frozen=True, slots=True)
class ChipName:
    """What a name says: the chip, and a form and a memory in GB where the name says them."""

    chip: str
    form: str | None = None
    memory_gb: int | None = None


@dataclass(frozen=True, slots=True)
class Region:
    """Country of a region (None: not one country, or not known) and the basis of saying so."""

    country: str | None
    basis: str


@dataclass(frozen=True)
class Lexicon:
    """All tables of the vocabulary. Words are found by `grades.text.key`, exact spellings first."""

    axes: AxesFile
    chips: Mapping[str, Chip]
    exact_names: Mapping[str, ChipName]
    names: Mapping[str, ChipName]
    names_in: Mapping[str, Mapping[str, ChipName]]
    regions: Mapping[tuple[str, str], Region]
    countries: frozenset[str]
    country_names: Mapping[str, str]
    country_words: Mapping[str, str]
    also_us_states: frozenset[str]
    writes_country_codes: frozenset[str]
    groups: Mapping[str, tuple[str, frozenset[str]]]
    forms: Mapping[str, AxisWord]
    fabrics: Mapping[str, AxisWord]
    scopes: Mapping[str, AxisWord]
    terms: Mapping[str, TermWord]

    def chip_name(self, source_id: str, text: str) -> tuple[ChipName, str] | None:
        """What a source's name for a chip says, with the rule that read it; None for a name not in the files."""
        if found := self.exact_names.get(text):
            return found, "chip.name"
        if found := self.names_in.get(source_id, {}).get(key(text)):
            return found, "chip.name_in_source"
        if found := self.names.get(key(text)):
            return found, "chip.name_respelled"
        short = without_vendor(text)
        if short and (found := self.names.get(key(short))):
            return found, "chip.name_without_maker"
        return None

    def variants(self, chip: str, form: str | None = None) -> list[Variant]:
        """What a card of that name can be, in one form or in all."""
        return [v for v in self.chips[chip].variant if form is None or v.form == form]


@cache
def lexicon() -> Lexicon:
    """The packaged vocabulary. Raises ConfigError naming the file and entry when it contradicts itself."""
    axes = _load("axes", AxesFile)
    chips = _load("chips", ChipsFile)
    countries = _load("countries", CountriesFile)
    origins = {origin.id for origin in _load("origins", OriginsFile).origin}
    exact, names, names_in = _chip_names(chips.chip, origins)
    codes = frozenset(countries.countries)
    return Lexicon(
        axes=axes,
        chips=_unique("chips", ((chip.chip, chip) for chip in chips.chip)),
        exact_names=exact,
        names=names,
        names_in=names_in,
        regions=_regions(_load("regions", RegionsFile), codes),
        countries=codes,
        country_names=_unique(
            "countries", ((key(name), code) for code, said in countries.countries.items() for name in said)
        ),
        country_words={code: said[0] for code, said in countries.countries.items() if said},
        also_us_states=frozenset(countries.also_us_states),
        writes_country_codes=frozenset(countries.writes_country_codes),
        groups={group.code: (group.words, frozenset(group.countries)) for group in countries.group},
        forms=_by_name("axes", axes.form),
        fabrics=_by_name("axes", axes.fabric),
        scopes=_by_name("axes", axes.scope),
        terms=_by_name("axes", axes.term),
    )


def vocabulary_bytes() -> Iterator[tuple[str, bytes]]:
    """Name and body of every file of the vocabulary, for the register version."""
    folder = files("grades").joinpath("vocabulary")
    for name in FILES:
        yield f"vocabulary/{name}.toml", folder.joinpath(f"{name}.toml").read_bytes()


def read_toml(body: bytes, shown_name: str, model: type[_Model]) -> _Model:
    """A register file as its model. ConfigError names the file, the entry and the field."""
    try:
        return model.model_validate(tomllib.loads(body.decode("utf-8")))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{shown_name}: {error}") from None
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}"
            for problem in error.errors(include_url=False)
        )
        raise ConfigError(f"{shown_name}: {problems}") from None


def _load(name: str, model: type[_Model]) -> _Model:
    body = files("grades").joinpath("vocabulary").joinpath(f"{name}.toml").read_bytes()
    return read_toml(body, f"grades/vocabulary/{name}.toml", model)


_Value = TypeVar("_Value")


def _unique(file: str, pairs: Iterable[tuple[Any, _Value]]) -> dict[Any, _Value]:
    """A table in which a key may stand twice only for the same thing."""
    found: dict[Any, _Value] = {}
    for name, value in pairs:
        if found.setdefault(name, value) != value:
            raise ConfigError(f"grades/vocabulary/{file}.toml: {name!r} means both {found[name]} and {value}")
    return found


_Word = TypeVar("_Word", bound=AxisWord)


def _by_name(file: str, words: Iterable[_Word]) -> dict[str, _Word]:
    return _unique(file, ((key(name), word) for word in words for name in word.names))


def _chip_names(
    chips: Iterable[Chip], origins: set[str]
) -> tuple[dict[str, ChipName], dict[str, ChipName], dict[str, dict[str, ChipName]]]:
    general: list[tuple[str, ChipName]] = []
    own: dict[str, list[tuple[str, ChipName]]] = {}
    for chip in chips:
        said = [(ChipName(chip.chip), chip.names)]
        said += [(ChipName(chip.chip, entry.form, entry.memory_gb), entry.names) for entry in chip.open]
        for meaning, table in said:
            _known_origins(chip.chip, table, origins)
            general += [(name, meaning) for names in table.values() for name in names]
        for entry in chip.only:
            _known_origins(chip.chip, entry.names, origins)
            for source_id, names in entry.names.items():
                meaning = ChipName(chip.chip, entry.form, entry.memory_gb)
                own.setdefault(source_id, []).extend((key(name), meaning) for name in names)
    exact = _unique("chips", general)
    respelled = _unique("chips", ((key(name), meaning) for name, meaning in general))
    return exact, respelled, {source_id: _unique("chips", pairs) for source_id, pairs in own.items()}


def _known_origins(chip: str, table: Mapping[str, list[str]], origins: set[str]) -> None:
    unknown = table.keys() - origins
    if unknown:
        raise ConfigError(
            f"grades/vocabulary/chips.toml: {chip}: {', '.join(sorted(unknown))} is not in origins.toml"
        )


def _regions(file: RegionsFile, countries: frozenset[str]) -> dict[tuple[str, str], Region]:
    pairs = []
    for operator in file.operator:
        for table in operator.table:
            for name, entry in table.regions.items():
                country = entry[0] or None
                if country is not None and country not in countries:
                    raise ConfigError(
                        f"grades/vocabulary/regions.toml: {operator.operator_id} {name}: {country}"
                    )
                pairs.append(((operator.operator_id, key(name)), Region(country, table.basis)))
    return _strongest(pairs)


def _strongest(pairs: Iterable[tuple[tuple[str, str], Region]]) -> dict[tuple[str, str], Region]:
    """One entry a region: a cited one before what a name says, that before an uncited one; never two countries."""
    order = {"cited": 0, "name": 1, "uncited": 2}
    found: dict[tuple[str, str], Region] = {}
    for name, region in pairs:
        have = found.get(name)
        if have and have.country and region.country and have.country != region.country:
            raise ConfigError(
                f"grades/vocabulary/regions.toml: {name} lies in {have.country} and {region.country}"
            )
        if have is None or order[region.basis] < order[have.basis]:
            found[name] = region
    return found
