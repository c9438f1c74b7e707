"""Replies for the simulator's `--script` of `estimates.py`: those of `sim_answers`, and facts of Chinese documents."""

import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from sim_answers import answer as plain_answer

_DOCUMENT = re.compile(r'<(doc-\w+) document="[^>]*>\n(.*?)\n</\1>', re.DOTALL)
_SENTENCE = re.compile(r"[^。]+。")


def answer(messages: Sequence[Mapping[str, Any]], response_format: Mapping[str, Any] | None) -> str | None:
    """The reply to one prompt, or None. No two rounds get the same snippet: that would make the cache look better."""
    text = "\n".join(str(message["content"]) for message in messages)
    if not response_format and "answer(text, cites)" in text:
        return plain_answer([{"role": "system", "content": "answer("}], None)
    said = plain_answer(messages, response_format)
    if not (said and response_format):
        return said
    value = json.loads(said)
    found = _DOCUMENT.search(text)
    if found and "。" in found[2]:
        value = _in_chinese(value, _SENTENCE.findall(found[2]))
    if facts := value.get("facts"):
        first = len(text) % len(facts)
        value["facts"] = facts[first:] + facts[:first]
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _in_chinese(value: dict[str, Any], sentences: list[str]) -> dict[str, Any]:
    if "facts" in value:
        return {"document_is": "一份买卖记录。", "facts": sentences[:4]}
    if {"look_for", "record_types", "sentences", "digest"} & set(value):
        return value
    return {name: [_record(sentence) for sentence in sentences[:2]] for name in value}


def _record(sentence: str) -> dict[str, Any]:
    given = {"quotes": [sentence[:60]], "said_by": None, "certainty": "stated"}
    return {**given, "what": sentence[:12], "who": None, "amount": None}
