"""What a source answered, as it came: the one input of every reader, live, from a file or from the archive."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from gpurent.core.clock import as_utc, iso_utc
from gpurent.core.ids import sha256_hex


@dataclass(frozen=True, slots=True)
class Document:
    """One response or one ingested file.

    `body` is exactly what came; decompression happens while reading. `fetched_at` is UTC. `http_status` is None
    for a file. `file_name` is the bare name of an ingested file. `request_json` is what was asked, as canonical
    JSON (see `request_text`), and travels with the bytes into the archive, so that a replay knows it too. `sha256`
    is the body's, taken once.
    """

    source_id: str
    url: str
    body: bytes
    fetched_at: datetime
    media_type: str | None = None
    http_status: int | None = None
    file_name: str | None = None
    request_json: str | None = None
    sha256: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sha256", sha256_hex(self.body))

    def asked(self, name: str) -> Any:
        """A field of `request_json`; None where nothing of that name was asked."""
        return json.loads(self.request_json).get(name) if self.request_json else None

    @property
    def list_key(self) -> str:
        """Which of the source's lists was asked for (a model, a region); empty for a source with one list."""
        return str(self.asked("list_key") or "")

    @property
    def snapshot_at(self) -> datetime | None:
        """When the look began that this document is a page of; None for a file."""
        return _instant(self.asked("snapshot_at"))

    @property
    def observed_at(self) -> datetime | None:
        """What the person who ingested the file said of its time."""
        return _instant(self.asked("observed_at"))


def request_text(
    *,
    method: str | None = None,
    body: object = None,
    list_key: str | None = None,
    snapshot_at: datetime | None = None,
    observed_at: datetime | None = None,
) -> str | None:
    """`request_json` of a document: only what was given, keys sorted; None when nothing was."""
    given: dict[str, object] = {
        "method": method,
        "body": body,
        "list_key": list_key,
        "snapshot_at": iso_utc(snapshot_at) if snapshot_at else None,
        "observed_at": iso_utc(observed_at) if observed_at else None,
    }
    kept = {name: value for name, value in given.items() if value is not None}
    return json.dumps(kept, sort_keys=True, separators=(",", ":")) if kept else None


def _instant(text: object) -> datetime | None:
    return as_utc(datetime.fromisoformat(text)) if isinstance(text, str) else None
