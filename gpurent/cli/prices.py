"""show, explain: looking at prices, and at everything behind them."""

from __future__ import annotations

from typing import Annotated

from cyclopts import App, Parameter

from gpurent.cli.context import Given, Output
from gpurent.cli.values import AsOf, Day, Public
from gpurent.core.errors import UsageError

_SHOW = """Examples:
  gpurent show H100-Y080-Y-YY-YY-OD-YY-J
  gpurent show h100-y080-y-yy-yy-od-yy-j.neo --day 2026-08-15
  gpurent show H100-Y080-Y-YY-YY-OD-YY-J --as-of 2026-08-15 --json"""
_EXPLAIN = """Examples:
  gpurent explain H100-Y080-Y-YY-YY-OD-YY-J
  gpurent explain H100-Y080-Y-YY-YY-OD-YY-J --voice runpod
  gpurent explain H100-Y080-Y-YY-YY-OD-YY-J --day 2026-08-15 --full
  gpurent explain H100-Y080-Y-YY-YY-OD-YY-J --day 2026-08-15 --json"""


def register(app: App) -> None:
    """Add the commands to the app."""
    app.command(show, help_epilogue=_SHOW)
    app.command(explain, help_epilogue=_EXPLAIN)


def show(
    grade: str,
    /,
    *,
    day: Day | None = None,
    as_of: AsOf | None = None,
    public: Public = False,
    context: Given,
) -> Output:
    """Show a grade's price of a day with both legs, or why there is none.

    Parameters
    ----------
    grade
        Code of the grade, with or without bucket (without: all operators); lower case will do.
    day
        The day; the newest one when left out.
    as_of
        What was known then: a time with its zone, or a date (its end).
    """
    from gpurent.cli.pricecard import show_card
    from gpurent.cli.reading import is_sample, open_for_reading
    from gpurent.publish.levels import lacks
    from gpurent.publish.lookup import find_grade, find_price, find_price_before
    from grades.grade_code import parse_code
    from index.methodologies import methodology_named

    code = parse_code(grade)
    with open_for_reading(context.settings, is_public=public) as warehouse:
        found = find_grade(warehouse, code)
        price = find_price(warehouse, found, day, as_of)
        before = find_price_before(warehouse, found, price["day"], as_of)
        notice = "SAMPLE" if is_sample(warehouse) else None
        missing = lacks(price, methodology_named(warehouse, price["methodology_version"]))
    document = {**price, "notice": notice}
    return Output(document, lambda console: show_card(console, price, before, notice, missing))


def explain(
    grade: str,
    /,
    *,
    day: Day | None = None,
    as_of: AsOf | None = None,
    voice: str | None = None,
    full: Annotated[bool, Parameter(negative="")] = False,
    context: Given,
) -> Output:
    """Who stands behind a price, what did not count, and the way down to the file and offset that hold each.

    Parameters
    ----------
    grade
        Code of the grade, with or without bucket.
    day
        The day; the newest one when left out.
    as_of
        The vintage that was known then: a time with its zone, or a date (its end).
    voice
        One owner group's whole way: items, offers or trades, the source's words, the stored bytes.
    full
        Everybody's whole way.
    """
    from gpurent.cli.explanation import only_of, show_explanation
    from gpurent.cli.reading import is_sample, open_for_reading
    from gpurent.publish.levels import lacks
    from gpurent.publish.lineage import explain as explain_price
    from gpurent.publish.lookup import find_grade, find_price
    from grades.grade_code import parse_code
    from index.methodologies import methodology_named

    if voice is not None and full:
        raise UsageError("--voice shows all of one owner group, --full all of everybody: take one of them")
    code = parse_code(grade)
    with open_for_reading(context.settings, is_public=False) as warehouse:
        price = find_price(warehouse, find_grade(warehouse, code), day, as_of)
        document = explain_price(warehouse, price)
        document["notice"] = "SAMPLE" if is_sample(warehouse) else None
        missing = lacks(price, methodology_named(warehouse, price["methodology_version"]))
    if voice is not None:
        document = only_of(document, voice)
    is_short = voice is None and not full
    return Output(document, lambda console: show_explanation(console, document, missing, is_short=is_short))
