"""The page of a grade: its value with both legs, who stands behind it, who does not, and every day before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from gpurent.core.errors import UsageError
from gpurent.publish.levels import Lack, lacks
from gpurent.publish.site.figures import DASH, change, share, shown, size, tidy
from gpurent.publish.site.front import Line, code_of, make_line
from gpurent.publish.site.gradecharts import chart_columns, legs_in_words, series_in_words
from gpurent.publish.site.gradefacts import Fact, make_facts
from gpurent.publish.site.names import Owners, file_name, grade_page
from gpurent.publish.site.reading import Row, SiteData
from gpurent.publish.site.voicerows import Refusal, Strip, Voice, make_refusals, make_strip, make_voices
from gpurent.publish.words import all_words, counted, in_words, values_in_words, why_withheld
from grades.grade_code import describe, parse_code

HISTORY_SHOWN = 90

_PARTS: Mapping[str, str] = {
    "price": "same sellers changed their prices",
    "fx": "exchange rates",
    "entry": "sellers came",
    "exit": "sellers went",
    "mix": "other items, ages and weights of the same sellers",
    "regrade": "operators changed class or tier",
    "traded": "trades",
    "method": "a change of method",
    "carry_over": "yesterday's catch-up",
}


@dataclass(frozen=True, slots=True)
class Day:
    """A day of the history."""

    row: Row
    change: str

    def cell(self, column: str) -> str:
        return shown(self.row[column])

    @property
    def why(self) -> str:
        return why_withheld(self.row) if self.row["status"] != "published" else ""

    @property
    def weight(self) -> str:
        return share(self.row["trade_weight"])


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis of the specification in words."""

    name: str
    value: str
    meaning: str
    accepts: str


@dataclass(frozen=True, slots=True)
class Sibling:
    """Another bucket of the same specification."""

    bucket: str
    meaning: str
    page: str
    value: str
    is_here: bool


class GradePage:
    """Everything the template shows of one grade."""

    def __init__(self, site: SiteData, rows: Sequence[Row], owners: Owners) -> None:
        self._site = site
        self._rows = rows
        self._owners = owners
        self.price = rows[-1]
        self.grade_id: str = self.price["grade_id"]
        self.line: Line = make_line(self.price, rows)
        self.code = code_of(self.price)
        self.title: str = self.price["grade_title"] or self.code
        self.page = grade_page(self.code)
        self.file = file_name(self.code)
        self.record = site.grades.get(self.grade_id)

    @cached_property
    def is_withheld(self) -> bool:
        return self.price["reference_usd_per_gpu_hour"] is None

    @property
    def why(self) -> str:
        return why_withheld(self.price)

    @property
    def lacks(self) -> list[Lack]:
        """What the day lacked for a better level."""
        return lacks(self.price, self._site.methodology)

    @cached_property
    def from_first_value(self) -> Sequence[Row]:
        """The days from the first one with a value on; empty for a grade that never had one."""
        start = next(
            (n for n, row in enumerate(self._rows) if row["reference_usd_per_gpu_hour"] is not None), None
        )
        return [] if start is None else self._rows[start:]

    @property
    def has_series(self) -> bool:
        return bool(self.from_first_value)

    @cached_property
    def last_value(self) -> Row | None:
        """The newest day with a value, where that is not today."""
        if not self.is_withheld:
            return None
        return next(
            (row for row in reversed(self._rows) if row["reference_usd_per_gpu_hour"] is not None), None
        )

    @property
    def interval(self) -> str:
        low, high = self.price["level_ci_low"], self.price["level_ci_high"]
        if low is not None and high is not None:
            return f"{low} to {high}"
        return self.line.why_empty.get("level_ci_low", "")

    @property
    def has_interval(self) -> bool:
        return self.price["level_ci_low"] is not None

    @property
    def traded_share(self) -> float:
        """Weight of the traded leg in per cent, for the bar."""
        return float((self.price["trade_weight"] or Decimal(0)) * 100)

    @property
    def legs(self) -> Iterator[tuple[str, str, str, str]]:
        """Leg, value, weight, and what it rests on or why it is empty."""
        price, why = self.price, self.line.why_empty
        weight = price["trade_weight"]
        offers = (
            f"{counted(price['owner_group_count'], 'owner group')}, {price['firm_count'] or 0} of them firm"
        )
        trades = f"{counted(price['trade_count'], 'trade')}, {tidy(price['gpu_hours'], 0)} GPU-hours"
        for leg, of, rests in (
            ("advertised", None if weight is None else 1 - weight, offers),
            ("traded", weight, trades),
        ):
            column = f"{leg}_usd_per_gpu_hour"
            value = price[column]
            yield leg, shown(value), share(of), rests if value is not None else why.get(column, "")

    @property
    def discount(self) -> str:
        """How far trades lie from the same sellers' own offers, or why that is not known."""
        log, error = self.price["discount_log"], self.price["discount_se"]
        if log is None:
            why = self.line.why_empty.get("discount_log")
            return f"How far trades lie from offers is not known: {why}." if why else ""
        side = "below" if log < 0 else "above"
        spread = f", give or take {size(error)}" if error is not None else ""
        return f"Trades lie {size(log)} {side} the same sellers’ own offers{spread}."

    @property
    def facts(self) -> list[Fact]:
        """What is published beside the reference; empty ones say why."""
        return list(make_facts(self.price, self.line.why_empty))

    @property
    def moved(self) -> Iterator[tuple[str, str]]:
        """Why R moved today: parts that are not zero, then the total. Nothing where it is not attributed."""
        rows = self._site.attributions.get(self.grade_id, [])
        for row in rows:
            for part, words in _PARTS.items():
                if row[part]:
                    yield words, change(row[part])
            yield "together", change(row["total"])

    @cached_property
    def voices(self) -> list[tuple[str, list[Voice]]]:
        """The voices by leg, the heaviest first."""
        return make_voices(self._voice_rows, self._owners, self._site.methodology.legs.trim_each_side)

    @cached_property
    def strip(self) -> Strip | None:
        """The voices of the advertised leg on one axis, with A among them."""
        each_side = self._site.methodology.legs.trim_each_side
        return make_strip(
            self._voice_rows, self._owners, each_side, self.price["advertised_usd_per_gpu_hour"]
        )

    @property
    def has_numbered(self) -> bool:
        """Whether a voice stands there under a number."""
        return any(not voice.owner.is_named for _, voices in self.voices for voice in voices)

    @property
    def _voice_rows(self) -> Sequence[Row]:
        return self._site.voices.get(self.grade_id, [])

    @cached_property
    def refusals(self) -> list[Refusal]:
        """What did not count."""
        return make_refusals(self._site.exclusions.get(self.grade_id, []), self._owners)

    @cached_property
    def history(self) -> list[Day]:
        """The newest days first."""
        days, before = [], None
        for row in self._rows:
            log = row["reference_log"]
            days.append(Day(row, DASH if log is None or before is None else change(log - before)))
            before = log if log is not None else before
        return days[::-1][:HISTORY_SHOWN]

    @property
    def axes(self) -> list[Axis]:
        """The specification axis by axis; empty for a code that is none of this vocabulary."""
        try:
            parsed = parse_code(self.code)
        except UsageError:
            return []
        words = describe(parsed)
        accepts = self._site.accepts.get(self.record["spec_id"], {}) if self.record else {}
        return [
            Axis(
                name=name.replace("_", " and ").capitalize(),
                value=value,
                meaning=words[name],
                accepts=values_in_words(name, accepts.get(name, [])),
            )
            for name, value in zip(tuple(words)[:-1], parsed.axes, strict=True)
        ]

    @property
    def bucket_words(self) -> str:
        try:
            return describe(parse_code(self.code))["bucket"]
        except UsageError:
            return self.code.partition(".")[2]

    @property
    def bucket_term(self) -> str:
        """The bucket where `words.toml` explains it as a term; empty where its words do."""
        return self.line.code.bucket if self.line.code.bucket in all_words()["terms"] else ""

    @property
    def siblings(self) -> list[Sibling]:
        """All buckets of this specification, this one among them."""
        spec = self.code.partition(".")[0]
        found = []
        for rows in self._site.series.values():
            price = rows[-1]
            code = code_of(price)
            if code.partition(".")[0] != spec or price["day"] != self._site.day:
                continue
            value = price["reference_usd_per_gpu_hour"]
            why = in_words("statuses", price["status"])
            bucket = code.partition(".")[2]
            meaning = describe(parse_code(code))["bucket"] if self.axes else bucket
            found.append(
                Sibling(
                    bucket,
                    meaning,
                    grade_page(code),
                    str(value) if value is not None else why,
                    code == self.code,
                )
            )
        return found

    @property
    def parent(self) -> tuple[str, str] | None:
        """Code and page of the grade this one falls back to, where it has a page."""
        code = self.record["parent_code"] if self.record else None
        return (code, grade_page(code)) if code in self._site.codes_today else None

    @property
    def summary(self) -> str:
        """The chart in a sentence, for who cannot see it."""
        return series_in_words(self.title, self.from_first_value)

    @property
    def has_weights(self) -> bool:
        """Whether trades ever carried weight."""
        return any(row["trade_weight"] for row in self.from_first_value)

    @property
    def legs_summary(self) -> str:
        """The chart of both legs in a sentence."""
        return legs_in_words(self.title, self.from_first_value)

    @cached_property
    def chart_data(self) -> dict[str, object]:
        """The series as columns of plain values, for the script."""
        return chart_columns(self.from_first_value)
