"""What kind of hour a stated row describes: the seven axes, each with the rule that decided it.

`decide` is a pure function of the row's words. An axis the words leave open holds its Z code; it is never filled
from another axis, from the price or with the common case. What each rule means stands in `grades/rules.toml`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from grades.chip_axis import chip_and_memory
from grades.lexicon import Lexicon, lexicon
from grades.place_axis import place_of
from grades.text import key
from grades.words import AxisWord

AXES = ("chip", "form_memory", "lot", "fabric", "scope", "term", "place")


class Decided(NamedTuple):
    """A code and the rule that decided it."""

    code: str
    rule: str


@dataclass(frozen=True, slots=True)
class StatedWords:
    """The words of a stated row that the axes are decided from.

    `memory_gb` is GB per GPU. `gpu_count` is the GPUs the price covers, `is_per_gpu` whether the price is stated
    for one GPU whatever is rented; then the count says nothing of the lot.
    """

    source_id: str
    operator_id: str
    chip_text: str | None = None
    form_text: str | None = None
    memory_text: str | None = None
    memory_gb: Decimal | None = None
    gpu_count: Decimal | None = None
    lot_min_gpus: int | None = None
    lot_max_gpus: int | None = None
    is_per_gpu: bool = False
    fabric_text: str | None = None
    scope_text: str | None = None
    term_text: str | None = None
    place_text: str | None = None
    class_text: str | None = None


@dataclass(frozen=True, slots=True)
class Axes:
    """The seven axes of one row."""

    chip: Decided
    form_memory: Decided
    lot: Decided
    fabric: Decided
    scope: Decided
    term: Decided
    place: Decided


def decide(words: StatedWords) -> Axes:
    """The axes of a row. Any words are taken; what they do not say stays not stated."""
    table = lexicon()
    found = chip_and_memory(
        table,
        source_id=words.source_id,
        chip_text=words.chip_text,
        form_text=words.form_text,
        memory_text=words.memory_text,
        memory_gb=words.memory_gb,
    )
    is_slice = words.gpu_count is not None and words.gpu_count < 1
    if is_slice:
        # the form and memory of a card are not those of a part of it
        form_memory = Decided("Z000", "form_memory.slice_of_gpu")
    else:
        form_memory = Decided(found.form_memory, found.form_memory_rule)
    lot = _lot(table, words, is_rack=found.form_memory.startswith("R"))
    return Axes(
        chip=Decided(found.chip, found.chip_rule),
        form_memory=form_memory,
        lot=lot,
        fabric=_fabric(table, words.fabric_text, lot.code),
        scope=_scope(table, words),
        term=_term(table, words),
        place=Decided(*place_of(table, words.source_id, words.operator_id, words.place_text)),
    )


def _lot(table: Lexicon, words: StatedWords, *, is_rack: bool) -> Decided:
    """The smallest number of GPUs the stated price can be bought for, as a band."""
    if words.lot_min_gpus is not None:
        is_range = words.lot_max_gpus != words.lot_min_gpus
        rule = "lot.stated_minimum" if is_range else "lot.stated"
        return Decided(lot_band(table, words.lot_min_gpus, is_rack=is_rack), rule)
    if words.gpu_count is None or words.is_per_gpu:
        return Decided("Z", "lot.not_stated")
    if words.gpu_count < 1:
        return Decided("Z", "lot.slice_of_gpu")
    if words.gpu_count != words.gpu_count.to_integral_value():
        return Decided("Z", "lot.not_whole")
    return Decided(lot_band(table, int(words.gpu_count), is_rack=is_rack), "lot.instance_size")


def lot_band(table: Lexicon, gpus: int, *, is_rack: bool = False) -> str:
    """A number of GPUs (at least 1) as a lot: A one, B less than a node, C a node, D from two nodes, E, F."""
    bounds = table.axes.lot_bounds
    node = bounds.rack_tray_gpus if is_rack else bounds.node_gpus
    bands = [(1, "A"), (node - 1, "B"), (2 * node - 1, "C"), (bounds.two_nodes_end, "D")]
    for last, code in [*bands, (bounds.hundreds_end, "E")]:
        if gpus <= last:
            return code
    return "F"


def _fabric(table: Lexicon, text: str | None, lot: str) -> Decided:
    if lot == "A":
        return Decided("NA", "fabric.single_gpu")
    return _word(table.fabrics, text, "fabric", "ZZ")


def _scope(table: Lexicon, words: StatedWords) -> Decided:
    """An endpoint is one wherever the row says so; otherwise only the scope's own words count."""
    for text in (words.scope_text, words.term_text, words.class_text):
        found = table.scopes.get(key(text)) if text else None
        if found and found.code == "MI":
            return Decided("MI", found.rule)
    return _word(table.scopes, words.scope_text, "scope", "ZZ")


def _term(table: Lexicon, words: StatedWords) -> Decided:
    """From the term's words; where they say nothing, from the words for the class of offer."""
    stated = _word(table.terms, words.term_text, "term", "ZZ")
    if stated.code != "ZZ" or not words.class_text:
        return stated
    found = table.terms.get(key(words.class_text))
    return Decided(found.code, found.rule) if found else stated


def _word(words: Mapping[str, AxisWord], text: str | None, axis: str, open_code: str) -> Decided:
    if text is None or not text.strip():
        return Decided(open_code, f"{axis}.not_stated")
    found = words.get(key(text))
    return Decided(found.code, found.rule) if found else Decided(open_code, f"{axis}.unknown_word")


decide_once = lru_cache(maxsize=65536)(decide)
