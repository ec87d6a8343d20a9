from __future__ import annotations

from pathlib import Path

import pytest

from tests.publish import synthetic_market as market


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed warehouse with the synthetic market, to be copied."""
    path = tmp_path_factory.mktemp("market") / "w.duckdb"
    market.make(path).close()
    return path
