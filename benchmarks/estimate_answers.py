"""Replies for the simulator's `--script` of `estimates.py`: those of `sim_answers`, and facts of Chinese documents."""

import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from sim_answers import answer as plain_answer  # noqa: E402 - the simulator runs this file with no path of its own

_DOCUMENT = re.compile(r'<(doc-\w+) document="[^>]*>\n(.*?)\n</\1>', re.DOTALL)
_SENTENCE = re.compile(r"[^。]+。")


def answer(messages: Sequence[Mapping[str, Any]], response_format: Mapping[str, Any] | None) -> str | None:
    """The reply to one prompt, or None."""
    text = "\n".join(str(message["content"]) for message in messages)
    if not response_format and "answer(text, cites)" in text:
        return plain_answer([{"role": "system", "content": "answer("}], None)
    said = plain_answer(messages, response_format)
    found = _DOCUMENT.search(text)
    sentences = _SENTENCE.findall(found[2]) if found and "。" in found[2] else []
    if not (said and response_format and sentences):
        return said
    value = json.loads(said)
    if "facts" in value:
        value = {"document_is": "一份买卖记录。", "facts": sentences[:4]}
    elif "look_for" not in value and "record_types" not in value and "sentences" not in value:
        (name,) = list(value)
        value[name] = [_record(sentence) for sentence in sentences[:2]]
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _record(sentence: str) -> dict[str, Any]:
    given = {"quotes": [sentence[:60]], "said_by": None, "certainty": "stated"}
    return {**given, "what": sentence[:12], "who": None, "amount": None}
