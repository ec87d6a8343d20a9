"""edition list, verify, public-file: what was published."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, Parameter

from gpurent.cli.context import Given, Output
from gpurent.core.errors import ConfigError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from gpurent.publish.chain import ChainReport
    from gpurent.publish.manifest import Manifest

_VERIFY = """Examples:
  gpurent verify                     the latest edition
  gpurent verify --all --key desk.pub.pem
  gpurent verify --all --out editions/"""


def register(app: App) -> None:
    """Add the commands to the app."""
    edition = App(name="edition", help="Editions: what was published.")
    edition.command(
        edition_list, name="list", help_epilogue="Examples:\n  gpurent edition list --out editions/"
    )
    app.command(edition)
    app.command(verify, help_epilogue=_VERIFY)
    app.command(public_file, name="public-file", help_epilogue="Examples:\n  gpurent public-file")


def edition_list(*, context: Given) -> Output:
    """List the editions in the folder of editions, in publication order."""
    from gpurent.cli.reading import naming_the_sample
    from gpurent.publish.manifest import edition_folders, read_manifest

    out = context.settings.editions
    manifests = [read_manifest(folder) for folder in edition_folders(out)]
    manifests.sort(key=lambda one: (one.sequence_number, one.path))
    if not manifests:
        with naming_the_sample(context.settings):
            raise NotFoundError(f"{out}: there is no edition here; name the folder of editions with --out")
    rows = [_edition_row(manifest) for manifest in manifests]
    return Output({"out": str(out), "editions": rows}, lambda console: _show_editions(console, rows))


def verify(
    *,
    level: Literal["chain"] = "chain",
    every: Annotated[bool, Parameter(name="--all", negative="")] = False,
    key: Path | None = None,
    context: Given,
) -> Output:
    """Check editions on disk: the hash of every file, signatures, and the chain of publications.

    Parameters
    ----------
    level
        chain: hashes, signatures and chain.
    every
        All editions, not only the latest one.
    key
        The publisher's public key (PEM). Without it each edition is checked against the key it names itself.
    """
    from gpurent.cli.reading import naming_the_sample
    from gpurent.core.signing import load_public_key
    from gpurent.publish.chain import verify_chain

    public_key = None
    if key is not None:
        try:
            public_key = load_public_key(key.read_bytes())
        except OSError as error:
            raise ConfigError(f"{key}: cannot be read ({error.strerror})") from None
    with naming_the_sample(context.settings):
        report = verify_chain(context.settings.editions, every=every, public_key=public_key)
    return Output(report.as_json(), lambda console: _show_report(console, report), report.exit_code)


def public_file(*, context: Given) -> Output:
    """Build the public file from the warehouse and replace the one that is there."""
    from warehouse import open_warehouse
    from warehouse.public import write_public

    with open_warehouse(
        context.settings.warehouse, read_only=True, threads=context.settings.threads
    ) as warehouse:
        path = write_public(warehouse).absolute()
    return Output({"public_file": str(path)}, lambda console: _show_line(console, str(path)))


def _edition_row(manifest: Manifest) -> dict[str, Any]:
    document = manifest.document
    key = document.get("key")
    return {
        "sequence_number": manifest.sequence_number,
        "day": document["day"],
        "vintage": document["vintage"],
        "construction": document.get("construction"),
        "vintage_reason": document.get("vintage_reason"),
        "published_at": document.get("published_at"),
        "key_name": key["name"] if isinstance(key, dict) else None,
        "notice": document.get("notice"),
        "manifest_sha256": manifest.sha256,
        "path": str(manifest.folder),
    }


def _show_editions(console: Console, rows: Sequence[dict[str, Any]]) -> None:
    from gpurent.cli.output import sample_line, table

    sample_line(console, is_sample=any(row["notice"] for row in rows))
    columns = ("number", "day", "vintage", "published", "signed with", "reason", "path")
    shown = [
        (
            row["sequence_number"],
            row["day"],
            row["vintage"],
            row["published_at"],
            row["key_name"] or "unsigned",
            row["vintage_reason"],
            row["path"],
        )
        for row in rows
    ]
    console.print(table(columns, shown, numbers=("number",)))


def _show_report(console: Console, report: ChainReport) -> None:
    from gpurent.cli.output import line, sample_line
    from gpurent.publish.words import counted

    sample_line(console, is_sample=any(edition.is_sample for edition in report.editions))
    for edition in report.editions:
        signed = f"{edition.signature}, key {edition.key_name}" if edition.key_name else edition.signature
        state = "differs" if edition.differences else "intact"
        line(console, f"{edition.path}: {state}; {edition.file_count} files; signature {signed}")
    for found in report.all_differences:
        line(console, f"{found.file}: {found.kind}: {found.detail}", "bold red")
    if report.unsigned:
        count = f"{len(report.unsigned)} of {counted(len(report.editions), 'edition')}"
        shown = "hashes show that its files belong together, not who published them"
        line(console, f"NOT SIGNED: {count}; {shown}", "bold yellow")
    if not report.all_differences:
        whose = "the key given" if report.is_key_given else "the key each edition names itself"
        against = "hashes and chain" if len(report.unsigned) == len(report.editions) else whose
        line(console, f"{len(report.editions)} checked against {against}: nothing differs")


def _show_line(console: Console, text: str) -> None:
    from gpurent.cli.output import line

    line(console, text)
