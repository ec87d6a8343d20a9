"""Opening what is to be read: the private warehouse under its lock, or the public file without one."""

from __future__ import annotations

from contextlib import ExitStack

from gpurent.core.clock import SystemClock
from gpurent.core.errors import NotFoundError
from gpurent.core.settings import Settings
from warehouse.layout import Layout
from warehouse.store import Warehouse, connect, open_warehouse


def open_for_reading(settings: Settings, *, is_public: bool) -> Warehouse:
    """The warehouse (LockedError where another process holds it), or its public file, which can always be read."""
    if not is_public:
        return open_warehouse(settings.warehouse, read_only=True, threads=settings.threads)
    path = Layout(settings.warehouse).public_database
    if not path.exists():
        raise NotFoundError(f"{path}: there is no public file yet; `gpurent public-file` makes it")
    closing = ExitStack()
    connection = connect(path, read_only=True, threads=settings.threads)
    closing.callback(connection.close)
    return Warehouse(Layout(path), connection, SystemClock(), closing, read_only=True)


def is_sample(warehouse: Warehouse) -> bool:
    """Whether everything in it was made from the sample."""
    return warehouse.fact("purpose") == "sample"
