"""One process at a time: an advisory lock beside the warehouse that says who holds it.

The lock is the kernel's (flock), so it ends with the process, however that ends. The file's text only
informs; a stale text never blocks anyone.
"""

from __future__ import annotations

import fcntl
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from gpurent.core.clock import iso_utc
from gpurent.core.errors import LockedError
from warehouse.layout import Layout


def _holder(text: str) -> str:
    try:
        facts = json.loads(text)
        return f"process {facts['pid']} ({facts['command']}, since {facts['since']})"
    except (ValueError, KeyError, TypeError):
        return "another process"


@contextmanager
def hold(layout: Layout, now: datetime) -> Iterator[None]:
    """Hold the warehouse, or raise LockedError at once, naming the holder and what may be read meanwhile."""
    path: Path = layout.lock
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+", encoding="utf-8") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            stream.seek(0)
            raise LockedError(
                f"{layout.database} is held by {_holder(stream.read())}. Wait for it to end, or read "
                f"{layout.public_database} meanwhile (it is replaced whole, so it can always be opened)."
            ) from None
        stream.truncate(0)
        command = " ".join(Path(word).name if i == 0 else word for i, word in enumerate(sys.argv))
        json.dump({"pid": os.getpid(), "command": command, "since": iso_utc(now)}, stream)
        stream.flush()
        yield
        stream.truncate(0)
