"""The warehouse: one DuckDB file, opened by one process, written by `append` and `reject` only.

Every connection speaks UTC and never reaches for the network (no extension is fetched). Files are created
with storage version v1.0.0, so the previous DuckDB major opens them. Rows enter through `append`, which
checks the column names against the table; refusals enter through `reject`.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import duckdb
import pyarrow as pa

from gpurent.core.clock import Clock, SystemClock
from gpurent.core.errors import ConfigError, NotFoundError
from gpurent.core.ids import content_id
from warehouse import lock, migrations
from warehouse.layout import Layout

Row = Mapping[str, object]
Parameters = Mapping[str, object] | Sequence[object]

_log = logging.getLogger("gpurent.warehouse")

_CONFIG = {
    "storage_compatibility_version": "v1.0.0",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}


@cache
def sql_text(package: str, name: str) -> str:
    """The text of a packaged SQL file, e.g. `sql_text("index.sql", "10_snapshots")`."""
    folder, _, sub = package.partition(".")
    path = files(folder)
    for part in filter(None, sub.split(".")):
        path = path.joinpath(part)
    return path.joinpath(f"{name}.sql").read_text(encoding="utf-8")


class Warehouse:
    """An open warehouse. Use `open_warehouse`; close it, or use it as a context manager."""

    def __init__(
        self,
        layout: Layout,
        connection: duckdb.DuckDBPyConnection,
        clock: Clock,
        closing: ExitStack,
        *,
        read_only: bool,
    ) -> None:
        self.layout = layout
        self.connection = connection
        self.clock = clock
        self.is_read_only = read_only
        self._closing = closing
        self._schemas: dict[str, pa.Schema] = {}
        self._is_in_transaction = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection, then give up the lock."""
        self._closing.close()

    @cached_property
    def tables(self) -> frozenset[str]:
        """Names of the base tables."""
        rows = self.connection.execute("SELECT table_name FROM duckdb_tables() WHERE NOT internal").fetchall()
        return frozenset(name for (name,) in rows)

    def schema(self, table: str) -> pa.Schema:
        """The Arrow schema of a table: what `append` expects."""
        if table not in self._schemas:
            if table not in self.tables:
                raise NotFoundError(f"the warehouse has no table {table!r}")
            self._schemas[table] = self.connection.table(table).limit(0).to_arrow_table().schema
        return self._schemas[table]

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing; nested use joins the outer transaction."""
        if self._is_in_transaction:
            yield
            return
        self.connection.execute("BEGIN")
        self._is_in_transaction = True
        try:
            yield
            self.connection.execute("COMMIT")
        except BaseException:
            self.connection.execute("ROLLBACK")
            raise
        finally:
            self._is_in_transaction = False

    def append(self, table: str, rows: Iterable[Row]) -> int:
        """Append rows; `known_at` is filled with the clock where the table has it and the row does not.

        Unknown column names raise KeyError, a value that does not fit its column's type raises ArrowInvalid
        or a DuckDB constraint error: both are bugs of the caller. Returns the number of rows.
        """
        schema = self.schema(table)
        names = set(schema.names)
        now = self.clock.now()
        filled: list[dict[str, object]] = []
        for row in rows:
            unknown = row.keys() - names
            if unknown:
                raise KeyError(f"table {table} has no column {', '.join(sorted(unknown))}")
            complete = dict(row)
            if "known_at" in names and complete.get("known_at") is None:
                complete["known_at"] = now
            filled.append(complete)
        if not filled:
            return 0
        incoming = pa.Table.from_pylist(filled, schema=schema)
        return self.append_arrow(table, incoming)

    def append_arrow(self, table: str, incoming: pa.Table) -> int:
        """Append an Arrow table whose columns are the table's, in its order."""
        self.connection.from_arrow(incoming).insert_into(table)
        return int(incoming.num_rows)

    def reject(self, stage: str, rows: Iterable[Row]) -> int:
        """Append rejections of one stage (read, normalise, match), each with its content id."""
        complete = []
        for row in rows:
            identity = content_id(
                "rej",
                stage,
                str(row["record_id"]),
                str(row["reason_code"]),
                str(row.get("row_number")),
                str(row["capture_id"]),
            )
            complete.append({"rejection_id": identity, "stage": stage, **row})
        return self.append("rejections", complete)

    def rows(self, sql: str, parameters: Parameters | None = None) -> list[tuple[Any, ...]]:
        """All rows of a query, as tuples; decimals stay decimals."""
        if parameters is None:
            return self.connection.execute(sql).fetchall()
        return self.connection.execute(sql, parameters).fetchall()

    def dicts(self, sql: str, parameters: Parameters | None = None) -> list[dict[str, Any]]:
        """All rows of a query, as dictionaries in column order."""
        execute = self.connection.execute
        cursor = execute(sql) if parameters is None else execute(sql, parameters)
        names = [column[0] for column in cursor.description or []]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def fact(self, name: str) -> str | None:
        """A fact about this warehouse itself, such as its purpose."""
        found = self.rows("SELECT value FROM warehouse_facts WHERE name = $1", [name])
        return str(found[0][0]) if found else None

    def set_fact(self, name: str, value: str) -> None:
        """Record a fact once; another value for the same name raises ConfigError."""
        have = self.fact(name)
        if have is None:
            self.append("warehouse_facts", [{"name": name, "value": value}])
        elif have != value:
            raise ConfigError(f"{self.layout.database}: {name} is {have!r} and cannot become {value!r}")


def connect(
    path: Path | str, *, read_only: bool = False, threads: int | None = None
) -> duckdb.DuckDBPyConnection:
    """A DuckDB connection with the project's settings: UTC, no extension fetching, storage v1.0.0."""
    config: dict[str, str | bool | int | float | list[str]] = dict(_CONFIG)
    if threads is not None:
        config["threads"] = threads
    connection = duckdb.connect(str(path), read_only=read_only, config=config)
    connection.execute("SET TimeZone = 'UTC'")
    return connection


def connect_own(
    path: Path, *, read_only: bool = False, threads: int | None = None
) -> duckdb.DuckDBPyConnection:
    """`connect` to a file of ours or a new one. ConfigError where it is no database, or somebody else's."""
    try:
        connection = connect(path, read_only=read_only, threads=threads)
    except duckdb.Error as error:
        reason = str(error).splitlines()[0]
        raise ConfigError(f"{path} cannot be opened as a warehouse: {reason}") from None
    if migrations.is_foreign(connection):
        connection.close()
        raise ConfigError(
            f"{path} is a DuckDB database, but not a warehouse of gpurent; name another file with --warehouse"
        )
    return connection


def _bring_up_to_date(connection: duckdb.DuckDBPyConnection, path: Path, clock: Clock) -> None:
    """Apply what an older version did not know yet, and say so; a new file simply gets everything."""
    is_older = bool(migrations.applied(connection))
    done = migrations.migrate(connection, clock.now())
    if is_older and done:
        names = ", ".join(migration.title for migration in done)
        _log.info("%s was written by an older version; brought up to date: %s", path, names)


def open_warehouse(
    path: Path, *, clock: Clock | None = None, read_only: bool = False, threads: int | None = None
) -> Warehouse:
    """Open (and, for writing, create and migrate) a warehouse under its lock.

    Raises LockedError when another process holds it, NotFoundError when it is to be read and is not there,
    ConfigError when the file is not a warehouse or its schema is newer than this version, or older where it
    is opened for reading.
    """
    timekeeper = clock or SystemClock()
    layout = Layout(path)
    if read_only and not path.exists():
        raise NotFoundError(
            f"{path}: there is no warehouse here; make one with `gpurent daily` or `gpurent ingest`"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    closing = ExitStack()
    try:
        closing.enter_context(lock.hold(layout, SystemClock().now()))
        connection = connect_own(path, read_only=read_only, threads=threads)
        closing.callback(connection.close)
        if read_only:
            missing = migrations.pending(connection)
            if missing:
                raise ConfigError(
                    f"{path} was written by an older version; run: gpurent migrate --warehouse {path}"
                )
        else:
            _bring_up_to_date(connection, path, timekeeper)
    except BaseException:
        closing.close()
        raise
    return Warehouse(layout, connection, timekeeper, closing, read_only=read_only)
