"""Named boundaries between stages, where a run may be killed in a test and must then recover.

`reach("publish.edition.renamed")` does nothing unless `GPURENT_KILL_AT` names the boundary, as `NAME` or as
`NAME:N` for the N-th time it is reached (from 1). The process then ends by SIGKILL: no handler runs, no buffer
is flushed. `GPURENT_STAGE_LOG` names a file to which every boundary reached is appended, so that a test can
draw its kills from the boundaries that exist.
"""

from __future__ import annotations

import os
import signal
from collections import Counter
from pathlib import Path

_reached: Counter[str] = Counter()


def reach(name: str) -> None:
    """Mark that the boundary `name` was reached; may not return (see the module)."""
    target = os.environ.get("GPURENT_KILL_AT")
    log = os.environ.get("GPURENT_STAGE_LOG")
    if target is None and log is None:
        return
    _reached[name] += 1
    if log is not None:
        with Path(log).open("a", encoding="utf-8") as stream:
            stream.write(f"{name}:{_reached[name]}\n")
    if target is not None:
        wanted, _, count = target.partition(":")
        if wanted == name and _reached[name] == int(count or 1):
            os.kill(os.getpid(), signal.SIGKILL)
