"""European Central Bank: euro reference rates, about 16:00 Frankfurt time on TARGET working days.

Address: the url of the record (XML of the last 90 days). Format: https://www.ecb.europa.eu/stats/eurofxref/
A rate is units of a currency for 1 EUR; a row of a CSV (Date, USD, GBP, …) is a day. US dollars for one unit of
X are the dollar's rate over X's. There is no rate on weekends and TARGET holidays.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from decimal import Decimal
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from collectors.bases import PageSpider
from collectors.decode import Content, decode
from collectors.document import Document
from collectors.items import Item, StatedRate, to_scale
from collectors.reading import each_row
from collectors.reasons import RowError, refuse
from collectors.registry import SourceRecord
from collectors.values import Row, as_number, checked_amount, day, number, optional, shown

_PUBLISHED = time(16, 0, tzinfo=ZoneInfo("Europe/Berlin"))
_CUBE = "{http://www.ecb.int/vocabulary/2002-08-01/eurofxref}Cube"


class EcbSpider(PageSpider):
    name = "ecb"
    accept = "application/xml"


def read(document: Document, source: SourceRecord) -> Iterator[Item]:
    content = decode(document, source)
    days = days_of(content) if content.format == "xml" else content.rows("Date", "USD")
    yield from each_row(days, rates, source)


def days_of(content: Content) -> Iterator[dict[str, Any]]:
    """The days of an XML document as rows like those of a CSV."""
    for cube in content.xml().iter(_CUBE):
        if "time" in cube.attrib:
            yield {"Date": cube.attrib["time"]} | {
                rate.get("currency", ""): rate.get("rate") for rate in cube
            }


def rates(row: Row, source: SourceRecord) -> Iterator[Item]:
    on = day(row, "Date")
    if on.weekday() >= 5 or on in target_holidays(on.year):
        raise RowError("not_a_target_day", f"{on} is no TARGET working day, so it has no rate")
    dollars = checked_amount(number(row, "USD"), "USD")
    published = datetime.combine(on, _PUBLISHED).astimezone(UTC)
    stated = {"EUR": "1", **{code: value for code, value in row.items() if code != "Date"}}
    for code, written in stated.items():
        if optional(stated, code) is None or written == "N/A":
            continue  # the bank did not quote it that day
        if not (len(code) == 3 and code.isascii() and code.isupper()):
            yield refuse("unknown_currency", f"{shown(code)} is no currency code")
            continue
        try:
            per_euro = checked_amount(as_number(written, code), code)
        except RowError as fault:
            yield refuse(fault.reason_code, fault.detail)
            continue
        usd = Decimal(1) if code == "USD" else to_scale(dollars / per_euro, 12)
        yield StatedRate(
            day=on, currency=code, usd_per_unit=usd, eur_rate_text=str(written), published_at=published
        )


@cache
def target_holidays(year: int) -> frozenset[date]:
    from holidays import financial_holidays  # noqa: PLC0415  # a fifth of a second, for this source alone

    return frozenset(financial_holidays("ECB", years=year))
