"""What went wrong at an endpoint, read from whatever came instead of a reply. Nothing here waits or sends."""

import errno
import re
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from r3con_core.errors import EgressError
from r3con_core.scrubbing import hidden

if TYPE_CHECKING:
    import httpx2
    import openai

RETRIED = (0, 408, 409, 425, 429)
"""HTTP statuses worth another try, with 5xx; 0 is a connection that broke."""
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
        message=" ".join(hidden(text).split())[:200],
        page="<html" in text[:2000].lower() or "<!doctype" in text[:200].lower(),
        retry_after=_retry_after(response.headers),
        location=response.headers.get("location", ""),
    )


def _told(error: Any, *, status: int, headers: Mapping[str, str]) -> Trouble:
    """What a server's error object says; some send a bare string."""
    told = error if isinstance(error, dict) else {"message": str(error)}
    message = hidden(str(told.get("message") or told.get("detail") or told))
    return Trouble(
        status=status,
        message=" ".join(message.split())[:400],
        code=f"{told.get('code') or ''} {told.get('type') or ''}".strip(),
        param=str(told.get("param") or ""),
        window=_window(told, message),
        retry_after=_retry_after(headers, message),
        location=headers.get("location", ""),
    )


_NUMBER = r"`?(\d[\d,]*)"
_WINDOWS = (
    rf"limit {_NUMBER}, requested",
    rf"maximum (?:context|model|prompt) length (?:is|of|:) {_NUMBER}",
    rf"model maximum context length: {_NUMBER}",
    rf"with (?:a )?(?:maximum )?context length of (?:only )?{_NUMBER}",
    rf"context (?:size|length|window|limit) (?:of |is )?\(?{_NUMBER} tokens",
    rf"{_NUMBER} maximum\b",
    rf"maximum number of (?:input )?tokens allowed \({_NUMBER}",
    rf"model token limit: {_NUMBER}",
    rf"total tokens limit {_NUMBER}",
    rf"tokens? > {_NUMBER}",
    rf"\d \+ \d+ > {_NUMBER}",
    rf"must (?:be <=|have less than) {_NUMBER}",
    rf"(?:exceeds limit of|while limit is) {_NUMBER}",
)
"""How servers name the window in a refusal: Groq and OpenAI (per minute), OpenAI, vLLM, OpenRouter, DeepSeek, SGLang and
xAI, Fireworks, LM Studio, llama.cpp, Mistral and Anthropic, Gemini, Moonshot, watsonx, Anthropic, Text Generation
Inference and Together, Cerebras. Numbers of anything else, such as what was asked for, must not match."""


def _window(told: Mapping[str, Any], message: str) -> int | None:
    if isinstance(told.get("n_ctx"), int):
        return int(told["n_ctx"])
    said = " ".join(message.lower().split())
    found = next((match for pattern in _WINDOWS if (match := re.search(pattern, said))), None)
    return int(found[1].replace(",", "")) if found else None


_PAUSE = r"(?:try again|retry) in ((?:\d+h)?(?:\d+m(?!s))?(?:\d+(?:\.\d+)?m?s)?)"
_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}


def _retry_after(headers: Mapping[str, str], message: str = "") -> float | None:
    """Seconds to wait: as a header says in one of three ways, else as OpenAI, Groq and Gemini say in words."""
    if milliseconds := headers.get("retry-after-ms"):
        return _number(milliseconds, 0.001)
    told = headers.get("retry-after", "")
    seconds = _number(told, 1.0)
    if seconds is not None:
        return seconds
    if told:
        return _until(told, headers)
    said = re.search(_PAUSE, message.lower())
    times = re.findall(r"(\d+(?:\.\d+)?)(ms|[hms])", said[1]) if said else []
    return sum(float(count) * _UNITS[unit] for count, unit in times) if times else None


def _until(date: str, headers: Mapping[str, str]) -> float | None:
    """Seconds to `date`, by the server's own clock where it tells that."""
    try:
        until = parsedate_to_datetime(date)
        now = parsedate_to_datetime(headers["date"]) if "date" in headers else datetime.now(UTC)
        return max(0.0, (until - now).total_seconds())
    except (TypeError, ValueError):
        return None  # no date, or one without a zone beside one with: as if nothing had been said


def _number(text: str, unit: float) -> float | None:
    try:
        return max(0.0, float(text) * unit)
    except ValueError:
        return None


def refusal_in(fault: BaseException) -> EgressError | None:
    """The refusal of this program's own guard that an exception comes of, or None."""
    return next((cause for cause in _chain(fault) if isinstance(cause, EgressError)), None)


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


_TOO_LONG = (
    r"exceed_context_size|context_length_exceeded|context (?:length|window|size|limit)|"
    r"maximum model length|model token limit|must have less than|"
    r"(?:prompt|input|request)(?: \([^)]*\))? (?:is )?too (?:long|large)|too many tokens|too large for model|"
    r"token count .*exceeds|maximum prompt length|reduce the length|tokens limit|max_new_tokens. must be <="
)


def exceeds_window(trouble: Trouble) -> bool:
    """Whether the prompt, with the reply asked for, was too long for the model or for what is allowed in a minute."""
    said = f"{trouble.code} {trouble.message}".lower()
    if re.search(r"request too large for .*tokens per min", said):
        return True
    if trouble.status == 413:
        return True
    return trouble.status in (0, 400, 422, 500) and re.search(_TOO_LONG, said) is not None


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
    if is_out_of_credit(trouble) or exceeds_window(trouble):
        return False
    if trouble.unreached:
        return known and trouble.unreached != "tls"
    if (trouble.page and trouble.status < 500) or (trouble.status == 0 and is_refusal(trouble)):
        return False
    return trouble.status in RETRIED or (trouble.status >= 500 and trouble.status != 501)
