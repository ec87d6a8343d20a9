"""The static page: table of grades, a chart of each series, and the files of the edition it shows.

It needs no server and asks nobody for anything, so it can be opened from a folder. It is written aside and
swapped in whole.
"""

from __future__ import annotations

import shutil
from datetime import date
from importlib.resources import as_file, files
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from gpurent.core.errors import CheckFailedError
from gpurent.core.files import sync_file, sync_folder
from gpurent.core.stages import reach
from gpurent.publish.canonical import csv_bytes
from gpurent.publish.manifest import SAMPLE_NOTICE
from gpurent.publish.site.page import Page, read_page
from gpurent.publish.site.swap import swap_in
from gpurent.publish.tables import PACKAGE
from gpurent.publish.words import in_words
from warehouse import Warehouse
from warehouse.public import prepare_public_views
from warehouse.sql_files import run_sql

DATA_LICENCE = "CC BY 4.0"


def write_site(
    warehouse: Warehouse,
    target: Path,
    *,
    is_sample: bool,
    out: Path | None = None,
    day: date | None = None,
) -> Path:
    """Write the site to the folder `target`, replacing what is there, and return the page.

    Shows `day` (the newest one unless told otherwise) and every series up to it. With `out`, the folder of
    editions, the files of the day's edition go along, so that the site is complete in itself. The same warehouse
    gives the same bytes. Raises CheckFailedError when there is no day to show.
    """
    shown = day or run_sql(warehouse, PACKAGE, "newest_day")[0][0]
    if shown is None:
        raise CheckFailedError(
            f"{warehouse.layout.database}: no reference prices yet, so there is nothing to show"
        )
    prepare_public_views(warehouse)
    page = read_page(warehouse, shown, notice=SAMPLE_NOTICE if is_sample else None, out=out)
    aside = target.with_name(f".{target.name}.writing")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    _write_files(aside, page)
    swap_in(aside, target)
    reach("publish.site.written")
    return target / "index.html"


def _write_files(folder: Path, page: Page) -> None:
    (folder / "index.html").write_text(_render(page), encoding="utf-8")
    (folder / "series.csv").write_bytes(csv_bytes(page.series_table))
    package = files("gpurent.publish.site")
    for part in ("static", "vendor"):
        with as_file(package.joinpath(part)) as source:
            shutil.copytree(source, folder / part, copy_function=shutil.copyfile)
    if page.edition is not None:
        shutil.copytree(page.edition, folder / page.edition_folder, copy_function=shutil.copyfile)
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            sync_file(path)
    sync_folder(folder)


def _render(page: Page) -> str:
    environment = Environment(
        loader=PackageLoader("gpurent.publish.site"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["words"] = lambda code, kind: in_words(kind, code)
    return environment.get_template("index.html.j2").render(page=page, data_licence=DATA_LICENCE)
