"""Where things lie beside a warehouse: `NAME.duckdb` has `NAME.files/`, so two in a folder share nothing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Layout:
    """Paths that belong to one warehouse file. Nothing is created by asking for a path."""

    database: Path

    @property
    def files(self) -> Path:
        return self.database.with_name(f"{self.database.stem}.files")

    @property
    def archive(self) -> Path:
        return self.files / "archive"

    @property
    def lake(self) -> Path:
        return self.files / "lake"

    @property
    def spool(self) -> Path:
        return self.files / "spool"

    @property
    def site(self) -> Path:
        return self.files / "site"

    @property
    def public_database(self) -> Path:
        return self.files / "public.duckdb"

    @property
    def lock(self) -> Path:
        return self.database.with_name(f"{self.database.name}.lock")
