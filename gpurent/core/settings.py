"""Settings and where each one came from: flags, then `GPURENT_*`, then `gpurent.toml`, then defaults.

A key that is not a setting is refused wherever it is written, with the nearest one that is. Paths are taken
from the working folder. Secrets are masked in every listing.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, PrivateAttr, SecretStr, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from gpurent.core.errors import ConfigError

PREFIX = "GPURENT_"
FILE_NAME = "gpurent.toml"
SAMPLE_FOLDER = Path("gpurent-sample")
MASK = "********"

# read by gpurent.core.stages in tests of recovery, and not settings
_NOT_SETTINGS = frozenset({"GPURENT_KILL_AT", "GPURENT_STAGE_LOG"})


class Settings(BaseSettings):
    """What a run is told. Make one with `load_settings`; `origins` names where each value came from."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_nested_delimiter="__",
        env_ignore_empty=True,
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
    )

    warehouse: Path = Field(Path("gpurent.duckdb"), description="the private DuckDB file")
    out: Path | None = Field(None, description="folder of editions; unset: editions/ beside the warehouse")
    registers: Path = Field(Path("registers"), description="your own sources, specs, operators and evidence")
    contact: str | None = Field(None, description="address sent to every source; live collection needs it")
    endpoint: str | None = Field(None, description="collect from URL/<source_id>/… instead of the hosts")
    signing_key: Path | None = Field(None, description="Ed25519 private key (PEM) that signs editions")
    signing_key_name: str | None = Field(None, description="its name in manifests; unset: its file name")
    source_keys: dict[str, SecretStr] = Field(default_factory=dict, description="API keys by source id")
    threads: int | None = Field(None, ge=1, le=1024, description="DuckDB threads; all cores when unset")
    log_format: Literal["text", "json"] = Field("text", description="progress on standard error")
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="least progress told")

    _origins: dict[str, str] = PrivateAttr(default_factory=dict)

    @field_validator("contact", "endpoint", "signing_key_name")
    @classmethod
    def _is_not_blank(cls, value: str | None) -> str | None:
        if value is not None and not value.strip():
            raise ValueError("is blank; leave it out instead")
        return value

    @field_validator("warehouse")
    @classmethod
    def _names_a_file(cls, value: Path) -> Path:
        if not value.name:
            raise ValueError("names no file; write one, such as ./gpurent.duckdb")
        return value

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The constructor only: `load_settings` merges flags, environment and file; no `.env` is read."""
        return (init_settings,)

    @property
    def origins(self) -> Mapping[str, str]:
        """Setting → `flag --NAME`, `environment GPURENT_NAME`, `FILE` or `default`."""
        return self._origins

    @property
    def editions(self) -> Path:
        """The folder of editions: `out`, or `editions/` beside the warehouse."""
        return self.out if self.out is not None else self.warehouse.parent / "editions"

    def for_sample(self) -> Self:
        """The same settings in `gpurent-sample/`, unless a warehouse was named."""
        if self._origins.get("warehouse", "default") != "default":
            return self
        moved = self.model_copy(update={"warehouse": SAMPLE_FOLDER / "gpurent.duckdb"})
        moved._origins = {**self._origins, "warehouse": "default of --sample"}
        return moved

    def listing(self) -> list[SettingRow]:
        """Every setting with its value as text and its origin; secrets masked, unset values empty."""
        rows = []
        for name, field in type(self).model_fields.items():
            origin = self._origins.get(name, "default")
            rows.append(SettingRow(name, _shown(getattr(self, name)), origin, field.description or ""))
        return rows


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One line of a listing of settings."""

    name: str
    value: str
    origin: str
    meaning: str


def load_settings(flags: Mapping[str, object] | None = None, *, folder: Path | None = None) -> Settings:
    """Settings from flags (None = not given), `GPURENT_*`, `gpurent.toml` in `folder` and defaults.

    Raises ConfigError naming the place, the key and what is wrong with it.
    """
    file = (folder or Path()) / FILE_NAME
    given = {name: value for name, value in (flags or {}).items() if value is not None}
    layers: list[tuple[str, dict[str, Any]]] = [
        ("flag", given),
        ("environment", _from_environment()),
        (str(file), _from_file(file)),
    ]
    merged: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for layer, values in reversed(layers):
        for name, value in values.items():
            _refuse_unknown(name, layer)
            merged[name] = value
            origins[name] = _origin(layer, name)
    try:
        settings = Settings(**merged)
    except ValidationError as error:
        raise ConfigError(_explain(error, origins)) from None
    settings._origins = origins
    return settings


def _from_environment() -> dict[str, Any]:
    for variable in sorted(os.environ):
        if variable.startswith(PREFIX) and variable not in _NOT_SETTINGS:
            name = variable.removeprefix(PREFIX).lower().partition("__")[0]
            _refuse_unknown(name, f"environment variable {variable}")
    try:
        return dict(EnvSettingsSource(Settings)())
    except ValueError as error:
        raise ConfigError(f"environment: {error}") from None


def _from_file(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{file}: cannot be read as TOML ({error})") from None


def _refuse_unknown(name: str, place: str) -> None:
    known = list(Settings.model_fields)
    if name in known:
        return
    near = difflib.get_close_matches(name, known, n=1)
    advice = f"did you mean {near[0]}?" if near else f"settings are: {', '.join(known)}"
    raise ConfigError(f"{place}: {name!r} is not a setting; {advice}")


def _origin(layer: str, name: str) -> str:
    match layer:
        case "flag":
            return f"flag --{name.replace('_', '-')}"
        case "environment":
            return f"environment {PREFIX}{name.upper()}"
        case _:
            return layer


def _explain(error: ValidationError, origins: Mapping[str, str]) -> str:
    lines = []
    for problem in error.errors(include_url=False, include_context=False, include_input=False):
        name = str(problem["loc"][0])
        where = ".".join(str(part) for part in problem["loc"])
        said = problem["msg"].removeprefix("Value error, ")
        lines.append(f"{origins.get(name, 'default')}: {where}: {said}")
    return "; ".join(lines)


def _shown(value: object) -> str:
    match value:
        case None:
            return ""
        case SecretStr():
            return MASK
        case dict():
            return ", ".join(f"{key}={_shown(inner)}" for key, inner in sorted(value.items()))
        case _:
            return str(value)
