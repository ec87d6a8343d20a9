"""Made-up markets, rendered straight into a warehouse: what the two computations of the index are compared on.

A seed decides everything: who sells, by which routes, what goes wrong and when. The rows are rendered, no fact of
any real operator; they are meant to hit rules, rare ones too, far more often than a real market does.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from random import Random

from gpurent.core.clock import at_utc
from tests.warehouse.rows import fill
from warehouse import Warehouse

VERSION = "made-up"
LONG_AGO = date(2025, 1, 1)
EARLY = datetime(2025, 1, 1, tzinfo=UTC)
WIDE, NARROW, SPOT = "H100-wide", "H100-narrow", "H100-spot"
ACCEPTS = {
    WIDE: {
        "chip": ("H100",),
        "form_memory": ("S080", "P080", "Z080"),
        "lot": ("A", "C", "Z"),
        "fabric": ("NV", "ZZ"),
        "scope": ("VM", "ZZ"),
        "term": ("OD",),
        "place": ("*",),
    },
    NARROW: {
        "chip": ("H100",),
        "form_memory": ("S080",),
        "lot": ("A", "C"),
        "fabric": ("NV", "ZZ"),
        "scope": ("VM",),
        "term": ("OD",),
        "place": ("US", "ZZ"),
    },
    SPOT: {
        "chip": ("H100",),
        "form_memory": ("S080", "Z080"),
        "lot": ("A", "C", "Z"),
        "fabric": ("NV", "ZZ"),
        "scope": ("VM", "ZZ"),
        "term": ("SP",),
        "place": ("*",),
    },
}
GRADES = (
    (WIDE, "ALL", None),
    (WIDE, "T1", (WIDE, "ALL")),
    (WIDE, "T2", (WIDE, "ALL")),
    (WIDE, "NEO", (WIDE, "ALL")),
    (NARROW, "ALL", (WIDE, "ALL")),
    (NARROW, "T1", (NARROW, "ALL")),
    (NARROW, "T2", (WIDE, "T2")),
    (SPOT, "ALL", (WIDE, "ALL")),
)


@dataclass
class Product:
    """Something on sale: its axes, its price in the seller's currency, and how it misbehaves."""

    operator: str
    host: str
    currency: str
    native: Decimal
    axes: dict[str, str]
    offer_class: str
    is_marketplace: bool = False
    manner: str = "calm"
    away_until: date | None = None
    stepped_until: date | None = None
    step: Decimal = Decimal(1)

    def moves(self, random: Random, day: date) -> None:
        """Move on by one look: mostly nothing, small changes, jumps, unit steps, absences, relabels."""
        often = {"calm": 0.05, "lively": 0.35, "flicker": 0.0, "wild": 0.25}[self.manner]
        if self.manner == "flicker":
            self.native *= Decimal("1.12") if day.toordinal() % 2 else 1 / Decimal("1.12")
        elif random.random() < often:
            size = random.choice((0.01, 0.04, 0.1, 0.25) if self.manner != "wild" else (0.3, 0.6, 1.2))
            factor = 1 + size if random.random() < 0.5 else 1 / (1 + size)
            self.native *= Decimal(str(round(factor, 6)))
        self.native = min(max(self.native, Decimal("0.4")), Decimal(15)).quantize(Decimal("0.0001"))
        if random.random() < 0.01:
            self.step, self.stepped_until = (
                Decimal(random.choice((2, 8, 24))),
                day + timedelta(days=random.randint(0, 10)),
            )
        if random.random() < (0.12 if self.manner == "lively" else 0.02):
            self.away_until = day + timedelta(days=random.choice((0, 0, 1, 3, 12)))
        if random.random() < 0.01:
            axis, stated = random.choice((("fabric", "NV"), ("lot", "C"), ("place", "US")))
            missing = "Z" if axis == "lot" else "ZZ"
            self.axes = {**self.axes, axis: stated if self.axes[axis] == missing else missing}

    def stated(self, day: date) -> Decimal:
        is_stepped = self.stepped_until is not None and day <= self.stepped_until
        return self.native * (self.step if is_stepped else 1)


@dataclass
class Route:
    """A source, what it lists, how often it is looked at, and how well that goes."""

    name: str
    rank: int
    products: list[Product]
    looks: int
    failing: float
    is_partial: float
    silent_until: date | None = None
    delay_days: int = 0


@dataclass
class MadeUpMarket:
    """A market of a seed. `render(warehouse, first, days)` writes all its rows."""

    seed: int
    random: Random = field(init=False)
    routes: list[Route] = field(init=False)
    operators: list[dict[str, object]] = field(init=False)

    def __post_init__(self) -> None:
        self.random = random = Random(self.seed)
        number = random.randint(6, 14)
        self.operators = []
        for index in range(number):
            owner = f"g{index - 1}" if index and random.random() < 0.1 else f"g{index}"
            kind = random.choice(("NEO", "NEO", "HYP", "RES", "UNK"))
            self.operators.append({"operator_id": f"o{index}", "operator_class": kind, "owner_group": owner})
        self.operators.append({"operator_id": "m", "operator_class": "MKT", "owner_group": "gm"})
        self.operators += [
            {"operator_id": f"h{index}", "operator_class": "UNK", "owner_group": f"h{index}"}
            for index in range(6)
        ]
        products = [
            self._product(str(one["operator_id"]), str(one["operator_class"]))
            for one in self.operators[:number]
            for _ in range(random.choice((1, 1, 2, 3)))
        ]
        hosts = [self._product("m", "MKT", host=f"h{index}") for index in range(random.randint(2, 6))]
        self.routes = []
        for one in self.operators[:number]:
            own = [product for product in products if product.operator == one["operator_id"]]
            if random.random() < 0.6:
                self.routes.append(self._route(f"own-{one['operator_id']}", 1, own))
        for name, rank in (("broker", 2), ("list-a", 3), ("list-b", 3)):
            seen = [product for product in products if random.random() < 0.5]
            self.routes.append(self._route(name, rank, seen))
        self.routes.append(self._route("market", 1, hosts))

    def _product(self, operator: str, kind: str, host: str | None = None) -> Product:
        random = self.random
        manner = "flicker" if kind == "RES" else random.choice(("calm",) * 4 + ("lively", "wild"))
        return Product(
            operator=operator,
            host=host or operator,
            currency=random.choice(("USD", "USD", "USD", "EUR")),
            native=Decimal(str(round(random.uniform(1.6, 3.4), 2))),
            axes={
                "chip": "H100",
                "form_memory": random.choice(("S080", "S080", "S080", "P080", "Z080")),
                "lot": random.choice(("C", "C", "A", "Z")),
                "fabric": random.choice(("NV", "ZZ")),
                "scope": random.choice(("VM", "VM", "VM", "ZZ")),
                "term": random.choice(("OD",) * 6 + ("SP",)),
                "place": random.choice(("US", "US", "DE", "ZZ")),
            },
            offer_class="list" if kind == "RES" else random.choice(("list", "list", "firm")),
            is_marketplace=host is not None,
            manner=manner,
        )

    def _route(self, name: str, rank: int, products: list[Product]) -> Route:
        random = self.random
        return Route(
            name,
            rank,
            products,
            looks=random.choice((1, 1, 2, 3)),
            failing=random.choice((0.0, 0.02, 0.15)),
            is_partial=random.choice((0.0, 0.0, 0.1)),
            delay_days=random.choice((0, 0, 0, 2, 9)),
        )

    def render(self, warehouse: Warehouse, first: date, days: int) -> None:
        """Write registers, sources, and every day's looks and trades. The same seed writes the same rows."""
        self._registers(warehouse)
        self._sources(warehouse, first)
        outages = self._outages(first, days)
        rates = {"USD": Decimal(1), "EUR": Decimal("1.1")}
        offers: list[dict[str, object]] = []
        snapshots: list[dict[str, object]] = []
        for number in range(days):
            day = first + timedelta(days=number)
            rates["EUR"] *= Decimal(str(round(self.random.uniform(0.99, 1.01), 5)))
            for route in self.routes:
                if day not in outages:
                    self._looks(route, day, dict(rates), offers, snapshots)
        fill(warehouse, "offers", *offers)
        fill(warehouse, "snapshots", *snapshots)

    def _registers(self, warehouse: Warehouse) -> None:
        random = self.random
        common = {"known_at": EARLY, "valid_from": LONG_AGO, "valid_to": None}
        seen = {**common, "available_at": EARLY}
        fill(warehouse, "normalisations", {"register_version": VERSION, "known_at": EARLY})
        fill(
            warehouse,
            "operators",
            *(
                {"name": o["operator_id"], **o, "is_cited": o["operator_class"] != "UNK", **seen}
                for o in self.operators
            ),
        )
        rated = [o for o in self.operators if random.random() < 0.75]
        fill(
            warehouse,
            "operator_tiers",
            *(
                {
                    "operator_id": o["operator_id"],
                    "scope": "VM",
                    "tier": random.choice(("T1", "T1", "T2")),
                    **seen,
                    "superseded_at": None,
                }
                for o in rated
            ),
        )
        fill(
            warehouse,
            "grade_specs",
            *({"spec_id": code, "code": code, "status": "active", **common} for code in ACCEPTS),
        )
        fill(
            warehouse,
            "spec_accepts",
            *(
                {"spec_id": code, "axis": axis, "value": value, "known_at": EARLY}
                for code, axes in ACCEPTS.items()
                for axis, values in axes.items()
                for value in values
            ),
        )
        fill(
            warehouse,
            "grades",
            *(
                {
                    "grade_id": f"{code}.{bucket}",
                    "spec_id": code,
                    "code": code,
                    "bucket": bucket,
                    "parent_grade_id": None if parent is None else ".".join(parent),
                    "is_composite": code == WIDE,
                    **common,
                }
                for code, bucket, parent in GRADES
            ),
        )

    def _sources(self, warehouse: Warehouse, first: date) -> None:
        random = self.random
        fill(
            warehouse,
            "sources",
            *(
                {
                    "source_id": route.name,
                    "fixture_origin": random.choice(("recorded", "rendered")),
                    "is_file_only": random.random() < 0.1,
                    "first_live_success": random.choice((None, first - timedelta(days=3))),
                    "record_sha256": route.name,
                    "known_at": at_utc(first, random.choice((-48, 12))),
                }
                for route in self.routes
            ),
        )
        if random.random() < 0.6:
            fill(
                warehouse,
                "editions",
                {"construction": "live", "known_at": at_utc(first, random.choice((-30, 80)))},
            )

    def _outages(self, first: date, days: int) -> set[date]:
        random = self.random
        found: set[date] = set()
        for length in random.sample((0, 1, 1, 2, 4, 12), 2):
            start = first + timedelta(days=random.randint(3, days - 1))
            found |= {start + timedelta(days=number) for number in range(length)}
        return found

    def _looks(
        self,
        route: Route,
        day: date,
        rates: dict[str, Decimal],
        offers: list[dict[str, object]],
        snapshots: list[dict[str, object]],
    ) -> None:
        random = self.random
        if route.silent_until is not None and day <= route.silent_until:
            return
        if random.random() < 0.02:
            route.silent_until = day + timedelta(days=random.choice((0, 2, 6, 9)))
        hours = sorted(random.sample(range(1, 24), route.looks))
        for hour in hours:
            when = at_utc(day, hour, random.choice((0, 0, 24)))
            identity = f"{route.name}-{when.isoformat()}"
            status = "failed" if random.random() < route.failing else "complete"
            if status == "complete" and random.random() < route.is_partial:
                status = "partial"
            common = {"available_at": when, "known_at": when}
            snapshots.append(
                {
                    "snapshot_id": identity,
                    "source_id": route.name,
                    "list_key": "",
                    "snapshot_at": when,
                    "snapshot_day": day,
                    "status": status,
                    **common,
                }
            )
            if status == "failed":
                continue
            for place, product in enumerate(route.products):
                product.moves(random, day)
                is_away = product.away_until is not None and day <= product.away_until
                if is_away or (status == "partial" and random.random() < 0.5):
                    continue
                native = product.stated(day)
                offers.append(
                    {
                        "offer_id": f"{identity}-{place:02d}",
                        "source_id": route.name,
                        "snapshot_id": identity,
                        "route": route.name,
                        "route_rank": route.rank,
                        "operator_id": product.operator,
                        "host_operator_id": product.host,
                        "offer_class": product.offer_class,
                        "native_per_gpu_hour": native,
                        "usd_per_gpu_hour": (native * rates[product.currency]).quantize(Decimal("1e-9")),
                        "currency": product.currency,
                        **product.axes,
                        "is_marketplace": product.is_marketplace,
                        "host_count": None,
                        "offer_count": random.choice((None, 4, 9)) if product.is_marketplace else None,
                        "snapshot_at": when,
                        "snapshot_day": day,
                        "observed_at": when
                        - timedelta(days=route.delay_days if random.random() < 0.5 else 0),
                        "register_version": VERSION,
                        **common,
                    }
                )
