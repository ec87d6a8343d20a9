from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import gpurent.publish.chain
from gpurent.core.clock import SystemClock
from tests.cli.conftest import Call, in_a_process
from warehouse import lock
from warehouse.layout import Layout

COMMANDS = (
    "init",
    "config show",
    "doctor",
    "runs",
    "daily",
    "collect",
    "ingest",
    "index",
    "show",
    "explain",
    "sql",
    "grade code",
    "grade list",
    "grade show",
    "source list",
    "source show",
    "operator list",
    "operator explain",
    "edition list",
    "verify",
    "public-file",
    "migrate",
)
HEAVY = ("scrapy", "pandas", "statsmodels", "fastapi", "numpy", "pyarrow", "duckdb")


def test_help_lists_every_command_and_imports_nothing_heavy() -> None:
    script = (
        "import sys, json; from gpurent.cli.app import run; code = run(['--help']); "
        f"print(json.dumps([code, [name for name in {HEAVY!r} if name in sys.modules]]), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert json.loads(done.stderr) == [0, []]
    for command in COMMANDS:
        assert command.split()[0] in done.stdout
    assert "Exit codes: 0 done; 1 a bug; 2 usage" in done.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_each_command_has_examples(call: Call, command: str) -> None:
    ended = call(*command.split(), "--help")
    assert ended.exit_code == 0
    assert "Examples:\n" in ended.out
    assert f"gpurent {command}" in ended.out
    assert "--warehouse" in ended.out


@pytest.mark.parametrize(
    ("tokens", "said"),
    [
        (["nothing"], 'Unknown command "nothing"'),
        (["show"], "requires an argument"),
        (["show", "H100-Y080-Y-YY-YY-OD-YY-J", "--day", "15.07.2026"], "write YYYY-MM-DD"),
        (["show", "H100-Y080-Y-YY-YY-OD-YY-J", "--day", "2026-7-15"], "write YYYY-MM-DD"),
        (["show", "H100-Y080-Y-YY-YY-OD-YY-J", "--day", "2026-02-30"], "is not a day of the calendar"),
        (["show", "H100-Y080-Y-YY-YY-OD-YY-J", "--as-of", "2026-07-15T09:00"], "has no time zone"),
        (["show", "H100-Y080-Y-YY-YY-OD-YY-J", "--plots"], "Unknown option"),
        (["verify", "--level", "captures"], "chain"),
        (["daily", "--sample", "--replay", "folder"], "exclude each other"),
        (["daily", "--sample", "--day", "2026-07-15"], "--day goes with live data"),
        (["index", "--from", "2026-07-15", "--to", "2026-07-14"], "lies after"),
        (["ingest", "--source", "vast"], "requires an argument"),
        (["collect", "--replay", "a", "--endpoint", "http://127.0.0.1"], "a replay asks nobody"),
        (["grade", "code", "H100-Y080-Y-YY-YY-OD-YY-J", "--warehouse", "w.duckdb"], "reads no warehouse"),
        (
            ["show", "H100-Y080-Y-YY-YY-OD-YY-J", "--out", "e"],
            "`gpurent show` has nothing to do with the folder",
        ),
        (["grade", "list", "--status", "held"], "--status needs --day"),
        (["grade", "list", "--chip", "H1000"], "there are grades of A10, "),
        (
            ["grade", "list", "--chip", "A10", "--bucket", "NEO"],
            "no such grade has the bucket 'NEO'; there are ALL",
        ),
        (["--json"], "--json needs a command"),
    ],
)
def test_words_that_make_no_sense_end_with_2_and_say_why(call: Call, tokens: list[str], said: str) -> None:
    ended = call(*tokens)
    assert ended.exit_code == 2
    assert said in ended.err
    as_json = call(*tokens, *([] if "--json" in tokens else ["--json"]))
    assert as_json.exit_code == 2
    assert said in as_json.document["error"]["message"]
    assert as_json.document["error"]["exit_code"] == 2


def test_a_setting_that_is_none_ends_with_2(home: Path) -> None:
    (home / "gpurent.toml").write_text("warehosue = 'x'\n")
    ended = in_a_process("edition", "list", cwd=home)
    assert ended.exit_code == 2
    assert "gpurent.toml: 'warehosue' is not a setting; did you mean warehouse?" in ended.err


def test_a_held_warehouse_ends_with_2_and_names_holder_and_public_file(home: Path) -> None:
    with lock.hold(Layout(home / "gpurent.duckdb"), SystemClock().now()):
        ended = in_a_process("show", "H100-Y080-Y-YY-YY-OD-YY-J", cwd=home)
    assert ended.exit_code == 2
    assert "is held by process" in ended.err
    assert "gpurent.files/public.duckdb" in ended.err
    assert ended.out == ""


def test_a_missing_warehouse_ends_with_2_and_says_what_makes_one(tmp_path: Path) -> None:
    ended = in_a_process("show", "H100-Y080-Y-YY-YY-OD-YY-J", cwd=tmp_path)
    assert ended.exit_code == 2
    assert "there is no warehouse here; make one with `gpurent daily` or `gpurent ingest`" in ended.err


def test_a_bug_shows_its_trace_and_ends_with_1(
    home: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a bug for this test")

    monkeypatch.setattr(gpurent.publish.chain, "verify_chain", broken)
    ended = call("verify", "--json")
    assert ended.exit_code == 1
    assert "Traceback" in ended.err
    assert ended.document["error"]["kind"] == "Bug"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device to write to")
def test_a_full_disk_is_said_without_a_trace(tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "gpurent", "grade", "list"]
        ended = subprocess.run(
            command, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (ended.returncode, ended.stderr) == (2, "gpurent: No space left on device\n")


def test_a_reader_that_goes_away_is_no_error(home: Path) -> None:
    command = f"{sys.executable} -m gpurent edition list | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", command], cwd=home, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_installed_script_and_the_module_are_the_same_program(tmp_path: Path) -> None:
    module = in_a_process("--version", cwd=tmp_path)
    script = subprocess.run(
        [Path(sys.executable).with_name("gpurent"), "--version"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert module.out == script.stdout
