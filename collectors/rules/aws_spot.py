"""AWS's spot price history: changes, which this makes into what was in force at the end of each day.

AWS sets the price; a row is a change of it in one zone, and it holds until the next. So the list of a day is the last
change up to its end of every zone and type that had one by then; a change that a later one of the same day replaced is
refused. The last day ends with the last change the answer tells of. Letters of zones mean other buildings to other
accounts: the place is the region, the zone only part of the offer's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from collectors.items import Item, RowRejection, SnapshotStatus, StatedList, StatedOffer
from collectors.price_text import price
from collectors.reading import each_row
from collectors.reasons import refuse
from collectors.registry import SourceRecord
from collectors.rules.aws import fields_of, machine_named, refuse_other_systems
from collectors.values import Row, canonical_json, instant, optional_text, picked, raw_text, text

_ZONE_LETTER = re.compile(r"[a-z]$")
_KEPT = ("AvailabilityZone", "AvailabilityZoneId", "ProductDescription", "Timestamp")
_SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Change:
    """A price that began to hold in a zone."""

    number: int
    row: Row
    offer: StatedOffer
    region: str
    since: datetime

    @property
    def day(self) -> date:
        return self.since.date()


def days_of(rows: Iterable[Row], source: SourceRecord, status: SnapshotStatus) -> Iterator[Item]:
    """The lists of every region and day in the answer, the earliest first; rows that are no change before them."""
    changes: list[Change] = []
    for number, row in enumerate(rows, 1):
        for item in each_row([row], offer, source, first=number):
            if isinstance(item, StatedOffer):
                since = instant(row, "Timestamp")
                changes.append(Change(number, row, item, str(item.place_text), since))
            else:
                yield item
    for region in sorted({change.region for change in changes}):
        yield from _days_of_region(region, [change for change in changes if change.region == region], status)


def offer(row: Row, source: SourceRecord) -> StatedOffer:
    name, zone = text(row, "InstanceType"), text(row, "AvailabilityZone")
    refuse_other_systems(name, text(row, "ProductDescription"))
    machine, stated = machine_named(name), price(row, "SpotPrice")
    return StatedOffer(
        **fields_of(machine, source),
        sku=f"{machine.name} spot {optional_text(row, 'AvailabilityZoneId') or zone}",
        term_text="spot",
        place_text=_ZONE_LETTER.sub("", zone),
        price_text=stated.text,
        price_amount=stated.amount,
        effective_date=instant(row, "Timestamp").date(),
        extra_json=canonical_json(picked(row, _KEPT)),
    )


def _days_of_region(region: str, changes: list[Change], status: SnapshotStatus) -> Iterator[Item]:
    changes = sorted(changes, key=lambda change: (change.since, change.number))
    last, in_force, waiting = changes[-1].since, dict[str, Change](), list(reversed(changes))
    day = changes[0].day
    while day <= last.date():
        replaced: list[Change] = []
        while waiting and waiting[-1].day == day:
            change = waiting.pop()
            before = in_force.get(change.offer.sku)
            if before is not None and before.day == day:
                replaced.append(before)
            in_force[change.offer.sku] = change
        yield StatedList(list_key=f"spot {region}", snapshot_at=min(last, _end_of(day)), status=status)
        for sku in sorted(in_force):
            yield in_force[sku].offer
        yield from (_replaced(change) for change in replaced)
        day += timedelta(days=1)


def _end_of(day: date) -> datetime:
    return datetime.combine(day + timedelta(days=1), time(), UTC) - _SECOND


def _replaced(change: Change) -> RowRejection:
    found = refuse("replaced_that_day", f"{change.offer.sku}: a later row of {change.day} replaces it")
    return found.model_copy(
        update={"row_number": change.number, "observed_at": change.since, "raw_text": raw_text(change.row)}
    )
