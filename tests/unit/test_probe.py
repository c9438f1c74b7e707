"""The test of a connection says what works and what to do about what does not."""

from collections.abc import Callable, Iterator

import pytest

from r3con_core.errors import BusyError, EndpointError, StoppedError
from r3con_core.exchange import Prompt, Reply, Usage
from r3con_core.models.endpoint import Endpoint, JsonMode, endpoint_for
from r3con_core.models.learnt import Learnt
from r3con_core.models.probe import Finding, Probe, Verdict, probe_connection
from r3con_core.models.wire import Dialect

ENDPOINT = endpoint_for("reader-9b", "https://models.example/v1")


class Told:
    """A model that answers as told."""

    def __init__(self, answers: Iterator[Reply | Exception], mode: JsonMode = JsonMode.SCHEMA) -> None:
        self.answers, self.mode, self.closed = answers, mode, False
        self.learnt = Learnt(dialect=Dialect(mode=mode))

    def __call__(self, prompt: Prompt) -> Reply:
        assert prompt.max_tokens < 100
        answer = next(self.answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def look(self, *_: object) -> None:
        """A server that says nothing of itself."""

    def close(self) -> None:
        self.closed = True


def probe(*answers: Reply | Exception, mode: JsonMode = JsonMode.SCHEMA, endpoint: Endpoint = ENDPOINT) -> Probe:
    model = Told(iter(answers), mode)
    opened: Callable[..., object] = lambda *_, **__: model  # noqa: E731
    found = probe_connection(endpoint, "", open_model=opened)  # type: ignore[arg-type]
    assert model.closed
    return found


def reply(text: str, **more: object) -> Reply:
    return Reply(text=text, model="reader-9b", seconds=0.42, **more)  # type: ignore[arg-type]


FITS = reply('{"city": "London", "year": 1931}')


def test_an_endpoint_that_does_all_is_found_good() -> None:
    assert probe(reply("ready"), FITS) == Probe(
        findings=(
            Finding(verdict=Verdict.GOOD, text="models.example answers after 0.4 seconds."),
            Finding(verdict=Verdict.GOOD, text="Its replies can be held to a shape (JSON schema)."),
        )
    )


@pytest.mark.parametrize("error", [EndpointError("The key was refused."), BusyError("Too busy.")])
def test_what_is_wrong_is_the_last_thing_said(error: Exception) -> None:
    assert probe(error) == Probe(findings=(Finding(verdict=Verdict.BAD, text=str(error)),))
    after = probe(reply("ready"), error)
    assert [finding.verdict for finding in after.findings] == [Verdict.GOOD, Verdict.BAD]
    assert not after.works


def test_an_endpoint_that_stays_silent_is_given_up() -> None:
    assert "no reply within 120 seconds" in probe(StoppedError()).findings[0].text


def test_a_key_that_can_be_none_is_said_without_a_call() -> None:
    found = probe_connection(ENDPOINT, "sk- with blanks")
    assert "blanks or letters that no key has" in found.findings[0].text


@pytest.mark.parametrize(
    ("held", "mode", "said"),
    [
        (FITS, JsonMode.WORDS, "held by words alone"),
        (FITS, JsonMode.OBJECT, "held only to be JSON"),
        (reply("London, 1931"), JsonMode.SCHEMA, "did not have the shape"),
        (reply("[]"), JsonMode.WORDS, "did not have the shape"),
    ],
)
def test_what_cannot_be_held_to_a_shape_works_with_a_note(held: Reply, mode: JsonMode, said: str) -> None:
    found = probe(reply("ready"), held, mode=mode)
    assert found.works
    assert found.findings[1].verdict is Verdict.NOTE
    assert said in found.findings[1].text


def test_estimated_tokens_and_a_window_too_large_are_noted() -> None:
    known = endpoint_for("gpt-4o-mini", "https://api.openai.com/v1", window=900_000)
    found = probe(reply("ready", usage=Usage(counted=False)), FITS, endpoint=known)
    assert "estimates" in found.findings[2].text
    assert "128,000 tokens at once, not 900,000" in found.findings[3].text
    assert "calls the model reader-9b" in found.findings[0].text
