"""One stored response as one WARC record, and back: the only place that knows the format.

WARC 1.1 by way of warcio, one gzip member a record, no wall time and no software version in it, so the
same response gives the same bytes. What HTTP says of a response stands in its own header block; what only we
need to replay it exactly stands in `GPURENT-*` fields, which other readers skip.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from io import BytesIO
from typing import Any, BinaryIO
from urllib.parse import quote, unquote, urlsplit

from warcio.archiveiterator import WARCIterator
from warcio.exceptions import ArchiveLoadFailed
from warcio.statusandheaders import StatusAndHeaders, StatusAndHeadersParserException
from warcio.utils import Digester
from warcio.warcwriter import WARCWriter

from gpurent.core.clock import iso_utc
from gpurent.core.ids import record_uuid, sha256_hex

MAX_BODY_BYTES = 2**30
"""The longest body that is stored. A record that unpacks to much more is taken for a decompression bomb."""

_MAX_RECORD_BYTES = MAX_BODY_BYTES + 2**20

_PRINTABLE = "".join(chr(code) for code in range(0x21, 0x7F))
_IN_VALUES = _PRINTABLE.replace("%", "")
_PIECE = 2**20
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_LINE_BREAKING = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
# of the transfer, not of the stored body: they would make readers look for chunks that are not there
_OF_THE_TRANSFER = frozenset({"transfer-encoding", "connection", "keep-alive", "set-cookie", "set-cookie2"})


class DamageError(ValueError):
    """The bytes at an offset are not a whole record of ours. The caller adds file and offset."""


@dataclass(frozen=True, slots=True)
class Capture:
    """What is known of a response when it is stored. `body` is exactly what came, or what the file holds."""

    capture_id: str
    source_id: str
    url: str
    body: bytes
    fetched_at: datetime
    http_status: int | None = None
    media_type: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    request_json: str | None = None


@dataclass(frozen=True, slots=True)
class Carrier:
    """An earlier record of the same source and URL whose body is the same: what a revisit refers to."""

    capture_id: str
    url: str
    fetched_at: datetime
    archive_file: str
    archive_offset: int


@dataclass(frozen=True, slots=True)
class Record:
    """A record as read: its WARC fields, its HTTP fields and its payload, which matches the stated digest."""

    kind: str
    fields: Mapping[str, str]
    http_status: int | None
    payload: bytes


class _Writer(WARCWriter):  # type: ignore[misc]  # warcio publishes no types
    """warcio's writer with SHA-256 block digests in place of SHA-1."""

    @staticmethod
    def _create_digester() -> Digester:
        return Digester("sha256")


def _bare(name: str) -> str:
    return name.replace("\\", "/").rpartition("/")[2]


def file_url(name: str) -> str:
    """The URL of an ingested file: `file:` and its bare name, so that no path of a machine is stored."""
    return "file:" + quote(_bare(name))


def file_name(url: str) -> str | None:
    """The bare name in a `file:` URL, whatever path it pretends to; None where there is none."""
    if not url.startswith("file:"):
        return None
    bare = _bare(unquote(url.removeprefix("file:")))
    return None if bare in {"", ".", ".."} or not bare.isprintable() else bare


def _value(text: str) -> str:
    """Any text as a value of one header line: blanks, control and non-ASCII characters percent-encoded."""
    return quote(text, safe=_IN_VALUES)


def _checked_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https", "file"}:
        raise ValueError(f"{url!r} is neither a web address nor a file URL")
    if parts.scheme == "file" and "/" in url:
        raise ValueError(f"{url!r}: an ingested file is stored under its bare name, see file_url")
    return quote(url, safe=_PRINTABLE)


def _status_line(status: int | None) -> str:
    try:
        return f"{status} {HTTPStatus(status or 0).phrase}"
    except ValueError:  # a code of the server's own
        return str(status)


def _http_headers(capture: Capture) -> StatusAndHeaders:
    fields = [(name, value) for name, value in capture.headers if name.lower() not in _OF_THE_TRANSFER]
    if capture.media_type is not None and "content-type" not in {name.lower() for name, _ in fields}:
        fields.append(("Content-Type", capture.media_type))
    # a name that is no token or a line break in a value would break the block for every reader
    clean = [(name, _LINE_BREAKING.sub(" ", value)) for name, value in fields if _TOKEN.fullmatch(name)]
    return StatusAndHeaders(_status_line(capture.http_status), clean, protocol="HTTP/1.1")


def _our_fields(capture: Capture) -> dict[str, str]:
    fields = {
        "WARC-Record-ID": record_uuid(capture.capture_id),
        "WARC-Date": iso_utc(capture.fetched_at),
        "WARC-Payload-Digest": f"sha256:{sha256_hex(capture.body)}",
        "GPURENT-Capture-ID": _value(capture.capture_id),
        "GPURENT-Source-ID": _value(capture.source_id),
    }
    if capture.media_type is not None:
        fields["GPURENT-Media-Type"] = _value(capture.media_type)
    if capture.request_json is not None:
        fields["GPURENT-Request"] = _value(capture.request_json)
    return fields


def _packed(record: Any, writer: _Writer) -> bytes:
    writer.write_record(record)
    body: bytes = writer.out.getvalue()
    return body


def pack(capture: Capture, carrier: Carrier | None = None) -> bytes:
    """One gzip member: a response, a resource where there is no HTTP status, or a revisit of `carrier`.

    Raises ValueError for an address that is neither http(s) nor a bare `file:` name.
    """
    writer = _Writer(BytesIO(), gzip=True, warc_version="WARC/1.1")
    url = _checked_url(capture.url)
    is_web = capture.http_status is not None
    http_headers = _http_headers(capture) if is_web else None
    fields = _our_fields(capture)
    if carrier is None:
        record = writer.create_warc_record(
            url,
            "response" if is_web else "resource",
            payload=BytesIO(capture.body),
            length=len(capture.body),
            warc_content_type="" if is_web else (capture.media_type or "application/octet-stream"),
            warc_headers_dict=fields,
            http_headers=http_headers,
        )
    else:
        digest = fields.pop("WARC-Payload-Digest")
        fields["WARC-Refers-To"] = record_uuid(carrier.capture_id)
        # the carrier is of the same source, so it lies in the same folder: its bare name finds it
        fields["WARC-Refers-To-Filename"] = carrier.archive_file.rpartition("/")[2]
        fields["WARC-Refers-To-File-Offset"] = str(carrier.archive_offset)
        record = writer.create_revisit_record(
            url,
            digest,
            _checked_url(carrier.url),
            iso_utc(carrier.fetched_at),
            http_headers=http_headers,
            warc_headers_dict=fields,
        )
    return _packed(record, writer)


def pack_info(name: str, run_id: str, at: datetime) -> bytes:
    """The warcinfo member that opens a file."""
    writer = _Writer(BytesIO(), gzip=True, warc_version="WARC/1.1")
    lines = ["software: gpurent", "format: WARC File Format 1.1", f"isPartOf: {_value(run_id)}"]
    body = "".join(f"{line}\r\n" for line in lines).encode("ascii")
    record = writer.create_warc_record(
        "",
        "warcinfo",
        payload=BytesIO(body),
        length=len(body),
        warc_headers_dict={
            "WARC-Record-ID": record_uuid(f"warcinfo {name}"),
            "WARC-Date": iso_utc(at),
            "WARC-Filename": name,
        },
    )
    return _packed(record, writer)


def _inflate(stream: BinaryIO, offset: int) -> tuple[bytes, int]:
    """The text of the gzip member at `offset`, and the member's length."""
    inflater = zlib.decompressobj(16 + zlib.MAX_WBITS)
    pieces: list[bytes] = []
    size = taken = 0
    stream.seek(offset)
    try:
        while not inflater.eof:
            fresh = stream.read(_PIECE)
            if not fresh and not inflater.unconsumed_tail:
                raise DamageError("the file ends inside this record")
            taken += len(fresh)
            pieces.append(inflater.decompress(inflater.unconsumed_tail + fresh, _MAX_RECORD_BYTES - size + 1))
            size += len(pieces[-1])
            if size > _MAX_RECORD_BYTES:
                raise DamageError(f"the record unpacks to more than {_MAX_RECORD_BYTES} bytes")
    except zlib.error as error:
        raise DamageError(f"the record is damaged ({error})") from None
    return b"".join(pieces), taken - len(inflater.unused_data)


def unpack(stream: BinaryIO, offset: int) -> tuple[Record, int]:
    """The record at `offset`, checked against its own digest, and its length in bytes of the file.

    Raises DamageError when the member is cut, altered, or is no WARC record.
    """
    text, length = _inflate(stream, offset)
    if not text.startswith(b"WARC/"):
        raise DamageError("this is no WARC record")
    try:
        parsed = next(iter(WARCIterator(BytesIO(text))))
    except (ArchiveLoadFailed, StatusAndHeadersParserException, StopIteration, ValueError) as error:
        raise DamageError(f"this is no WARC record ({error})") from None
    payload: bytes = parsed.raw_stream.read()
    fields = dict(parsed.rec_headers.headers)
    kind = fields.get("WARC-Type", "")
    stated = fields.get("WARC-Payload-Digest")
    if kind in {"response", "resource"} and stated != f"sha256:{sha256_hex(payload)}":
        raise DamageError(f"the body does not match its digest {stated}")
    status = parsed.http_headers.get_statuscode() if parsed.http_headers else ""
    return Record(kind, fields, int(status) if status.isdigit() else None, payload), length


def our_field(record: Record, name: str) -> str | None:
    """A `GPURENT-` field of the record, decoded; None where it was not stored."""
    value = record.fields.get(f"GPURENT-{name}")
    return None if value is None else unquote(value)
