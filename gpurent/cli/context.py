"""What every command is given and gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from gpurent.core.progress import Progress
from gpurent.core.settings import Settings

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True, slots=True)
class Context:
    """The settings of this call, and where progress is told."""

    settings: Settings
    progress: Progress


@dataclass(frozen=True, slots=True)
class Output:
    """The outcome of a command: one document for machines, a way to show it to people, the exit code."""

    document: object
    show: Callable[[Console], None]
    exit_code: int = 0


# a parameter that the command line fills in itself
Given = Annotated[Context, Parameter(parse=False)]
