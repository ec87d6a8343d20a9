"""A user's register files: what is no file, no text or leads back to itself is refused by name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from collectors.registry import load_sources
from gpurent.core.errors import ConfigError
from grades.grade_code import check_character
from grades.register_files import load_registers


def spec(number: int, body: str, parent: str) -> str:
    """A specification of a user's, below another one."""
    return (
        f'[[spec]]\nspec_id = "spec_mine{number}"\ncode = "{coded(body)}"\nversion = "2026.1"\ntitle = "mine"\n'
        f'status = "active"\nvalid_from = 2026-01-01\nparent = "{coded(parent)}"\n'
        f'accepts = {{ form_memory = ["S080"] }}\ngrades = {{ ALL = "grd_mine{number}" }}\n'
    )


def coded(body: str) -> str:
    return f"{body}-{check_character(body)}"


GERMAN, FRENCH = "H100-S080-C-NV-BM-OD-DE", "H100-S080-C-NV-BM-OD-FR"


def made(kind: str, path: Path) -> None:
    """Something that has a register file's name and is none."""
    match kind:
        case "folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "loop":
            path.symlink_to(path)


@pytest.mark.parametrize("kind", ["folder", "pipe", "loop"])
def test_what_is_no_file_is_refused_by_name(tmp_path: Path, kind: str) -> None:
    for name, load in (("operators", load_registers), ("sources", load_sources)):
        overlay = tmp_path / name
        (overlay / name).mkdir(parents=True)
        made(kind, overlay / name / "mine.toml")
        with pytest.raises(ConfigError, match=rf"{name}/mine\.toml: .*(no file|remove it)"):
            load(overlay)


def test_a_byte_order_mark_is_no_part_of_a_register(tmp_path: Path) -> None:
    (tmp_path / "operators").mkdir()
    stated = '[[operator]]\noperator_id = "nearby"\nname = "Nearby GPUs"\nread_on = 2026-07-01\n'
    (tmp_path / "operators" / "mine.toml").write_text(stated, encoding="utf-8-sig")
    assert load_registers(tmp_path).operator_id("nearby gpus") == "nearby"


@pytest.mark.parametrize("parents", [(GERMAN, FRENCH), (FRENCH, GERMAN)])
def test_a_specification_is_not_above_itself(tmp_path: Path, parents: tuple[str, str]) -> None:
    (tmp_path / "specs").mkdir()
    stated = "".join(spec(n, body, parents[n]) for n, body in enumerate((GERMAN, FRENCH)))
    (tmp_path / "specs" / "mine.toml").write_text(stated)
    with pytest.raises(ConfigError, match=f"mine.toml: {coded(GERMAN)}: parent: leads back to"):
        load_registers(tmp_path)


def test_a_chain_of_parents_is_no_circle(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    stated = spec(0, GERMAN, FRENCH) + spec(1, FRENCH, "H100-Y080-Y-YY-YY-OD-YY")
    (tmp_path / "specs" / "mine.toml").write_text(stated)
    found = {spec.code: spec.parent for spec in load_registers(tmp_path).specs}
    assert (found[coded(GERMAN)], found[coded(FRENCH)]) == (coded(FRENCH), "H100-Y080-Y-YY-YY-OD-YY-J")
