"""Stated rows become offers and trades: price steps, exchange rates, ids, refusals, pseudonyms, and only once."""

from __future__ import annotations

import stat
from datetime import UTC, date, datetime
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpurent.core.clock import RecordedClock
from gpurent.core.errors import ConfigError, NotFoundError
from gpurent.core.ids import content_id
from gpurent.core.units import PRICE_BASES, per_gpu_hour
from grades import normalise as module
from grades.normalise import normalise
from grades.pseudonyms import OPEN_KEY, pseudonym, pseudonym_key
from tests.grades.rows import SEEN, add_capture, add_offer, add_rate, add_source, add_trade
from warehouse import Warehouse, open_warehouse


def offers(warehouse: Warehouse) -> list[dict[str, object]]:
    return warehouse.dicts("SELECT * FROM offers ORDER BY sku, offer_id")


def refusals(warehouse: Warehouse) -> list[tuple[str, str]]:
    return warehouse.rows("SELECT stage, reason_code FROM rejections ORDER BY stage, reason_code")


def test_an_offer_carries_price_axes_rules_and_times(warehouse: Warehouse, version: str) -> None:
    add_source(warehouse, "azure", "operator_list")
    capture = add_capture(warehouse, "azure")
    stated = add_offer(
        warehouse, capture, source_id="azure", operator_text="Microsoft Azure", chip_text="H100", form_text="HGX",
        gpu_count=Decimal(8), lot_min_gpus=8, lot_max_gpus=8, fabric_text="NVLink", scope_text="Virtual Machines",
        place_text="eastus", price_amount=Decimal("98.32"), price_basis="instance_hour", price_text="98.32",
    )  # fmt: skip
    report = normalise(warehouse, version)
    assert (report.captures, report.offers, report.trades, report.rejected) == (1, 1, 0, {})
    (offer,) = offers(warehouse)
    assert offer["offer_id"] == content_id("off", stated, version)
    assert (offer["native_per_gpu_hour"], offer["usd_per_gpu_hour"]) == (Decimal("12.290000000"),) * 2
    assert (offer["price_step"], offer["fx_day"], offer["currency"]) == ("instance_to_gpu", None, "USD")
    axes = [offer[name] for name in ("chip", "form_memory", "lot", "fabric", "scope", "term", "place")]
    assert axes == ["H100", "S080", "C", "NV", "VM", "OD", "US"]
    assert (offer["operator_id"], offer["host_operator_id"], offer["is_marketplace"]) == (
        "azure",
        "azure",
        False,
    )
    assert (offer["route"], offer["route_rank"]) == ("azure", 1)
    # an offer is known as long as the row it was made from
    assert (offer["known_at"], offer["observed_at"], offer["snapshot_day"]) == (SEEN, SEEN, date(2026, 7, 14))
    codes = warehouse.rows(
        "SELECT g.code, g.bucket, o.day FROM graded_offers AS o INNER JOIN grades AS g ON o.grade_id = g.grade_id "
        "ORDER BY g.code, g.bucket"
    )
    # the registers were recorded after that day's cut-off, so the class was not known
    assert codes == [
        ("H100-S080-C-NV-VM-OD-US-7", "ALL", date(2026, 7, 14)),
        ("H100-Y080-Y-YY-YY-OD-YY-J", "ALL", date(2026, 7, 14)),
        ("H100-Y080-Y-YY-YY-OD-YY-J", "NR", date(2026, 7, 14)),
    ]


def test_normalising_twice_does_nothing(warehouse: Warehouse, version: str) -> None:
    capture = add_capture(warehouse, "gpurentalprices")
    add_offer(warehouse, capture)
    add_offer(warehouse, capture, chip_text="no such chip", row_number=2)
    add_capture(warehouse, "gpurentalprices", "empty")
    first = normalise(warehouse, version)
    assert (first.captures, first.offers, first.rejected) == (2, 2, {"chip_not_stated": 1})
    tables = ("offers", "graded_offers", "rejections", "normalisations")
    before = [warehouse.rows(f"SELECT * FROM {table} ORDER BY ALL") for table in tables]
    again = normalise(warehouse, version)
    assert (again.captures, again.offers, again.rejected) == (0, 0, {})
    assert before == [warehouse.rows(f"SELECT * FROM {table} ORDER BY ALL") for table in tables]
    log = warehouse.rows(
        "SELECT offers_written, trades_written, rejections_written FROM normalisations ORDER BY offers_written"
    )
    assert log == [(0, 0, 0), (2, 0, 1)]


def test_small_batches_write_the_same_rows(
    warehouse: Warehouse, version: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, clock: RecordedClock
) -> None:
    def fill(into: Warehouse) -> None:
        for number in range(4):
            capture = add_capture(into, "gpurentalprices", f"c{number}")
            for row in range(3):
                add_offer(
                    into, capture, row_number=row + 1, sku=f"{number}/{row}", price_amount=Decimal(row + 1)
                )

    fill(warehouse)
    normalise(warehouse, version)
    with open_warehouse(tmp_path / "other.duckdb", clock=clock) as other:
        from grades.registers import sync  # noqa: PLC0415

        assert sync(other) == version
        fill(other)
        monkeypatch.setattr(module, "BATCH_ROWS", 4)
        normalise(other, version)
        for table in ("offers", "graded_offers", "normalisations"):
            query = f"SELECT * FROM {table} ORDER BY ALL"
            assert warehouse.rows(query) == other.rows(query)


def test_a_batch_that_fails_leaves_nothing_and_is_taken_up_again(
    warehouse: Warehouse, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_offer(warehouse, add_capture(warehouse, "gpurentalprices"))

    def fail(_name: str) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(module, "reach", fail)
        with pytest.raises(KeyboardInterrupt):
            normalise(warehouse, version)
    assert offers(warehouse) == []
    assert normalise(warehouse, version).offers == 1


_amounts = st.decimals("0.0001", "100000", places=4)
_counts = st.one_of(st.integers(1, 4096).map(Decimal), st.decimals("0.125", "0.875", places=3))


@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(_amounts, st.sampled_from(sorted(PRICE_BASES)), _counts, st.integers(1, 8760)), min_size=1,
                max_size=60, unique=True))  # fmt: skip
def test_prices_are_those_of_the_units_of_the_core(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[Decimal, str, Decimal, int]]
) -> None:
    with open_warehouse(
        tmp_path_factory.mktemp("w") / "w.duckdb", clock=RecordedClock(SEEN), threads=1
    ) as warehouse:
        from grades.registers import sync  # noqa: PLC0415

        version = sync(warehouse)
        capture = add_capture(warehouse, "gpurentalprices")
        expected = {}
        for number, (amount, basis, gpus, hours) in enumerate(rows):
            add_offer(
                warehouse, capture, row_number=number + 1, sku=str(number), price_amount=amount, price_basis=basis,
                gpu_count=gpus, block_hours=Decimal(hours),
            )  # fmt: skip
            exact = per_gpu_hour(amount, basis, gpu_count=gpus, hours=Decimal(hours))
            expected[str(number)] = (exact, PRICE_BASES[basis].step)
        normalise(warehouse, version)
        found = {row["sku"]: row for row in offers(warehouse)}
        for sku, (exact, step) in expected.items():
            if exact < Decimal("1e-9"):
                continue
            got = Decimal(str(found[sku]["usd_per_gpu_hour"]))
            rounded = exact.quantize(Decimal("1e-9"), ROUND_HALF_EVEN)
            assert abs(got - rounded) <= max(Decimal("1e-9"), exact * Decimal("1e-14"))
            assert found[sku]["price_step"] == step


def at(day: int, hour: int) -> datetime:
    return datetime(2026, 7, day, hour, tzinfo=UTC)


def test_the_rate_is_the_last_one_published_when_the_price_was_seen(
    warehouse: Warehouse, version: str
) -> None:
    # ECB rates come out about 14:00 UTC; 11 and 12 July 2026 are a weekend
    add_rate(warehouse, "EUR", "2026-07-09", "1.10", at(9, 14))
    add_rate(warehouse, "EUR", "2026-07-10", "1.20", at(10, 14))
    add_rate(warehouse, "EUR", "2026-07-13", "1.30", at(13, 14))
    add_rate(warehouse, "GBP", "2026-07-13", "1.40", at(13, 14))
    capture = add_capture(warehouse, "gpurentalprices")
    seen = {
        "a": at(10, 13),
        "b": at(10, 14),
        "c": at(12, 23),
        "d": at(13, 13),
        "e": at(13, 15),
        "f": at(25, 9),
    }
    for sku, instant in seen.items():
        add_offer(warehouse, capture, sku=sku, currency="EUR", observed_at=instant, price_amount=Decimal(10))
    add_offer(warehouse, capture, sku="g", currency="EUR", observed_at=at(9, 13))
    add_offer(warehouse, capture, sku="h", currency="SEK", observed_at=at(13, 15))
    report = normalise(warehouse, version)
    found = {
        row["sku"]: (row["usd_per_gpu_hour"], row["fx_day"], row["fx_age_days"]) for row in offers(warehouse)
    }
    assert found == {
        "a": (Decimal(11), date(2026, 7, 9), 1),
        "b": (Decimal(12), date(2026, 7, 10), 0),
        "c": (Decimal(12), date(2026, 7, 10), 2),
        "d": (Decimal(12), date(2026, 7, 10), 3),
        "e": (Decimal(13), date(2026, 7, 13), 0),
        "f": (Decimal(13), date(2026, 7, 13), 12),
    }
    assert {row["native_per_gpu_hour"] for row in offers(warehouse)} == {Decimal(10)}
    assert report.rejected == {"fx_missing": 2}


def test_a_row_that_waited_for_a_rate_is_priced_once_when_the_rate_arrives(
    warehouse: Warehouse, version: str
) -> None:
    capture = add_capture(warehouse, "gpurentalprices")
    add_offer(warehouse, capture, sku="usd", observed_at=at(9, 15))
    add_offer(warehouse, capture, sku="eur", currency="EUR", observed_at=at(9, 15), price_amount=Decimal(10))
    add_offer(warehouse, capture, sku="sek", currency="SEK", observed_at=at(9, 15), price_amount=Decimal(10))
    assert normalise(warehouse, version).rejected == {"fx_missing": 2}
    assert normalise(warehouse, version).captures == 0
    add_rate(warehouse, "EUR", "2026-07-09", "1.10", at(9, 14))
    again = normalise(warehouse, version)
    assert (again.captures, again.offers, again.rejected) == (1, 1, {})
    assert {row["sku"]: row["usd_per_gpu_hour"] for row in offers(warehouse)}["eur"] == Decimal(11)
    assert len(offers(warehouse)) == 2
    ((graded,),) = warehouse.rows("SELECT count(*) FROM (SELECT DISTINCT offer_id FROM graded_offers)")
    assert graded == 2
    assert normalise(warehouse, version).captures == 0


def test_a_corrected_rate_holds_from_its_own_publication_on(warehouse: Warehouse, version: str) -> None:
    add_rate(warehouse, "EUR", "2026-07-09", "1.10", at(9, 14))
    add_rate(warehouse, "EUR", "2026-07-09", "1.50", at(9, 18))
    capture = add_capture(warehouse, "gpurentalprices")
    add_offer(warehouse, capture, sku="a", currency="EUR", observed_at=at(9, 15), price_amount=Decimal(1))
    add_offer(warehouse, capture, sku="b", currency="EUR", observed_at=at(9, 19), price_amount=Decimal(1))
    normalise(warehouse, version)
    assert [row["usd_per_gpu_hour"] for row in offers(warehouse)] == [Decimal("1.1"), Decimal("1.5")]


@pytest.mark.parametrize(
    ("words", "stage", "reason"),
    [
        ({"price_basis": "instance_hour"}, "normalise", "gpu_count_missing"),
        ({"price_basis": "block", "gpu_count": Decimal(8)}, "normalise", "block_hours_missing"),
        ({"price_basis": "per fortnight"}, "normalise", "price_basis_unknown"),
        ({"currency": "XTS"}, "normalise", "fx_missing"),
        ({"price_amount": Decimal(0)}, "normalise", "price_not_positive"),
        ({"price_amount": Decimal(-1)}, "normalise", "price_not_positive"),
        ({"price_amount": Decimal("1e-12")}, "normalise", "price_not_positive"),
        ({"price_amount": Decimal("1e11")}, "normalise", "price_out_of_range"),
        ({"gpu_count": Decimal("0.125"), "price_basis": "instance_hour"}, "match", "slice_of_gpu"),
        ({"offer_class": "indication"}, "match", "indication"),
        ({"operator_text": "dc_roan"}, "match", "operator_not_registered"),
        ({"chip_text": None}, "match", "chip_not_stated"),
        ({"class_text": "serverless"}, "match", "serverless_inference"),
        ({"chip_text": "h100-nvl"}, "match", "memory_not_stated"),
        ({"chip_text": "rtx-4090", "memory_gb": Decimal(48)}, "match", "no_grade_for_memory"),
        ({"term_text": None}, "match", "term_not_stated"),
        ({"term_text": "1 Year"}, "match", "no_grade"),
        ({"chip_text": "H800"}, "match", "no_grade_for_chip"),
    ],
)
def test_every_refused_row_has_one_reason(
    warehouse: Warehouse, version: str, words: dict[str, object], stage: str, reason: str
) -> None:
    stated = add_offer(warehouse, add_capture(warehouse, "gpurentalprices"), **words)
    assert normalise(warehouse, version).rejected == {reason: 1}
    assert refusals(warehouse) == [(stage, reason)]
    (row,) = warehouse.dicts("SELECT * FROM rejections")
    record = stated if stage == "normalise" else content_id("off", stated, version)
    assert (row["record_id"], row["source_id"], row["row_number"]) == (record, "gpurentalprices", 1)
    assert row["detail"]
    assert warehouse.rows("SELECT count(*) FROM graded_offers") == [(0,)]


def test_a_price_far_out_is_not_refused_here(warehouse: Warehouse, version: str) -> None:
    capture = add_capture(warehouse, "gpurentalprices")
    add_offer(warehouse, capture, sku="low", price_amount=Decimal("0.01"))
    add_offer(warehouse, capture, sku="high", price_amount=Decimal(4000))
    assert normalise(warehouse, version).rejected == {}


def test_a_marketplace_is_one_whose_own_source_names_hosts(warehouse: Warehouse, version: str) -> None:
    add_source(warehouse, "vast", "marketplace_ask")
    add_source(warehouse, "gpurentalprices", "aggregator")
    add_source(warehouse, "runpod", "operator_list")
    vast, aggregator, runpod = (
        add_capture(warehouse, name) for name in ("vast", "gpurentalprices", "runpod")
    )
    add_offer(warehouse, vast, source_id="vast", operator_text="Vast.ai", host_text="vast:host:1", sku="1")
    add_offer(warehouse, vast, source_id="vast", operator_text="Vast.ai", sku="2")
    add_offer(warehouse, aggregator, operator_text="salad", host_text="salad:community", sku="3")
    add_offer(
        warehouse, runpod, source_id="runpod", operator_text="RunPod", host_text="runpod:community", sku="4"
    )
    add_offer(warehouse, vast, source_id="unheard", operator_text="aws", host_text="hyperstack", sku="5")
    normalise(warehouse, version)
    found = [
        (row["operator_id"], row["host_operator_id"], row["is_marketplace"], row["route_rank"])
        for row in offers(warehouse)
    ]
    assert found == [
        ("vast", "vast:host:1", True, 1),
        ("vast", "vast", False, 1),
        ("salad", "salad:community", False, 3),
        ("runpod", "runpod:community", False, 1),
        ("aws", "hyperstack", False, 3),
    ]


def test_words_that_only_look_alike_are_decided_apart(warehouse: Warehouse, version: str) -> None:
    capture = add_capture(warehouse, "gpurentalprices")
    add_offer(warehouse, capture, sku="1", chip_text="h100", form_text="SXM", memory_text=None)
    add_offer(warehouse, capture, sku="2", chip_text="h100", form_text=None, memory_text="SXM")
    add_offer(warehouse, capture, sku="3", chip_text="h100", form_text=None, memory_text=None)
    add_offer(warehouse, capture, sku="4", chip_text="h100SXM", form_text=None, memory_text=None)
    normalise(warehouse, version)
    assert [row["form_memory"] for row in offers(warehouse)] == ["S080", "Z080", "Z080", "S080"]


def test_a_trade_is_priced_per_gpu_hour_and_its_parties_are_pseudonyms(
    warehouse: Warehouse, version: str
) -> None:
    capture = add_capture(warehouse, "focus")
    stated = add_trade(
        warehouse,
        capture,
        gpu_count=Decimal(8),
        lot_gpus=8,
        cost_amount=Decimal("39.2"),
        quantity=Decimal("0.5"),
    )
    report = normalise(warehouse, version)
    assert (report.trades, report.rejected) == (1, {})
    (trade,) = warehouse.dicts("SELECT * FROM trades")
    assert trade["trade_id"] == content_id("trd", stated, version)
    assert (trade["usd_per_gpu_hour"], trade["gpu_hours"]) == (Decimal("9.8"), Decimal(4))
    assert (trade["traded_at"], trade["traded_at_from"]) == (SEEN, "delivery_start")
    assert (trade["operator_id"], trade["chip"], trade["form_memory"], trade["lot"]) == (
        "aws",
        "A10G",
        "P024",
        "C",
    )
    assert "1234567890123" not in str(trade)
    assert "i-006flle71l19b488a" not in str(trade)
    assert warehouse.rows(
        "SELECT g.code FROM graded_trades AS t INNER JOIN grades AS g ON t.grade_id = g.grade_id"
    ) == [("A10G-Y024-Y-YY-YY-OD-YY-F",)]


def test_trades_say_whose_they_are_only_to_the_holder_of_the_key(warehouse: Warehouse, version: str) -> None:
    capture = add_capture(warehouse, "focus")
    for number, (buyer, agreement) in enumerate([("b1", "x"), ("b1", "y"), ("b2", "x")]):
        add_trade(warehouse, capture, row_number=number + 1, buyer_text=buyer, agreement_text=agreement)
    normalise(warehouse, version)
    rows = warehouse.rows("SELECT buyer_pseudonym, agreement_id FROM trades")
    assert len({buyer for buyer, _ in rows}) == 2
    # an agreement belongs to the reporter who names it
    assert len({agreement for _, agreement in rows}) == 2
    path = warehouse.layout.files / "pseudonym.key"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    key = pseudonym_key(warehouse)
    assert {buyer for buyer, _ in rows} == {pseudonym(key, "buy", "b1"), pseudonym(key, "buy", "b2")}
    assert key != OPEN_KEY
    path.chmod(0o644)
    with pytest.raises(ConfigError, match="others may read this key"):
        pseudonym_key(warehouse)


def test_a_warehouse_of_the_sample_has_an_open_key(warehouse: Warehouse) -> None:
    warehouse.set_fact("purpose", "sample")
    assert pseudonym_key(warehouse) == OPEN_KEY
    assert not (warehouse.layout.files / "pseudonym.key").exists()
    assert pseudonym(OPEN_KEY, "buy", "b1") == "buy_e2c552b53625df76844d5393"


@pytest.mark.parametrize(
    ("words", "reason"),
    [({"quantity": Decimal(0)}, "quantity_not_positive"), ({"cost_amount": Decimal(0)}, "price_not_positive"),
     ({"gpu_count": None}, "gpu_count_missing"), ({"currency": "EUR"}, "fx_missing")],
)  # fmt: skip
def test_a_trade_without_a_price_is_refused(
    warehouse: Warehouse, version: str, words: dict[str, object], reason: str
) -> None:
    add_trade(warehouse, add_capture(warehouse, "focus"), **words)
    assert normalise(warehouse, version).rejected == {reason: 1}


def test_a_version_nobody_loaded_is_refused(warehouse: Warehouse) -> None:
    with pytest.raises(NotFoundError, match=r"run grades\.registers\.sync first"):
        normalise(warehouse, "reg_000000000000000000000000")


def test_importing_grades_is_cheap() -> None:
    import subprocess  # noqa: PLC0415
    import sys  # noqa: PLC0415

    code = (
        "import sys, grades.normalise, grades.registers, grades.match, grades.grade_code\n"
        "print(*sorted({'pandas', 'statsmodels', 'scrapy', 'numpy'} & sys.modules.keys()))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() in ("", "numpy")
