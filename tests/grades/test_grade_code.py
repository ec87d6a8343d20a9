"""Grade codes: the known ones, every single slip, and what a refusal says."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpurent.core.errors import UsageError
from grades.grade_code import ALPHABET, check_character, describe, format_code, parse_code
from grades.records import Spec
from grades.register_files import load_registers

# grades.md 3.3 and 3.4, price.md 1
KNOWN = [
    "H100-S080-C-NV-VM-OD-US-7",
    "H100-Z080-A-NA-VM-OD-US-I",
    "B200-S180-D-IB-MK-1Y-US-H",
    "B200-S180-D-IB-BM-1Y-US-X",
    "GB300-R288-E-RK-MS-1Y-US-5",
    "H100-S080-A-NA-CT-OD-YY-S",
    "H100-P080-A-NA-CT-SP-YY-4",
    "H100-Y080-Y-YY-YY-OD-YY-J",
    "H200-Y141-Y-YY-YY-OD-YY-H",
    "B200-Y180-Y-YY-YY-OD-YY-T",
    "A100-Y080-Y-YY-YY-OD-YY-W",
    "MI300X-Y192-Y-YY-YY-OD-YY-C",
    "H100-Y080-Y-YY-YY-SP-YY-F",
]


def refused(code: str) -> bool:
    try:
        parse_code(code)
    except UsageError as error:
        return error.exit_code == 2
    return False


@pytest.mark.parametrize("code", KNOWN)
def test_known_code_is_read_and_written_alike(code: str) -> None:
    parsed = parse_code(code)
    assert str(parsed) == code
    assert format_code(*parsed.axes) == code
    assert parsed.bucket == "ALL"
    assert parse_code(code.lower()) == parsed


@pytest.mark.parametrize("code", KNOWN)
def test_every_substitution_of_one_character_is_refused(code: str) -> None:
    tried = 0
    for position, there in enumerate(code):
        for other in ALPHABET:
            if other != there:
                tried += 1
                assert refused(code[:position] + other + code[position + 1 :])
    assert tried == 35 * len(code.replace("-", "")) + 36 * code.count("-")


@pytest.mark.parametrize("code", KNOWN)
def test_every_swap_of_neighbours_is_refused(code: str) -> None:
    for position in range(len(code) - 1):
        first, second = code[position], code[position + 1]
        if first != second:
            assert refused(code[:position] + second + first + code[position + 2 :])
    letters = [position for position, character in enumerate(code) if character != "-"]
    for here, there in pairwise(letters):
        if code[here] != code[there]:
            swapped = list(code)
            swapped[here], swapped[there] = swapped[there], swapped[here]
            assert refused("".join(swapped))


@pytest.mark.parametrize("code", KNOWN)
def test_every_missing_hyphen_is_refused(code: str) -> None:
    for position, character in enumerate(code):
        if character == "-":
            with pytest.raises(UsageError, match="8 parts with hyphens"):
                parse_code(code[:position] + code[position + 1 :])


@given(st.text(alphabet=ALPHABET, min_size=1, max_size=24), st.data())
def test_check_character_catches_any_substitution_in_any_text(body: str, data: st.DataObject) -> None:
    position = data.draw(st.integers(0, len(body) - 1))
    other = data.draw(st.sampled_from(ALPHABET.replace(body[position], "")))
    assert check_character(body[:position] + other + body[position + 1 :]) != check_character(body)


@pytest.mark.parametrize("spec", load_registers().specs, ids=lambda spec: spec.code)
def test_no_slip_in_a_code_of_the_registers_gives_another_code(spec: Spec) -> None:
    # the check alone misses a few swaps (IJ for JI at the start), the axis values catch them
    assert str(parse_code(spec.code)) == spec.code
    for position in range(len(spec.code) - 1):
        first, second = spec.code[position], spec.code[position + 1]
        assert first == second or refused(spec.code[:position] + second + first + spec.code[position + 2 :])


def test_check_character_skips_hyphens() -> None:
    # the worked example of the Global Release Identifier (GRid), which uses the same check
    assert check_character("A12425GABC1234002") == "M"
    assert check_character("A-12425-GABC1234002") == "M"


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("H100-S080-C-NV-VM-OD-US-8", "is '8' and would be '7'"),
        ("H900-S080-C-NV-VM-OD-US-7", "'H900' is no chip"),
        ("H100-Q080-C-NV-VM-OD-US-7", "'Q080' is no form and memory"),
        ("H100-S80-C-NV-VM-OD-US-7", "three digits of GB"),
        ("H100-S800-C-NV-VM-OD-US-7", "comes with 080 or 094 GB"),
        ("H100-S080-G-NV-VM-OD-US-7", "'G' is no lot"),
        ("H100-S080-C-XX-VM-OD-US-7", "'XX' is no fabric"),
        ("H100-S080-C-NV-XX-OD-US-7", "'XX' is no scope"),
        ("H100-S080-C-NV-VM-4Y-US-7", "'4Y' is no term"),
        ("H100-S080-C-NV-VM-OD-UK-7", "'UK' is no ISO 3166 country"),
        ("H100-S080-C-NV-VM-OD-US-7.T5", "'T5' is no bucket"),
        ("H100-S080-C-NV-VM-OD-US-7@1", "'1' is no version"),
        ("", "8 parts"),
    ],
)
def test_a_wrong_code_is_told_what_is_wrong(code: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        parse_code(code)


def test_bucket_and_version_stand_behind_the_code() -> None:
    parsed = parse_code("h100-y080-y-yy-yy-od-yy-j.t12@2026.1")
    assert (parsed.bucket, parsed.version, parsed.code) == ("T12", "2026.1", "H100-Y080-Y-YY-YY-OD-YY-J")
    assert str(parsed) == "H100-Y080-Y-YY-YY-OD-YY-J.T12@2026.1"
    assert str(parse_code("H100-Y080-Y-YY-YY-OD-YY-J.ALL")) == "H100-Y080-Y-YY-YY-OD-YY-J"


def test_each_axis_is_told_in_words() -> None:
    words = describe(parse_code("H100-S080-C-NV-VM-OD-US-7"))
    assert words == {
        "chip": "NVIDIA H100",
        "form_memory": "SXM module, 80 GB",
        "lot": "one full node",
        "fabric": "NVLink inside the node",
        "scope": "virtual machine",
        "term": "on demand",
        "place": "United States",
        "bucket": "all operators",
    }
    assert describe(parse_code("H100-Y080-Y-YY-YY-OD-YY-J.T1"))["place"] == "any place"
    observed = parse_code(format_code("H100", "S000", "Z", "ZZ", "ZZ", "ZZ", "XE"))
    assert describe(observed)["form_memory"] == "SXM module, memory not stated"
    assert describe(observed)["place"].startswith("Europe")
