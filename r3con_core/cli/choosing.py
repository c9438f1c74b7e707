"""The model that the options name, and its key."""

import argparse
import os
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from r3con_core.caps import Capped, reached_limits, spent_of
from r3con_core.errors import EndpointError
from r3con_core.home import home_folder
from r3con_core.jobs import EMBEDDED, EMBEDDED_WINDOW, ModelChoice, rates_of
from r3con_core.models import DEFAULT_MODEL, connect, endpoint_for, find_key
from r3con_core.models.learnt import load_learnt
from r3con_core.models.prices import window_of
from r3con_core.models.windows import discover_window
from r3con_core.runs import Caps
from r3con_core.store.caps import load_caps
from r3con_core.store.project import Project


def choose_model(options: argparse.Namespace) -> ModelChoice:
    """The model that --model and --base-url name, else the embedded default; EndpointError when it cannot be."""
    window: int | None = getattr(options, "window", None)
    workers: int | None = getattr(options, "workers", None)
    if options.base_url in (None, EMBEDDED):
        return ModelChoice(model=options.model or DEFAULT_MODEL, window=window or EMBEDDED_WINDOW)
    if not options.model:
        raise EndpointError("Give the model's name, as the server lists it, with --model.")
    endpoint = endpoint_for(options.model, options.base_url, workers=workers)
    return ModelChoice(
        model=endpoint.model,
        base_url=endpoint.base_url,
        window=window or window_of(endpoint) or EMBEDDED_WINDOW,
        workers=endpoint.workers,
    )


def take_key(variable: str | None) -> None:
    """Use the key in this environment variable, for this process alone; EndpointError when it holds none."""
    if variable is None:
        return
    key = os.environ.get(variable, "").strip()
    if not key:
        raise EndpointError(f"The environment variable {variable} holds no key. Set it, or leave --key-env out.")
    os.environ["R3CON_API_KEY"] = key


def with_window(choice: ModelChoice, home: Path) -> tuple[ModelChoice, str]:
    """`choice` with the context window its endpoint states, else with the one it has, and a sentence on that.

    Sends no text.
    """
    if choice.base_url == EMBEDDED:
        return choice, f"The context window of {choice.model} is {choice.window:,} tokens."
    endpoint = choice.endpoint()
    with closing(connect(endpoint, find_key(choice.base_url, home, os.environ))) as model:
        found = discover_window(endpoint, model.look)
    learnt = load_learnt(home, endpoint).window
    stated = [tokens for tokens in (found.tokens, learnt) if tokens is not None]
    if stated:
        choice = replace(choice, window=min(stated))
        return choice, f"The context window of {choice.model} is {choice.window:,} tokens."
    cuts = " It cuts longer texts without a word." if found.cuts_silently else ""
    return choice, (
        f"The context window of {choice.model} is not told by {choice.host}; {choice.window:,} tokens are assumed.{cuts} "
        "Give it with --window if it is another."
    )


def choose_caps(options: argparse.Namespace, kept: Caps | None = None) -> Caps:
    """The limits that --max-cost and --max-tokens name, over those kept before; R3ConError when they cannot be."""
    kept = kept or Caps()
    return replace(
        kept,
        money=kept.money if options.max_cost is None else options.max_cost,
        tokens=kept.tokens if options.max_tokens is None else options.max_tokens,
    )


def higher_limits(project: Project, run_id: str) -> str:
    """The options with which a run that used what it may goes on, such as " --max-cost N"."""
    spent = spent_of(project, run_id, rates_of(project, run_id, home_folder()))
    reached = reached_limits(load_caps(project, run_id), spent)
    return "".join(f" {_OPTIONS[limit.of]} N" for limit in reached)


_OPTIONS = {Capped.MONEY: "--max-cost", Capped.TOKENS: "--max-tokens"}
