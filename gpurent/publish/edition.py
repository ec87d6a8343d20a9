"""Writing an edition: one day's prices in one vintage, written once, signed, chained, and never changed.

The files are written to a temporary folder, synced, and renamed to `<out>/<day>/v<vintage>/`; then the edition
is recorded in the warehouse; then `<out>/latest.json` moves. A run that dies between these steps is repaired by
the next one: a folder that is there and says the same is recorded, not written again.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from gpurent.core.clock import iso_utc
from gpurent.core.errors import CheckFailedError, ConfigError, EditionDiffersError
from gpurent.core.files import sync_file, sync_folder, write_atomic
from gpurent.core.ids import sha256_hex
from gpurent.core.stages import reach
from gpurent.publish.chain import file_differences
from gpurent.publish.draft import Draft, make_draft
from gpurent.publish.jsontext import json_bytes
from gpurent.publish.ledger import Ledger, Publication, rename_vintage
from gpurent.publish.manifest import (
    LATEST,
    MANIFEST,
    SAMPLE_NOTICE,
    PublishedFile,
    edition_path,
    read_manifest,
)
from warehouse import Warehouse

SigningKey = tuple[str, Ed25519PrivateKey]

_TEMPORARY = ".writing-"
_VINTAGE = re.compile(r"^(|backfill-|research-)[1-9]\d*$")


@dataclass(frozen=True, slots=True)
class Edition:
    """An edition on disk. `is_new` is False when it was already there with the same content."""

    day: date
    vintage: str
    construction: str
    path: Path
    manifest_sha256: str
    content_sha256: str
    sequence_number: int
    previous_sha256: str | None
    key_name: str | None
    published_at: datetime
    is_sample: bool
    is_new: bool
    published_count: int
    withheld_count: int

    @property
    def is_all_withheld(self) -> bool:
        return self.published_count == 0

    def as_json(self) -> dict[str, object]:
        return {
            "day": self.day.isoformat(),
            "vintage": self.vintage,
            "construction": self.construction,
            "path": str(self.path),
            "manifest_sha256": self.manifest_sha256,
            "content_sha256": self.content_sha256,
            "sequence_number": self.sequence_number,
            "key_name": self.key_name,
            "published_at": iso_utc(self.published_at),
            "notice": SAMPLE_NOTICE if self.is_sample else None,
            "is_new": self.is_new,
            "published": self.published_count,
            "withheld": self.withheld_count,
        }


def write_edition(
    warehouse: Warehouse,
    out: Path,
    *,
    day: date,
    vintage: str,
    construction: str,
    published_at: datetime,
    reason: str | None = None,
    key: SigningKey | None = None,
    is_sample: bool = False,
) -> Edition:
    """Publish the rows that the warehouse has for `day` and `vintage`.

    An edition of that day with the same content is returned as it is, whatever vintage was asked for. Other
    content raises EditionDiffersError, unless there is a `reason`: then it becomes the next vintage.
    `published_at` is the scheduled time of the vintage. Without a key the edition is unsigned and says so.
    """
    if not _VINTAGE.match(vintage):
        raise ConfigError(f"vintage {vintage!r}: a number, backfill-N or research-N is needed")
    out.mkdir(parents=True, exist_ok=True)
    _clear_temporary(out)
    ledger = Ledger.read(warehouse, out)
    ledger.adopt(warehouse)
    draft = make_draft(warehouse, day, vintage, construction, published_at, reason, is_sample=is_sample)
    same = _that_says_the_same(ledger, draft)
    if same is not None and (out / same.path).exists():
        _check_unchanged(out, same)
        _move_latest(out, ledger)
        return _edition(out, draft, same, is_new=False)
    if same is not None:
        again = draft.renamed(warehouse, same.vintage, same.published_at, same.reason)
        return _publish(warehouse, out, ledger, again, key)
    if ledger.of_day(day, draft.series):
        if reason is None:
            raise EditionDiffersError(_differs(out, ledger, draft))
        draft = _with_next_vintage(warehouse, ledger, draft)
    return _publish(warehouse, out, ledger, draft, key)


def next_vintage(warehouse: Warehouse, out: Path, day: date, *, prefix: str = "") -> str:
    """The name of the vintage that would follow those there are: `1` for a day without an edition."""
    return Ledger.read(warehouse, out).next_vintage(day, prefix)


def _publish(
    warehouse: Warehouse, out: Path, ledger: Ledger, draft: Draft, key: SigningKey | None
) -> Edition:
    place = ledger.place_of(edition_path(draft.day, draft.vintage))
    files = draft.files(place.sequence_number, place.previous_sha256, key)
    final = out / edition_path(draft.day, draft.vintage)
    manifest_sha256 = next(sha256_hex(file.body) for file in files if file.name == MANIFEST)
    if place.manifest_sha256 not in {None, manifest_sha256}:
        raise CheckFailedError(
            f"{final}: the edition recorded under this name is gone and cannot be written again as it was "
            f"(manifest {place.manifest_sha256}; signed with {place.key_name or 'no key'}). "
            "Restore the folder from a backup, or run with the key that signed it"
        )
    _write_folder(out, final, files)
    reach("publish.edition.renamed")
    publication = Publication.from_manifest(read_manifest(final))
    _record(warehouse, ledger, publication)
    reach("publish.edition.recorded")
    _move_latest(out, ledger)
    reach("publish.latest.moved")
    return _edition(out, draft, publication, is_new=True)


def _write_folder(out: Path, final: Path, files: Iterable[PublishedFile]) -> None:
    temporary = out / f"{_TEMPORARY}{final.parent.name}-{final.name}"
    temporary.mkdir()
    for file in files:
        path = temporary / file.name
        path.write_bytes(file.body)
        sync_file(path)
    sync_folder(temporary)
    reach("publish.edition.files_written")
    final.parent.mkdir(exist_ok=True)
    temporary.rename(final)
    sync_folder(final.parent)
    sync_folder(out)


def _clear_temporary(out: Path) -> None:
    """Remove what a killed run left half-written; the warehouse's lock keeps other runs away."""
    for leftover in out.glob(f"{_TEMPORARY}*"):
        shutil.rmtree(leftover)


def _that_says_the_same(ledger: Ledger, draft: Draft) -> Publication | None:
    """The edition of the day with the same content: under the draft's name, else the newest one."""
    newest = ledger.newest(draft.day, draft.series)
    for publication in ledger.of_day(draft.day, draft.series):
        is_candidate = publication.vintage == draft.vintage or publication is newest
        if is_candidate and publication.content_sha256 == draft.content_sha256:
            return publication
    return None


def _check_unchanged(out: Path, publication: Publication) -> None:
    """Raise CheckFailedError, naming the files, when an edition on disk is not what was published."""
    manifest = read_manifest(out / publication.path)
    changed = [found.file for found in file_differences(manifest)]
    if manifest.sha256 != publication.manifest_sha256:
        changed.append(f"{publication.path}/{MANIFEST}")
    if changed:
        raise CheckFailedError(
            f"{out / publication.path}: was changed after it was published ({', '.join(changed)}); restore it "
            "from a backup, then run: gpurent verify --all"
        )


def _with_next_vintage(warehouse: Warehouse, ledger: Ledger, draft: Draft) -> Draft:
    """The draft under a name nobody has; rows that carry a published name get the new one as well."""
    taken = {publication.vintage for publication in ledger.of_day(draft.day, draft.series)}
    if draft.vintage not in taken:
        return draft
    following = ledger.next_vintage(draft.day, draft.series)
    rename_vintage(warehouse, draft.day, draft.vintage, following, draft.published_at)
    return draft.renamed(warehouse, following, draft.published_at, draft.reason)


def _record(warehouse: Warehouse, ledger: Ledger, publication: Publication) -> None:
    if publication.path not in ledger.recorded:
        warehouse.append("editions", [publication.row()])
        ledger.add_recorded(publication)


def _move_latest(out: Path, ledger: Ledger) -> None:
    """Point `latest.json` to the newest day's newest vintage on disk, live before back-filled; research never leads."""
    leading = [
        item for item in ledger.publications if item.series != "research-" and (out / item.path).exists()
    ]
    if not leading:
        return
    latest = max(leading, key=lambda item: (item.day, item.series == "", item.sequence_number))
    manifest = read_manifest(out / latest.path)
    shown = ("day", "vintage", "construction", "sequence_number", "published_at", "notice")
    facts = {name: manifest.document[name] for name in shown}
    body = json_bytes({**facts, "path": latest.path, "manifest_sha256": manifest.sha256})
    path = out / LATEST
    if not path.exists() or path.read_bytes() != body:
        write_atomic(path, body)


def _differs(out: Path, ledger: Ledger, draft: Draft) -> str:
    newest = ledger.newest(draft.day, draft.series)
    there = newest.path if newest else ""
    return (
        f"{out / there}: an edition of {draft.day} is there and says something else than what was computed now "
        f"(content {newest.content_sha256 if newest else ''} there, {draft.content_sha256} now). Nothing was written. "
        f"To publish the new values beside it, run: gpurent daily --day {draft.day} --vintage REASON"
    )


def _edition(out: Path, draft: Draft, publication: Publication, *, is_new: bool) -> Edition:
    return Edition(
        day=draft.day,
        vintage=publication.vintage,
        construction=publication.construction,
        path=(out / publication.path).absolute(),
        manifest_sha256=publication.manifest_sha256,
        content_sha256=publication.content_sha256,
        sequence_number=publication.sequence_number,
        previous_sha256=publication.previous_sha256,
        key_name=publication.key_name,
        published_at=publication.published_at,
        is_sample=draft.notice == SAMPLE_NOTICE,
        is_new=is_new,
        published_count=draft.published_count,
        withheld_count=draft.withheld_count,
    )
