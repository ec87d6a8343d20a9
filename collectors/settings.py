"""The Scrapy project's settings: every value that decides how politely sources are asked, written out.

Scrapy's own defaults are those of a library and not polite; each stands in the comment beside ours. The user
agent names the project and the contact, so a run without a contact is refused (`scrapy_settings`).
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import Any
from urllib.parse import urlsplit

from gpurent.core.errors import ConfigError

BOT_NAME = "gpurent"  # default "scrapybot"
SPIDER_MODULES = ["collectors.spiders"]  # default none

# --- who asks, and what may be asked
ROBOTSTXT_OBEY = True  # default False
ROBOTSTXT_USER_AGENT = "gpurent"  # default: the whole USER_AGENT
COOKIES_ENABLED = False  # default True
REFERER_ENABLED = True  # default True; needed by the redirect middleware
REFERRER_POLICY = "no-referrer"  # default: the policy of browsers
HTTPPROXY_ENABLED = True  # default True: the operator's proxy variables hold
DEFAULT_REQUEST_HEADERS = {  # default: the Accept of a browser, and every compression
    "Accept": "application/json, application/xml;q=0.9, text/html;q=0.8, */*;q=0.5",
    "Accept-Language": "en",
    "Accept-Encoding": "gzip",
}

# --- how fast
CONCURRENT_REQUESTS = 4  # default 16: over all hosts together
CONCURRENT_REQUESTS_PER_DOMAIN = 1  # default 8
DOWNLOAD_DELAY = 5.0  # default 0: seconds between two requests to one host
DOWNLOAD_DELAY_JITTER = 0.5  # default 0.5: 0.5 to 1.5 of the delay
AUTOTHROTTLE_ENABLED = True  # default False
AUTOTHROTTLE_START_DELAY = 5.0  # default 5
AUTOTHROTTLE_MAX_DELAY = 120.0  # default 60
AUTOTHROTTLE_TARGET_CONCURRENCY = 1.0  # default 1

# --- how long and how much
DOWNLOAD_TIMEOUT = 60.0  # default 180
DNS_TIMEOUT = 20.0  # default 60
DOWNLOAD_MAXSIZE = 64 * 2**20  # default 1 GiB; a source's own limit is in its record
DOWNLOAD_WARNSIZE = 32 * 2**20  # default 32 MiB
DOWNLOAD_FAIL_ON_DATALOSS = True  # default True: a cut answer is a failed one
CLOSESPIDER_TIMEOUT = 3600.0  # default 0, none: one source may not hold up a run for more than an hour
CLOSESPIDER_PAGECOUNT = 2000  # default 0, none: a paging loop ends
RETRY_ENABLED = True  # default True
RETRY_TIMES = 2  # default 2
RETRY_HTTP_CODES = [408, 429, 500, 502, 503, 504, 522, 524]  # default the same
REDIRECT_ENABLED = True  # default True; to another host it is refused, see collectors.middlewares
REDIRECT_MAX_TIMES = 3  # default 20
METAREFRESH_ENABLED = False  # default True
HTTPERROR_ALLOW_ALL = True  # default False: an error page is archived and recorded as one
COMPRESSION_ENABLED = False  # default True: the archive keeps what came; readers take gzip off
DOWNLOAD_VERIFY_CERTIFICATES = True  # default False
HTTPCACHE_ENABLED = False  # default False

# --- what listens and what is written
TELNETCONSOLE_ENABLED = False  # default True
REMOTE_CONTROL_ENABLED = False  # default True
MEMDEBUG_ENABLED = False  # default False
FEEDS: dict[str, Any] = {}  # default none
LOG_LEVEL = "WARNING"  # default "DEBUG"
LOG_INSTALL_ROOT_HANDLER = False  # default True: the command line decides where logs go
STATS_DUMP = False  # default True
TWISTED_REACTOR = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"  # default the same

DOWNLOADER_MIDDLEWARES = {
    # nearer to the network than Scrapy's redirects (600): looks at where they lead
    "collectors.middlewares.SameHostRedirects": 610,
    # nearer to the spider than redirects (600) and retries (550): sees the answer that will be read
    "collectors.middlewares.ArchiveMiddleware": 540,
}

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def is_loopback(endpoint: str | None) -> bool:
    """Whether an endpoint is this machine, so that nobody else is asked."""
    return endpoint is not None and urlsplit(endpoint).hostname in _LOOPBACK


def scrapy_settings(contact: str | None, *, endpoint: str | None = None) -> dict[str, Any]:
    """The settings of a run. Raises ConfigError without a contact, unless only this machine is asked.

    On a loopback endpoint the pauses between requests fall away; everything else stands.
    """
    contact = contact.strip() if contact else None
    if not contact and not is_loopback(endpoint):
        raise ConfigError(
            "live collection needs a contact that sources can write to: set GPURENT_CONTACT or `contact` in "
            "gpurent.toml to an e-mail address or a page"
        )
    chosen = {name: value for name, value in globals().items() if name.isupper() and not name.startswith("_")}
    chosen["USER_AGENT"] = f"gpurent/{_version()} (+{contact or 'local endpoint'})"
    if is_loopback(endpoint):
        chosen |= {"DOWNLOAD_DELAY": 0.0, "AUTOTHROTTLE_ENABLED": False}
    return chosen


def _version() -> str:
    try:
        return version("gpurent")
    except PackageNotFoundError:
        return "0"
