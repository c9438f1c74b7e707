"""Vectors over the wire: texts as the bytes of a request to `/embeddings`, and what comes back; opens nothing.

A prompt of the embedding stage holds the texts as the pieces of its one message; its reply's text is the vectors, as
`embedding.write_vectors` writes them.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from r3con_core.embedding import write_vectors
from r3con_core.exchange import Prompt, Reply, Usage
from r3con_core.models.endpoint import Endpoint
from r3con_core.models.faults import Trouble, Troubled, trouble_in
from r3con_core.models.replies import Heard, usage_of
from r3con_core.models.wire import spelled_out

_SHORTEST = 200
"""Letters; a text that is no longer is not made shorter for a model that says it is too long."""


def texts_of(prompt: Prompt) -> tuple[str, ...]:
    """The texts whose vectors it asks for."""
    return prompt.messages[-1].pieces


def with_texts(prompt: Prompt, texts: Sequence[str]) -> Prompt:
    """The same prompt for other texts."""
    return replace(prompt, messages=(replace(prompt.messages[-1], pieces=tuple(texts)),))


def vectors_request(prompt: Prompt, endpoint: Endpoint) -> bytes:
    """The JSON that asks for the vectors of its texts."""
    body = {"model": endpoint.model, "input": [spelled_out(text) for text in texts_of(prompt)]}
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")


def smaller(prompt: Prompt) -> tuple[Prompt, ...]:
    """What to ask instead of a prompt that was too long: its two halves, or the beginning of its one text; () for neither."""
    texts = texts_of(prompt)
    if len(texts) > 1:
        middle = len(texts) // 2
        return with_texts(prompt, texts[:middle]), with_texts(prompt, texts[middle:])
    beginning = texts[0][: len(texts[0]) // 2]
    return (with_texts(prompt, (beginning,)),) if len(beginning) >= _SHORTEST else ()


def joined(replies: Sequence[Reply]) -> Reply:
    """Replies to parts of a prompt, in order, as one."""
    return replace(
        replies[-1],
        text="\n".join(reply.text for reply in replies),
        usage=sum((reply.usage for reply in replies), Usage()),
        seconds=sum(reply.seconds for reply in replies),
    )


def heard_vectors(body: Any, count: int) -> Heard:
    """What a response says: `count` vectors of length 1, in the order of the texts; Troubled when it holds anything else."""
    if trouble := trouble_in(body):
        raise Troubled(trouble)
    told: Mapping[str, Any] = body if isinstance(body, dict) else {}
    usage = told.get("usage")
    sent = {"completion_tokens": 0, **usage} if isinstance(usage, dict) else {}
    return Heard(text=_vectors(told.get("data"), count), usage=sent)


def _vectors(data: Any, count: int) -> str:
    import numpy as np

    lines = [line for line in data if isinstance(line, dict)] if isinstance(data, list) else []
    by_place = {_index(line, place): line for place, line in enumerate(lines)}
    if len(lines) != count or by_place.keys() != set(range(count)):
        raise Troubled(Trouble(message=f"the response does not hold {count} vectors"))
    try:
        rows = np.array([by_place[place].get("embedding") for place in range(count)], dtype=np.float32)
    except (TypeError, ValueError, OverflowError) as fault:
        raise Troubled(Trouble(message="the response holds vectors that are no lists of numbers")) from fault
    lengths = np.linalg.norm(rows, axis=1, keepdims=True) if rows.ndim == 2 and rows.size else np.zeros((1, 1))
    if not (np.isfinite(lengths).all() and (lengths > 0).all()):
        raise Troubled(Trouble(message="the response holds vectors that cannot be used"))
    return write_vectors(rows / lengths)


def _index(line: Mapping[str, Any], place: int) -> int:
    """To which text a line says that it belongs: to that of its own place where it says nothing, to none by no number."""
    told = line.get("index")
    return place if told is None else told if isinstance(told, int) else -1


def vectors_reply(prompt: Prompt, heard: Heard, endpoint: Endpoint, seconds: float) -> Reply:
    """The reply that was heard; tokens are an estimate where the server counted none."""
    usage = replace(usage_of(replace(heard, text=""), prompt), output=0)
    return Reply(text=heard.text, usage=usage, model=endpoint.model, seconds=seconds)
