"""Where the pages are, and what owner groups are called."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gpurent.core.ids import sha256_hex
from gpurent.publish.words import voice_number

Row = Mapping[str, Any]

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def file_name(text: str) -> str:
    """A name that is safe in paths and addresses; names that had to be changed stay apart by a hash."""
    safe = _UNSAFE.sub("_", text).lstrip(".")
    return safe if safe == text else f"{safe}-{sha256_hex(text.encode())[:8]}"


def grade_page(code: str) -> str:
    """The page of a grade, from the root of the site."""
    return f"grades/{file_name(code)}.html"


def operator_page(operator_id: str) -> str:
    """The page of an operator, from the root of the site."""
    return f"operators/{file_name(operator_id)}.html"


@dataclass(frozen=True, slots=True)
class Owner:
    """An owner group as it is shown: name, page (from the root) where it has one, and who belongs to it."""

    name: str
    page: str | None
    members: Sequence[str] = ()
    is_named: bool = True


class Owners:
    """Owner groups by id. A voice that may not be named is a number, and has no page."""

    def __init__(self, operators: Sequence[Row]) -> None:
        self._members: dict[str, list[Row]] = {}
        for operator in operators:
            self._members.setdefault(operator["owner_group"], []).append(operator)

    def owner(self, owner_group: str, *, is_public: bool = True) -> Owner:
        """How an owner group is shown."""
        number = voice_number(owner_group)
        if number is not None or not is_public:
            return Owner("not named" if number is None else f"Voice {number}", None, is_named=False)
        members = self._members.get(owner_group, [])
        if len(members) == 1:
            return Owner(members[0]["name"], operator_page(members[0]["operator_id"]))
        head = next((one for one in members if one["operator_id"] == owner_group), None)
        names = [one["name"] for one in members]
        if head is not None:
            return Owner(head["name"], operator_page(owner_group), names)
        return Owner(owner_group, f"operators/index.html#{anchor(owner_group)}" if members else None, names)


def anchor(owner_group: str) -> str:
    """The place of an owner group on the page of operators."""
    return f"group-{file_name(owner_group)}"
