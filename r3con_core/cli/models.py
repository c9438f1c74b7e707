"""`r3con model pull`, `list` and `test`."""

import argparse
import time

from r3con_core.cli.choosing import choose_model, take_key
from r3con_core.cli.commands import OK
from r3con_core.cli.screen import ProgressLine, say, tell
from r3con_core.exchange import Message, Prompt, Stage
from r3con_core.home import home_folder
from r3con_core.models import DEFAULT_MODEL, LOCAL_MODELS, is_pulled, pull
from r3con_core.worker import open_model


def pull_model(options: argparse.Namespace) -> int:
    """Get a model."""
    fetch(options.model or DEFAULT_MODEL)
    return OK


def fetch(name: str) -> None:
    """Get the model `name` if it is not here, with progress; ModelFileError when no source delivers it."""
    line = ProgressLine()
    tenth = -1

    def show(done: int, total: int) -> None:
        nonlocal tenth
        reached = done * 10 // total if total else 0
        percent = f" ({done / total:.0%})" if total else ""
        line.show(f"{name}: {done / 1e6:,.0f} of {total / 1e6:,.0f} MB{percent}", milestone=reached > tenth)
        tenth = reached

    try:
        path = pull(name, home_folder(), show)
    finally:
        line.end()
    tell(f"{name} is here: {path}")


def list_models(options: argparse.Namespace) -> int:  # noqa: ARG001 - all commands are called alike
    """List the models known by name."""
    for model in LOCAL_MODELS:
        here = "here" if is_pulled(model, home_folder()) else "not here"
        say(f"{model.name}  {here}, {model.bytes / 1e6:,.0f} MB, {model.licence}\n    {model.title}. {model.note}")
    say("Any GGUF file works too: give its path, or hf:owner/repository/file.gguf, to --model.")
    return OK


def test_model(options: argparse.Namespace) -> int:
    """Ask a model for one word."""
    take_key(options.key_env)
    choice = choose_model(options)
    tell(f"Asking {choice.model} ({choice.host})")
    prompt = Prompt(
        stage=Stage.FOCUS,
        messages=(Message(role="user", content="This is a test of the connection. Reply with one word: ready"),),
        max_tokens=20,
    )
    begun = time.monotonic()
    with open_model(choice, home_folder(), lambda: False) as ask:
        reply = ask(prompt)
    said = " ".join(reply.text.split())[:80]
    say(f"{reply.model or choice.model} answers after {time.monotonic() - begun:.1f} seconds: {said}")
    return OK
