"""The open Google calculator: the file of a version, ingested by hand an hour after it was built."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime

from collectors.document import Document
from gpurent.core.clock import at_utc
from gpurent.core.ids import canonical_decimal
from gpurent.sample.tables import GoogleFact, google_facts
from warehouse.warc import file_url

BUILT, INGESTED = (6, 13), (7, 30)


def documents(day: date) -> Iterator[Document]:
    """The version of `day`, if there is one."""
    facts = [fact for fact in google_facts() if fact.version == day]
    if not facts:
        return
    name = f"pricing_{day}.yml"
    yield Document(
        source_id="google_calculator",
        url=file_url(name),
        body=_yaml(facts, at_utc(day, *BUILT)).encode(),
        fetched_at=at_utc(day, *INGESTED),
        file_name=name,
    )


def _yaml(facts: list[GoogleFact], built: datetime) -> str:
    lines = ["about:", f"  timestamp: {int(built.timestamp())}", "compute:", "  instance:"]
    for machine in sorted({fact.machine for fact in facts}):
        regions = [fact for fact in facts if fact.machine == machine]
        first = regions[0]
        lines += [f"    {machine}:", f"      {first.gpu_key}: {first.gpus}", f"      cpu: {first.vcpus}"]
        lines += [f"      ram: {first.memory_gb}", "      cost:"]
        for fact in regions:
            lines += [f"        {fact.region}:", f"          hour: {canonical_decimal(fact.hour)}"]
            if fact.hour_spot is not None:
                lines.append(f"          hour_spot: {canonical_decimal(fact.hour_spot)}")
    return "\n".join(lines) + "\n"
