"""The archive: what was stored comes back as it was, whatever happened to the process or the file."""

from __future__ import annotations

import gzip
import resource
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from gpurent.core.clock import RecordedClock
from gpurent.core.errors import CheckFailedError, SourceError
from gpurent.core.ids import record_uuid, sha256_hex
from warehouse import Warehouse, open_warehouse, warc
from warehouse.archive import Archive, StoredRecord, iterate, open_archive
from warehouse.layout import Layout
from warehouse.warc import file_name, file_url

NOW = datetime(2026, 7, 15, 9, 0, tzinfo=UTC)
RUN = "run of 2026-07-15"
LATER = datetime(2026, 7, 15, 15, 30, 0, 250_000, tzinfo=UTC)
URL = "https://prices.example/v1/offers?page=1"
BODY = b'{"offers": [{"sku": "h100", "usd": "2.49"}]}' * 20


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path / "w.duckdb")


@pytest.fixture
def archive(layout: Layout) -> Iterator[Archive]:
    with Archive(layout, RecordedClock(NOW)) as opened:
        yield opened


def kill(archive: Archive) -> None:
    """Leave the files as a process that ends at once leaves them: open ones stay `.part`."""
    for file in archive._open.values():
        file.stream.close()
    archive._open.clear()


def put(archive: Archive, capture_id: str, body: bytes = BODY, **changes: Any) -> StoredRecord:
    words: dict[str, Any] = {
        "source_id": "vast",
        "run_id": RUN,
        "capture_id": capture_id,
        "url": URL,
        "body": body,
        "fetched_at": NOW,
        "http_status": 200,
        "media_type": "application/json",
        **changes,
    }
    return archive.store(**words)


def commit(
    warehouse: Warehouse, stored: StoredRecord, capture_id: str, body: bytes = BODY, url: str = URL
) -> None:
    """The row of captures that names a stored record."""
    warehouse.append(
        "captures",
        [
            {
                "capture_id": capture_id,
                "source_id": stored.record_file.split("/")[1],
                "run_id": RUN,
                "url": url,
                "fetched_at": NOW,
                "http_status": 200,
                "sha256": sha256_hex(body),
                "size_bytes": len(body),
                "archive_file": stored.archive_file,
                "archive_offset": stored.archive_offset,
                "record_file": stored.record_file,
                "record_offset": stored.record_offset,
                "record_length": stored.record_length,
                "revisit_of": stored.revisit_of,
                "snapshot_id": "snap",
                "outcome": "read",
                "accepted_rows": 0,
                "rejected_rows": 0,
                "available_at": NOW,
            }
        ],
    )


def test_a_response_comes_back_with_all_that_was_known_of_it(archive: Archive) -> None:
    stored = put(
        archive,
        "cap_1",
        fetched_at=LATER,
        headers={"Server": "nginx", "Transfer-Encoding": "chunked", "Set-Cookie": "session=secret"},
        request_json='{"query": "gpu=\u00e9\\n", "page": 2}',
    )
    record = archive.read(stored.archive_file, stored.archive_offset)
    assert (record.capture_id, record.source_id, record.url, record.body) == ("cap_1", "vast", URL, BODY)
    assert (record.fetched_at, record.http_status, record.media_type) == (LATER, 200, "application/json")
    assert record.request_json == '{"query": "gpu=\u00e9\\n", "page": 2}'
    assert record.file_name is None
    assert (
        stored.archive_file == "archive/vast/20260715T090000Z-" + sha256_hex(RUN.encode())[:12] + ".warc.gz"
    )


def test_other_readers_see_a_plain_warc_response(archive: Archive, layout: Layout) -> None:
    put(archive, "cap_1", headers=[("Set-Cookie", "session=secret"), ("ETag", '"7"')])
    archive.close()
    (path,) = layout.archive.glob("vast/*")
    with path.open("rb") as stream:
        info, response = list(_warcio_records(ArchiveIterator(stream, check_digests="raise")))
    assert info["WARC-Type"] == "warcinfo"
    assert (response["WARC-Type"], response["WARC-Target-URI"]) == ("response", URL)
    assert response["WARC-Record-ID"] == record_uuid("cap_1")
    assert response["WARC-Date"] == "2026-07-15T09:00:00Z"
    assert response["WARC-Payload-Digest"] == "sha256:" + sha256_hex(BODY)
    assert response["http"] == {"ETag": '"7"', "Content-Type": "application/json"}
    assert response["body"] == BODY


def _warcio_records(iterator: ArchiveIterator) -> Any:
    for record in iterator:
        fields = dict(record.rec_headers.headers)
        fields["http"] = dict(record.http_headers.headers) if record.http_headers else {}
        fields["body"] = record.content_stream().read()
        yield fields


def test_an_ingested_file_is_a_resource_under_its_bare_name(archive: Archive, layout: Layout) -> None:
    url = file_url("/srv/someone/prices 2026.json.gz")
    assert url == "file:prices%202026.json.gz"
    stored = put(archive, "cap_1", url=url, http_status=None, media_type=None)
    record = archive.read(stored.archive_file, stored.archive_offset)
    assert (record.file_name, record.http_status, record.media_type) == ("prices 2026.json.gz", None, None)
    assert b"someone" not in gzip.decompress((layout.files / (stored.archive_file + ".part")).read_bytes())


@pytest.mark.parametrize("url", ["file:///etc/passwd", "file:a/b", "ftp://a.example/x", "data:,x"])
def test_an_address_that_cannot_be_stored_is_refused(archive: Archive, url: str) -> None:
    with pytest.raises(ValueError, match=r"bare name|neither a web address"):
        put(archive, "cap_1", url=url)


def test_a_name_read_from_an_archive_never_holds_a_path() -> None:
    assert file_name("file:..%2F..%2Fetc%2Fpasswd") == "passwd"
    assert file_name("file:..%5Cboot.ini") == "boot.ini"
    assert file_name("file:..") is None
    assert file_name("file:a%00b") is None
    assert file_name("https://a.example/x") is None


@given(
    body=st.binary(max_size=300),
    status=st.one_of(st.none(), st.integers(100, 599)),
    media_type=st.one_of(st.none(), st.text(max_size=20)),
    request=st.one_of(st.none(), st.text(max_size=40)),
    headers=st.lists(st.tuples(st.text(max_size=8), st.text(max_size=20)), max_size=3),
)
def test_whatever_is_stored_is_read_back(
    *,
    tmp_path_factory: pytest.TempPathFactory,
    body: bytes,
    status: int | None,
    media_type: str | None,
    request: str | None,
    headers: list[tuple[str, str]],
) -> None:
    archive = Archive(Layout(tmp_path_factory.mktemp("a") / "w.duckdb"), RecordedClock(NOW))
    stored = put(
        archive, "cap", body, http_status=status, media_type=media_type, request_json=request, headers=headers
    )
    archive.close()
    record = archive.read(stored.record_file, stored.record_offset)
    assert (record.body, record.http_status, record.media_type) == (body, status, media_type)
    assert record.request_json == request


def test_an_unchanged_body_becomes_a_revisit_that_points_to_the_bytes(
    archive: Archive, layout: Layout
) -> None:
    first = put(archive, "cap_1")
    again = put(archive, "cap_2", fetched_at=LATER, http_status=304)
    assert (again.archive_file, again.archive_offset) == (first.record_file, first.record_offset)
    assert again.record_offset == first.record_offset + first.record_length
    assert (first.revisit_of, again.revisit_of) == (None, "cap_1")
    own = archive.read(again.record_file, again.record_offset)
    assert (own.capture_id, own.fetched_at, own.body, own.http_status) == ("cap_2", LATER, BODY, 304)
    assert own.revisit_of == "cap_1"
    archive.close()
    with (layout.files / again.record_file).open("rb") as stream:
        *_, revisit = _warcio_records(ArchiveIterator(stream))
    assert revisit["WARC-Profile"] == "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
    assert revisit["WARC-Refers-To"] == record_uuid("cap_1")
    assert (revisit["WARC-Refers-To-Target-URI"], revisit["WARC-Refers-To-Date"]) == (
        URL,
        "2026-07-15T09:00:00Z",
    )
    assert revisit["body"] == b""


def test_another_address_source_or_body_is_stored_in_full(archive: Archive) -> None:
    put(archive, "cap_1")
    others = [
        put(archive, "cap_2", url=URL + "&b=1"),
        put(archive, "cap_3", source_id="runpod"),
        put(archive, "cap_4", BODY + b" "),
    ]
    assert [other.revisit_of for other in others] == [None, None, None]


def test_a_later_run_refers_to_the_file_of_an_earlier_one(tmp_path: Path) -> None:
    with open_warehouse(tmp_path / "w.duckdb", clock=RecordedClock(NOW)) as warehouse:
        with open_archive(warehouse) as archive:
            first = put(archive, "cap_1")
            commit(warehouse, first, "cap_1")
        with open_archive(warehouse) as archive:
            again = put(archive, "cap_2", run_id="another run", fetched_at=LATER)
        assert again.revisit_of == "cap_1"
        assert again.archive_file == first.archive_file != again.record_file
        bodies = {record.capture_id: record.body for record in iterate(warehouse.layout.archive)}
        assert bodies == {"cap_1": BODY, "cap_2": BODY}
        (warehouse.layout.files / first.archive_file).unlink()
        with open_archive(warehouse) as archive:
            assert put(archive, "cap_3", run_id="a third run").revisit_of is None


def test_the_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    written = []
    for folder in ("a", "b"):
        with Archive(Layout(tmp_path / folder / "w.duckdb"), RecordedClock(NOW)) as archive:
            for number in range(3):
                put(archive, f"cap_{number}", BODY * (1 + number // 2))
        written.append({p.name: p.read_bytes() for p in tmp_path.glob(f"{folder}/w.files/archive/vast/*")})
    assert written[0] == written[1]
    assert len(written[0]) == 1


def test_a_file_is_a_part_until_it_is_closed_and_is_read_either_way(archive: Archive, layout: Layout) -> None:
    stored = put(archive, "cap_1")
    assert [path.suffix for path in layout.archive.glob("vast/*")] == [".part"]
    assert archive.read(stored.archive_file, stored.archive_offset).body == BODY
    archive.close()
    assert [path.name for path in layout.archive.glob("vast/*")] == [stored.archive_file.rpartition("/")[2]]
    assert archive.read(stored.archive_file, stored.archive_offset).body == BODY


@pytest.mark.parametrize("torn_bytes", [0, 1, 40, 10_000])
def test_what_a_killed_run_left_uncommitted_is_cut_and_the_rerun_gives_the_same_file(
    tmp_path: Path, torn_bytes: int
) -> None:
    with open_warehouse(tmp_path / "whole.duckdb", clock=RecordedClock(NOW)) as warehouse:
        with open_archive(warehouse) as archive:
            put(archive, "cap_1")
            put(archive, "cap_2", b"second")
        (whole,) = warehouse.layout.archive.glob("vast/*.warc.gz")
    with open_warehouse(tmp_path / "w.duckdb", clock=RecordedClock(NOW)) as warehouse:
        killed = open_archive(warehouse)
        commit(warehouse, put(killed, "cap_1"), "cap_1")
        second = put(killed, "cap_2", b"second")
        kill(killed)
        (part,) = warehouse.layout.archive.glob("vast/*.part")
        body = part.read_bytes()
        part.write_bytes(body[: min(len(body), second.record_offset + torn_bytes)])

        with open_archive(warehouse) as archive:
            assert [path.suffix for path in part.parent.iterdir()] == [".gz"]
            assert [record.capture_id for record in iterate(warehouse.layout.archive)] == ["cap_1"]
            assert put(archive, "cap_2", b"second") == second
        (resumed,) = part.parent.iterdir()
        assert (resumed.name, resumed.read_bytes()) == (whole.name, whole.read_bytes())


def test_a_part_without_a_committed_record_is_removed(tmp_path: Path) -> None:
    with open_warehouse(tmp_path / "w.duckdb", clock=RecordedClock(NOW)) as warehouse:
        killed = open_archive(warehouse)
        put(killed, "cap_1")
        kill(killed)
        assert len(list(warehouse.layout.archive.glob("vast/*.part"))) == 1
        open_archive(warehouse)
        assert list(warehouse.layout.archive.glob("vast/*")) == []


def test_without_a_ledger_a_torn_part_is_cut_behind_its_last_whole_record(layout: Layout) -> None:
    killed = Archive(layout, RecordedClock(NOW))
    first = put(killed, "cap_1")
    kill(killed)
    (part,) = layout.archive.glob("vast/*.part")
    part.write_bytes(part.read_bytes() + b"\x1f\x8b\x08\x00torn")
    with Archive(layout, RecordedClock(LATER)) as archive:
        second = put(archive, "cap_2", b"second")
    assert second.record_offset == first.record_offset + first.record_length
    assert second.record_file == first.record_file


def test_a_file_shorter_than_the_captures_table_says_is_an_error(tmp_path: Path) -> None:
    with open_warehouse(tmp_path / "w.duckdb", clock=RecordedClock(NOW)) as warehouse:
        killed = open_archive(warehouse)
        stored = put(killed, "cap_1")
        commit(warehouse, stored, "cap_1")
        kill(killed)
        (part,) = warehouse.layout.archive.glob("vast/*.part")
        part.write_bytes(part.read_bytes()[:-1])
        with pytest.raises(CheckFailedError, match=r"captures table knows \d+ bytes"):
            open_archive(warehouse)


def test_a_body_over_the_limit_is_refused_and_the_file_stays_as_it_was(layout: Layout) -> None:
    archive = Archive(layout, RecordedClock(NOW), source_limit_bytes=2_000)
    put(archive, "cap_1")
    (part,) = layout.archive.glob("vast/*.part")
    before = part.read_bytes()
    noise = b"".join(sha256_hex(str(number).encode()).encode() for number in range(200))
    with pytest.raises(
        SourceError, match=r"vast: https://prices\.example.* the limit for .* is 2000"
    ) as caught:
        put(archive, "cap_2", noise)
    assert caught.value.reason_code == "archive_limit"
    assert part.read_bytes() == before
    assert put(archive, "cap_3", b"small").record_offset == len(before)
    archive.close()


def test_a_full_disk_leaves_the_records_before_it_and_the_next_one_whole(layout: Layout) -> None:
    noise = b"".join(sha256_hex(str(number).encode()).encode() for number in range(2_000))
    with Archive(layout, RecordedClock(NOW)) as archive:
        put(archive, "cap_1")
        (part,) = layout.archive.glob("vast/*.part")
        before = part.read_bytes()
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 5_000, hard))
        try:
            with pytest.raises(OSError, match="too large"):
                put(archive, "cap_2", noise)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert part.read_bytes() == before
        assert put(archive, "cap_3", b"small").record_offset == len(before)
    assert [record.capture_id for record in iterate(layout.archive)] == ["cap_1", "cap_3"]


def test_a_record_that_unpacks_without_end_is_refused(
    archive: Archive, layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = put(archive, "cap_1", bytes(5_000_000))
    monkeypatch.setattr(warc, "_MAX_RECORD_BYTES", 1_000_000)
    with pytest.raises(CheckFailedError, match="unpacks to more than 1000000 bytes"):
        archive.read(stored.archive_file, stored.archive_offset)
    monkeypatch.setattr(warc, "MAX_BODY_BYTES", 4_000_000)
    with pytest.raises(SourceError, match="5000000 bytes; the longest body that is stored is 4000000"):
        put(archive, "cap_2", bytes(5_000_000))


def test_every_flipped_byte_of_a_record_is_found(archive: Archive, layout: Layout) -> None:
    stored = put(archive, "cap_1", BODY[:60])
    archive.close()
    path = layout.files / stored.archive_file
    whole = path.read_bytes()
    # hints, modification time and system in a gzip header change nothing that is read
    idle = {stored.archive_offset + at for at in (3, 4, 5, 6, 7, 8, 9)}
    for at in sorted(set(range(stored.archive_offset, len(whole))) - idle):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x01]) + whole[at + 1 :])
        with pytest.raises(
            CheckFailedError, match=f"{stored.archive_file} at offset {stored.archive_offset}"
        ):
            archive.read(stored.archive_file, stored.archive_offset)


@pytest.mark.parametrize(
    "name",
    [
        "../w.duckdb",
        "archive/../../etc/passwd",
        "/etc/passwd",
        "archive/vast/../../x.warc.gz",
        "archive/vast/link.warc.gz",
        "archive/vast/missing.warc.gz",
        "lake/vast/x.warc.gz",
        "",
    ],
)
def test_no_name_leads_out_of_the_archive(
    archive: Archive, layout: Layout, tmp_path: Path, name: str
) -> None:
    put(archive, "cap_1")
    archive.close()
    outside = tmp_path / "outside.warc.gz"
    outside.write_bytes(next(layout.archive.glob("vast/*")).read_bytes())
    (layout.archive / "vast" / "link.warc.gz").symlink_to(outside)
    with pytest.raises(CheckFailedError, match="no such file"):
        archive.read(name, 0)


def test_iterating_says_what_is_damaged_and_goes_on(archive: Archive, layout: Layout) -> None:
    put(archive, "cap_a", source_id="azure")
    damaged = put(archive, "cap_b", b"second", source_id="azure")
    put(archive, "cap_c", b"third", source_id="azure")
    cut = put(archive, "cap_d", b"fourth", source_id="azure")
    put(archive, "cap_e", source_id="vast")
    archive.close()
    path = layout.files / damaged.record_file
    body = bytearray(path.read_bytes())
    body[damaged.record_offset + 60] ^= 0xFF
    path.write_bytes(bytes(body[:-7]))
    complaints: list[CheckFailedError] = []
    found = [record.capture_id for record in iterate(layout.archive, on_damage=complaints.append)]
    assert found == ["cap_a", "cap_c", "cap_e"]
    assert [str(complaint).split(":")[0] for complaint in complaints] == [
        f"azure/{path.name} at offset {damaged.record_offset}",
        f"azure/{path.name} at offset {cut.record_offset}",
    ]
    with pytest.raises(CheckFailedError, match=f"at offset {damaged.record_offset}"):
        list(iterate(layout.archive))


def test_a_revisit_whose_body_is_not_here_is_reported(archive: Archive, layout: Layout) -> None:
    put(archive, "cap_1", run_id="first")
    first_file = next(layout.archive.glob("vast/*.part"))
    archive.close()
    assert first_file.with_suffix("").exists()
    with open_warehouse(layout.database, clock=RecordedClock(NOW)) as warehouse:
        with open_archive(warehouse) as again:
            stored = put(again, "cap_2", run_id="second")
            commit(warehouse, stored, "cap_2")
        with open_archive(warehouse) as again:
            put(again, "cap_3", run_id="third")
        (layout.files / stored.record_file).unlink()
        complaints: list[CheckFailedError] = []
        found = [record.capture_id for record in iterate(layout.archive, on_damage=complaints.append)]
    assert found == ["cap_1"]
    assert "the file that carries its body is not here" in str(complaints[0])


def test_an_empty_or_missing_folder_has_no_records(tmp_path: Path) -> None:
    (tmp_path / "empty.warc.gz").write_bytes(b"")
    assert list(iterate(tmp_path)) == []
    assert list(iterate(tmp_path / "nowhere")) == []


def test_bytes_that_are_no_archive_are_named(tmp_path: Path) -> None:
    (tmp_path / "x.warc.gz").write_bytes(gzip.compress(b"<html>not found</html>", mtime=0))
    with pytest.raises(CheckFailedError, match=r"x\.warc\.gz at offset 0: this is no WARC record"):
        list(iterate(tmp_path))
