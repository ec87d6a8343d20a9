from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pytest

from gpurent.cli.values import read_instant
from gpurent.core.clock import RecordedClock, at_utc
from gpurent.core.errors import UsageError
from gpurent.core.ids import sha256_hex
from gpurent.publish.edition import write_edition
from grades.grade_code import ALPHABET, parse_code
from tests.cli.conftest import Call, in_a_process
from tests.publish import synthetic_market as market
from warehouse import open_warehouse
from warehouse.archive import open_archive
from warehouse.store import connect

H100 = "H100-Y080-Y-YY-YY-OD-YY-J"


@pytest.mark.parametrize(
    "tokens",
    [
        ("show", H100),
        ("explain", H100, "--day", "2026-07-15"),
        ("sql", "SELECT 1 AS one"),
        ("grade", "code", H100),
        ("grade", "list"),
        ("grade", "show", H100),
        ("source", "list"),
        ("source", "show", "vast"),
        ("operator", "list"),
        ("operator", "explain", "vast", "--scope", "CT"),
        ("config", "show"),
        ("doctor",),
        ("runs",),
        ("edition", "list"),
        ("verify", "--all"),
        ("public-file",),
        ("migrate",),
    ],
    ids=lambda tokens: "-".join(tokens[:2]) if isinstance(tokens, tuple) else None,
)
def test_with_json_standard_output_is_one_document(home: Path, tokens: tuple[str, ...]) -> None:
    ended = in_a_process(*tokens, "--json", cwd=home)
    assert ended.exit_code == 0, ended.err
    assert isinstance(ended.document, dict)
    assert ended.err == ""


def test_show_prints_the_columns_of_reference_prices(home: Path, call: Call) -> None:
    ended = call("show", H100, "--json")
    with open_warehouse(home / "gpurent.duckdb", read_only=True) as warehouse:
        columns = set(warehouse.schema("reference_prices").names)
    assert set(ended.document) == columns | {"grade_code", "grade_title", "notice"}
    assert ended.document["day"] == "2026-07-15"
    assert ended.document["reference_usd_per_gpu_hour"] == 2.7001
    assert ended.document["notice"] == "SAMPLE"


def test_show_takes_lower_case_a_bucket_and_a_day(home: Path, call: Call) -> None:
    one = call("show", "b200-y180-y-yy-yy-od-yy-t.neo", "--day", "2026-07-13", "--json").document
    assert (one["grade_id"], one["day"], one["label"]) == ("gr_b200_neo", "2026-07-13", "traded_only")
    all_operators = call("show", "B200-Y180-Y-YY-YY-OD-YY-T.ALL", "--json").document
    assert all_operators["grade_id"] == "gr_b200"


def test_show_as_of_shows_what_was_known_then(home: Path, call: Call) -> None:
    clock = RecordedClock(at_utc(market.DAYS[2], 40))
    with open_warehouse(home / "gpurent.duckdb", clock=clock) as warehouse:
        market.derive(warehouse, market.DAYS[2], "2", factor="1.1")
        warehouse.connection.execute(
            "UPDATE reference_prices SET published_at = $1 WHERE vintage = '2'", [at_utc(market.DAYS[2], 36)]
        )
    now = call("show", H100, "--json").document
    then = call("show", H100, "--as-of", "2026-07-16T12:00Z", "--json").document
    before = call("show", H100, "--as-of", "2026-07-15", "--json").document
    assert (now["vintage"], now["reference_usd_per_gpu_hour"]) == ("2", 2.9701)
    assert (then["vintage"], then["reference_usd_per_gpu_hour"]) == ("1", 2.7001)
    assert before["day"] == "2026-07-14"


def test_show_for_people_says_why_there_is_a_dash(home: Path, call: Call) -> None:
    text = call("show", H100).out
    lines = {" ".join(line.split()) for line in text.splitlines()}
    assert "reference 2.7001 USD per GPU-hour, advertised prices" in lines
    assert "change +1.00 %" in lines
    assert "letter - not computed by this version" in lines
    assert "traded - no trades in the window" in lines
    assert any(line.startswith("short of level 3 (advertised): ") for line in lines)
    assert any(line.endswith(" each same seller's own changes, averaged") for line in lines)
    assert any(" the trimmed mean over " in line for line in lines if line.startswith("same sellers"))
    assert text.startswith("SAMPLE")


def test_show_for_people_says_why_a_day_is_withheld(home: Path, call: Call) -> None:
    ended = call("show", "A100-Y080-Y-YY-YY-OD-YY-W")
    assert ended.exit_code == 0
    assert "withheld: only one owner group offers it" in ended.out
    assert "the only seller asks" in ended.out
    assert "1.3771" in ended.out


def test_show_refuses_a_valid_code_that_is_no_grade_here_and_a_day_without_values(
    home: Path, call: Call
) -> None:
    assert "no grade of this warehouse" in call("show", "H100-S080-C-NV-VM-OD-US-7").err
    ended = call("show", H100, "--day", "2020-01-01")
    assert ended.exit_code == 2
    assert "no value and no withheld day of 2020-01-01" in ended.err


def test_explain_leads_to_bytes_that_hold_the_price(home: Path, call: Call) -> None:
    document = call("explain", H100, "--day", "2026-07-15", "--json").document
    groups = {group["owner_group"]: group for group in document["advertised"]}
    assert set(groups) == set(market.GRADES[0].prices)
    for owner, group in groups.items():
        (item,) = group["items"]
        (offer,) = item["offers"]
        capture = offer["capture"]
        assert capture["is_intact"]
        assert Path(capture["archive_path"]).is_absolute()
        with open_warehouse(home / "gpurent.duckdb", read_only=True) as warehouse:
            body = open_archive(warehouse).read(capture["archive_file"], capture["archive_offset"]).body
        assert sha256_hex(body) == capture["sha256"]
        rows = json.loads(body)["rows"]
        stated = rows[offer["stated"]["stated_row_number"] - 1]
        assert stated["seller"] == owner
        assert Decimal(stated["usd_per_gpu_hour"]) == Decimal(str(group["voice"]["usd_per_gpu_hour"]))
        assert offer["axes"]["form_memory"] == {"value": "S080", "rule": "synthetic.form_memory"}


def test_explain_leads_from_the_traded_leg_to_the_report(home: Path, call: Call) -> None:
    code = "B200-Y180-Y-YY-YY-OD-YY-T.NEO"
    document = call("explain", code, "--day", "2026-07-15", "--json").document
    traded = {group["owner_group"]: group["trades"] for group in document["traded"]}
    assert set(traded) == {"alpha_cloud", "beta_gpu"}
    days = [trade["traded_at"][:10] for trade in traded["alpha_cloud"]]
    assert days == ["2026-07-13", "2026-07-14", "2026-07-15"]
    assert all(trade["capture"]["is_intact"] and trade["is_synthetic"] for trade in traded["alpha_cloud"])
    assert document["advertised"] == []


def test_explain_of_a_carried_day_leads_back_to_the_capture_it_came_from(home: Path, call: Call) -> None:
    with open_warehouse(home / "gpurent.duckdb") as warehouse:
        warehouse.connection.execute(
            "UPDATE items SET snapshot_day = $1, verified_age_days = 1 WHERE day = $2",
            [market.DAYS[1], market.DAYS[2]],
        )
    document = call("explain", H100, "--day", "2026-07-15", "--json").document
    fetched = {
        offer["capture"]["fetched_at"]
        for group in document["advertised"]
        for item in group["items"]
        for offer in item["offers"]
    }
    assert fetched == {"2026-07-14T04:00:00Z"}


def test_explain_says_which_bytes_are_no_longer_what_was_stored(home: Path, call: Call) -> None:
    for path in (home / "gpurent.files/archive/open_list").glob("*.warc.gz"):
        path.unlink()
    ended = call("explain", H100, "--day", "2026-07-15", "--full")
    assert ended.exit_code == 0
    assert ended.out.count("NOT INTACT") == 5


def test_explain_for_people_prints_the_absolute_path_and_offset(home: Path, call: Call) -> None:
    text = call("explain", H100, "--day", "2026-07-15", "--full").out
    assert f"{home}/gpurent.files/archive/open_list/" in text
    assert "stated in row 2: '2.397235000'" in text
    assert "beta_gpu 2.397235, weight 16.67 %, counted" in text
    assert "did not count" in text


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM offers",
        "CREATE TABLE mine AS SELECT 1",
        "COPY (SELECT 1) TO 'stolen.csv'",
        "SELECT * FROM read_csv('gpurent.toml')",
        "ATTACH 'other.duckdb'",
        "SELECT nonsense",
    ],
)
def test_sql_changes_nothing_and_reads_no_other_file(home: Path, call: Call, query: str) -> None:
    (home / "gpurent.toml").write_text("threads = 1\n")
    before = sorted(path.name for path in home.iterdir())
    ended = call("sql", query)
    assert ended.exit_code == 2
    assert "gpurent.duckdb:" in ended.err
    assert sorted(path.name for path in home.iterdir()) == before


def test_sql_gives_columns_and_rows(home: Path, call: Call) -> None:
    query = "SELECT day, 1 AS a, 2 AS a, 1.50 AS usd, 'nan'::DOUBLE AS bad FROM editions ORDER BY day LIMIT 1"
    document = call("sql", query, "--json").document
    assert document["columns"] == ["day", "a", "a_1", "usd", "bad"]
    assert document["rows"] == [{"day": "2026-07-13", "a": 1, "a_1": 2, "usd": 1.5, "bad": "nan"}]


def test_the_public_file_is_read_while_the_warehouse_is_held(home: Path, call: Call) -> None:
    assert call("sql", "SELECT 1", "--public").exit_code == 2
    path = Path(call("public-file", "--json").document["public_file"])
    assert path == home / "gpurent.files/public.duckdb"
    with open_warehouse(home / "gpurent.duckdb"):
        found = in_a_process("sql", "SELECT DISTINCT owner_group FROM voices", "--public", "--json", cwd=home)
        price = in_a_process("show", H100, "--public", "--json", cwd=home)
    owners = {row["owner_group"] for row in found.document["rows"]}
    assert "voice-1" in owners
    assert market.HIDDEN not in owners
    assert price.document["reference_usd_per_gpu_hour"] == 2.7001


def test_grade_code_decodes(call: Call) -> None:
    document = call("grade", "code", "h100-s080-c-nv-vm-od-us-7", "--json").document
    assert (document["code"], document["bucket"], document["check"]) == (
        "H100-S080-C-NV-VM-OD-US-7",
        "ALL",
        "7",
    )
    assert document["axes"]["fabric"]["value"] == "NV"


def test_a_mistyped_grade_code_ends_with_2(tmp_path: Path, call: Call) -> None:
    code = "H100-S080-C-NV-VM-OD-US-7"
    places = [place for place, character in enumerate(code) if character != "-"]
    wrong = {code[:p] + other + code[p + 1 :] for p in places for other in ALPHABET if other != code[p]}
    for one, two in pairwise(places):
        swapped = list(code)
        swapped[one], swapped[two] = swapped[two], swapped[one]
        wrong.add("".join(swapped))
    wrong -= {code}
    assert len(wrong) == 18 * 35 + 15
    for one in wrong:
        with pytest.raises(UsageError):
            parse_code(one)
    assert call("grade", "code", min(wrong)).exit_code == 2
    ended = in_a_process("grade", "code", "H100S080-C-NV-VM-OD-US-7", cwd=tmp_path)
    assert ended.exit_code == 2
    assert "8 parts" in ended.err


def test_verify_says_aloud_that_an_edition_is_not_signed(tmp_path: Path, call: Call) -> None:
    with market.make(tmp_path / "w.duckdb") as warehouse:
        write_edition(
            warehouse,
            tmp_path / "editions",
            day=market.DAYS[0],
            vintage="1",
            construction="live",
            published_at=at_utc(market.DAYS[0], 33),
            key=None,
            is_sample=False,
        )
    ended = call("verify", "--out", tmp_path / "editions")
    assert ended.exit_code == 0
    assert "NOT SIGNED: 1 of 1 edition; hashes show that its files belong together" in ended.out
    assert "1 checked against hashes and chain: nothing differs" in ended.out
    assert call("verify", "--out", tmp_path / "editions", "--json").document["signed"] is False


def test_a_signed_edition_says_with_which_key(home: Path, call: Call) -> None:
    ended = call("verify", "--all")
    assert "NOT SIGNED" not in ended.out
    assert "signature valid, key SAMPLE" in ended.out
    assert call("verify", "--all", "--json").document["signed"] is True


def test_verify_names_a_flipped_byte_and_ends_with_3(home: Path) -> None:
    path = home / "editions/2026-07-15/v1/voices.csv"
    body = bytearray(path.read_bytes())
    body[40] ^= 1
    path.write_bytes(bytes(body))
    ended = in_a_process("verify", cwd=home)
    assert ended.exit_code == 3
    assert "2026-07-15/v1/voices.csv: hash_differs" in ended.out
    document = in_a_process("verify", "--all", "--json", cwd=home)
    assert document.exit_code == 3
    assert document.document["is_intact"] is False


def test_verify_without_editions_ends_with_2(tmp_path: Path) -> None:
    assert in_a_process("verify", cwd=tmp_path).exit_code == 2


def test_edition_list_is_in_publication_order(home: Path, call: Call) -> None:
    editions = call("edition", "list", "--json").document["editions"]
    assert [(one["sequence_number"], one["day"], one["key_name"]) for one in editions] == [
        (1, "2026-07-13", "SAMPLE"),
        (2, "2026-07-14", "SAMPLE"),
        (3, "2026-07-15", "SAMPLE"),
    ]


def test_migrate_says_that_nothing_is_to_do(home: Path, call: Call) -> None:
    assert call("migrate", "--json").document == {"warehouse": "gpurent.duckdb", "applied": []}
    assert call("migrate", "--warehouse", "none.duckdb").exit_code == 2


def test_migrate_leaves_what_is_no_warehouse_as_it_is(home: Path, call: Call) -> None:
    Path("empty.duckdb").touch()
    ended = call("migrate", "--warehouse", "empty.duckdb")
    assert (ended.exit_code, "cannot be opened as a warehouse" in ended.err) == (2, True)
    with connect("theirs.duckdb") as theirs:
        theirs.execute("CREATE TABLE notes (line VARCHAR)")
    ended = call("migrate", "--warehouse", "theirs.duckdb")
    assert (ended.exit_code, "not a warehouse of gpurent" in ended.err) == (2, True)
    with connect("theirs.duckdb") as theirs:
        assert theirs.execute("SELECT table_name FROM duckdb_tables()").fetchall() == [("notes",)]


@pytest.mark.parametrize("path", ["", ".", "/"])
def test_a_warehouse_that_names_no_file_is_refused(call: Call, path: str) -> None:
    ended = call("runs", "--warehouse", path)
    assert ended.exit_code == 2
    assert ended.err.strip().endswith("warehouse: names no file; write one, such as ./gpurent.duckdb")


def test_a_folder_that_cannot_be_made_is_said_with_its_name(call: Call) -> None:
    ended = call("init", "/proc/nowhere")
    assert (ended.exit_code, ended.err.strip()) == (2, "gpurent: /proc/nowhere: No such file or directory")


def test_instants_are_read_with_their_zone() -> None:
    assert read_instant("2026-07-15T11:00+02:00", is_end_of_day=True) == datetime(2026, 7, 15, 9, tzinfo=UTC)
    assert read_instant("2026-07-15", is_end_of_day=False) == datetime(2026, 7, 15, tzinfo=UTC)
    assert read_instant("2026-07-15", is_end_of_day=True) == datetime(
        2026, 7, 15, 23, 59, 59, 999999, tzinfo=UTC
    )
