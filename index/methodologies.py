"""Which methodology a warehouse is priced by: the package's, or a file of the user's that was adopted once."""

from __future__ import annotations

from pathlib import Path

from gpurent.core.errors import ConfigError
from index.parameters import Methodology, bundled_versions, load, load_file, parse
from warehouse.store import Warehouse

_FACT = "methodology"


def methodology_of(warehouse: Warehouse) -> Methodology:
    """The adopted methodology, else the package's."""
    adopted = warehouse.fact(_FACT)
    if adopted is None:
        return load()
    return parse(adopted.encode(), f"{warehouse.layout.database}: the adopted methodology")


def methodology_named(warehouse: Warehouse, version: str) -> Methodology:
    """The methodology of a version that rows of this warehouse name."""
    adopted = methodology_of(warehouse)
    return adopted if adopted.version == version else load(version)


def adopt(warehouse: Warehouse, path: Path) -> Methodology:
    """Price this warehouse by the methodology file at `path` from now on; its text is kept in the warehouse.

    For back-runs of a changed parameter. Raises ConfigError for a file that is wrong, that bears the version of the
    package's own but differs from it, or where days are priced by another methodology already.
    """
    method = load_file(path)
    if method.version in bundled_versions():
        if method.raw != load(method.version).raw:
            raise ConfigError(
                f"{path}: it is not methodology {method.version} any more; give it a version of its own, "
                f'such as "{method.version}+mine"'
            )
        if method.version == methodology_of(warehouse).version:
            return method
    others = sorted(
        version
        for (version,) in warehouse.rows("SELECT DISTINCT methodology_version FROM reference_prices")
        if version != method.version
    )
    if others:
        raise ConfigError(
            f"{warehouse.layout.database}: its days are priced by methodology {', '.join(others)}; "
            f"ingest the same files into another --warehouse and price that one by {path}"
        )
    warehouse.set_fact(_FACT, method.raw.decode())
    return method
