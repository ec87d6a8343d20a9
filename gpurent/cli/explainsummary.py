"""`explain` on one screen: who stands behind a price, what the trim left of each, and what did not count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import groupby
from typing import Any

from rich.console import Console

from gpurent.cli.output import dash, line, percent, table
from gpurent.core.ids import canonical_decimal
from gpurent.core.numbers import round_half_even
from gpurent.publish.words import codes, counted, in_words

Row = Mapping[str, Any]

BLANK = (" ",)
WEIGHT_DECIMALS = 2
_ADVERTISED = ("owner group", "USD", "weight", "in the mean", "verified", "items", "why")
_TRADED = ("seller", "USD", "weight", "newest", "GPU-hours", "why")


def show_summary(console: Console, document: Mapping[str, Any]) -> None:
    """The voices of both legs by price with A among them, what did not count, and how to see more."""
    price = document["price"]
    _show_advertised(console, price, document["advertised"])
    _show_traded(console, price, document["traded"])
    show_exclusions(console, document["exclusions"], is_short=True)
    line(console)
    captures = {one["capture"]["capture_id"]: one["capture"] for one in _records(document)}
    broken = sum(1 for capture in captures.values() if not capture["is_intact"])
    state = f"{broken} NOT INTACT" if broken else "all intact"
    line(
        console,
        f"{counted(len(captures), 'stored response')} behind it, {state}",
        "bold red" if broken else "dim",
    )
    line(console, "--voice NAME walks one owner group's way to the bytes, --full everybody's", "dim")


def show_exclusions(console: Console, exclusions: Sequence[Row], *, is_short: bool) -> None:
    """What did not count, a rule at a time: the rule in words once, then whose and at which price."""
    if not exclusions:
        return
    line(console)
    line(console, "did not count, or not at the price stated", "bold")
    ordered = sorted(exclusions, key=lambda one: (one["leg"], one["reason_code"]))
    for (leg, code), found in groupby(ordered, key=lambda one: (one["leg"], one["reason_code"])):
        records = list(found)
        noun = "offer" if leg == "advertised" else "trade"
        words = in_words("rules", code)
        line(console, f"  {counted(len(records), noun)}: {words} ({code})")
        if is_short:
            line(console, f"    {'; '.join(_ranges(records))}")
            continue
        for one in records:
            detail = f": {one['detail']}" if _adds_to(one["detail"], words) else ""
            line(
                console,
                f"    {one['owner_group']} {number(one['usd_per_gpu_hour'])} {one['record_id']}{detail}",
            )


def number(value: Decimal | None) -> str:
    """A stored number without the zeros at its end."""
    return "-" if value is None else canonical_decimal(value)


def age_of(days: int) -> str:
    """When it was verified."""
    return "today" if days == 0 else f"{counted(days, 'day')} ago"


def _show_advertised(console: Console, price: Row, groups: Sequence[Row]) -> None:
    voices = [group for group in groups if group["voice"] is not None]
    line(console)
    leg = f"advertised leg {dash(price['advertised_usd_per_gpu_hour'])}"
    how = "the mean of the middle half by weight of " if len(voices) > 1 else ""
    line(
        console, f"{leg}: {how}{counted(len(voices), 'voice')}" if voices else f"{leg}: nobody offers", "bold"
    )
    if not voices:
        return
    rows = [_voice_row(group) for group in voices]
    mean = price["advertised_usd_per_gpu_hour"]
    if mean is not None:
        place = sum(1 for group in voices if group["voice"]["usd_per_gpu_hour"] < mean)
        rows.insert(place, ("→ A", mean, *BLANK * 5))
    numbers = ("USD", "weight", "in the mean", "items")
    console.print(table(_ADVERTISED, rows, numbers=numbers))
    silent = [group["owner_group"] for group in groups if group["voice"] is None]
    if silent:
        line(console, f"no voice today: {', '.join(silent)}")


def _voice_row(group: Row) -> tuple[object, ...]:
    voice = group["voice"]
    used = [item for item in group["items"] if item["state"] != "excluded"]
    return (
        group["owner_group"],
        number(voice["usd_per_gpu_hour"]),
        percent(voice["weight"], WEIGHT_DECIMALS),
        _kept(voice["kept_part"]),
        age_of(voice["verified_age_days"]),
        len(used),
        _why(voice, used),
    )


def _kept(part: Decimal) -> str:
    if part == 0:
        return "cut"
    return "whole" if part == 1 else f"{round_half_even(part * 100, 0)} % of it"


def _why(voice: Row, items: Iterable[Row]) -> str:
    """The state where it is not plain, and the rules behind it, each once."""
    found = codes(voice["reason_code"])
    for item in items:
        found += [code for code in codes(item["reason_code"]) if code not in found]
    state = [in_words("states", voice["state"])] if voice["state"] in ("held", "pending") else []
    return "; ".join([*state, *(in_words("rules", code) for code in found)]) or BLANK[0]


def _show_traded(console: Console, price: Row, groups: Sequence[Row]) -> None:
    line(console)
    leg = f"traded leg {dash(price['traded_usd_per_gpu_hour'])}"
    if not groups:
        line(console, f"{leg}: no trades", "bold")
        return
    trades = f"{counted(price['trade_count'], 'trade')} in {counted(price['trade_window_days'], 'day')}"
    line(console, f"{leg}: {trades}, weight in the price {percent(price['trade_weight'])}", "bold")
    rows = [_seller_row(group) for group in groups]
    console.print(table(_TRADED, rows, numbers=("USD", "weight", "GPU-hours")))


def _seller_row(group: Row) -> tuple[object, ...]:
    voice = group["voice"]
    if voice is None:
        return (group["owner_group"], *BLANK * 4, "no trade of it counted")
    return (
        group["owner_group"],
        number(voice["usd_per_gpu_hour"]),
        percent(voice["weight"], WEIGHT_DECIMALS),
        age_of(voice["verified_age_days"]),
        number(voice["gpu_hours"]),
        _why(voice, ()),
    )


def _ranges(records: Sequence[Row]) -> Iterator[str]:
    """`runpod 1.99 to 3.29 (4)`: whose, at which price, how many."""
    counts = Counter(one["owner_group"] for one in records)
    for owner in sorted(counts):
        prices = [one["usd_per_gpu_hour"] for one in records if one["owner_group"] == owner]
        known = [price for price in prices if price is not None]
        span = "price not stated"
        if known:
            low, high = number(min(known)), number(max(known))
            span = low if low == high else f"{low} to {high}"
        yield f"{owner} {span}" + (f" ({counts[owner]})" if counts[owner] > 1 else "")


def _adds_to(detail: str | None, words: str) -> bool:
    """Whether a record's detail says more than the rule's words."""
    return bool(detail) and str(detail).partition(";")[0] not in words


def _records(document: Mapping[str, Any]) -> Iterator[Row]:
    for group in document["advertised"]:
        for item in group["items"]:
            yield from item["offers"]
    for group in document["traded"]:
        yield from group["trades"]
