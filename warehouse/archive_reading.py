"""Reading archive files: one record at an offset, or every record below a folder."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from gpurent.core.clock import as_utc
from gpurent.core.errors import CheckFailedError
from gpurent.core.ids import record_uuid, sha256_hex
from warehouse import warc
from warehouse.warc import DamageError, Record

PART = ".part"
SOURCE_ID = re.compile(r"[a-z0-9_]+")

_CAPTURES = frozenset({"response", "resource", "revisit"})
_MEMBER_START = b"\x1f\x8b\x08\x00"

OnDamage = Callable[[CheckFailedError], None]


@dataclass(frozen=True, slots=True)
class ArchivedRecord:
    """A capture as it was stored. `body` is exactly what was given to `store`.

    `file_name` is the bare name of an ingested file. `revisit_of` is the capture id of the earlier record
    that carries the body, where this one only refers to it.
    """

    capture_id: str
    source_id: str
    url: str
    body: bytes
    fetched_at: datetime
    http_status: int | None
    media_type: str | None
    request_json: str | None
    file_name: str | None
    revisit_of: str | None


def locate(folder: Path, name: str, root: Path) -> Path | None:
    """Where an archive file lies now: under its final name, else as `.part`; None when not below `root`."""
    for candidate in (folder / name, folder / (name + PART)):
        if candidate.is_file() and candidate.resolve().is_relative_to(root.resolve()):
            return candidate
    return None


def read_record(path: Path, shown_name: str, offset: int) -> ArchivedRecord:
    """The capture at `offset` of a file, with its body also when the record is a revisit.

    Raises CheckFailedError, naming `shown_name` and the offset, when the record is damaged or not ours.
    """
    with path.open("rb") as stream:
        try:
            record, _ = warc.unpack(stream, offset)
            return _archived(path, record)
        except DamageError as damage:
            raise _failed(shown_name, offset, damage) from None


def iterate(folder: Path, *, on_damage: OnDamage | None = None) -> Iterator[ArchivedRecord]:
    """Every capture below `folder`, by path and then by offset, each with its body.

    A damaged place raises CheckFailedError with file and offset. With `on_damage` it is handed over instead,
    and reading goes on at the next whole record, then at the next file. Files still called `.part` are left
    out.
    """
    for path in sorted(folder.rglob("*.warc.gz")):
        name = path.relative_to(folder).as_posix()
        if locate(path.parent, path.name, folder) is None:
            _report(CheckFailedError(f"{name}: not a file inside {folder}"), on_damage)
            continue
        with path.open("rb") as stream:
            yield from _captures(stream, path, name, on_damage)


def whole_end(path: Path) -> int:
    """The offset behind the last record that follows the file's start without a break."""
    end = 0
    with path.open("rb") as stream:
        while end < path.stat().st_size:
            try:
                _, length = warc.unpack(stream, end)
            except DamageError:
                break
            end += length
    return end


def _captures(
    stream: BinaryIO, path: Path, name: str, on_damage: OnDamage | None
) -> Iterator[ArchivedRecord]:
    offset, size = 0, path.stat().st_size
    while offset < size:
        length = 0
        try:
            record, length = warc.unpack(stream, offset)
            found = _archived(path, record) if record.kind in _CAPTURES else None
        except DamageError as damage:
            _report(_failed(name, offset, damage), on_damage)
            found = None
        if found is not None:
            yield found
        offset = offset + length if length else _next_start(stream, offset, size)


def _next_start(stream: BinaryIO, offset: int, size: int) -> int:
    """The next offset at which a whole record can be read; the file's size when there is none."""
    stream.seek(offset + 1)
    rest = stream.read()
    at = rest.find(_MEMBER_START)
    while at >= 0:
        try:
            warc.unpack(stream, offset + 1 + at)
        except DamageError:
            at = rest.find(_MEMBER_START, at + 1)
        else:
            return offset + 1 + at
    return size


def _report(damage: CheckFailedError, on_damage: OnDamage | None) -> None:
    if on_damage is None:
        raise damage
    on_damage(damage)


def _failed(name: str, offset: int, damage: DamageError) -> CheckFailedError:
    return CheckFailedError(f"{name} at offset {offset}: {damage}")


def _archived(path: Path, record: Record) -> ArchivedRecord:
    capture_id = warc.our_field(record, "Capture-ID")
    source_id = warc.our_field(record, "Source-ID")
    if record.kind not in _CAPTURES or capture_id is None or source_id is None:
        raise DamageError("this record is no capture stored by gpurent")
    if record.fields.get("WARC-Record-ID") != record_uuid(capture_id) or not SOURCE_ID.fullmatch(source_id):
        raise DamageError("its identifiers do not belong together")
    url = record.fields.get("WARC-Target-URI", "")
    revisit_of, body = _carried(path, record) if record.kind == "revisit" else (None, record.payload)
    return ArchivedRecord(
        capture_id=capture_id,
        source_id=source_id,
        url=url,
        body=body,
        fetched_at=_instant(record),
        http_status=record.http_status,
        media_type=warc.our_field(record, "Media-Type"),
        request_json=warc.our_field(record, "Request"),
        file_name=warc.file_name(url),
        revisit_of=revisit_of,
    )


def _instant(record: Record) -> datetime:
    try:
        return as_utc(datetime.fromisoformat(record.fields["WARC-Date"]))
    except (KeyError, ValueError):
        raise DamageError("its WARC-Date cannot be read") from None


def _carried(path: Path, revisit: Record) -> tuple[str | None, bytes]:
    """The capture id and the body of the record that a revisit refers to, which lies in the same folder."""
    name = revisit.fields.get("WARC-Refers-To-Filename", "")
    offset = revisit.fields.get("WARC-Refers-To-File-Offset", "")
    carrier_path = locate(path.parent, name, path.parent) if name == Path(name).name and name else None
    if carrier_path is None or not offset.isdecimal():
        raise DamageError(f"the file that carries its body is not here: {name or '(not named)'}")
    with carrier_path.open("rb") as stream:
        try:
            carrier, _ = warc.unpack(stream, int(offset))
        except DamageError as damage:
            raise DamageError(f"its body is in {name} at offset {offset}: {damage}") from None
    is_named = carrier.fields.get("WARC-Record-ID") == revisit.fields.get("WARC-Refers-To")
    if not is_named or revisit.fields.get("WARC-Payload-Digest") != f"sha256:{sha256_hex(carrier.payload)}":
        raise DamageError(f"{name} at offset {offset} is not the record it refers to")
    return warc.our_field(carrier, "Capture-ID"), carrier.payload
