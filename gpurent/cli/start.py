"""init, config show: beginning, and seeing which setting holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cyclopts import App

from gpurent.cli.context import Given, Output
from gpurent.core.settings import FILE_NAME, PREFIX, Settings

if TYPE_CHECKING:
    from rich.console import Console

_INIT = """Examples:
  gpurent init
  gpurent init prices/"""
_CONFIG = """Examples:
  gpurent config show
  GPURENT_CONTACT=you@example.org gpurent config show --json"""

REGISTERS = ("sources", "operators", "specs", "evidence")
# what a setting may look like, where its default does not show it
EXAMPLES: Mapping[str, str] = {
    "warehouse": '"gpurent.duckdb"',
    "out": '"editions"',
    "registers": '"registers"',
    "contact": '"you@example.org"',
    "endpoint": '"http://127.0.0.1:8000"',
    "signing_key": '"signing-key.pem"',
    "signing_key_name": '"desk-2026"',
    "source_keys": '{ vast = "…" }',
    "threads": "4",
    "log_format": '"text"',
    "log_level": '"info"',
}
NEXT = (
    ("gpurent daily --sample", "the sample, offline: what an edition and its page look like"),
    ("gpurent doctor", "what is still missing here; live collection needs a contact in gpurent.toml"),
    ("gpurent daily", "collect from the sources and publish what is due"),
)


def register(app: App) -> None:
    """Add the commands to the app."""
    app.command(init, help_epilogue=_INIT)
    config = App(name="config", help="Settings: which value holds, and where it comes from.")
    config.command(config_show, name="show", help_epilogue=_CONFIG)
    app.command(config)


def init(folder: Path = Path(), /) -> Output:
    """Make a working folder: settings and registers of your own, everything in them commented out.

    Parameters
    ----------
    folder
        Where; this folder when left out. What is there already is left as it is.
    """
    from gpurent.core.files import write_atomic

    done = []
    for name, body in starter_files():
        path = folder / name
        is_new = not path.exists()
        if is_new:
            write_atomic(path, body)
        done.append({"path": str(path), "is_new": is_new})
    document = {
        "folder": str(folder.absolute()),
        "files": done,
        "next": [command for command, _ in NEXT],
    }
    return Output(document, lambda console: _show_init(console, folder, document))


def config_show(*, context: Given) -> Output:
    """Show every setting: its value, and whether a flag, the environment, the file or the default says so."""
    settings = context.settings
    rows = [
        {"name": row.name, "value": row.value or None, "origin": row.origin, "meaning": row.meaning}
        for row in settings.listing()
    ]
    document = {
        "settings": rows,
        "file": str(Path(FILE_NAME).absolute()),
        "is_file_there": Path(FILE_NAME).exists(),
        "editions": str(settings.editions),
    }
    return Output(document, lambda console: _show_config(console, document))


def starter_files() -> Iterator[tuple[str, bytes]]:
    """Name and body of every file of a new working folder."""
    yield FILE_NAME, settings_file().encode("utf-8")
    root = files("gpurent.cli").joinpath("starter", "registers")
    for folder in REGISTERS:
        yield f"registers/{folder}/example.toml", root.joinpath(folder, "example.toml").read_bytes()


def settings_file() -> str:
    """The settings file: every setting with its meaning and its default or an example, commented out."""
    lines = [
        "# Settings of gpurent. Take the # away from a line to set it.",
        f"# A flag comes first, then {PREFIX}… in the environment, then this file.",
        "# `gpurent config show` tells which of them holds.",
    ]
    for name, field in Settings.model_fields.items():
        lines += ["", f"# {field.description}", f"#{name} = {EXAMPLES[name]}"]
    return "\n".join(lines) + "\n"


def _show_init(console: Console, folder: Path, document: Mapping[str, Any]) -> None:
    from gpurent.cli.output import line

    for one in document["files"]:
        line(console, f"{'made' if one['is_new'] else 'kept'}  {one['path']}")
    line(console)
    line(console, "next:" if folder == Path() else f"next, in {folder}:", "bold")
    width = max(len(command) for command, _ in NEXT)
    for command, why in NEXT:
        line(console, f"  {command:<{width}}  {why}")


def _show_config(console: Console, document: Mapping[str, Any]) -> None:
    from gpurent.cli.output import line, table

    lines = [(row["name"], row["value"], row["origin"], row["meaning"]) for row in document["settings"]]
    console.print(table(("setting", "value", "origin", "meaning"), lines))
    line(console)
    there = "read" if document["is_file_there"] else "not there; `gpurent init` makes one"
    line(console, f"{document['file']}: {there}", "dim")
    line(console, f"editions go to {document['editions']}", "dim")
