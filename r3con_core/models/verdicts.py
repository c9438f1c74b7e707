"""The plain sentence that says what is wrong at an endpoint and what to do about it."""

import re
from collections.abc import Callable
from difflib import get_close_matches
from urllib.parse import urlsplit

from r3con_core.errors import EndpointError, ModelError, RefusedError, WindowExceededError
from r3con_core.models.endpoint import Endpoint
from r3con_core.models.faults import Trouble, exceeds_window, is_out_of_credit, is_refusal

_SHOWN_MODELS = 6


def verdict(trouble: Trouble, endpoint: Endpoint, *, has_key: bool, list_models: Callable[[], list[str]]) -> ModelError:
    """The error that `trouble` is, with what to do about it; for trouble that will not pass."""
    host = begin_with_host(endpoint)
    if exceeds_window(trouble):
        return WindowExceededError(trouble.window)
    if is_refusal(trouble):
        return RefusedError(f"{host} would not read or answer this text ({_quoted(trouble)}).")
    if trouble.unreached:
        return EndpointError(_unreached(trouble, endpoint))
    if is_out_of_credit(trouble):
        return EndpointError(
            f"The account at {endpoint.host} has no credit left. Add credit there, or choose another model; "
            "everything finished is kept."
        )
    if trouble.page or 300 <= trouble.status < 400:
        return EndpointError(_wrong_address(trouble, endpoint))
    if trouble.status in (401, 403):
        return EndpointError(_key_refused(trouble, endpoint, has_key))
    if trouble.status in (404, 405) or _no_such_model(trouble):
        return EndpointError(_not_found(trouble, endpoint, list_models))
    return EndpointError(
        f"{host} does not take this request (HTTP {trouble.status}: {_quoted(trouble)}). "
        "Check that the address is that of a chat model, or choose another model."
    )


def begin_with_host(endpoint: Endpoint) -> str:
    """The host as a sentence begins with it: words with a capital, an address as it is."""
    host = endpoint.host
    return f"{host[0].upper()}{host[1:]}" if " " in host else host


def gave_up(trouble: Trouble, endpoint: Endpoint, failed: int) -> str:
    """What is said when what might have passed did not, after `failed` tries."""
    host = begin_with_host(endpoint)
    if trouble.timed_out:
        return (
            f"{host} sent nothing for {endpoint.timeout:.0f} seconds, {failed} times. Try again when it is "
            "less busy, ask fewer calls at once, or choose a faster model; everything finished is kept."
        )
    said = f"HTTP {trouble.status}" if trouble.status else trouble.message
    what = "asks for fewer calls (HTTP 429)" if trouble.status == 429 else f"fails ({said})"
    return (
        f"{host} still {what} after {failed} tries. Wait a while and resume, or ask fewer calls at once; "
        "everything finished is kept."
    )


def _unreached(trouble: Trouble, endpoint: Endpoint) -> str:
    parts = urlsplit(endpoint.base_url)
    place = f"{parts.hostname}:{parts.port or (443 if parts.scheme == 'https' else 80)}"
    if trouble.unreached == "name":
        return f"There is no host named {parts.hostname}. Check the spelling of the address, and the network."
    if trouble.unreached == "tls":
        return (
            f"No secure connection to {place} ({trouble.message}). If the server speaks plain http, write http:// "
            "in the address; if it has a certificate of its own, add that to this computer's trusted ones."
        )
    if trouble.unreached == "silent":
        return f"{place} cannot be reached ({trouble.message}). Check the address, the network and any firewall."
    hint = "Start the model server there" if endpoint.local else "Check the address"
    return f"Nobody listens at {place}. {hint}, or correct the address and its port."


def _wrong_address(trouble: Trouble, endpoint: Endpoint) -> str:
    if trouble.location:
        return f"{endpoint.base_url} redirects to {trouble.location}. Set that as the address if you trust it."
    return (
        f"{endpoint.base_url} answers with a web page, not as a model would. "
        "The address of a model's interface often ends in /v1: look it up in the provider's documentation."
    )


def _key_refused(trouble: Trouble, endpoint: Endpoint, has_key: bool) -> str:  # noqa: FBT001 - a fact, not a switch
    host = begin_with_host(endpoint)
    if not has_key:
        return f"{host} {_WANTED}. Enter one for this address, or set R3CON_API_KEY."
    if trouble.status == 401:
        return f"{host} {_REFUSED}. Copy it again, whole, and check that it is for this address."
    return (
        f"{host} does not allow this key to use {endpoint.model} ({_quoted(trouble)}). "
        "Check the key's permissions there, or choose another model."
    )


_WANTED, _REFUSED = "wants a key and none is set", "does not accept the key"


def is_about_key(error: str) -> bool:
    """Whether a run ended with `error` because its key was refused, or had to be there."""
    return _WANTED in error or _REFUSED in error


def _no_such_model(trouble: Trouble) -> bool:
    said = f"{trouble.code} {trouble.message}".lower()
    return re.search(r"model_not_found|not a valid model|model .*(?:does not exist|not found)", said) is not None


def _not_found(trouble: Trouble, endpoint: Endpoint, list_models: Callable[[], list[str]]) -> str:
    names = list_models()
    if not names and not _no_such_model(trouble):
        return (
            f"Nothing that talks like a model is at {endpoint.base_url} (HTTP {trouble.status}). "
            "Its address often ends in /v1: look it up in the provider's documentation."
        )
    if endpoint.model in names:
        return (
            f"{begin_with_host(endpoint)} lists {endpoint.model!r} but does not chat with it ({_quoted(trouble)}). "
            "Choose a chat (instruct) model."
        )
    return f"{begin_with_host(endpoint)} has no model {endpoint.model!r}. {suggestion(endpoint.model, names)}"


def suggestion(model: str, names: list[str]) -> str:
    """Which of `names` to use instead of `model`, nearest first."""
    if not names:
        return "Look up the model's exact name there."
    near = get_close_matches(model, names, n=_SHOWN_MODELS, cutoff=0.3)
    shown = list(dict.fromkeys([*near, *names]))[:_SHOWN_MODELS]
    more = f" and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
    return f"It has: {', '.join(shown)}{more}."


def _quoted(trouble: Trouble) -> str:
    return trouble.message[:200] or "no reason given"
