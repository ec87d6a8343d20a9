"""The app: options of every command, errors and exit codes, and the one place that writes to standard output."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import traceback
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, CycloptsError, Group, Parameter

from gpurent import __version__
from gpurent.cli import care, grades, operators, prices, publication, query, runs, sources, start
from gpurent.cli.context import Context, Output
from gpurent.cli.output import PipeConsole, console, document_text
from gpurent.core.errors import GpurentError, UsageError
from gpurent.core.settings import load_settings

EXIT_CODES = (
    "Exit codes: 0 done; 1 a bug; 2 usage, configuration or a locked file; 3 a check failed; "
    "4 partly done; 5 every grade withheld."
)

# functions of the commands that read or write editions
EDITIONS_USED = frozenset({"config_show", "daily", "doctor", "edition_list", "index", "verify"})

BUG, USAGE, INTERRUPTED = 1, 2, 130
# not ours to mend: a path leads nowhere, we may not write there, or the disk is full
_ENVIRONMENT = {
    *(errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.ENAMETOOLONG),
    *(errno.EACCES, errno.EPERM, errno.EROFS),
    *(errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO),
}

app = App(
    name="gpurent",
    help="Reference prices for renting a GPU for an hour: collect, publish, look up, and follow back to the bytes.",
    help_format="plaintext",
    help_epilogue=EXIT_CODES,
    version=__version__,
    result_action="return_value",
    console=PipeConsole(),
)
app.meta.group_parameters = Group("Options of every command", sort_key=100)
for module in (start, runs, prices, query, grades, operators, sources, publication, care):
    module.register(app)


@app.meta.default
def _launch(
    *tokens: Annotated[str, Parameter(show=False, allow_leading_hyphen=True)],
    warehouse: Annotated[
        Path | None, Parameter(help="The warehouse; gpurent.duckdb unless told otherwise.")
    ] = None,
    out: Annotated[Path | None, Parameter(help="Folder of editions; editions/ beside the warehouse.")] = None,
    is_json: Annotated[
        bool,
        Parameter(name="--json", negative="", help="One JSON document on standard output, nothing else."),
    ] = False,
) -> Output | None:
    command, bound, ignored = app.parse_args(tokens, exit_on_error=False, print_error=False)
    if getattr(command, "__func__", None) is App.help_print and is_json:
        raise UsageError("--json needs a command; `gpurent --help` lists them")
    _check_options(command, warehouse=warehouse, out=out, has_context="context" in ignored)
    if "context" in ignored:
        settings = load_settings({"warehouse": warehouse, "out": out})
        from gpurent.cli.progress import progress_for

        with progress_for(settings, is_silent=is_json) as progress:
            found: Any = command(*bound.args, **bound.kwargs, context=Context(settings, progress))
    else:
        found = command(*bound.args, **bound.kwargs)
    return found if isinstance(found, Output) else None


def _check_options(command: object, *, warehouse: Path | None, out: Path | None, has_context: bool) -> None:
    """Refuse an option of every command where this one has no use for it."""
    name = getattr(command, "__name__", "")
    if warehouse is not None and not has_context:
        raise UsageError(f"--warehouse: {_spoken(name)} reads no warehouse")
    if out is not None and name not in EDITIONS_USED:
        raise UsageError(f"--out: {_spoken(name)} has nothing to do with the folder of editions")


def _spoken(name: str) -> str:
    """A command's function as it is typed: `edition list`."""
    return f"`gpurent {name.replace('_', ' ')}`"


def run(tokens: Sequence[str]) -> int:
    """Run a command line and return the exit code. Standard output holds the outcome and nothing else."""
    is_json = "--json" in tokens
    try:
        # whatever a library prints while a command runs is not its outcome
        with contextlib.redirect_stdout(sys.stderr) if is_json else contextlib.nullcontext():
            outcome = app.meta(
                list(tokens), exit_on_error=False, print_error=False, result_action="return_value"
            )
        if not isinstance(outcome, Output):
            return 0
        _write(outcome, is_json=is_json)
    except BrokenPipeError:
        # the reader has gone; a second attempt at the end of the process would complain
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (Exception, KeyboardInterrupt) as error:
        failure = _judge(error)
        if failure.exit_code == BUG:
            traceback.print_exc()
        return _report(failure, is_json=is_json)
    return outcome.exit_code


@dataclass(frozen=True, slots=True)
class Failure:
    """How a command ended: the kind of error, what to say, and the exit code."""

    kind: str
    message: str
    exit_code: int


def _judge(error: BaseException) -> Failure:
    match error:
        case CycloptsError():
            return Failure("UsageError", f"{error} (gpurent --help)", USAGE)
        case GpurentError():
            return Failure(type(error).__name__, str(error), error.exit_code)
        case KeyboardInterrupt():
            return Failure(
                "Interrupted", "interrupted; started again, a run goes on where it stopped", INTERRUPTED
            )
        case OSError() if error.errno in _ENVIRONMENT:
            # a write to an open file that fails, as on a full disk, comes without a name
            where = "" if error.filename is None else f"{error.filename}: "
            return Failure("ConfigError", f"{where}{error.strerror}", USAGE)
    said = f"{type(error).__name__}: {error}. This is a bug in gpurent; please report it"
    return Failure("Bug", said, BUG)


def _write(outcome: Output, *, is_json: bool) -> None:
    if is_json:
        sys.stdout.write(document_text(outcome.document))
    else:
        outcome.show(console())
    sys.stdout.flush()


def _report(failure: Failure, *, is_json: bool) -> int:
    print(f"gpurent: {failure.message}", file=sys.stderr)  # noqa: T201
    if is_json:
        sys.stdout.write(document_text({"error": asdict(failure)}))
        sys.stdout.flush()
    return failure.exit_code
