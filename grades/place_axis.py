"""Axis 7: the country the machine stands in, from the operator's region names or from what the text itself says.

The company's seat never decides. A region read somewhere that cannot be named counts for nothing.
"""

from __future__ import annotations

from grades.lexicon import Lexicon, Region
from grades.text import key

_REGION_RULES = {"cited": "place.region", "name": "place.region_name"}
NOT_STATED = "ZZ"


def place_of(table: Lexicon, source_id: str, operator_id: str, text: str | None) -> tuple[str, str]:
    """Country code and rule. `Texas, US`, `US`, `United States` and region names of the operator are read."""
    if text is None or not text.strip():
        return NOT_STATED, "place.not_stated"
    region = table.regions.get((operator_id, key(text)))
    if region is not None:
        return _of_region(region)
    head, comma, last = text.rpartition(",")
    last = last.strip()
    if last not in table.countries:
        return _named(table, head, last, has_head=bool(comma))
    if last in table.also_us_states and source_id not in table.writes_country_codes:
        return NOT_STATED, "place.country_or_state"
    return last, "place.country_suffix" if comma else "place.country_code"


def _of_region(region: Region) -> tuple[str, str]:
    if region.basis not in _REGION_RULES:
        return NOT_STATED, "place.region_uncited"
    if region.country is None:
        return NOT_STATED, "place.not_one_country"
    return region.country, _REGION_RULES[region.basis]


def _named(table: Lexicon, head: str, last: str, *, has_head: bool) -> tuple[str, str]:
    """A country's name alone or behind a place; a list of countries names none."""
    country = table.country_names.get(key(last))
    if country is None:
        return NOT_STATED, "place.unknown_name"
    if any(key(part) in table.country_names for part in head.split(",")):
        return NOT_STATED, "place.not_one_country"
    return country, "place.country_name_suffix" if has_head else "place.country_name"
