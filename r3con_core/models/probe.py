"""The test of a connection: small calls that say what works there and what does not, before anything is started."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from r3con_core.errors import ModelError, StoppedError
from r3con_core.exchange import Finish, Message, Prompt, Reply, Stage
from r3con_core.models.client import Model, connect
from r3con_core.models.endpoint import Endpoint, JsonMode
from r3con_core.models.learnt import Learnt, keep_learnt
from r3con_core.models.line import log_at_home, unlogged
from r3con_core.models.verdicts import begin_with_host
from r3con_core.models.windows import Window, discover_window
from r3con_core.sendings import TEST

PATIENCE = 120.0
"""Seconds for the whole test; a model that thinks first may need one for a single word."""
_SHAPE: dict[str, Any] = {
    "type": "object",
    "properties": {"city": {"type": "string", "enum": ["London", "Paris"]}, "year": {"type": "integer"}},
    "required": ["city", "year"],
    "additionalProperties": False,
}
_AGAINST = "Reply with a JSON object: the city Rome (not London, not Paris) and the year 1931, as city and year."
"""What the shape forbids: only a server that enforces it gives another city."""


class Verdict(StrEnum):
    """What a finding means for a run."""

    GOOD = "good"
    NOTE = "note"
    """A run will work, and the analyst should know."""
    BAD = "bad"
    """A run would fail."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was tried."""

    verdict: Verdict
    text: str
    """A plain sentence, or two when there is something to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What a test found, in the order it was tried; nothing follows a bad finding."""

    findings: tuple[Finding, ...]
    learnt: Learnt = field(default_factory=Learnt, compare=False)
    """How the endpoint wants to be asked, and what it takes in at once where it or the table of prices says so."""
    seconds: float = field(default=0.0, compare=False)
    """Until its first reply was there."""

    @property
    def mode(self) -> JsonMode:
        """How replies can be held to their shape; looser than tried where the server ignores the request."""
        return self.learnt.dialect.mode

    @property
    def window(self) -> int | None:
        """Tokens the model takes in at once, where something says so."""
        return self.learnt.window

    @property
    def works(self) -> bool:
        """A run can be started with this model."""
        return all(finding.verdict is not Verdict.BAD for finding in self.findings)


def probe_connection(
    endpoint: Endpoint, key: str, *, home: Path | None = None, open_model: Callable[..., Model] = connect
) -> Probe:
    """Ask for one word, then for a small JSON object; at most `PATIENCE` seconds. Costs a few hundred tokens.

    What works is kept in `home`, instead of what was known before: nothing that was refused once is taken for granted.
    """
    until = time.monotonic() + PATIENCE
    patient = replace(endpoint, timeout=min(endpoint.timeout, PATIENCE / 2))
    try:
        log = unlogged if home is None else log_at_home(home, TEST)
        model = open_model(patient, key, should_stop=lambda: time.monotonic() > until, log=log)
    except ModelError as error:
        return Probe(findings=(_bad(str(error)),))
    try:
        probe = _probed(model, endpoint)
    finally:
        model.close()
    if home is not None and probe.works:
        keep_learnt(home, endpoint, probe.learnt)
    return probe


def _probed(model: Model, endpoint: Endpoint) -> Probe:
    found: list[Finding] = []
    try:
        word = model(_prompt("This is a test of the connection. Reply with one word: ready"))
        found.append(_answers(word, endpoint))
        held = model(_prompt(_AGAINST, _SHAPE))
        mode = model.mode if model.mode is not JsonMode.SCHEMA or _obeys(held) else JsonMode.WORDS
        found.append(_shape(held, mode))
    except StoppedError:
        silent = f"{begin_with_host(endpoint)} gave no reply within {PATIENCE:.0f} seconds. Try a faster model."
        return Probe(findings=(*found, _bad(silent)))
    except ModelError as error:
        return Probe(findings=(*found, _bad(str(error))))
    if not word.usage.counted:
        text = "The server does not count tokens, so the app's figures will be estimates."
        found.append(Finding(verdict=Verdict.NOTE, text=text))
    window = discover_window(endpoint, model.look)
    learnt = Learnt(dialect=replace(model.learnt.dialect, mode=mode), window=window.tokens)
    return Probe(findings=(*found, *_window(endpoint, window)), learnt=learnt, seconds=word.seconds)


def _prompt(text: str, shape: dict[str, Any] | None = None) -> Prompt:
    message = Message(role="user", pieces=(text,))
    return Prompt(stage=Stage.FOCUS, messages=(message,), shape=shape, max_tokens=64)


def _answers(reply: Reply, endpoint: Endpoint) -> Finding:
    if not reply.text.strip():
        return Finding(
            verdict=Verdict.NOTE, text=f"{begin_with_host(endpoint)} answers, but with nothing. The model may not suit."
        )
    as_called = f" It calls the model {reply.model}." if reply.model not in ("", endpoint.model) else ""
    text = f"{begin_with_host(endpoint)} answers after {reply.seconds:.1f} seconds.{as_called}"
    return Finding(verdict=Verdict.GOOD, text=text)


def _shape(reply: Reply, mode: JsonMode) -> Finding:
    if mode is JsonMode.SCHEMA and _is_held(reply):
        return Finding(verdict=Verdict.GOOD, text="Its replies can be held to a shape (JSON schema).")
    how = "only to be JSON" if mode is JsonMode.OBJECT else "by words alone"
    text = f"Its replies can be held {how}; what comes is checked, and asked for again where it does not fit."
    if not _is_held(reply):
        text = "Its reply did not have the shape that was asked for. Records may fail for some documents."
    return Finding(verdict=Verdict.NOTE, text=text)


def _obeys(reply: Reply) -> bool:
    """The server enforced the shape against the prompt's words."""
    return _is_held(reply) and json.loads(reply.text)["city"] in _SHAPE["properties"]["city"]["enum"]


def _is_held(reply: Reply) -> bool:
    if reply.finish is Finish.CUT_OFF:
        return False
    try:
        found = json.loads(reply.text)
    except ValueError:
        return False
    return isinstance(found, dict) and isinstance(found.get("city"), str) and isinstance(found.get("year"), int)


def _window(endpoint: Endpoint, found: Window) -> list[Finding]:
    known, wanted = found.tokens, endpoint.window
    if known is not None and (wanted is None or wanted <= known):
        used = f"; {wanted:,} of them are used here" if wanted and wanted < known else ""
        return [Finding(verdict=Verdict.GOOD, text=f"The model takes in {known:,} tokens at once{used}.")]
    if found.cuts_silently:
        return [Finding(verdict=Verdict.NOTE, text=_cuts(known, wanted))]
    if known is None:
        return [_unsaid(wanted)] if wanted is not None and endpoint.local else []
    text = f"The model takes in {known:,} tokens at once, not {wanted:,}. Set its context window to that."
    return [Finding(verdict=Verdict.NOTE, text=text)]


def _cuts(known: int | None, wanted: int | None) -> str:
    takes = f"takes in {known:,} tokens at once" if known else "does not say how much it takes in at once"
    want = f"{wanted:,} or more" if wanted else "what the model allows"
    return (
        f"This is Ollama, which {takes} and cuts longer texts without a word, so that facts would be missed. Start it "
        f"with OLLAMA_CONTEXT_LENGTH set to {want}, or set a smaller context window here."
    )


def _unsaid(wanted: int) -> Finding:
    text = f"The server does not say how much its model takes in at once. See to it that it takes {wanted:,} tokens."
    return Finding(verdict=Verdict.NOTE, text=text)


def _bad(text: str) -> Finding:
    return Finding(verdict=Verdict.BAD, text=text)
