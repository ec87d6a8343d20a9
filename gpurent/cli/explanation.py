"""`explain` for people: a summary, or an indented walk from the price to the bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console

from gpurent.cli.explainsummary import WEIGHT_DECIMALS, age_of, number, show_exclusions, show_summary
from gpurent.cli.output import dash, line, percent, sample_line
from gpurent.core.errors import NotFoundError
from gpurent.publish.levels import Lack
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


def show_explanation(
    console: Console, document: Mapping[str, Any], missing: Sequence[Lack], *, is_short: bool
) -> None:
    """Print the document of `gpurent.publish.lineage.explain`; `missing` is what better levels lacked."""
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
    for lack in missing:
        line(console, str(lack))
    if is_short:
        show_summary(console, document)
        return
    for leg in ("advertised", "traded"):
        _show_leg(console, leg, price, document[leg])
    show_exclusions(console, document["exclusions"], is_short=False)


def only_of(document: dict[str, Any], voice: str) -> dict[str, Any]:
    """The document reduced to one owner group; NotFoundError names those there are."""
    wanted = voice.lower()
    legs = {
        leg: [group for group in document[leg] if group["owner_group"].lower() == wanted]
        for leg in ("advertised", "traded")
    }
    refused = [one for one in document["exclusions"] if (one["owner_group"] or "").lower() == wanted]
    if not (refused or any(legs.values())):
        groups = (*document["advertised"], *document["traded"], *document["exclusions"])
        names = sorted({group["owner_group"] for group in groups if group["owner_group"]})
        there = f"there are {', '.join(names)}" if names else "nobody was there that day"
        raise NotFoundError(f"{voice!r} is no owner group behind this price; {there}")
    return {**document, **legs, "exclusions": refused}


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
                f"  {group['owner_group']} {number(voice['usd_per_gpu_hour'])}, "
                f"weight {percent(voice['weight'], WEIGHT_DECIMALS)}, "
                f"{voice['state']}{why}, verified {age_of(voice['verified_age_days'])}",
            )
        for item in group.get("items", ()):
            _show_item(console, item, voice)
        for trade in group.get("trades", ()):
            _show_trade(console, trade)


def _show_item(console: Console, item: Mapping[str, Any], voice: Row | None) -> None:
    is_said = voice is not None and voice["reason_code"] == item["reason_code"]
    why = f", {rules_in_words(item['reason_code'])}" if item["reason_code"] and not is_said else ""
    line(
        console,
        f"    item {item['item_key']}: {number(item['usd_per_gpu_hour'])} ({item['state']}{why}); "
        f"captures of {item['snapshot_day']} by {item['route']}",
    )
    if not item["offers"]:
        line(console, "      its offers are not under these registers any more")
    for offer in item["offers"]:
        stated = f"{number(offer['price_amount'])} {offer['currency']} per {offer['price_basis']}"
        line(
            console,
            f"      offer {offer['offer_id']}: {number(offer['usd_per_gpu_hour'])} USD from {stated}, "
            f"{offer['price_step']}, seen {offer['observed_at']:%Y-%m-%d %H:%M} UTC",
        )
        _show_origin(console, offer)


def _show_trade(console: Console, trade: Mapping[str, Any]) -> None:
    out = f"; did not count: {rules_in_words(trade['reason_code'])}" if trade["reason_code"] else ""
    hours = f"{number(trade['gpu_hours'])} GPU-hours"
    synthetic = "; synthetic" if trade["is_synthetic"] else ""
    line(
        console,
        f"    trade {trade['trade_id']}: {number(trade['usd_per_gpu_hour'])} USD for {hours}, "
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
