"""How sources are asked is written out, value by value, and nobody is asked without a contact."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from scrapy.settings import Settings as ScrapySettings

from collectors import settings
from collectors.settings import is_loopback, scrapy_settings
from gpurent.core.errors import ConfigError

# every setting of Scrapy that decides whether, how fast, how long or how openly a host is asked
POLITENESS = {
    "ROBOTSTXT_OBEY": True,
    "COOKIES_ENABLED": False,
    "CONCURRENT_REQUESTS": 4,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
    "DOWNLOAD_DELAY": 5.0,
    "DOWNLOAD_DELAY_JITTER": 0.5,
    "AUTOTHROTTLE_ENABLED": True,
    "AUTOTHROTTLE_START_DELAY": 5.0,
    "AUTOTHROTTLE_MAX_DELAY": 120.0,
    "AUTOTHROTTLE_TARGET_CONCURRENCY": 1.0,
    "DOWNLOAD_TIMEOUT": 60.0,
    "DOWNLOAD_MAXSIZE": 64 * 2**20,
    "RETRY_TIMES": 2,
    "REDIRECT_MAX_TIMES": 3,
    "METAREFRESH_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "DOWNLOAD_VERIFY_CERTIFICATES": True,
    "HTTPCACHE_ENABLED": False,
}


def test_the_effective_settings_are_the_polite_ones() -> None:
    effective = ScrapySettings(scrapy_settings("prices@example.org"))
    assert {name: effective.get(name) for name in POLITENESS} == POLITENESS
    assert effective["USER_AGENT"].startswith("gpurent/")
    assert "(+prices@example.org)" in effective["USER_AGENT"]


def test_every_setting_stands_beside_scrapys_default_in_a_comment() -> None:
    text = Path(settings.__file__).read_text(encoding="utf-8")
    lines = text.splitlines()
    for node in ast.parse(text).body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        name = getattr(target, "id", "")
        if name.isupper() and not name.startswith("_") and name != "DOWNLOADER_MIDDLEWARES":
            assert "# default" in lines[node.lineno - 1], name


@pytest.mark.parametrize("contact", [None, "", "   "])
def test_nobody_is_asked_without_a_contact(contact: str | None) -> None:
    with pytest.raises(ConfigError, match="GPURENT_CONTACT"):
        scrapy_settings(contact)
    with pytest.raises(ConfigError, match="GPURENT_CONTACT"):
        scrapy_settings(contact, endpoint="https://mirror.example")


def test_only_this_machine_may_be_asked_without_pauses_and_without_a_contact() -> None:
    local = scrapy_settings(None, endpoint="http://127.0.0.1:8080")
    assert (local["DOWNLOAD_DELAY"], local["AUTOTHROTTLE_ENABLED"]) == (0.0, False)
    assert local["ROBOTSTXT_OBEY"] is True
    mirror = scrapy_settings("prices@example.org", endpoint="https://mirror.example")
    assert (mirror["DOWNLOAD_DELAY"], mirror["AUTOTHROTTLE_ENABLED"]) == (5.0, True)
    assert is_loopback("http://localhost:1/x")
    assert not is_loopback("http://localhost.example.org")
    assert not is_loopback(None)
