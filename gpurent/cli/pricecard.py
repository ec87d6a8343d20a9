"""A price as people see it: one card, with a reason beside every dash."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from rich.console import Console

from gpurent.cli.output import card, dash, line, percent, sample_line
from gpurent.publish.rationale import percent as change_of
from gpurent.publish.words import codes, in_words, missing_reasons, why_withheld

Row = Mapping[str, Any]
Line = tuple[str, object, str]


def show_card(console: Console, price: Row, before: Row | None, notice: str | None) -> None:
    """Print a row of `reference_prices`; `before` is the last value before it, for the change."""
    sample_line(console, is_sample=notice is not None)
    line(console, price["grade_title"] or price["grade_code"], "bold")
    line(console, price["grade_code"])
    line(
        console,
        f"{price['day']}, vintage {price['vintage']}, {in_words('constructions', price['construction'])}; "
        f"published {price['published_at']:%Y-%m-%d %H:%M} UTC",
    )
    line(console)
    if price["status"] == "withheld":
        line(console, f"withheld: {why_withheld(price)} ({dash(price['reason_code'])})", "bold")
    if price["status"] == "held":
        line(console, in_words("statuses", "held"), "bold")
    reference, *others = _lines(price)
    console.print(card([reference, _change_line(price, before), *others]))
    for flag in codes(price["flags"]):
        line(console, f"{flag}: {in_words('flags', flag)}")
    line(console, "settlement-eligible" if price["settlement_eligible"] else "not settlement-eligible", "dim")


def _change_line(price: Row, before: Row | None) -> Line:
    if before is None or price["reference_log"] is None:
        return "change", None, ""
    since = "" if price["day"] - before["day"] == timedelta(days=1) else f"since {before['day']}"
    return "change", change_of(price["reference_log"] - before["reference_log"]), since


def _lines(price: Row) -> Iterator[Line]:
    """Name, value and remark; where there is no value the remark is why."""
    why = {column: in_words("empty", code) for column, code in missing_reasons(price).items()}

    def usd(name: str, remark: str) -> Line:
        column = f"{name.replace('-', '_')}_usd_per_gpu_hour"
        return name, price[column], why.get(column, "") if price[column] is None else remark

    yield usd("reference", f"USD per GPU-hour, {in_words('bases', price['basis'])}")
    level = f"{price['level']} {in_words('labels', price['label'])}"
    yield "level", level, in_words("levels", price["level"])
    yield "letter", price["letter"], why.get("letter", "")
    voices = f"{price['owner_group_count'] or 0} owner groups, {price['firm_count'] or 0} of them firm"
    yield usd("advertised", voices)
    yield usd("traded", f"{price['trade_count'] or 0} trades, {price['gpu_hours'] or 0} GPU-hours")
    yield "weight of traded", percent(price["trade_weight"]), why.get("trade_weight", "")
    yield usd("cross-section", "what the day's prices say alone")
    yield "index", price["index_value"], why.get("index_value", "")
    yield "same sellers", change_of(price["matched_change_log"]), why.get("matched_change_log", "")
    yield "tomorrow's catch-up", change_of(price["catch_up_log"]), ""
    yield "largest leave-one-out", change_of(price["max_leave_one_out"]), why.get("max_leave_one_out", "")
    if price.get("seller_quote_usd_per_gpu_hour") is not None:
        yield "the only seller asks", price["seller_quote_usd_per_gpu_hour"], "a quote, no reference"
