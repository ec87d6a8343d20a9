"""Ed25519 keys and signatures for editions. Private keys are PEM (PKCS 8) files that only their owner may read."""

from __future__ import annotations

import base64
import os
import stat
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from gpurent.core.errors import ConfigError


def new_private_key(path: Path) -> Ed25519PrivateKey:
    """Create a key at `path`, readable by its owner only. An existing file is never overwritten (ConfigError)."""
    key = Ed25519PrivateKey.generate()
    body = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise ConfigError(f"{path}: a key is already there; move it away to make a new one") from None
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(body)
    return key


def load_private_key(path: Path, *, is_open: bool = False) -> Ed25519PrivateKey:
    """Read a private key. Raises ConfigError when it is missing, not Ed25519, or readable by others.

    `is_open` is for the SAMPLE key, which is public on purpose.
    """
    try:
        body = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: the signing key cannot be read ({error.strerror})") from None
    if not is_open and stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise ConfigError(f"{path}: others may read this key; run: chmod 600 {path}")
    try:
        key = load_pem_private_key(body, password=None)
    except (ValueError, TypeError) as error:
        raise ConfigError(f"{path}: not a PEM private key ({error})") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise ConfigError(f"{path}: an Ed25519 key is needed")
    return key


def load_public_key(body: bytes) -> Ed25519PublicKey:
    """Read a PEM public key; ConfigError when it is not an Ed25519 one."""
    try:
        key = load_pem_public_key(body)
    except ValueError as error:
        raise ConfigError(f"not a PEM public key ({error})") from None
    if not isinstance(key, Ed25519PublicKey):
        raise ConfigError("an Ed25519 public key is needed")
    return key


def public_pem(key: Ed25519PrivateKey) -> bytes:
    """The public half as PEM."""
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def sign(key: Ed25519PrivateKey, body: bytes) -> str:
    """The signature over `body`, base64 on one line."""
    return base64.b64encode(key.sign(body)).decode("ascii")


def is_signed_by(key: Ed25519PublicKey, body: bytes, signature: str) -> bool:
    """Whether `signature` is the key's over exactly these bytes; a malformed signature is simply not."""
    try:
        key.verify(base64.b64decode(signature, validate=True), body)
    except (InvalidSignature, ValueError):
        return False
    return True
