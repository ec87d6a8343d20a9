"""The archive of raw bytes: what came is stored before anything reads it, and every number leads back to it.

One file per source and run, `archive/<source_id>/<time>-<run>.warc.gz` below `NAME.files/`, one gzip member
a record. While a run writes, the file is called `….warc.gz.part`; when it is closed it is synced and renamed.
The captures table holds the final name from the start, and a name is looked up closed first, then as `.part`.

A record is on the disk before `store` returns, so before the transaction that names it commits. What a killed
run left behind the last committed record is cut off when the archive is opened again (`open_archive`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Protocol, Self

from gpurent.core.clock import Clock, as_utc
from gpurent.core.errors import CheckFailedError, SourceError
from gpurent.core.files import sync_file, sync_folder
from gpurent.core.ids import sha256_hex
from gpurent.core.stages import reach
from warehouse import warc
from warehouse.archive_reading import PART, SOURCE_ID, ArchivedRecord, iterate, locate, read_record, whole_end
from warehouse.layout import Layout
from warehouse.store import Warehouse, sql_text
from warehouse.warc import Capture, Carrier

__all__ = ["Archive", "ArchivedRecord", "Ledger", "StoredRecord", "iterate", "open_archive"]

SOURCE_LIMIT_BYTES = 2**30
_NAME = re.compile(r"[A-Za-z0-9_-]+\.warc\.gz")


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """Where a capture went. `archive_*` is the record that carries the bytes, `record_*` this capture's own.

    They differ for a revisit, where `revisit_of` is the capture id of the carrier. Files are relative to
    `NAME.files/`, offsets and lengths are bytes of the file as it lies there.
    """

    archive_file: str
    archive_offset: int
    record_file: str
    record_offset: int
    record_length: int
    revisit_of: str | None


class Ledger(Protocol):
    """What the archive must know of committed captures."""

    def carrier(self, source_id: str, url: str, sha256: str) -> Carrier | None: ...

    def committed_end(self, record_file: str) -> int: ...


class CaptureLedger:
    """The captures table as the archive sees it."""

    def __init__(self, warehouse: Warehouse) -> None:
        self._warehouse = warehouse

    def carrier(self, source_id: str, url: str, sha256: str) -> Carrier | None:
        """The first committed capture of this source and URL that holds this body."""
        rows = self._warehouse.rows(
            sql_text("warehouse.sql", "carrier"), {"source_id": source_id, "url": url, "sha256": sha256}
        )
        return Carrier(rows[0][0], url, rows[0][1], rows[0][2], rows[0][3]) if rows else None

    def committed_end(self, record_file: str) -> int:
        """The offset behind the last committed record of a file; 0 when it has none."""
        sql = sql_text("warehouse.sql", "committed_end")
        return int(self._warehouse.rows(sql, {"record_file": record_file})[0][0])


class _OpenFile:
    """A file being written: `path` ends in `.part`, `name` is the final one, relative to `NAME.files/`."""

    def __init__(self, path: Path, name: str) -> None:
        self.path = path
        self.name = name
        self.stream = path.open("ab", buffering=0)  # what failed to be written must not be tried again later
        sync_folder(path.parent)

    def add(self, body: bytes) -> int:
        """Append and sync; returns the offset. A write that fails leaves the file as it was."""
        offset = self.stream.tell()
        rest = memoryview(body)
        try:
            while rest:
                rest = rest[self.stream.write(rest) :]
            os.fsync(self.stream.fileno())
        except OSError:
            self.stream.truncate(offset)
            self.stream.seek(offset)
            raise
        return offset


class Archive:
    """Writes and reads the archive of one warehouse. Without a ledger it knows only what it stored itself."""

    def __init__(
        self,
        layout: Layout,
        clock: Clock,
        *,
        source_limit_bytes: int = SOURCE_LIMIT_BYTES,
        ledger: Ledger | None = None,
    ) -> None:
        self._layout = layout
        self._clock = clock
        self._limit = source_limit_bytes
        self._ledger = ledger
        self._open: dict[tuple[str, str], _OpenFile] = {}
        self._carriers: dict[tuple[str, str, str, str], Carrier] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def store(
        self,
        *,
        source_id: str,
        run_id: str,
        capture_id: str,
        url: str,
        body: bytes,
        fetched_at: datetime,
        http_status: int | None = None,
        media_type: str | None = None,
        headers: Mapping[str, str] | Iterable[tuple[str, str]] | None = None,
        request_json: str | None = None,
    ) -> StoredRecord:
        """Write one response (with an HTTP status) or file (without); it is on the disk when this returns.

        A file's url is `warc.file_url(name)`. A body equal to an earlier one of the same source and URL
        becomes a revisit. Raises SourceError `archive_limit` when the file of this source and run would grow
        beyond the limit (nothing is written then), ValueError for a source id or url that cannot be stored.
        """
        pairs = headers.items() if isinstance(headers, Mapping) else headers or ()
        capture = Capture(
            capture_id, source_id, url, body, fetched_at, http_status, media_type, tuple(pairs), request_json
        )
        carrier = self._carrier(run_id, capture)
        packed = warc.pack(capture, carrier)
        file = self._file(source_id, run_id)
        self._check_limits(file, capture, len(packed))
        offset = file.add(packed)
        reach("warehouse.record.synced")
        if carrier is None:
            key = (run_id, source_id, url, sha256_hex(body))
            self._carriers[key] = Carrier(capture_id, url, fetched_at, file.name, offset)
            return StoredRecord(file.name, offset, file.name, offset, len(packed), None)
        return StoredRecord(
            carrier.archive_file, carrier.archive_offset, file.name, offset, len(packed), carrier.capture_id
        )

    def read(self, archive_file: str, archive_offset: int) -> ArchivedRecord:
        """The record at an offset of a file named as in the captures table; a revisit comes with its body.

        Raises CheckFailedError, naming file and offset, when the file is missing or outside the archive, or
        the record is damaged.
        """
        return read_record(self._resolve(archive_file), archive_file, archive_offset)

    def close(self) -> None:
        """Sync the open files and give them their final names."""
        while self._open:
            _, file = self._open.popitem()
            file.stream.close()
            _seal(file.path)

    def seal_leftovers(self) -> None:
        """Cut what a killed run left uncommitted from its files, and close them. Needs a ledger."""
        for part in sorted(self._layout.archive.glob(f"*/*.warc.gz{PART}")):
            if self._cut(part):
                _seal(part)

    def _check_limits(self, file: _OpenFile, capture: Capture, packed_bytes: int) -> None:
        after = file.stream.tell() + packed_bytes
        if len(capture.body) > warc.MAX_BODY_BYTES:
            problem = f"{len(capture.body)} bytes; the longest body that is stored is {warc.MAX_BODY_BYTES}"
        elif after > self._limit:
            problem = f"it would bring {file.name} to {after} bytes; the limit for a source and run is {self._limit}"
        else:
            return
        raise SourceError(
            "archive_limit", f"{capture.source_id}: {capture.url}: {problem}. Ask the source for less"
        )

    def _carrier(self, run_id: str, capture: Capture) -> Carrier | None:
        sha256 = sha256_hex(capture.body)
        found = self._carriers.get((run_id, capture.source_id, capture.url, sha256))
        if found is None and self._ledger is not None:
            found = self._ledger.carrier(capture.source_id, capture.url, sha256)
        if found is None or self._path(found.archive_file) is None:
            return None
        return found

    def _file(self, source_id: str, run_id: str) -> _OpenFile:
        if not SOURCE_ID.fullmatch(source_id):
            raise ValueError(f"{source_id!r} cannot be a source id: lower-case letters, digits and _ only")
        key = (source_id, run_id)
        if key not in self._open:
            self._open[key] = self._reopen(source_id, run_id) or self._create(source_id, run_id)
        return self._open[key]

    def _create(self, source_id: str, run_id: str) -> _OpenFile:
        now = self._clock.now()
        name = f"{as_utc(now):%Y%m%dT%H%M%SZ}-{_run_key(run_id)}.warc.gz"
        folder = self._layout.archive / source_id
        folder.mkdir(parents=True, exist_ok=True)
        file = _OpenFile(folder / (name + PART), f"{self._layout.archive.name}/{source_id}/{name}")
        file.add(warc.pack_info(name, run_id, now))
        return file

    def _reopen(self, source_id: str, run_id: str) -> _OpenFile | None:
        """What an earlier process wrote for this source and run, cut behind its last committed record."""
        found = sorted((self._layout.archive / source_id).glob(f"*-{_run_key(run_id)}.warc.gz*"))
        if not found:
            return None
        part = found[0]
        if part.suffix != PART:
            part = part.rename(part.with_name(part.name + PART))
        return _OpenFile(part, self._stored_name(part)) if self._cut(part) else None

    def _cut(self, part: Path) -> bool:
        """Cut a file behind its last record to keep; False (and no file) when it has none."""
        end = whole_end(part) if self._ledger is None else self._ledger.committed_end(self._stored_name(part))
        if end == 0:
            part.unlink()
            return False
        if end > part.stat().st_size:
            raise CheckFailedError(
                f"{self._stored_name(part)}: the captures table knows {end} bytes of it, the file has "
                f"{part.stat().st_size}; restore it from a backup"
            )
        os.truncate(part, end)
        return True

    def _stored_name(self, path: Path) -> str:
        return f"{self._layout.archive.name}/{path.parent.name}/{path.name.removesuffix(PART)}"

    def _path(self, stored_name: str) -> Path | None:
        """Where a file lies now: under its final name, else as `.part`; None when not in the archive."""
        parts = PurePosixPath(stored_name).parts
        if len(parts) != 3 or parts[0] != self._layout.archive.name:
            return None
        if not (SOURCE_ID.fullmatch(parts[1]) and _NAME.fullmatch(parts[2])):
            return None
        return locate(self._layout.archive / parts[1], parts[2], self._layout.archive)

    def _resolve(self, stored_name: str) -> Path:
        path = self._path(stored_name)
        if path is None:
            raise CheckFailedError(f"{stored_name}: no such file in {self._layout.archive}")
        return path


def open_archive(warehouse: Warehouse, *, source_limit_bytes: int = SOURCE_LIMIT_BYTES) -> Archive:
    """The archive of an open warehouse, with what a killed run left behind put right (not when read-only)."""
    archive = Archive(
        warehouse.layout,
        warehouse.clock,
        source_limit_bytes=source_limit_bytes,
        ledger=CaptureLedger(warehouse),
    )
    if not warehouse.is_read_only:
        archive.seal_leftovers()
    return archive


def _run_key(run_id: str) -> str:
    """Twelve hex digits for a run id, which may hold anything: it never becomes a path itself."""
    return sha256_hex(run_id.encode())[:12]


def _seal(part: Path) -> None:
    sync_file(part)
    part.rename(part.with_name(part.name.removesuffix(PART)))
    sync_folder(part.parent)
    reach("warehouse.archive.closed")
