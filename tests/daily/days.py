"""Days of rendered gpurentalprices snapshots, run through the real ingest and index.

Providers are registered operators; prices are made up (rendered), so no output of these tests is a market fact.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb

from gpurent.core.clock import at_utc, iso_utc
from gpurent.core.settings import Settings, load_settings
from gpurent.daily import run_index, run_ingest

H100 = "H100-Y080-Y-YY-YY-OD-YY-J"
FIRST = date(2026, 7, 7)

Offer = Mapping[str, Any]


def offer(provider: str, usd: float, **words: Any) -> dict[str, Any]:
    """A stated offer of the data set: one SXM H100 on demand unless `words` say otherwise."""
    stated = {"provider": provider, "gpu": "h100-sxm", "vram_gb": 80, "usd_hr": usd, "kind": "on-demand"}
    return {**stated, "source_url": f"https://example.com/{provider}", **words}


def snapshot(when: datetime, offers: Iterable[Offer]) -> bytes:
    """One answer of the data set, generated at `when`; rows without a fetch time were fetched a minute before."""
    fetched = iso_utc(when - timedelta(minutes=1))
    rows = [{"fetched_at": fetched, **row} for row in offers]
    providers = {row["provider"]: {"ok": True, "last_verified": fetched, "stale": False} for row in rows}
    document = {
        "date": when.date().isoformat(),
        "generated_at": iso_utc(when),
        "offers": rows,
        "providers": providers,
        "meta": {"unknown_skus": []},
    }
    return json.dumps(document).encode()


def settings_in(folder: Path) -> Settings:
    return load_settings({"warehouse": folder / "w.duckdb"}, folder=folder)


def ingest_days(settings: Settings, folder: Path, looks: Sequence[tuple[datetime, Iterable[Offer]]]) -> None:
    """Write each look as a file and ingest them all."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for number, (when, offers) in enumerate(looks):
        path = folder / f"look-{number:03d}.json"
        path.write_bytes(snapshot(when, offers))
        paths.append(path)
    report = run_ingest(settings, paths=paths, source_id="gpurentalprices")
    assert report.exit_code == 0, report.as_json()


def priced(folder: Path, looks: Sequence[tuple[datetime, Iterable[Offer]]]) -> list[dict[str, Any]]:
    """Ingest looks into a new warehouse in `folder`, price all their days; the H100 rows, by day."""
    settings = settings_in(folder)
    ingest_days(settings, folder / "files", looks)
    run_index(settings)
    return reference_rows(settings)


def reference_rows(settings: Settings, code: str = H100) -> list[dict[str, Any]]:
    """Every column but the recording times, in order of days."""
    query = """
        SELECT r.* EXCLUDE (known_at) FROM reference_prices AS r
        INNER JOIN grades AS g ON r.grade_id = g.grade_id
        WHERE g.code = $1 AND g.bucket = 'ALL'
        ORDER BY r.day, r.vintage
    """
    with duckdb.connect(str(settings.warehouse), read_only=True) as connection:
        cursor = connection.execute(query, [code])
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def at(number: int, hour: int = 6) -> datetime:
    """Day 0, 1, 2, … of these tests at an hour."""
    return at_utc(FIRST + timedelta(days=number), hour)
