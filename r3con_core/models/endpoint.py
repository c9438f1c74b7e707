"""Where a model is reached and what is known about it; never its key."""

import re
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlsplit, urlunsplit

from r3con_core.egress import address_of
from r3con_core.errors import EndpointError

LOCAL_WORKERS = 4
REMOTE_WORKERS = 16
LOCAL_TIMEOUT = 600.0
"""Seconds: a server on this computer may read a long prompt for minutes before its first word."""
REMOTE_TIMEOUT = 180.0


class JsonMode(StrEnum):
    """How an endpoint can be held to the shape of a reply, from the strictest down."""

    SCHEMA = "schema"
    OBJECT = "object"
    WORDS = "words"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier:
    """Prices per million tokens of a call whose prompt is longer than `above` tokens."""

    above: int
    input: float
    cached: float
    cache_write: float
    output: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Money per million tokens."""

    input: float
    cached: float
    """For prompt tokens the server had already read."""
    cache_write: float
    """For prompt tokens it keeps for later, where it bills that apart; else the same as `input`."""
    output: float
    source: str
    """Who says so, and of which date, as shown to the analyst."""
    currency: str = "USD"
    tiers: tuple[Tier, ...] = ()
    """What calls with longer prompts cost, the shortest first; () where all cost the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One model at one address."""

    base_url: str
    """Up to and with its version, such as https://api.openai.com/v1."""
    model: str
    name: str = ""
    """What the analyst calls it; "" shows the model's name."""
    window: int | None = None
    """Tokens of prompt and reply together; None where nobody has said."""
    workers: int = REMOTE_WORKERS
    """Calls at once, at most."""
    timeout: float = REMOTE_TIMEOUT
    """Seconds without a byte from the server."""
    local: bool = False
    """On this computer or this network: replies are streamed, so that a stop frees the server at once."""
    prices: Prices | None = None
    mode: JsonMode = JsonMode.SCHEMA
    """The strictest way of asking for a shape that is worth trying first; a probe knows."""

    @property
    def host(self) -> str:
        """Where text is sent, in words."""
        return host_of(self.base_url)


def endpoint_for(
    model: str, base_url: str, *, window: int | None = None, workers: int | None = None, name: str = ""
) -> Endpoint:
    """An endpoint with the defaults that suit its address, which may be given as people paste it.

    Raises EndpointError when the address, the name or the number of workers cannot be one.
    """
    if not model.strip():
        raise EndpointError("Give the name of a model, as the endpoint lists it.")
    if _looks_like_key(model):
        raise EndpointError("What stands for the model's name looks like a key. Put the key in its own field.")
    if workers is not None and workers < 1:
        raise EndpointError(f"Calls at once must be 1 or more, not {workers}.")
    address = normalise_url(base_url)
    local = is_near(_hostname(address))
    return Endpoint(
        base_url=address,
        model=model.strip(),
        name=name,
        window=window,
        workers=workers or (LOCAL_WORKERS if local else REMOTE_WORKERS),
        timeout=LOCAL_TIMEOUT if local else REMOTE_TIMEOUT,
        local=local,
    )


def normalise_url(base_url: str) -> str:
    """`base_url` with a scheme and a version, without what belongs to single calls."""
    given = base_url.strip()
    if not given:
        raise EndpointError("Give the model's address, such as https://api.openai.com/v1 or http://localhost:11434/v1.")
    _check_holds_no_key(given)
    if "://" not in given:
        given = ("http://" if is_near(_hostname(f"http://{given}")) else "https://") + given
    parts = urlsplit(given)
    host = _hostname(given)
    if parts.scheme not in ("http", "https") or not host or re.search(r"\s", given):
        raise EndpointError(f"{base_url!r} is not a web address. It looks like https://api.openai.com/v1.")
    path = re.sub(r"/(chat/completions|completions|models|responses)/*$", "", parts.path.rstrip("/"))
    default = "/api/v1" if host == "openrouter.ai" else "/v1"
    return urlunsplit((parts.scheme, parts.netloc, path or default, "", ""))


_KEY_BEGINNING = re.compile(
    r"(?:bearer[ +])?(?:(?:sk|pk|rk|gsk|xai|csk|tgp|fw|hf|pplx|nvapi|key|api)[-_]|aiza)", re.IGNORECASE
)
"""As providers begin their keys."""


def _looks_like_key(text: str) -> bool:
    """A beginning such as keys have, and a run of letters and digits that no name has."""
    runs = re.findall(r"[A-Za-z0-9]{12,}", text)
    begins = "/" not in text and _KEY_BEGINNING.match(text.strip()) is not None
    return begins and any(re.search(r"\d", run) for run in runs)


def _check_holds_no_key(given: str) -> None:
    """EndpointError, without a word of `given`, when it has a place for a key or a password, or is one itself."""
    path = given.partition("://")[2] or given
    named = re.search(r"[@?;=]|#.*\w|%40", path) is not None
    if named or any(_looks_like_key(part) for part in re.split(r"[/\\:]", path)):
        raise EndpointError("The address must not hold a key or a password. Put the key in its own field.")


def host_of(base_url: str) -> str:
    """Where text sent to `base_url` goes: "this computer", or the name of the host."""
    host = _hostname(base_url)
    return "this computer" if is_loopback(base_url) else host


def is_loopback(base_url: str) -> bool:
    """Whether `base_url` is on this computer."""
    host = _hostname(base_url)
    if host == "localhost" or host.endswith(".localhost"):
        return True
    address = address_of(host)
    return address is not None and (address.is_loopback or address.is_unspecified)


def is_near(host: str) -> bool:
    """Whether `host` is on this computer or its own network, as far as its name or number tells."""
    address = address_of(host)
    if address is not None:
        return address.is_loopback or address.is_private or address.is_link_local or address.is_unspecified
    return "." not in host or host.endswith((".localhost", ".local", ".lan", ".internal", ".home.arpa"))


def _hostname(url: str) -> str:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return ""
    return "" if port == 0 else parts.hostname or ""
