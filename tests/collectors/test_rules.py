"""What rows of Azure and of bills mean: each other market and each kind of charge by its code."""

from __future__ import annotations

import json
from typing import Any

import pytest

from collectors.reasons import RowError
from collectors.registry import load_sources
from collectors.rules import azure, focus, runpod
from collectors.spiders.focus import trade

VM = {
    "armSkuName": "Standard_ND96isr_H100_v5",
    "armRegionName": "eastus",
    "retailPrice": 98.32,
    "unitOfMeasure": "1 Hour",
    "meterName": "ND96isrH100v5",
    "productName": "Virtual Machines NDsr H100 v5 Series",
    "type": "Consumption",
}


@pytest.mark.parametrize(
    ("fields", "term"),
    [
        ({}, "Consumption"),
        ({"meterName": "ND96isrH100v5 Spot"}, "Spot"),
        ({"type": "Reservation", "reservationTerm": "3 Years"}, "3 Years"),
    ],
)
def test_azure_terms_are_its_own_words(fields: dict[str, Any], term: str) -> None:
    assert azure.chosen_market(VM | fields) == term


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"unitOfMeasure": "1/Month"}, "wrong_unit"),
        ({"unitOfMeasure": "100 Hours"}, "wrong_unit"),
        ({"tierMinimumUnits": 500}, "price_of_a_tier"),
        ({"armRegionName": "chinanorth3"}, "restricted_market"),
        ({"armRegionName": "usdodeast"}, "restricted_market"),
        ({"serviceName": "Azure Machine Learning"}, "other_service"),
        ({"type": "Reservation", "reservationTerm": "10 Years"}, "unknown_market"),
        ({"type": "Reservation"}, "missing_column"),
        ({"type": "Promotion"}, "unknown_market"),
        ({"meterName": None}, "missing_value"),
    ],
)
def test_azure_rows_of_other_markets_have_their_code(fields: dict[str, Any], code: str) -> None:
    with pytest.raises(RowError) as refused:
        azure.chosen_market(VM | fields)
    assert refused.value.reason_code == code


BILL = {
    "ProviderName": "AWS",
    "ChargeCategory": "Usage",
    "ChargeDescription": "$1.624 per On Demand Linux g5.4xlarge Instance Hour",
    "ConsumedUnit": "Hours",
    "ConsumedQuantity": "2",
    "BilledCost": "3.248",
}


@pytest.mark.parametrize(
    ("description", "chip", "gpus"),
    [
        ("$1.624 per On Demand Linux g5.4xlarge Instance Hour", "A10G", 1),
        ("p4d.24xlarge Linux/UNIX Spot Instance-hour in US East (Virginia)", "A100", 8),
        ("Virtual Machines NCadsH100v5 Series - NC80adisH100v5 - US East 2", "H100", 2),
        ("Virtual Machines - Standard_ND96isr_H100_v5", "H100", 8),
    ],
)
def test_the_machine_of_a_charge_comes_from_its_description(description: str, chip: str, gpus: int) -> None:
    machine = focus.gpu_machine(BILL | {"ChargeDescription": description})
    assert (machine.chip_text, machine.gpu_count) == (chip, gpus)


@pytest.mark.parametrize(
    ("details", "machine"),
    [
        ({"GpuCount": 8, "InstanceType": "8x H100 SXM 80 GB"}, ("H100", "SXM", 80, 8)),
        ({"GpuCount": "1", "InstanceType": "RTX PRO 6000"}, ("RTX PRO 6000", None, None, 1)),
        ({"GpuCount": 2, "InstanceType": "H100 NVL 94GB", "CoreCount": 48}, ("H100", "NVL", 94, 2)),
    ],
)
def test_a_cloud_without_a_table_may_describe_its_machine(details, machine) -> None:
    row = BILL | {
        "ProviderName": "Nebius",
        "ChargeDescription": "Compute",
        "SkuPriceDetails": json.dumps(details),
    }
    found = focus.gpu_machine(row)
    assert (found.chip_text, found.form_text, found.memory_gb, found.gpu_count) == machine


@pytest.mark.parametrize(
    "details",
    [
        "NULL",
        "{",
        "[1]",
        '{"InstanceType": "8x H100 SXM"}',
        '{"GpuCount": 4, "InstanceType": "8x H100 SXM"}',
        '{"GpuCount": 0, "InstanceType": "H100"}',
        '{"GpuCount": 8, "InstanceType": ""}',
    ],
)
def test_details_that_do_not_say_how_many_of_which_card_name_no_machine(details: str) -> None:
    row = BILL | {"ProviderName": "Nebius", "ChargeDescription": "Compute", "SkuPriceDetails": details}
    with pytest.raises(RowError, match="not_a_gpu"):
        focus.gpu_machine(row)


@pytest.mark.parametrize(
    "description",
    [
        "$0.0464 per On Demand Linux t2.medium Instance Hour",
        "$0.00 for 4245 Mbps per c6a.4xlarge instance-hour (or partial hour)",
        "Virtual Machines Dv2/DSv2 Series - D11 v2/DS11 v2 - US East 2",
        "$0.045 per NAT Gateway Hour",
    ],
)
def test_charges_for_anything_else_are_not_about_a_gpu(description: str) -> None:
    with pytest.raises(RowError, match="not_a_gpu"):
        focus.gpu_machine(BILL | {"ChargeDescription": description})


@pytest.mark.parametrize(
    ("description", "category", "term"),
    [
        ("$1.624 per On Demand Linux g5.4xlarge Instance Hour", "Standard", "On Demand"),
        ("p4d.24xlarge Linux/UNIX Spot Instance-hour", "Dynamic", "Spot"),
        ("NC80adisH100v5", "Standard", "Standard"),
        ("NC80adisH100v5", None, "not stated"),
    ],
)
def test_the_term_of_a_charge_is_the_bills_own_word(
    description: str, category: str | None, term: str
) -> None:
    assert focus.term_of({"ChargeDescription": description, "PricingCategory": category}) == term


def test_a_bill_at_the_list_price_is_told_from_an_agreed_one() -> None:
    assert focus.is_at_list(BILL | {"ListCost": "3.248"})
    assert not focus.is_at_list(BILL | {"ListCost": "4.0"})
    assert focus.is_at_list(BILL | {"PricingCategory": "Standard"})
    assert not focus.is_at_list(BILL | {"PricingCategory": "Other"})


def test_the_bid_floor_counts_only_where_no_spot_price_is_stated() -> None:
    row = {"id": "g", "securePrice": 1, "lowestPrice": {"minimumBidPrice": 0.3}}
    assert runpod.with_bid_floor(row)["minimumBidPrice"] == 0.3
    assert "minimumBidPrice" not in runpod.with_bid_floor(row | {"secureSpotPrice": 0.4})
    assert "minimumBidPrice" not in runpod.with_bid_floor({"id": "g"})


@pytest.mark.parametrize(
    ("tags", "has_it"),
    [
        ('{"gpurent_public": "true"}', True),
        ({"gpurent_public": "true"}, True),
        ('{"gpurent_public": "True"}', False),
        ('{"gpurent_public": true}', False),
        ('{"team": "gpurent_public"}', False),
        ("gpurent_public", False),
        ('["gpurent_public"]', False),
        ("{", False),
        (None, False),
    ],
)
def test_a_row_is_public_only_where_the_buyer_tagged_it_so(tags: object, has_it: bool) -> None:
    assert focus.has_tag({"Tags": tags}, "gpurent_public") is has_it
    assert not focus.has_tag({}, "gpurent_public")


@pytest.mark.parametrize(
    ("tags", "is_confidential", "is_synthetic"),
    [
        ("NULL", True, False),
        ('{"gpurent_synthetic": "true"}', True, True),
        ('{"gpurent_public": "true"}', False, False),
        ('{"gpurent_public": "true", "gpurent_synthetic": "true"}', False, True),
    ],
)
def test_a_trade_is_confidential_unless_the_buyer_says_otherwise(
    tags: str, is_confidential: bool, is_synthetic: bool
) -> None:
    row = BILL | {
        "BillingAccountId": "1",
        "BillingCurrency": "USD",
        "ChargeDescription": "$55.04 per On Demand Linux p5.48xlarge Instance Hour",
        "ChargePeriodStart": "2026-08-05 00:00:00",
        "ChargePeriodEnd": "2026-08-06 00:00:00",
        "ProviderName": "AWS",
        "Tags": tags,
    }
    stated = trade(row, load_sources()["focus"])
    assert (stated.is_confidential, stated.is_synthetic) == (is_confidential, is_synthetic)
