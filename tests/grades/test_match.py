"""Matching: every tuple is in grades or refused with one reason, and what is not stated is never filled in."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grades.grade_code import parse_code
from grades.lexicon import lexicon
from grades.match import match_axes
from grades.register_files import load_registers
from warehouse import Warehouse

DAY = date(2026, 7, 16)
CUTOFF = datetime(2026, 7, 17, 6, tzinfo=UTC)
COLUMNS = ("operator_id", "chip", "form_memory", "lot", "fabric", "scope", "term", "place")
Tuple = tuple[str, ...]


def match(
    warehouse: Warehouse, tuples: dict[str, Tuple], *, day: date = DAY, is_reconstructed: bool = False
) -> tuple[dict[str, set[str]], dict[str, str]]:
    """Codes with bucket of each tuple, and the reason of each tuple that is in none."""
    table = pa.table(
        {"axes_key": list(tuples)} | {name: [t[i] for t in tuples.values()] for i, name in enumerate(COLUMNS)}
    )
    warehouse.connection.register("given_axes", table)
    warehouse.connection.execute("CREATE OR REPLACE TEMP TABLE axes_to_match AS SELECT * FROM given_axes")
    warehouse.connection.unregister("given_axes")
    cutoff = datetime(day.year, day.month, day.day, 6, tzinfo=UTC) + timedelta(days=1)
    match_axes(warehouse, day, cutoff, is_reconstructed)
    rows = warehouse.rows(
        "SELECT m.axes_key, g.code || '.' || g.bucket FROM axes_matches AS m "
        "INNER JOIN (SELECT DISTINCT grade_id, code, bucket FROM grades) AS g ON m.grade_id = g.grade_id"
    )
    matched: dict[str, set[str]] = {}
    for axes_key, code in rows:
        assert code not in matched.setdefault(axes_key, set()), "a tuple is in a grade once"
        matched[axes_key].add(code)
    refusals = warehouse.rows("SELECT axes_key, reason_code FROM axes_refusals")
    assert len(refusals) == len({axes_key for axes_key, _ in refusals})
    assert matched.keys().isdisjoint(axes_key for axes_key, _ in refusals)
    assert matched.keys() | {axes_key for axes_key, _ in refusals} == tuples.keys()
    return matched, dict(refusals)


NODE = ("aws", "H100", "S080", "C", "NV", "VM", "OD", "US")


def with_axis(base: Tuple, **changed: str) -> Tuple:
    return tuple(changed.get(name, value) for name, value in zip(COLUMNS, base, strict=True))


@pytest.mark.usefixtures("version")
def test_a_full_description_is_in_the_narrow_and_the_wide_grade(warehouse: Warehouse) -> None:
    matched, refused = match(warehouse, {"node": NODE})
    wide = "H100-Y080-Y-YY-YY-OD-YY-J"
    assert matched["node"] == {"H100-S080-C-NV-VM-OD-US-7.ALL", f"{wide}.ALL", f"{wide}.HYP", f"{wide}.NR"}
    assert refused == {}


@pytest.mark.usefixtures("version")
@pytest.mark.parametrize(
    ("axis", "value"),
    [("form_memory", "Z080"), ("lot", "Z"), ("fabric", "ZZ"), ("scope", "ZZ"), ("place", "ZZ")],
)
def test_an_axis_that_is_not_stated_enters_only_where_any_is_asked(
    warehouse: Warehouse, axis: str, value: str
) -> None:
    matched, _ = match(warehouse, {"k": with_axis(NODE, **{axis: value})})
    codes = {code.rpartition(".")[0] for code in matched["k"]}
    assert codes == {"H100-Y080-Y-YY-YY-OD-YY-J"}


@pytest.mark.usefixtures("version")
@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"operator_id": "unregistered:dc_roan"}, "operator_not_registered"),
        ({"chip": "ZZ"}, "chip_not_stated"),
        ({"scope": "MI"}, "serverless_inference"),
        ({"chip": "H800"}, "no_grade_for_chip"),
        ({"form_memory": "N000"}, "memory_not_stated"),
        ({"form_memory": "Z000"}, "memory_not_stated"),
        ({"chip": "RTX4090", "form_memory": "C048"}, "no_grade_for_memory"),
        ({"term": "ZZ"}, "term_not_stated"),
        ({"term": "2Y"}, "no_grade"),
    ],
)
def test_a_tuple_that_fits_nothing_has_one_reason(
    warehouse: Warehouse, changed: dict[str, str], reason: str
) -> None:
    matched, refused = match(warehouse, {"k": with_axis(NODE, **changed)})
    assert (matched, refused) == ({}, {"k": reason})


@pytest.mark.usefixtures("version")
def test_traps_of_the_h100_and_the_a100(warehouse: Warehouse) -> None:
    matched, _ = match(
        warehouse,
        {
            "nvl": with_axis(NODE, form_memory="N094"),
            "a100-40": with_axis(NODE, chip="A100", form_memory="P040"),
            "a100-80": with_axis(NODE, chip="A100", form_memory="P080"),
            "h200-nvl": with_axis(NODE, chip="H200", form_memory="N141"),
            "spot": with_axis(NODE, term="SP"),
            "max-q": with_axis(NODE, chip="RTXPRO6000Q", form_memory="P096"),
        },
    )
    codes = {name: {code.partition("-Y-YY")[0] for code in found} for name, found in matched.items()}
    assert codes["nvl"] == {"H100-N094"}
    assert codes["a100-40"] == {"A100-Y040"}
    assert codes["a100-80"] == {"A100-Y080"}
    assert codes["h200-nvl"] == {"H200-Y141"}
    assert codes["max-q"] == {"RTXPRO6000-Y096"}
    assert {code.rpartition(".")[0] for code in matched["spot"]} == {"H100-Y080-Y-YY-YY-SP-YY-F"}


@pytest.mark.usefixtures("version")
def test_live_days_use_the_specification_valid_that_day_and_reconstructed_ones_the_present_one(
    warehouse: Warehouse,
) -> None:
    early = date(2025, 7, 16)
    assert match(warehouse, {"k": NODE}, day=early)[1] == {"k": "no_grade"}
    matched, _ = match(warehouse, {"k": NODE}, day=early, is_reconstructed=True)
    assert "H100-Y080-Y-YY-YY-OD-YY-J.ALL" in matched["k"]


@pytest.mark.usefixtures("version")
def test_a_new_version_takes_over_on_its_day_and_keeps_the_grade(warehouse: Warehouse) -> None:
    code, grade_id = "H100-Y080-Y-YY-YY-OD-YY-J", "grd_sqvsqwpuq7"
    spec = warehouse.dicts("SELECT * EXCLUDE (known_at) FROM grade_specs WHERE code = $1", [code])[0]
    newer = spec | {"spec_id": "spec_newer", "spec_version": "2026.2", "valid_from": date(2026, 7, 20),
                    "record_sha256": "new"}  # fmt: skip
    grade = warehouse.dicts("SELECT * EXCLUDE (known_at) FROM grades WHERE grade_id = $1", [grade_id])[0]
    warehouse.append("grade_specs", [newer])
    warehouse.append("grades", [grade | {"spec_id": "spec_newer", "record_sha256": "new"}])
    accepts = warehouse.dicts("SELECT axis, value FROM spec_accepts WHERE spec_id = $1", [spec["spec_id"]])
    warehouse.append(
        "spec_accepts",
        [
            row | {"spec_id": "spec_newer", "record_sha256": f"new{number}"}
            for number, row in enumerate(accepts)
            if row["value"] != "Z080"
        ],
    )
    tuples = {"open": with_axis(NODE, form_memory="Z080"), "sxm": NODE}
    before, _ = match(warehouse, tuples, day=date(2026, 7, 19))
    after, refused = match(warehouse, tuples, day=date(2026, 7, 20))
    assert f"{code}.ALL" in before["open"]
    assert f"{code}.ALL" in before["sxm"] & after["sxm"]
    assert refused == {"open": "no_grade"}


_axes = st.tuples(
    st.sampled_from(["aws", "vast", "koyeb"]),
    st.sampled_from(["H100", "A100", "B200", "RTX4090", "ZZ"]),
    st.sampled_from(["S080", "P080", "Z080", "N094", "S180", "C024", "C048", "Z000", "S000"]),
    st.sampled_from([word.code for word in lexicon().axes.lot if word.code != "Y"]),
    st.sampled_from([word.code for word in lexicon().axes.fabric if word.code != "YY"]),
    st.sampled_from([word.code for word in lexicon().axes.scope if word.code != "YY"]),
    st.sampled_from([word.code for word in lexicon().axes.term if word.code != "YY"]),
    st.sampled_from(["US", "DE", "ZZ"]),
)


@pytest.mark.usefixtures("version")
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(_axes, min_size=1, max_size=40, unique=True))
def test_each_axis_of_a_match_is_the_specs_own_or_any(warehouse: Warehouse, tuples: list[Tuple]) -> None:
    given_tuples = {str(number): entry for number, entry in enumerate(tuples)}
    matched, _ = match(warehouse, given_tuples)
    accepted = {spec.code: load_registers().accepted(spec) for spec in load_registers().specs}
    for axes_key, codes in matched.items():
        for code in codes:
            parsed = parse_code(code)
            for name, asked, value in zip(COLUMNS[1:], parsed.axes, given_tuples[axes_key][1:], strict=True):
                is_any = asked in ("Y", "YY") or (name == "form_memory" and asked[0] == "Y")
                assert value == asked or is_any or (name == "chip" and value in accepted[parsed.code]["chip"])
                if value in ("Z", "ZZ") or value[0] == "Z":
                    assert is_any
