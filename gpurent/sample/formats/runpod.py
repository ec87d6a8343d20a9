"""RunPod: the answer to the spider's own GraphQL query, three times a day.

A cloud in which a type is not offered has its flag false, and 0 or the price that is left filled in. What the
tables do not know (stock, spot and monthly prices) is null.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

from collectors.document import Document, request_text
from collectors.registry import load_sources
from collectors.spiders.runpod import RunpodSpider
from gpurent.core.clock import at_utc
from gpurent.sample.formats import json_body, json_number
from gpurent.sample.tables import RunpodFact, runpod_facts

LOOKS = ((2, 10), (10, 10), (18, 10))


def documents(day: date) -> Iterator[Document]:
    """The day's looks. The prices of a day do not change within it, so the answers are alike."""
    if not _types(day):
        return
    source = load_sources()["runpod"]
    body = json_body({"data": {"gpuTypes": _types(day)}})
    for hour, minute in LOOKS:
        fetched_at = at_utc(day, hour, minute)
        yield Document(
            source_id=source.source_id,
            url=source.url,
            body=body,
            fetched_at=fetched_at,
            media_type="application/json; charset=utf-8",
            http_status=200,
            request_json=request_text(
                method="POST", body={"query": RunpodSpider.query}, snapshot_at=fetched_at
            ),
        )


def _types(day: date) -> list[dict[str, Any]]:
    shown: dict[str, list[RunpodFact]] = {}
    for fact in runpod_facts():
        if fact.is_shown_on(day):
            shown.setdefault(fact.gpu_id, []).append(fact)
    return [_type(facts) for facts in shown.values()]


def _type(facts: Sequence[RunpodFact]) -> dict[str, Any]:
    by_cloud = {fact.cloud: fact for fact in facts}
    secure, community = by_cloud.get("secure"), by_cloud.get("community")
    return {
        "id": facts[0].gpu_id,
        "displayName": facts[0].display_name,
        "memoryInGb": facts[0].memory_gb,
        "secureCloud": secure is not None and secure.is_offered,
        "communityCloud": community is not None and community.is_offered,
        "securePrice": json_number(secure.price) if secure else 0,
        "communityPrice": json_number(community.price) if community else 0,
        "secureSpotPrice": None,
        "communitySpotPrice": None,
        "oneMonthPrice": None,
        "threeMonthPrice": None,
        "secure": {"stockStatus": None},
        "community": {"stockStatus": None},
    }
