"""What a look finds: one line a thing, with what to do about it."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any, Literal

from gpurent.core.errors import CheckFailedError

State = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Line:
    """One finding. `advice` is empty where nothing is to be done."""

    topic: str
    state: State
    text: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Checkup:
    """All findings, in the order of the look."""

    lines: tuple[Line, ...]

    @property
    def counts(self) -> dict[str, int]:
        found = Counter(line.state for line in self.lines)
        return {state: found[state] for state in ("ok", "warn", "fail")}

    @property
    def exit_code(self) -> int:
        return CheckFailedError.exit_code if self.counts["fail"] else 0

    def as_json(self) -> dict[str, Any]:
        return {
            "is_well": self.exit_code == 0,
            "counts": self.counts,
            "lines": [asdict(one) for one in self.lines],
        }


def ok(topic: str, text: str) -> Line:
    """A line that needs nothing."""
    return Line(topic, "ok", text)


def warn(topic: str, text: str, advice: str) -> Line:
    """A line to look at: it works all the same."""
    return Line(topic, "warn", text, advice)


def fail(topic: str, text: str, advice: str) -> Line:
    """A line that must be mended."""
    return Line(topic, "fail", text, advice)


def some(values: list[str], shown: int = 3) -> str:
    """The first few values, and how many more there are."""
    rest = len(values) - shown
    return ", ".join(values[:shown]) + (f" and {rest} more" if rest > 0 else "")
