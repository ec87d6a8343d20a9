"""What is published beside a grade's reference, with a remark each: what it means, or why it is empty."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpurent.publish.levels import same_sellers
from gpurent.publish.site.figures import DASH, change, share, shown, size, tidy
from gpurent.publish.site.reading import Row


@dataclass(frozen=True, slots=True)
class Fact:
    """A name (`term` where `words.toml` explains it), its value, and a remark."""

    name: str
    value: str
    remark: str
    term: str = ""


def make_facts(price: Row, why_empty: Mapping[str, str]) -> Iterator[Fact]:
    """The facts of a row of reference_prices; `why_empty` has the reason of every empty column."""
    yield from _levels(price, why_empty)
    yield from _confidence(price, why_empty)
    yield from _spread(price)


def _remark(price: Row, why_empty: Mapping[str, str], column: str, text: str) -> str:
    return text if price[column] is not None else why_empty.get(column, text)


def _levels(price: Row, why: Mapping[str, str]) -> Iterator[Fact]:
    column = "cross_section_usd_per_gpu_hour"
    says = _remark(price, why, column, "what the day’s prices say alone")
    yield Fact("Cross-section P", shown(price[column]), says, "cross_section")
    says = _remark(price, why, "matched_change_log", f"trimmed mean of {same_sellers(price)}")
    yield Fact("Same sellers M", change(price["matched_change_log"]), says, "matched_change")
    says = _remark(
        price, why, "index_value", "plain average of each same seller’s changes, 100 on the first day"
    )
    yield Fact("Index I", shown(price["index_value"]), says, "index")
    says = _remark(price, why, "catch_up_log", "what R would do on unchanged prices")
    yield Fact("Tomorrow’s catch-up", change(price["catch_up_log"]), says, "catch_up")


def _confidence(price: Row, why: Mapping[str, str]) -> Iterator[Fact]:
    width = price["change_20d_half_width"]
    spread = f"± {size(width)}" if width is not None else why.get("change_20d_half_width", "")
    yield Fact("Change in 20 days", change(price["change_20d_log"]), spread or why.get("change_20d_log", ""))
    says = _remark(price, why, "max_leave_one_out", "how far R would move without one owner group")
    yield Fact("Largest influence", size(price["max_leave_one_out"]), says, "leave_one_out")


def _spread(price: Row) -> Iterator[Fact]:
    middle = f"{price['p25']} to {price['p75']}" if price["p25"] is not None else DASH
    yield Fact("Middle half", middle, "of the voices, by weight")
    says = f"the heaviest has {share(price['top_share'])}"
    yield Fact("Effective voices", tidy(price["effective_n"], 1), says, "effective_voices")
    says = f"the largest has {share(price['top_route_share'])}"
    yield Fact("Effective routes", tidy(price["route_effective_n"], 1), says, "effective_routes")
    yield Fact("Left out", share(price["share_excluded"]), "of the items, by a filter")
    yield Fact("Prices changed", str(price["prices_changed_20d"] or 0), "of items, in 20 days")
    settles = "yes" if price["settlement_eligible"] else "no"
    says = "narrow grades at a sufficient level and letter"
    yield Fact("Settlement-eligible", settles, says, "settlement_eligible")
