"""What a server says back of the key it was sent, taken out before anything is kept, told or shown."""

from dataclasses import replace

from r3con_core.exchange import Prompt
from r3con_core.models.faults import Trouble
from r3con_core.models.replies import Heard
from r3con_core.scrubbing import message_without, without


def trouble_without(trouble: Trouble, key: str) -> Trouble:
    """`trouble` told without the key, its start and its end."""
    return replace(
        trouble,
        message=message_without(trouble.message, key),
        code=message_without(trouble.code, key),
        param=message_without(trouble.param, key),
        location=message_without(trouble.location, key),
    )


def heard_without(heard: Heard, key: str, prompt: Prompt) -> Heard:
    """`heard` with "[key]" for the key.

    A key that is in the prompt is a word of the documents: a reply may quote it.
    """
    asked = (piece for message in prompt.messages for piece in message.pieces)
    if not key or any(key in piece for piece in asked):
        return heard
    return replace(
        heard,
        text=without(heard.text, key),
        thinking=without(heard.thinking, key),
        refusal=without(heard.refusal, key),
        finish=without(heard.finish, key),
        model=without(heard.model, key),
    )
