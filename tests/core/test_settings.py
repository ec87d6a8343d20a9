from __future__ import annotations

import os
from pathlib import Path

import pytest

from gpurent.core.errors import ConfigError
from gpurent.core.settings import MASK, load_settings


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith("GPURENT_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def test_flags_beat_environment_beat_file_beat_defaults(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "gpurent.toml").write_text(
        'warehouse = "file.duckdb"\nthreads = 1\ncontact = "desk@example.org"\n'
    )
    monkeypatch.setenv("GPURENT_WAREHOUSE", "environment.duckdb")
    monkeypatch.setenv("GPURENT_THREADS", "2")
    settings = load_settings({"warehouse": Path("flag.duckdb"), "out": None})
    assert settings.warehouse == Path("flag.duckdb")
    assert settings.threads == 2
    assert settings.contact == "desk@example.org"
    assert settings.log_format == "text"
    assert dict(settings.origins) == {
        "warehouse": "flag --warehouse",
        "threads": "environment GPURENT_THREADS",
        "contact": "gpurent.toml",
    }
    origins = {row.name: row.origin for row in settings.listing()}
    assert origins["log_format"] == "default"


def test_editions_stand_beside_the_warehouse_unless_told_otherwise() -> None:
    assert load_settings({"warehouse": Path("a/b.duckdb")}).editions == Path("a/editions")
    assert load_settings({"out": Path("elsewhere")}).editions == Path("elsewhere")


def test_the_sample_moves_to_its_own_folder_unless_a_warehouse_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert load_settings().for_sample().warehouse == Path("gpurent-sample/gpurent.duckdb")
    assert load_settings().for_sample().editions == Path("gpurent-sample/editions")
    assert load_settings({"warehouse": Path("w.duckdb")}).for_sample().warehouse == Path("w.duckdb")
    monkeypatch.setenv("GPURENT_WAREHOUSE", "e.duckdb")
    assert load_settings().for_sample().warehouse == Path("e.duckdb")


def test_an_unknown_key_is_refused_in_the_file_with_the_nearest_setting(tmp_path: Path) -> None:
    (tmp_path / "gpurent.toml").write_text("thread = 2\n")
    with pytest.raises(
        ConfigError, match=r"gpurent\.toml: 'thread' is not a setting; did you mean threads\?"
    ):
        load_settings()


def test_an_unknown_environment_variable_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPURENT_WAREHOSE", "x")
    with pytest.raises(
        ConfigError, match="GPURENT_WAREHOSE: 'warehose' is not a setting; did you mean warehouse"
    ):
        load_settings()


def test_a_bad_value_names_its_origin_and_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPURENT_THREADS", "many")
    with pytest.raises(ConfigError, match=r"environment GPURENT_THREADS: threads: .*integer"):
        load_settings()


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "gpurent.toml").write_text("warehouse = \n")
    with pytest.raises(ConfigError, match=r"gpurent\.toml: cannot be read as TOML"):
        load_settings()


def test_secrets_are_masked_in_listings_and_in_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPURENT_SOURCE_KEYS__RUNPOD", "very-secret")
    settings = load_settings()
    assert settings.source_keys["runpod"].get_secret_value() == "very-secret"
    shown = {row.name: row.value for row in settings.listing()}
    assert shown["source_keys"] == f"runpod={MASK}"
    assert "very-secret" not in repr(settings)


def test_the_hooks_of_recovery_tests_are_not_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPURENT_STAGE_LOG", "stages.log")
    assert load_settings().origins == {}
