"""`index/changelog.toml` only grows: whoever reads an old value can still read why the next one differs."""

from __future__ import annotations

import hashlib
import re
import subprocess
import tomllib
from datetime import date
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NAME = "index/changelog.toml"
BODY = (ROOT / NAME).read_bytes()
KEYS = {"date", "version", "affects", "why", "change", "previous_sha256"}


def starts(body: bytes) -> list[int]:
    """Where each entry begins."""
    return [match.start() for match in re.finditer(rb"^\[\[change\]\]$", body, re.MULTILINE)]


def broken(body: bytes) -> list[int]:
    """Entries (from 0) that do not carry the SHA-256 of every byte before them."""
    entries = tomllib.loads(body.decode())["change"]
    return [
        number
        for number, (start, entry) in enumerate(zip(starts(body), entries, strict=True))
        if entry["previous_sha256"] != hashlib.sha256(body[:start]).hexdigest()
    ]


def test_each_entry_carries_the_hash_of_all_that_stands_before_it() -> None:
    assert broken(BODY) == [], (
        "an entry before these was edited, or a new one lacks the hash of what stands before it: "
        f"head -c OFFSET {NAME} | sha256sum, with OFFSET one of {starts(BODY)}"
    )


def test_an_edit_of_an_old_entry_is_found() -> None:
    last = starts(BODY)[-1]
    grown = BODY + b"\n"
    previous = hashlib.sha256(grown).hexdigest()
    grown += f'[[change]]\nprevious_sha256 = "{previous}"\n'.encode()
    assert broken(grown) == []
    edited = grown[:last] + grown[last:].replace(b"affects", b"effects", 1)
    assert broken(edited) == [len(starts(BODY))]


def test_entries_say_what_changed_why_and_what_it_affects() -> None:
    entries = tomllib.loads(BODY.decode())["change"]
    assert entries
    for entry in entries:
        assert entry.keys() == KEYS
        assert isinstance(entry["date"], date)
        assert all(entry[key] for key in KEYS)
    assert [entry["date"] for entry in entries] == sorted(entry["date"] for entry in entries)


def test_every_methodology_has_its_entry() -> None:
    versions = {entry["version"] for entry in tomllib.loads(BODY.decode())["change"]}
    assert {path.stem for path in (ROOT / "index" / "methodology").glob("*.toml")} <= versions


def test_no_commit_took_anything_back() -> None:
    def git(*words: str) -> bytes:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, check=False)
        if done.returncode != 0:
            pytest.skip("this is no git checkout")
        return done.stdout

    for commit in git("log", "--format=%H", "--", NAME).decode().split():
        earlier = git("show", f"{commit}:{NAME}")
        assert BODY.startswith(earlier), f"{commit} has entries that are no longer as they were"
