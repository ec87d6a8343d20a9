"""A small synthetic market, put into a warehouse through `append`: made up, marked synthetic, plausible in shape.

Six sellers advertise H100, H200 and B200 on three days; MI300X has two sellers, A100 one; one B200 series rests
on trades alone. One seller's source does not allow redistribution, one name would be a formula in a spreadsheet.
"""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

from gpurent.core.clock import RecordedClock, at_utc
from gpurent.core.ids import content_id, sha256_hex
from gpurent.core.numbers import round_half_even
from warehouse import Warehouse, open_warehouse
from warehouse.archive import open_archive
from warehouse.layout import Layout

DAYS = (date(2026, 7, 13), date(2026, 7, 14), date(2026, 7, 15))
REGISTERS = "reg_synthetic"
HIDDEN = "quiet_cloud"
FORMULA = "=cmd|' /c calc'!A1"


@dataclass(frozen=True)
class SyntheticGrade:
    """A grade, its sellers' prices on the first day in USD, and its state on all days."""

    grade_id: str
    code: str
    bucket: str
    title: str
    prices: dict[str, str]
    status: str = "published"
    reason: str | None = None
    level: int = 4
    label: str = "indicative"
    is_traded_only: bool = False

    @property
    def axes(self) -> dict[str, str]:
        names = ("chip", "form_memory", "lot", "fabric", "scope", "term", "place")
        return dict(zip(names, self.code.split("-")[:7], strict=True))

    @property
    def item_axes(self) -> dict[str, str]:
        """What a synthetic offer of this grade states: SXM, one GPU, container; the rest not stated."""
        memory = self.axes["form_memory"][1:]
        return {
            **self.axes,
            "form_memory": f"S{memory}",
            "lot": "A",
            "fabric": "NA",
            "scope": "CT",
            "place": "US",
        }


GRADES = (
    SyntheticGrade(
        "gr_h100",
        "H100-Y080-Y-YY-YY-OD-YY-J",
        "ALL",
        "H100 80 GB, any form, on demand",
        {
            "alpha_cloud": "2.10",
            "beta_gpu": "2.35",
            "gamma_hpc": "2.49",
            "delta_compute": "2.79",
            HIDDEN: "2.95",
            FORMULA: "3.40",
        },
    ),
    SyntheticGrade(
        "gr_h200",
        "H200-Y141-Y-YY-YY-OD-YY-H",
        "ALL",
        "H200 141 GB, any form, on demand",
        {"alpha_cloud": "3.05", "beta_gpu": "3.29", "gamma_hpc": "3.59", "delta_compute": "3.80"},
    ),
    SyntheticGrade(
        "gr_b200",
        "B200-Y180-Y-YY-YY-OD-YY-T",
        "ALL",
        "B200 180 GB, any form, on demand",
        {"alpha_cloud": "4.60", "beta_gpu": "5.10", "gamma_hpc": "5.49"},
    ),
    SyntheticGrade(
        "gr_b200_neo",
        "B200-Y180-Y-YY-YY-OD-YY-T",
        "NEO",
        "B200 180 GB, any form, on demand, neoclouds",
        {"alpha_cloud": "4.40", "beta_gpu": "4.55"},
        level=2,
        label="traded_only",
        is_traded_only=True,
    ),
    SyntheticGrade(
        "gr_mi300x",
        "MI300X-Y192-Y-YY-YY-OD-YY-C",
        "ALL",
        "MI300X 192 GB, any form, on demand",
        {"alpha_cloud": "1.99", "beta_gpu": "2.29"},
        status="withheld",
        reason="too_few_groups",
        level=6,
        label="withheld",
    ),
    SyntheticGrade(
        "gr_a100",
        "A100-Y080-Y-YY-YY-OD-YY-W",
        "ALL",
        "A100 80 GB, any form, on demand",
        {"alpha_cloud": "1.35"},
        status="withheld",
        reason="single_seller",
        level=6,
        label="withheld",
    ),
)


def make(path: Path, *, threads: int | None = None, days: tuple[date, ...] = DAYS) -> Warehouse:
    """A new warehouse at `path` with the market of `days`, its clock standing at the last cut-off."""
    clock = RecordedClock(at_utc(days[0], 0))
    warehouse = open_warehouse(path, clock=clock, threads=threads)
    fill(warehouse, clock, days)
    return warehouse


def copy_of(template: Path, path: Path) -> Warehouse:
    """A warehouse like the closed one at `template`, at `path`, with its archive; its clock at the last vintage."""
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(template, path)
    shutil.copytree(Layout(template).files, Layout(path).files)
    return open_warehouse(path, clock=RecordedClock(at_utc(DAYS[-1], 33)))


def fill(warehouse: Warehouse, clock: RecordedClock, days: tuple[date, ...] = DAYS) -> None:
    """Registers, then for each day the capture of every grade and the derived rows of vintage 1."""
    warehouse.append(
        "sources", [_source_row("open_list", "allowed"), _source_row("closed_list", "not_allowed")]
    )
    warehouse.append(
        "operators", [_operator_row(owner) for owner in sorted({o for g in GRADES for o in g.prices})]
    )
    warehouse.append("grades", [_grade_row(grade, days[0]) for grade in GRADES])
    warehouse.append("grade_specs", [_spec_row(days[0])])
    warehouse.append("spec_accepts", list(_accepts_rows()))
    warehouse.append("operator_evidence", list(_evidence_rows(days[0])))
    warehouse.append("operator_tiers", [_tier_row(days[0])])
    steps = [(at_utc(day, 5), day, True) for day in days] + [(at_utc(day, 33), day, False) for day in days]
    for instant, day, is_capture in sorted(steps):
        clock.advance_to(instant)
        if is_capture:
            warehouse.append("snapshots", [_snapshot(source, day) for source in ("open_list", "closed_list")])
            for grade in GRADES:
                _capture(warehouse, grade, day)
        else:
            derive(warehouse, day, "1", days)


def derive(
    warehouse: Warehouse, day: date, vintage: str, days: tuple[date, ...] = DAYS, factor: str = "1"
) -> None:
    """The derived rows of a day; `factor` multiplies every price, for a vintage that says something else."""
    times = Decimal(factor)
    with warehouse.transaction():
        for grade in GRADES:
            prices = {owner: _usd(price, day, days) * times for owner, price in grade.prices.items()}
            warehouse.append("items", list(_items(grade, prices, day, vintage)))
            warehouse.append("voices", list(_voices(grade, prices, day, vintage)))
            warehouse.append("contributions", list(_contributions(grade, prices, day, vintage)))
            warehouse.append("reference_prices", [_reference(grade, prices, day, vintage, days)])
        warehouse.append("exclusions", [_exclusion(day, vintage)])


def _usd(text: str, day: date, days: tuple[date, ...]) -> Decimal:
    """One per cent a day up from the first day's price."""
    return round_half_even(Decimal(text) * Decimal("1.01") ** (day - days[0]).days, 9)


def _grade_row(grade: SyntheticGrade, day: date) -> dict[str, object]:
    return {
        "grade_id": grade.grade_id,
        "spec_id": f"sp_{grade.grade_id}",
        "code": grade.code,
        "bucket": grade.bucket,
        "title": grade.title,
        "is_composite": True,
        "valid_from": day,
        "record_sha256": sha256_hex(grade.code.encode()),
    }


def _spec_row(day: date) -> dict[str, object]:
    """The specification of the first grade."""
    grade = GRADES[0]
    return {
        "spec_id": f"sp_{grade.grade_id}",
        "code": grade.code,
        "spec_version": "2026.1",
        "title": grade.title,
        **grade.axes,
        "status": "active",
        "is_composite": True,
        "valid_from": day,
        "record_sha256": sha256_hex(grade.code.encode()),
    }


def _accepts_rows() -> Iterator[dict[str, object]]:
    """What enters it, on two axes."""
    for axis, value in (("form_memory", "S080"), ("form_memory", "Z080"), ("term", "OD")):
        yield {
            "spec_id": f"sp_{GRADES[0].grade_id}",
            "axis": axis,
            "value": value,
            "record_sha256": sha256_hex(f"{axis}{value}".encode()),
        }


def _evidence_rows(day: date) -> Iterator[dict[str, object]]:
    """Three statements about alpha_cloud: one that counts, an uncited one, and one that came after all days."""
    after = DAYS[-1] + timedelta(days=10)
    for criterion, seen in (
        ("disk_wipe", day - timedelta(days=30)),
        ("rbac_sso", None),
        ("sla_uptime", after),
    ):
        yield {
            "evidence_id": f"evd_{criterion}",
            "operator_id": "alpha_cloud",
            "scope": "CT",
            "category": "security",
            "criterion": criterion,
            "result": "pass",
            "value": f"synthetic {criterion}",
            "source_class": "document",
            "origin": "synthetic",
            "confidence": 3,
            "is_cited": seen is not None,
            "is_synthetic": True,
            "observed_at": seen,
            "available_at": None if seen is None else at_utc(seen, 0),
            "url": f"https://pages.example/{criterion}",
            "record_sha256": sha256_hex(criterion.encode()),
        }


def _tier_row(day: date) -> dict[str, object]:
    """What follows from it."""
    first = day.replace(day=1)
    return {
        "operator_id": "alpha_cloud",
        "scope": "CT",
        "tier": "NR",
        "is_provisional": False,
        "is_synthetic": True,
        "score": 1.0,
        "score_low": 0.01,
        "score_high": 1.0,
        "coverage": 0.01,
        "reason": "coverage_below_gate: overall 0.010, security 0.050, reliability 0.000",
        "valid_from": first,
        "available_at": at_utc(first, 0),
        "scheme_version": "2026.1",
        "record_sha256": sha256_hex(b"tier"),
    }


def _operator_row(owner: str) -> dict[str, object]:
    return {
        "operator_id": owner,
        "name": owner,
        "operator_class": "NEO",
        "owner_group": owner,
        "is_cited": True,
        "url": "https://register.example/",
        "observed_on": date(2026, 1, 1),
        "valid_from": date(2026, 1, 1),
        "record_sha256": sha256_hex(owner.encode()),
        "available_at": at_utc(date(2026, 1, 1), 0),
    }


def _source_row(source_id: str, redistribution: str) -> dict[str, object]:
    return {
        "source_id": source_id,
        "title": f"synthetic {source_id}",
        "kind": "aggregator",
        "url": f"https://{source_id}.example/",
        "unit": "gpu_hour",
        "currency": "USD",
        "redistribution": redistribution,
        "cadence_hours": 24,
        "time_meaning": "observed",
        "fixture_origin": "rendered",
        "is_file_only": False,
        "record_sha256": sha256_hex(source_id.encode()),
    }


def _source(owner: str) -> str:
    return "closed_list" if owner == HIDDEN else "open_list"


def _snapshot(source: str, day: date) -> dict[str, object]:
    """The look of a day at a source: one list, read whole."""
    return {
        "snapshot_id": f"snap_{source}_{day}",
        "source_id": source,
        "list_key": "",
        "snapshot_at": at_utc(day, 4),
        "snapshot_day": day,
        "status": "complete",
        "stated_rows": sum(
            1 for g in GRADES for o in g.prices if _source(o) == source and not g.is_traded_only
        ),
        "available_at": at_utc(day, 4),
    }


def _capture(warehouse: Warehouse, grade: SyntheticGrade, day: date) -> None:
    """One archived document a grade and source; its rows as stated offers and offers (or one trade report)."""
    by_source: dict[str, list[str]] = {}
    for owner in grade.prices:
        by_source.setdefault(_source(owner), []).append(owner)
    for source, owners in sorted(by_source.items()):
        fetched = at_utc(day, 4)
        body, url = _body(grade, owners, day), _url(grade, source)
        capture_id = content_id("cap", source, url, fetched, sha256_hex(body))
        with open_archive(warehouse) as archive:
            stored = archive.store(
                source_id=source,
                run_id=f"run_{day}",
                capture_id=capture_id,
                url=url,
                body=body,
                fetched_at=fetched,
                http_status=200,
                media_type="application/json",
            )
        with warehouse.transaction():
            warehouse.append(
                "captures",
                [
                    {
                        "capture_id": capture_id,
                        "source_id": source,
                        "run_id": f"run_{day}",
                        "url": url,
                        "fetched_at": fetched,
                        "http_status": 200,
                        "media_type": "application/json",
                        "sha256": sha256_hex(body),
                        "size_bytes": len(body),
                        "archive_file": stored.archive_file,
                        "archive_offset": stored.archive_offset,
                        "record_file": stored.record_file,
                        "record_offset": stored.record_offset,
                        "record_length": stored.record_length,
                        "snapshot_id": f"snap_{source}_{day}",
                        "outcome": "read",
                        "accepted_rows": len(owners),
                        "rejected_rows": 0,
                        "available_at": fetched,
                    }
                ],
            )
            for number, owner in enumerate(owners, start=1):
                if grade.is_traded_only:
                    _trade(warehouse, grade, owner, capture_id, number, day)
                else:
                    _offer(warehouse, grade, owner, capture_id, number, fetched)


def _body(grade: SyntheticGrade, owners: list[str], day: date) -> bytes:
    rows = [
        {"seller": owner, "usd_per_gpu_hour": str(_usd(grade.prices[owner], day, DAYS))} for owner in owners
    ]
    return json.dumps({"synthetic": True, "grade": grade.title, "rows": rows}).encode()


def _url(grade: SyntheticGrade, source: str) -> str:
    return f"https://{source}.example/{grade.grade_id}.json"


def _offer(
    warehouse: Warehouse, grade: SyntheticGrade, owner: str, capture_id: str, number: int, at: datetime
) -> None:
    usd = _usd(grade.prices[owner], at.date(), DAYS)
    stated_id = content_id("stated", capture_id, number)
    common = {
        "stated_id": stated_id,
        "capture_id": capture_id,
        "source_id": _source(owner),
        "snapshot_id": f"snap_{_source(owner)}_{at.date()}",
        "sku": f"{grade.axes['chip']} SXM",
        "offer_class": "list",
        "price_amount": usd,
        "price_basis": "gpu_hour",
        "currency": "USD",
        "is_converted": False,
        "gpu_count": Decimal(1),
        "snapshot_at": at,
        "observed_at": at,
        "available_at": at,
    }
    warehouse.append(
        "stated_offers",
        [
            {
                **common,
                "row_number": number,
                "operator_text": owner,
                "chip_text": grade.axes["chip"],
                "form_text": "SXM",
                "scope_text": "container",
                "price_text": str(usd),
                "observed_at_from": "row",
            }
        ],
    )
    axes = grade.item_axes
    warehouse.append(
        "offers",
        [
            {
                **common,
                **axes,
                **{f"{axis}_rule": f"synthetic.{axis}" for axis in axes},
                "offer_id": content_id("of", stated_id),
                "route": _source(owner),
                "route_rank": 2,
                "operator_id": owner,
                "operator_rule": "alias",
                "host_operator_id": "",
                "price_step": "as_stated",
                "native_per_gpu_hour": usd,
                "usd_per_gpu_hour": usd,
                "is_marketplace": False,
                "snapshot_day": at.date(),
                "register_version": REGISTERS,
            }
        ],
    )


def _trade(
    warehouse: Warehouse, grade: SyntheticGrade, owner: str, capture_id: str, number: int, day: date
) -> None:
    usd = _usd(grade.prices[owner], day, DAYS)
    stated_id = content_id("stated", capture_id, number)
    trade_id = content_id("tr", stated_id)
    at = at_utc(day, 3)
    common = {
        "stated_id": stated_id,
        "capture_id": capture_id,
        "source_id": _source(owner),
        "reporter_id": "rep_synthetic",
        "trade_kind": "order",
        "sku": f"{grade.axes['chip']} SXM",
        "gpu_count": Decimal(8),
        "currency": "USD",
        "traded_at": at,
        "delivery_start": at,
        "delivery_end": at + timedelta(hours=6),
        "price_column": "price",
        "is_arms_length": True,
        "is_administered": False,
        "is_confidential": False,
        "is_synthetic": True,
        "available_at": at,
    }
    warehouse.append(
        "stated_trades",
        [
            {
                **common,
                "row_number": number,
                "reporter_side": "seller",
                "operator_text": owner,
                "buyer_text": "a buyer",
                "agreement_text": f"order {day} {number}",
                "price_text": str(usd),
                "cost_amount": usd * 48,
                "quantity": Decimal(48),
                "price_basis": "gpu_hour",
            }
        ],
    )
    axes = grade.item_axes
    warehouse.append(
        "trades",
        [
            {
                **common,
                **axes,
                **{f"{axis}_rule": f"synthetic.{axis}" for axis in axes},
                "trade_id": trade_id,
                "operator_id": owner,
                "operator_rule": "alias",
                "host_operator_id": "",
                "buyer_pseudonym": "buyer_1",
                "agreement_id": f"ag_{number}_{day}",
                "traded_at_from": "row",
                "gpu_hours": Decimal(48),
                "price_step": "as_stated",
                "native_per_gpu_hour": usd,
                "usd_per_gpu_hour": usd,
                "register_version": REGISTERS,
            }
        ],
    )
    warehouse.append(
        "graded_trades",
        [
            {
                "trade_id": trade_id,
                "grade_id": grade.grade_id,
                "day": day,
                "rule_id": "spec",
                "register_version": REGISTERS,
            }
        ],
    )


def _base(grade: SyntheticGrade, day: date, vintage: str) -> dict[str, object]:
    return {"day": day, "grade_id": grade.grade_id, "vintage": vintage}


def _leg(grade: SyntheticGrade) -> str:
    return "traded" if grade.is_traded_only else "advertised"


def _items(
    grade: SyntheticGrade, prices: dict[str, Decimal], day: date, vintage: str
) -> Iterator[dict[str, object]]:
    seen = at_utc(day, 4)
    for owner, usd in prices.items() if not grade.is_traded_only else ():
        yield {
            **_base(grade, day, vintage),
            **grade.item_axes,
            "leg": "advertised",
            "offer_id": _offer_id(grade, owner, day),
            "item_key": "|".join([owner, owner, "", *grade.item_axes.values()]),
            "owner_group": owner,
            "operator_id": owner,
            "host_operator_id": "",
            "route": _source(owner),
            "offer_class": "list",
            "usd_per_gpu_hour": usd,
            "observed_usd_per_gpu_hour": usd,
            "native_per_gpu_hour": usd,
            "currency": "USD",
            "is_converted": False,
            "state": "counted",
            "weight": round_half_even(Decimal(1) / len(prices), 15),
            "verified_at": seen,
            "verified_age_days": 0,
            "snapshot_day": day,
            "capture_count": 1,
            **{f"{which}_captured_at": seen for which in ("first", "last", "lowest", "highest")},
            **{f"{which}_native_per_gpu_hour": usd for which in ("first", "last", "lowest", "highest")},
            "is_marketplace": False,
        }


def _voices(
    grade: SyntheticGrade, prices: dict[str, Decimal], day: date, vintage: str
) -> Iterator[dict[str, object]]:
    for owner, usd in prices.items():
        yield {
            **_base(grade, day, vintage),
            "leg": _leg(grade),
            "owner_group": owner,
            "usd_per_gpu_hour": usd,
            "state": "held" if owner == "delta_compute" else "counted",
            "reason_code": "jump_pending" if owner == "delta_compute" else None,
            "weight": round_half_even(Decimal(1) / len(prices), 15),
            "weight_before_caps": round_half_even(Decimal(1) / len(prices), 15),
            "verified_age_days": 0,
            "item_count": 1,
            "is_firm": grade.is_traded_only,
            "routes": _source(owner),
            "is_public": owner != HIDDEN,
        }


def _contributions(
    grade: SyntheticGrade, prices: dict[str, Decimal], day: date, vintage: str
) -> Iterator[dict[str, object]]:
    if grade.status == "published":
        for owner in prices:
            yield {
                **_base(grade, day, vintage),
                "leg": _leg(grade),
                "owner_group": owner,
                "weight": round_half_even(Decimal(1) / len(prices), 15),
                "leave_one_out": Decimal("-0.012345678901"),
                "is_public": owner != HIDDEN,
            }


def _offer_id(grade: SyntheticGrade, owner: str, day: date) -> str:
    """The offer of an owner on a day, as `_capture` and `_offer` made it."""
    source = _source(owner)
    owners = [name for name in grade.prices if _source(name) == source]
    body = _body(grade, owners, day)
    capture_id = content_id("cap", source, _url(grade, source), at_utc(day, 4), sha256_hex(body))
    return content_id("of", content_id("stated", capture_id, owners.index(owner) + 1))


def _exclusion(day: date, vintage: str) -> dict[str, object]:
    """The H100 offer of `beta_gpu` once more, as if it had been refused."""
    return {
        **_base(GRADES[0], day, vintage),
        "record_id": _offer_id(GRADES[0], "beta_gpu", day),
        "owner_group": "beta_gpu",
        "leg": "advertised",
        "rule_id": "offer.stale",
        "reason_code": "stale",
        "detail": "last verified 9 days ago",
    }


def _reference(
    grade: SyntheticGrade, prices: dict[str, Decimal], day: date, vintage: str, days: tuple[date, ...]
) -> dict[str, object]:
    level_log = math.fsum(math.log(price) for price in prices.values()) / len(prices)
    log, usd = round_half_even(level_log, 12), round_half_even(math.exp(level_log), 4)
    is_first, is_out = day == days[0], grade.status == "published"
    missing = {"letter": "not_in_this_version", "level_ci_low": "not_in_this_version"}
    if not grade.is_traded_only:
        missing |= {"traded_usd_per_gpu_hour": "no_trades", "discount_log": "no_trades"}
    if not is_out:
        missing |= {"reference_usd_per_gpu_hour": "withheld"}
    row: dict[str, object] = {
        **_base(grade, day, vintage),
        "construction": "live",
        "status": grade.status,
        "reason_code": grade.reason,
        "level": grade.level,
        "reached_level": grade.level,
        "label": grade.label,
        "basis": "traded_equivalent" if grade.is_traded_only else "advertised",
        "flags": "start" if is_first and is_out else "",
        "not_computed": json.dumps(missing, sort_keys=True),
        "settlement_eligible": False,
        "owner_group_count": 0 if grade.is_traded_only else len(prices),
        "firm_count": 0,
        "offer_count": 0 if grade.is_traded_only else len(prices),
        "trade_count": len(prices) if grade.is_traded_only else 0,
        "gpu_hours": Decimal(48 * len(prices)) if grade.is_traded_only else Decimal(0),
        "matched_groups": 0 if is_first else len(prices),
        "route_effective_n": Decimal(1),
        "top_route_share": Decimal(1),
        "methodology_version": "1.0.0",
        "register_version": REGISTERS,
        "published_at": at_utc(day, 33),
    }
    if is_out:
        leg = "traded" if grade.is_traded_only else "advertised"
        row |= {
            "reference_usd_per_gpu_hour": usd,
            "reference_log": log,
            "cross_section_usd_per_gpu_hour": usd,
            "cross_section_log": log,
            "index_value": round_half_even(Decimal(100) * Decimal("1.01") ** (day - days[0]).days, 4),
            "matched_change_log": None if is_first else round_half_even(math.log(1.01), 12),
            f"{leg}_usd_per_gpu_hour": usd,
            f"{leg}_log": log,
            "trade_weight": Decimal(1) if grade.is_traded_only else Decimal(0),
            "catch_up_log": Decimal(0),
        }
    if grade.grade_id == "gr_h200":
        row |= {
            "letter": "B",
            "level_ci_low": round_half_even(usd * Decimal("0.95"), 4),
            "level_ci_high": round_half_even(usd * Decimal("1.06"), 4),
            "not_computed": json.dumps(
                {k: v for k, v in missing.items() if k not in ("letter", "level_ci_low")}
            ),
        }
    if grade.reason == "single_seller":
        row["seller_quote_usd_per_gpu_hour"] = usd
    return row
