"""Why a row or a document was refused: the codes are data, so that they can be listed, explained and counted."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from collectors.items import RowRejection


class RowError(Exception):
    """One row cannot become a record. Raised by parsers of values, turned into a rejection by `each_row`."""

    def __init__(self, reason_code: str, detail: str) -> None:
        super().__init__(f"{reason_code}: {detail}")
        self.reason_code = reason_code
        self.detail = detail


@cache
def reason_codes() -> dict[str, str]:
    """Code → one sentence saying what it means, for rows and for whole documents."""
    text = files("collectors").joinpath("reason_codes.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(text)
    return {code: sentence for table in tables.values() for code, sentence in table.items()}


def refuse(reason_code: str, detail: str) -> RowRejection:
    """A rejection of one of several prices in a row; `each_row` adds the row's number and text."""
    return RowRejection(reason_code=reason_code, detail=printable(detail))


def printable(text: str, limit: int = 1000) -> str:
    """Any text as one that can be stored and shown on a line: control characters escaped, cut to `limit`."""
    if text.isprintable():
        shown = text
    else:
        shown = "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"
