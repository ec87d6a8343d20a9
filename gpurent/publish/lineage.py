"""From the number back to the bytes: voices, items, offers or trades, and the stored response that holds them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import cache
from itertools import groupby
from typing import Any

from gpurent.core.clock import at_utc
from gpurent.core.errors import CheckFailedError
from gpurent.core.ids import sha256_hex
from gpurent.core.numbers import round_half_even
from gpurent.publish.trim import kept_parts
from grades.match import operators_known
from index.methodologies import methodology_named
from index.parameters import Methodology
from warehouse import Warehouse
from warehouse.archive import open_archive
from warehouse.archive_reading import PART
from warehouse.sql_files import run_sql_dicts

PACKAGE = "gpurent.publish.sql"
KEPT_DECIMALS = 6
AXES = ("chip", "form_memory", "lot", "fabric", "scope", "term", "place")

Row = Mapping[str, Any]

_CAPTURE = (
    "capture_id",
    "source_id",
    "url",
    "fetched_at",
    "http_status",
    "sha256",
    "size_bytes",
    "archive_file",
    "archive_offset",
)
_STATED = (
    "stated_row_number",
    "operator_text",
    "host_text",
    "sku",
    "chip_text",
    "form_text",
    "memory_text",
    "fabric_text",
    "scope_text",
    "term_text",
    "place_text",
    "price_text",
)
_OFFER = (
    "offer_id",
    "offer_class",
    "snapshot_at",
    "observed_at",
    "usd_per_gpu_hour",
    "native_per_gpu_hour",
    "price_amount",
    "currency",
    "price_basis",
    "price_step",
    "gpu_count",
    "fx_day",
    "operator_rule",
)
_ITEM = (
    "item_key",
    "operator_id",
    "host_operator_id",
    "route",
    "state",
    "reason_code",
    "observed_usd_per_gpu_hour",
    "verified_at",
    "verified_age_days",
    "snapshot_day",
    "capture_count",
    "relabelled_from",
)
_TRADE = (
    "trade_id",
    "reason_code",
    "detail",
    "operator_id",
    "operator_rule",
    "reporter_id",
    "trade_kind",
    "buyer_pseudonym",
    "agreement_id",
    "traded_at",
    "delivery_start",
    "delivery_end",
    "gpu_hours",
    "usd_per_gpu_hour",
    "native_per_gpu_hour",
    "currency",
    "price_column",
    "price_step",
    "gpu_count",
    "fx_day",
    "is_synthetic",
    "grade_rule",
)


def explain(warehouse: Warehouse, price: Row) -> dict[str, Any]:
    """Everything behind a row of `reference_prices`, down to file and offset.

    `advertised` and `traded` list owner groups, each with its voice (None where nothing of it counted) and its
    items and offers, or its trades. `kept_part` of an advertised voice is the part of its weight that the trim left in
    A. `exclusions` are what did not count, each with the price it would have had. Every stored response is read
    and compared with its hash (`is_intact`).
    """
    parameters = {"day": price["day"], "grade_id": price["grade_id"], "vintage": price["vintage"]}
    voices = run_sql_dicts(warehouse, PACKAGE, "explain_voices", parameters)
    offers = run_sql_dicts(warehouse, PACKAGE, "explain_offers", parameters)
    _prepare_operators(warehouse, price)
    trades = run_sql_dicts(warehouse, PACKAGE, "explain_trades", parameters)
    capture = _capture_reader(warehouse)
    method = methodology_named(warehouse, price["methodology_version"])
    return {
        "price": dict(price),
        "advertised": _groups(
            _with_kept([voice for voice in voices if voice["leg"] == "advertised"], method),
            offers,
            "items",
            lambda rows: _items(rows, capture),
        ),
        "traded": _groups(
            (voice for voice in voices if voice["leg"] == "traded"),
            trades,
            "trades",
            lambda rows: [_trade(row, capture) for row in rows if row["trade_id"] is not None],
        ),
        "exclusions": run_sql_dicts(warehouse, PACKAGE, "explain_exclusions", parameters),
    }


def _with_kept(voices: Sequence[Row], method: Methodology) -> Iterator[Row]:
    prices, weights = ([voice[name] for voice in voices] for name in ("usd_per_gpu_hour", "weight"))
    parts = kept_parts(prices, weights, method.legs.trim_each_side)
    for voice, part in zip(voices, parts, strict=True):
        yield {**voice, "kept_part": round_half_even(part, KEPT_DECIMALS)}


def _prepare_operators(warehouse: Warehouse, price: Row) -> None:
    """Make `operators_known` as of the day's cut-off: which operators an owner group had."""
    day: date = price["day"]
    hour = methodology_named(warehouse, price["methodology_version"]).time.cut_off_hour_utc
    operators_known(warehouse, at_utc(day, hour), price["construction"] == "reconstructed")


def _groups(
    voices: Iterable[Row], rows: Sequence[Row], name: str, build: Callable[[list[Row]], list[dict[str, Any]]]
) -> list[dict[str, Any]]:
    """One entry an owner group, those with a voice first, in order of price."""
    by_group = {group: list(found) for group, found in groupby(rows, key=lambda row: row["owner_group"])}
    with_voice = [
        {
            "owner_group": voice["owner_group"],
            "voice": dict(voice),
            name: build(by_group.pop(voice["owner_group"], [])),
        }
        for voice in voices
    ]
    silent = [{"owner_group": group, "voice": None, name: build(found)} for group, found in by_group.items()]
    return with_voice + silent


def _items(rows: list[Row], capture: Callable[[Row], dict[str, Any]]) -> list[dict[str, Any]]:
    items = []
    for _, found in groupby(rows, key=lambda row: row["item_key"]):
        offers = list(found)
        first = offers[0]
        items.append(
            {
                **_chosen(first, _ITEM),
                "usd_per_gpu_hour": first["item_usd_per_gpu_hour"],
                **_chosen(first, AXES),
                "offers": [_offer(row, capture) for row in offers if row["offer_id"] is not None],
            }
        )
    return items


def _offer(row: Row, capture: Callable[[Row], dict[str, Any]]) -> dict[str, Any]:
    return {
        **_chosen(row, _OFFER),
        "axes": {axis: {"value": row[axis], "rule": row[f"{axis}_rule"]} for axis in AXES},
        "stated": _chosen(row, _STATED),
        "capture": capture(row),
    }


def _trade(row: Row, capture: Callable[[Row], dict[str, Any]]) -> dict[str, Any]:
    return {
        **_chosen(row, _TRADE),
        "axes": {axis: {"value": row[axis], "rule": row[f"{axis}_rule"]} for axis in AXES},
        "stated": _chosen(row, [name for name in _STATED if name != "host_text"]),
        "capture": capture(row),
    }


def _chosen(row: Row, names: Iterable[str]) -> dict[str, Any]:
    return {name: row[name] for name in names}


def _capture_reader(warehouse: Warehouse) -> Callable[[Row], dict[str, Any]]:
    """Describes a capture with the absolute path of its file, and whether the bytes there have its hash."""
    archive = open_archive(warehouse)

    @cache
    def problem(archive_file: str, offset: int, sha256: str) -> str | None:
        try:
            found = sha256_hex(archive.read(archive_file, offset).body)
        except CheckFailedError as error:
            return str(error)
        return None if found == sha256 else f"the bytes there have the hash {found}"

    def describe(row: Row) -> dict[str, Any]:
        path = (warehouse.layout.files / row["archive_file"]).absolute()
        part = path.with_name(path.name + PART)
        wrong = problem(row["archive_file"], row["archive_offset"], row["sha256"])
        return {
            **_chosen(row, _CAPTURE),
            "archive_path": str(part if not path.exists() and part.exists() else path),
            "is_intact": wrong is None,
            "problem": wrong,
        }

    return describe
