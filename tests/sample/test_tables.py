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
    aws_facts,
    azure_facts,
    bills,
    broker_facts,
    cell_facts,
    european_facts,
    google_facts,
    oracle_facts,
    price_facts,
    rate_card_facts,
    rate_facts,
    read_rows,
    references,
    runpod_facts,
    scaleway_facts,
    vast_facts,
)

LAST_DAY = FIRST_DAY + timedelta(days=DAYS - 1)
DATA_SET_DAYS = [date(2026, 7, 7) + timedelta(days=number) for number in range(40)]


def test_every_row_names_places_that_are_listed() -> None:
    listed = {row.reference for row in references()}
    other = [*rate_facts(), *google_facts(), *rate_card_facts(), *cell_facts(), *european_facts()]
    cited = {name for fact in [*price_facts(), *other] for name in fact.references}
    cited |= {name for bill in bills() if bill.read_where for name in bill.read_where.split("+")}
    assert cited == listed


def test_only_two_sources_and_rows_that_are_refused_stand_on_days_on_which_they_were_not_seen() -> None:
    moved = [fact for fact in price_facts() if fact.shown_from is not None]
    of_another_time = [*vast_facts(), *broker_facts()]
    twins = [fact for fact in azure_facts() if "Low Priority" in fact.meter or "Windows" in fact.product]
    empty = [fact for fact in runpod_facts() if not fact.is_offered or fact.price == 0]
    vmware = [fact for fact in oracle_facts() if "VMware" in fact.name]
    refused = [*twins, *empty, *vmware]
    assert sorted(map(repr, moved)) == sorted(map(repr, [*of_another_time, *refused]))
    assert len(refused) == 3 + 5 + 1


def test_asks_of_a_day_stand_for_a_week_and_the_brokers_prices_261_days_later() -> None:
    days = sorted({fact.first_seen for fact in vast_facts()})
    for fact in vast_facts():
        assert fact.first_seen == fact.last_seen
        assert fact.shown_from == date(2026, 7, 7) + timedelta(days=7 * days.index(fact.first_seen))
    for stated in broker_facts():
        assert stated.shown_from == stated.first_seen + timedelta(days=261)


def test_no_seller_states_two_prices_for_one_product_of_one_size_on_a_day() -> None:
    """But for RTX PRO 6000, of which the data set does not tell its editions apart."""
    for day in DATA_SET_DAYS:
        shown = [fact for fact in aggregator_facts() if fact.is_shown_on(day)]
        keys = [
            (fact.operator, fact.gpu, fact.kind, fact.min_gpus)
            for fact in shown
            if not fact.gpu.startswith("rtx-pro-6000")
        ]
        assert len(set(keys)) == len(keys) > 60


def test_every_list_price_beside_a_bill_is_cited() -> None:
    assert [bill for bill in bills() if bill.list_per_hour and not (bill.list_url and bill.read_where)] == []
    in_euro = [bill for bill in bills() if bill.currency == "EUR"]
    dollars = next(f.units_per_eur for f in rate_facts() if (f.day, f.currency) == (date(2026, 8, 3), "USD"))
    assert {bill.list_per_hour for bill in in_euro} == {round(Decimal("98.32") / dollars, 2)}


def test_prices_are_those_of_the_data_set(shared_data: Path) -> None:
    """Every row of the table is an offer of its day; the table is a choice of them."""
    folder = shared_data / "real" / "gpurentalprices_daily"
    assert DATA_SET_DAYS[-1] == LAST_DAY
    for day in DATA_SET_DAYS:
        with gzip.open(folder / f"{day}.json.gz") as stream:
            offers = json.load(stream, parse_float=Decimal, parse_int=Decimal)["offers"]
        theirs = {
            (o["provider"], o["gpu"], o["kind"], o.get("min_gpus"), o["usd_hr"], o["source_url"])
            for o in offers
        }
        ours = {
            (f.operator, f.gpu, f.kind, f.min_gpus and Decimal(f.min_gpus), f.price, f.url)
            for f in aggregator_facts()
            if f.is_shown_on(day)
        }
        assert ours <= theirs, day
        runpod = {(offer["kind"], offer["usd_hr"]) for offer in offers if offer["provider"] == "runpod"}
        stated = {
            (f.cloud, f.price) for f in runpod_facts() if f.is_shown_on(day) and f.is_offered and f.price
        }
        assert stated <= runpod


def test_scaleways_euro_prices_give_the_dollar_figures_of_every_day(shared_data: Path) -> None:
    path = shared_data / "real" / "ecb_fx" / "ecb_reference_rates_2019_2026.csv"
    with path.open(encoding="utf-8") as stream:
        rates = {
            date.fromisoformat(row["Date"]): Decimal(row["USD"])
            for row in csv.DictReader(stream)
            if row["USD"]
        }
    per_gpu = {fact.server: fact.price / fact.gpus for fact in scaleway_facts()}
    of = {"h100": "H100-1-80G", "l40s": "L40S-1-48G", "b300": "B300-SXM-8-288G"}
    compared = 0
    for day in DATA_SET_DAYS[13:]:
        with gzip.open(shared_data / "real" / "gpurentalprices_daily" / f"{day}.json.gz") as stream:
            offers = json.load(stream, parse_float=Decimal, parse_int=Decimal)["offers"]
        rate = rates[max(on for on in rates if on < day)]
        for offer in offers:
            if offer["provider"] == "scaleway" and offer["gpu"] in of:
                assert abs(per_gpu[of[offer["gpu"]]] * rate - offer["usd_hr"]) <= Decimal("0.0001")
                compared += 1
    assert compared == 27 * 3


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
    (p5,) = [fact for fact in aws_facts() if fact.instance == "p5.48xlarge"]
    for number in range(DAYS):
        day = FIRST_DAY + timedelta(days=number)
        if str(day) in theirs:
            assert Decimal(theirs[str(day)]) == p5.price
    assert {bill.list_per_hour for bill in bills() if bill.instance == "p5.48xlarge"} == {p5.price}


def test_the_list_price_beside_a_bill_is_what_the_seller_listed_on_each_of_its_days() -> None:
    names = {name: name.lower() for name in ("CoreWeave", "Crusoe", "Lambda", "Nebius")} | {
        "Verda": "datacrunch"
    }
    for bill in bills():
        if bill.provider not in names or bill.instance is None or bill.list_per_hour is None:
            continue
        chip = bill.instance.split()[1].lower()
        for number in range((bill.last_day - bill.first_day).days + 1):
            day = bill.first_day + timedelta(days=number)
            listed = {
                fact.price * 8
                for fact in aggregator_facts()
                if fact.operator == names[bill.provider]
                and fact.gpu in {chip, f"{chip}-sxm"}
                and fact.kind == "on-demand"
                and fact.is_shown_on(day)
            }
            assert bill.list_per_hour in listed, (bill.provider, bill.instance, day)
            assert bill.billed_per_hour < bill.list_per_hour


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
