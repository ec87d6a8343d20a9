from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from gpurent.core.clock import at_utc
from gpurent.core.errors import NotFoundError
from gpurent.core.signing import sign
from gpurent.publish.chain import ChainReport, verify_chain
from gpurent.publish.edition import write_edition
from gpurent.publish.sample_key import sample_key
from tests.publish import synthetic_market as market

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
OTHER_KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33)))


def _editions(template: Path, folder: Path, key: tuple[str, Ed25519PrivateKey] | None) -> Path:
    with market.copy_of(template, folder / "w.duckdb") as warehouse:
        for day in market.DAYS:
            write_edition(
                warehouse,
                folder / "out",
                day=day,
                vintage="1",
                construction="live",
                published_at=at_utc(day, 33),
                key=key,
            )
    return folder / "out"


@pytest.fixture(scope="session")
def signed(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _editions(template, tmp_path_factory.mktemp("signed"), ("desk", KEY))


@pytest.fixture
def out(signed: Path, tmp_path: Path) -> Path:
    shutil.copytree(signed, tmp_path / "out")
    return tmp_path / "out"


def kinds(report: ChainReport) -> set[tuple[str, str]]:
    return {(found.file, found.kind) for found in report.all_differences}


def test_untouched_editions_pass_with_the_given_key_and_without(out: Path) -> None:
    for key in (None, KEY.public_key()):
        report = verify_chain(out, every=True, public_key=key)
        assert report.exit_code == 0
        assert [edition.path for edition in report.editions] == [
            "2026-07-13/v1",
            "2026-07-14/v1",
            "2026-07-15/v1",
        ]
        assert {edition.signature for edition in report.editions} == {"valid"}


def test_by_default_only_the_latest_edition_is_read(out: Path) -> None:
    (out / "2026-07-13/v1/voices.csv").unlink()
    assert verify_chain(out).exit_code == 0
    assert kinds(verify_chain(out, every=True)) == {("2026-07-13/v1/voices.csv", "missing_file")}


def _flip_a_byte(out: Path) -> None:
    path = out / "2026-07-15/v1/reference_prices.parquet"
    body = bytearray(path.read_bytes())
    body[100] ^= 1
    path.write_bytes(bytes(body))


def _add_a_file(out: Path) -> None:
    (out / "2026-07-15/v1/notes.txt").write_text("psst")


def _change_the_manifest(out: Path) -> None:
    path = out / "2026-07-15/v1/manifest.json"
    path.write_text(path.read_text().replace('"live"', '"reconstructed"'))


def _cut_the_manifest(out: Path) -> None:
    path = out / "2026-07-15/v1/manifest.json"
    path.write_text(path.read_text()[:100])


def _drop_the_signature(out: Path) -> None:
    (out / "2026-07-15/v1/manifest.sig").unlink()


def _swap_the_signature(out: Path) -> None:
    shutil.copy(out / "2026-07-14/v1/manifest.sig", out / "2026-07-15/v1/manifest.sig")


def _remove_an_edition(out: Path) -> None:
    shutil.rmtree(out / "2026-07-14")


def _rename_an_edition(out: Path) -> None:
    (out / "2026-07-14").rename(out / "2026-07-20")


def _point_latest_elsewhere(out: Path) -> None:
    path = out / "latest.json"
    path.write_text(path.read_text().replace("2026-07-15/v1", "2026-07-19/v1"))


DAMAGES: list[tuple[Callable[[Path], None], set[tuple[str, str]]]] = [
    (_flip_a_byte, {("2026-07-15/v1/reference_prices.parquet", "hash_differs")}),
    (_add_a_file, {("2026-07-15/v1/notes.txt", "unexpected_file")}),
    (
        _change_the_manifest,
        {("2026-07-15/v1/manifest.sig", "bad_signature"), ("latest.json", "hash_differs")},
    ),
    (
        _cut_the_manifest,
        {("2026-07-15/v1/manifest.json", "unreadable_manifest"), ("latest.json", "points_nowhere")},
    ),
    (_drop_the_signature, {("2026-07-15/v1/manifest.sig", "missing_signature")}),
    (_swap_the_signature, {("2026-07-15/v1/manifest.sig", "bad_signature")}),
    (_remove_an_edition, {("2026-07-15/v1/manifest.json", "sequence_gap")}),
    (_rename_an_edition, {("2026-07-20/v1/manifest.json", "wrong_folder")}),
    (_point_latest_elsewhere, {("latest.json", "points_nowhere")}),
]


@pytest.mark.parametrize(("damage", "expected"), DAMAGES, ids=lambda value: getattr(value, "__name__", ""))
def test_every_damage_is_named_and_ends_with_3(
    out: Path, damage: Callable[[Path], None], expected: set[tuple[str, str]]
) -> None:
    damage(out)
    report = verify_chain(out, every=True)
    assert kinds(report) == expected
    assert report.exit_code == 3


def test_a_manifest_rewritten_and_signed_again_breaks_the_chain_behind_it(out: Path) -> None:
    path = out / "2026-07-14/v1/manifest.json"
    path.write_text(path.read_text().replace('"vintage_reason": null', '"vintage_reason": "other"'))
    (path.parent / "manifest.sig").write_text(sign(KEY, path.read_bytes()) + "\n")
    assert kinds(verify_chain(out, every=True)) == {("2026-07-15/v1/manifest.json", "chain_broken")}
    assert kinds(verify_chain(out)) == {("2026-07-15/v1/manifest.json", "chain_broken")}


def test_a_signature_by_another_key_fails_only_when_the_key_is_given(template: Path, tmp_path: Path) -> None:
    out = _editions(template, tmp_path, ("imposter", OTHER_KEY))
    assert verify_chain(out).exit_code == 0
    report = verify_chain(out, public_key=KEY.public_key())
    assert kinds(report) == {("2026-07-15/v1/manifest.sig", "bad_signature")}


def test_an_edition_whose_signature_was_taken_away_fails_when_the_key_is_given(out: Path) -> None:
    folder = out / "2026-07-14/v1"
    document = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**document, "key": None}))
    (folder / "manifest.sig").unlink()
    report = verify_chain(out, every=True, public_key=KEY.public_key())
    assert ("2026-07-14/v1/manifest.json", "missing_signature") in kinds(report)
    assert report.exit_code == 3


def test_editions_nobody_signed_fail_when_a_key_is_given(template: Path, tmp_path: Path) -> None:
    report = verify_chain(_editions(template, tmp_path, None), every=True, public_key=KEY.public_key())
    assert report.exit_code == 3
    assert {kind for _, kind in kinds(report)} == {"missing_signature"}


def test_editions_without_a_key_pass_as_unsigned(template: Path, tmp_path: Path) -> None:
    report = verify_chain(_editions(template, tmp_path, None), every=True)
    assert report.exit_code == 0
    assert {edition.signature for edition in report.editions} == {"unsigned"}
    document = report.as_json()
    assert document["signed"] is False
    assert [edition["signed"] for edition in json.loads(json.dumps(document))["editions"]] == [False] * 3


def test_the_open_sample_key_cannot_sign_what_does_not_say_sample(template: Path, tmp_path: Path) -> None:
    report = verify_chain(_editions(template, tmp_path, sample_key()))
    assert kinds(report) == {("2026-07-15/v1/manifest.json", "open_key")}


def test_an_empty_folder_is_not_a_passed_check(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="there is no edition here"):
        verify_chain(tmp_path / "nowhere")


def test_the_report_is_one_json_document(out: Path) -> None:
    _flip_a_byte(out)
    document = json.loads(json.dumps(verify_chain(out).as_json()))
    assert document["is_intact"] is False
    assert document["editions"][0]["differences"][0]["file"] == "2026-07-15/v1/reference_prices.parquet"
