"""The tables of the sample: every row is cited, and agrees with the place where it was read."""

from __future__ import annotations

import csv
import gzip
import json
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from gpurent.core.errors import ConfigError
from gpurent.sample.render import DAYS, FIRST_DAY
from gpurent.sample.tables import (
    AzureFact,
    aggregator_facts,
    azure_facts,
    bills,
    price_facts,
    rate_facts,
    read_rows,
    references,
    runpod_facts,
)

EVERY_DAY = [FIRST_DAY + timedelta(days=number) for number in range(DAYS)]


def test_every_row_names_places_that_are_listed() -> None:
    listed = {row.reference for row in references()}
    cited = {name for fact in [*price_facts(), *rate_facts()] for name in fact.references}
    cited |= {name for bill in bills() if bill.read_where for name in bill.read_where.split("+")}
    assert cited == listed


def test_only_rows_that_are_refused_stand_on_days_on_which_they_were_not_seen() -> None:
    moved = [fact for fact in price_facts() if fact.shown_from is not None]
    twins = [fact for fact in azure_facts() if "Low Priority" in fact.meter or "Windows" in fact.product]
    empty = [fact for fact in runpod_facts() if not fact.is_offered or fact.price == 0]
    assert sorted(map(repr, moved)) == sorted(map(repr, [*twins, *empty]))
    assert len(moved) == 3 + 5


def test_no_seller_states_two_prices_for_one_product_on_a_day() -> None:
    for day in EVERY_DAY:
        shown = [fact for fact in aggregator_facts() if fact.is_shown_on(day)]
        keys = [(fact.operator, fact.gpu, fact.kind, fact.min_gpus) for fact in shown]
        assert len(set(keys)) == len(keys) > 170


def test_every_list_price_beside_a_bill_is_cited() -> None:
    assert [bill for bill in bills() if bill.list_per_hour and not (bill.list_url and bill.read_where)] == []
    in_euro = [bill for bill in bills() if bill.currency == "EUR"]
    dollars = next(f.units_per_eur for f in rate_facts() if (f.day, f.currency) == (date(2026, 8, 3), "USD"))
    assert {bill.list_per_hour for bill in in_euro} == {round(Decimal("98.32") / dollars, 2)}


def test_prices_are_those_of_the_data_set(shared_data: Path) -> None:
    """Every offer of a seller and chip in the table, and no other, with its price and day."""
    folder = shared_data / "real" / "gpurentalprices_daily"
    sellers = {fact.operator for fact in aggregator_facts()}
    chips = {fact.gpu for fact in aggregator_facts()}
    for day in EVERY_DAY:
        with gzip.open(folder / f"{day}.json.gz") as stream:
            offers = json.load(stream, parse_float=Decimal, parse_int=Decimal)["offers"]
        theirs = {
            (
                offer["provider"],
                offer["gpu"],
                offer["kind"],
                offer.get("min_gpus"),
                offer["usd_hr"],
                offer["source_url"],
            )
            for offer in offers
            if offer["provider"] in sellers and offer["gpu"] in chips
        }
        ours = {
            (
                fact.operator,
                fact.gpu,
                fact.kind,
                fact.min_gpus and Decimal(fact.min_gpus),
                fact.price,
                fact.url,
            )
            for fact in aggregator_facts()
            if fact.is_shown_on(day)
        }
        assert ours == theirs, day
        runpod = {(offer["kind"], offer["usd_hr"]) for offer in offers if offer["provider"] == "runpod"}
        stated = {
            (f.cloud, f.price) for f in runpod_facts() if f.is_shown_on(day) and f.is_offered and f.price
        }
        assert stated <= runpod


def test_rates_are_those_of_the_bank(shared_data: Path) -> None:
    path = shared_data / "real" / "ecb_fx" / "ecb_reference_rates_2019_2026.csv"
    with path.open(encoding="utf-8") as stream:
        theirs = {date.fromisoformat(row["Date"]): row for row in csv.DictReader(stream)}
    for fact in rate_facts():
        assert Decimal(theirs[fact.day][fact.currency]) == fact.units_per_eur


def test_list_prices_of_azure_are_those_that_were_seen(shared_data: Path) -> None:
    answers = json.loads(
        (shared_data / "real/api_response_excerpts_2026_10/azure_retail_prices_items.json").read_text(),
        parse_float=Decimal,
    )
    with (shared_data / "real/ccir_rate_cards/2026-03-03.csv").open(encoding="utf-8") as stream:
        cards = {
            (row["sku"], row["region"], Decimal(row["vm_price_hr"] or 0)) for row in csv.DictReader(stream)
        }
    items = {
        (item["armSkuName"], item["armRegionName"], item["meterName"], item["retailPrice"])
        for item in answers
    }
    for fact in azure_facts():
        if "api_answers" in fact.references:
            assert (fact.sku, fact.region, fact.meter, fact.price) in items
        if "ccir" in fact.references:
            assert (fact.sku, fact.region, fact.price) in cards


def test_the_list_price_of_aws_held_on_every_day(shared_data: Path) -> None:
    with (shared_data / "real/aws_p5_daily/gpu_prices.csv").open(encoding="utf-8") as stream:
        theirs = {row["timestamp"][:10]: row["price_usd"] for row in csv.DictReader(stream)}
    stated = {bill.list_per_hour for bill in bills() if bill.provider == "AWS" and bill.list_per_hour}
    assert {Decimal(theirs[f"2026-08-{number:02d}"]) for number in range(5, 15)} == stated


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1,S,eastus,M,P,1.5,month,USD,,2026-08-06,2026-08-07,,,https://a.example,r", r"line 2: unit: "),
        ("1,S,eastus,M,P,-1,gpu_hour,USD,,2026-08-06,2026-08-07,,,https://a.example,r", r"line 2: price: "),
        ("1,S,eastus,M,P,1,gpu_hour,USD,,2026-08-06,2026-08-07,,,,r", r"line 2: url: "),
        ("1,S,eastus,M,P,1,gpu_hour,USD,,2026-08-08,2026-08-07,,,https://a.example,r", "must not lie after"),
        (
            "1,S,eastus,M,P,1,gpu_hour,USD,,2026-08-06,2026-08-07,2026-08-06,,https://a.example,r",
            "go together",
        ),
    ],
)
def test_a_bad_row_is_told_by_file_line_and_field(line: str, message: str, tmp_path: Path) -> None:
    header = ",".join(
        [
            *["page", "sku", "region", "meter", "product", "price", "unit", "currency", "effective_from"],
            *["first_seen", "last_seen", "shown_from", "shown_to", "url", "read_where"],
        ]
    )
    path = tmp_path / "azure.csv"
    path.write_text(f"{header}\n{line}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=rf"azure\.csv, .*{message}"):
        read_rows(path, AzureFact)
