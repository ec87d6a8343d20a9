"""A price as people see it: one card, with a reason beside every dash."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

from rich.console import Console

from gpurent.cli.output import card, dash, line, percent, sample_line
from gpurent.core.ids import canonical_decimal
from gpurent.publish.levels import Lack, same_sellers
from gpurent.publish.rationale import percent as change_of
from gpurent.publish.words import codes, counted, in_words, missing_reasons, why_withheld

Row = Mapping[str, Any]
Line = tuple[str, object, str]


def show_card(
    console: Console, price: Row, before: Row | None, notice: str | None, missing: Sequence[Lack]
) -> None:
    """Print a row of `reference_prices`; `before` is the last value before it, `missing` what levels lacked."""
    sample_line(console, is_sample=notice is not None)
    line(console, price["grade_title"] or price["grade_code"], "bold")
    line(console, price["grade_code"])
    line(console, f"{price['day']}, vintage {price['vintage']}, {_made(price)}")
    line(console)
    if price["status"] == "withheld":
        line(console, f"withheld: {why_withheld(price)} ({dash(price['reason_code'])})", "bold")
    if price["status"] == "held":
        line(console, in_words("statuses", "held"), "bold")
    reference, *others = _lines(price)
    console.print(card([reference, _change_line(price, before), *others]))
    for lack in missing:
        line(console, str(lack))
    for flag in codes(price["flags"]):
        line(console, f"{flag}: {in_words('flags', flag)}")
    line(console, "settlement-eligible" if price["settlement_eligible"] else "not settlement-eligible", "dim")


def _made(price: Row) -> str:
    """When a live value was published; a reconstructed one was never published at a time of its own."""
    if price["construction"] == "live":
        return f"live; published {price['published_at']:%Y-%m-%d %H:%M} UTC"
    computed = f"computed {price['known_at']:%Y-%m-%d %H:%M} UTC"
    return f"{computed}, {in_words('constructions', price['construction'])}"


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
    groups = counted(price["owner_group_count"], "owner group")
    yield usd("advertised", f"{groups}, {price['firm_count'] or 0} of them firm")
    hours = canonical_decimal(price["gpu_hours"] or Decimal(0))
    days = f" in {counted(price['trade_window_days'], 'day')}" if price["trade_window_days"] else ""
    yield usd("traded", f"{counted(price['trade_count'], 'trade')}{days}, {hours} GPU-hours")
    yield "weight of traded", percent(price["trade_weight"]), why.get("trade_weight", "")
    yield usd("cross-section", "what the day's prices say alone")
    yield "index", price["index_value"], why.get("index_value") or "each same seller's own changes, averaged"
    yield (
        "same sellers",
        change_of(price["matched_change_log"]),
        why.get("matched_change_log") or (f"the trimmed mean over {same_sellers(price)}"),
    )
    yield "tomorrow's catch-up", change_of(price["catch_up_log"]), ""
    yield "largest leave-one-out", change_of(price["max_leave_one_out"]), why.get("max_leave_one_out", "")
    if price.get("seller_quote_usd_per_gpu_hour") is not None:
        yield "the only seller asks", price["seller_quote_usd_per_gpu_hour"], "a quote, no reference"
