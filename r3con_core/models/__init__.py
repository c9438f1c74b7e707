"""A Prompt becomes a Reply: endpoints, their keys and prices, and models that run on this computer.

Importing this opens nothing and loads none of openai, xllamacpp or genai_prices: the functions that need one do.
"""

from r3con_core.models.catalogue import DEFAULT_MODEL, LOCAL_MODELS, LocalModel, local_model
from r3con_core.models.client import Model, connect
from r3con_core.models.embedded import EmbeddedServer, start_embedded
from r3con_core.models.embedding_local import LOCAL_VECTORS, LOCAL_WINDOW, can_make_vectors, local_vectors
from r3con_core.models.endpoint import Endpoint, JsonMode, Prices, endpoint_for, host_of, is_loopback, normalise_url
from r3con_core.models.files import find_model, is_pulled, models_folder, pull
from r3con_core.models.keys import (
    Key,
    Origin,
    Sources,
    find_key,
    find_keys,
    forget_key,
    host_and_port,
    keep_key,
    key_among,
)
from r3con_core.models.learnt import Learnt, forget_learnt, keep_learnt, load_learnt
from r3con_core.models.prices import FREE, cost, price_of, window_of
from r3con_core.models.probe import Finding, Probe, Verdict, probe_connection

__all__ = [
    "DEFAULT_MODEL",
    "FREE",
    "LOCAL_MODELS",
    "LOCAL_VECTORS",
    "LOCAL_WINDOW",
    "EmbeddedServer",
    "Endpoint",
    "Finding",
    "JsonMode",
    "Key",
    "Learnt",
    "LocalModel",
    "Model",
    "Origin",
    "Prices",
    "Probe",
    "Sources",
    "Verdict",
    "can_make_vectors",
    "connect",
    "cost",
    "endpoint_for",
    "find_key",
    "find_keys",
    "find_model",
    "forget_key",
    "forget_learnt",
    "host_and_port",
    "host_of",
    "is_loopback",
    "is_pulled",
    "keep_key",
    "keep_learnt",
    "key_among",
    "load_learnt",
    "local_model",
    "local_vectors",
    "models_folder",
    "normalise_url",
    "price_of",
    "probe_connection",
    "pull",
    "start_embedded",
    "window_of",
]
