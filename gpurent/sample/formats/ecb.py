"""European Central Bank: the reference rates as XML, read on TARGET days twenty minutes after publication."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from itertools import groupby
from xml.sax.saxutils import quoteattr

from collectors.document import Document, request_text
from collectors.registry import load_sources
from gpurent.core.clock import at_utc
from gpurent.sample.tables import rate_facts

# published at 16:00 Frankfurt time, which is 14:00 UTC in summer
LOOK = (14, 20)
_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" \
xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
<gesmes:subject>Reference rates</gesmes:subject>
<gesmes:Sender><gesmes:name>European Central Bank</gesmes:name></gesmes:Sender>
<Cube>
"""
_FOOT = "</Cube>\n</gesmes:Envelope>\n"


def documents(day: date) -> Iterator[Document]:
    """One document on a day that has rates; none on other days, when the file would not have changed."""
    known = [fact for fact in rate_facts() if fact.day <= day]
    if not known or max(fact.day for fact in known) != day:
        return
    source = load_sources()["ecb"]
    cubes = []
    for on, facts in groupby(sorted(known, key=lambda fact: fact.day, reverse=True), lambda fact: fact.day):
        rates = "".join(
            f"<Cube currency={quoteattr(fact.currency)} rate={quoteattr(str(fact.units_per_eur))}/>"
            for fact in facts
        )
        cubes.append(f'<Cube time="{on}">{rates}</Cube>\n')
    fetched_at = at_utc(day, *LOOK)
    yield Document(
        source_id=source.source_id,
        url=source.url,
        body=(_HEAD + "".join(cubes) + _FOOT).encode(),
        fetched_at=fetched_at,
        media_type="text/xml",
        http_status=200,
        request_json=request_text(snapshot_at=fetched_at),
    )
