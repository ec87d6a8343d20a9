"""Telling a person how long work goes on, without the work knowing how that looks."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """What long work calls. `start` opens a named piece of `total` parts (None: unknown), `advance` does one."""

    def start(self, name: str, total: int | None = None) -> None: ...

    def advance(self, detail: str = "") -> None: ...

    def note(self, text: str) -> None: ...


class Silent:
    """No progress: for machines and tests."""

    def start(self, name: str, total: int | None = None) -> None:
        """Say nothing."""

    def advance(self, detail: str = "") -> None:
        """Say nothing."""

    def note(self, text: str) -> None:
        """Say nothing."""


SILENT = Silent()
