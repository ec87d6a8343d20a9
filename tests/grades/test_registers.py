"""The registers: what they hold, that ids are permanent, and that they enter the warehouse once."""

from __future__ import annotations

from datetime import UTC, date, datetime
from importlib.resources import files
from pathlib import Path

import pytest

from gpurent.core.clock import RecordedClock
from gpurent.core.errors import ConfigError
from grades.grade_code import parse_code
from grades.match import operators_known
from grades.records import end_of
from grades.register_files import Registers, load_registers, registers_at
from grades.registers import sync
from warehouse import Warehouse

# seller ids of gpurentalprices.com, 2026-07-07 to 2026-08-15
SELLERS = [
    "runpod",
    "spheron",
    "massedcompute",
    "gcp",
    "datacrunch",
    "hyperstack",
    "aws",
    "modal",
    "azure",
    "lambda",
    "coreweave",
    "tensordock",
    "ovh",
    "cerebrium",
    "vultr",
    "koyeb",
    "crusoe",
    "jarvislabs",
    "nebius",
    "digitalocean",
    "fal",
    "baseten",
    "salad",
    "primeintellect",
    "scaleway",
    "replicate",
    "fireworks",
    "together",
    "gmicloud",
    "thundercompute",
    "latitude",
    "voltagepark",
    "hotaisle",
    "sfcompute",
]

FIXED = {
    "H100-Y080-Y-YY-YY-OD-YY-J": {"S080", "P080", "Z080"},
    "H200-Y141-Y-YY-YY-OD-YY-H": {"S141", "N141", "Z141"},
    "B200-Y180-Y-YY-YY-OD-YY-T": {"S180", "Z180"},
    "A100-Y080-Y-YY-YY-OD-YY-W": {"S080", "P080", "Z080"},
    "MI300X-Y192-Y-YY-YY-OD-YY-C": {"O192", "Z192"},
    "H100-Y080-Y-YY-YY-SP-YY-F": {"S080", "P080", "Z080"},
}
STARTING = {
    "H100-S080-C-NV-VM-OD-US-7",
    "H100-S080-A-NA-CT-OD-YY-S",
    "B200-S180-D-IB-MK-1Y-US-H",
    "B200-S180-D-IB-BM-1Y-US-X",
    "H100-P080-A-NA-CT-SP-YY-4",
}
TABLES = ("operators", "grade_specs", "spec_accepts", "grades", "operator_evidence", "operator_tiers")


@pytest.fixture(scope="module")
def registers() -> Registers:
    return load_registers()


@pytest.mark.parametrize("name", SELLERS)
def test_every_seller_of_gpurentalprices_is_registered(registers: Registers, name: str) -> None:
    assert registers.operator_id(name) is not None


def test_one_operator_under_many_names(registers: Registers) -> None:
    assert {registers.operator_id(name) for name in ("datacrunch", "DataCrunch.io", "Verda")} == {"verda"}
    assert {registers.operator_id(name) for name in ("aws", "Amazon AWS", "AWS")} == {"aws"}
    assert registers.operator_id("dc_roan") is None


def test_a_cited_fact_has_an_address_and_a_day(registers: Registers) -> None:
    assert len(registers.operators) >= 100
    facts = [fact for operator in registers.operators.values() for fact in operator.fact]
    cited = [fact for fact in facts if fact.is_cited]
    assert len(cited) >= 40
    assert all(fact.url and fact.observed_on for fact in cited)
    assert any(not fact.is_cited for fact in facts)
    classes = {
        operator_id: {f.operator_class for f in o.fact} for operator_id, o in registers.operators.items()
    }
    assert classes["aws"] == {"HYP"}
    assert classes["coreweave"] == {"NEO"}
    assert classes["vast"] == {"MKT"}
    assert classes["shadeform"] == {"RES"}
    assert classes["koyeb"] == set()


def test_the_fixed_and_the_starting_codes_are_specified(registers: Registers) -> None:
    specs = {spec.code: spec for spec in registers.specs}
    assert specs.keys() >= FIXED.keys() | STARTING
    for code, accepted in FIXED.items():
        assert set(registers.accepted(specs[code])["form_memory"]) == accepted
    for code in STARTING:
        assert registers.accepted(specs[code])["form_memory"] == [code.split("-")[1]]


def test_every_chip_has_a_wide_specification_on_demand_and_interruptible(registers: Registers) -> None:
    wide: dict[str, set[str]] = {}
    for spec in registers.specs:
        chip_and_memory, is_wide, rest = spec.code.partition("-Y-YY-YY-")
        if is_wide:
            wide.setdefault(chip_and_memory, set()).add(rest[:2])
    assert len(wide) >= 40
    assert all(terms == {"OD", "SP"} for terms in wide.values())


def test_any_scope_takes_no_endpoint_and_any_axis_takes_what_is_not_stated(registers: Registers) -> None:
    for spec in registers.specs:
        accepted = registers.accepted(spec)
        assert "MI" not in accepted["scope"]
        for axis, value in zip(
            ("lot", "fabric", "scope", "term"), parse_code(spec.code).axes[2:6], strict=True
        ):
            takes_open = bool({"Z", "ZZ"} & set(accepted[axis]))
            assert takes_open == (value in ("Y", "YY")), f"{spec.code} {axis}"


def test_buckets_stand_where_they_are_asked_for(registers: Registers) -> None:
    full = {spec.code for spec in registers.specs if len(spec.grades) == 13}
    assert full == {code for code in FIXED if "-OD-" in code and not code.startswith("MI300X")}
    assert all("ALL" in spec.grades for spec in registers.specs)


def test_permanent_ids_are_used_once(registers: Registers) -> None:
    grade_ids = [grade_id for spec in registers.specs for grade_id in spec.grades.values()]
    assert len(grade_ids) == len(set(grade_ids)) == 135
    assert len({spec.spec_id for spec in registers.specs}) == len(registers.specs) == 87


def test_parents_form_no_circle_and_take_all_their_children_take(warehouse: Warehouse, version: str) -> None:
    rows = warehouse.rows("SELECT grade_id, parent_grade_id, spec_id, bucket FROM grades")
    parents = {grade_id: parent for grade_id, parent, _, _ in rows}
    for grade_id in parents:
        seen = [grade_id]
        while (parent := parents[seen[-1]]) is not None:
            assert parent not in seen
            seen.append(parent)
    buckets = {grade_id: bucket for grade_id, _, _, bucket in rows}
    for grade_id, parent in parents.items():
        if buckets[grade_id] in ("T1", "T2"):
            assert buckets[parent] == "T12"
        elif buckets[grade_id] != "ALL":
            assert buckets[parent] == "ALL"
    registers = registers_at(version)
    by_code = {spec.code: spec for spec in registers.specs}
    for spec in registers.specs:
        if spec.parent is None:
            continue
        wider = registers.accepted(by_code[spec.parent])
        for axis, values in registers.accepted(spec).items():
            assert set(values) <= set(wider[axis]) or wider[axis] == ["*"]


def test_a_grade_is_composite_with_an_open_axis_or_all_operators(warehouse: Warehouse, version: str) -> None:
    found = dict(
        warehouse.rows(
            "SELECT code || '.' || bucket, is_composite FROM grades WHERE code IN ($1, $2)",
            ["H100-Y080-Y-YY-YY-OD-YY-J", "H100-S080-C-NV-VM-OD-US-7"],
        )
    )
    assert found["H100-Y080-Y-YY-YY-OD-YY-J.T1"] is True
    assert found["H100-S080-C-NV-VM-OD-US-7.ALL"] is True
    specs = dict(warehouse.rows("SELECT code, is_composite FROM grade_specs"))
    assert specs["H100-S080-C-NV-VM-OD-US-7"] is False
    # fabric and place do not make a specification composite
    assert specs["H100-S080-A-NA-CT-OD-YY-S"] is False
    assert version.startswith("reg_")


def _counts(warehouse: Warehouse) -> dict[str, int]:
    return {table: warehouse.rows(f"SELECT count(*) FROM {table}")[0][0] for table in TABLES}


def test_syncing_twice_writes_nothing_twice(warehouse: Warehouse, version: str, clock: RecordedClock) -> None:
    before = _counts(warehouse)
    assert before["operator_evidence"] == 852
    clock.advance_to(datetime(2026, 7, 16, 9, 0, tzinfo=UTC))
    assert sync(warehouse) == version
    assert _counts(warehouse) == before


def test_a_users_folder_adds_operators_facts_specifications_and_evidence(
    warehouse: Warehouse, version: str, tmp_path: Path
) -> None:
    folder = tmp_path / "registers"
    (folder / "operators").mkdir(parents=True)
    (folder / "specs").mkdir()
    (folder / "evidence").mkdir()
    (folder / "operators" / "mine.toml").write_text(
        """
        [[operator]]
        operator_id = "koyeb"
        name = "Koyeb"
        read_on = 2026-07-01
        [operator.names]
        mine = ["Koyeb SAS"]
        [[operator.fact]]
        operator_class = "RES"
        owner_group = "koyeb"
        url = "https://example.org/koyeb"
        observed_on = 2026-07-01

        [[operator]]
        operator_id = "nearby"
        name = "Nearby GPUs"
        read_on = 2026-07-01
        """
    )
    (folder / "specs" / "mine.toml").write_text(
        """
        [[spec]]
        spec_id = "spec_mine1"
        code = "H100-S080-C-NV-BM-OD-XE-P"
        version = "2026.1"
        title = "H100 node, bare metal, Europe"
        status = "active"
        valid_from = 2026-01-01
        grades = { ALL = "grd_mine1" }
        """.replace("H100-S080-C-NV-BM-OD-XE-P", _code("H100-S080-C-NV-BM-OD-XE"))
    )
    (folder / "evidence" / "mine.toml").write_text(
        """
        operator_id = "nearby"
        [[source]]
        url = "https://example.org/test"
        dated = "2026-06"
        class = "own_test"
        origin = "ourselves"
        items = [
          { scope = "BM", category = "security", criterion = "tenant_isolation", result = "pass", confidence = 3 },
        ]
        """
    )
    before = _counts(warehouse)
    mine = sync(warehouse, folder)
    assert mine != version
    after = _counts(warehouse)
    assert after["operators"] == before["operators"] + 2
    assert after["grades"] == before["grades"] + 1
    assert after["operator_evidence"] == before["operator_evidence"] + 1
    registers = registers_at(mine)
    assert registers.operator_id("Koyeb SAS") == "koyeb"
    spec = next(spec for spec in registers.specs if spec.spec_id == "spec_mine1")
    places = registers.accepted(spec)["place"]
    assert "DE" in places
    assert "US" not in places
    assert not {"XE", "ZZ"} & set(places)
    # the packaged registers are still known under their own version
    assert registers_at(version).operator_id("Koyeb SAS") is None


def _code(body: str) -> str:
    from grades.grade_code import check_character  # noqa: PLC0415

    return f"{body}-{check_character(body)}"


@pytest.mark.parametrize(
    ("folder", "body", "says"),
    [
        (
            "operators",
            '[[operator]]\noperator_id = "x"\nname = "AWS"\nread_on = 2026-01-01',
            "'AWS' is a name of both",
        ),
        (
            "operators",
            '[[operator]]\noperator_id = "x"\nnmae = "X"',
            "operators/mine.toml: operator.0",
        ),
        ("evidence", 'operator_id = "nobody"\nsource = []', "nobody is not in the register"),
        (
            "specs",
            '[[spec]]\nspec_id = "spec_x"\ncode = "H100-S080-C-NV-VM-OD-US-7"\nversion = "2026.1"\ntitle = "t"\n'
            'status = "active"\nvalid_from = 2026-01-01\ngrades = { ALL = "grd_x" }',
            "code and version used twice",
        ),
        (
            "specs",
            '[[spec]]\nspec_id = "spec_x"\ncode = "H100-S080-C-NV-VM-OD-US-7"\nversion = "2027.1"\ntitle = "t"\n'
            'status = "active"\nvalid_from = 2027-01-01\ngrades = { ALL = "grd_x", T1 = "grd_y" }',
            "T12 above T1 and T2",
        ),
    ],
)
def test_a_wrong_register_file_is_refused_by_name(
    tmp_path: Path, warehouse: Warehouse, folder: str, body: str, says: str
) -> None:
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "mine.toml").write_text(body)
    with pytest.raises(ConfigError, match=says):
        sync(warehouse, tmp_path)


def test_a_recorded_specification_never_takes_other_values(warehouse: Warehouse, version: str) -> None:
    spec_id = "spec_t6mz3cxdb4"
    warehouse.append(
        "spec_accepts",
        [{"spec_id": spec_id, "axis": "form_memory", "value": "N094", "record_sha256": "0" * 64}],
    )
    with pytest.raises(ConfigError, match=f"{spec_id}.*form_memory N094.*new version and a new spec_id"):
        sync(warehouse)
    assert version


def test_the_version_is_of_the_content(tmp_path: Path) -> None:
    assert load_registers().version == load_registers(tmp_path / "not there").version
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "empty.toml").write_text("spec = []\n")
    assert load_registers(tmp_path).version != load_registers().version


def test_a_page_with_half_a_date_counts_from_the_end_of_it() -> None:
    assert end_of("2025") == date(2025, 12, 31)
    assert end_of("2024-02") == date(2024, 2, 29)
    assert end_of("2026-09-23") == date(2026, 9, 23)
    with pytest.raises(ValueError, match="is no date"):
        end_of("autumn 2026")


def test_uncited_evidence_is_kept_and_marked(warehouse: Warehouse, version: str) -> None:
    counts = dict(warehouse.rows("SELECT is_cited, count(*) FROM operator_evidence GROUP BY is_cited"))
    assert counts == {True: 666, False: 186}
    assert warehouse.rows(
        "SELECT count(*) FROM operator_evidence WHERE NOT is_cited AND observed_at IS NOT NULL"
    ) == [(0,)]
    ratings = warehouse.rows(
        "SELECT DISTINCT result FROM operator_evidence WHERE category = 'external_rating'"
    )
    # another's medal is shown beside our tier and never converted into a result
    assert ratings == [("unknown",)]
    assert version


def _known(warehouse: Warehouse, cutoff: datetime, *, is_reconstructed: bool) -> dict[str, tuple[str, str]]:
    operators_known(warehouse, cutoff, is_reconstructed)
    return {
        o: (c, g)
        for o, c, g in warehouse.rows("SELECT operator_id, operator_class, owner_group FROM operators_known")
    }


def test_operators_are_what_was_known_at_the_cutoff(warehouse: Warehouse, version: str) -> None:
    # the page about AWS is of 2025-11-06; it was recorded here at 2026-07-15 09:00
    before = _known(warehouse, datetime(2025, 11, 6, 6, tzinfo=UTC), is_reconstructed=True)
    day_of_page = _known(warehouse, datetime(2025, 11, 7, 6, tzinfo=UTC), is_reconstructed=True)
    live_before = _known(warehouse, datetime(2026, 7, 15, 6, tzinfo=UTC), is_reconstructed=False)
    live_after = _known(warehouse, datetime(2026, 7, 16, 6, tzinfo=UTC), is_reconstructed=False)
    assert before["aws"] == ("UNK", "aws")
    assert day_of_page["aws"] == ("HYP", "amazon")
    assert live_before["aws"] == ("UNK", "aws")
    assert live_after["aws"] == ("HYP", "amazon")
    # uncited facts count for nothing, on any day
    assert live_after["koyeb"] == ("UNK", "koyeb")
    assert live_after["sfcompute"] == ("UNK", "sfcompute")
    assert len(before) == len(live_after) == len(registers_at(version).operators)


def test_an_operator_keeps_its_owner_until_the_change_is_known(warehouse: Warehouse, version: str) -> None:
    warehouse.append(
        "operators",
        [
            {
                "operator_id": "paperspace", "name": "Paperspace", "operator_class": "NEO",
                "owner_group": "digitalocean", "is_cited": True, "url": "https://example.org",
                "observed_on": date(2026, 7, 1), "valid_from": date(2026, 7, 1), "record_sha256": "1" * 64,
                "available_at": datetime(2026, 7, 1, tzinfo=UTC), "known_at": datetime(2026, 7, 20, tzinfo=UTC),
            }
        ],
    )  # fmt: skip
    assert (
        _known(warehouse, datetime(2026, 7, 19, 6, tzinfo=UTC), is_reconstructed=False)["paperspace"][1]
        == "paperspace"
    )
    assert (
        _known(warehouse, datetime(2026, 7, 21, 6, tzinfo=UTC), is_reconstructed=False)["paperspace"][1]
        == "digitalocean"
    )
    assert (
        _known(warehouse, datetime(2026, 7, 2, 6, tzinfo=UTC), is_reconstructed=True)["paperspace"][1]
        == "digitalocean"
    )
    assert (
        _known(warehouse, datetime(2026, 7, 1, 6, tzinfo=UTC), is_reconstructed=True)["paperspace"][1]
        == "paperspace"
    )
    assert version


def test_no_text_of_the_registers_names_this_machine() -> None:
    root = files("grades")
    for folder in ("vocabulary", "operators", "specs", "evidence"):
        for entry in root.joinpath(folder).iterdir():
            assert "shared/data" not in entry.read_text(encoding="utf-8"), entry.name
