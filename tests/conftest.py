"""What holds for every test: a clock that stands still, no settings from outside, and shared data where it is.

Sockets are closed beyond loopback by the options in pyproject.toml.
"""

from __future__ import annotations

import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gpurent.core.clock import RecordedClock
from tests.sample_run import SampleRun, run_once

ROOT = Path(__file__).parents[1]
NOW = datetime(2026, 7, 15, 9, 0, tzinfo=UTC)

_SHARED = "SHARED_DATA_FOLDER"  # how the workers of a parallel run are told

if "GPURENT_SHARED" in os.environ:
    os.environ[_SHARED] = os.environ["GPURENT_SHARED"]
# no test depends on what the person who runs it has set for the program
for name in [name for name in os.environ if name.startswith("GPURENT_")]:
    del os.environ[name]

# what a test starts as a process of its own need not compile everything anew
if "PYTHONPYCACHEPREFIX" not in os.environ:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(
        Path(tempfile.gettempdir()) / f"gpurent-tests-{os.getuid()}-bytecode"
    )


@pytest.fixture
def clock() -> RecordedClock:
    """A clock that stands at 2026-07-15 09:00 UTC until it is moved."""
    return RecordedClock(NOW)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The `data` folder of the reference material beside the checkout (or of GPURENT_SHARED).

    It is no part of a checkout; what needs it is passed over where it is missing.
    """
    folder = Path(os.environ.get(_SHARED, ROOT.parent / "shared")) / "data"
    if not folder.is_dir():
        pytest.skip(f"{folder} is not here: reference data is no part of a checkout")
    return folder


@pytest.fixture(scope="session")
def sample_run(tmp_path_factory: pytest.TempPathFactory) -> SampleRun:
    """`gpurent daily --sample` in a folder of its own: one run for all tests, so nothing there is changed."""
    base = tmp_path_factory.getbasetemp()
    return run_once((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "sample-run")
