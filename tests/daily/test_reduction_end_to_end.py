"""Properties of the stateless steps, on rendered documents through the real ingest and index (section 13)."""

from __future__ import annotations

import pytest

from tests.daily.days import at, offer, priced

SELLERS = {"lambda": 2.99, "coreweave": 3.10, "nebius": 3.25, "crusoe": 3.40, "vultr": 2.80}


def market(**changed):
    return [offer(name, price) for name, price in {**SELLERS, **changed}.items()]


def three_days(**changed):
    return [(at(0), market()), (at(1), market(**changed)), (at(2), market(**changed))]


def values(rows):
    kept = (
        "reference_log",
        "cross_section_log",
        "matched_change_log",
        "index_log",
        "level",
        "owner_group_count",
    )
    return [tuple(row[name] for name in kept) for row in rows]


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return priced(tmp_path_factory.mktemp("plain"), three_days(coreweave=3.20))


def test_a_quiet_market_is_published_at_level_4_by_one_route(plain):
    assert [(row["status"], row["level"], row["vintage"]) for row in plain] == [
        ("published", 4, "backfill-1")
    ] * 3
    assert plain[0]["reference_log"] == plain[0]["cross_section_log"]
    assert plain[1]["matched_change_log"] != 0


def test_a_duplicate_offer_changes_nothing(plain, tmp_path):
    looks = [(when, [*offers, dict(offers[0])]) for when, offers in three_days(coreweave=3.20)]
    assert values(priced(tmp_path, looks)) == values(plain)


def test_more_captures_of_the_same_prices_change_nothing(plain, tmp_path):
    looks = []
    for number, (_, offers) in enumerate(three_days(coreweave=3.20)):
        looks += [(at(number, hour), offers) for hour in (2, 6, 13, 20)]
    assert values(priced(tmp_path, looks)) == values(plain)


def test_the_order_of_rows_changes_nothing(plain, tmp_path):
    looks = [(when, list(reversed(offers))) for when, offers in three_days(coreweave=3.20)]
    assert values(priced(tmp_path, looks)) == values(plain)


def test_a_relabelled_product_keeps_its_history(plain, tmp_path):
    """From day 1 on Nebius's form is no longer stated: the item is relabelled, not an exit and an entry."""
    looks = three_days(coreweave=3.20)
    for number in (1, 2):
        for row in looks[number][1]:
            if row["provider"] == "nebius":
                row["gpu"] = "h100"
    assert values(priced(tmp_path, looks)) == values(plain)


def test_a_days_price_is_the_lower_median_of_its_captures(tmp_path):
    looks = [(at(0), market())]
    looks += [
        (at(1, hour), market(coreweave=price))
        for hour, price in ((2, 3.10), (9, 3.20), (16, 3.30), (22, 3.30))
    ]
    rows = priced(tmp_path / "four", looks)
    direct = priced(tmp_path / "one", [(at(0), market()), (at(1), market(coreweave=3.20))])
    assert values(rows) == values(direct)


def test_what_became_known_after_the_cut_off_does_not_count(plain, tmp_path):
    late = [
        *three_days(coreweave=3.20)[:2],
        (at(2), market(coreweave=3.20)),
        (at(3, 7), market(coreweave=9.0)),
    ]
    rows = priced(tmp_path, late)
    assert values(rows)[:3] == values(plain)


def test_missing_from_a_complete_snapshot_is_gone_that_day(tmp_path):
    without = [row for row in market() if row["provider"] != "crusoe"]
    rows = priced(tmp_path, [(at(0), market()), (at(1), without), (at(2), market())])
    assert [row["owner_group_count"] for row in rows] == [5, 4, 5]


def test_a_day_without_any_capture_is_our_own_outage(tmp_path):
    rows = priced(tmp_path, [(at(0), market()), (at(2), market())])
    assert [(row["status"], row["reason_code"]) for row in rows] == [
        ("published", None),
        ("withheld", "outage"),
        ("published", None),
    ]
    assert rows[2]["reference_log"] == rows[0]["reference_log"]


def test_a_carried_forward_row_ages_until_it_is_stale(tmp_path):
    old = "2026-07-07T05:00:00Z"
    carried = [offer("crusoe", 3.40, fetched_at=old)]
    others = [row for row in market() if row["provider"] != "crusoe"]
    rows = priced(tmp_path, [(at(number), [*others, *carried]) for number in range(10)])
    assert [row["owner_group_count"] for row in rows] == [5] * 8 + [4] * 2


def test_an_inference_endpoint_is_no_gpu_hour(plain, tmp_path):
    looks = [
        (when, [*offers, offer("fal", 1.0, kind="serverless")]) for when, offers in three_days(coreweave=3.20)
    ]
    assert values(priced(tmp_path, looks)) == values(plain)
