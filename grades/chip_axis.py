"""Axes 1 and 2: which chip a name means, and in which form and memory it comes.

Form and memory are read from the name, from the source's own fields, or because the chip is made in one only. Two
statements that disagree make the axis not stated; so does a memory the chip does not come with.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from grades.lexicon import ChipName, Lexicon
from grades.text import gigabytes, key
from grades.words import Variant

# a stated memory counts as a nominal one within these bounds: sellers round, and write GiB for GB
_LOWEST = 0.935
_HIGHEST = 1.03
_EQUAL_GB = 0.5


@dataclass(frozen=True, slots=True)
class ChipDecision:
    """`form_memory` is a form letter and three digits of GB, Z and 000 where not stated."""

    chip: str
    chip_rule: str
    form_memory: str
    form_memory_rule: str


def chip_and_memory(
    table: Lexicon,
    *,
    source_id: str,
    chip_text: str | None,
    form_text: str | None,
    memory_text: str | None,
    memory_gb: Decimal | None,
) -> ChipDecision:
    """Decide both axes. `memory_gb` is GB per GPU; without it `memory_text` is read where it is a plain size."""
    if chip_text is None or not chip_text.strip():
        return ChipDecision("ZZ", "chip.not_stated", "Z000", "form.not_stated+memory.not_stated")
    said, chip_rule, is_form_read = _name(table, source_id, chip_text, form_text)
    if said is None:
        return ChipDecision("ZZ", chip_rule, "Z000", "form.not_stated+memory.not_stated")
    form, form_rule = _form(table, said, None if is_form_read else form_text)
    stated_gb = float(memory_gb) if memory_gb is not None else gigabytes(memory_text)
    memory, memory_rule = _memory(table, said, form, stated_gb)
    if form is None and memory is not None:
        form, form_rule = _form_of_memory(table, said.chip, memory, form_rule)
    code = f"{form or 'Z'}{memory or 0:03d}"
    return ChipDecision(said.chip, chip_rule, code, f"{form_rule}+{memory_rule}")


def _name(
    table: Lexicon, source_id: str, chip_text: str, form_text: str | None
) -> tuple[ChipName | None, str, bool]:
    """What the name says, its rule, and whether it was read together with the form field."""
    if form_text:
        found = table.chip_name(source_id, f"{chip_text}/{form_text}")
        if found:
            return found[0], "chip.name_and_form", True
    found = table.chip_name(source_id, chip_text)
    if found:
        return found[0], found[1], False
    return None, "chip.unknown_name", False


def _form(table: Lexicon, said: ChipName, form_text: str | None) -> tuple[str | None, str]:
    word = table.forms.get(key(form_text)) if form_text else None
    field = word.code if word else None
    refused = _form_refused(table, said, field) if field else None
    if refused:
        return None, refused
    if said.form or field:
        return (said.form, "form.name") if said.form else (field, "form.stated")
    made_in = {variant.form for variant in table.variants(said.chip)}
    if len(made_in) == 1:
        return next(iter(made_in)), "form.only_one"
    return None, "form.unknown_word" if form_text else "form.not_stated"


def _form_refused(table: Lexicon, said: ChipName, field: str) -> str | None:
    """The rule by which a stated form cannot be; None where it can."""
    chip = table.chips[said.chip]
    refused = {form: rule for form, rule in chip.refused_forms.items() if form == field}
    if refused:
        return refused.popitem()[1]
    if field not in {variant.form for variant in chip.variant}:
        return "form.not_made"
    return "form.conflict" if said.form and said.form != field else None


def _memory(
    table: Lexicon, said: ChipName, form: str | None, stated_gb: float | None
) -> tuple[int | None, str]:
    if stated_gb is not None:
        return _stated_memory(table, said, form, stated_gb)
    if said.memory_gb is not None:
        return said.memory_gb, "memory.name"
    made = {v.memory_gb for v in table.variants(said.chip, form) if not v.is_modified}
    if len(made) == 1:
        return next(iter(made)), "memory.only_one"
    return None, "memory.not_stated"


def _stated_memory(
    table: Lexicon, said: ChipName, form: str | None, stated_gb: float
) -> tuple[int | None, str]:
    sizes = {v.memory_gb for v in table.variants(said.chip) if _is_size(v, stated_gb)}
    if len(sizes) != 1:
        return None, "memory.contradicts_chip"
    (size,) = sizes
    if form is not None and size not in {v.memory_gb for v in table.variants(said.chip, form)}:
        return None, "memory.contradicts_form"
    if said.memory_gb is not None and said.memory_gb != size:
        return None, "memory.conflict"
    return size, "memory.stated"


def _is_size(variant: Variant, stated_gb: float) -> bool:
    if variant.memory_gb * _LOWEST <= stated_gb <= variant.memory_gb * _HIGHEST:
        return True
    return any(abs(stated_gb - also) <= _EQUAL_GB for also in variant.also_stated_gb)


def _form_of_memory(table: Lexicon, chip: str, memory: int, rule: str) -> tuple[str | None, str]:
    """A memory that only one form has, where the vocabulary says it may decide."""
    for variant in table.variants(chip):
        if variant.memory_gb == memory and variant.memory_decides_form and rule == "form.not_stated":
            return variant.form, variant.memory_decides_form
    return None, rule
