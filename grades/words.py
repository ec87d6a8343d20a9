"""The shapes of the vocabulary files. Loading and looking up is `grades.lexicon`."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Names = dict[str, list[str]]
Url = Annotated[str, Field(pattern=r"^https?://\S+$")]
FormLetter = Literal["S", "P", "N", "O", "R", "C", "Z"]
Positive = Annotated[float, Field(gt=0)]


class Words(BaseModel):
    """An entry of a register file: a field that is not known is an error, so that a slip cannot pass."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class AxisWord(Words):
    """A value of an axis, in words, with the words sources use for it and the rule that reads them."""

    code: str
    words: str
    rule: str = ""
    names: list[str] = Field(default_factory=list)


class TermWord(AxisWord):
    """A term; `months` is the commitment in months, 0 for none."""

    months: int


class LotBounds(Words):
    """GPUs of a full node (of an NVL72 tray), and the last number of the bands after it."""

    node_gpus: int
    rack_tray_gpus: int
    two_nodes_end: int
    hundreds_end: int


class AxesFile(Words):
    form: list[AxisWord]
    lot: list[AxisWord]
    lot_bounds: LotBounds
    fabric: list[AxisWord]
    scope: list[AxisWord]
    term: list[TermWord]
    bucket: list[AxisWord]


class Variant(Words):
    """Form and memory a chip is made in, with figures per GPU where a source was read.

    GB, GB/s, dense TFLOPS, W. `memory_decides_form` names the rule where no other form has this memory.
    """

    form: FormLetter
    memory_gb: Annotated[int, Field(gt=0, lt=1000)]
    also_stated_gb: list[Positive] = Field(default_factory=list)
    is_modified: bool = False
    memory_decides_form: str = ""
    memory_type: str = ""
    bandwidth_gb_s: Positive | None = None
    bf16_tflops: Positive | None = None
    fp8_tflops: Positive | None = None
    tdp_w: Positive | None = None
    launched: str = ""
    sources: list[Url] = Field(default_factory=list)
    read_on: date | None = None
    note: str = ""


class NameEntry(Words):
    """Names that say a form or a memory beside the chip, by origin."""

    form: FormLetter | None = None
    memory_gb: int | None = None
    names: Names


class Chip(Words):
    chip: Annotated[str, Field(pattern=r"^[A-Z0-9]+$")]
    vendor: str
    generation: str
    confusable_with: list[str] = Field(default_factory=list)
    note: str = ""
    refused_forms: dict[FormLetter, str] = Field(default_factory=dict)
    names: Names = Field(default_factory=dict)
    variant: Annotated[list[Variant], Field(min_length=1)]
    open: list[NameEntry] = Field(default_factory=list)
    only: list[NameEntry] = Field(default_factory=list)


class ChipsFile(Words):
    chip: list[Chip]


class Origin(Words):
    """Where names were met, and between which days."""

    id: str
    title: str
    url: str
    seen_from: date
    seen_to: date


class OriginsFile(Words):
    origin: list[Origin]


class CountryGroup(Words):
    code: str
    words: str
    countries: list[str]


class CountriesFile(Words):
    also_us_states: list[str]
    writes_country_codes: dict[str, Url]
    countries: dict[str, list[str]]
    group: list[CountryGroup]


class RegionTable(Words):
    """Region → [country, place]; `basis` cited, name (only the name itself speaks) or uncited."""

    basis: Literal["cited", "name", "uncited"]
    url: str
    read_on: date
    regions: dict[str, Annotated[list[str], Field(min_length=1, max_length=2)]]


class OperatorRegions(Words):
    operator_id: str
    table: list[RegionTable]


class RegionsFile(Words):
    operator: list[OperatorRegions]
