"""What went wrong at an endpoint, and the plain sentence that says what to do about it.

`Trouble` is what was seen; `verdict` says whether to try again or which error it is. Nothing here waits or sends.
"""

import errno
import re
import socket
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from r3con_core.errors import EndpointError, ModelError, RefusedError, WindowExceededError
from r3con_core.models.endpoint import Endpoint

if TYPE_CHECKING:
    import httpx2
    import openai

RETRIED = (0, 408, 409, 425, 429)
"""HTTP statuses worth another try, with 5xx; 0 is a connection that broke."""
_SHOWN_MODELS = 6
_NO_WAY = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.ETIMEDOUT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """An answer that is no reply, or the lack of one."""

    status: int = 0
    """HTTP status; 0 where none came, or none that says what is wrong."""
    message: str = ""
    code: str = ""
    """The server's `code` and `type`, in one string."""
    param: str = ""
    window: int | None = None
    """The model's context window in tokens, where the server names it."""
    retry_after: float | None = None
    """Seconds the server asks to wait."""
    page: bool = False
    """A web page came instead of JSON."""
    location: str = ""
    """Where the server redirects to."""
    unreached: str = ""
    """Why no connection came about: refused, name, tls, silent; "" when one did."""
    timed_out: bool = False


class Troubled(Exception):  # noqa: N818 - never leaves this package
    """Carries a `Trouble` from where it was met to where it is judged."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.message)
        self.trouble = trouble


def trouble_in(body: Any) -> Trouble | None:
    """The trouble told in the `error` of a decoded body that came with status 200, or None."""
    error = body.get("error") if isinstance(body, dict) else None
    if not error:
        return None
    code = error.get("code") if isinstance(error, dict) else None
    return _told(error, status=code if isinstance(code, int) and code >= 400 else 0, headers={})


def trouble_of(fault: "openai.APIError") -> Trouble:
    """The trouble that an exception of the openai client stands for."""
    import httpx2
    import openai

    if isinstance(fault, openai.APIStatusError):
        body = fault.body
        if not isinstance(body, dict) or "<html" in fault.response.text[:2000].lower():
            return trouble_of_text(fault.response)
        return _told(body.get("error", body), status=fault.status_code, headers=fault.response.headers)
    if isinstance(fault.__cause__, httpx2.ConnectTimeout):
        return Trouble(unreached="silent", message="no connection in time")
    if isinstance(fault, openai.APITimeoutError):
        return Trouble(timed_out=True, message="it did not answer in time")
    if isinstance(fault, openai.APIConnectionError):
        return Trouble(unreached=_why_unreached(fault), message=_root(fault))
    return trouble_in({"error": fault.body or fault.message}) or Trouble(message=fault.message)


def trouble_of_text(response: "httpx2.Response") -> Trouble:
    """The trouble of a response that is not JSON."""
    text = response.text
    return Trouble(
        status=response.status_code,
        message=" ".join(text.split())[:200],
        page="<html" in text[:2000].lower() or "<!doctype" in text[:200].lower(),
        retry_after=_retry_after(response.headers),
        location=response.headers.get("location", ""),
    )


def _told(error: Any, *, status: int, headers: Mapping[str, str]) -> Trouble:
    """What a server's error object says; some send a bare string."""
    told = error if isinstance(error, dict) else {"message": str(error)}
    message = str(told.get("message") or told.get("detail") or told)
    return Trouble(
        status=status,
        message=" ".join(message.split())[:400],
        code=f"{told.get('code') or ''} {told.get('type') or ''}".strip(),
        param=str(told.get("param") or ""),
        window=_window(told, message),
        retry_after=_retry_after(headers),
        location=headers.get("location", ""),
    )


def _window(told: Mapping[str, Any], message: str) -> int | None:
    if isinstance(told.get("n_ctx"), int):
        return int(told["n_ctx"])
    found = re.search(r"(?:context (?:length|window)|maximum)[^\d]{0,40}?(\d[\d,]{2,})", message)
    return int(found[1].replace(",", "")) if found else None


def _retry_after(headers: Mapping[str, str]) -> float | None:
    if milliseconds := headers.get("retry-after-ms"):
        return _number(milliseconds, 0.001)
    told = headers.get("retry-after", "")
    seconds = _number(told, 1.0)
    if seconds is not None or not told:
        return seconds
    try:
        until = parsedate_to_datetime(told)
        now = parsedate_to_datetime(headers["date"]) if "date" in headers else datetime.now(UTC)
    except ValueError:
        return None
    return max(0.0, (until - now).total_seconds())


def _number(text: str, unit: float) -> float | None:
    try:
        return max(0.0, float(text) * unit)
    except ValueError:
        return None


def _why_unreached(fault: BaseException) -> str:
    for cause in _chain(fault):
        if isinstance(cause, ssl.SSLError):
            return "tls"
        if isinstance(cause, socket.gaierror):
            return "name"
        if isinstance(cause, ConnectionRefusedError):
            return "refused"
        if isinstance(cause, OSError) and cause.errno in _NO_WAY:
            return "silent"
    return ""


def _root(fault: BaseException) -> str:
    return str(_chain(fault)[-1]) or "the connection broke"


def _chain(fault: BaseException) -> list[BaseException]:
    causes = [fault]
    while (cause := causes[-1].__cause__ or causes[-1].__context__) is not None and cause not in causes:
        causes.append(cause)
    return causes


def exceeds_window(trouble: Trouble) -> bool:
    """Whether the prompt, with the reply asked for, was too long for the model."""
    if trouble.status not in (0, 400, 413, 422, 500):
        return False
    said = f"{trouble.code} {trouble.message}".lower()
    signs = (
        r"exceed_context_size|context_length_exceeded|context (?:length|window|size)|prompt is too long|too many tokens"
    )
    return trouble.status == 413 or re.search(signs, said) is not None


def is_refusal(trouble: Trouble) -> bool:
    """Whether the endpoint would not have this text, whatever is done about the address."""
    said = f"{trouble.code} {trouble.message}".lower()
    return (
        re.search(r"content.?filter|content_policy|invalid_prompt|moderation|flagged|safety system", said) is not None
    )


def is_out_of_credit(trouble: Trouble) -> bool:
    """Whether waiting will not help, because the account has nothing left."""
    return trouble.status == 402 or "insufficient_quota" in trouble.code


def may_pass(trouble: Trouble, *, known: bool) -> bool:
    """Whether the same request may succeed later; `known` says that this endpoint has answered before."""
    if trouble.unreached:
        return known and trouble.unreached != "tls"
    if trouble.page and trouble.status < 500:
        return False
    return trouble.status in RETRIED or (trouble.status >= 500 and trouble.status != 501)


def verdict(trouble: Trouble, endpoint: Endpoint, *, has_key: bool, list_models: Callable[[], list[str]]) -> ModelError:
    """The error that `trouble` is, with what to do about it; for trouble that will not pass."""
    host = endpoint.host
    if exceeds_window(trouble):
        return WindowExceededError(trouble.window)
    if is_refusal(trouble):
        return RefusedError(f"{host} would not read or answer this text ({_quoted(trouble)}).")
    if trouble.unreached:
        return EndpointError(_unreached(trouble, endpoint))
    if is_out_of_credit(trouble):
        return EndpointError(
            f"The account at {host} has no credit left. Add credit there, or choose another model; "
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
    if not has_key:
        return f"{endpoint.host} wants a key and none is set. Enter one for this address, or set R3CON_API_KEY."
    if trouble.status == 401:
        return f"{endpoint.host} does not accept the key. Copy it again, whole, and check that it is for this address."
    return (
        f"{endpoint.host} does not allow this key to use {endpoint.model} ({_quoted(trouble)}). "
        "Check the key's permissions there, or choose another model."
    )


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
            f"{endpoint.host} lists {endpoint.model!r} but does not chat with it ({_quoted(trouble)}). "
            "Choose a chat (instruct) model."
        )
    return f"{endpoint.host} has no model {endpoint.model!r}. {suggestion(endpoint.model, names)}"


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
