"""Texts without keys: what servers, exceptions and models say, before it is kept or shown.

Here is the one list of the secrets that this process holds, which lives in its memory and ends with it.
"""

import base64
import binascii
import html
import json
import re
import sys
import threading
import traceback
from collections.abc import Iterable
from types import TracebackType
from urllib.parse import quote, quote_plus

STAND_IN = "[key]"
SHORTEST = 8
"""Letters. What is shorter is a word such as "ollama" that servers without keys are given, and no secret."""
_PART = 4
"""Letters of a key's start or end that a server's message may not tell."""

_held: dict[str, "re.Pattern[str]"] = {}


def hold(secret: str) -> None:
    """Keep in mind that this process knows `secret`, so that its texts can be cleared of it."""
    if len(secret) >= SHORTEST and secret not in _held:
        _held[secret] = _pattern(secret)


def is_held(text: str) -> bool:
    """Whether `text` is a secret that this process knows."""
    return text.strip() in _held


def hidden(text: str) -> str:
    """`text` with "[key]" for every secret of this process, also where it is written in another form."""
    for found in list(_held.values()):
        text = found.sub(STAND_IN, text)
    return text


def without(text: str, secret: str) -> str:
    """`text` with "[key]" for `secret`, as it is and as it is written in URLs, JSON, HTML, Base64 and hexadecimals.

    A secret that is shorter than `SHORTEST` is left where it is: it could be any word.
    """
    return _pattern(secret).sub(STAND_IN, text) if len(secret) >= SHORTEST else text


def message_without(text: str, secret: str) -> str:
    """A server's message without `secret`, nor its start, its end, or what is left of it between asterisks."""
    if not secret:
        return text
    text = without(text, secret)

    def judge(word: "re.Match[str]") -> str:
        return STAND_IN if _tells_of(word.group(), secret) else word.group()

    return re.sub(r"[^\s'\"`()\[\]{}<>,;:=]+", judge, text)


def _tells_of(word: str, secret: str) -> bool:
    begun, _, ended = re.sub(r"[*•…]+|\.{3,}", "\0", word).partition("\0")
    word = word.rstrip(".!?")
    if word == secret or (len(word) >= _PART and (secret.startswith(word) or secret.endswith(word))):
        return True
    masked = len(begun) + len(ended) < len(word)
    return masked and bool(begun or ended) and secret.startswith(begun) and secret.endswith(ended.rstrip(".!?"))


def _pattern(secret: str) -> "re.Pattern[str]":
    forms = sorted({form for form in _forms(secret) if len(form) >= SHORTEST}, key=len, reverse=True)
    return re.compile("|".join(re.escape(form) for form in forms), re.IGNORECASE)


def _forms(secret: str) -> Iterable[str]:
    data = secret.encode()
    yield secret
    yield from (quote(secret), quote(secret, safe=""), quote_plus(secret), "".join(f"%{byte:02x}" for byte in data))
    yield from (html.escape(secret), json.dumps(secret)[1:-1], json.dumps(secret)[1:-1].replace("/", "\\/"))
    yield "".join(f"\\u{ord(letter):04x}" for letter in secret)
    yield binascii.hexlify(data).decode()
    for before in range(3):
        yield from _in_base64(data, before)


def _in_base64(data: bytes, before: int) -> Iterable[str]:
    """The letters that depend on `data` alone when `before` other bytes, modulo 3, come before it."""
    start, end = -(-before * 8 // 6), (before + len(data)) * 8 // 6
    padded = bytes(before) + data
    yield base64.b64encode(padded).decode()[start:end]
    yield base64.urlsafe_b64encode(padded).decode()[start:end]


_SECRET_WORDS = ("APIKEY", "AUTH", "CREDENTIAL", "CREDENTIALS", "PASSPHRASE", "PASSWD", "PASSWORD", "SECRET", "SECRETS")
_SECRET_ENDS = (*_SECRET_WORDS, "TOKEN", "TOKENS", "_PAT", "_KEY", "_KEYS", "_PASS")


def is_secret_name(name: str) -> bool:
    """Whether a variable of that name holds a key, a token or a password, by the way such variables are named."""
    name = name.upper()
    words = re.split(r"[_.\-]+", name)
    within = any(word.endswith(_SECRET_WORDS) for word in words if word != "AUTH") or "ACCESS_KEY" in name
    return within or f"_{name}".endswith(_SECRET_ENDS) or name.startswith("R3CON_API_KEY")


def clear_error(error: BaseException) -> None:
    """Take the secrets of this process out of what `error`, and those it came from, are printed with by others."""
    seen: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in seen:
        seen.append(cause)
        cause.args = tuple(_cleared(argument) for argument in cause.args)
        cause = cause.__cause__ or cause.__context__


def _cleared(argument: object) -> object:
    if isinstance(argument, str):
        return hidden(argument)
    return STAND_IN if hidden(repr(argument)) != repr(argument) else argument


def guard_tracebacks() -> None:
    """Have what ends this process, or a thread of it, printed without the secrets that it holds."""
    sys.excepthook = _print_hidden
    threading.excepthook = _print_of_thread


def _print_hidden(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
        return
    sys.stderr.write(hidden("".join(traceback.format_exception(kind, error, trace))))


def _print_of_thread(told: threading.ExceptHookArgs) -> None:
    if told.exc_value is not None and not issubclass(told.exc_type, SystemExit):
        _print_hidden(told.exc_type, told.exc_value, told.exc_traceback)
