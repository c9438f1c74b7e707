"""`r3con model pull`, `list` and `test`."""

import argparse

from r3con_core.cli.choosing import choose_model, keys_for, read_key
from r3con_core.cli.commands import FAILED, OK
from r3con_core.cli.screen import ProgressLine, one_line, say, tell
from r3con_core.home import home_folder
from r3con_core.jobs import EMBEDDED, addresses_of
from r3con_core.models import DEFAULT_MODEL, LOCAL_MODELS, find_model, is_pulled, key_among, pull, start_embedded
from r3con_core.models.probe import probe_connection
from r3con_core.sendings import kept_at_home


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


def list_sent(options: argparse.Namespace) -> int:  # noqa: ARG001 - all commands are called alike
    """List what was sent outside of projects."""
    for sending in kept_at_home(home_folder()):
        sizes = f"{sending.bytes_sent:,} bytes sent, {sending.bytes_received:,} received"
        say(f"{sending.sent}\t{sending.purpose}\t{sending.host}\t{sizes}\t{sending.outcome}")
    return OK


def test_model(options: argparse.Namespace) -> int:
    """Ask a model for a word and for a small JSON object, and say what works."""
    given = read_key(options.key_env)
    choice, home = choose_model(options), home_folder()
    keys = keys_for(addresses_of(choice), given, ask=True)
    tell(f"Asking {choice.model} ({choice.host})")
    if choice.base_url == EMBEDDED:
        with start_embedded(find_model(choice.model, home), window=choice.window) as server:
            probe = probe_connection(server.endpoint, server.key)
    else:
        probe = probe_connection(choice.endpoint(), key_among(keys, choice.base_url), home=home)
    for finding in probe.findings:
        say(f"{finding.verdict.value.upper():4}  {one_line(finding.text)}")
    return OK if probe.works else FAILED
