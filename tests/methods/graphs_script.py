"""What the scripted model says to HippoRAG 2 and A-RAG: triples between names of a sentence, and a plan of lookups."""

import json
import re

from r3con_core.exchange import Prompt


def reply(prompt: Prompt) -> str | None:
    """A reply to the prompts that take more than copying; None to all others."""
    fields = (prompt.shape or {}).get("properties", {})
    if "triples" in fields:
        return json.dumps({"triples": _triples(prompt)})
    if "tool" in fields:
        return json.dumps(_lookup(prompt))
    return None


def _triples(prompt: Prompt) -> list[dict[str, str]]:
    """One for each sentence with two names: the names, and the words between them."""
    from tests.methods.scripts import material, names, sentences

    found = []
    for sentence in sentences(material(prompt)):
        held = [name for name in names(sentence) if name in sentence]
        if len(held) >= 2:
            between = sentence[sentence.index(held[0]) + len(held[0]) : sentence.rindex(held[-1])]
            found.append({"subject": held[0], "relation": " ".join(between.split())[:60], "object": held[-1]})
    return found


def _lookup(prompt: Prompt) -> dict[str, object]:
    """Names of the task first, then the task itself, then the chunks these showed, then an answer of what they say."""
    from tests.methods.scripts import copy, material, names, task_words

    said = "\n".join(message.content for message in prompt.messages)
    task = re.search(r"The task:\n(.+)", said)
    wanted = task[1] if task else ""
    shown = material(prompt)
    match prompt.about.step:
        case 1:
            return {"thought": "Names first.", "tool": "keyword_search", "keywords": names(wanted)}
        case 2:
            return {"thought": "Then by meaning.", "tool": "semantic_search", "query": wanted}
        case 3 | 4:
            numbers = [int(number) for number in dict.fromkeys(re.findall(r"\[chunk (\d+)\]", shown))]
            return {"thought": "Read what was shown.", "tool": "read_chunk", "chunks": numbers[:6]}
        case _:
            return {
                "thought": "Enough.",
                "tool": "answer",
                "answer": copy(shown, task_words(prompt), 400) or "Nothing.",
            }
