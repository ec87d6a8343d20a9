"""Progress and log lines on standard error: a moving bar on a terminal, plain or JSON lines elsewhere."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

import structlog
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn
from rich.progress import Progress as Bar

from gpurent.core.clock import SystemClock, iso_utc
from gpurent.core.progress import SILENT, Progress
from gpurent.core.settings import Settings


@contextmanager
def progress_for(settings: Settings, *, is_silent: bool) -> Iterator[Progress]:
    """What a command tells its progress to. Log lines of libraries go to standard error as well."""
    _configure_logging(settings, is_silent=is_silent)
    if is_silent:
        yield SILENT
    elif settings.log_format == "text" and sys.stderr.isatty():
        with Bar(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[detail]}", style="dim"),
            console=Console(stderr=True),
            transient=True,
        ) as bar:
            yield Moving(bar)
    else:
        yield Lines()


class Moving:
    """Progress as a bar on a terminal."""

    def __init__(self, bar: Bar) -> None:
        self._bar = bar
        self._task: int | None = None

    def start(self, name: str, total: int | None = None) -> None:
        """Finish the piece before and begin a bar for this one."""
        self._finish()
        self._task = self._bar.add_task(name, total=total, detail="")

    def advance(self, detail: str = "") -> None:
        """One part of the piece is done."""
        if self._task is not None:
            self._bar.update(self._bar.task_ids[-1], advance=1, detail=detail)

    def note(self, text: str) -> None:
        """A line above the bar."""
        self._bar.console.print(text, markup=False, highlight=False)

    def _finish(self) -> None:
        if self._task is not None:
            self._bar.remove_task(self._bar.task_ids[-1])


class Lines:
    """Progress as log lines: where a piece of work starts, and notes."""

    def __init__(self) -> None:
        self._log = structlog.stdlib.get_logger("gpurent")

    def start(self, name: str, total: int | None = None) -> None:
        """Say which piece of work begins."""
        self._log.info(name, **({} if total is None else {"parts": total}))

    def advance(self, detail: str = "") -> None:
        """Parts are told only where somebody looks for everything."""
        self._log.debug("done", part=detail)

    def note(self, text: str) -> None:
        """Say it."""
        self._log.info(text)


def _stamp(_: object, __: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """When the line was written, to the second."""
    event["timestamp"] = iso_utc(SystemClock().now().replace(microsecond=0))
    return event


class _StandardError(logging.StreamHandler[TextIO]):
    """Standard error as it is when a line is written: beside a moving bar that is what keeps lines above it."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write the line."""
        self.setStream(sys.stderr)
        super().emit(record)


def _configure_logging(settings: Settings, *, is_silent: bool) -> None:
    shared: list[structlog.typing.Processor] = [_stamp, structlog.stdlib.add_log_level]
    renderer: structlog.typing.Processor
    if settings.log_format == "json":
        renderer = structlog.processors.JSONRenderer(sort_keys=True)
    else:
        renderer = structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), pad_event_to=0)
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    handler = _StandardError()
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.ERROR if is_silent else logging.WARNING)
    logging.getLogger("gpurent").setLevel(logging.ERROR if is_silent else settings.log_level.upper())
