"""Checking editions on disk: hashes of every file, signatures, and the chain of publications.

Needs the folder of editions and nothing else, so a stranger can do it. What this level cannot see is an edition
removed from the end of the chain together with `latest.json`; whoever keeps the last manifest hash can.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from gpurent.core.errors import CheckFailedError, ConfigError, NotFoundError
from gpurent.core.ids import sha256_hex
from gpurent.core.signing import is_signed_by, load_public_key
from gpurent.publish.manifest import (
    LATEST,
    MANIFEST,
    SAMPLE_NOTICE,
    SIGNATURE,
    Manifest,
    edition_folders,
    read_latest,
    read_manifest,
)
from gpurent.publish.sample_key import sample_public_pem


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is not as the manifest says. `file` is relative to the folder of editions."""

    file: str
    kind: str
    detail: str

    def as_json(self) -> dict[str, str]:
        return {"file": self.file, "kind": self.kind, "detail": self.detail}


@dataclass(frozen=True, slots=True)
class CheckedEdition:
    """An edition and what is wrong with it. `signature`: `valid`, `unsigned` or `invalid`."""

    path: str
    manifest_sha256: str | None
    sequence_number: int | None
    signature: str
    key_name: str | None
    is_sample: bool
    file_count: int
    differences: tuple[Difference, ...]

    @property
    def is_signed(self) -> bool:
        return self.signature == "valid"


@dataclass(frozen=True, slots=True)
class ChainReport:
    """The outcome of a check: the editions in publication order, and what concerns no single one."""

    out: Path
    is_key_given: bool
    editions: tuple[CheckedEdition, ...]
    differences: tuple[Difference, ...]

    @property
    def all_differences(self) -> list[Difference]:
        return [found for edition in self.editions for found in edition.differences] + list(self.differences)

    @property
    def unsigned(self) -> list[CheckedEdition]:
        """Editions without a signature: whole, but nobody stands behind them."""
        return [edition for edition in self.editions if edition.signature == "unsigned"]

    @property
    def exit_code(self) -> int:
        return 3 if self.all_differences else 0

    def as_json(self) -> dict[str, object]:
        return {
            "level": "chain",
            "out": str(self.out),
            "is_intact": not self.all_differences,
            "signed": all(edition.is_signed for edition in self.editions),
            "key": "given" if self.is_key_given else "the one each edition names",
            "editions": [
                {
                    "path": edition.path,
                    "sequence_number": edition.sequence_number,
                    "manifest_sha256": edition.manifest_sha256,
                    "signed": edition.is_signed,
                    "signature": edition.signature,
                    "key_name": edition.key_name,
                    "is_sample": edition.is_sample,
                    "file_count": edition.file_count,
                    "differences": [found.as_json() for found in edition.differences],
                }
                for edition in self.editions
            ],
            "differences": [found.as_json() for found in self.differences],
        }


def verify_chain(
    out: Path, *, every: bool = False, public_key: Ed25519PublicKey | None = None
) -> ChainReport:
    """Check the latest edition and its link backwards, or with `every` all of them and the whole chain.

    Raises NotFoundError when there is no edition at all; everything else that is wrong is in the report.
    """
    folders = list(edition_folders(out))
    if not folders:
        raise NotFoundError(f"{out}: there is no edition here; name the folder of editions with --out")
    readable, broken = _read_all(folders)
    by_sequence = sorted(readable, key=lambda manifest: (manifest.sequence_number, manifest.path))
    chain = list(_chain_differences(out, by_sequence, every=every))
    latest, latest_differences = _latest(out, by_sequence)
    chosen = by_sequence if every else [latest] if latest is not None else by_sequence[-1:]
    checked = [check_edition(out, manifest, public_key) for manifest in chosen]
    return ChainReport(out, public_key is not None, tuple(checked), (*broken, *chain, *latest_differences))


def check_edition(out: Path, manifest: Manifest, public_key: Ed25519PublicKey | None) -> CheckedEdition:
    """Hash every file of one edition and check its signature."""
    folder = manifest.folder.relative_to(out).as_posix()
    differences = list(_file_differences(manifest, folder))
    if folder != manifest.path:
        differences.append(
            Difference(f"{folder}/{MANIFEST}", "wrong_folder", f"it is the manifest of {manifest.path}")
        )
    signature, found = _signature(manifest, folder, public_key)
    key = manifest.document.get("key")
    return CheckedEdition(
        path=folder,
        manifest_sha256=manifest.sha256,
        sequence_number=manifest.sequence_number,
        signature=signature,
        key_name=key.get("name") if isinstance(key, dict) else None,
        is_sample=manifest.document.get("notice") == SAMPLE_NOTICE,
        file_count=len(manifest.document["files"]),
        differences=tuple(differences + found),
    )


def file_differences(manifest: Manifest) -> list[Difference]:
    """What on disk is not as the manifest says: changed, missing and unexpected files."""
    return list(_file_differences(manifest, manifest.path))


def _read_all(folders: Iterable[Path]) -> tuple[list[Manifest], list[Difference]]:
    readable, broken = [], []
    for folder in folders:
        try:
            readable.append(read_manifest(folder))
        except CheckFailedError as error:
            name = f"{folder.parent.name}/{folder.name}/{MANIFEST}"
            broken.append(Difference(name, "unreadable_manifest", str(error)))
    return readable, broken


def _file_differences(manifest: Manifest, folder: str) -> Iterator[Difference]:
    expected = manifest.document["files"]
    for name in sorted(expected):
        if PurePosixPath(name).name != name:
            yield Difference(f"{folder}/{MANIFEST}", "bad_file_name", f"{name!r} is not a plain file name")
            continue
        try:
            found = sha256_hex((manifest.folder / name).read_bytes())
        except OSError as error:
            yield Difference(f"{folder}/{name}", "missing_file", f"cannot be read ({error.strerror})")
            continue
        if found != expected[name].get("sha256"):
            yield Difference(
                f"{folder}/{name}",
                "hash_differs",
                f"the manifest says {expected[name].get('sha256')}, the file has {found}",
            )
    known = {*expected, MANIFEST, SIGNATURE}
    for entry in sorted(manifest.folder.iterdir()):
        if entry.name not in known:
            yield Difference(f"{folder}/{entry.name}", "unexpected_file", "the manifest does not list it")


def _signature(
    manifest: Manifest, folder: str, public_key: Ed25519PublicKey | None
) -> tuple[str, list[Difference]]:
    """`valid`, `unsigned` or `invalid`, and why. Without a given key the one the edition names is used.

    An edition that nobody signed is no difference, unless there is a key that should have signed it.
    """
    path = manifest.folder / SIGNATURE
    named = manifest.document.get("key")
    if named is None and not path.exists():
        if public_key is None:
            return "unsigned", []
        detail = "nobody signed this edition, and a key was given that should have"
        return "unsigned", [Difference(f"{folder}/{MANIFEST}", "missing_signature", detail)]
    kind, detail = _signature_problem(manifest, path, named, public_key)
    if kind is None:
        return "valid", []
    file = MANIFEST if kind in {"bad_key", "open_key"} else SIGNATURE
    return "invalid", [Difference(f"{folder}/{file}", kind, detail)]


def _signature_problem(
    manifest: Manifest, path: Path, named: Any, public_key: Ed25519PublicKey | None
) -> tuple[str | None, str]:
    """The kind of problem and its detail; None where the signature is good."""
    if not isinstance(named, dict):
        return "bad_signature", "the manifest names no key that could have signed it"
    if not path.exists():
        return "missing_signature", f"the manifest says it is signed with the key {named.get('name')!r}"
    pem = str(named.get("public_key_pem")).encode()
    try:
        key = public_key or load_public_key(pem)
    except ConfigError as error:
        return "bad_key", str(error)
    signature = path.read_bytes().decode("ascii", "replace").strip()
    if not is_signed_by(key, manifest.body, signature):
        whose = "the key given" if public_key else f"the key {named.get('name')!r} it names"
        return "bad_signature", f"not a signature of {MANIFEST} by {whose}"
    if pem == sample_public_pem() and manifest.document.get("notice") != SAMPLE_NOTICE:
        return "open_key", "signed with the open SAMPLE key, but does not say SAMPLE"
    return None, ""


def _chain_differences(out: Path, by_sequence: list[Manifest], *, every: bool) -> Iterator[Difference]:
    links = by_sequence if every else by_sequence[-2:]
    for index, manifest in enumerate(links):
        file = f"{manifest.folder.relative_to(out).as_posix()}/{MANIFEST}"
        before = links[index - 1] if index else None
        if before is None:
            if every and (manifest.sequence_number != 1 or manifest.previous_sha256 is not None):
                yield Difference(
                    file,
                    "chain_starts_late",
                    f"the first edition here has number {manifest.sequence_number}, not 1",
                )
            continue
        expected = before.sequence_number + 1
        if manifest.sequence_number != expected:
            yield Difference(
                file, "sequence_gap", f"its number is {manifest.sequence_number} and should be {expected}"
            )
        elif manifest.previous_sha256 != before.sha256:
            yield Difference(
                file,
                "chain_broken",
                f"it follows {manifest.previous_sha256}, but {before.path} is {before.sha256}",
            )


def _latest(out: Path, by_sequence: list[Manifest]) -> tuple[Manifest | None, list[Difference]]:
    """The manifest `latest.json` points to, and what is wrong with the pointer."""
    try:
        latest = read_latest(out)
    except CheckFailedError as error:
        return None, [Difference(LATEST, "unreadable", str(error))]
    if latest is None:
        return None, [
            Difference(LATEST, "missing_file", "there are editions, but nothing says which is the latest")
        ]
    found = [manifest for manifest in by_sequence if manifest.path == latest["path"]]
    if not found:
        return None, [Difference(LATEST, "points_nowhere", f"there is no edition {latest['path']}")]
    if latest.get("manifest_sha256") != found[0].sha256:
        return found[0], [
            Difference(LATEST, "hash_differs", f"it names another manifest than the one in {latest['path']}")
        ]
    return found[0], []
