"""What publishing needs besides the day: where, signed by whom, by which rules, under which registers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gpurent.core.settings import Settings
from gpurent.core.signing import load_private_key
from gpurent.publish.edition import SigningKey
from index.parameters import Methodology


@dataclass(frozen=True, slots=True)
class Press:
    """The setting of a publication."""

    out: Path
    key: SigningKey | None
    method: Methodology
    register_version: str
    is_sample: bool = False


def signing_key(settings: Settings) -> SigningKey | None:
    """The publisher's key, or None: then editions are unsigned and say so."""
    if settings.signing_key is None:
        return None
    name = settings.signing_key_name or settings.signing_key.stem
    return name, load_private_key(settings.signing_key)
