from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from gpurent.core.clock import at_utc
from gpurent.core.errors import CheckFailedError, ConfigError, EditionDiffersError
from gpurent.publish.edition import Edition, next_vintage, write_edition
from gpurent.publish.sample_key import sample_key
from gpurent.publish.tables import rounded
from tests.publish import synthetic_market as market
from warehouse import Warehouse

KEY = ("desk", Ed25519PrivateKey.from_private_bytes(bytes(range(32))))


@pytest.fixture
def warehouse(template: Path, tmp_path: Path) -> Iterator[Warehouse]:
    with market.copy_of(template, tmp_path / "w.duckdb") as made:
        yield made


def publish(warehouse: Warehouse, out: Path, day: int = 0, vintage: str = "1", **more: object) -> Edition:
    chosen = market.DAYS[day]
    return write_edition(
        warehouse,
        out,
        day=chosen,
        vintage=vintage,
        construction="live",
        published_at=at_utc(chosen, 33),
        **{"key": KEY, **more},  # type: ignore[arg-type]
    )


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_bytes().decode(), newline="")))


def test_an_edition_has_the_files_of_its_manifest_and_no_others(warehouse: Warehouse, tmp_path: Path) -> None:
    edition = publish(warehouse, tmp_path / "out")
    assert edition.path == tmp_path / "out/2026-07-13/v1"
    assert edition.is_new
    names = {path.name for path in edition.path.iterdir()}
    assert names == {
        "reference_prices.json",
        *(
            f"{table}.{kind}"
            for table in ("reference_prices", "voices", "contributions", "exclusions")
            for kind in ("csv", "parquet")
        ),
        "rationale.md",
        "methodology.toml",
        "manifest.json",
        "manifest.sig",
    }
    manifest = json.loads((edition.path / "manifest.json").read_bytes())
    assert set(manifest["files"]) == names - {"manifest.json", "manifest.sig"}
    assert (manifest["sequence_number"], manifest["previous_sha256"]) == (1, None)
    assert {capture["source_id"] for capture in manifest["inputs"]["captures"]} == {
        "open_list",
        "closed_list",
    }
    assert json.loads((tmp_path / "out/latest.json").read_bytes())["path"] == "2026-07-13/v1"


def test_editions_are_chained_in_publication_order_and_recorded(warehouse: Warehouse, tmp_path: Path) -> None:
    first, second = (publish(warehouse, tmp_path / "out", day) for day in (0, 1))
    assert (second.sequence_number, second.previous_sha256) == (2, first.manifest_sha256)
    recorded = warehouse.rows(
        "SELECT path, manifest_sha256, previous_sha256 FROM editions ORDER BY sequence_number"
    )
    assert recorded == [
        ("2026-07-13/v1", first.manifest_sha256, None),
        ("2026-07-14/v1", second.manifest_sha256, first.manifest_sha256),
    ]


def test_the_same_market_gives_the_same_bytes_with_any_number_of_threads(tmp_path: Path) -> None:
    trees = []
    for threads in (1, 2, 4):
        folder = tmp_path / str(threads)
        with market.make(folder / "w.duckdb", threads=threads) as warehouse:
            for day in range(3):
                publish(warehouse, folder / "out", day)
        trees.append(tree(folder / "out"))
    assert trees[0] == trees[1] == trees[2]
    assert len(trees[0]) == 3 * 13 + 1


def test_publishing_again_writes_nothing(warehouse: Warehouse, tmp_path: Path) -> None:
    first = publish(warehouse, tmp_path / "out")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*")}
    again = publish(warehouse, tmp_path / "out")
    assert not again.is_new
    assert again.manifest_sha256 == first.manifest_sha256
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*")} == before
    assert warehouse.rows("SELECT count(*) FROM editions") == [(1,)]


def test_other_content_needs_a_reason_and_becomes_the_next_vintage(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    out, day = tmp_path / "out", market.DAYS[0]
    publish(warehouse, out)
    before = tree(out)
    market.derive(warehouse, day, "2", factor="1.02")
    with pytest.raises(
        EditionDiffersError, match=r"2026-07-13/v1: an edition of 2026-07-13 is there .* --vintage"
    ):
        publish(warehouse, out, vintage="2")
    assert tree(out) == before
    second = publish(warehouse, out, vintage="2", reason="seller corrected its list")
    assert second.path.name == "v2"
    assert {name: body for name, body in tree(out).items() if "/v1/" in name} == {
        name: body for name, body in before.items() if "/v1/" in name
    }
    manifest = json.loads((second.path / "manifest.json").read_bytes())
    assert manifest["vintage_reason"] == "seller corrected its list"
    assert json.loads((out / "latest.json").read_bytes())["path"] == "2026-07-13/v2"
    assert next_vintage(warehouse, out, day) == "3"


def test_the_same_content_under_another_vintage_is_the_edition_that_is_there(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    first = publish(warehouse, tmp_path / "out")
    market.derive(warehouse, market.DAYS[0], "2")
    again = publish(warehouse, tmp_path / "out", vintage="2", reason="asked for")
    assert (again.is_new, again.vintage, again.manifest_sha256) == (False, "1", first.manifest_sha256)


def test_a_rebuilt_warehouse_that_computes_something_else_gets_the_next_vintage(
    warehouse: Warehouse, template: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    publish(warehouse, out)
    with market.copy_of(template, tmp_path / "rebuilt" / "w.duckdb") as other:
        other.connection.execute("DELETE FROM exclusions")
        with pytest.raises(EditionDiffersError):
            publish(other, out)
        second = publish(other, out, reason="rebuilt from the archive")
        assert (second.vintage, second.sequence_number) == ("2", 2)
        vintages = other.rows(
            "SELECT DISTINCT vintage FROM reference_prices WHERE day = $1 ORDER BY 1", [market.DAYS[0]]
        )
        assert vintages == [("1",), ("2",)]
        assert other.rows("SELECT path FROM editions ORDER BY sequence_number") == [
            ("2026-07-13/v1",),
            ("2026-07-13/v2",),
        ]


def test_an_edition_that_was_renamed_but_not_recorded_is_recorded(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    publish(warehouse, out)
    second = publish(warehouse, out, 1)
    warehouse.connection.execute("DELETE FROM editions WHERE sequence_number = 2")
    (out / "latest.json").unlink()
    before = tree(out)
    third = publish(warehouse, out, 2)
    assert third.previous_sha256 == second.manifest_sha256
    assert warehouse.rows("SELECT count(*), max(sequence_number) FROM editions") == [(3, 3)]
    assert {name: body for name, body in tree(out).items() if name in before} == before


def test_a_lost_pointer_is_set_again_and_a_half_written_folder_is_cleared(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    publish(warehouse, out)
    before = tree(out)
    (out / "latest.json").unlink()
    (out / ".writing-2026-07-14-v1").mkdir()
    (out / ".writing-2026-07-14-v1" / "voices.csv").write_text("half")
    assert not publish(warehouse, out).is_new
    assert tree(out) == before


def test_a_recorded_edition_whose_folder_is_gone_is_written_again_as_it_was(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    publish(warehouse, out)
    publish(warehouse, out, 1)
    before = tree(out)
    for path in (out / "2026-07-13/v1").iterdir():
        path.unlink()
    (out / "2026-07-13/v1").rmdir()
    assert publish(warehouse, out).is_new
    assert tree(out) == before
    for path in (out / "2026-07-13/v1").iterdir():
        path.unlink()
    (out / "2026-07-13/v1").rmdir()
    with pytest.raises(CheckFailedError, match="signed with desk"):
        publish(warehouse, out, key=None)


def test_an_edition_changed_on_disk_is_named_and_not_covered_up(warehouse: Warehouse, tmp_path: Path) -> None:
    edition = publish(warehouse, tmp_path / "out")
    path = edition.path / "voices.csv"
    path.write_bytes(path.read_bytes().replace(b"2.1", b"2.2"))
    with pytest.raises(CheckFailedError, match=r"2026-07-13/v1/voices\.csv"):
        publish(warehouse, tmp_path / "out")


def test_cells_that_a_spreadsheet_would_run_are_made_harmless(warehouse: Warehouse, tmp_path: Path) -> None:
    edition = publish(warehouse, tmp_path / "out")
    owners = {row["owner_group"] for row in rows(edition.path / "voices.csv")}
    assert f"'{market.FORMULA}" in owners
    assert market.FORMULA not in owners
    parquet = duckdb.sql(f"SELECT owner_group FROM '{edition.path / 'voices.parquet'}'").fetchall()
    assert (market.FORMULA,) in parquet


def test_a_price_that_may_not_be_redistributed_is_a_numbered_voice(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    edition = publish(warehouse, tmp_path / "out")
    for body in tree(edition.path).values():
        assert market.HIDDEN.encode() not in body
        assert b"closed_list.example" not in body
    numbered = [row for row in rows(edition.path / "voices.csv") if row["owner_group"] == "voice-1"]
    assert [(row["grade_id"], row["usd_per_gpu_hour"], row["routes"]) for row in numbered] == [
        ("gr_h100", "2.950000000", "")
    ]
    moved = {
        row["owner_group"] for row in rows(edition.path / "contributions.csv") if row["grade_id"] == "gr_h100"
    }
    assert moved == {"voice-1", f"'{market.FORMULA}", "alpha_cloud", "beta_gpu", "gamma_hpc", "delta_compute"}


def test_confidential_trades_show_neither_rows_nor_what_rests_on_them(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    warehouse.connection.execute("UPDATE voices SET is_public = FALSE WHERE leg = 'traded'")
    warehouse.connection.execute("UPDATE contributions SET is_public = FALSE WHERE leg = 'traded'")
    warehouse.connection.execute(
        "UPDATE trades SET is_confidential = TRUE "
        "WHERE trade_id = (SELECT min(trade_id) FROM trades WHERE CAST(traded_at AS DATE) = $1)",
        [market.DAYS[0]],
    )
    edition = publish(warehouse, tmp_path / "out")
    price = next(
        row for row in rows(edition.path / "reference_prices.csv") if row["grade_id"] == "gr_b200_neo"
    )
    assert (price["status"], price["reason_code"], price["level"]) == ("withheld", "confidential_trades", "6")
    assert (
        price["reference_usd_per_gpu_hour"] == price["traded_usd_per_gpu_hour"] == price["trade_count"] == ""
    )
    assert not [row for row in rows(edition.path / "voices.csv") if row["leg"] == "traded"]
    assert not [row for row in rows(edition.path / "contributions.csv") if row["leg"] == "traded"]
    inputs = json.loads((edition.path / "manifest.json").read_bytes())["inputs"]
    ((confidential,),) = warehouse.rows("SELECT capture_id FROM trades WHERE is_confidential")
    assert confidential not in {capture["capture_id"] for capture in inputs["captures"]}
    assert inputs["confidential_captures"] == 1


def test_numbers_are_rounded_half_even_to_the_dictionarys_decimals() -> None:
    finer = pa.table(
        {
            "reference_usd_per_gpu_hour": pa.array(
                [Decimal("2.000050000"), Decimal("2.000150000"), Decimal("2.000150001"), None],
                pa.decimal128(18, 9),
            )
        }
    )
    published = rounded("reference_prices", finer).column(0)
    assert published.type == pa.decimal128(18, 4)
    assert [str(value) for value in published.to_pylist()] == ["2.0000", "2.0002", "2.0002", "None"]


def test_the_three_forms_of_the_prices_hold_the_same_numbers(warehouse: Warehouse, tmp_path: Path) -> None:
    edition = publish(warehouse, tmp_path / "out")
    price = next(row for row in rows(edition.path / "reference_prices.csv") if row["grade_id"] == "gr_h200")
    assert price["reference_usd_per_gpu_hour"] == "3.4205"
    assert price["reference_log"] == "1.229795606157"
    document = json.loads((edition.path / "reference_prices.json").read_bytes())
    found = next(row for row in document["reference_prices"] if row["grade_id"] == "gr_h200")
    assert (found["reference_usd_per_gpu_hour"], found["reference_log"]) == (3.4205, 1.229795606157)
    stored = duckdb.sql(
        f"SELECT reference_usd_per_gpu_hour, typeof(reference_usd_per_gpu_hour) "
        f"FROM '{edition.path / 'reference_prices.parquet'}' WHERE grade_id = 'gr_h200'"
    ).fetchall()
    assert [(str(value), kind) for value, kind in stored] == [("3.4205", "DECIMAL(18,4)")]


def test_parquet_tells_units_and_no_time_of_writing(warehouse: Warehouse, tmp_path: Path) -> None:
    edition = publish(warehouse, tmp_path / "out")
    facts = {
        key.decode(): value.decode()
        for key, value in duckdb.sql(
            f"SELECT key, value FROM parquet_kv_metadata('{edition.path / 'voices.parquet'}')"
        ).fetchall()
    }
    columns = json.loads(facts["gpurent.columns"])
    assert columns["usd_per_gpu_hour"]["unit"] == "USD / gpu / hour"
    assert facts["gpurent.day"] == "2026-07-13"


def test_everything_made_from_the_sample_says_so(warehouse: Warehouse, tmp_path: Path) -> None:
    edition = publish(warehouse, tmp_path / "out", is_sample=True, key=sample_key())
    assert edition.is_sample
    bodies = tree(edition.path)
    for name, body in bodies.items():
        if name not in {"manifest.sig", "methodology.toml"}:
            assert b"SAMPLE" in body, name
    assert {row["notice"] for row in rows(edition.path / "voices.csv")} == {"SAMPLE"}


def test_the_rationale_says_in_words_what_decided_and_who_was_left_out(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    text = (publish(warehouse, tmp_path / "out").path / "rationale.md").read_text()
    assert "Reference **2.6469**, indicative (level 4)" in text
    assert "1 offer of beta\\_gpu: not verified for more than seven days (`stale`)." in text
    assert "Delta\\_compute stands at its last accepted price." in text
    assert "- Short of level 3 (advertised): " in text
    assert "voice-1, voice-2 and so on: a voice whose source does not allow its price to be shown" in text
    assert "Fewer than three owner groups offer it (1): `MI300X-Y192-Y-YY-YY-OD-YY-C.ALL`." in text


def test_a_day_that_was_not_computed_is_refused_with_what_to_do(warehouse: Warehouse, tmp_path: Path) -> None:
    with pytest.raises(CheckFailedError, match="gpurent index --from 2026-07-13 --to 2026-07-13"):
        publish(warehouse, tmp_path / "out", vintage="7")
    with pytest.raises(ConfigError, match="vintage 'final'"):
        publish(warehouse, tmp_path / "out", vintage="final")
