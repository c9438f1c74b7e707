"""How much a server's model takes in at once, where the server says so: each kind of server says it elsewhere.

Nothing here opens a connection: `Look` does.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from r3con_core.models.endpoint import Endpoint
from r3con_core.models.prices import window_of


class Look(Protocol):
    """What a server says at a path of its host, decoded; None where it says nothing that can be read."""

    def __call__(self, path: str, body: Mapping[str, Any] | None = None) -> Any: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A context window in tokens, as found."""

    tokens: int | None
    """None: the server says nothing of it."""
    cuts_silently: bool = False
    """Text beyond the window is dropped without an error (Ollama)."""


def discover_window(endpoint: Endpoint, look: Look) -> Window:
    """The window as the server states it, else as the table of prices has it."""
    listed = _number(_find(look(_listing(endpoint)), endpoint.model), _LISTED)
    if listed:
        return Window(tokens=listed)
    for ask in (_llama_cpp, _ollama, _lm_studio) if endpoint.local else ():
        found = ask(endpoint, look)
        if found is not None:
            return found
    return Window(tokens=window_of(endpoint))


_LISTED = (("max_model_len",), ("meta", "n_ctx"), ("top_provider", "context_length"), ("context_length",))
"""In a list of models: vLLM, llama.cpp, OpenRouter (what is served, then what the model could)."""


def _listing(endpoint: Endpoint) -> str:
    return re.sub(r"^https?://[^/]+", "", endpoint.base_url) + "/models"


def _llama_cpp(_: Endpoint, look: Look) -> Window | None:
    tokens = _number(look("/props"), (("default_generation_settings", "n_ctx"), ("n_ctx",)))
    return Window(tokens=tokens) if tokens else None


def _ollama(endpoint: Endpoint, look: Look) -> Window | None:
    """The window of the loaded model, else the one that its Modelfile sets; a default is not told anywhere."""
    running = look("/api/ps")
    if not isinstance(running, dict) or "models" not in running:
        return None
    tokens = _number(_find(running, endpoint.model), (("context_length",),))
    if tokens is None:
        told = look("/api/show", {"model": endpoint.model})
        parameters = told.get("parameters") if isinstance(told, dict) else None
        found = re.search(r"\bnum_ctx\s+(\d+)", str(parameters or ""))
        tokens = int(found[1]) if found else None
    return Window(tokens=tokens, cuts_silently=True)


def _lm_studio(endpoint: Endpoint, look: Look) -> Window | None:
    model = _find(look("/api/v1/models"), endpoint.model)
    loaded = model.get("loaded_instances") or [] if isinstance(model, dict) else []
    tokens = _number(loaded[0] if loaded else None, (("config", "context_length"),))
    return Window(tokens=tokens) if tokens else None


def _find(listing: Any, model: str) -> Any:
    """The entry of `model` in a list of models; the only one there is, under whatever name."""
    entries = list(_entries(listing))
    named = [e for e in entries if model in (e.get("id"), e.get("key"), e.get("name"), e.get("model"))]
    if not named and ":" not in model:
        named = [e for e in entries if e.get("name") == f"{model}:latest"]
    return named[0] if named else entries[0] if len(entries) == 1 else None


def _entries(listing: Any) -> Iterator[dict[str, Any]]:
    told = (listing.get("data") or listing.get("models")) if isinstance(listing, dict) else None
    yield from (each for each in told if isinstance(each, dict)) if isinstance(told, list) else ()


def _number(told: Any, paths: tuple[tuple[str, ...], ...]) -> int | None:
    """The first of `paths` in `told` that leads to a count."""
    for path in paths:
        here: Any = told
        for name in path:
            here = here.get(name) if isinstance(here, dict) else None
        if isinstance(here, int) and here > 0:
            return here
    return None
