"""Writing files so that a reader never sees half of one: temporary name, sync, rename, sync of the folder."""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gpurent.core.errors import ConfigError


def sync_folder(folder: Path) -> None:
    """Make renames inside `folder` durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_file(path: Path) -> None:
    """Make the bytes of `path` durable."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def register_bytes(path: Path) -> bytes:
    """The bytes of a user's register file, without a byte order mark. ConfigError where it cannot be read."""
    if path.exists() and not path.is_file():
        raise ConfigError(f"{path}: is no file; a name that ends in {path.suffix} is read as a register file")
    try:
        return path.read_bytes().removeprefix(codecs.BOM_UTF8)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}; make it readable or remove it") from None


def write_atomic(path: Path, body: bytes) -> None:
    """Replace `path` by `body`: afterwards it holds the old bytes or the new ones, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = _temporary_for(path)
    with temporary.open("wb") as stream:
        stream.write(body)
        stream.flush()
        os.fsync(stream.fileno())
    temporary.replace(path)
    sync_folder(path.parent)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path beside `path`; when the block ends well it is synced and becomes `path`.

    When the block raises, the temporary file is removed and `path` stays as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = _temporary_for(path)
    _clear_abandoned(path)
    try:
        yield temporary
        sync_file(temporary)
        temporary.replace(path)
        sync_folder(path.parent)
    finally:
        temporary.unlink(missing_ok=True)
        temporary.with_name(f"{temporary.name}.wal").unlink(missing_ok=True)


def _temporary_for(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.tmp")


def _clear_abandoned(path: Path) -> None:
    """Remove what killed runs left of their temporary files for `path` (DuckDB keeps a `.wal` beside its own)."""
    start = f".{path.name}."
    for left in path.parent.glob(f"{start}*.tmp*"):
        pid = left.name.removeprefix(start).split(".")[0]
        if pid.isdigit() and (int(pid) == os.getpid() or not _is_running(int(pid))):
            left.unlink(missing_ok=True)


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # it is somebody else's
    return True
