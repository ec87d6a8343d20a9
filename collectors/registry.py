"""The register of sources: one TOML record a source, the columns of table `sources` and what its spider needs.

The file's name is the source's id, and so are the names of its spider and of its folder of fixtures. A user's
overlay (`registers/sources/<id>.toml`) changes single fields of a record or adds a record of its own, which names
the source whose format it has (`reader`). A file of comments alone says nothing.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from datetime import date
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gpurent.core.errors import ConfigError, NotFoundError
from gpurent.core.files import register_bytes
from gpurent.core.ids import sha256_hex
from warehouse.store import Row, Warehouse, sql_text

SourceKind = Literal[
    "operator_list", "marketplace_ask", "broker", "aggregator", "bills", "trade_reports", "fx", "research"
]
Redistribution = Literal["allowed", "aggregates_only", "unknown"]
_MEGABYTE = 10**6
_NOT_COLUMNS = frozenset(
    [
        "reader",
        "terms_note",
        "states",
        "options",
        "size_limit_bytes",
        "unpacked_limit_bytes",
        "empty_lists_count",
    ]
)


class Statement(BaseModel):
    """What a source says of everything it lists, where its rows do not say it: its words, and where they are."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: Annotated[str, Field(min_length=1)]
    url: Annotated[str, Field(pattern=r"^https://")]
    stated_on: date


class SourceRecord(BaseModel):
    """A source as its file describes it. `terms_checked_on` and `robots_checked_on` are None until a person has

    read them. `redistribution` unknown counts as aggregates only. `states` fills words the rows leave out.
    `reader` is the source whose spider reads this one; by default its own.
    `empty_lists_count`: an empty answer means that all of that list is gone, and not that the source stumbled.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    source_id: Annotated[str, Field(pattern=r"^[a-z0-9_]+$")]
    title: Annotated[str, Field(min_length=1)]
    reader: Annotated[str, Field(pattern=r"^[a-z0-9_]+$")] | None = None
    kind: SourceKind
    url: Annotated[str, Field(pattern=r"^https://")]
    unit: Annotated[str, Field(min_length=1)]
    currency: Annotated[str, Field(pattern=r"^([A-Z]{3}|any)$")]
    terms_checked_on: date | None = None
    robots_checked_on: date | None = None
    terms_note: str
    redistribution: Redistribution
    licence: str | None = None
    attribution: str | None = None
    cadence_hours: Annotated[int, Field(ge=1)]
    time_meaning: Annotated[str, Field(min_length=1)]
    fixture_origin: Literal["recorded", "rendered"]
    first_live_success: date | None = None
    retired_on: date | None = None
    is_file_only: bool = False
    empty_lists_count: bool = False
    size_limit_bytes: Annotated[int, Field(gt=0)] = 50 * _MEGABYTE
    unpacked_limit_bytes: Annotated[int, Field(gt=0)] = 500 * _MEGABYTE
    states: dict[str, Statement] = Field(default_factory=dict)
    options: dict[str, Any] = Field(default_factory=dict)

    @property
    def reader_id(self) -> str:
        """The name of the spider that asks for and reads this source's documents."""
        return self.reader or self.source_id

    def stated(self, column: str) -> str | None:
        """The source's own words for a `…_text` column where its rows say nothing; None if it does not either."""
        statement = self.states.get(column)
        return statement.text if statement else None

    @property
    def record_sha256(self) -> str:
        """A hash of the whole record: another one is a new row of `sources`."""
        return sha256_hex(json.dumps(self.model_dump(mode="json"), sort_keys=True).encode())


def load_sources(overlay: Path | None = None) -> dict[str, SourceRecord]:
    """Every source by id, ids sorted. `overlay` is the user's folder of registers; it need not exist.

    Raises ConfigError naming the file and the field.
    """
    own = overlay_of_sources(overlay)
    tables = {**_packaged()}
    for name, (_, changed) in own.items():
        tables[name] = {**tables.get(name, {}), **changed}
    records = {
        name: _record(name, tables[name], own[name][0] if name in own else f"collectors/sources/{name}.toml")
        for name in sorted(tables)
    }
    for name, (file, _) in own.items():
        _check_reader(records[name].reader_id, file)
    return records


def overlay_of_sources(overlay: Path | None) -> dict[str, tuple[str, dict[str, Any]]]:
    """Source → the user's file, and what it states; files of comments alone are left out."""
    folder = overlay / "sources" if overlay is not None else None
    paths = sorted(folder.glob("*.toml")) if folder is not None and folder.is_dir() else []
    stated = ((path, _parsed(register_bytes(path), str(path))) for path in paths)
    return {path.stem: (str(path), table) for path, table in stated if table}


def source(sources: Mapping[str, SourceRecord], source_id: str) -> SourceRecord:
    """The record of a source; NotFoundError with the ids there are."""
    try:
        return sources[source_id]
    except KeyError:
        raise NotFoundError(f"no source {source_id!r}; sources are: {', '.join(sources)}") from None


def source_records(sources: Iterable[SourceRecord]) -> list[dict[str, object]]:
    """Rows of the table `sources`, without `known_at`."""
    columns = [name for name in SourceRecord.model_fields if name not in _NOT_COLUMNS]
    return [
        {name: getattr(record, name) for name in columns} | {"record_sha256": record.record_sha256}
        for record in sources
    ]


def sync_sources(warehouse: Warehouse, sources: Iterable[SourceRecord]) -> int:
    """Append the records whose text the warehouse has not seen, keeping a recorded first live success."""
    latest = {
        source_id: (record_sha256, success)
        for source_id, record_sha256, success in warehouse.rows(sql_text("collectors.sql", "latest_sources"))
    }
    rows: list[Row] = []
    for row in source_records(sources):
        seen, success = latest.get(str(row["source_id"]), (None, None))
        if seen != row["record_sha256"]:
            rows.append({**row, "first_live_success": row["first_live_success"] or success})
    return warehouse.append("sources", rows)


def record_live_success(warehouse: Warehouse, record: SourceRecord, day: date) -> bool:
    """Note the first day on which a live run of this source ended well; False when one is noted already."""
    rows = warehouse.rows(sql_text("collectors.sql", "latest_sources"))
    if any(source_id == record.source_id and success is not None for source_id, _, success in rows):
        return False
    (row,) = source_records([record])
    warehouse.append("sources", [{**row, "first_live_success": day}])
    return True


@cache
def _packaged() -> dict[str, dict[str, Any]]:
    folder = files("collectors").joinpath("sources")
    entries = sorted((e for e in folder.iterdir() if e.name.endswith(".toml")), key=lambda entry: entry.name)
    return {
        entry.name.removesuffix(".toml"): _parsed(entry.read_bytes(), f"collectors/sources/{entry.name}")
        for entry in entries
    }


def _parsed(body: bytes, shown_name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(body.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{shown_name}: {error}") from None


def _check_reader(reader_id: str, file: str) -> None:
    if find_spec(f"collectors.spiders.{reader_id}") is None:
        raise ConfigError(
            f"{file}: reader: there is none for {reader_id!r}; name the source whose format this one has"
        )


def _record(source_id: str, table: Mapping[str, Any], file: str) -> SourceRecord:
    try:
        return SourceRecord(**{"source_id": source_id, **table})
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}"
            for problem in error.errors(include_url=False)
        )
        raise ConfigError(f"{file}: {problems}") from None
