"""The numbers of the methodology that the computation needs, read from the file as it is published."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from importlib.resources import files
from typing import Any

from gpurent.core.errors import ConfigError


@dataclass(frozen=True)
class Rules:
    """A methodology by section and name; numbers that the file keeps as text come out as floats."""

    version: str
    sections: Mapping[str, Mapping[str, Any]]

    def number(self, section: str, name: str) -> float:
        return float(self.sections[section][name])

    def exact(self, section: str, name: str) -> Decimal:
        return Decimal(str(self.sections[section][name]))

    def whole(self, section: str, name: str) -> int:
        return int(self.sections[section][name])

    def numbers(self, section: str, name: str) -> list[float]:
        return [float(value) for value in self.sections[section][name]]

    def level(self, level: int, name: str) -> float:
        return float(self.sections["levels"][str(level)][name])

    def weights(self, level: int) -> tuple[float, float]:
        """Between which bounds the weight of the traded leg lies at a level; 0 and 0 without one."""
        low, high = self.sections["levels"][str(level)].get("trade_weight", (0, 0))
        return float(low), float(high)


def rules(version: str = "1.0.0", text: str | None = None) -> Rules:
    """A methodology of the package, or that of `text`. ConfigError for a version that is not there."""
    if text is None:
        path = files("index").joinpath("methodology", f"{version}.toml")
        if not path.is_file():
            raise ConfigError(f"there is no methodology {version!r}")
        text = path.read_text(encoding="utf-8")
    found = tomllib.loads(text)
    return Rules(str(found["version"]), found)
