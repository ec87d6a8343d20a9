"""The manifest of an edition: what is in it, what it was made from, and what was published before it.

`manifest.json` holds the SHA-256 of every file beside it, of every input that may be named, and of the manifest
published before it; `manifest.sig` holds an Ed25519 signature over exactly its bytes, in base64.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpurent.core.errors import CheckFailedError
from gpurent.core.ids import sha256_hex

FORMAT = "gpurent-edition-1"
MANIFEST = "manifest.json"
SIGNATURE = "manifest.sig"
LATEST = "latest.json"
SAMPLE_NOTICE = "SAMPLE"


@dataclass(frozen=True, slots=True)
class PublishedFile:
    """One file of an edition. `content_sha256` is that of its canonical CSV, where the file is a table."""

    name: str
    body: bytes
    content_sha256: str | None = None
    row_count: int | None = None

    def entry(self) -> dict[str, object]:
        facts: dict[str, object] = {"sha256": sha256_hex(self.body), "size_bytes": len(self.body)}
        if self.content_sha256 is not None:
            facts |= {"content_sha256": self.content_sha256, "row_count": self.row_count}
        return facts


@dataclass(frozen=True, slots=True)
class Manifest:
    """A manifest as read from disk: its bytes, their hash, and the document."""

    folder: Path
    body: bytes
    document: dict[str, Any]

    @property
    def sha256(self) -> str:
        return sha256_hex(self.body)

    @property
    def sequence_number(self) -> int:
        return int(self.document["sequence_number"])

    @property
    def previous_sha256(self) -> str | None:
        previous = self.document["previous_sha256"]
        return None if previous is None else str(previous)

    @property
    def path(self) -> str:
        """`<day>/v<vintage>`, relative to the folder of editions."""
        return edition_path(self.document["day"], self.document["vintage"])


def edition_path(day: object, vintage: str) -> str:
    """Where an edition lies below the folder of editions."""
    return f"{day}/v{vintage}"


def read_manifest(folder: Path) -> Manifest:
    """The manifest in `folder`. Raises CheckFailedError when it is missing, not JSON, or not a manifest."""
    path = folder / MANIFEST
    try:
        body = path.read_bytes()
        document = json.loads(body)
    except (OSError, ValueError) as error:
        raise CheckFailedError(f"{path}: the manifest cannot be read ({error})") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise CheckFailedError(f"{path}: not a manifest of the form {FORMAT}")
    missing = {
        "day",
        "vintage",
        "sequence_number",
        "previous_sha256",
        "files",
        "content_sha256",
    } - document.keys()
    if missing:
        raise CheckFailedError(f"{path}: {', '.join(sorted(missing))} missing")
    return Manifest(folder, body, document)


def edition_folders(out: Path) -> Iterator[Path]:
    """Every folder of an edition below `out`, by day and then by name; nothing when there is no `out`."""
    for day in sorted(out.glob("????-??-??")):
        yield from sorted(day.glob("v*"))


def read_latest(out: Path) -> dict[str, Any] | None:
    """`latest.json`, or None when nothing was published yet. A file that is no such document raises."""
    path = out / LATEST
    try:
        document = json.loads(path.read_bytes())
        if not isinstance(document["path"], str):
            raise TypeError("path is not a text")
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CheckFailedError(f"{path}: cannot be read ({error})") from None
    return dict(document)
