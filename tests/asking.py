"""What tests of a model over HTTP share: a prompt, a server's words, and a model that never really sleeps."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from r3con_core.errors import ModelError
from r3con_core.exchange import Message, Prompt, Stage
from r3con_core.models import Model, connect, endpoint_for
from tests.scripted_server import Fault, ScriptedServer

PROMPT = Prompt(stage=Stage.PARSING, messages=(Message(role="user", pieces=("How many cases?",)),), max_tokens=100)
SHAPE = {"type": "object", "properties": {"cases": {"type": "integer"}}, "required": ["cases"]}
SHAPED = replace(PROMPT, shape=SHAPE)


def says(text: str) -> Callable[[object, object], str]:
    return lambda _messages, _format: text


@contextmanager
def opened(server: ScriptedServer, **how: Any) -> Iterator[tuple[Model, list[float]]]:
    """A model at the server, and the seconds it waited, one entry a nap."""
    naps: list[float] = []
    local, key, workers = how.pop("local", True), how.pop("key", ""), how.pop("workers", None)
    endpoint = replace(endpoint_for(how.pop("model", "scripted"), server.url, workers=workers), local=local)
    model = connect(endpoint, key, **{"sleep": naps.append, "chance": lambda: 1.0, **how})
    try:
        yield model, naps
    finally:
        model.close()


def refused(fault: Fault, prompt: Prompt = PROMPT, **how: Any) -> ModelError:
    """The error that a call ends in when every answer is `fault`."""
    with (
        ScriptedServer(says("12"), lambda *_: fault) as server,
        opened(server, **how) as (model, _),
        pytest.raises(ModelError) as caught,
    ):
        model(prompt)
    return caught.value
