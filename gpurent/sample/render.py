"""Render the archive of the sample from the tables: `python -m gpurent.sample.render [--out DIR] [--days N]`.

The same tables give the same bytes. Documents are written by the archive itself, one file a source and day, so
that a replay meets what a live run would have left behind.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Annotated

from cyclopts import App, Parameter

from collectors.capture import archive_document
from collectors.document import Document
from gpurent.core.clock import RecordedClock
from gpurent.core.errors import GpurentError, UsageError
from gpurent.sample.formats import (
    aws,
    aws_p5_daily,
    azure,
    ccir,
    cloud_gpus_com,
    ecb,
    eu_cloud,
    focus,
    google_calculator,
    gpurentalprices,
    oracle,
    ovhcloud,
    prime_intellect,
    runpod,
    scaleway,
    vast,
)
from warehouse.archive import Archive
from warehouse.layout import Layout

FIRST_DAY = date(2026, 6, 17)
DAYS = 60
SMALL_FIRST_DAY = date(2026, 8, 6)
SOURCES: Mapping[str, Callable[[date], Iterator[Document]]] = MappingProxyType(
    {
        "aws": aws.documents,
        "aws_p5_daily": aws_p5_daily.documents,
        "azure": azure.documents,
        "ccir": ccir.documents,
        "cloud_gpus_com": cloud_gpus_com.documents,
        "ecb": ecb.documents,
        "eu_cloud": eu_cloud.documents,
        "focus": focus.documents,
        "google_calculator": google_calculator.documents,
        "gpurentalprices": gpurentalprices.documents,
        "oracle": oracle.documents,
        "ovhcloud": ovhcloud.documents,
        "prime_intellect": prime_intellect.documents,
        "runpod": runpod.documents,
        "scaleway": scaleway.documents,
        "vast": vast.documents,
    }
)
ARCHIVE = Path(__file__).with_name("archive")

app = App(help="Render the archive of the sample from its tables.", version_flags=[])


@app.default
def main(
    *,
    out: Annotated[Path, Parameter(help="folder to write, one subfolder a source")] = ARCHIVE,
    first: Annotated[date, Parameter(help="first day, YYYY-MM-DD")] = FIRST_DAY,
    days: Annotated[int, Parameter(help="how many days, from the first on")] = DAYS,
    sources: Annotated[str, Parameter(help="source ids with commas between them; all by default")] = "",
) -> int:
    """Replace `out/<source>` for every source asked for."""
    try:
        written = render(
            out, first=first, days=days, sources=[name for name in sources.split(",") if name] or None
        )
    except GpurentError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    for path in written:
        sys.stdout.write(f"{path.stat().st_size:>8}  {path}\n")
    return 0


def render(
    out: Path, *, first: date = FIRST_DAY, days: int = DAYS, sources: Collection[str] | None = None
) -> list[Path]:
    """Write the archive of `days` days from `first` into `out/<source_id>/`; what was there of a source is replaced.

    Returns the files, sorted. Raises UsageError for a source that the sample does not have, or days that it does not
    have.
    """
    chosen = sorted(SOURCES) if sources is None else sorted(set(sources))
    if unknown := [name for name in chosen if name not in SOURCES]:
        raise UsageError(f"no source {unknown[0]!r} in the sample; its sources are: {', '.join(SOURCES)}")
    last, end = first + timedelta(days=days - 1), FIRST_DAY + timedelta(days=DAYS - 1)
    if not FIRST_DAY <= first <= last <= end:
        raise UsageError(
            f"{days} days from {first}: the sample has the {DAYS} days from {FIRST_DAY} to {end}"
        )
    written: list[Path] = []
    for source_id in chosen:
        with TemporaryDirectory() as folder:
            layout = Layout(Path(folder) / "sample.duckdb")
            for number in range(days):
                _write_day(layout, source_id, first + timedelta(days=number))
            made = layout.archive / source_id
            shutil.rmtree(out / source_id, ignore_errors=True)
            if made.is_dir():
                shutil.copytree(made, out / source_id)
        written += (out / source_id).glob("*.warc.gz")
    return sorted(written)


def small_archive(
    out: Path,
    days: int = 3,
    sources: Collection[str] = ("gpurentalprices", "runpod", "azure", "focus"),
) -> list[Path]:
    """An archive for tests that replay often: a few days from SMALL_FIRST_DAY on, without the exchange rates."""
    return render(out, first=SMALL_FIRST_DAY, days=days, sources=sources)


def _write_day(layout: Layout, source_id: str, day: date) -> None:
    """One file for all looks of a source on a day, as one run."""
    documents = list(SOURCES[source_id](day))
    if not documents:
        return
    clock = RecordedClock(documents[0].fetched_at)
    with Archive(layout, clock) as archive:
        for document in documents:
            clock.advance_to(document.fetched_at)
            archive_document(archive, document, run_id=f"sample {source_id} {day}")


if __name__ == "__main__":
    app()
