"""Command lines in processes of their own that start from a warm one: everything is imported, nothing has run."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from gpurent.cli.app import run

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(
    ["tests.daily.processes", "gpurent.cli.app", "gpurent.daily.replaying", "scrapy"]
)


def run_command(
    tokens: Sequence[str], *, folder: Path, variables: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """`gpurent TOKENS` in `folder`, with `variables` in its environment.

    A fork of a process that has imported the program but never opened a warehouse or started a thread; it can be
    killed as any other. The return code is negative for a signal.
    """
    out, err = folder / "stdout.txt", folder / "stderr.txt"
    process = _FORKS.Process(target=_run, args=(list(tokens), folder, dict(variables), out, err))
    process.start()
    process.join()
    assert process.exitcode is not None
    done = subprocess.CompletedProcess(list(tokens), process.exitcode, out.read_text(), err.read_text())
    out.unlink()
    err.unlink()
    return done


def _run(tokens: list[str], folder: Path, variables: dict[str, str], out: Path, err: Path) -> None:
    for number, path in ((1, out), (2, err)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), number)
    sys.stdout, sys.stderr = os.fdopen(1, "w", closefd=False), os.fdopen(2, "w", closefd=False)
    for name in [name for name in os.environ if name.startswith("GPURENT_")]:
        del os.environ[name]
    os.environ.update(variables)
    os.chdir(folder)
    code = run(tokens)
    sys.stdout.flush()
    sys.stderr.flush()
    sys.exit(code)
