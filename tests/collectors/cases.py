"""The rendered documents of every source and what their readers must give. Run as a script to write the latter."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from collectors.document import Document, request_text
from collectors.items import Item
from collectors.reading import read_document
from collectors.registry import load_sources

FIXTURES = Path(__file__).parent / "fixtures"
FETCHED_AT = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Case:
    """One rendered document of a source."""

    source_id: str
    file: str
    document: Document

    def items(self) -> list[dict[str, Any]]:
        """What the reader gives, as JSON would hold it; the raw text of refused rows left out."""
        source = load_sources()[self.source_id]
        return [_plain(item) for item in read_document(self.document, source)]


def document(source_id: str, body: bytes, **given: Any) -> Document:
    """A document as a live run would make it."""
    asked = request_text(list_key=given.pop("list_key", None), body=given.pop("asked", None))
    fields = {"fetched_at": FETCHED_AT, "http_status": 200, "url": f"https://{source_id}.example/list"}
    return Document(source_id=source_id, body=body, request_json=asked, **{**fields, **given})


def cases() -> Iterator[Case]:
    """Every case of every source, by name."""
    for folder in sorted(path for path in FIXTURES.iterdir() if path.is_dir()):
        described = tomllib.loads((folder / "case.toml").read_text(encoding="utf-8"))
        assert described["origin"] == "rendered"
        for entry in described["document"]:
            limit = {"limit": entry["limit"]} if "limit" in entry else None
            made = document(
                folder.name,
                (folder / entry["file"]).read_bytes(),
                list_key=entry.get("list_key"),
                asked=limit,
            )
            yield Case(folder.name, entry["file"], made)


def expected(source_id: str) -> dict[str, list[dict[str, Any]]]:
    """The items of every file of a source, as recorded."""
    found: dict[str, list[dict[str, Any]]] = json.loads(
        (FIXTURES / source_id / "expected.json").read_text(encoding="utf-8")
    )
    return found


def _plain(item: Item) -> dict[str, Any]:
    left_out = {"raw_text"}
    return {"item": type(item).__name__} | item.model_dump(mode="json", exclude_none=True, exclude=left_out)


def main() -> None:
    """Write `expected.json` anew. Read every line of the difference before it is committed."""
    found: dict[str, dict[str, Any]] = {}
    for case in cases():
        found.setdefault(case.source_id, {})[case.file] = case.items()
    for source_id, files in found.items():
        lines = []
        for name, entries in files.items():
            rows = ",\n".join(
                "    " + json.dumps(entry, sort_keys=True, ensure_ascii=False) for entry in entries
            )
            lines.append(f"  {json.dumps(name)}: [\n{rows}\n  ]")
        path = FIXTURES / source_id / "expected.json"
        path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
        sys.stderr.write(f"{path}\n")


if __name__ == "__main__":
    main()
