"""Numbered schema files, applied once each, in order, one transaction a file.

A file that was applied is never edited: its hash is stored and compared at every opening. `gpurent migrate`
and every command that writes bring an older warehouse up to date; a newer one is refused by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files

import duckdb

from gpurent.core.errors import ConfigError
from gpurent.core.ids import sha256_hex
from warehouse.dictionary import apply_comments

_NAME = re.compile(r"^(\d{3})_([a-z0-9_]+)\.sql$")
_APPLIED = "SELECT number, name, sha256 FROM schema_migrations ORDER BY number"
_RECORD = "INSERT INTO schema_migrations (number, name, sha256, applied_at) VALUES ($1, $2, $3, $4)"
_COUNT_TABLES = "SELECT count(*) FROM duckdb_tables() WHERE NOT internal"
_HAS_TABLE = "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'schema_migrations' AND NOT internal"


@dataclass(frozen=True, slots=True)
class Migration:
    """One schema file: its number, name, text and hash."""

    number: int
    name: str
    text: str
    sha256: str

    @property
    def title(self) -> str:
        """Number and name, as the file is called."""
        return f"{self.number:03d}_{self.name}"


def all_migrations() -> list[Migration]:
    """The schema files of this version, by number; a gap or a double raises ConfigError."""
    found = []
    for entry in files("warehouse").joinpath("schema").iterdir():
        match = _NAME.match(entry.name)
        if match:
            text = entry.read_text(encoding="utf-8")
            found.append(Migration(int(match[1]), match[2], text, sha256_hex(text.encode())))
    found.sort(key=lambda migration: migration.number)
    if [migration.number for migration in found] != list(range(1, len(found) + 1)):
        raise ConfigError("warehouse/schema: the numbers of the files must run from 001 without a gap")
    return found


def is_foreign(connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether somebody else's tables are in the database: it has some, and no record of ours."""
    return not applied(connection) and connection.execute(_COUNT_TABLES).fetchall()[0][0] > 0


def applied(connection: duckdb.DuckDBPyConnection) -> dict[int, tuple[str, str]]:
    """Number → (name, hash) of what the warehouse has; empty for a new file."""
    if connection.execute(_HAS_TABLE).fetchall()[0][0] == 0:
        return {}
    return {number: (name, sha256) for number, name, sha256 in connection.execute(_APPLIED).fetchall()}


def pending(connection: duckdb.DuckDBPyConnection) -> list[Migration]:
    """What is still to apply. Raises ConfigError when the warehouse is newer or a file was edited."""
    have = applied(connection)
    known = {migration.number: migration for migration in all_migrations()}
    for number, (name, sha256) in have.items():
        if number not in known:
            raise ConfigError(
                f"this warehouse has schema {number:03d}_{name}, which this version of gpurent does not "
                "know: install the newer version that wrote it"
            )
        if known[number].sha256 != sha256:
            raise ConfigError(
                f"warehouse/schema/{number:03d}_{known[number].name}.sql was edited after it was applied "
                "here; schema changes are new files"
            )
    return [migration for number, migration in sorted(known.items()) if number not in have]


def migrate(connection: duckdb.DuckDBPyConnection, now: datetime) -> list[Migration]:
    """Apply what is pending and return it; afterwards the dictionary's words stand as comments.

    A file that fails leaves the warehouse as before that file.
    """
    todo = pending(connection)
    for migration in todo:
        with _transaction(connection):
            connection.execute(migration.text)
            connection.execute(_RECORD, [migration.number, migration.name, migration.sha256, now])
    if todo:
        with _transaction(connection):
            apply_comments(connection)
    return todo


@contextmanager
def _transaction(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    connection.execute("BEGIN")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
