"""The seven axes: what words decide, by which rule, and what they leave open."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grades.axes import AXES, StatedWords, decide, lot_band
from grades.explanations import rules
from grades.lexicon import lexicon


def words(**given: object) -> StatedWords:
    defaults: dict[str, object] = {"source_id": "vast", "operator_id": "vast"}
    return StatedWords(**(defaults | given))  # type: ignore[arg-type]


def axis(name: str, **given: object) -> tuple[str, str]:
    found = getattr(decide(words(**given)), name)
    return found.code, found.rule


@pytest.mark.parametrize(
    ("chip_text", "form_text", "memory", "code", "rule"),
    [
        ("H100 SXM", None, "79.647", "S080", "form.name+memory.stated"),
        ("h100", None, "80", "Z080", "form.not_stated+memory.stated"),
        ("h100", None, None, "Z000", "form.not_stated+memory.not_stated"),
        ("H100", "HGX", "80", "S080", "form.stated+memory.stated"),
        ("H100", "OAM", "80", "Z080", "form.not_made+memory.stated"),
        ("H100 SXM", "PCIe", "80", "Z080", "form.conflict+memory.stated"),
        # memory rules: 94 GB is the NVL card, 141 GB never a PCIe card
        ("h100", None, "94", "N094", "form.rule_94_is_nvl+memory.stated"),
        ("H200", "PCIe", "141", "Z141", "form.rule_141_not_pcie+memory.stated"),
        # a stated form stands; a memory it does not come with is not believed
        ("h100-nvl", None, "80", "N000", "form.name+memory.contradicts_form"),
        ("H100 SXM", None, "94", "S000", "form.name+memory.contradicts_form"),
        ("NVIDIA H200", None, "7", "Z000", "form.not_stated+memory.contradicts_chip"),
        ("a100-sxm-80", None, "40", "S000", "form.name+memory.conflict"),
        ("A100 PCIE", None, "40", "P040", "form.name+memory.stated"),
        ("A100 PCIE", None, "80", "P080", "form.name+memory.stated"),
        ("A100 SXM4", None, None, "S000", "form.name+memory.not_stated"),
        # sellers' numbers for one part
        ("b200", None, "192", "S180", "form.only_one+memory.stated"),
        ("b200", None, "183", "S180", "form.only_one+memory.stated"),
        ("b300", None, "262", "S288", "form.only_one+memory.stated"),
        ("H200 NVL", None, "143", "N141", "form.name+memory.stated"),
        ("L40S", None, "44.988", "P048", "form.only_one+memory.stated"),
        ("h200", None, None, "Z141", "form.not_stated+memory.only_one"),
        # cards rebuilt with twice the memory are another thing, and no name says it
        ("RTX 4090", None, "47.988", "C048", "form.only_one+memory.stated"),
        ("RTX 4090", None, "22.488", "C024", "form.only_one+memory.stated"),
        ("RTX 4090", None, None, "C024", "form.only_one+memory.only_one"),
        ("gh200", None, "96", "Z096", "form.only_one+memory.stated"),
        ("GB200 NVL72", None, None, "R186", "form.only_one+memory.only_one"),
        ("H100_80GB", "SXM5", None, "S080", "form.name+memory.name"),
    ],
)
def test_form_and_memory(
    chip_text: str, form_text: str | None, memory: str | None, code: str, rule: str
) -> None:
    memory_gb = Decimal(memory) if memory else None
    assert axis("form_memory", chip_text=chip_text, form_text=form_text, memory_gb=memory_gb) == (code, rule)


def test_memory_is_read_from_a_plain_text_where_there_is_no_number() -> None:
    assert axis("form_memory", chip_text="h100", memory_text="80GB")[0] == "Z080"
    assert axis("form_memory", chip_text="h100", memory_text="about 80")[0] == "Z000"


def test_a_chip_that_is_not_named_or_not_known_is_not_stated() -> None:
    assert axis("chip") == ("ZZ", "chip.not_stated")
    assert axis("chip", chip_text="  ") == ("ZZ", "chip.not_stated")
    assert axis("chip", chip_text="Compute - GPU - E3") == ("ZZ", "chip.unknown_name")


def test_a_part_of_a_gpu_has_neither_form_nor_lot() -> None:
    sliced = {"chip_text": "rtx-pro-6000", "memory_gb": Decimal(96), "gpu_count": Decimal("0.125")}
    assert axis("form_memory", **sliced) == ("Z000", "form_memory.slice_of_gpu")
    assert axis("lot", **sliced) == ("Z", "lot.slice_of_gpu")
    assert axis("chip", **sliced)[0] == "RTXPRO6000"


@pytest.mark.parametrize(
    ("gpus", "lot"),
    [(1, "A"), (2, "B"), (4, "B"), (7, "B"), (8, "C"), (15, "C"), (16, "D"), (127, "D"), (128, "E"),
     (1023, "E"), (1024, "F")],
)  # fmt: skip
def test_lot_bands(gpus: int, lot: str) -> None:
    assert lot_band(lexicon(), gpus) == lot
    assert axis("lot", chip_text="h100", gpu_count=Decimal(gpus)) == (lot, "lot.instance_size")


@pytest.mark.parametrize(("gpus", "lot"), [(1, "A"), (3, "B"), (4, "C"), (8, "D"), (72, "D"), (144, "E")])
def test_a_tray_of_an_nvl72_rack_is_a_full_node(gpus: int, lot: str) -> None:
    assert axis("lot", chip_text="gb200", gpu_count=Decimal(gpus))[0] == lot


def test_lot_is_the_smallest_number_the_price_can_be_bought_for() -> None:
    assert axis("lot", lot_min_gpus=8) == ("C", "lot.stated_minimum")
    assert axis("lot", lot_min_gpus=1, lot_max_gpus=8) == ("A", "lot.stated_minimum")
    assert axis("lot", lot_min_gpus=4, lot_max_gpus=4, gpu_count=Decimal(4)) == ("B", "lot.stated")
    # a price for one GPU says nothing of the number rented
    assert axis("lot", gpu_count=Decimal(8), is_per_gpu=True) == ("Z", "lot.not_stated")
    assert axis("lot", gpu_count=Decimal("1.5")) == ("Z", "lot.not_whole")
    assert axis("lot") == ("Z", "lot.not_stated")


def test_only_a_stated_single_gpu_has_no_fabric() -> None:
    assert axis("fabric", lot_min_gpus=1) == ("NA", "fabric.single_gpu")
    assert axis("fabric") == ("ZZ", "fabric.not_stated")
    assert axis("fabric", chip_text="H100 SXM", lot_min_gpus=8) == ("ZZ", "fabric.not_stated")
    assert axis("fabric", lot_min_gpus=8, fabric_text="NVLink") == ("NV", "fabric.nvlink")
    assert axis("fabric", lot_min_gpus=16, fabric_text="InfiniBand") == ("IB", "fabric.infiniband")
    assert axis("fabric", lot_min_gpus=8, fabric_text="400 Gigabit") == ("ZZ", "fabric.unknown_word")


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"scope_text": "Virtual Machines"}, "VM"),
        ({"scope_text": "docker"}, "CT"),
        ({"scope_text": "bare-metal"}, "BM"),
        ({"scope_text": "managed Slurm"}, "MS"),
        ({"scope_text": "secure"}, "ZZ"),
        ({"scope_text": "Amazon Elastic Compute Cloud"}, "ZZ"),
        ({"scope_text": "docker", "term_text": "serverless"}, "MI"),
        ({"class_text": "serverless"}, "MI"),
        ({}, "ZZ"),
    ],
)
def test_scope(given: dict[str, object], code: str) -> None:
    assert axis("scope", **given)[0] == code


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"term_text": "on-demand"}, "OD"),
        ({"term_text": "secure"}, "OD"),
        ({"term_text": "community"}, "OD"),
        ({"class_text": "community"}, "OD"),
        ({"term_text": "spot"}, "SP"),
        ({"term_text": "Low Priority"}, "SP"),
        ({"term_text": "interruptible"}, "SP"),
        ({"term_text": "min_bid"}, "SP"),
        ({"term_text": "1 Year"}, "1Y"),
        ({"term_text": "3 Years"}, "3Y"),
        ({"term_text": "6 months"}, "6M"),
        # the class of offer is asked only where the term says nothing
        ({"term_text": "spot", "class_text": "Consumption"}, "SP"),
        ({"term_text": "serverless", "class_text": "serverless"}, "ZZ"),
        ({"term_text": "reserved"}, "ZZ"),
        ({}, "ZZ"),
    ],
)
def test_term(given: dict[str, object], code: str) -> None:
    assert axis("term", **given)[0] == code


@pytest.mark.parametrize(
    ("source_id", "operator_id", "text", "code", "rule"),
    [
        ("vast", "vast", "Texas, US", "US", "place.country_suffix"),
        ("vast", "vast", ", RU", "RU", "place.country_suffix"),
        ("vast", "vast", "British Columbia, CA", "CA", "place.country_suffix"),
        ("vast", "vast", "Georgia, US", "US", "place.country_suffix"),
        # two letters that are a country and a state of the US alike
        ("other", "lambda", "Los Angeles, CA", "ZZ", "place.country_or_state"),
        ("other", "lambda", "Georgia", "ZZ", "place.unknown_name"),
        ("azure", "azure", "uksouth", "GB", "place.region"),
        ("focus", "aws", "US East (N. Virginia)", "US", "place.region_name"),
        ("other", "aws", "uksouth", "ZZ", "place.unknown_name"),
        ("other", "vultr", "ewr", "ZZ", "place.region_uncited"),
        ("other", "gcp", "Worldwide", "ZZ", "place.not_one_country"),
        ("other", "genesis", "Iceland, Norway", "ZZ", "place.not_one_country"),
        ("other", "leafcloud", "Netherlands", "NL", "place.country_name"),
        ("other", "lambda", "Texas, USA", "US", "place.country_name_suffix"),
        ("other", "lambda", "FR", "FR", "place.country_code"),
        ("other", "lambda", None, "ZZ", "place.not_stated"),
    ],
)
def test_place(source_id: str, operator_id: str, text: str | None, code: str, rule: str) -> None:
    found = axis("place", source_id=source_id, operator_id=operator_id, place_text=text)
    assert found == (code, rule)


_text = st.one_of(
    st.none(), st.text(max_size=12), st.sampled_from(["h100", "H100 SXM", "spot", "docker", "US", "PCIe"])
)
_words = st.builds(
    StatedWords,
    source_id=st.sampled_from(["vast", "azure"]),
    operator_id=st.sampled_from(["vast", "azure"]),
    chip_text=_text,
    form_text=_text,
    memory_gb=st.one_of(st.none(), st.decimals(1, 400, places=2)),
    gpu_count=st.one_of(st.none(), st.decimals("0.01", 2000, places=2)),
    lot_min_gpus=st.one_of(st.none(), st.integers(1, 2000)),
    fabric_text=_text,
    scope_text=_text,
    term_text=_text,
    place_text=_text,
    class_text=_text,
)


@given(_words)
def test_any_words_give_codes_of_the_tables_and_rules_that_are_explained(given_words: StatedWords) -> None:
    decided = decide(given_words)
    table = lexicon().axes
    assert decided.lot.code in {word.code for word in table.lot}
    assert decided.scope.code in {word.code for word in table.scope} - {"YY"}
    assert decided.term.code in {word.code for word in table.term} - {"YY"}
    assert decided.chip.code == "ZZ" or decided.chip.code in lexicon().chips
    for name in AXES:
        assert all(part in rules() for part in getattr(decided, name).rule.split("+"))
