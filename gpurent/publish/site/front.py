"""The front page: today's prices, the market at a glance, and what is withheld."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from gpurent.publish.site.figures import DASH, change, direction, share, shown
from gpurent.publish.site.names import grade_page
from gpurent.publish.site.reading import Row, SiteData, long_day
from gpurent.publish.site.scale import Scale, scale_of
from gpurent.publish.site.sparkline import sparkline_path
from gpurent.publish.words import codes, counted, in_words, missing_reasons, why_withheld

_EXPLAINED = {
    "letter": "Letter",
    "advertised_usd_per_gpu_hour": "Advertised",
    "traded_usd_per_gpu_hour": "Traded",
}
SPARKLINE_DAYS = 30
_CLASSES = frozenset({"HYP", "NEO", "MKT", "RES"})


@dataclass(frozen=True, slots=True)
class Code:
    """A grade code with its bucket, as far as the page needs it."""

    text: str

    @property
    def chip(self) -> str:
        return self.text.partition("-")[0]

    @property
    def bucket(self) -> str:
        return self.text.partition(".")[2]

    @property
    def term(self) -> str:
        parts = self.text.partition(".")[0].split("-")
        return parts[5] if len(parts) > 5 else ""

    @property
    def is_open(self) -> bool:
        """Whether the specification takes any lot, service scope and place: the widest view of a chip."""
        parts = self.text.partition(".")[0].split("-")
        return len(parts) > 6 and (parts[2], parts[4], parts[6]) == ("Y", "YY", "YY")


_GROUPS: tuple[tuple[str, Callable[[Code], bool]], ...] = (
    ("On demand, all operators", lambda code: code.bucket == "ALL" and code.term != "SP" and code.is_open),
    (
        "Interruptible, all operators",
        lambda code: code.bucket == "ALL" and code.term == "SP" and code.is_open,
    ),
    ("Narrow specifications, all operators", lambda code: code.bucket == "ALL"),
    ("By class of operator", lambda code: code.bucket in _CLASSES),
    ("By tier of operator", lambda code: True),
)


@dataclass(frozen=True, slots=True)
class Line:
    """One grade with a value today."""

    code: Code
    page: str
    price: Row
    change: str
    change_since: str
    direction: str
    sparkline: str
    why_empty: Mapping[str, str]
    flags: Sequence[str]

    def cell(self, column: str) -> str:
        """The number as published, or a dash."""
        return shown(self.price[column])

    @property
    def weight(self) -> str:
        return share(self.price["trade_weight"])


@dataclass(frozen=True, slots=True)
class Withheld:
    """The grades withheld for one reason: their rows, each with its page."""

    why: str
    lines: Sequence[tuple[Row, str]]


@dataclass(frozen=True, slots=True)
class Mark:
    """One grade on the market's axis: places are per cent of its width, None where there is no such number."""

    title: str
    page: str
    level: int
    value: str
    reference: float
    advertised: float | None
    traded: float | None
    low: float | None
    high: float | None
    says: str


@dataclass(frozen=True, slots=True)
class Market:
    """Today's references on one logarithmic axis."""

    marks: Sequence[Mark]
    ticks: Sequence[tuple[str, float]]
    has_trades: bool
    has_intervals: bool


@dataclass(frozen=True, slots=True)
class Front:
    """What the front page shows."""

    groups: Sequence[tuple[str, Sequence[Line]]]
    withheld: Sequence[Withheld]
    market: Market | None
    day_count: int

    @property
    def value_count(self) -> int:
        return sum(len(lines) for _, lines in self.groups)

    @property
    def sparkline_days(self) -> str:
        """Over how many days the small lines go: as many as there are, 30 at most."""
        return counted(min(self.day_count, SPARKLINE_DAYS), "day")

    @property
    def withheld_count(self) -> int:
        return sum(len(group.lines) for group in self.withheld)

    @property
    def dash_notes(self) -> list[str]:
        """Why there are dashes in the table, one sentence a column and reason."""
        found = {
            (name, line.why_empty[column])
            for _, lines in self.groups
            for line in lines
            for column, name in _EXPLAINED.items()
            if column in line.why_empty
        }
        return [f"{name} {DASH}: {why}." for name, why in sorted(found)]


def make_front(site: SiteData) -> Front:
    """The front page of a day."""
    lines = [
        make_line(price, site.series[price["grade_id"]])
        for price in site.today
        if price["status"] != "withheld"
    ]
    groups = _grouped(lines)
    return Front(
        groups=groups,
        withheld=_withheld(price for price in site.today if price["status"] == "withheld"),
        market=_market(groups[0][1]) if groups and groups[0][0] == _GROUPS[0][0] else None,
        day_count=max((len(rows) for rows in site.series.values()), default=0),
    )


def make_line(price: Row, rows: Sequence[Row]) -> Line:
    """A grade's line; `rows` are its days up to today."""
    code = Code(code_of(price))
    moved, since = last_change(price, rows)
    recent = [row["reference_usd_per_gpu_hour"] for row in rows[-SPARKLINE_DAYS:]]
    return Line(
        code=code,
        page=grade_page(code.text),
        price=price,
        change=change(moved),
        change_since=since,
        direction=direction(moved),
        sparkline=sparkline_path(recent),
        why_empty={column: in_words("empty", why) for column, why in missing_reasons(price).items()},
        flags=[in_words("flags", flag) for flag in codes(price["flags"])],
    )


def code_of(price: Row) -> str:
    """The code of a grade; its id where the registers do not name it any more."""
    return price["grade_code"] or price["grade_id"]  # type: ignore[no-any-return]


def last_change(price: Row, rows: Sequence[Row]) -> tuple[Decimal | None, str]:
    """The change in logs since the last value, and since when where that was not yesterday."""
    before = [row for row in rows[:-1] if row["reference_log"] is not None]
    if not before or price["reference_log"] is None:
        return None, ""
    is_yesterday = before[-1]["day"] == price["day"] - timedelta(days=1)
    since = "" if is_yesterday else f"since {long_day(before[-1]['day'])}"
    return price["reference_log"] - before[-1]["reference_log"], since


def _grouped(lines: Iterable[Line]) -> list[tuple[str, Sequence[Line]]]:
    """Lines under the first heading that fits, in order of code; headings without lines are left out."""
    found: dict[str, list[Line]] = {heading: [] for heading, _ in _GROUPS}
    for line in sorted(lines, key=lambda one: one.code.text):
        found[next(heading for heading, fits in _GROUPS if fits(line.code))].append(line)
    return [(heading, group) for heading, group in found.items() if group]


def _withheld(prices: Iterable[Row]) -> list[Withheld]:
    """By reason, the rarest first: what nearly has a price is of more interest than what nobody offers."""
    found: dict[str, list[tuple[Row, str]]] = {}
    for price in prices:
        found.setdefault(why_withheld(price), []).append((price, grade_page(code_of(price))))
    return [
        Withheld(why, rows) for why, rows in sorted(found.items(), key=lambda pair: (len(pair[1]), pair[0]))
    ]


def _market(lines: Sequence[Line]) -> Market | None:
    """Dearest first. None where fewer than three grades have a value: a picture of two says nothing."""
    shown_lines = [line for line in lines if line.price["reference_usd_per_gpu_hour"] is not None]
    if len(shown_lines) < 3:
        return None
    columns = ("reference_usd_per_gpu_hour", "advertised_usd_per_gpu_hour", "traded_usd_per_gpu_hour",
               "level_ci_low", "level_ci_high")  # fmt: skip
    scale = scale_of([line.price[c] for line in shown_lines for c in columns if line.price[c] is not None])
    names = Counter(_short(line) for line in shown_lines)
    marks = [_mark(line, scale, is_short=names[_short(line)] == 1) for line in shown_lines]
    return Market(
        marks=sorted(marks, key=lambda mark: (-mark.reference, mark.title)),
        ticks=scale.ticks,
        has_trades=any(mark.traded is not None for mark in marks),
        has_intervals=any(mark.low is not None for mark in marks),
    )


def _short(line: Line) -> str:
    """The title up to its first comma: chip and memory."""
    return str(line.price["grade_title"] or line.code.text).partition(",")[0]


def _mark(line: Line, scale: Scale, *, is_short: bool) -> Mark:
    price, place = line.price, scale.place
    reference = place(price["reference_usd_per_gpu_hour"])
    has_interval = price["level_ci_low"] is not None and price["level_ci_high"] is not None
    says = [f"reference {price['reference_usd_per_gpu_hour']} USD per GPU-hour"]
    says += [
        f"{leg} {price[f'{leg}_usd_per_gpu_hour']}"
        for leg in ("advertised", "traded")
        if price[f"{leg}_usd_per_gpu_hour"] is not None
    ]
    if has_interval:
        says.append(f"interval {price['level_ci_low']} to {price['level_ci_high']}")
    return Mark(
        title=_short(line) if is_short else price["grade_title"] or line.code.text,
        page=line.page,
        level=price["level"],
        value=line.cell("reference_usd_per_gpu_hour"),
        reference=reference or 0.0,
        advertised=place(price["advertised_usd_per_gpu_hour"]),
        traded=place(price["traded_usd_per_gpu_hour"]),
        low=place(price["level_ci_low"]) if has_interval else None,
        high=place(price["level_ci_high"]) if has_interval else None,
        says=", ".join(says),
    )
