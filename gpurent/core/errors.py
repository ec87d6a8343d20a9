"""Every error the program raises on purpose, and the exit code each one ends with.

Exit codes: 0 done; 1 a bug; 2 usage, configuration or a locked file; 3 a data check or a verification
failed; 4 partial; 5 everything withheld. A message names the file, row and field where there is one and says
what to do. Anything that is not a GpurentError is a bug and ends with 1.
"""

from __future__ import annotations


class GpurentError(Exception):
    """Base of all deliberate errors. `exit_code` is what the command line ends with."""

    exit_code = 1


class UsageError(GpurentError):
    """A command was called with words that make no sense. Raised by the command line and by parsers of codes."""

    exit_code = 2


class ConfigError(GpurentError):
    """A setting, register file or environment is wrong or missing. Raised while loading, before any work."""

    exit_code = 2


class LockedError(GpurentError):
    """Another process holds the warehouse. Names the holder and the public file that may be read meanwhile."""

    exit_code = 2


class NotFoundError(UsageError):
    """A grade, day, source or operator that was asked for does not exist here."""


class SourceError(GpurentError):
    """A source's answer cannot be read at all (not a bad row: those are rejections).

    `reason_code` is what the rejection row of the whole document carries.
    """

    exit_code = 3

    def __init__(self, reason_code: str, detail: str) -> None:
        super().__init__(f"{reason_code}: {detail}")
        self.reason_code = reason_code
        self.detail = detail


class CheckFailedError(GpurentError):
    """A data check found bad rows, or an edition differs from what was recomputed or signed."""

    exit_code = 3


class EditionDiffersError(CheckFailedError):
    """An edition of that day exists with other content and no vintage reason was given."""


class PartialError(GpurentError):
    """Some sources or files failed; what could be done is done."""

    exit_code = 4


class AllWithheldError(GpurentError):
    """Every grade of the day is withheld. The edition, which says so, was written."""

    exit_code = 5
