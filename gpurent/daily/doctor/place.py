"""The place a run happens in: settings, registers, contact, keys and disk."""

from __future__ import annotations

import re
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from collectors.registry import load_sources
from collectors.settings import is_loopback
from gpurent.core.errors import ConfigError
from gpurent.core.settings import Settings
from gpurent.core.signing import load_private_key
from gpurent.daily.doctor.lines import Line, fail, ok, some, warn
from grades.pseudonyms import KEY_NAME
from grades.register_files import load_registers
from warehouse.layout import Layout

MEGABYTE = 10**6
LEAST_FREE, LITTLE_FREE = 200 * MEGABYTE, 2000 * MEGABYTE
_READ = ("sources", "operators", "specs", "evidence")
_REACHABLE = re.compile(r"^([^@\s]+@[^@\s]+\.[^@\s]+|https?://\S+)$")
_NEW_KEY = "openssl genpkey -algorithm ed25519 -out signing-key.pem && chmod 600 signing-key.pem"


def look_at_place(settings: Settings) -> Iterator[Line]:
    """Everything that can be looked at without the warehouse."""
    yield _configuration(settings)
    yield from _registers(settings)
    yield _contact(settings)
    yield from _keys(settings)
    yield _disk(settings)


def _configuration(settings: Settings) -> Line:
    """That it could be loaded is known by now; a setting that is wrong ends every command with 2."""
    set_here = sorted(
        f"{name} ({origin})" for name, origin in settings.origins.items() if origin != "default"
    )
    return ok("configuration", f"set: {', '.join(set_here)}" if set_here else "every setting at its default")


def _registers(settings: Settings) -> Iterator[Line]:
    folder = settings.registers
    if not folder.exists():
        yield ok("registers", f"the packaged ones; no {folder}/ of your own")
        return
    try:
        registers, sources = load_registers(folder), load_sources(folder)
    except ConfigError as error:
        yield fail("registers", str(error), "mend the file; every command that prices ends with 2 until then")
        return
    own = {file for files in registers.stated_in.values() for file in files} | set(registers.evidence_files)
    own = {file for file in own if not file.startswith("grades/")}
    yield ok(
        "registers",
        f"{len(sources)} sources, {len(registers.operators)} operators, {len(registers.specs)} specifications; "
        f"{len(own)} files of {folder}/ state something",
    )
    unread = [
        str(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and not (path.parent.parent == folder and path.parent.name in _READ and path.suffix == ".toml")
    ]
    if unread:
        yield warn(
            "registers",
            f"nothing reads {some(unread)}",
            f"files of your own are {folder}/<{'|'.join(_READ)}>/<name>.toml",
        )


def _contact(settings: Settings) -> Line:
    if settings.endpoint is not None:
        whose = "this machine" if is_loopback(settings.endpoint) else "not the sources themselves"
        return warn(
            "contact", f"requests go to {settings.endpoint}, {whose}", "unset `endpoint` to ask the sources"
        )
    if settings.contact is None:
        return warn(
            "contact",
            "none is set, so nothing can be collected live",
            "set GPURENT_CONTACT, or `contact` in gpurent.toml, to an e-mail address or a page",
        )
    if not _REACHABLE.match(settings.contact):
        return warn(
            "contact",
            f"{settings.contact!r} is no e-mail address and no page",
            "sources must be able to reach who asks them",
        )
    return ok("contact", f"{settings.contact} is sent with every request")


def _keys(settings: Settings) -> Iterator[Line]:
    if settings.signing_key is None:
        yield warn(
            "keys", "no signing key: editions are unsigned and say so", f"{_NEW_KEY}; then set signing_key"
        )
    else:
        try:
            load_private_key(settings.signing_key)
        except ConfigError as error:
            yield fail("keys", str(error), "gpurent daily ends with 2 until the key can be read")
        else:
            yield ok("keys", f"{settings.signing_key}: an Ed25519 key that its owner alone may read")
    pseudonyms = Layout(settings.warehouse).files / KEY_NAME
    if pseudonyms.exists():
        mode = stat.S_IMODE(pseudonyms.stat().st_mode)
        if mode & 0o077:
            yield fail("keys", f"{pseudonyms}: others may read it (mode {mode:o})", f"chmod 600 {pseudonyms}")
        else:
            yield ok("keys", f"{pseudonyms}: its owner alone may read it; keep a copy of it somewhere safe")
    unknown = sorted(settings.source_keys.keys() - load_packaged_ids(settings))
    if unknown:
        yield warn(
            "keys", f"source_keys names no source: {some(unknown)}", "gpurent source list prints the ids"
        )


def load_packaged_ids(settings: Settings) -> set[str]:
    """Ids of the sources there are; the packaged ones where the user's files cannot be read."""
    try:
        return set(load_sources(settings.registers))
    except ConfigError:
        return set(load_sources())


def _disk(settings: Settings) -> Line:
    """Space where the warehouse lies, and what it and its files take."""
    folder = _existing(settings.warehouse.absolute().parent)
    free = shutil.disk_usage(folder).free
    layout = Layout(settings.warehouse)
    used = sum(path.stat().st_size for path in layout.files.rglob("*") if path.is_file())
    used += settings.warehouse.stat().st_size if settings.warehouse.exists() else 0
    text = f"{_size(free)} free in {folder}; the warehouse and its files take {_size(used)}"
    if free < LEAST_FREE:
        return fail(
            "disk", text, "make room: a run that cannot write stops half-way and is to be started again"
        )
    if free < LITTLE_FREE:
        return warn("disk", text, "make room before it is full")
    return ok("disk", text)


def _existing(folder: Path) -> Path:
    while not folder.exists():
        folder = folder.parent
    return folder


def _size(count: int) -> str:
    return f"{count / 1000**3:.1f} GB" if count >= 1000**3 else f"{count / MEGABYTE:.1f} MB"
