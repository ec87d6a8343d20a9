"""The committed archive is what the tables give, byte for byte, and holds nothing but them."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

import pytest

from collectors.items import StatedOffer, StatedRate, StatedTrade
from collectors.reading import read_document
from collectors.registry import load_sources
from collectors.replay import captures_in, document_of
from collectors.spiders.azure import AzureSpider
from collectors.spiders.runpod import RunpodSpider
from gpurent.core.errors import UsageError
from gpurent.core.ids import sha256_hex
from gpurent.daily.replaying import sample_archive
from gpurent.sample import render as rendering
from gpurent.sample.formats import json_number
from gpurent.sample.render import DAYS, FIRST_DAY, render, small_archive
from gpurent.sample.tables import (
    PriceFact,
    aggregator_facts,
    aws_facts,
    azure_facts,
    bills,
    broker_facts,
    oracle_facts,
    ovh_facts,
    price_facts,
    rate_facts,
    runpod_facts,
    scaleway_facts,
    vast_facts,
)
from warehouse.archive import ArchivedRecord

EVERY_DAY = [FIRST_DAY + timedelta(days=number) for number in range(DAYS)]
MARKET_DAYS = EVERY_DAY[20:]
FACTS_OF: Mapping[str, Callable[[], tuple[PriceFact, ...]]] = {
    "aws": aws_facts,
    "azure": azure_facts,
    "gpurentalprices": aggregator_facts,
    "oracle": oracle_facts,
    "ovhcloud": ovh_facts,
    "prime_intellect": broker_facts,
    "runpod": runpod_facts,
    "scaleway": scaleway_facts,
    "vast": vast_facts,
}
PRICE_UNIT = {"ovhcloud": 10**8}
# what the zlib that packed the committed archive makes of a text: another one may pack the same text otherwise
CANARY = (
    "".join(f"{number * number} " for number in range(2000)).encode(),
    "056e2c20fe455674067aaa90e312922e13c4fb7837931845012dd1826391a308",
)


def content(folder: Path) -> list[ArchivedRecord]:
    return list(captures_in(folder))


def on(day: date, hour: int, minute: int, second: int = 0) -> datetime:
    return datetime.combine(day, time(hour, minute, second), tzinfo=UTC)


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rendered")
    render(folder)
    return folder


@pytest.fixture(scope="module")
def records() -> list[ArchivedRecord]:
    return content(sample_archive())


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*.gz"))}


def test_the_committed_archive_is_what_the_tables_give(rendered: Path, records: list[ArchivedRecord]) -> None:
    assert files(rendered).keys() == files(sample_archive()).keys()
    assert content(rendered) == records
    assert not [path for path in sample_archive().rglob("*") if path.is_file() and path.suffix != ".gz"]


def test_it_is_that_byte_for_byte(rendered: Path) -> None:
    text, packed = CANARY
    if sha256_hex(zlib.compress(text)) != packed:
        pytest.skip("this zlib packs otherwise than the one the archive was packed with")
    assert files(rendered) == files(sample_archive())


def test_rendering_twice_gives_the_same_bytes(rendered: Path, tmp_path: Path) -> None:
    render(tmp_path)
    assert files(tmp_path) == files(rendered)


def test_the_archive_is_small() -> None:
    assert sum(len(body) for body in files(sample_archive()).values()) < 6_000_000 / 4


def test_every_look_is_there_at_its_time(records: list[ArchivedRecord]) -> None:
    looks: dict[str, list[datetime]] = {}
    for record in records:
        looks.setdefault(record.source_id, []).append(record.fetched_at)
    assert len(looks) == 16
    assert looks["runpod"] == [on(day, hour, 10) for day in MARKET_DAYS for hour in (2, 10, 18)]
    assert looks["azure"] == [on(day, 3, 0, second) for day in EVERY_DAY for second in (0, 2)]
    # the bill of a day is handed in at night; the first is of 16 July
    assert looks["focus"] == [on(date(2026, 7, 17) + timedelta(days=number), 1, 30) for number in range(30)]
    twice = [on(date(2026, 8, 8), 17, 45), on(date(2026, 8, 11), 17, 45)]
    assert looks["gpurentalprices"] == sorted([on(day, 5, 45) for day in MARKET_DAYS] + twice)
    # no rates on weekends
    assert looks["ecb"] == [on(day, 14, 20) for day in EVERY_DAY if day.weekday() < 5]
    assert [moment.date() for moment in looks["google_calculator"]][-1] == date(2026, 7, 30)
    assert looks["scaleway"][0] == on(date(2026, 7, 20), 4, 40)
    for single in ("aws", "oracle", "ovhcloud", "prime_intellect"):
        assert len(looks[single]) == 40


def test_what_fails_is_a_page_of_azures_and_oracles_list_from_a_day_on(records: list[ArchivedRecord]) -> None:
    failed = [(r.source_id, r.fetched_at) for r in records if r.http_status not in {200, None}]
    oracle = [on(date(2026, 8, number), 4, 10) for number in range(7, 16)]
    assert sorted(failed) == [
        ("azure", on(date(2026, 8, 10), 3, 0, 2)),
        *[("oracle", moment) for moment in oracle],
    ]


def test_bills_are_files_and_say_that_they_are_synthetic(records: list[ArchivedRecord]) -> None:
    taken = [record for record in records if record.source_id == "focus"]
    assert [record.file_name for record in taken][:2] == ["focus_2026-07-16.csv", "focus_2026-07-17.csv"]
    for record in taken:
        _, *rows = record.body.decode().splitlines()
        tags = '"{""gpurent_public"": ""true"", ""gpurent_synthetic"": ""true""}"'
        assert [row for row in rows if not row.endswith(tags)] == []


def test_requests_are_those_of_the_spiders(records: list[ArchivedRecord]) -> None:
    sources = load_sources()
    azure = AzureSpider(run=cast(Any, None), source=sources["azure"])
    asked = {fetch.list_key: fetch.url for fetch in azure.fetches()}
    pages = [record for record in records if record.source_id == "azure"]
    assert {page.url for page in pages[::2]} == {asked["eastus"]}
    for first, second in zip(pages[::2], pages[1::2], strict=True):
        assert azure.next_page(document_of(first)) == second.url
        assert document_of(first).snapshot_at == document_of(second).snapshot_at == first.fetched_at
    queries = {
        document_of(record).asked("body")["query"] for record in records if record.source_id == "runpod"
    }
    assert queries == {RunpodSpider.query}


def stated(record: ArchivedRecord) -> list[Any]:
    if record.http_status not in {200, None}:
        return []
    return list(read_document(document_of(record), load_sources()[record.source_id]))


def test_every_price_that_is_read_is_a_fact_of_its_day(records: list[ArchivedRecord]) -> None:
    """The other way round as well: each fact is read on each of its days."""
    read: Counter[tuple[str, date]] = Counter()
    for record in records:
        if record.source_id not in FACTS_OF:
            continue
        day = record.fetched_at.date()
        facts = [fact for fact in FACTS_OF[record.source_id]() if fact.is_shown_on(day)]
        prices = Counter((fact.price, fact.unit, fact.currency) for fact in facts)
        for offer in [item for item in stated(record) if isinstance(item, StatedOffer)]:
            if record.source_id == "vast" and offer.term_text == "interruptible":
                continue
            # the digits as the source wrote them; the amount keeps twelve decimals of them
            written = Decimal(offer.price_text) / PRICE_UNIT.get(record.source_id, 1)
            assert prices[written, offer.price_basis, offer.currency] > 0, (
                record.source_id,
                offer.sku,
                written,
            )
            read[record.source_id, day] += 1
    for day in MARKET_DAYS:
        facts = [fact for fact in aggregator_facts() if fact.is_shown_on(day)]
        looks = 2 if day in {date(2026, 8, 8), date(2026, 8, 11)} else 1
        assert read["gpurentalprices", day] == looks * len(facts)
        offered = [
            fact for fact in runpod_facts() if fact.is_shown_on(day) and fact.is_offered and fact.price
        ]
        assert read["runpod", day] == 3 * len(offered)
        assert read["vast", day] == 2 * len([fact for fact in vast_facts() if fact.is_shown_on(day)])
        assert read["ovhcloud", day] == 4
        assert read["oracle", day] == (6 if day < date(2026, 8, 7) else 0)
        assert read["azure", day] == (3 if day == date(2026, 8, 10) else 6)


def test_every_rate_that_is_read_is_a_fact(records: list[ArchivedRecord]) -> None:
    facts = {(fact.day, fact.currency): str(fact.units_per_eur) for fact in rate_facts()}
    rates = {
        (item.day, item.currency): item.eur_rate_text
        for record in records
        if record.source_id == "ecb"
        for item in stated(record)
        if isinstance(item, StatedRate) and item.currency != "EUR"
    }
    assert rates == facts


def test_what_is_billed_is_under_the_list_price_but_for_one_buyer(records: list[ArchivedRecord]) -> None:
    trades = [
        item
        for record in records
        if record.source_id == "focus"
        for item in stated(record)
        if isinstance(item, StatedTrade)
    ]
    assert {trade.is_synthetic for trade in trades} == {True}
    assert {trade.is_confidential for trade in trades} == {False}
    assert {trade.buyer_text for trade in trades if trade.is_administered} == {"100000000005"}
    small = [trade for trade in trades if trade.quantity * 8 < 24]
    assert [(trade.quantity * 8, trade.delivery_start.date()) for trade in small] == [(16, date(2026, 8, 7))]
    # each buyer's discount is his own; nobody is billed more than the list says
    assert {trade.operator_text for trade in trades} == {bill.provider for bill in bills()}
    assert all(bill.billed_per_hour <= bill.list_per_hour for bill in bills() if bill.list_per_hour)


def test_a_carried_row_keeps_the_time_at_which_it_was_read(records: list[ArchivedRecord]) -> None:
    seen: dict[date, set[date]] = {}
    for record in records:
        if record.source_id == "gpurentalprices" and record.fetched_at.date() >= date(2026, 7, 20):
            days = {
                item.observed_at.date()
                for item in stated(record)
                if isinstance(item, StatedOffer) and item.operator_text == "fireworks" and item.observed_at
            }
            seen.setdefault(record.fetched_at.date(), set()).update(days)
            health = json.loads(record.body)["providers"]["fireworks"]
            assert health["stale"] is (record.fetched_at.date() > date(2026, 8, 12))
    assert seen == {day: {min(day, date(2026, 8, 12))} for day in MARKET_DAYS[13:]}


def test_unchanged_answers_of_a_day_are_revisits(records: list[ArchivedRecord]) -> None:
    revisits = Counter(record.source_id for record in records if record.revisit_of is not None)
    assert revisits == {"runpod": 80, "vast": 120}


def test_a_part_of_the_archive_is_that_part_of_the_whole(rendered: Path, tmp_path: Path) -> None:
    assert {path.parent.name for path in small_archive(tmp_path)} == {
        "azure",
        "focus",
        "gpurentalprices",
        "runpod",
    }
    part = files(tmp_path)
    assert part == {name: body for name, body in files(rendered).items() if name in part}
    assert {record.fetched_at.date() for record in content(tmp_path)} == {
        date(2026, 8, 6),
        date(2026, 8, 7),
        date(2026, 8, 8),
    }


def test_what_was_there_of_a_source_is_replaced_and_the_rest_stays(tmp_path: Path) -> None:
    first = date(2026, 8, 6)
    render(tmp_path, first=first, days=2, sources=["azure", "focus"])
    render(tmp_path, first=first, days=1, sources=["azure"])
    assert Counter(path.parent.name for path in tmp_path.rglob("*.gz")) == {"azure": 1, "focus": 2}


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"sources": ["fsdl"]}, r"no source 'fsdl' in the sample; its sources are: aws, aws_p5_daily, azure"),
        ({"days": 0}, "0 days from 2026-06-17: the sample has the 60 days from 2026-06-17 to 2026-08-15"),
        ({"days": 61}, "61 days from 2026-06-17: the sample has the 60 days"),
        ({"first": date(2026, 8, 15), "days": 2}, "2 days from 2026-08-15: the sample has"),
    ],
)
def test_what_the_sample_does_not_have_is_refused(
    wanted: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=message):
        render(tmp_path, **wanted)
    assert list(tmp_path.iterdir()) == []


def test_the_command_names_what_it_wrote(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert rendering.main(out=tmp_path, first=date(2026, 8, 6), days=1, sources="focus") == 0
    assert capsys.readouterr().out.split()[-1].endswith(".warc.gz")
    assert rendering.main(out=tmp_path, sources="fsdl") == 2
    assert "no source 'fsdl'" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["2.9339079999999997", "0.67877", "4", "9.796550569"])
def test_a_number_in_json_has_the_digits_of_the_fact(text: str) -> None:
    assert json.dumps(json_number(Decimal(text))) == text


def test_a_number_that_json_would_round_is_refused() -> None:
    with pytest.raises(ValueError, match="more digits than a JSON number keeps"):
        json_number(Decimal("0.12345678901234567890"))


def test_all_price_facts_are_of_the_archive_days() -> None:
    assert [fact for fact in price_facts() if not any(fact.is_shown_on(day) for day in EVERY_DAY)] == []
