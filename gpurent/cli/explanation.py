"""`explain` for people: an indented walk from the price to the bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from rich.console import Console

from gpurent.cli.output import dash, line, sample_line
from gpurent.core.ids import canonical_decimal
from gpurent.core.numbers import round_half_even
from gpurent.publish.words import in_words, rules_in_words, why_withheld

Row = Mapping[str, Any]

_STATED_SHOWN = (
    ("operator_text", "operator"),
    ("host_text", "host"),
    ("sku", "sku"),
    ("chip_text", "chip"),
    ("form_text", "form"),
    ("memory_text", "memory"),
    ("fabric_text", "fabric"),
    ("scope_text", "scope"),
    ("term_text", "term"),
    ("place_text", "place"),
)


def show_explanation(console: Console, document: Mapping[str, Any]) -> None:
    """Print the document of `gpurent.publish.lineage.explain`."""
    price = document["price"]
    sample_line(console, is_sample=document["notice"] is not None)
    line(console, price["grade_title"] or price["grade_code"], "bold")
    line(console, f"{price['grade_code']}, {price['day']}, vintage {price['vintage']}")
    if price["status"] == "withheld":
        line(console, f"withheld: {why_withheld(price)}", "bold")
    else:
        line(
            console,
            f"reference {price['reference_usd_per_gpu_hour']} USD per GPU-hour, "
            f"level {price['level']} {in_words('labels', price['label'])}",
            "bold",
        )
    for leg in ("advertised", "traded"):
        _show_leg(console, leg, price, document[leg])
    if document["exclusions"]:
        line(console)
        line(console, "did not count", "bold")
        for one in document["exclusions"]:
            detail = f": {one['detail']}" if one["detail"] else ""
            line(
                console,
                f"  {one['leg']} {one['owner_group']} {one['record_id']}: {rules_in_words(one['reason_code'])}"
                f" ({one['rule_id']}){detail}",
            )


def _show_leg(console: Console, leg: str, price: Row, groups: Sequence[Mapping[str, Any]]) -> None:
    line(console)
    line(console, f"{leg} leg {dash(price[f'{leg}_usd_per_gpu_hour'])}", "bold")
    if not groups:
        line(console, "  nothing")
    for group in groups:
        voice = group["voice"]
        if voice is None:
            line(console, f"  {group['owner_group']}: no voice today")
        else:
            why = f", {rules_in_words(voice['reason_code'])}" if voice["reason_code"] else ""
            line(
                console,
                f"  {group['owner_group']} {_number(voice['usd_per_gpu_hour'])}, weight {_weight(voice['weight'])}, "
                f"{voice['state']}{why}, {voice['verified_age_days']} days old",
            )
        for item in group.get("items", ()):
            _show_item(console, item)
        for trade in group.get("trades", ()):
            _show_trade(console, trade)


def _show_item(console: Console, item: Mapping[str, Any]) -> None:
    why = f", {rules_in_words(item['reason_code'])}" if item["reason_code"] else ""
    line(
        console,
        f"    item {item['item_key']}: {_number(item['usd_per_gpu_hour'])} ({item['state']}{why}); "
        f"captures of {item['snapshot_day']} by {item['route']}",
    )
    if not item["offers"]:
        line(console, "      its offers are not under these registers any more")
    for offer in item["offers"]:
        stated = f"{_number(offer['price_amount'])} {offer['currency']} per {offer['price_basis']}"
        line(
            console,
            f"      offer {offer['offer_id']}: {_number(offer['usd_per_gpu_hour'])} USD from {stated}, "
            f"{offer['price_step']}, seen {offer['observed_at']:%Y-%m-%d %H:%M} UTC",
        )
        _show_origin(console, offer)


def _show_trade(console: Console, trade: Mapping[str, Any]) -> None:
    out = f"; did not count: {rules_in_words(trade['reason_code'])}" if trade["reason_code"] else ""
    hours = f"{_number(trade['gpu_hours'])} GPU-hours"
    synthetic = "; synthetic" if trade["is_synthetic"] else ""
    line(
        console,
        f"    trade {trade['trade_id']}: {_number(trade['usd_per_gpu_hour'])} USD for {hours}, "
        f"{trade['trade_kind']}, {trade['traded_at']:%Y-%m-%d %H:%M} UTC{synthetic}{out}",
    )
    _show_origin(console, trade)


def _show_origin(console: Console, record: Mapping[str, Any]) -> None:
    """Stated words, the rule of each axis, and where the bytes are."""
    stated = record["stated"]
    words = [f"{name} {stated[key]!r}" for key, name in _STATED_SHOWN if stated.get(key)]
    line(
        console,
        f"        stated in row {dash(stated['stated_row_number'])}: {stated['price_text']!r}; {', '.join(words)}",
    )
    axes = [f"{axis} {one['value']} ({one['rule']})" for axis, one in record["axes"].items()]
    line(console, f"        read as: {', '.join(axes)}")
    capture = record["capture"]
    line(
        console,
        f"        capture {capture['capture_id']} of {capture['url']}, {capture['fetched_at']:%Y-%m-%d %H:%M} UTC",
    )
    line(
        console,
        f"        {capture['archive_path']} at {capture['archive_offset']}, sha256 {capture['sha256']}",
    )
    if not capture["is_intact"]:
        line(console, f"        NOT INTACT: {capture['problem']}", "bold red")


def _number(value: Decimal | None) -> str:
    """A stored number without the zeros at its end."""
    return "-" if value is None else canonical_decimal(value)


def _weight(value: Decimal | None) -> str:
    return "-" if value is None else f"{round_half_even(value * 100, 2)} %"
