"""Rule ids and reason codes are data: every one in use is explained, and none is explained that is not in use."""

from __future__ import annotations

import re
from importlib.resources import files

from grades.explanations import explain_rule, reason_codes, rules
from grades.lexicon import lexicon

_RULE = re.compile(
    r"""["'](?:operator|chip|form|memory|form_memory|lot|fabric|scope|term|place|match)\.[a-z0-9_]+["']"""
)
_REASON = re.compile(r"(?:THEN|ELSE) '([a-z_]+)'")


def _sources() -> dict[str, str]:
    root = files("grades")
    python = {e.name: e.read_text() for e in root.iterdir() if e.name.endswith(".py")}
    sql = {e.name: e.read_text() for e in root.joinpath("sql").iterdir()}
    words = {name: root.joinpath("vocabulary", name).read_text() for name in ("axes.toml", "chips.toml")}
    return python | sql | words


def test_every_rule_in_use_is_explained_and_every_explained_rule_is_in_use() -> None:
    used = {found.strip("\"'") for text in _sources().values() for found in _RULE.findall(text)}
    # written with the axis as a parameter
    used |= {
        f"{axis}.{end}" for axis in ("fabric", "scope", "term") for end in ("not_stated", "unknown_word")
    }
    assert used == set(rules())


def test_every_reason_in_use_is_explained_and_every_explained_reason_is_in_use() -> None:
    sources = _sources()
    normalise = set(_REASON.findall(sources["30_priced.sql"]))
    match = {
        reason
        for name in ("50_batch_records.sql", "62_matches.sql")
        for reason in _REASON.findall(sources[name])
        if reason not in ("match", "axes")
    }
    assert normalise == set(reason_codes()["normalise"])
    assert match == set(reason_codes()["match"])


def test_every_sentence_is_one() -> None:
    sentences = [*rules().values(), *(text for group in reason_codes().values() for text in group.values())]
    assert all(not text[0].islower() and text.endswith(".") for text in sentences)
    assert explain_rule("form.rule_94_is_nvl+memory.stated").startswith("94 GB on an H100")


def test_words_of_an_axis_never_mean_two_values() -> None:
    # loading refuses it; the tables are then as long as their distinct names
    table = lexicon()
    assert table.terms["spot"].code == "SP"
    assert table.scopes["vm"].code == "VM"
