from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from gpurent.cli.app import run
from gpurent.core.clock import at_utc
from gpurent.publish.edition import write_edition
from gpurent.publish.sample_key import sample_key
from tests.collectors.cases import FIXTURES
from tests.loopback import serving
from tests.publish import synthetic_market as market

HOME = "/srv/gpurent"


@dataclass(frozen=True)
class Ended:
    """How a command line ended."""

    exit_code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)


Call = Callable[..., Ended]


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test depends on the terminal it is started from."""
    monkeypatch.setenv("COLUMNS", "200")


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a closed warehouse `w.duckdb` of the synthetic market and an edition a day in `editions`."""
    folder = tmp_path_factory.mktemp("published")
    with market.make(folder / "w.duckdb") as warehouse:
        warehouse.set_fact("purpose", "sample")
        for day in market.DAYS:
            write_edition(
                warehouse,
                folder / "editions",
                day=day,
                vintage="1",
                construction="live",
                published_at=at_utc(day, 33),
                key=sample_key(),
                is_sample=True,
            )
    return folder


@pytest.fixture
def home(published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it that is the working folder, with the warehouse named as the default is."""
    with market.copy_of(published / "w.duckdb", tmp_path / "gpurent.duckdb"):
        pass
    subprocess.run(["cp", "-r", published / "editions", tmp_path / "editions"], check=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Iterator[Call]:
    """Run a command line in this process; logging is put back afterwards."""
    root = logging.getLogger()
    before = root.handlers, root.level

    def called(*tokens: object) -> Ended:
        exit_code = run([str(token) for token in tokens])
        captured = capsys.readouterr()
        return Ended(exit_code, captured.out, captured.err)

    yield called
    root.handlers, root.level = before


def in_a_process(*tokens: object, cwd: Path) -> Ended:
    """Run `python -m gpurent` as a user would."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GPURENT_")}
    done = subprocess.run(
        [sys.executable, "-m", "gpurent", *map(str, tokens)],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


class _Source(BaseHTTPRequestHandler):
    """A machine that is one source and none of the others."""

    def do_GET(self) -> None:
        ours = self.path.startswith("/gpurentalprices/")
        body = (FIXTURES / "gpurentalprices" / "list.json").read_bytes() if ours else b""
        self.send_response(200 if ours else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, *_: object) -> None:
        """Quiet."""


@pytest.fixture(scope="session")
def endpoint() -> Iterator[str]:
    with serving(_Source) as address:
        yield address


def in_a_shell(command: str, desk: Path, endpoint: str, **more: str) -> subprocess.CompletedProcess[str]:
    """A command of the page on operation, with its folder moved to `desk`; sources are asked at `endpoint`."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("GPURENT_")}
    return subprocess.run(
        ["/bin/sh", "-c", command.replace(HOME, str(desk))],
        cwd=desk,
        env={**own, "PATH": f"{desk}/.venv/bin:{own['PATH']}", "GPURENT_ENDPOINT": endpoint, **more},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
