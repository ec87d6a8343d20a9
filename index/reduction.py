"""The stateless steps of a day: from offers and trades, by SQL, to items, trades and the grades they are in.

A function of the last days' rows and the registers at the cut-off. Any engine that runs the numbered files of
`index/sql` gives the same items.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from gpurent.core.clock import at_utc, utc_day
from grades.match import match_axes, operators_known
from index.parameters import Methodology
from index.steps.observation import Capture, DayItem, DayTrade, Span
from warehouse.sql_files import run_sql, run_sql_dicts
from warehouse.store import Warehouse

LIVE, RECONSTRUCTED = "live", "reconstructed"


@dataclass(frozen=True, slots=True)
class Horizon:
    """What a day may know: its cut-off, and by which of the two times (recorded, or available) it is judged."""

    day: date
    cutoff: datetime
    is_reconstructed: bool
    register_version: str

    @classmethod
    def of(cls, day: date, construction: str, register_version: str, method: Methodology) -> Horizon:
        return cls(
            day, at_utc(day, method.time.cut_off_hour_utc), construction == RECONSTRUCTED, register_version
        )


@dataclass(frozen=True, slots=True)
class Reduction:
    """A day's items and trades, the grade ids each item key is in, and whether any price source was seen at all."""

    items: tuple[DayItem, ...]
    trades: tuple[DayTrade, ...]
    grades: Mapping[str, tuple[str, ...]]
    refused: Mapping[str, tuple[str, str]]
    shadowed: tuple[DayItem, ...]
    has_captures: bool


def reduce_day(warehouse: Warehouse, horizon: Horizon, method: Methodology) -> Reduction:
    """Run the numbered files for one day. Rows come back in total order, so the result has one spelling."""
    operators_known(warehouse, horizon.cutoff, horizon.is_reconstructed)
    parameters: dict[str, object] = {
        "day": horizon.day,
        "first_day": horizon.day - timedelta(days=method.observations.expiry_days),
        "first_trade_day": horizon.day - timedelta(days=method.discount.window_days - 1),
        "cutoff": horizon.cutoff,
        "is_reconstructed": horizon.is_reconstructed,
        "register_version": horizon.register_version,
    }
    run_sql(warehouse, "index.sql", "05_lower_median", parameters)
    for name in (
        "10_day_offers",
        "20_present",
        "30_item_captures",
        "40_item_days",
        "50_day_items",
        "60_item_offers",
        "65_day_trades",
        "70_axes_to_match",
    ):
        run_sql(warehouse, "index.sql", name, parameters)
    match_axes(warehouse, horizon.day, horizon.cutoff, horizon.is_reconstructed)
    holds = _source_holds(warehouse, horizon, method)
    every = [
        _item(row, horizon.day, holds)
        for row in run_sql_dicts(warehouse, "index.sql", "80_items_out", parameters)
    ]
    shadow_keys = {key for (key,) in run_sql(warehouse, "index.sql", "82_shadowed_out", parameters)}
    grades: dict[str, list[str]] = {}
    for key, grade_id in run_sql(warehouse, "index.sql", "84_matches_out", parameters):
        grades.setdefault(key, []).append(grade_id)
    refused = {
        key: (code, detail)
        for key, code, detail in run_sql(warehouse, "index.sql", "86_refusals_out", parameters)
    }
    ((captures,),) = run_sql(warehouse, "index.sql", "88_captures_of_day", parameters)
    return Reduction(
        items=tuple(item for item in every if item.item_key not in shadow_keys),
        trades=tuple(
            _trade(row) for row in run_sql_dicts(warehouse, "index.sql", "90_trades_out", parameters)
        ),
        grades={key: tuple(found) for key, found in grades.items()},
        refused=refused,
        shadowed=tuple(item for item in every if item.item_key in shadow_keys),
        has_captures=captures > 0,
    )


def _source_holds(warehouse: Warehouse, horizon: Horizon, method: Methodology) -> dict[str, str]:
    """Sources that do not count yet: none on reconstructed days, in the sample and in replays (DESIGN 5)."""
    if horizon.is_reconstructed or warehouse.fact("purpose") in {"sample", "replay"}:
        return {}
    rows = run_sql(
        warehouse,
        "index.sql",
        "08_source_holds",
        {"day": horizon.day, "cutoff": horizon.cutoff, "shadow_days": method.time.shadow_days},
    )
    return dict(rows)


def _item(row: Mapping[str, Any], day: date, holds: Mapping[str, str]) -> DayItem:
    def capture(name: str) -> Capture:
        return Capture(row[f"{name}_captured_at"], row[f"{name}_native_per_gpu_hour"])

    def span(name: str) -> Span:
        return Span(row[f"{name}_first_at"], row[f"{name}_last_at"])

    return DayItem(
        item_key=row["item_key"],
        owner_group=row["owner_group"],
        operator_id=row["operator_id"],
        host_operator_id=row["host_operator_id"],
        operator_class=row["operator_class"],
        chip=row["chip"],
        form_memory=row["form_memory"],
        lot=row["lot"],
        fabric=row["fabric"],
        scope=row["scope"],
        term=row["term"],
        place=row["place"],
        route=row["route"],
        route_rank=row["route_rank"],
        offer_class=row["offer_class"],
        offer_id=row["offer_id"],
        usd=row["usd_per_gpu_hour"],
        native=row["native_per_gpu_hour"],
        currency=row["currency"],
        is_converted=bool(row["is_converted"]),
        verified_at=row["verified_at"],
        verified_age_days=max((day - utc_day(row["verified_at"])).days, 0),
        snapshot_day=row["snapshot_day"],
        capture_count=row["capture_count"],
        offer_rows=row["offer_rows"],
        first=capture("first"),
        last=capture("last"),
        lowest=capture("lowest"),
        highest=capture("highest"),
        at_or_below=span("at_or_below"),
        at_or_above=span("at_or_above"),
        is_marketplace=bool(row["is_marketplace"]),
        host_count=row["host_count"],
        offer_count=row["offer_count"],
        source_hold=holds.get(row["route"]),
    )


def _trade(row: Mapping[str, Any]) -> DayTrade:
    arms_length = row["is_arms_length"]
    return DayTrade(
        trade_key=row["trade_id"],
        owner_group=row["owner_group"],
        operator_id=row["operator_id"],
        buyer=row["buyer_pseudonym"],
        agreement=row["agreement_id"],
        item_key=row["item_key"],
        chip=row["chip"],
        form_memory=row["form_memory"],
        lot=row["lot"],
        fabric=row["fabric"],
        scope=row["scope"],
        term=row["term"],
        place=row["place"],
        day=row["trade_day"],
        usd=row["usd_per_gpu_hour"],
        native=row["native_per_gpu_hour"],
        currency=row["currency"],
        gpu_hours=Decimal(row["gpu_hours"]),
        trade_kind=row["trade_kind"],
        is_arms_length=None if arms_length is None else bool(arms_length),
        is_administered=bool(row["is_administered"]),
        is_confidential=False,
        is_synthetic=bool(row["is_synthetic"]),
    )
