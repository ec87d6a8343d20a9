"""Real files into a warehouse, for the tests that count what comes of them."""

from __future__ import annotations

from pathlib import Path

from collectors.ingest import ingest
from collectors.reports import IngestReport
from warehouse.store import Warehouse


def read(warehouse: Warehouse, source_id: str, *paths: Path) -> IngestReport:
    """Ingest files, sorted; none of them may fail."""
    report = ingest(warehouse, source_id, sorted(paths), run_id="real")
    assert report.exit_code == 0
    return report
