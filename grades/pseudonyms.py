"""Names for buyers and agreements that tell one from another and nobody from whom: keyed hashes.

The key lies beside the private warehouse, readable by its owner only, and never leaves it. A warehouse made from an
archive (the sample, a replay) uses an open key, so that the same archive always gives the same rows.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import stat
from pathlib import Path

from gpurent.core.errors import ConfigError
from gpurent.core.ids import content_id
from warehouse.store import Warehouse

OPEN_KEY = b"gpurent archive, open on purpose"
KEY_NAME = "pseudonym.key"
_KEY_BYTES = 32


def pseudonym_key(warehouse: Warehouse) -> bytes:
    """The warehouse's key, created on first use with mode 0600. ConfigError when others may read it."""
    if warehouse.fact("purpose") is not None:
        return OPEN_KEY
    path = warehouse.layout.files / KEY_NAME
    if not path.exists():
        _create(path)
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise ConfigError(f"{path}: others may read this key; run: chmod 600 {path}")
    key = bytes.fromhex(path.read_text(encoding="ascii").strip())
    if len(key) != _KEY_BYTES:
        raise ConfigError(f"{path}: a key of {_KEY_BYTES} bytes in hexadecimal is needed")
    return key


def _create(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as stream:
        stream.write(secrets.token_hex(_KEY_BYTES) + "\n")
        stream.flush()
        os.fsync(stream.fileno())


def pseudonym(key: bytes, prefix: str, *words: str) -> str:
    """`prefix_` and 24 hexadecimal digits of the keyed hash over the words."""
    identity = content_id(prefix, *words)
    return f"{prefix}_{hmac.new(key, identity.encode(), hashlib.sha256).hexdigest()[:24]}"
