"""Which part of each voice the trim kept agrees with the published advertised leg."""

from __future__ import annotations

from decimal import Decimal
from itertools import groupby

import duckdb

from gpurent.core.numbers import round_half_even
from gpurent.publish.trim import kept_parts
from index.parameters import load
from tests.sample_run import SampleRun

EACH_SIDE = load("1.0.0").legs.trim_each_side


def d(*texts: str) -> list[Decimal]:
    return [Decimal(text) for text in texts]


def test_of_three_equal_voices_a_quarter_of_the_outer_ones_is_kept() -> None:
    third = Decimal(1) / 3
    parts = kept_parts(d("3", "1", "2"), [third] * 3, EACH_SIDE)
    assert [round_half_even(part, 6) for part in parts] == d("0.25", "0.25", "1")


def test_of_four_equal_voices_the_middle_two_are_kept() -> None:
    assert kept_parts(d("4", "1", "3", "2"), d("1", "1", "1", "1"), EACH_SIDE) == d("0", "0", "1", "1")


def test_one_voice_is_its_own_middle_half_and_one_without_weight_is_not_kept() -> None:
    assert kept_parts([Decimal(2), None, Decimal(9)], [Decimal(1), Decimal(1), None], EACH_SIDE) == d(
        "0.5", "0", "0"
    )
    assert kept_parts([], [], EACH_SIDE) == []


def test_the_kept_parts_of_the_sample_give_every_published_advertised_leg(sample_run: SampleRun) -> None:
    with duckdb.connect(sample_run.warehouse, read_only=True) as connection:
        rows = connection.execute(
            "SELECT v.day, v.grade_id, v.usd_per_gpu_hour, v.weight, p.advertised_usd_per_gpu_hour FROM voices AS v "
            "INNER JOIN reference_prices AS p ON v.day = p.day AND v.grade_id = p.grade_id AND v.vintage = p.vintage "
            "WHERE v.leg = 'advertised' AND v.vintage = '1' AND p.advertised_usd_per_gpu_hour IS NOT NULL "
            "ORDER BY v.day, v.grade_id, v.usd_per_gpu_hour"
        ).fetchall()
    compared = 0
    for _, found in groupby(rows, key=lambda row: row[:2]):
        voices = list(found)
        prices, weights = [row[2] for row in voices], [row[3] for row in voices]
        kept = [w * part for w, part in zip(weights, kept_parts(prices, weights, EACH_SIDE), strict=True)]
        mean = sum((p * part for p, part in zip(prices, kept, strict=True)), Decimal(0)) / sum(kept)
        assert abs(mean - voices[0][4]) <= Decimal("0.0001")
        compared += 1
    assert compared > 100
