"""Items to table rows: ids, times, duplicates. Used by `collectors.capture` inside its transaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from collectors.document import Document
from collectors.items import (
    Item,
    RowRejection,
    StatedList,
    StatedOffer,
    StatedRate,
    StatedTrade,
)
from collectors.moments import FUTURE, moment_of
from collectors.registry import SourceRecord
from collectors.reports import CaptureOutcome, Fault
from gpurent.core.clock import utc_day
from gpurent.core.ids import content_id
from warehouse.archive import StoredRecord
from warehouse.store import Warehouse, sql_text

_BATCH = 5000
Row = dict[str, Any]


class CaptureWriter:
    """Writes one document's items. Rows go to the warehouse in batches, so a long table needs no memory."""

    def __init__(
        self,
        warehouse: Warehouse,
        source: SourceRecord,
        document: Document,
        capture_id: str,
        stored: StoredRecord,
        *,
        run_id: str,
        snapshot_at: datetime | None,
    ) -> None:
        self._warehouse = warehouse
        self._may_be_empty = source.empty_lists_count
        self._document = document
        self._capture_id = capture_id
        self._stored = stored
        self._run_id = run_id
        self._began = snapshot_at
        self._snapshots: dict[str, Row] = {}
        self._refused_in: Counter[str] = Counter()
        self._refusals_said: Counter[tuple[object, ...]] = Counter()
        self._snapshot_id = ""
        self._moment = moment_of(document, None, snapshot_at)
        self._seen: dict[str, int] = {}
        self._rates_seen: dict[tuple[object, str], str] = {}
        self._pending: dict[str, list[Row]] = {}
        self._accepted = 0
        self._unchanged = 0
        self._untimed = 0
        self._rejected: Counter[str] = Counter()

    def write(self, items: Iterable[Item]) -> CaptureOutcome:
        """Record all items and the capture. A SourceError from `items` passes through; roll back then."""
        for item in items:
            self._take(item)
        if not self._snapshots:
            self._begin(StatedList(list_key=self._document.list_key))
        self._flush_all()
        self._doubt_lists_without_rows()
        self._write_capture("read")
        return CaptureOutcome(
            self._capture_id,
            self._document.source_id,
            self._document.url,
            "read",
            self._accepted,
            dict(sorted(self._rejected.items())),
            self._unchanged,
            untimed=self._untimed,
        )

    def write_unreadable(self, fault: Fault) -> CaptureOutcome:
        """Record a document that cannot be read: its capture, a failed look and one refusal."""
        self._begin(StatedList(list_key=self._document.list_key))
        self._snapshots[self._snapshot_id]["status"] = "failed"
        refusal = RowRejection(reason_code=fault.reason_code, detail=fault.detail)
        self._reject(refusal, record_id=self._capture_id)
        self._flush_all()
        self._write_capture("unreadable")
        return CaptureOutcome(
            self._capture_id,
            self._document.source_id,
            self._document.url,
            "unreadable",
            0,
            dict(self._rejected),
            0,
            fault,
        )

    def _doubt_lists_without_rows(self) -> None:
        """A list of which every row was refused proves nothing, nor does an empty one unless its source has such."""
        for identity, row in self._snapshots.items():
            refused = self._refused_in[identity] + self._refused_in[""]
            if row["stated_rows"] == 0 and not self._unchanged and (refused or not self._may_be_empty):
                row["status"] = "partial"

    def _take(self, item: Item) -> None:
        match item:
            case StatedList():
                self._begin(item)
                return
            case RowRejection():
                self._reject(item)
                return
        if not self._snapshot_id:
            self._begin(StatedList(list_key=self._document.list_key))
        match item:
            case StatedOffer():
                self._offer(item)
            case StatedTrade():
                self._trade(item)
            case StatedRate():
                self._rate(item)

    def _begin(self, stated: StatedList) -> None:
        moment = moment_of(self._document, stated.snapshot_at, self._began)
        identity = content_id("snap", self._document.source_id, stated.list_key, moment.snapshot_at)
        self._moment = moment
        self._snapshot_id = identity
        row = self._snapshots.setdefault(
            identity,
            {
                "snapshot_id": identity,
                "source_id": self._document.source_id,
                "list_key": stated.list_key,
                "snapshot_at": moment.snapshot_at,
                "snapshot_day": utc_day(moment.snapshot_at),
                "status": stated.status,
                "stated_rows": 0,
                "available_at": moment.available_at,
            },
        )
        if stated.status == "partial":
            row["status"] = "partial"

    def _offer(self, item: StatedOffer) -> None:
        moment = self._moment
        observed_at = item.observed_at or moment.observed_at
        latest = moment.snapshot_at if moment.origin == "file" else self._document.fetched_at
        if observed_at > latest + FUTURE:
            self._refuse(
                item.row_number,
                "observed_in_future",
                f"observed at {observed_at:%Y-%m-%d %H:%M} UTC, in a list of {latest:%Y-%m-%d %H:%M} UTC",
            )
            return
        if item.effective_date is not None and item.effective_date > utc_day(observed_at):
            self._refuse(item.row_number, "not_yet_effective", f"holds from {item.effective_date}")
            return
        fields = item.model_dump()
        stated_id = self._identity(fields)
        if stated_id is None:
            return
        origin = "row" if item.observed_at else moment.origin
        self._untimed += origin == "clock"
        self._accept(
            "stated_offers",
            {
                **fields,
                "stated_id": stated_id,
                "snapshot_id": self._snapshot_id,
                "snapshot_at": moment.snapshot_at,
                "observed_at": observed_at,
                "observed_at_from": origin,
                "available_at": moment.available_at,
            },
        )

    def _identity(self, fields: Row) -> str | None:
        """The id of a row by its content, None (and a rejection) when the document had that row already."""
        number = fields["row_number"]
        content = [fields[name] for name in fields if name != "row_number"]
        identity = content_id("stated", self._capture_id, self._snapshot_id, *content)
        first = self._seen.setdefault(identity, number)
        if first == number:
            return identity
        self._refuse(number, "duplicate_row", f"the same as row {first} in every field")
        return None

    def _trade(self, item: StatedTrade) -> None:
        identity = content_id(
            "trade",
            item.reporter_id,
            item.operator_text,
            item.agreement_text,
            item.sku,
            item.delivery_start,
            item.delivery_end,
        )
        fields = item.model_dump()
        available_at = min(item.available_at or self._moment.available_at, self._document.fetched_at)
        row = {**fields, "stated_id": identity, "available_at": available_at}
        self._queue("stated_trades", row)

    def _rate(self, item: StatedRate) -> None:
        key = (item.day, item.currency)
        first = self._rates_seen.setdefault(key, item.eur_rate_text)
        fields = item.model_dump(exclude={"row_number"})
        stated_id = content_id("stated", *[fields[name] for name in fields])
        earlier = self._seen.setdefault(stated_id, item.row_number)
        if first != item.eur_rate_text:
            self._refuse(
                item.row_number, "conflicting_rate", f"{item.currency} of {item.day} was {first} before"
            )
        elif earlier != item.row_number:
            self._refuse(item.row_number, "duplicate_row", f"the same as row {earlier} in every field")
        else:
            available_at = min(item.published_at, self._document.fetched_at)
            self._queue("fx_rates", {**fields, "available_at": available_at})

    def _refuse(self, number: int, code: str, detail: str) -> None:
        self._reject(RowRejection(row_number=number, reason_code=code, detail=detail))

    def _reject(self, item: RowRejection, record_id: str | None = None) -> None:
        self._rejected[item.reason_code] += 1
        self._refused_in[self._snapshot_id] += 1
        row = item.model_dump()
        said = (item.row_number, item.reason_code, item.detail)
        # two prices of a row may be refused in the same words: each is a refusal of its own
        again = (self._refusals_said[said],) if self._refusals_said[said] else ()
        self._refusals_said[said] += 1
        row["record_id"] = record_id or content_id("row", self._capture_id, *said, *again)
        row["source_id"] = self._document.source_id
        row["available_at"] = self._moment.available_at
        row["observed_at"] = item.observed_at or self._moment.observed_at
        self._queue("rejections", row)

    def _accept(self, table: str, row: Row) -> None:
        row["source_id"] = self._document.source_id
        self._accepted += 1
        self._snapshots[self._snapshot_id]["stated_rows"] += 1
        self._queue(table, row)

    def _queue(self, table: str, row: Row) -> None:
        row["capture_id"] = self._capture_id
        rows = self._pending.setdefault(table, [])
        rows.append(row)
        if len(rows) >= _BATCH:
            self._flush(table)

    def _flush_all(self) -> None:
        for table in ("stated_offers", "stated_trades", "fx_rates", "rejections"):
            self._flush(table)

    def _flush(self, table: str) -> None:
        rows = self._pending.pop(table, [])
        if not rows:
            return
        match table:
            case "rejections":
                self._warehouse.reject("read", rows)
            case "stated_trades":
                self._warehouse.append(table, self._new_trades(rows))
            case "fx_rates":
                self._warehouse.append(table, self._new_rates(rows))
            case _:
                self._warehouse.append(table, rows)

    def _new_trades(self, rows: list[Row]) -> list[Row]:
        """The trades nobody reported before, in this document or in another; the rest are refused."""
        ids = sorted({row["stated_id"] for row in rows})
        known = {
            stated_id: (cost, quantity, currency)
            for stated_id, cost, quantity, currency in self._warehouse.rows(
                sql_text("collectors.sql", "known_trades"), {"stated_ids": ids}
            )
        }
        new = []
        for row in rows:
            content = (row["cost_amount"], row["quantity"], row["currency"])
            first = known.setdefault(row["stated_id"], content)
            if first is content:
                self._accepted += 1
                self._snapshots[self._snapshot_id]["stated_rows"] += 1
                new.append({**row, "source_id": self._document.source_id})
            elif first == content:
                self._refuse(row["row_number"], "duplicate_trade", "this trade was reported before")
            else:
                was = f"{first[0]} {first[2]} for {first[1]}"
                self._refuse(
                    row["row_number"], "conflicting_trade", f"reported before as {was}; that one stays"
                )
        return new

    def _new_rates(self, rows: list[Row]) -> list[Row]:
        """The rates that are new or differ from the last recorded one."""
        days = [row["day"] for row in rows]
        known = {
            (day, currency): (text, rate)
            for day, currency, text, rate in self._warehouse.rows(
                sql_text("collectors.sql", "known_rates"), {"first_day": min(days), "last_day": max(days)}
            )
        }
        new = [
            row
            for row in rows
            if known.get((row["day"], row["currency"])) != (row["eur_rate_text"], row["usd_per_unit"])
        ]
        self._accepted += len(new)
        self._unchanged += len(rows) - len(new)
        self._snapshots[self._snapshot_id]["stated_rows"] += len(new)
        return new

    def _write_capture(self, outcome: str) -> None:
        document, stored = self._document, self._stored
        first = next(iter(self._snapshots.values()))
        row = {
            "capture_id": self._capture_id,
            "source_id": document.source_id,
            "run_id": self._run_id,
            "url": document.url,
            "request_json": document.request_json,
            "fetched_at": document.fetched_at,
            "http_status": document.http_status,
            "media_type": document.media_type,
            "sha256": document.sha256,
            "size_bytes": len(document.body),
            "archive_file": stored.archive_file,
            "archive_offset": stored.archive_offset,
            "record_file": stored.record_file,
            "record_offset": stored.record_offset,
            "record_length": stored.record_length,
            "revisit_of": stored.revisit_of,
            "snapshot_id": first["snapshot_id"],
            "outcome": outcome,
            "accepted_rows": self._accepted,
            "rejected_rows": self._rejected.total(),
            "available_at": first["available_at"],
        }
        self._warehouse.append("captures", [row])
        self._warehouse.append("snapshots", self._snapshots.values())
