"""Which prices an entry of RunPod's `gpuTypes` states: by cloud and term, with the stock where it is told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from collectors.reasons import RowError
from collectors.values import Row, flag, number, optional, optional_number, text

# a price per month would be hundreds of times the hourly one; a discount never makes it dearer
_NOT_HOURLY = 20


@dataclass(frozen=True, slots=True)
class Stated:
    """A price field: where it stands in the row, its cloud (None where the source does not say) and its term."""

    field: str
    cloud: str | None
    term: str


PRICES = (
    Stated("securePrice", "secure", "on-demand"),
    Stated("communityPrice", "community", "on-demand"),
    Stated("secureSpotPrice", "secure", "spot"),
    Stated("communitySpotPrice", "community", "spot"),
    Stated("oneMonthPrice", None, "1 month"),
    Stated("threeMonthPrice", None, "3 months"),
    Stated("minimumBidPrice", None, "interruptible"),
)
_LISTS = {"securePrice", "communityPrice"}


def refuse_what_is_no_gpu(row: Row) -> None:
    """Raises RowError for the entry `unknown` and for slices of a GPU."""
    gpu = text(row, "id")
    words = f" {gpu} {row.get('displayName')} ".lower()
    if gpu.lower() == "unknown":
        raise RowError("not_a_gpu", "the entry `unknown` stands for no GPU type")
    if " mig " in words or "mig-" in words:
        raise RowError("gpu_slice", f"{gpu} is a slice of a GPU")


def with_bid_floor(row: Row) -> Row:
    """The entry with the bid floor of its `lowestPrice`, where it states no spot price of its own."""
    lowest = row.get("lowestPrice")
    has_spot = any(optional(row, stated.field) is not None for stated in PRICES if stated.term == "spot")
    if has_spot or not isinstance(lowest, dict):
        return row
    return {**row, "minimumBidPrice": lowest.get("minimumBidPrice")}


def prices_of(row: Row) -> Iterator[tuple[Stated, RowError | None]]:
    """Every price the entry could state, with the reason where it is not offered.

    A list price is always one of two: absent, it is not offered. Others are passed over where they are absent.
    """
    for stated in PRICES:
        if optional(row, stated.field) is None:
            if stated.field in _LISTS:
                yield stated, RowError("not_offered", f"{stated.field} is empty")
        elif stated.cloud is not None and flag(row, f"{stated.cloud}Cloud") is False:
            yield stated, RowError("not_offered", f"{stated.field}: it is not in the {stated.cloud} cloud")
        else:
            yield stated, _doubt(row, stated)


def stock_of(row: Row, stated: Stated) -> str | None:
    """The stock the answer tells for a cloud (High, Medium, Low); None when it tells none."""
    told = row.get(stated.cloud or "")
    if isinstance(told, dict):
        return told.get("stockStatus")
    lowest = row.get("lowestPrice")
    if isinstance(lowest, dict) and stated.field in _LISTS:
        # without a cloud in the question, the answer is about the cheaper one
        is_about_this = optional_number(lowest, "uninterruptablePrice") == optional_number(row, stated.field)
        return lowest.get("stockStatus") if is_about_this else None
    return None


def _doubt(row: Row, stated: Stated) -> RowError | None:
    hourly = optional_number(row, "securePrice") or optional_number(row, "communityPrice")
    if stated.cloud is None and hourly and number(row, stated.field) > hourly * _NOT_HOURLY:
        return RowError("wrong_unit", f"{stated.field} is {row[stated.field]}, hardly a price per hour")
    return None
