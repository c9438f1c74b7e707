"""What a Python program needs beside the stages: documents from files, a model to ask, and settings that suit it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from r3con_core.answers import Mode
from r3con_core.documents import Corpus
from r3con_core.errors import CorpusError
from r3con_core.exchange import Ask
from r3con_core.home import home_folder
from r3con_core.jobs import EMBEDDED, EMBEDDED_WINDOW, ModelChoice, RunChoices
from r3con_core.models import connect, endpoint_for
from r3con_core.opening import open_model as open_choice
from r3con_core.privilege import held_family
from r3con_core.runs import DEFAULT_ROUNDS, RunSettings


def load(paths: str | Path | Sequence[str | Path], *, release: bool = False) -> Corpus:
    """The documents of a file, a folder or several, in order; what gave none is left out (`load_paths` says why).

    Raises CorpusError when a path does not exist or nothing could be read, and when documents look privileged: with
    `release`, models may read those too.
    """
    from r3con_core.readers import load_paths  # forty readers, 0.3 s, which a program with texts of its own needs not

    given = [paths] if isinstance(paths, str | Path) else list(paths)
    loading = load_paths([Path(path).expanduser() for path in given], isolated=True)
    if not loading.documents:
        reasons = "; ".join(f"{line.path}: {line.reason or line.outcome.value}" for line in loading.ledger[:5])
        raise CorpusError(f"None of these files gave a document. {reasons}")
    held = {} if release else held_family(loading.documents)
    if held:
        named = [document.source.path for document in loading.documents if document.id in held]
        more = f" and {len(named) - 5:,} more" if len(named) > 5 else ""
        raise CorpusError(
            f"These look privileged and are held back from models: {', '.join(named[:5])}{more}. "
            "Leave them out, or say load(..., release=True)."
        )
    return Corpus(documents=loading.documents)


@contextmanager
def open_model(
    model: str, base_url: str = EMBEDDED, key: str | None = None, *, window: int = EMBEDDED_WINDOW
) -> Iterator[Ask]:
    """A way to ask `model` for the block: at an OpenAI-compatible address, or inside this process.

    Without `key`, the environment and the kept keys are looked at. `window` is used by the embedded model only; tell
    the run's settings the same. Raises EndpointError or ModelFileError.
    """
    if base_url == EMBEDDED or key is None:
        with open_choice(ModelChoice(model=model, base_url=base_url, window=window), home_folder()) as ask:
            yield ask
        return
    opened = connect(endpoint_for(model, base_url), key)
    try:
        yield opened
    finally:
        opened.close()


def settings_for(
    model: str,
    base_url: str = EMBEDDED,
    *,
    rounds: int = DEFAULT_ROUNDS,
    mode: Mode = Mode.CODING,
    window: int = EMBEDDED_WINDOW,
) -> RunSettings:
    """The settings that suit `model`: the small ones that are embedded are told less at once and given more help."""
    choice = ModelChoice(model=model, base_url=base_url, window=window)
    return RunChoices(reading=choice, rounds=rounds, mode=mode).settings()
