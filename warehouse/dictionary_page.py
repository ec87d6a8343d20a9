"""The dictionary as a page for people: `python -m warehouse.dictionary_page` writes `docs/dictionary.md`."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import duckdb

from warehouse import migrations
from warehouse.dictionary import ColumnEntry, TableEntry, dictionary

PAGE = Path(__file__).parents[1] / "docs" / "dictionary.md"

_LAYERS = {
    "captured": "What was fetched",
    "stated": "What sources state",
    "refused": "What was refused",
    "normalised": "In USD per GPU-hour, on the seven axes",
    "graded": "In grades",
    "index": "What it was worth",
    "published": "What was published",
    "register": "Registers",
    "care": "Care of the warehouse",
}
_HEAD = """# Dictionary

Every table and column of the warehouse, rendered from `warehouse/dictionary.toml`. The same words stand as comments
in the database: `SELECT table_name, column_name, comment FROM duckdb_columns()`.

*Public* tables and columns are in `public.duckdb`, as far as their rows may be shown: rows of a source without
leave to redistribute count in aggregates only. *Decimals* are those of published values, rounded half-even, once.
Times are UTC; `stated_currency` is that of the row's `currency`.
"""


def page() -> str:
    """The whole page, Markdown, ending in a line break."""
    parts = [_HEAD]
    for layer, title in _LAYERS.items():
        parts.append(f"## {title}\n")
        for name, entry in dictionary().tables.items():
            if entry.layer == layer:
                parts.append(_table(name, entry))
    parts.append("## Views of the public file\n")
    for name, view in dictionary().views.items():
        handed_on = " and ".join(f"`{table}`" for table in view.of)
        parts.append(
            f"### {name}\n\nOne row is {view.grain}. Its other columns are those of {handed_on}.\n\n"
            + _columns(view.columns, frozenset())
        )
    return "\n".join(parts)


def _table(name: str, entry: TableEntry) -> str:
    private = frozenset(entry.private) if entry.public else frozenset(entry.columns)
    shown = "Public." if entry.public else "Private."
    columns = {column: entry.columns[column] for column in _schema()[name]}
    return f"### {name}\n\nOne row is {entry.grain}. {shown}\n\n{_columns(columns, private)}"


@cache
def _schema() -> dict[str, list[str]]:
    """Columns of each table in the schema's order."""
    with duckdb.connect() as connection:
        migrations.migrate(connection, datetime(2000, 1, 1, tzinfo=UTC))
        return {name: connection.table(name).columns for name in dictionary().tables}


def _columns(columns: dict[str, ColumnEntry], private: frozenset[str]) -> str:
    lines = ["| column | kind | unit | decimals | meaning | |", "|---|---|---|---|---|---|"]
    for name, entry in columns.items():
        decimals = "" if entry.decimals is None else str(entry.decimals)
        mark = "private" if name in private else ""
        says = entry.says.replace("|", "\\|")
        lines.append(f"| {name} | {entry.kind} | {entry.unit} | {decimals} | {says} | {mark} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
