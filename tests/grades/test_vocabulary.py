"""The vocabulary: what it holds, that no name means two things, and that every fact names its source."""

from __future__ import annotations

from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpurent.core.errors import ConfigError
from grades.lexicon import _chip_names, lexicon, read_toml
from grades.text import key, without_vendor
from grades.words import ChipsFile, Origin, OriginsFile

# the ids of gpurentalprices.com, 2026-07-07 to 2026-08-15: id → chip, form, memory in GB as the name says them
GPURENTALPRICES = {
    "a10": ("A10", None, None), "a100": ("A100", None, 80), "a100-pcie-40": ("A100", "P", 40),
    "a100-pcie-80": ("A100", "P", 80), "a100-sxm-40": ("A100", "S", 40), "a100-sxm-80": ("A100", "S", 80),
    "a30": ("A30", None, None), "a40": ("A40", None, None), "b200": ("B200", None, None),
    "b300": ("B300", None, None), "gb200": ("GB200", None, None), "gb300": ("GB300", None, None),
    "gh200": ("GH200", None, None), "h100": ("H100", None, None), "h100-nvl": ("H100", "N", None),
    "h100-pcie": ("H100", "P", None), "h100-sxm": ("H100", "S", None), "h200": ("H200", None, None),
    "h200-nvl": ("H200", "N", None), "l4": ("L4", None, None), "l40": ("L40", None, None),
    "l40s": ("L40S", None, None), "mi300x": ("MI300X", None, None), "mi325x": ("MI325X", None, None),
    "mi350x": ("MI350X", None, None), "mi355x": ("MI355X", None, None),
    "quadro-rtx-5000": ("QRTX5000", None, None), "quadro-rtx-6000": ("QRTX6000", None, None),
    "rtx-3090": ("RTX3090", None, None), "rtx-3090-ti": ("RTX3090TI", None, None),
    "rtx-4090": ("RTX4090", None, None), "rtx-5080": ("RTX5080", None, None),
    "rtx-5090": ("RTX5090", None, None), "rtx-6000-ada": ("RTX6000ADA", None, None),
    "rtx-a4000": ("RTXA4000", None, None), "rtx-a5000": ("RTXA5000", None, None),
    "rtx-a6000": ("RTXA6000", None, None), "rtx-pro-4500": ("RTXPRO4500", None, None),
    "rtx-pro-6000": ("RTXPRO6000", None, None), "rtx-pro-6000-maxq": ("RTXPRO6000Q", None, None),
    "rtx-pro-6000-server": ("RTXPRO6000S", None, None), "rtx-pro-6000-wk": ("RTXPRO6000W", None, None),
    "t4": ("T4", None, None), "v100": ("V100", None, 16), "v100-pcie": ("V100", "P", None),
    "v100-sxm2": ("V100", "S", None),
}  # fmt: skip


@pytest.mark.parametrize(("name", "means"), GPURENTALPRICES.items())
def test_every_gpurentalprices_id_is_read(name: str, means: tuple[str, str | None, int | None]) -> None:
    found = lexicon().chip_name("gpurentalprices", name)
    assert found is not None
    assert (found[0].chip, found[0].form, found[0].memory_gb) == means


@pytest.mark.parametrize(
    ("source_id", "name", "chip"),
    [
        # one name inside another is never taken for it
        ("any", "H20", "H20"),
        ("any", "L4", "L4"),
        ("any", "L40", "L40"),
        ("any", "A10", "A10"),
        ("any", "A10G", "A10G"),
        ("any", "GB200 NVL72", "GB200"),
        ("any", "NVIDIA RTX A6000", "RTXA6000"),
        ("any", "NVIDIA RTX 6000 Ada Generation", "RTX6000ADA"),
        # the same words mean different cards in different sources
        ("cloud_gpus_com", "rtx6000", "QRTX6000"),
        ("google_calculator", "rtx6000", "RTXPRO6000"),
    ],
)
def test_names_are_matched_whole(source_id: str, name: str, chip: str) -> None:
    found = lexicon().chip_name(source_id, name)
    assert found is not None
    assert found[0].chip == chip


@pytest.mark.parametrize(
    "name", ["rtx6000", "RTX 6000", "RTX 4000", "NVIDIA GPU", "H2000", "hb200", "A10 0", "1080", ""]
)
def test_ambiguous_and_unknown_names_are_not_read(name: str) -> None:
    assert lexicon().chip_name("any", name) is None


def test_the_vocabulary_holds_seventy_chips_and_their_figures_are_cited() -> None:
    chips = lexicon().chips
    assert len(chips) == 70
    for chip in chips.values():
        assert len({(v.form, v.memory_gb) for v in chip.variant}) == len(chip.variant), chip.chip
        for variant in chip.variant:
            figures = (variant.bandwidth_gb_s, variant.bf16_tflops, variant.fp8_tflops, variant.tdp_w)
            has_figures = any(figures) or bool(variant.memory_type or variant.launched)
            assert not has_figures or (variant.sources and variant.read_on), f"{chip.chip} {variant.form}"


def test_figures_of_the_h100_are_those_of_its_form() -> None:
    forms = {variant.form: variant for variant in lexicon().variants("H100")}
    assert (forms["S"].memory_gb, forms["S"].bandwidth_gb_s, forms["S"].tdp_w) == (80, 3350, 700)
    assert (forms["P"].memory_gb, forms["P"].bandwidth_gb_s, forms["P"].tdp_w) == (80, 2040, 350)
    assert forms["N"].memory_gb == 94


def test_no_name_means_two_things_in_one_source() -> None:
    table = lexicon()
    by_key: dict[str, set[object]] = {}
    for name, meaning in table.exact_names.items():
        by_key.setdefault(key(name), set()).add(meaning)
    assert {name for name, meanings in by_key.items() if len(meanings) > 1} == set()
    # a source's own name may differ from the general one only by saying more of the same chip, or another chip
    # whose general name does not exist
    for source_id, names in table.names_in.items():
        for name, meaning in names.items():
            general = table.names.get(name)
            assert general is None or general.chip == meaning.chip, f"{source_id}: {name}"


def test_a_name_for_two_chips_is_refused_while_loading() -> None:
    body = files("grades").joinpath("vocabulary/chips.toml").read_text(encoding="utf-8")
    broken = body.replace('gpurentalprices = ["h200"]', 'gpurentalprices = ["h200", "h100"]', 1)
    chips = read_toml(broken.encode(), "chips.toml", ChipsFile).chip
    with pytest.raises(ConfigError, match="'h100' means both"):
        _chip_names(chips, {origin.id for origin in _origins()})


def _origins() -> list[Origin]:
    body = files("grades").joinpath("vocabulary/origins.toml").read_bytes()
    return list(read_toml(body, "origins.toml", OriginsFile).origin)


def test_a_slip_in_a_register_file_is_named() -> None:
    slip = b"""
    [[chip]]
    chip = "X1"
    vendor = "V"
    generation = "G"
    [[chip.variant]]
    form = "Q"
    memory_gb = 1
    """
    with pytest.raises(ConfigError, match=r"mine.toml: chip.0.variant.0.form"):
        read_toml(slip, "mine.toml", ChipsFile)
    with pytest.raises(ConfigError, match=r"mine.toml: Invalid value"):
        read_toml(b"chip = [", "mine.toml", ChipsFile)


def test_regions_lie_where_their_sources_say() -> None:
    regions = lexicon().regions
    assert regions["aws", key("us-east-1")].country == "US"
    assert regions["azure", key("uksouth")].country == "GB"
    assert regions["gcp", key("europe-west4")].country == "NL"
    assert regions["oracle", key("Global")].country is None
    # read somewhere that cannot be named: kept, and it counts for nothing
    assert regions["vultr", key("ewr")].basis == "uncited"


def test_country_groups_are_disjoint_and_made_of_countries() -> None:
    groups = {code: members for code, (_, members) in lexicon().groups.items()}
    assert groups.keys() == {"XE", "XN", "XA"}
    assert all(members <= lexicon().countries for members in groups.values())
    assert len(frozenset().union(*groups.values())) == sum(len(members) for members in groups.values())
    assert len(lexicon().countries) == 249


@given(st.text(max_size=20), st.sampled_from(["", " ", "-", "_", "  "]))
def test_case_and_separators_make_no_other_name(text: str, separator: str) -> None:
    assert key(text.upper().lower()) == key(text.lower())
    assert key(separator.join(["h", "100", "sxm"])) == "h100sxm"
    assert key(key(text)) == key(text)


def test_digits_are_never_joined_into_another_number() -> None:
    assert key("A10 0") != key("A100")
    assert key("A100 80GB") == key("a100-80gb") == "a100_80gb"
    assert without_vendor("NVIDIA GeForce RTX 4090") == "RTX 4090"
    assert without_vendor("RTX 4090") is None
