"""Keys and signatures: RFC 8032's own vectors, and keys that are kept to oneself."""

from __future__ import annotations

import base64
import stat
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from gpurent.core.errors import ConfigError
from gpurent.core.signing import (
    is_signed_by,
    load_private_key,
    load_public_key,
    new_private_key,
    public_pem,
    sign,
)

# RFC 8032, section 7.1, test 3: a two-byte message
SECRET = "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7"
SIGNATURE = (
    "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
    "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
)


def test_signatures_are_those_of_the_standard() -> None:
    key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(SECRET))
    signature = sign(key, bytes.fromhex("af82"))
    assert base64.b64decode(signature).hex() == SIGNATURE
    assert is_signed_by(key.public_key(), bytes.fromhex("af82"), signature)


@pytest.mark.parametrize("signature", ["", "not base64!", "AAAA", base64.b64encode(bytes(64)).decode()])
def test_what_is_no_signature_is_none(signature: str) -> None:
    key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(SECRET))
    assert not is_signed_by(key.public_key(), b"manifest", signature)


def test_a_changed_text_or_another_key_does_not_pass(tmp_path: Path) -> None:
    key = new_private_key(tmp_path / "a.pem")
    other = new_private_key(tmp_path / "b.pem")
    signature = sign(key, b"manifest")
    assert is_signed_by(key.public_key(), b"manifest", signature)
    assert not is_signed_by(key.public_key(), b"Manifest", signature)
    assert not is_signed_by(other.public_key(), b"manifest", signature)


def test_a_new_key_is_its_owners_and_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "keys" / "edition.pem"
    key = new_private_key(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert public_pem(load_private_key(path)) == public_pem(key)
    assert public_pem(key) == public_pem(load_private_key(path))
    with pytest.raises(ConfigError, match="a key is already there"):
        new_private_key(path)


def test_a_key_others_may_read_is_refused_unless_it_is_open_on_purpose(tmp_path: Path) -> None:
    path = tmp_path / "edition.pem"
    new_private_key(path)
    path.chmod(0o644)
    with pytest.raises(ConfigError, match="chmod 600"):
        load_private_key(path)
    assert load_private_key(path, is_open=True)


def test_what_is_no_key_is_named(tmp_path: Path) -> None:
    path = tmp_path / "edition.pem"
    with pytest.raises(ConfigError, match="cannot be read"):
        load_private_key(path)
    path.write_text("no key")
    path.chmod(0o600)
    with pytest.raises(ConfigError, match="not a PEM private key"):
        load_private_key(path)
    curve = generate_private_key(SECP256R1())
    path.write_bytes(curve.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    with pytest.raises(ConfigError, match="Ed25519 key is needed"):
        load_private_key(path)
    with pytest.raises(ConfigError, match="not a PEM public key"):
        load_public_key(b"no key")


def test_a_public_key_survives_its_file() -> None:
    key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(SECRET))
    loaded = load_public_key(public_pem(key))
    assert is_signed_by(loaded, b"x", sign(key, b"x"))
