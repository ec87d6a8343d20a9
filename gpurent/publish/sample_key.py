"""The open key of the sample. Everybody has its private half, so it proves nothing and says SAMPLE."""

from __future__ import annotations

from functools import cache
from importlib.resources import as_file, files

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from gpurent.core.signing import load_private_key, public_pem

SAMPLE_KEY_NAME = "SAMPLE"


@cache
def sample_key() -> tuple[str, Ed25519PrivateKey]:
    """Name and private key that sign what is made from the sample."""
    with as_file(files("gpurent").joinpath("sample/SAMPLE_KEY_NOT_SECRET.pem")) as path:
        return SAMPLE_KEY_NAME, load_private_key(path, is_open=True)


@cache
def sample_public_pem() -> bytes:
    """Its public half."""
    return public_pem(sample_key()[1])
