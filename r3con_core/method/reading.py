"""Reading a model's reply strictly: a fault goes back to the model, it is never guessed away."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, TypeVar

from r3con_core.errors import NoUsableReplyError, ReplyError
from r3con_core.exchange import Exchange, Finish, Message, Prompt, Reply, whole_letters
from r3con_core.method.marks import without_mark
from r3con_core.method.prompts import fill
from r3con_core.runs import PROMPTS

T = TypeVar("T")

MAX_ATTEMPTS = 3
_FENCED = re.compile(r"```(?:json)?[^\S\n]*\n(.*?)```", re.DOTALL)


def ask_until_read(prompt: Prompt, read: Callable[[Reply], T]) -> Exchange[T]:
    """Ask `prompt` up to three times, each refused reply sent back with its fault; NoUsableReplyError after that.

    A reply that was cut off gets twice the room next time.
    """
    fault = ""
    asked = prompt
    for attempt in range(1, MAX_ATTEMPTS + 1):
        reply = yield asked
        try:
            return read(reply)
        except ReplyError as error:
            fault = error.fault
            asked = _again(prompt, reply, fault, attempt + 1, asked.max_tokens)
    raise NoUsableReplyError(prompt.stage, MAX_ATTEMPTS, fault)


def _again(prompt: Prompt, reply: Reply, fault: str, attempt: int, room: int) -> Prompt:
    said = reply.text if len(reply.text) <= 4000 else reply.text[:2000] + " … " + reply.text[-1500:]
    refused = fill(
        "common", PROMPTS, "refused", fence=prompt.mark or "reply", fault=without_mark(fault, prompt.mark or "reply")
    )
    return replace(
        prompt,
        attempt=attempt,
        messages=(
            *prompt.messages,
            Message(role="assistant", pieces=(without_mark(said, prompt.mark) or "(nothing)",)),
            Message(role="user", pieces=(refused,)),
        ),
        max_tokens=room * 2 if reply.finish is Finish.CUT_OFF else room,
    )


def decode_object(reply: Reply, shape: Mapping[str, Any]) -> dict[str, Any]:
    """The reply as a JSON object that satisfies `shape`; ReplyError with what is wrong otherwise."""
    if reply.finish is Finish.CUT_OFF:
        raise ReplyError("it was cut off before its end; be shorter")
    value = _decode(reply.text)
    faults = [_explain(error) for error in _validator(json.dumps(shape)).iter_errors(value)]
    if faults:
        raise ReplyError("; ".join(faults[:4]))
    assert isinstance(value, dict)
    return value


def decode_cut_object(reply: Reply) -> dict[str, Any]:
    """A reply that was cut off inside its last list, without that list's last item, which may be half of it."""
    value = _repair(reply.text)
    if not isinstance(value, dict):
        raise ReplyError("it was cut off before it said anything; be shorter")
    filled = [name for name, items in value.items() if isinstance(items, list) and items]
    return {**value, filled[-1]: value[filled[-1]][:-1]} if filled else value


def _decode(text: str) -> Any:
    fenced = _FENCED.search(text)
    body = (fenced.group(1) if fenced else text).strip()
    if not body.startswith("{") and "{" in body:
        body = body[body.index("{") :]
    try:
        return _kept(json.JSONDecoder().raw_decode(body)[0])
    except json.JSONDecodeError as error:
        return _repaired(body, error)
    except (ValueError, RecursionError) as error:
        raise _unkeepable() from error


def _kept(value: Any) -> Any:
    """`value` with letters that a store can keep; ValueError for numbers that are none, or greater than there are."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    whole = whole_letters(text)
    return value if whole == text else json.loads(whole)


def _unkeepable() -> ReplyError:
    return ReplyError("it is nested too deep, or holds a number that cannot be kept, such as NaN; write text or null")


def _repair(text: str) -> Any:
    from json_repair import repair_json  # a finished reply is nearly always valid, so its import is put off

    try:
        return _kept(repair_json(text, return_objects=True))
    except (ValueError, RecursionError) as error:
        raise _unkeepable() from error


def _repaired(body: str, error: json.JSONDecodeError) -> Any:
    """Only slips of form in a finished reply: a missing comma or quotation mark. Prose is refused."""
    if not body.startswith("{"):
        raise ReplyError("it is not a JSON object") from error
    value = _repair(body)
    if not isinstance(value, dict) or not value:
        raise ReplyError(f"it is not valid JSON: {error.msg} at character {error.pos}") from error
    return value


@cache
def _validator(shape: str) -> Any:
    from jsonschema import Draft202012Validator  # 0.2 s to import, needed only when replies are read

    return Draft202012Validator(json.loads(shape))


def _explain(error: Any) -> str:
    where = ".".join(str(step) for step in error.absolute_path) or "the object"
    return f"{where}: {error.message[:160]}"


_NOTHING = frozenset({"", "null", "none", "n/a", "na", "not given", "not stated", "unknown", "unspecified"})


def level_nothing(value: Any) -> Any:
    """`value` with the words small models write for "not given" turned into None, at every depth."""
    match value:
        case str():
            return None if value.strip().casefold() in _NOTHING else value.strip()
        case list():
            return [item for item in map(level_nothing, value) if item is not None]
        case dict():
            return {key: level_nothing(item) for key, item in value.items()}
        case _:
            return value


def walk_values(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every single value of a record with its path; list positions count from 0."""
    match value:
        case dict():
            for key, item in value.items():
                yield from walk_values(item, (*path, key))
        case list():
            for position, item in enumerate(value):
                yield from walk_values(item, (*path, str(position)))
        case _:
            yield path, value
