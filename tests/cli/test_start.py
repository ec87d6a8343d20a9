"""init and config show: a folder to begin in, and which setting holds."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from collectors.registry import load_sources
from gpurent.cli.start import EXAMPLES, REGISTERS, settings_file, starter_files
from gpurent.core.settings import Settings, load_settings
from grades.register_files import load_registers
from tests.cli.conftest import Call, in_a_process


def _uncommented(body: bytes) -> str:
    """What a person gets who takes the single # away: `## ` lines are explanations."""
    lines = (line for line in body.decode().splitlines() if not line.startswith("##"))
    return "\n".join(line.removeprefix("#").removeprefix(" ") for line in lines) + "\n"


def test_init_makes_a_folder_that_changes_nothing_and_says_what_is_next(tmp_path: Path, call: Call) -> None:
    ended = call("init", tmp_path / "desk", "--json")
    assert ended.exit_code == 0
    assert {
        Path(one["path"]).relative_to(tmp_path / "desk").as_posix() for one in ended.document["files"]
    } == {
        "gpurent.toml",
        *(f"registers/{folder}/example.toml" for folder in REGISTERS),
    }
    assert all(one["is_new"] for one in ended.document["files"])
    assert ended.document["next"] == ["gpurent daily --sample", "gpurent doctor", "gpurent daily"]
    registers = tmp_path / "desk" / "registers"
    assert load_registers(registers).version == load_registers().version
    assert load_sources(registers) == load_sources()
    assert load_settings(folder=tmp_path / "desk").origins == {}


def test_init_never_overwrites(tmp_path: Path, call: Call) -> None:
    mine = tmp_path / "gpurent.toml"
    mine.write_text("threads = 1\n")
    ended = call("init", tmp_path)
    assert f"kept  {mine}" in ended.out
    assert mine.read_text() == "threads = 1\n"
    again = call("init", tmp_path, "--json")
    assert {one["is_new"] for one in again.document["files"]} == {False}


def test_every_setting_stands_in_the_settings_file_and_can_be_taken(tmp_path: Path) -> None:
    assert set(EXAMPLES) == set(Settings.model_fields)
    said = [line[1:] for line in settings_file().splitlines() if line.startswith("#") and line[1] != " "]
    assert [line.partition(" = ")[0] for line in said] == list(Settings.model_fields)
    (tmp_path / "gpurent.toml").write_text("\n".join(said))
    settings = load_settings(folder=tmp_path)
    assert set(settings.origins) == set(Settings.model_fields)
    assert settings.contact == "you@example.org"


def test_every_example_of_the_registers_is_one_that_works(tmp_path: Path) -> None:
    for name, body in starter_files():
        if name.startswith("registers/"):
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(_uncommented(body))
    registers = load_registers(tmp_path / "registers")
    assert registers.operator_id("Example Compute Ltd") == "example_compute"
    assert "L40S-P048-B-PC-VM-OD-XE-R" in {spec.code for spec in registers.specs}
    assert str(tmp_path / "registers/evidence/example.toml") in registers.evidence_files
    assert load_sources(tmp_path / "registers")["example"].reader_id == "gpurentalprices"


def test_config_show_names_value_and_origin_and_masks_secrets(
    tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gpurent.toml").write_text('threads = 2\nlog_level = "error"\n[source_keys]\nvast = "very-secret"\n')
    monkeypatch.setenv("GPURENT_CONTACT", "desk@example.org")
    monkeypatch.setenv("GPURENT_LOG_LEVEL", "warning")
    ended = call("config", "show", "--warehouse", "other.duckdb", "--json")
    assert ended.exit_code == 0
    assert "very-secret" not in ended.out
    found = {row["name"]: (row["value"], row["origin"]) for row in ended.document["settings"]}
    assert set(found) == set(Settings.model_fields)
    assert found["warehouse"] == ("other.duckdb", "flag --warehouse")
    assert found["contact"] == ("desk@example.org", "environment GPURENT_CONTACT")
    assert found["log_level"] == ("warning", "environment GPURENT_LOG_LEVEL")
    assert found["threads"] == ("2", "gpurent.toml")
    assert found["source_keys"] == ("vast=********", "gpurent.toml")
    assert found["registers"] == ("registers", "default")
    assert found["signing_key"] == (None, "default")
    text = call("config", "show").out
    assert "very-secret" not in text
    assert "gpurent.toml: read" in text


def test_settings_file_is_toml_as_it_is() -> None:
    assert tomllib.loads(settings_file()) == {}


def test_a_bad_setting_ends_with_2_and_names_file_and_key(tmp_path: Path) -> None:
    (tmp_path / "gpurent.toml").write_text("threads = 0\n")
    ended = in_a_process("config", "show", cwd=tmp_path)
    assert ended.exit_code == 2
    assert "gpurent.toml: threads:" in ended.err
