"""The model that the options name, and its key."""

import argparse
import getpass
import os
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from r3con_core.caps import Capped, reached_limits, spent_of
from r3con_core.cli.screen import tell, visible
from r3con_core.errors import EndpointError
from r3con_core.home import home_folder
from r3con_core.jobs import EMBEDDED, EMBEDDED_WINDOW, ModelChoice, rates_of
from r3con_core.models import DEFAULT_MODEL, Sources, connect, endpoint_for, find_keys, host_and_port, key_among
from r3con_core.models.keys import AMBIGUOUS, UNENCRYPTED, is_ambiguous, may_have_key, retire_old_file
from r3con_core.models.learnt import load_learnt
from r3con_core.models.line import log_at_home
from r3con_core.models.prices import window_of
from r3con_core.models.windows import discover_window
from r3con_core.runs import Caps
from r3con_core.scrubbing import hold
from r3con_core.sendings import LIST
from r3con_core.store.caps import load_caps
from r3con_core.store.project import Project


def choose_model(options: argparse.Namespace) -> ModelChoice:
    """The model that --model and --base-url name, else the embedded default; EndpointError when it cannot be."""
    window: int | None = getattr(options, "window", None)
    workers: int | None = getattr(options, "workers", None)
    if options.base_url in (None, EMBEDDED):
        return ModelChoice(model=options.model or DEFAULT_MODEL, window=EMBEDDED_WINDOW if window is None else window)
    if not options.model:
        raise EndpointError("Give the model's name, as the server lists it, with --model.")
    endpoint = endpoint_for(options.model, options.base_url, workers=workers)
    return ModelChoice(
        model=endpoint.model,
        base_url=endpoint.base_url,
        window=window_of(endpoint) or EMBEDDED_WINDOW if window is None else window,
        workers=endpoint.workers,
    )


def choose_embedding(options: argparse.Namespace) -> ModelChoice | None:
    """The model of vectors that --embedding-model and --embedding-url name; None: made on this computer.

    Without an address it is asked where the reading model is. EndpointError for a model without any, or the other way.
    """
    if options.embedding_model is None and options.embedding_url is None:
        return None
    url = options.embedding_url or options.base_url
    if not options.embedding_model or url in (None, EMBEDDED):
        raise EndpointError(
            "Vectors from a server need --embedding-model, and --embedding-url where --base-url gives no address. "
            "Leave both out to have them made on this computer."
        )
    endpoint = endpoint_for(options.embedding_model, url, workers=getattr(options, "workers", None))
    window = window_of(endpoint) or EMBEDDED_WINDOW
    return ModelChoice(model=endpoint.model, base_url=endpoint.base_url, window=window, workers=endpoint.workers)


def read_key(variable: str | None) -> str:
    """The key in the environment variable that --key-env names, "" without one; EndpointError when it holds none."""
    if variable is None:
        return ""
    if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", variable) is None:
        raise EndpointError(
            "--key-env takes the name of an environment variable that holds the key, not the key itself."
        )
    key = os.environ.get(variable, "").strip()
    if not key:
        named = f"The environment variable {variable}" if variable.isupper() else "The variable given with --key-env"
        raise EndpointError(f"{named} holds no key. Set it, or leave --key-env out.")
    hold(key)
    return key


def keys_for(base_urls: Sequence[str], given: str, *, ask: bool) -> dict[str, str]:
    """The keys for these addresses, by place: `given` with --key-env, else found; none is kept.

    With `ask`, one that is not found is asked for at the terminal, where there is one. EndpointError when `given` could
    be for either of two places.
    """
    places, home = {host_and_port(url): url for url in base_urls}, home_folder()
    if not places:
        return {}
    if told := retire_old_file(Sources(home=home)):
        tell(told)
    if given and len(places) > 1:
        raise EndpointError(f"The key could be for {' or '.join(places)}. Leave --key-env out. {AMBIGUOUS}")
    found = find_keys(base_urls, Sources(home=home, typed=dict.fromkeys(places, given)))
    if is_ambiguous(base_urls, os.environ):
        tell(f"R3CON_API_KEY is not used. {AMBIGUOUS}")
    if any(not may_have_key(url) for url in base_urls):
        tell(UNENCRYPTED)
    keys = {place: key.letters for place, key in found.items()}
    lacking = [place for place, url in places.items() if place not in keys and ask and _is_asked_for(url)]
    return {**keys, **{place: key for place in lacking if (key := _ask_for_key(place))}}


def _is_asked_for(base_url: str) -> bool:
    """Whether a key is likely needed there and somebody can be asked for it."""
    somebody = sys.stdin.isatty() and sys.stderr.isatty()
    return somebody and may_have_key(base_url) and not endpoint_for("any", base_url).local


def _ask_for_key(place: str) -> str:
    """What is typed, which is not shown; it is used by this command alone."""
    key = getpass.getpass(f"Key for {visible(place)} (not shown, not kept; Enter for none): ").strip()
    hold(key)
    return key


def with_window(choice: ModelChoice, home: Path, keys: Mapping[str, str]) -> tuple[ModelChoice, str]:
    """`choice` with the context window its endpoint states, else with the one it has, and a sentence on that.

    Sends no text.
    """
    if choice.base_url == EMBEDDED:
        return choice, f"The context window of {choice.model} is {choice.window:,} tokens."
    endpoint = choice.endpoint()
    with closing(connect(endpoint, key_among(keys, choice.base_url), log=log_at_home(home, LIST))) as model:
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
