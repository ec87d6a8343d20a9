"""Runs the spiders of a live run in Scrapy's process. Importing this imports Scrapy."""

from __future__ import annotations

import asyncio
import importlib
import logging
import threading
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from scrapy.crawler import AsyncCrawlerProcess

from collectors.bases.base import SourceSpider
from collectors.reports import Fault
from gpurent.core.errors import ConfigError, UsageError

if TYPE_CHECKING:
    from collectors.live import SourceRun

_started: list[bool] = []


def spider_of(source_id: str) -> type[SourceSpider]:
    """The spider class of a source: the one in `collectors/spiders/<source_id>.py` with that name."""
    module = importlib.import_module(f"collectors.spiders.{source_id}")
    for found in vars(module).values():
        if (
            isinstance(found, type)
            and issubclass(found, SourceSpider)
            and found.__module__ == module.__name__
        ):
            if getattr(found, "name", None) != source_id:
                raise ConfigError(
                    f"collectors/spiders/{source_id}.py: its spider must be named {source_id!r}"
                )
            return found
    raise ConfigError(f"collectors/spiders/{source_id}.py holds no spider")


def _note_crash(run: SourceRun, crawl_of_source: asyncio.Future[None]) -> None:
    error = None if crawl_of_source.cancelled() else crawl_of_source.exception()
    if error is not None:
        run.fault(Fault(run.source.url, "spider_crashed", f"{type(error).__name__}: {error}"))


class _Process(AsyncCrawlerProcess):
    """Scrapy's process, which also says whether it was told to stop."""

    stopped_by: int | None = None

    def _signal_shutdown(self, signum: int, frame: Any) -> None:
        self.stopped_by = self.stopped_by or signum
        super()._signal_shutdown(signum, frame)


def _process(settings: Mapping[str, Any]) -> _Process:
    """Scrapy's process, silent: what matters of every request is in our own report and progress."""
    logging.disable(logging.INFO)  # it tells its versions while it is made
    try:
        process = _Process({**settings, "LOG_INSTALL_ROOT_HANDLER": False})
    finally:
        logging.disable(logging.NOTSET)
    for name in ("scrapy", "twisted", "asyncio", "protego", "filelock"):
        logging.getLogger(name).setLevel(logging.ERROR)
    return process


def crawl(runs: Mapping[str, SourceRun], settings: Mapping[str, Any]) -> None:
    """Run the spiders of all `runs` at once, each host asked by one connection at a time, until all are done.

    A spider that cannot start is a fault of its source. An error of our own side is raised after the crawl.
    Raises UsageError when this process has crawled before (Twisted's reactor cannot start twice), and SystemExit
    with 128 + the signal when it was told to stop: what was read is kept, and nothing is published from half a look.
    """
    if not runs:
        return
    if _started:
        raise UsageError("one process can ask sources once; start another for a second run")
    _started.append(True)
    process = _process(settings)
    for run in runs.values():
        crawl_of_source = process.crawl(spider_of(run.source.reader_id), run=run, source=run.source)
        crawl_of_source.add_done_callback(partial(_note_crash, run))
    process.start(install_signal_handlers=threading.current_thread() is threading.main_thread())
    for run in runs.values():
        if run.crash is not None:
            raise run.crash
    if process.stopped_by is not None:
        raise SystemExit(128 + process.stopped_by)
