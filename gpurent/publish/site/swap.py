"""Putting a finished folder in the place of another, so that a reader sees the old one or the new one."""

from __future__ import annotations

import ctypes
import os
import shutil
from pathlib import Path

from gpurent.core.files import sync_folder

_CURRENT_FOLDER = -100  # AT_FDCWD
_EXCHANGE = 2  # RENAME_EXCHANGE


def swap_in(aside: Path, target: Path) -> None:
    """`aside` becomes `target`; what was at `target` is removed.

    The two names are exchanged in one step where the system can (Linux); elsewhere by two renames.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists():
        aside.rename(target)
    elif not _exchange(aside, target):
        old = target.with_name(f".{target.name}.old")
        shutil.rmtree(old, ignore_errors=True)
        target.rename(old)
        aside.rename(target)
        shutil.rmtree(old)
    shutil.rmtree(aside, ignore_errors=True)
    sync_folder(target.parent)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two names in one step; False where the system or the file system cannot."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError):
        return False
    result = rename(_CURRENT_FOLDER, os.fsencode(one), _CURRENT_FOLDER, os.fsencode(other), _EXCHANGE)
    return bool(result == 0)
