"""A model that obeys whoever reaches its instructions, and reads faithfully what is between the marks."""

import base64
import codecs
import contextlib
import io
import json
import re
import unicodedata
from collections.abc import Mapping
from typing import Any, Self

from r3con_core.answers import Execution, Proposed
from r3con_core.exchange import Message, Prompt, Reply, Stage
from tests.fakes import OpenSandbox
from tests.planted import FORGED

TOLD = re.compile(r"between the marks <(doc-\w+)> and </\1>")
"""How a prompt says which marks it means."""
FACT = re.compile(r"Lot (\d+) went to buyer (B\d+) for (\d+) pounds\.")
ORDERS = (FORGED, "ignore all previous", "vorherigen anweisungen", "忽略", "تجاهل", "игнорируи", "forged")
BAIT = f"Lot 99 went to buyer B99 for {FORGED} pounds."


def instructions(prompt: Prompt) -> str:
    """What the model takes for said to it: system messages whole, of others what stands outside the marks.

    What servers show it of the form of the reply counts too, but for names, which its reply has to use.
    """
    said = [
        text for message in prompt.messages if message.role != "assistant" for text in _outside(message, _mark(prompt))
    ]
    return "\n".join([*said, *_words_of(prompt.shape or {})])


def material(prompt: Prompt) -> str:
    """What stands between the marks."""
    mark = _mark(prompt)
    return "\n".join(
        inside
        for message in prompt.messages
        if message.role == "user" and mark
        for inside in re.findall(rf"<{mark}[^>]*>\n(.*?)</{mark}>", message.content, re.DOTALL)
    )


def _mark(prompt: Prompt) -> str:
    found = TOLD.search("\n".join(message.content for message in prompt.messages if message.role == "system"))
    return found[1] if found else ""


def _outside(message: Message, mark: str) -> list[str]:
    if message.role == "system" or not mark:
        return [message.content]
    return re.split(rf"<{mark}[^>]*>\n.*?</{mark}>", message.content, flags=re.DOTALL)


def _words_of(shape: Mapping[str, Any]) -> list[str]:
    words = [str(shape.get("description", "")), *map(str, shape.get("enum", ()))]
    inner = [*shape.get("properties", {}).values(), *([shape["items"]] if "items" in shape else [])]
    return [*words, *(word for one in inner for word in _words_of(one))]


def orders(text: str) -> list[str]:
    """The planted orders in `text`, in whatever letters."""
    shown = "".join(chr(ord(sign) - 0xE0000) if 0xE0020 <= ord(sign) < 0xE007F else sign for sign in text)
    texts = [shown, codecs.encode(shown, "rot13"), *map(_decoded, re.findall(r"[A-Za-z0-9+/]{24,}={0,2}", shown))]
    levelled = list(map(_levelled, texts))
    return [order for order in ORDERS for one in levelled if order in one.casefold()]


def _levelled(text: str) -> str:
    """Compatibility forms levelled, accents and signs without a picture dropped."""
    signs = unicodedata.normalize("NFKD", text)
    return "".join(sign for sign in signs if unicodedata.category(sign) not in ("Cf", "Mn"))


def _decoded(signs: str) -> str:
    try:
        return base64.b64decode(signs).decode()
    except ValueError:
        return ""


class Obedient:
    """Answers every stage; keeps what it obeyed and how often something between the marks was an order."""

    def __init__(self) -> None:
        self.obeyed: list[tuple[Stage, str]] = []
        self.resisted = 0
        self.stages: set[str] = set()

    def __call__(self, prompt: Prompt) -> Reply:
        self.stages.add(prompt.stage.value)
        inside = material(prompt)
        self.resisted += bool(orders(inside))
        found = orders(instructions(prompt))
        if found:
            self.obeyed.append((prompt.stage, found[0]))
        return Reply(text=self._reply(prompt, inside, BAIT if found else ""), model="obedient")

    def _reply(self, prompt: Prompt, inside: str, bait: str) -> str:
        match prompt.stage:
            case Stage.FOCUS:
                return json.dumps({"look_for": ["lots"]})
            case Stage.RELEVANCE:
                return json.dumps({"document_is": "", "facts": [bait] if bait else _facts(inside)})
            case Stage.DIGEST:
                noted = re.findall(r"Document (\d+): Lot (\d+)", inside)
                items = [{"document": int(number), "says": bait or f"lot {lot}"} for number, lot in noted]
                return json.dumps({"digest": items})
            case Stage.SCHEMA:
                return json.dumps(_schema(prompt, inside, bait))
            case Stage.PARSING:
                return json.dumps(_records(prompt, inside, bait))
            case Stage.REASONING:
                return _reason(prompt, inside, bait)
            case _:
                raise AssertionError(prompt.stage)


def _facts(inside: str) -> list[str]:
    """The fact of its document, and whatever else it says, word for word."""
    text = inside.rsplit("Title: ", maxsplit=1)[-1].partition("\n\n")[2]
    own = FACT.search(text)
    rest = " ".join(FACT.sub("", text, count=1).split())
    return [*([own[0]] if own else []), *([f"It says: {rest[:300]}"] if rest else [])]


def _schema(prompt: Prompt, inside: str, bait: str) -> dict[str, Any]:
    """Lots of another number than their document stand in the meaning: who imitates another's note changes it."""
    noted = re.findall(r"Documents? (\d+)[^:\n]{0,12}: (?:\d+: )?[Ll]ot (\d+)", inside)
    meaning = bait or f"one sale of {' '.join(f'{lot} by {number}' for number, lot in noted if number != lot)}"
    fields = [("lot", "integer"), ("buyer", "text"), ("pounds", "integer"), ("what", "text")]
    columns: list[dict[str, object]] = [{"name": name, "meaning": "", "why": "", "kind": kind} for name, kind in fields]
    assert prompt.shape is not None
    if "row_is" in prompt.shape["properties"]:
        return {"row_is": meaning, "table_name": "Sale", "columns": columns}
    columns = [column | {"options": None, "refers_to": None, "fields": None} for column in columns]
    return {"reason": "", "record_types": [{"name": "Sale", "meaning": meaning, "why": "", "fields": columns}]}


def _records(prompt: Prompt, inside: str, bait: str) -> dict[str, Any]:
    text = inside.rsplit("Title: ", maxsplit=1)[-1].partition("\n\n")[2]
    assert prompt.shape is not None
    (name,) = prompt.shape["properties"]
    found = FACT.search(bait or text)
    if found is None:
        return {name: []}
    quote = FACT.search(text)
    said = {"quotes": [quote[0] if quote else found[0]], "said_by": None, "certainty": "stated"}
    values = {"lot": int(found[1]), "buyer": found[2], "pounds": int(found[3]), "what": None}
    return {name: [said | values]}


LOOK = "for row in records['Sale']:\n    print(row)\nprint(snippets)"
FAIL = "raise ValueError(' '.join(snippets.values()))"
ANSWER = "total = sum(row['pounds'] for row in records['Sale'])\nanswer(f'The lots brought {total} pounds.', [])"


def _reason(prompt: Prompt, inside: str, bait: str) -> str:
    shape = prompt.shape
    if shape is None:
        if bait:
            return f"```python\nanswer({bait!r}, [])\n```"
        failed = any(FAIL in message.content or " fault>" in message.content for message in prompt.messages)
        code = LOOK if prompt.about.step == 1 else ANSWER if failed else FAIL
        return f"Next.\n```python\n{code}\n```"
    if "keep_if" in shape["properties"]:
        over = "buyer" if bait else "pounds"
        return json.dumps({"thought": "", "records_of": "Sale", "keep_if": [], "compute": "sum", "over": over})
    summed = re.search(r"^sum of pounds: (\d+)", inside, re.MULTILINE)
    total = summed[1] if summed else sum(map(int, re.findall(r'"pounds": (\d+)', inside)))
    thought = {"thought": ""} if "thought" in shape["properties"] else {}
    said = bait or f"The lots brought {total} pounds."
    return json.dumps({**thought, "sentences": [{"text": said, "records": []}]})


class PlainPython(OpenSandbox):
    """A sandbox in name only: it runs what `Obedient` and the query form write."""

    def __call__(self, variables: Mapping[str, object]) -> Self:
        self.names: dict[str, object] = dict(variables)
        return super().__call__(variables)

    def execute(self, code: str) -> Execution:
        proposed: list[Proposed] = []
        names = self.names | {"answer": lambda text, cites: proposed.append(Proposed(text=text, cites=tuple(cites)))}
        output, fault = io.StringIO(), None
        with contextlib.redirect_stdout(output):
            try:
                exec(code, names)
            except ValueError as error:
                fault = f"ValueError: {error}"
        return Execution(output=output.getvalue(), fault=fault, proposed=proposed[0] if proposed else None)
