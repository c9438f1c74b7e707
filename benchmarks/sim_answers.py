"""Replies for the simulator's `--script`: honest and realistic for our prompts, None for all others.

A stage is known by the names in its JSON schema, never by the wording of its prompt. Snippets are as long as the
simulator's own notes, 400 bytes, and copied from the document; so are the quotes of records.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Messages = Sequence[Mapping[str, Any]]
SNIPPET_BYTES = 400
"""100 tokens of the simulator: what `--snippet 100` gives the other side."""
QUOTE_LETTERS = 120
MAX_FACTS = 6
SCHEMA = {
    "reason": "Each event that a document tells is one record, with who took part and when; the task counts them.",
    "record_types": [
        {
            "name": "Event",
            "meaning": "one thing that happened",
            "fields": [
                {"name": "what", "meaning": "what happened, in a few words", "kind": "text"},
                {"name": "who", "meaning": "the person who did it", "kind": "text"},
                {"name": "amount", "meaning": "how many or how much", "kind": "integer"},
            ],
        }
    ],
}
PROGRAM = """rows = [row for rows in records.values() for row in rows]
people = sorted({row["who"] for row in rows if row.get("who")})
label = rows[0]["record"]
answer(f"{len(rows)} events are recorded, by {len(people)} persons; the first is this one [{label}].", [label])"""
_SENTENCE = re.compile(r"[^.!?]+[.!?]+[”\"'’)]*")
_NAME = re.compile(r"\b[A-Z][a-z]+ [A-Z][a-z]+\b")
_NOTE = re.compile(r"^(Documents? \d[^:\n]*): (.+)$", re.MULTILINE)
_ITEM = re.compile(r"(\d+): ([^;]+)")
_WORDS_WANTED = re.compile(r"each of about (\d+) words")
_FIGURE = re.compile(r"\b\d{1,6}\b")


def answer(messages: Messages, response_format: Mapping[str, Any] | None) -> str | None:
    """The reply to one prompt of ours, or None."""
    if not response_format:
        said = "\n".join(_text(message) for message in messages)
        return _code() if "answer(" in said and "final_answer(" not in said else None
    shape = (response_format.get("json_schema") or {}).get("schema") or {}
    value = _value(messages, shape)
    return None if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _value(messages: Messages, shape: Mapping[str, Any]) -> Any:
    names = set(shape.get("properties", ()))
    if "look_for" in names:
        return {"look_for": ["sales with buyer, price and day", "who met whom and where", "payments", "denials"]}
    if "record_types" in names:
        return _with_every_key(SCHEMA)
    if "facts" in names:
        return _snippet(_document(messages))
    if "digest" in names:
        return {"digest": _digest("\n".join(_text(message) for message in messages))}
    if "sentences" in names:
        value = {"thought": "the records tell it", "sentences": [{"text": "The records tell it.", "records": ["R1"]}]}
        return {name: value[name] for name in shape["properties"]}
    if any(_is_records(items) for items in shape.get("properties", {}).values()):
        return _records(_document(messages), shape["properties"])
    return None


def _code() -> str:
    return f"I count the records.\n```python\n{PROGRAM}\n```"


def _text(message: Mapping[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "\n\n".join(part.get("text", "") for part in content)


def _document(messages: Messages) -> str:
    """The text of the one document that the prompt shows whole: it stands after the last mark `document="N"`."""
    for message in reversed(messages):
        text = _text(message)
        mark = text.rfind(' document="')
        if message["role"] == "assistant" or mark < 0:
            continue
        fence = text[text.rfind("<", 0, mark) + 1 : mark]
        start = text.find(">\n", mark) + 2
        end = text.find(f"\n</{fence}>", start)
        return text[start:end] if end >= 0 else text[start:]
    return ""


def _sentences(document: str, most: int) -> list[str]:
    found: list[str] = []
    for match in _SENTENCE.finditer(document, 0, 20_000):
        said = " ".join(match.group().split())
        if len(said.split()) > 3:
            found.append(said)
        if len(found) == most:
            break
    return found


def _snippet(document: str) -> dict[str, Any]:
    kind = "A letter or note about what was done."
    room, facts = SNIPPET_BYTES - len(kind) - 1, []
    for said in _sentences(document, MAX_FACTS):
        fact = said if len(said.encode()) < room else _first_bytes(said, room - 2) + "."
        if room > 30:
            facts.append(fact)
        room -= len(fact.encode()) + 1
    return {"document_is": kind, "facts": facts}


def _first_bytes(text: str, count: int) -> str:
    cut = text.encode()[: max(count, 0)].decode(errors="ignore")
    return cut.rsplit(" ", 1)[0].rstrip(" ,;:—-.")


def _digest(prompt: str) -> list[dict[str, Any]]:
    """The beginning of each note that the prompt shows, of each item where that is a digest, as short as it asks for."""
    words = int(_WORDS_WANTED.findall(prompt)[-1])
    return [
        {"document": number, "says": _first_words(says, words)}
        for label, text in _NOTE.findall(prompt)
        for number, says in _items(label, text)
    ]


def _items(label: str, text: str) -> list[tuple[int, str]]:
    if label.startswith("Document "):
        return [(int(label.split()[1]), text)]
    return [(int(number), says) for number, says in _ITEM.findall(text)]


def _first_words(text: str, count: int) -> str:
    return " ".join(text.split()[: max(count, 3)]).rstrip(" ,;:—-.")


def _is_records(items: Mapping[str, Any]) -> bool:
    return "quotes" in ((items.get("items") or {}).get("properties") or {})


def _records(document: str, types: Mapping[str, Any]) -> dict[str, Any]:
    """One or two records of each type, by the first sentences of the document."""
    said = _sentences(document, 2)
    return {
        name: [_record(items["items"]["properties"], sentence) for sentence in said] for name, items in types.items()
    }


def _record(fields: Mapping[str, Any], sentence: str) -> dict[str, Any]:
    given = {"quotes": [sentence[:QUOTE_LETTERS]], "said_by": None, "certainty": "stated"}
    return {name: given[name] if name in given else _guess(shape, sentence) for name, shape in fields.items()}


def _guess(shape: Mapping[str, Any], sentence: str) -> Any:
    """A value of the field's kind that the sentence holds, else null."""
    kinds: Iterable[str] = [shape["type"]] if isinstance(shape.get("type"), str) else shape.get("type", ())
    if "enum" in shape:
        return None if None in shape["enum"] else shape["enum"][0]
    if "string" in kinds:
        if "person" not in shape.get("description", ""):
            return " ".join(sentence.split()[:6])
        found = _NAME.search(sentence)
        return found.group() if found else None
    if "integer" in kinds or "number" in kinds:
        figure = _FIGURE.search(sentence)
        return int(figure.group()) if figure else None
    if "array" in kinds:
        return []
    return {name: _guess(inner, sentence) for name, inner in shape["properties"].items()} if "object" in kinds else None


def _with_every_key(schema: Mapping[str, Any]) -> dict[str, Any]:
    empty = {"options": None, "refers_to": None, "fields": None}
    types = [
        {**record_type, "fields": [{**field, **empty} for field in record_type["fields"]]}
        for record_type in schema["record_types"]
    ]
    return {**schema, "record_types": types}
