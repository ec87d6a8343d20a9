"""Every source: its files belong together, and its reader gives what its rendered documents state."""

from __future__ import annotations

import ast
import inspect
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import collectors
from collectors.crawling import spider_of
from collectors.items import RowRejection, StatedList, StatedOffer
from collectors.reading import read_document, reader_of
from collectors.reasons import RowError, reason_codes
from collectors.registry import load_sources
from collectors.rules import eu_cloud
from gpurent.core.errors import ConfigError, SourceError
from tests.collectors.cases import FIXTURES, Case, cases, document, expected

ROOM = Path(collectors.__file__).parent
CASES = list(cases())


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.source_id}-{case.file}")
def test_a_rendered_document_gives_the_recorded_items(case: Case) -> None:
    found = case.items()
    assert found == expected(case.source_id)[case.file]
    assert found == case.items()


def test_every_source_has_a_record_a_spider_and_fixtures_of_one_name() -> None:
    records = {path.stem for path in (ROOM / "sources").glob("*.toml")}
    spiders = {path.stem for path in (ROOM / "spiders").glob("*.py")} - {"__init__"}
    fixtures = {path.name for path in FIXTURES.iterdir() if path.is_dir()}
    assert records == spiders == fixtures == {case.source_id for case in CASES}


@pytest.mark.parametrize("source_id", sorted(load_sources()))
def test_a_spider_is_short_named_and_says_where_its_format_is_described(source_id: str) -> None:
    text = (ROOM / "spiders" / f"{source_id}.py").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 80
    assert "https://" in (ast.get_docstring(ast.parse(text)) or "")
    assert spider_of(source_id).name == source_id
    assert inspect.isgeneratorfunction(reader_of(source_id))


def test_every_reason_a_reader_gives_is_listed_and_every_listed_one_is_given() -> None:
    makers = {
        "RowError": 0,
        "SourceError": 0,
        "BadRow": 0,
        "refuse": 0,
        "Fault": 1,
        "_rejection": 2,
        "_refuse": 1,
    }
    given, literals = set(), set()
    for path in ROOM.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                literals.add(node.value)
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "id", None) or getattr(node.func, "attr", None)
            place = makers.get(str(name))
            if place is not None and len(node.args) > place:
                code = node.args[place]
                if isinstance(code, ast.Constant):
                    given.add(code.value)
    assert given - reason_codes().keys() == set()
    assert reason_codes().keys() - literals == set()
    assert all(sentence.endswith(".") for sentence in reason_codes().values())


def test_an_unknown_source_has_no_reader() -> None:
    with pytest.raises(ConfigError, match="no spider"):
        reader_of("nobody")


@pytest.mark.parametrize(
    ("status", "code"), [(404, "http_status"), (503, "http_status"), (302, "redirect_to_other_host")]
)
def test_an_answer_that_is_not_200_is_not_read(status: int, code: str) -> None:
    with pytest.raises(SourceError) as refused:
        list(read_document(document("vast", b"{}", http_status=status), load_sources()["vast"]))
    assert refused.value.reason_code == code


def test_a_shape_nobody_thought_of_ends_its_document_with_a_code() -> None:
    body = b'{"data": [1, 2, 3]}'
    with pytest.raises(SourceError, match="reader_crashed: AttributeError"):
        list(read_document(document("runpod", body), load_sources()["runpod"]))


def test_an_answer_that_says_the_call_failed_is_not_an_empty_list() -> None:
    body = b'{"errors": [{"message": "rate limited"}], "data": null}'
    with pytest.raises(SourceError, match="answer_is_an_error"):
        list(read_document(document("runpod", body), load_sources()["runpod"]))


def test_vast_lists_as_long_as_their_limit_are_at_least_that_long() -> None:
    offer = (
        b'{"id": 1, "host_id": 2, "gpu_name": "RTX 4090", "num_gpus": 1, "gpu_ram": 24564,'
        b' "dph_total": 0.3, "min_bid": 0.1}'
    )
    for count, status in ((63, "complete"), (64, "partial")):
        body = b'{"offers": [' + b",".join([offer] * count) + b"]}"
        first, *rest = read_document(document("vast", body, list_key="RTX 4090"), load_sources()["vast"])
        assert isinstance(first, StatedList)
        assert (first.list_key, first.status) == ("RTX 4090", status)
        assert len(rest) == 2 * count


def test_an_offer_of_unknown_availability_is_not_firm() -> None:
    body = (
        b'{"offers": [{"id": 1, "host_id": 2, "gpu_name": "H200", "num_gpus": 1, "gpu_ram": 143771,'
        b' "dph_total": 3.1, "min_bid": 2.0}]}'
    )
    ask = list(read_document(document("vast", body), load_sources()["vast"]))[1]
    assert isinstance(ask, StatedOffer)
    assert (ask.offer_class, ask.available_gpus) == ("list", 0)


BAD_ROWS = [
    ('"usd_hr": -1.5', "price_negative"),
    ('"usd_hr": 0', "price_zero"),
    ('"usd_hr": NaN', "price_not_finite"),
    ('"usd_hr": Infinity', "price_not_finite"),
    ('"usd_hr": 1e308', "price_out_of_range"),
    ('"usd_hr": null', "missing_value"),
    ('"usd": 1.5', "missing_column"),
    ('"usd_hr": "n/a"', "not_a_price"),
    ('"usd_hr": "from $2.10"', "price_from"),
    ('"usd_hr": "$1100/month"', "wrong_unit"),
    ('"usd_hr": 1.5, "vram_gb": "lots"', "not_a_number"),
    ('"usd_hr": 1.5, "min_gpus": 1.5', "not_a_count"),
    ('"usd_hr": 1.5, "fetched_at": "yesterday"', "not_an_instant"),
    ('"usd_hr": 1.5, "fetched_at": "2026-07-20T10:00:00"', "time_without_zone"),
    ('"usd_hr": 1.5, "provider": ["x"]', "not_text"),
    ('"usd_hr": 1.5, "gpu": "h\\ud800"', "field_out_of_range"),
    ('"usd_hr": 1.5, "gpu": "h\\u0000"', "field_out_of_range"),
    ('"usd_hr": "€2.39"', "other_currency"),
    ('"usd_hr": "2.39 CAD"', "other_currency"),
    ('"usd_hr": "$2.39 per instance hour"', "wrong_unit"),
    ('"usd_hr": "1,999"', "price_ambiguous"),
]


@pytest.mark.parametrize(("fields", "code"), BAD_ROWS)
def test_a_bad_row_is_refused_with_its_code_and_its_neighbours_stand(fields: str, code: str) -> None:
    good = '{"provider": "a", "gpu": "h100", "kind": "on-demand", "fetched_at": "2026-07-20T10:00:00Z", %s}'
    named_once = json.dumps(json.loads(good % fields))
    rows = [good % '"usd_hr": 2.5', named_once, "7", good % '"usd_hr": 2.6']
    body = f'{{"generated_at": "2026-07-20T11:00:00Z", "offers": [{",".join(rows)}]}}'
    _, first, bad, number, last = read_document(
        document("gpurentalprices", body.encode()), load_sources()["gpurentalprices"]
    )
    assert isinstance(first, StatedOffer)
    assert isinstance(last, StatedOffer)
    assert (first.row_number, last.row_number) == (1, 4)
    assert isinstance(bad, RowRejection)
    assert (bad.row_number, bad.reason_code) == (2, code)
    assert bad.raw_text is not None
    assert isinstance(number, RowRejection)
    assert number.reason_code == "malformed_row"


def one_row_of_three(source_id: str, template: str, bad: str, good: str) -> list[Any]:
    """What a reader makes of a list of three rows of which the middle one is bad."""
    body = template % ", ".join((good, bad, good.replace('"id": 1', '"id": 3')))
    return list(read_document(document(source_id, body.encode()), load_sources()[source_id]))[1:]


VAST = '{"id": 1, "host_id": 2, "gpu_name": "H100 SXM", "num_gpus": 8, "gpu_ram": 81559, "dph_total": %s, "min_bid": 9}'


@pytest.mark.parametrize(
    ("price", "code"),
    [
        ('"$2.10 /GPU/hr"', "wrong_unit"),
        ('"$2.10 per card hour"', "wrong_unit"),
        ('16.8, "dph_total": 2.1', "not_a_price"),
        ("1e99999999999999999999", "price_not_finite"),
        ('"16,800"', "price_ambiguous"),
    ],
)
def test_a_price_that_may_be_another_is_refused_and_its_neighbours_stand(price: str, code: str) -> None:
    made = one_row_of_three("vast", '{"offers": [%s]}', VAST % price, VAST % "16.8")
    refused = [item for item in made if isinstance(item, RowRejection)]
    assert [(item.row_number, item.reason_code) for item in refused] == [(2, code)]
    asks = [item for item in made if isinstance(item, StatedOffer) and item.term_text == "on-demand"]
    assert [(item.row_number, item.price_amount) for item in asks] == [
        (1, Decimal("16.8")),
        (3, Decimal("16.8")),
    ]


@pytest.mark.parametrize("price", ['16.8, "dph_total": 16.8', '"$16.80 per instance hour"', '"$16.80 / hr"'])
def test_what_is_stated_twice_alike_or_in_its_own_unit_is_read(price: str) -> None:
    made = one_row_of_three("vast", '{"offers": [%s]}', VAST % price, VAST % "16.8")
    assert {item.price_amount for item in made if item.term_text == "on-demand"} == {Decimal("16.8")}
    assert len(made) == 6


def test_a_row_of_a_shape_nobody_thought_of_is_one_refusal() -> None:
    listed = json.loads((FIXTURES / "oracle" / "products.json").read_bytes())
    whole = list(read_document(document("oracle", json.dumps(listed).encode()), load_sources()["oracle"]))
    offers = [item.row_number for item in whole if isinstance(item, StatedOffer)]
    place = offers[0] - 1
    for stated in listed["items"][place]["currencyCodeLocalizations"]:
        stated["prices"] = 7
    made = list(read_document(document("oracle", json.dumps(listed).encode()), load_sources()["oracle"]))
    assert [item.row_number for item in made if isinstance(item, StatedOffer)] == offers[1:]
    crashed = [
        item for item in made if isinstance(item, RowRejection) and item.reason_code == "reader_crashed"
    ]
    assert [item.row_number for item in crashed] == [offers[0]]


def test_an_unknown_currency_of_a_whole_catalogue_ends_that_document_alone() -> None:
    listed = json.loads((FIXTURES / "ovhcloud" / "catalogue.json").read_bytes())
    listed["locale"]["currencyCode"] = "XXX"
    with pytest.raises(SourceError, match="unknown_currency"):
        list(read_document(document("ovhcloud", json.dumps(listed).encode()), load_sources()["ovhcloud"]))


@pytest.mark.parametrize(
    ("count", "code"), [("1.5", "not_a_count"), ("1e9", "not_a_count"), ("NaN", "number_not_finite")]
)
def test_a_machine_has_a_whole_number_of_gpus(count: str, code: str) -> None:
    row = {"file": "prices/civo.json", "i_id": "g4", "i_gpu_model": "H100", "i_gpu_count": count}
    with pytest.raises(RowError) as refused:
        eu_cloud.gpus_of(row)
    assert refused.value.reason_code == code


@pytest.mark.parametrize("word", ["NaN", "Infinity"])
def test_a_word_for_no_number_is_no_count_of_gpus(word: str) -> None:
    row = {"file": "prices/civo.json", "i_id": "g4", "i_gpu_model": "H100", "i_gpu": word}
    with pytest.raises(RowError, match="missing_value"):
        eu_cloud.gpus_of(row)
