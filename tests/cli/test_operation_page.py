"""The page on running it every day: its schedules agree, and its commands work as they are written there."""

from __future__ import annotations

import configparser
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gpurent.core.clock import SystemClock
from gpurent.core.settings import load_settings
from tests.cli.conftest import HOME, in_a_shell
from tests.conftest import ROOT
from warehouse import lock
from warehouse.layout import Layout

PAGE = (ROOT / "docs" / "operation.md").read_text(encoding="utf-8")
CUT_OFF_HOUR = 6
DONE, PARTIAL, ALL_WITHHELD = 0, 4, 5


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def cron_lines() -> list[tuple[str, str]]:
    """Schedule and command of every line of the crontabs, as cron reads them: `\\%` is a per cent sign."""
    lines = [line for block in blocks("crontab") for line in block.splitlines()]
    found = [re.fullmatch(r"((?:[\d,*]+ ){4}[\d,*]+)\s+(.+)", line) for line in lines]
    return [(match[1], match[2].replace(r"\%", "%")) for match in found if match]


def units() -> dict[str, configparser.ConfigParser]:
    found = {}
    for block in blocks("ini"):
        name = re.match(r"# /etc/systemd/system/(\S+)", block)
        assert name is not None
        unit = configparser.ConfigParser(interpolation=None, strict=True)
        unit.optionxform = str  # type: ignore[assignment, method-assign]
        unit.read_string(block)
        found[name[1]] = unit
    return found


def times_of(hours: str, minutes: str) -> set[str]:
    return {f"{int(hour):02d}:{int(minutes):02d}" for hour in hours.split(",")}


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """A working folder as the page makes it, with the program in `.venv/bin`."""
    script = Path(sys.executable).with_name("gpurent")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "gpurent").symlink_to(script)
    (tmp_path / "log").mkdir()
    if SystemClock().now().hour < CUT_OFF_HOUR:
        # the commands are for the hours after the cut-off; before it "yesterday" is not due yet
        clock = tmp_path / ".venv" / "bin" / "date"
        clock.write_text(f'#!/bin/sh\nexec {shutil.which("date")} -u -d "2 days ago" +%F\n')
        clock.chmod(0o755)
    return tmp_path


def test_cron_and_systemd_run_the_same_commands_at_the_same_times() -> None:
    by_cron: dict[str, set[str]] = {}
    for schedule, command in cron_lines():
        minutes, hours, *rest = schedule.split()
        assert rest == ["*", "*", "*"]
        words = re.search(r"bin/(gpurent [a-z]+(?: --[a-z]+)?)", command)
        assert words is not None
        by_cron.setdefault(words[1], set()).update(times_of(hours, minutes))
    by_systemd: dict[str, set[str]] = {}
    for name, unit in units().items():
        if name.endswith(".timer"):
            service = units()[name.replace(".timer", ".service")]
            words = re.search(r"bin/(gpurent [a-z]+(?: --[a-z]+)?)", service["Service"]["ExecStart"])
            when = re.fullmatch(r"\*-\*-\* ([\d,]+):(\d\d):00 UTC", unit["Timer"]["OnCalendar"])
            assert words is not None
            assert when is not None
            by_systemd.setdefault(words[1], set()).update(times_of(when[1], when[2]))
    assert by_systemd == {
        "gpurent collect": {"05:05", "13:05", "21:05"},
        "gpurent daily": {"09:05"},
        "gpurent daily --day": {"12:05", "15:05"},
    }
    assert by_cron == {**by_systemd, "gpurent doctor": {"15:35"}}


def test_systemd_understands_the_units(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd is not here")
    for block in blocks("ini"):
        name = re.match(r"# /etc/systemd/system/(\S+)", block)
        assert name is not None
        body = block.replace("/srv/gpurent/.venv/bin/gpurent", sys.executable).replace("User=gpurent\n", "")
        (tmp_path / name[1]).write_text(body)
    (tmp_path / "gpurent-alert@.service").write_text("[Service]\nType=oneshot\nExecStart=/bin/true\n")
    files = sorted(str(path) for path in tmp_path.iterdir() if "@" not in path.name)
    looked = subprocess.run(
        [analyze, "verify", *files], capture_output=True, text=True, check=False, timeout=60
    )
    assert [line for line in looked.stderr.splitlines() if "gpurent" in line] == []


@pytest.mark.slow
def test_a_day_of_the_crontab_collects_publishes_and_finishes(desk: Path, endpoint: str) -> None:
    commands = [command for _, command in cron_lines()]
    assert len(commands) == 4
    for command, code in zip(commands, (PARTIAL, ALL_WITHHELD, ALL_WITHHELD, DONE), strict=True):
        ended = in_a_shell(command, desk, endpoint, GPURENT_LOG_FORMAT="json")
        # nothing was captured yesterday, so its edition withholds everything; cron would send this line by mail
        assert (f"ended with {code}" in ended.stdout) == (code != DONE), command
        assert ended.stderr == ""
    (day,) = [path for path in (desk / "editions").iterdir() if path.is_dir()]
    assert [path.name for path in day.iterdir()] == ["v1"]
    assert (desk / "gpurent.files" / "site" / "index.html").exists()
    logged = (desk / "log" / "collect.log").read_text().splitlines()
    assert {"event", "level", "timestamp"} <= json.loads(logged[0]).keys()


@pytest.mark.slow
def test_services_run_as_they_are_written(desk: Path, endpoint: str) -> None:
    services = {name: unit["Service"] for name, unit in units().items() if name.endswith(".service")}
    assert set(services) == {"gpurent-collect.service", "gpurent-daily.service", "gpurent-settle.service"}
    codes = {}
    for name, service in services.items():
        assert service["WorkingDirectory"] == HOME
        # systemd writes a per cent sign twice
        ended = in_a_shell(service["ExecStart"].replace("%%", "%"), desk, endpoint)
        codes[name] = ended.returncode
        assert ended.returncode in (PARTIAL, ALL_WITHHELD), ended.stderr
        assert str(PARTIAL) in service["SuccessExitStatus"].split()
        assert str(ALL_WITHHELD) not in service["SuccessExitStatus"].split()
    assert codes["gpurent-collect.service"] == PARTIAL


def test_the_folder_is_made_as_the_page_says(desk: Path, endpoint: str) -> None:
    making = next(block for block in blocks("") if "gpurent init" in block)
    ended = in_a_shell(f"set -e\n{making}", desk, endpoint)
    assert ended.returncode == 0, ended.stderr
    (desk / "gpurent.toml").write_text('signing_key = "signing-key.pem"\n')
    assert load_settings(folder=desk).signing_key == Path("signing-key.pem")
    looked = in_a_shell(".venv/bin/gpurent doctor --json", desk, endpoint)
    keys = [line for line in json.loads(looked.stdout)["lines"] if line["topic"] == "keys"]
    assert [line["state"] for line in keys] == ["ok"]


def test_a_busy_warehouse_ends_with_2_and_the_next_run_does_the_work(desk: Path, endpoint: str) -> None:
    with lock.hold(Layout(desk / "gpurent.duckdb"), SystemClock().now()):
        busy = in_a_shell(".venv/bin/gpurent collect focus", desk, endpoint)
    assert busy.returncode == 2
    assert "is held by process" in busy.stderr
    assert in_a_shell(".venv/bin/gpurent collect focus", desk, endpoint).returncode == 0


def test_the_page_explains_every_exit_code() -> None:
    table = re.findall(r"^\| ([\d, ]+) \| (.+?) \| (.+?) \|$", PAGE, re.MULTILINE)
    assert [row[0] for row in table] == ["0", "1", "2", "3", "4", "5", "130, 137"]
