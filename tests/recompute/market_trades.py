"""The trades of a made-up market: few or many, with all that is wrong with reported trades."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from random import Random

from gpurent.core.clock import at_utc
from tests.recompute.market import VERSION, MadeUpMarket
from tests.warehouse.rows import fill
from warehouse import Warehouse

_ODD: tuple[dict[str, object], ...] = (
    {"is_administered": True},
    {"is_arms_length": False},
    {"is_confidential": True},
    {"is_synthetic": True},
    {"term": "1Y"},
    {"trade_kind": "quoted"},
    {"lot": "A"},
    {"scope": "MI"},
)


def render_trades(market: MadeUpMarket, warehouse: Warehouse, first: date, days: int) -> None:
    """Write trades for a part of the days, sold by the market's operators below what they ask."""
    random = Random(f"trades-{market.seed}")
    sellers = [str(one["operator_id"]) for one in market.operators[:9]]
    busy = random.choice((0, 0.4, 2, 4))
    starts, ends = sorted(random.sample(range(days), 2))
    if busy == 4:
        starts, ends = 0, days
    rows: list[dict[str, object]] = []
    for number in range(starts, ends):
        day = first + timedelta(days=number)
        for index in range(round(random.expovariate(1 / busy)) if busy else 0):
            rows.append(_trade(random, sellers, day, f"{number:03d}-{index:02d}"))
    fill(warehouse, "trades", *rows)


def _trade(random: Random, sellers: list[str], day: date, identity: str) -> dict[str, object]:
    price = Decimal(str(round(random.uniform(1.6, 2.6), 3)))
    if random.random() < 0.03:
        price *= random.choice((8, 24, 100))
    seller, when = random.choice(sellers), at_utc(day, random.randint(0, 23))
    row: dict[str, object] = {
        "trade_id": f"t-{identity}",
        "operator_id": seller,
        "host_operator_id": seller,
        "trade_kind": random.choice(("billed_usage", "contract")),
        "buyer_pseudonym": f"b{random.randint(0, 6)}",
        "agreement_id": f"a{random.randint(0, 9)}" if random.random() < 0.3 else f"of-{identity}",
        "traded_at": when,
        "delivery_start": when,
        "delivery_end": when + timedelta(hours=24),
        "gpu_hours": Decimal(random.choice((8, 24, 96, 192, 700, 2400))),
        "currency": "USD",
        "native_per_gpu_hour": price,
        "usd_per_gpu_hour": price,
        "fx_day": None,
        "gpu_count": None,
        "chip": "H100",
        "form_memory": random.choice(("S080", "S080", "Z080")),
        "lot": "C",
        "fabric": random.choice(("NV", "ZZ")),
        "scope": random.choice(("VM", "VM", "ZZ")),
        "term": random.choice(("OD",) * 5 + ("SP",)),
        "place": random.choice(("US", "DE")),
        "is_arms_length": random.choice((True, None)),
        "is_administered": False,
        "is_confidential": False,
        "is_synthetic": False,
        "register_version": VERSION,
        "available_at": when,
        "known_at": when,
    }
    return {**row, **random.choice(_ODD)} if random.random() < 0.06 else row
