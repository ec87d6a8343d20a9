"""The register of sources: complete, cited, overlaid field by field, and recorded once a change."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from collectors.instances import instance_types, key
from collectors.registry import load_sources, record_live_success, source, source_records, sync_sources
from gpurent.core.clock import RecordedClock
from gpurent.core.errors import ConfigError, NotFoundError
from warehouse.store import Warehouse

RECORDED = "SELECT first_live_success, record_sha256 FROM sources WHERE source_id = 'vast' ORDER BY known_at"


# what may be shown price by price is what a licence says; everything else counts in aggregates alone
LICENSED = {
    "aws_history": "MIT",
    "ccir": "CC-BY-4.0",
    "fsdl": "MIT",
    "google_calculator": "Apache-2.0",
    "gpurentalprices": "CC-BY-4.0",
    "prime_intellect": "MIT",
}
STATED = {
    "aws": "virtual server",
    "aws_history": "virtual server",
    "aws_p5_daily": "virtual server",
    "azure": "Virtual Machines",
    "google_calculator": "Virtual Machines",
    "ovhcloud": "Virtual Machines",
    "prime_intellect": None,
    "runpod": "pod",
    "scaleway": "Virtual Machines",
    "vast": "docker",
}


def test_the_sources_are_there_with_their_rights() -> None:
    records = load_sources()
    assert len(records) >= 12
    allowed = {name for name, record in records.items() if record.redistribution == "allowed"}
    assert allowed <= LICENSED.keys() | {"ecb"}
    for name in allowed - {"ecb"}:
        assert (records[name].licence, bool(records[name].attribution)) == (LICENSED[name], True)
    assert records["focus"].redistribution == "aggregates_only"


def test_nothing_is_claimed_to_have_been_read_that_was_not() -> None:
    for record in load_sources().values():
        assert record.terms_checked_on is None
        assert record.robots_checked_on is None
        assert record.first_live_success is None
        assert "not read" in record.terms_note or record.is_file_only
        assert record.fixture_origin == "rendered"


def test_what_a_source_says_of_all_its_rows_is_cited() -> None:
    words = {name: record.stated("scope_text") for name, record in load_sources().items()}
    assert {name: word for name, word in words.items() if name in STATED} == STATED
    for record in load_sources().values():
        for statement in record.states.values():
            assert statement.url.startswith("https://")
            assert statement.stated_on <= date(2026, 12, 1)


def test_an_overlay_changes_single_fields_and_names_its_faults(tmp_path: Path) -> None:
    folder = tmp_path / "sources"
    folder.mkdir()
    (folder / "vast.toml").write_text("cadence_hours = 1\n", encoding="utf-8")
    changed = load_sources(tmp_path)["vast"]
    assert (changed.cadence_hours, changed.title) == (1, load_sources()["vast"].title)
    (folder / "vast.toml").write_text('cadence_hours = "often"\n', encoding="utf-8")
    with pytest.raises(ConfigError, match=r"sources/vast\.toml: cadence_hours"):
        load_sources(tmp_path)
    (folder / "vast.toml").write_text("cadence_hours = \n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"vast\.toml"):
        load_sources(tmp_path)


def test_an_overlay_that_is_not_there_is_none(tmp_path: Path) -> None:
    assert load_sources(tmp_path / "nowhere") == load_sources()


def test_an_unknown_source_is_told_which_there_are() -> None:
    with pytest.raises(NotFoundError, match="sources are: aws, aws_history, aws_p5_daily, azure"):
        source(load_sources(), "nobody")


def test_rows_have_the_columns_of_the_table(warehouse: Warehouse) -> None:
    columns = set(warehouse.schema("sources").names) - {"known_at"}
    for row in source_records(load_sources().values()):
        assert set(row) == columns


def test_a_record_is_appended_once_a_change_and_keeps_its_first_success(
    warehouse: Warehouse, clock: RecordedClock
) -> None:
    record = load_sources()["vast"]
    assert sync_sources(warehouse, [record]) == 1
    assert sync_sources(warehouse, [record]) == 0
    clock.advance_to(datetime(2026, 12, 1, tzinfo=UTC))
    assert record_live_success(warehouse, record, date(2026, 12, 1)) is True
    assert record_live_success(warehouse, record, date(2026, 12, 2)) is False
    clock.advance_to(datetime(2026, 12, 3, tzinfo=UTC))
    assert sync_sources(warehouse, [record.model_copy(update={"cadence_hours": 1})]) == 1
    assert [success for success, _ in warehouse.rows(RECORDED)] == [
        None,
        date(2026, 12, 1),
        date(2026, 12, 1),
    ]


@pytest.mark.parametrize("cloud", ["aws", "azure", "oracle"])
def test_every_instance_type_is_cited(cloud: str) -> None:
    for found in instance_types(cloud).values():
        assert found.url.startswith("https://")
        assert found.observed_on <= date(2026, 12, 1)
        assert found.gpu_count > 0


@pytest.mark.parametrize("name", ["Standard_NC40ads_H100_v5", "NC40adsH100v5", "nc40ads_h100_v5"])
def test_a_size_is_found_however_it_is_spelled(name: str) -> None:
    found = instance_types("azure")[key(name)]
    assert (found.gpu_count, found.chip_text, found.form_text, found.memory_gb) == (1, "H100", "NVL", 94)


def test_sizes_of_one_family_keep_their_counts_and_slices_are_known() -> None:
    azure = instance_types("azure")
    counts = {
        name: azure[key(f"Standard_{name}_A100_v4")].gpu_count for name in ("NC24ads", "NC48ads", "NC96ads")
    }
    assert counts == {"NC24ads": 1, "NC48ads": 2, "NC96ads": 4}
    assert azure[key("Standard_NV6ads_A10_v5")].is_slice
    assert not azure[key("Standard_NV36ads_A10_v5")].is_slice
    assert azure[key("Standard_ND96asr_v4")].memory_gb == 40
    assert azure[key("Standard_ND96amsr_A100_v4")].memory_gb == 80


def test_a_cloud_without_a_table_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"no table gcp\.csv"):
        instance_types("gcp")
