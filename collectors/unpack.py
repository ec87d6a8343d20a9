"""Bytes to readable bytes and text: gzip (also nested once), byte order marks, UTF-16; never more than allowed."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO

from gpurent.core.errors import SourceError

if TYPE_CHECKING:
    Buffered = io.BufferedReader[Any]  # generic for type checkers alone

GZIP = b"\x1f\x8b"
_DEEPEST = 2
_HEAD = 2**16
_MARKS = [
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
]


class _Inflating(io.RawIOBase):
    """A gzip stream that counts what comes out of it. Faults become SourceError with their own codes."""

    def __init__(self, packed: BinaryIO, limit_bytes: int) -> None:
        self._plain = gzip.GzipFile(fileobj=packed)
        self._limit = limit_bytes
        self._seen = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # the stub's type is private
        try:
            piece = self._plain.read(len(buffer))
        except EOFError:
            raise SourceError(
                "truncated_gzip",
                f"the gzip data end after {self._seen} bytes of content; fetch the file again",
            ) from None
        except (gzip.BadGzipFile, zlib.error) as error:
            raise SourceError("corrupt_gzip", f"after {self._seen} bytes of content: {error}") from None
        self._seen += len(piece)
        if self._seen > self._limit:
            raise SourceError(
                "decompression_bomb", f"unpacks to more than the {self._limit} bytes allowed for this source"
            )
        buffer[: len(piece)] = piece
        return len(piece)


def open_plain(body: bytes, limit_bytes: int) -> Buffered:
    """The content of `body` as a stream, gzip taken off up to twice.

    Raises SourceError `empty_document` when nothing is in it, `nested_too_deep` for gzip in gzip in gzip;
    reading it raises `truncated_gzip`, `corrupt_gzip` or `decompression_bomb`.
    """
    stream: Buffered = io.BufferedReader(io.BytesIO(body), _HEAD)
    depth = 0
    while head(stream).startswith(GZIP):
        if depth == _DEEPEST:
            raise SourceError("nested_too_deep", "gzip inside gzip inside gzip; unpack the file once")
        stream = io.BufferedReader(_Inflating(stream, limit_bytes), _HEAD)
        depth += 1
    if not head(stream).strip(b" \t\r\n\x00\xef\xbb\xbf\xff\xfe"):
        raise SourceError("empty_document", "there is nothing in it")
    return stream


def head(stream: Buffered) -> bytes:
    """The first bytes, up to 64 KiB, without consuming them."""
    return stream.peek(_HEAD)[:_HEAD]


def encoding_of(first: bytes) -> str:
    """The text encoding: by byte order mark, else UTF-16 by its zero bytes, else UTF-8."""
    for mark, name in _MARKS:
        if first.startswith(mark):
            return name
    sample = first[:200]
    if len(sample) >= 4 and sample[::2].count(0) == 0 and sample[1::2].count(0) > len(sample) // 3:
        return "utf-16-le"
    if len(sample) >= 4 and sample[1::2].count(0) == 0 and sample[::2].count(0) > len(sample) // 3:
        return "utf-16-be"
    return "utf-8"


def first_text(first: bytes) -> str:
    """The beginning as text, for telling formats apart; a character cut at the end is left out."""
    decoder = codecs.getincrementaldecoder(encoding_of(first))(errors="replace")
    return decoder.decode(first, final=False).lstrip("\ufeff \t\r\n")


def open_text(stream: Buffered) -> io.TextIOWrapper:
    """The stream as text with line ends as they are. Read it inside `readable_text`."""
    return io.TextIOWrapper(stream, encoding=encoding_of(head(stream)), errors="strict", newline="")


@contextmanager
def readable_text() -> Iterator[None]:
    """Turns undecodable bytes into SourceError `not_text`."""
    try:
        yield
    except UnicodeError as error:
        reason = error.reason if isinstance(error, UnicodeDecodeError) else str(error)
        at = f" at byte {error.start}" if isinstance(error, UnicodeDecodeError) else ""
        raise SourceError("not_text", f"no valid text{at}: {reason}; UTF-8 and UTF-16 are read") from None


def whole_text(stream: Buffered) -> str:
    """All of the stream as text."""
    with readable_text():
        return open_text(stream).read().lstrip("\ufeff")
