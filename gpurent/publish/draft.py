"""Everything an edition will hold, computed before anything is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from gpurent.core.clock import iso_utc
from gpurent.core.errors import CheckFailedError
from gpurent.core.ids import sha256_hex
from gpurent.core.signing import public_pem, sign
from gpurent.publish.canonical import RECORDED, VINTAGE
from gpurent.publish.jsontext import json_bytes
from gpurent.publish.ledger import series_of
from gpurent.publish.manifest import FORMAT, MANIFEST, SAMPLE_NOTICE, SIGNATURE, PublishedFile
from gpurent.publish.rationale import rationale_markdown
from gpurent.publish.tables import PACKAGE, EditionTables, read_tables, table_files
from index.methodologies import methodology_named
from index.parameters import Methodology
from warehouse import Warehouse
from warehouse.sql_files import run_sql_dicts


@dataclass(frozen=True, slots=True)
class Draft:
    """The content of an edition without its place in the chain. `notice` is SAMPLE or None."""

    tables: EditionTables
    construction: str
    published_at: datetime
    reason: str | None
    notice: str | None
    inputs: dict[str, Any]
    methodology: Methodology
    register_version: str

    @property
    def day(self) -> date:
        return self.tables.day

    @property
    def vintage(self) -> str:
        return self.tables.vintage

    @property
    def series(self) -> str:
        return series_of(self.vintage)

    @property
    def content_sha256(self) -> str:
        return self.tables.content_sha256

    @property
    def published_count(self) -> int:
        return self._statuses.count("published") + self._statuses.count("held")

    @property
    def withheld_count(self) -> int:
        return self._statuses.count("withheld")

    @property
    def _statuses(self) -> list[str]:
        return list(self.tables.prices.column("status").to_pylist())

    def renamed(
        self, warehouse: Warehouse, vintage: str, published_at: datetime, reason: str | None
    ) -> Draft:
        """The draft of the same day under another vintage, whose rows the warehouse must have."""
        return make_draft(
            warehouse,
            self.day,
            vintage,
            self.construction,
            published_at,
            reason,
            is_sample=self.notice is not None,
        )

    def files(
        self, sequence_number: int, previous_sha256: str | None, key: tuple[str, Ed25519PrivateKey] | None
    ) -> list[PublishedFile]:
        """All files of the edition, `manifest.json` and (with a key) `manifest.sig` last."""
        files = [
            *table_files(self.tables, notice=self.notice),
            PublishedFile("methodology.toml", self.methodology.raw),
            PublishedFile(
                "rationale.md",
                rationale_markdown(self.tables, self.header(), self.methodology).encode("utf-8"),
            ),
        ]
        manifest = json_bytes(self._manifest(files, sequence_number, previous_sha256, key))
        files.append(PublishedFile(MANIFEST, manifest))
        if key is not None:
            files.append(PublishedFile(SIGNATURE, (sign(key[1], manifest) + "\n").encode("ascii")))
        return files

    def header(self) -> dict[str, Any]:
        """What every part of the edition says about itself."""
        return {
            "day": self.day.isoformat(),
            "vintage": self.vintage,
            "vintage_reason": self.reason,
            "construction": self.construction,
            "published_at": iso_utc(self.published_at),
            "methodology_version": self.methodology.version,
            "register_version": self.register_version,
            "notice": self.notice,
        }

    def _manifest(
        self,
        files: Sequence[PublishedFile],
        sequence_number: int,
        previous_sha256: str | None,
        key: tuple[str, Ed25519PrivateKey] | None,
    ) -> dict[str, object]:
        signer = (
            None if key is None else {"name": key[0], "public_key_pem": public_pem(key[1]).decode("ascii")}
        )
        return {
            **self.header(),
            "format": FORMAT,
            "sequence_number": sequence_number,
            "previous_sha256": previous_sha256,
            "content_sha256": self.content_sha256,
            "canonical_csv": {
                "of_a_file": f"the table's CSV without {', '.join(sorted(RECORDED))}",
                "of_the_edition": (
                    "lines `table sha256`, by name, each of the table's CSV without "
                    + ", ".join(sorted(VINTAGE))
                ),
            },
            "files": {file.name: file.entry() for file in files},
            "inputs": self.inputs,
            "inputs_sha256": sha256_hex(json_bytes(self.inputs)),
            "key": signer,
        }


def make_draft(
    warehouse: Warehouse,
    day: date,
    vintage: str,
    construction: str,
    published_at: datetime,
    reason: str | None,
    *,
    is_sample: bool,
) -> Draft:
    """Read everything an edition needs. Raises CheckFailedError when the rows do not belong together."""
    notice = SAMPLE_NOTICE if is_sample else None
    tables = read_tables(warehouse, day, vintage, notice=notice)
    version = _only(tables, "methodology_version")
    registers = _only(tables, "register_version")
    stated = _only(tables, "construction")
    if stated != construction:
        raise CheckFailedError(f"{day} v{vintage}: computed as {stated}, to be published as {construction}")
    methodology = methodology_named(warehouse, version)
    return Draft(
        tables=tables,
        construction=construction,
        published_at=published_at,
        reason=reason,
        notice=notice,
        inputs=_inputs(warehouse, day, vintage, methodology.raw, registers),
        methodology=methodology,
        register_version=registers,
    )


def _only(tables: EditionTables, column: str) -> str:
    found = sorted(set(tables.prices.column(column).to_pylist()))
    if len(found) != 1:
        raise CheckFailedError(f"{tables.day} v{tables.vintage}: {column} is not one for all grades: {found}")
    return str(found[0])


def _inputs(
    warehouse: Warehouse, day: date, vintage: str, methodology: bytes, registers: str
) -> dict[str, Any]:
    """What the edition was computed from. Captures with confidential trades are counted, not named."""
    captures = run_sql_dicts(warehouse, PACKAGE, "edition_inputs", {"day": day, "vintage": vintage})
    return {
        "captures": [
            {name: row[name] for name in ("capture_id", "source_id", "sha256")}
            for row in captures
            if not row["is_confidential"]
        ],
        "confidential_captures": sum(1 for row in captures if row["is_confidential"]),
        "methodology_sha256": sha256_hex(methodology),
        "register_version": registers,
    }
