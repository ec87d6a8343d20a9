"""`gpurent doctor`: is everything here as a daily run needs it? Looks, and changes nothing.

Every finding is a line: ok, warn (it works, but look at it) or fail (it does not work, or what is there is not what
was recorded), with what to do.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpurent.core.errors import ConfigError, LockedError, NotFoundError
from gpurent.core.progress import SILENT, Progress
from gpurent.core.settings import Settings
from gpurent.daily.doctor.lines import Checkup, Line, fail, ok, warn
from gpurent.daily.doctor.place import look_at_place
from gpurent.daily.doctor.published import look_at_editions, look_at_publication
from gpurent.daily.doctor.stored import look_at_store
from gpurent.daily.doctor.supply import look_at_runs, look_at_sources
from warehouse.migrations import all_migrations
from warehouse.store import open_warehouse

__all__ = ["Checkup", "Line", "examine"]


def examine(settings: Settings, *, is_deep: bool = False, progress: Progress = SILENT) -> Checkup:
    """Look at everything. `is_deep` reads every archived record and every edition, not a sample and the latest."""
    progress.start("looking", None)
    return Checkup(tuple(_lines(settings, is_deep, progress)))


def _lines(settings: Settings, is_deep: bool, progress: Progress) -> Iterator[Line]:
    yield from look_at_place(settings)
    path = settings.warehouse
    try:
        opened = open_warehouse(path, read_only=True, threads=settings.threads)
    except NotFoundError:
        yield warn("warehouse", f"{path}: not made yet", "gpurent daily makes it, or gpurent ingest")
        yield from look_at_sources(None, settings)
        yield from look_at_editions(settings, is_deep=is_deep)
        return
    except LockedError as error:
        yield warn(
            "warehouse", str(error), "run gpurent doctor again when it has ended: the rest needs the file"
        )
        return
    except ConfigError as error:
        yield fail("warehouse", str(error), "until then nothing here can be read or published")
        return
    with opened as warehouse:
        purpose = warehouse.fact("purpose")
        held = f"made from {'the sample' if purpose == 'sample' else 'a replay'}" if purpose else "live"
        newest = all_migrations()[-1]
        yield ok("warehouse", f"{path}: {held}, not held by anyone, schema {newest.title}")
        yield from look_at_store(warehouse, is_deep=is_deep, progress=progress)
        yield from look_at_runs(warehouse)
        yield from look_at_sources(warehouse, settings)
        yield from look_at_publication(warehouse, settings)
    yield from look_at_editions(settings, is_deep=is_deep)
