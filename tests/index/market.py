"""A small market for tests of the ordered step: quotes by owner group and day, run through `run_day`.

Everything here is synthetic. Prices are USD per GPU-hour; times are noon UTC unless given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal

from gpurent.core.clock import at_utc
from index.formulas.robust import Estimate
from index.parameters import Methodology, load
from index.steps.observation import Capture, DayItem, DayTrade, Span
from index.steps.publication import NO_PARENTS, Parents
from index.steps.series import GradeDay, run_day
from index.steps.state import SeriesState

START = date(2026, 10, 1)
METHOD = load()

Price = Decimal | float | str


def day(number: int) -> date:
    """Day 0, 1, 2, … of the test market."""
    return START + timedelta(days=number)


def money(price: Price) -> Decimal:
    return Decimal(str(price)).quantize(Decimal("1e-9"))


def quote(
    group: str,
    price: Price,
    when: date,
    *,
    item: str = "",
    route: str | None = None,
    age: int = 0,
    currency: str = "USD",
    usd: Price | None = None,
    captures: Sequence[tuple[int, Price]] | None = None,
    offer_class: str = "list",
    operator_class: str = "NEO",
    place: str = "US",
    form_memory: str = "S080",
    converted: bool = False,
    marketplace: bool = False,
    host: str | None = None,
    offer_rows: int = 1,
    unit_step: bool = False,
    carried_from: date | None = None,
) -> DayItem:
    """One item of a group. `captures` are (hour, price) on the day; without them one capture at noon."""
    native = money(price)
    seen = carried_from or when
    taken = [Capture(at_utc(seen, hour), money(p)) for hour, p in captures or [(12, price)]]
    middle = sorted(capture.native for capture in taken)[(len(taken) - 1) // 2]
    below = [capture.at for capture in taken if capture.native <= middle]
    above = [capture.at for capture in taken if capture.native >= middle]
    operator = f"{group}{item}"
    key = "|".join((group, operator, host or operator, "H100", form_memory, "C", "NV", "VM", "OD", place))
    return DayItem(
        item_key=key,
        owner_group=group,
        operator_id=operator,
        host_operator_id=host or operator,
        operator_class=operator_class,
        chip="H100",
        form_memory=form_memory,
        lot="C",
        fabric="NV",
        scope="VM",
        term="OD",
        place=place,
        route=route or f"route_of_{group}",
        route_rank=1,
        offer_class=offer_class,
        offer_id=f"offer_{key}_{when}",
        usd=native if usd is None else money(usd),
        native=native,
        currency=currency,
        is_converted=converted,
        verified_at=at_utc(when - timedelta(days=age), 12),
        verified_age_days=age,
        snapshot_day=seen,
        capture_count=len(taken),
        offer_rows=offer_rows,
        first=taken[0],
        last=taken[-1],
        lowest=min(taken, key=lambda capture: capture.native),
        highest=max(taken, key=lambda capture: capture.native),
        at_or_below=Span(min(below), max(below)),
        at_or_above=Span(min(above), max(above)),
        is_marketplace=marketplace,
        host_count=None,
        offer_count=None,
        unit_step=unit_step,
    )


def trade(
    seller: str,
    price: Price,
    when: date,
    *,
    buyer: str = "buyer",
    hours: Price = 192,
    number: int = 0,
    agreement: str | None = None,
    kind: str = "billed_usage",
    term: str = "OD",
    lot: str = "C",
    arms_length: bool | None = True,
    administered: bool = False,
) -> DayTrade:
    """One trade of the day; `number` tells agreements of the same parties apart, `agreement` spans days."""
    return DayTrade(
        trade_key=f"{seller}-{buyer}-{when}-{number}",
        owner_group=seller,
        operator_id=seller,
        buyer=buyer,
        agreement=agreement or f"{when}-{number}",
        item_key=f"{seller}|traded",
        chip="H100",
        form_memory="S080",
        lot=lot,
        fabric="NV",
        scope="VM",
        term=term,
        place="US",
        day=when,
        usd=money(price),
        native=money(price),
        currency="USD",
        gpu_hours=Decimal(str(hours)),
        trade_kind=kind,
        is_arms_length=arms_length,
        is_administered=administered,
        is_confidential=False,
        is_synthetic=True,
    )


class Market:
    """A grade that is run day by day; remembers every day."""

    def __init__(self, method: Methodology = METHOD, grade_id: str = "g1") -> None:
        self.method = method
        self.grade_id = grade_id
        self.state = SeriesState()
        self.days: list[GradeDay] = []
        self.next_day = START

    def step(
        self,
        quotes: Mapping[str, Price] | Sequence[DayItem],
        trades: Sequence[DayTrade] = (),
        *,
        parents: Parents = NO_PARENTS,
        pool: Sequence[Estimate] = (),
        renamed: Mapping[str, str] | None = None,
        outage: bool = False,
    ) -> GradeDay:
        """The next day with one quote a group (a mapping), or with items as they are."""
        when = self.next_day
        items = (
            [quote(group, price, when) for group, price in quotes.items()]
            if isinstance(quotes, Mapping)
            else list(quotes)
        )
        # through its JSON, so that every test also checks that the state survives being stored
        pairs = self.state.recent_pairs  # these stand in `voices`, not in the JSON
        self.state = SeriesState.from_text(self.state.to_text())
        self.state.recent_pairs = pairs
        result = run_day(
            self.grade_id,
            self.state,
            items,
            trades,
            when,
            parents,
            self.method,
            renamed=renamed or {},
            outage=outage,
            counts_synthetic=True,
            pool=pool,
        )
        self.days.append(result)
        self.next_day = when + timedelta(days=1)
        return result

    def run(self, days: Sequence[Mapping[str, Price]]) -> list[GradeDay]:
        """Several days in a row; the results."""
        return [self.step(quotes) for quotes in days]


def reference(graded: GradeDay) -> Decimal:
    """ln R of a published day."""
    log = graded.outcome.reference_log
    assert log is not None, graded.outcome.reason
    return log


def hour(when: date, hours: int) -> datetime:
    return at_utc(when, hours)
