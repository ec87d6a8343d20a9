"""The repository: what may be tracked, how long a module may be, whose names are whose."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import re
import socket
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("gpurent", "warehouse", "collectors", "grades", "index")
MEGABYTE = 1_000_000

# written so that this file does not contain what it looks for
REGISTRIES = re.compile(rb"py[p]i\.org|python[h]osted|registry\.np[m]js|deb\.deb[i]an\.org|crate[s]\.io")
MACHINE_PATHS = re.compile(rb"/(wor[k]|far[m])/[a-z]|/roo[t]/|/hom[e]/[a-z]+/")
SQL_IN_CODE = re.compile(r"\b(execute|sql)\(\s*f[\"']")


@cache
def tracked() -> tuple[Path, ...]:
    """Every tracked file that is there; a test without a git checkout has nothing to look at."""
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if done.returncode != 0:
        pytest.skip("this is no git checkout")
    paths = (ROOT / name for name in done.stdout.decode().split("\0") if name)
    return tuple(path for path in paths if path.is_file())


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def holding(pattern: re.Pattern[bytes]) -> list[str]:
    return [shown(path) for path in tracked() if pattern.search(path.read_bytes())]


def test_no_tracked_file_names_a_package_registry() -> None:
    assert holding(REGISTRIES) == []
    assert (ROOT / "uv.lock") not in tracked()


def test_no_tracked_file_names_a_path_of_a_machine() -> None:
    assert holding(MACHINE_PATHS) == []


def test_no_tracked_file_is_large() -> None:
    assert [shown(path) for path in tracked() if path.stat().st_size > 6 * MEGABYTE] == []


def test_modules_and_spiders_stay_short() -> None:
    lengths = {
        shown(path): path.read_text(encoding="utf-8").count("\n")
        for path in tracked()
        if path.suffix == ".py" and path.relative_to(ROOT).parts[0] in PACKAGES
    }
    assert len(lengths) > 20
    assert {name: lines for name, lines in lengths.items() if lines > 400} == {}
    spiders = {name: lines for name, lines in lengths.items() if name.startswith("collectors/spiders/")}
    assert {name: lines for name, lines in spiders.items() if lines > 80} == {}


def test_no_sql_is_built_from_f_strings() -> None:
    modules = [
        path for path in tracked() if path.suffix == ".py" and path.relative_to(ROOT).parts[0] in PACKAGES
    ]
    assert [shown(path) for path in modules if SQL_IN_CODE.search(path.read_text(encoding="utf-8"))] == []


def test_only_the_clock_asks_for_the_time() -> None:
    asks = re.compile(r"datetime\.(now|utcnow|today)\(|date\.today\(|time\.time\(")
    found = [
        shown(path)
        for path in tracked()
        if path.suffix == ".py"
        and path.relative_to(ROOT).parts[0] in PACKAGES
        and asks.search(path.read_text(encoding="utf-8"))
    ]
    assert found == ["gpurent/core/clock.py"]


@pytest.mark.parametrize("name", [*PACKAGES, "tests"])
def test_our_packages_are_those_of_this_checkout(name: str) -> None:
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    assert Path(spec.origin).parent == ROOT / name


@pytest.mark.parametrize("name", PACKAGES)
def test_nothing_we_depend_on_shares_our_names(name: str) -> None:
    assert name not in sys.stdlib_module_names
    owners = {owner.lower() for owner in importlib.metadata.packages_distributions().get(name, [])}
    assert owners <= {"gpurent"}


def test_the_wheel_holds_exactly_our_packages() -> None:
    with (ROOT / "pyproject.toml").open("rb") as stream:
        settings = tomllib.load(stream)
    assert tuple(settings["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]) == PACKAGES
    assert tuple(settings["tool"]["importlinter"]["root_packages"]) == PACKAGES


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_locks_pin_every_package_by_hash_and_name_no_place(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    packages = [line for line in text.splitlines() if line and line[0].isalnum()]
    assert len(packages) > 20
    for line in packages:
        assert re.match(r"[a-z0-9._-]+==\S+( ; .+)? \\$", line), line
    assert text.count("--hash=sha256:") >= len(packages)
    assert "://" not in text
    assert "--index" not in text
    assert "-e " not in text


def test_tests_reach_loopback_and_nothing_beyond() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname(), timeout=5).close()
    # the refusal warns first, and warnings are errors here
    with pytest.raises((RuntimeError, UserWarning), match=r"192\.0\.2\.1"):
        # an address set aside for documentation: nobody is there
        socket.create_connection(("192.0.2.1", 9), timeout=0.2)
