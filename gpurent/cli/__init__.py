"""The command line. Words and tables only; the work is done by the rooms below, imported when it is asked for."""

from __future__ import annotations


def main() -> None:
    """Run the command line of this process and end it with the command's exit code."""
    import sys

    from gpurent.cli.app import run

    sys.exit(run(sys.argv[1:]))
