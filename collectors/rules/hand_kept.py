"""Hand-kept tables: a figure is as old as the version in which somebody last wrote it, not as the newest version."""

from __future__ import annotations

from collections.abc import Hashable
from datetime import datetime


class Written:
    """When the cells of a table were written, from its versions in their order."""

    def __init__(self) -> None:
        self._at: datetime | None = None
        self._before: dict[Hashable, datetime] = {}
        self._now: dict[Hashable, datetime] = {}

    def begin(self, at: datetime | None) -> None:
        """The next version, committed `at`; None where the document is one version that states no time."""
        self._at, self._before, self._now = at, self._now, {}

    def at(self, *cell: Hashable) -> datetime | None:
        """When this version's cell, named and with its text, was written: since when every version has had it."""
        if self._at is None:
            return None
        return self._now.setdefault(cell, min(self._before.get(cell, self._at), self._at))
