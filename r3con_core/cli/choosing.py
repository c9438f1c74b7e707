"""The model that the options name, and its key."""

import argparse
import os

from r3con_core.errors import EndpointError
from r3con_core.jobs import EMBEDDED, EMBEDDED_WINDOW, ModelChoice
from r3con_core.models import DEFAULT_MODEL, endpoint_for
from r3con_core.models.prices import window_of


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
