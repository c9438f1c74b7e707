"""A scripted model for methods of every kind: it copies sentences of what it is shown, and fills in any form.

It knows no corpus. Where a prompt says the task it copies the sentences that share most words with it, else the first
ones, so that what a method keeps and loses on the way is really kept and lost.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from r3con_core.documents import estimate_tokens
from r3con_core.exchange import Prompt
from r3con_core.method.reasoning import split_sentences

OWN: dict[str, Callable[[Prompt], str | None]] = {}
"""By method, a function for the prompts that need more than copying; None: this one is not such a prompt."""
_NAME = re.compile(r"(?:[A-Z][\w'’-]+)(?: (?:of |the )?[A-Z][\w'’-]+)*")
_COMMON = frozenset(
    "The A An In On At It He She They This That And But For From With Of To Was Were When Document".split()
)


def reply(prompt: Prompt) -> str:
    """What the model says."""
    for own in OWN.values():
        said = own(prompt)
        if said is not None:
            return said
    if prompt.shape is not None:
        return json.dumps(fill(prompt.shape, material(prompt), task_words(prompt)), ensure_ascii=False)
    return copy(material(prompt), task_words(prompt), prompt.max_tokens) or "Nothing of that is told."


def material(prompt: Prompt) -> str:
    """All that stands between the prompt's marks, but for the words of the marks themselves."""
    text = "\n".join(message.content for message in prompt.messages if message.role == "user")
    mark = re.escape(prompt.mark)
    return "\n".join(re.findall(rf"<{mark} [\w -]+>\n(.*?)\n</{mark}>", text, re.DOTALL)) if prompt.mark else ""


def task_words(prompt: Prompt) -> frozenset[str]:
    """The words of the task, where the prompt says it."""
    said = "\n".join(message.content for message in prompt.messages)
    found = re.search(r"The task:\n(.+)", said)
    return _words(found[1]) if found else frozenset()


def _words(text: str) -> frozenset[str]:
    return frozenset(word[:6] for word in re.findall(r"[a-z]{4,}|\d+", text.casefold()))


def sentences(text: str) -> Sequence[str]:
    """Of the material, in order, each once."""
    return tuple(dict.fromkeys(" ".join(one.split()) for one in split_sentences(text) if len(one.split()) > 3))


def copy(text: str, wanted: frozenset[str], tokens: int) -> str:
    """The sentences that share most words with `wanted`, in their order, as many as fit in about half of `tokens`."""
    found = sentences(text)
    ranked = sorted(range(len(found)), key=lambda place: (-len(_words(found[place]) & wanted), place))
    kept: list[int] = []
    room = tokens // 2
    for place in ranked:
        room -= estimate_tokens(found[place])
        if room < 0 and kept:
            break
        kept.append(place)
    return " ".join(found[place] for place in sorted(kept))


def names(text: str) -> list[str]:
    """Capitalised names in the material, in order, each once."""
    found = (one.strip() for one in _NAME.findall(text))
    return list(dict.fromkeys(one for one in found if one.split()[0] not in _COMMON)) or ["Somebody"]


def fill(shape: Mapping[str, Any], text: str, wanted: frozenset[str]) -> Any:
    """A value that satisfies a JSON schema, of words of `text`: names in arrays of short strings, sentences elsewhere."""
    if "enum" in shape:
        return shape["enum"][0]
    if "anyOf" in shape:
        return fill(next(one for one in shape["anyOf"] if one.get("type") != "null"), text, wanted)
    kind = shape.get("type", "string")
    kind = next((one for one in kind if one != "null"), "null") if isinstance(kind, list) else kind
    match kind:
        case "object":
            return {name: fill(inner, text, wanted) for name, inner in shape.get("properties", {}).items()}
        case "array":
            return _items(shape, text, wanted)
        case "integer" | "number":
            return max(shape.get("minimum", 1), 1)
        case "boolean":
            return True
        case _:
            return copy(text, wanted, 120)[:300] or "nothing"


def _items(shape: Mapping[str, Any], text: str, wanted: frozenset[str]) -> list[Any]:
    inner = shape.get("items", {})
    least, most = shape.get("minItems", 0), min(shape.get("maxItems", 3), max(shape.get("minItems", 0), 3))
    if inner.get("type") == "string" and "enum" not in inner:
        found = names(text)
        return [*(found * most)[: max(most, least)]]
    pieces = sentences(text)[: max(most, least, 1)] or (text,)
    return [fill(inner, piece, wanted) for piece in pieces][: max(most, least)]


from tests.methods import agents_script, graphs_script  # noqa: E402 - it uses what is above

OWN["graphs"] = graphs_script.reply
OWN["agents"] = agents_script.agent_reply
