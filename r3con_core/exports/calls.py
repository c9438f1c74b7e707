"""Calls as JSON lines: what was sent and what came back, one call a line."""

import json
from collections.abc import Iterable
from dataclasses import asdict

from r3con_core.errors import StoreError
from r3con_core.store.call_search import load_call
from r3con_core.store.calls import Call
from r3con_core.store.project import Project

MOST_BYTES = 256 << 20
"""Of one download, which the browser and the server hold in memory."""


def call_json(call: Call) -> str:
    """One call as one line of JSON in ASCII, with its line end."""
    prompt, reply = call.prompt, call.reply
    return (
        json.dumps(
            {
                "key": call.key,
                "stage": prompt.stage.value,
                "about": asdict(prompt.about),
                "attempt": prompt.attempt,
                "model": reply.model,
                "host": call.host,
                "answered": call.answered,
                "reused": call.reused,
                "messages": [{"role": message.role, "content": message.content} for message in prompt.messages],
                "shape": prompt.shape,
                "max_tokens": prompt.max_tokens,
                "temperature": prompt.temperature,
                "reply": reply.text,
                "thinking": reply.thinking,
                "finish": reply.finish.value,
                "usage": asdict(reply.usage),
                "seconds": reply.seconds,
            }
        )
        + "\n"
    )


def export_calls(project: Project, run_id: str, keys: Iterable[str]) -> bytes:
    """Calls of a run as JSON lines, in the order given; StoreError when they are too many for one file."""
    written = bytearray()
    for key in keys:
        call = load_call(project, run_id, key)
        if call is None:
            raise StoreError(f"The run {run_id} has no call {key!r}.")
        written += call_json(call).encode()
        if len(written) > MOST_BYTES:
            raise StoreError(
                f"These calls are more than {MOST_BYTES >> 20} MB. Filter them first, or save the whole run, which keeps "
                "each piece of a prompt once."
            )
    return bytes(written)
