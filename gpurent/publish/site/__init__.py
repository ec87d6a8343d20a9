"""The static site: today's prices, a page for every grade and operator, and what the prices are.

It needs no server and asks nobody for anything, so it can be opened from a folder. It is written aside and
swapped in whole.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined

from gpurent.core.errors import CheckFailedError
from gpurent.core.files import sync_file, sync_folder
from gpurent.core.stages import reach
from gpurent.publish.canonical import csv_bytes, parquet_bytes
from gpurent.publish.manifest import SAMPLE_NOTICE
from gpurent.publish.site.aboutpage import make_about
from gpurent.publish.site.front import make_front
from gpurent.publish.site.gradepage import GradePage
from gpurent.publish.site.names import Owners
from gpurent.publish.site.operatorpage import OperatorPage, make_operator_pages
from gpurent.publish.site.reading import SiteData, read_site
from gpurent.publish.site.seriesfiles import ALL_SERIES, facts, series_files
from gpurent.publish.site.swap import swap_in
from gpurent.publish.tables import PACKAGE
from gpurent.publish.words import in_words, sentence, value_in_words
from grades.register_files import load_registers
from index.parameters import Methodology
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
    methodology: Methodology | None = None,
) -> Path:
    """Write the site to the folder `target`, replacing what is there, and return the front page.

    Shows `day` (the newest one unless told otherwise) and every series up to it. With `out`, the folder of
    editions, the files of the day's edition go along, so that the site is complete in itself. `methodology` is the
    one whose parameters are shown: by default the version that the day's rows name. The same warehouse gives the
    same bytes. Raises CheckFailedError when there is no day to show.
    """
    shown = day or run_sql(warehouse, PACKAGE, "newest_day")[0][0]
    if shown is None:
        raise CheckFailedError(
            f"{warehouse.layout.database}: no reference prices yet, so there is nothing to show"
        )
    prepare_public_views(warehouse)
    notice = SAMPLE_NOTICE if is_sample else None
    site = read_site(warehouse, shown, notice=notice, out=out, methodology=methodology)
    aside = target.with_name(f".{target.name}.writing")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    _write_files(aside, site)
    swap_in(aside, target)
    reach("publish.site.written")
    return target / "index.html"


def _write_files(folder: Path, site: SiteData) -> None:
    for name, body in _made(site):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(body)
    package = files("gpurent.publish.site")
    for part in ("static", "vendor"):
        with as_file(package.joinpath(part)) as source:
            shutil.copytree(source, folder / part, copy_function=shutil.copyfile)
    if site.edition is not None:
        shutil.copytree(site.edition, folder / site.edition_folder, copy_function=shutil.copyfile)
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            sync_file(path)
    sync_folder(folder)


def _made(site: SiteData) -> Iterator[tuple[str, bytes]]:
    """Path below the root and bytes of everything that is made for this day."""
    render = _renderer(site)
    yield "index.html", render("index.html.j2", page=make_front(site))
    yield "about.html", render("about.html.j2", page=make_about(site))
    table = site.series_table
    yield "series.csv", csv_bytes(table.select(list(ALL_SERIES)))
    yield "series.parquet", parquet_bytes(table, facts(table))
    owners = Owners(site.operators)
    start = 0
    for rows in site.series.values():
        page = GradePage(site, rows, owners)
        if page.price["day"] == site.day:
            yield page.page, render("grade.html.j2", page=page)
            if page.has_series:
                for suffix, body in series_files(table.slice(start, len(rows))):
                    yield f"grades/{page.file}.{suffix}", body
        start += len(rows)
    pages = make_operator_pages(site, load_registers().scheme)
    yield "operators/index.html", render("operators.html.j2", pages=_listed(pages))
    for one in pages:
        yield one.page, render("operator.html.j2", page=one)


@dataclass(frozen=True, slots=True)
class _Listed:
    """A line of the list of operators; the first of an owner group is where links to the group lead."""

    page: OperatorPage
    is_first_of_group: bool


def _listed(pages: Sequence[OperatorPage]) -> list[_Listed]:
    seen: set[str] = set()
    found = []
    for page in pages:
        group = page.operator["owner_group"]
        found.append(_Listed(page, group not in seen))
        seen.add(group)
    return found


def _renderer(site: SiteData) -> Callable[..., bytes]:
    """A function that renders a template of this site with what its page needs."""
    environment = Environment(
        loader=PackageLoader("gpurent.publish.site"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "words": lambda code, kind: in_words(kind, code),
        "sentence": sentence,
        "place": lambda code: value_in_words("place", code),
        "host": lambda url: urlsplit(url).hostname or url,
    }
    common: Mapping[str, Any] = {"site": site, "data_licence": DATA_LICENCE}

    def render(template: str, **page: object) -> bytes:
        return environment.get_template(template).render(**common, **page).encode("utf-8")

    return render
