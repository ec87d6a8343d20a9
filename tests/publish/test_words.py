"""Every code that the index can put into a published row has words a buyer can read."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from decimal import Decimal

import pytest

from gpurent.publish.words import all_words, missing_reasons, tier_reason, value_in_words, values_in_words
from tests.conftest import ROOT
from warehouse.dictionary import dictionary


def modules() -> Iterator[ast.Module]:
    for path in sorted((ROOT / "index").rglob("*.py")):
        yield ast.parse(path.read_text(encoding="utf-8"))


def texts(node: ast.AST) -> set[str]:
    """The string constants in an expression that are its value, not its condition."""
    match node:
        case ast.Constant(value=str(text)):
            return {text}
        case ast.IfExp():
            return texts(node.body) | texts(node.orelse)
        case ast.BoolOp():
            return set().union(*(texts(value) for value in node.values))
    return set()


def test_every_flag_has_words() -> None:
    flags: set[str] = set()
    for module in modules():
        for node in ast.walk(module):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "append"
                and ast.unparse(node.func.value).endswith("flags")
            ):
                flags |= set().union(*(texts(argument) for argument in node.args))
    assert {"start", "restart", "wide", "synthetic_trades"} <= flags
    assert flags - all_words()["flags"].keys() == set()


def test_every_reason_for_a_day_without_a_value_has_words() -> None:
    reasons: set[str] = set()
    for module in modules():
        for node in ast.walk(module):
            if isinstance(node, ast.keyword) and node.arg == "reason":
                reasons |= texts(node.value)
    assert {"outage", "large_move", "unconfirmed"} <= reasons
    assert reasons - all_words()["withheld"].keys() == set()


def test_every_reason_for_an_empty_column_has_words() -> None:
    (function,) = [
        node
        for module in modules()
        for node in ast.walk(module)
        if isinstance(node, ast.FunctionDef) and node.name == "_missing"
    ]
    columns = dictionary().table("reference_prices").columns.keys() | {"published"}
    found = {
        node.value
        for node in ast.walk(function)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    codes = {text for text in found if text.replace("_", "").isalnum()} - columns
    assert {"no_trades", "too_few_pairs", "not_informative"} <= codes
    assert codes - all_words()["empty"].keys() == set()


def test_every_state_and_rule_of_the_filters_has_words() -> None:
    words = all_words()
    assert {"counted", "held", "pending", "frozen"} <= words["states"].keys()
    for rule in (
        "gate_pending",
        "jump_pending",
        "unit_step",
        "flapping",
        "flicker",
        "confirmed",
        "back_inside",
    ):
        assert rule in words["rules"]


def test_no_code_has_two_meanings_and_no_words_are_empty() -> None:
    text = (ROOT / "gpurent" / "publish" / "words.toml").read_text(encoding="utf-8")
    for kind, table in tomllib.loads(text).items():
        assert all(says.strip() for says in table.values()), kind
        assert len(set(table.values())) == len(table) or kind == "redistribution", kind


@pytest.mark.parametrize(
    ("axis", "value", "words"),
    [
        ("chip", "H100", "H100"),
        ("form_memory", "S080", "SXM module, 80 GB"),
        ("form_memory", "Z000", "form not stated, memory not stated"),
        ("lot", "C", "one full node"),
        ("fabric", "ZZ", "fabric not stated"),
        ("scope", "BM", "bare metal"),
        ("term", "1Y", "1 year committed"),
        ("place", "DE", "Germany"),
        ("place", "*", "anything, stated or not"),
    ],
)
def test_values_of_axes_are_said_in_words(axis: str, value: str, words: str) -> None:
    assert value_in_words(axis, value) == words


def test_many_places_are_counted_and_few_are_named() -> None:
    assert values_in_words("place", ["DE", "FR"]) == "Germany; France"
    assert values_in_words("place", [f"X{n}" for n in range(13)]) == "13 countries"
    assert values_in_words("lot", []) == ""


def test_figures_of_a_tier_are_per_cent() -> None:
    assert tier_reason("coverage_below_gate: overall 0.016, security 1.000") == (
        "too little is known (overall 2 %, security 100 %)"
    )
    assert tier_reason("too_few_peers: 3 of 8") == (
        "too few operators of this scope pass the gate for tiers to mean something (3 of 8)"
    )


def test_reasons_are_given_for_empty_columns_only() -> None:
    row = {
        "not_computed": '{"letter":"held","p25":"no_offers"}',
        "letter": None,
        "p25": Decimal(1),
        "flags": "",
    }
    assert missing_reasons(row) == {"letter": "held"}
