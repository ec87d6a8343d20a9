"""What rule ids and reason codes mean, in a sentence each: they are data, so that they can be listed and shown."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files


@cache
def reason_codes() -> Mapping[str, Mapping[str, str]]:
    """Stage (normalise, match) → code → sentence."""
    return _tables("reason_codes.toml")


@cache
def rules() -> Mapping[str, str]:
    """Rule id, such as `lot.stated`, → sentence."""
    return {
        f"{group}.{name}": says
        for group, found in _tables("rules.toml").items()
        for name, says in found.items()
    }


def explain_rule(rule: str) -> str:
    """The sentences of a rule, or of a pair joined by `+`; an id that is not in the file stands for itself."""
    return " ".join(rules().get(part, part) for part in rule.split("+"))


def _tables(name: str) -> dict[str, dict[str, str]]:
    return tomllib.loads(files("grades").joinpath(name).read_text(encoding="utf-8"))
