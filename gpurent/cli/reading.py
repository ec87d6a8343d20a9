"""Opening what is to be read: the private warehouse under its lock, or the public file without one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from gpurent.core.clock import SystemClock
from gpurent.core.errors import LockedError, NotFoundError
from gpurent.core.settings import SAMPLE_FOLDER, Settings
from warehouse.layout import Layout
from warehouse.store import Warehouse, connect, open_warehouse


def open_for_reading(settings: Settings, *, is_public: bool) -> Warehouse:
    """The warehouse (LockedError where another process holds it), or its public file, which can always be read."""
    if not is_public:
        with naming_the_sample(settings):
            return open_warehouse(settings.warehouse, read_only=True, threads=settings.threads)
    path = Layout(settings.warehouse).public_database
    if not path.exists():
        with naming_the_sample(settings):
            raise NotFoundError(f"{path}: there is no public file yet; `gpurent public-file` makes it")
    closing = ExitStack()
    connection = connect(path, read_only=True, threads=settings.threads)
    closing.callback(connection.close)
    return Warehouse(Layout(path), connection, SystemClock(), closing, read_only=True)


@contextmanager
def naming_the_sample(settings: Settings) -> Iterator[None]:
    """Where something is not found because the sample lies one folder below, say so."""
    try:
        yield
    except NotFoundError as error:
        sample = SAMPLE_FOLDER / settings.warehouse.name
        if settings.warehouse.exists() or not sample.exists():
            raise
        there = f"the sample is in {SAMPLE_FOLDER}/: `cd {SAMPLE_FOLDER}` first, or add --warehouse {sample}"
        raise NotFoundError(f"{error}; {there}") from None


@dataclass(frozen=True, slots=True)
class Found:
    """A warehouse, or why there is none to read just now."""

    warehouse: Warehouse | None
    note: str | None


@contextmanager
def warehouse_if_there(settings: Settings) -> Iterator[Found]:
    """The warehouse for commands that also work without one: not made yet, or held by a run that goes on."""
    with ExitStack() as closing:
        try:
            opened = open_for_reading(settings, is_public=False)
        except NotFoundError:
            found = Found(None, f"{settings.warehouse}: no warehouse yet, so only the registers are shown")
        except LockedError as error:
            found = Found(None, f"only the registers are shown: {error}")
        else:
            found = Found(closing.enter_context(opened), None)
        yield found


def is_sample(warehouse: Warehouse) -> bool:
    """Whether everything in it was made from the sample."""
    return warehouse.fact("purpose") == "sample"


def overlay_of(settings: Settings) -> Path | None:
    """The user's folder of registers, where it is there."""
    return settings.registers if settings.registers.exists() else None


def origin_words(files: tuple[str, ...]) -> str:
    """Where an entry of the registers comes from: `packaged`, or the user's files, with what they add to."""
    own = [file for file in files if not file.startswith(("grades/", "collectors/"))]
    if not own:
        return "packaged"
    return ", ".join(own) if len(own) == len(files) else f"packaged + {', '.join(own)}"
