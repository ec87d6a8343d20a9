"""A user's own registers, from the files to a price: used by ingest, index and daily, and shown with their origin."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grades.register_files import load_registers
from tests.cli.conftest import Call, in_a_process

DAY = "2026-07-15"
SPEC = "L40S-P048-B-PC-VM-OD-XE-R"

OPERATORS = """
[[operator]]
operator_id = "example_compute"
name = "Example Compute"
read_on = 2026-07-01
[operator.names]
desk_list = ["Example Compute Ltd"]
[[operator.fact]]
operator_class = "NEO"
owner_group = "example_compute"
url = "https://example.org/about"
observed_on = 2026-07-01
"""
SOURCE = """
title = "Our own list"
reader = "gpurentalprices"
kind = "aggregator"
url = "https://example.org/prices.json"
unit = "USD / gpu / hour"
currency = "USD"
terms_note = "ours"
redistribution = "allowed"
cadence_hours = 24
time_meaning = "generated_at: when the list was made."
fixture_origin = "rendered"
is_file_only = true
"""
SPECS = f"""
[[spec]]
spec_id = "spec_desk1"
code = "{SPEC}"
version = "2026.1"
title = "L40S of the desk"
parent = "L40S-Y048-Y-YY-YY-OD-YY-6"
status = "active"
valid_from = 2026-01-01
# our list states chip, memory and term only
[spec.accepts]
form_memory = ["P048", "Z048"]
lot = ["B", "Z"]
fabric = ["PC", "ZZ"]
scope = ["VM", "ZZ"]
place = ["*"]
[spec.grades]
ALL = "grd_desk1"
NEO = "grd_desk2"
"""
OTHER_SPEC = SPECS.replace("spec_desk1", "spec_desk9")
EVIDENCE = """
operator_id = "example_compute"
[[source]]
url = "https://example.org/report"
dated = "2026-06-01"
class = "own_test"
origin = "the desk's test"
[[source.items]]
scope = "VM"
category = "security"
criterion = "disk_wipe"
result = "pass"
value = "zeros"
confidence = 3
"""
FILES = {
    "operators/desk.toml": OPERATORS,
    "sources/desk_list.toml": SOURCE,
    "specs/desk.toml": SPECS,
    "evidence/desk.toml": EVIDENCE,
}
PRICES = {"Example Compute Ltd": "0.80", "hyperstack": "0.90", "vultr": "1.00"}


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with registers of its own and one list to ingest."""
    for name, body in FILES.items():
        path = tmp_path / "registers" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body)
    rows = [
        {"provider": seller, "gpu": "l40s", "vram_gb": 48, "usd_hr": float(usd), "kind": "on-demand",
         "fetched_at": f"{DAY}T09:59:00Z"}
        for seller, usd in PRICES.items()
    ]  # fmt: skip
    document = {"date": DAY, "generated_at": f"{DAY}T10:00:00Z", "offers": rows}
    (tmp_path / "list.json").write_text(json.dumps(document))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_own_source_operator_and_specification_make_a_price(desk: Path, call: Call) -> None:
    ingested = call("ingest", "list.json", "--source", "desk_list", "--json")
    assert ingested.exit_code == 0, ingested.err
    assert (ingested.document["accepted"], ingested.document["graded"]["rejected"]) == (3, {})
    assert call("index", "--from", DAY, "--to", DAY).exit_code == 0
    shown = call("show", SPEC, "--json").document
    assert (shown["grade_title"], shown["level"], shown["advertised_usd_per_gpu_hour"]) == (
        "L40S of the desk",
        4,
        0.9,
    )
    groups = call("explain", SPEC, "--day", DAY, "--json").document["advertised"]
    assert {group["owner_group"] for group in groups} >= {"example_compute", "hyperstack", "vultr"}
    neo = call("explain", f"{SPEC}.NEO", "--day", DAY, "--json").document
    (own,) = [group for group in neo["advertised"] if group["owner_group"] == "example_compute"]
    assert own["items"][0]["operator_id"] == "example_compute"


def test_what_is_ours_and_what_is_not_is_shown(desk: Path, call: Call) -> None:
    operators = {row["operator_id"]: row for row in call("operator", "list", "--json").document["operators"]}
    assert operators["example_compute"]["origin"] == "registers/operators/desk.toml"
    assert operators["hyperstack"]["origin"] == "packaged"
    specs = {row["code"]: row for row in call("grade", "list", "--json").document["grades"]}
    assert specs[SPEC]["origin"] == "registers/specs/desk.toml"
    assert call("grade", "show", SPEC, "--json").document["origin"] == "registers/specs/desk.toml"
    source = call("source", "show", "desk_list", "--json").document
    assert (source["origin"], source["reader"]) == ("registers/sources/desk_list.toml", "gpurentalprices")
    explained = call(
        "operator", "explain", "example_compute", "--scope", "VM", "--day", DAY, "--json"
    ).document
    (evidence,) = explained["evidence"]
    assert (evidence["item"], evidence["criterion"], evidence["source_class"]) == (
        "disk_wipe",
        "data_wiped",
        "own_test",
    )


def test_single_fields_of_a_packaged_source_and_names_of_a_packaged_operator_are_changed(
    desk: Path, call: Call
) -> None:
    (desk / "registers/sources/vast.toml").write_text("cadence_hours = 2\n")
    (desk / "registers/operators/desk.toml").write_text(
        OPERATORS
        + '[[operator]]\noperator_id = "vultr"\nname = "Vultr"\nread_on = 2026-07-01\n'
        + '[operator.names]\ndesk_list = ["Vultr, as we call it"]\n'
    )
    vast = call("source", "show", "vast", "--json").document
    assert (vast["cadence_hours"], vast["origin"]) == (2, "packaged + registers/sources/vast.toml")
    assert vast["changed_fields"] == ["cadence_hours"]
    assert load_registers(desk / "registers").operator_id("vultr, as we call it") == "vultr"
    operators = {row["operator_id"]: row for row in call("operator", "list", "--json").document["operators"]}
    assert operators["vultr"]["origin"] == "packaged + registers/operators/desk.toml"


def test_a_replay_knows_the_users_sources(desk: Path, call: Call) -> None:
    assert call("ingest", "list.json", "--source", "desk_list").exit_code == 0
    for command in ("collect", "daily"):
        ended = call(
            command, "--replay", "gpurent.files/archive", "--warehouse", f"{command}.duckdb", "--json"
        )
        assert ended.exit_code in (0, 5), ended.err
        rows = call(
            "sql", "SELECT DISTINCT source_id FROM offers", "--warehouse", f"{command}.duckdb", "--json"
        )
        assert rows.document["rows"] == [{"source_id": "desk_list"}]


@pytest.mark.parametrize(
    ("name", "body", "said"),
    [
        ("operators/bad.toml", '[[operator]]\noperator_id = "x"\nname = "X"\n', "operator.0.read_on"),
        ("operators/bad.toml", "[[operator]\n", "line 1"),
        ("operators/bad.toml", OPERATORS.replace("example_compute", "other"), "a name of both other and example"),
        ("specs/bad.toml", SPECS.replace('"L40S of', '1 + "L40S of'), "line 6"),
        ("specs/bad.toml", OTHER_SPEC.replace(SPEC, f"{SPEC[:-1]}A"), f"code: {SPEC[:-1]}A: the check character"),
        ("specs/bad.toml", OTHER_SPEC.replace("L40S-Y048", "L40S-Y049"), "parent: L40S-Y049"),
        ("specs/bad.toml", OTHER_SPEC, "code and version used twice"),
        ("specs/bad.toml", SPECS, "spec_id used twice"),
        ("evidence/bad.toml", EVIDENCE.replace("example_compute", "nobody"), "operator_id: nobody is not in"),
        ("evidence/bad.toml", EVIDENCE.replace("own_test", "hearsay"), "source.0.class"),
        ("sources/bad.toml", SOURCE.replace("24", '"daily"'), "cadence_hours"),
        ("sources/bad.toml", SOURCE.replace("gpurentalprices", "nobody"), "reader: there is none for 'nobody'"),
        ("sources/bad.toml", SOURCE.replace('reader = "gpurentalprices"', ""), "reader: there is none for 'bad'"),
    ],
)  # fmt: skip
def test_a_wrong_file_ends_with_2_and_is_named_with_its_key(
    desk: Path, call: Call, name: str, body: str, said: str
) -> None:
    (desk / "registers" / name).write_text(body)
    for command in (("ingest", "list.json", "--source", "desk_list"), ("daily",), ("index",), ("collect",)):
        ended = call(*command)
        assert ended.exit_code == 2
        assert f"registers/{name}" in ended.err
        assert said in ended.err
    assert not Path("gpurent.duckdb").exists()
    listing = "source" if name.startswith("sources/") else "operator"
    assert call(listing, "list").exit_code == 2


def test_a_folder_named_in_the_settings_is_the_one_that_is_read(desk: Path) -> None:
    (desk / "registers").rename(desk / "ours")
    assert in_a_process("grade", "show", SPEC, cwd=desk).exit_code == 2
    (desk / "gpurent.toml").write_text('registers = "ours"\n')
    shown = in_a_process("grade", "show", SPEC, "--json", cwd=desk)
    assert shown.document["origin"] == "ours/specs/desk.toml"
