"""A text too long for a model: the window is read from whatever the server says, and a silent cut is found out."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r3con_core.documents import estimate_tokens
from r3con_core.errors import EndpointError, WindowExceededError
from r3con_core.exchange import Message, Prompt, Usage
from r3con_core.models import Learnt
from r3con_core.models.cuts import CutWatch
from tests.asking import PROMPT, opened, refused, says
from tests.scripted_server import Body, Fault, ScriptedServer

WORDINGS = [
    ("This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8800 in the", 8192),
    ("This endpoint's maximum context length is 1048576 tokens. However, you requested about 1293741", 1_048_576),
    ("'max_tokens' is too large: 2000. This model's maximum context length is 4096 tokens and your request", 4096),
    ("The decoder prompt (length 9000) is longer than the maximum model length of 8192.", 8192),
    ("The input (9000 tokens) is longer than the model's context length (8192 tokens).", 8192),
    ("Requested token count exceeds the model's maximum context length of 8192 tokens. You requested 9000", 8192),
    ("request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it", 4096),
    ("Trying to keep 9000 tokens. However, the model is loaded with context length of only 4096 tokens", 4096),
    ("prompt is too long: 210000 tokens > 200000 maximum", 200_000),
    ("input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input", 200_000),
    ("The input token count (337807) exceeds the maximum number of tokens allowed (65536).", 65_536),
    ("Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context", 32_768),
    ("This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 131_072),
    ("Your request exceeded model token limit: 262,144 (requested: 300,000)", 262_144),
    ("`inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens and 512 `max_new_tokens`", 8193),
    ("Please reduce the length of the messages. Current length is 9000 while limit is 8192", 8192),
    ("The prompt is too long: 9000, model maximum context length: 8191", 8191),
    ("Your input exceeds the context window of this model. Please adjust your input and try again.", None),
    ("prompt too long; exceeded max context length by 123 tokens", None),
    ("invalid params, context window exceeds limit (2013)", None),
    ("Input is too long for requested model.", None),
    ("too many tokens: size limit exceeded by 1234 tokens", None),
]
"""As OpenAI, OpenRouter, vLLM (twice), SGLang (twice), llama.cpp, LM Studio, Anthropic (twice), Gemini, Mistral, xAI,
Moonshot, Text Generation Inference, Cerebras and Fireworks word it; then those that do not name the window."""


@pytest.mark.parametrize(("said", "window"), WORDINGS, ids=[said[:40] for said, _ in WORDINGS])
def test_the_window_is_read_from_a_refusal_and_no_other_number_is(said: str, window: int | None) -> None:
    error = refused(Fault(status=400, error={"message": said}))
    assert isinstance(error, WindowExceededError)
    assert error.window == window


@pytest.mark.parametrize(
    "said", ["The model's maximum number of images is 5 per request.", "Your plan is limited to 3 requests a day."]
)
def test_other_limits_are_no_window(said: str) -> None:
    assert isinstance(refused(Fault(status=400, error={"message": said})), EndpointError)


def test_a_window_named_in_a_refusal_is_learnt_and_told() -> None:
    told: list[Learnt] = []
    fault = Fault(status=400, error={"message": "maximum context length is 8192 tokens"})
    with (
        ScriptedServer(says("12"), lambda *_: fault) as server,
        opened(server, on_learnt=told.append) as (model, _),
    ):
        for _ in range(2):
            with pytest.raises(WindowExceededError):
                model(PROMPT)
    assert [learnt.window for learnt in told] == [8192]
    assert model.learnt.window == 8192


def test_room_asked_for_notes_is_given_up_before_the_text_is_called_too_long() -> None:
    def small(_: int, body: Body) -> Fault | None:
        said = "This model's maximum context length is 300 tokens and your request has 150 input tokens."
        return Fault(status=400, error={"message": said}) if body["max_tokens"] > 150 else None

    with ScriptedServer(says("<think>hm</think>12"), small) as server, opened(server) as (model, _):
        assert [model(PROMPT).text, model(PROMPT).text] == ["12", "12"]
        assert [body["max_tokens"] for body in server.requests] == [100, 400, 200, 100]


def test_room_for_notes_is_what_the_window_leaves_and_not_all_or_nothing() -> None:
    thinking = Fault(text="", notes={"reasoning_content": "hm"}, finish="length")

    def needs_700_of_1000(_: int, body: Body) -> Fault | None:
        if body["max_tokens"] > 1000:
            return Fault(status=400, error={"message": "maximum context length is 1100 tokens"})
        return thinking if body["max_tokens"] < 700 else None

    with ScriptedServer(says("12"), needs_700_of_1000) as server, opened(server) as (model, _):
        assert [model(PROMPT).text, model(PROMPT).text] == ["12", "12"]
        assert [body["max_tokens"] for body in server.requests] == [100, 400, 1600, 800, 1600, 800]


def test_a_complaint_of_another_kind_about_a_request_without_room_ends_the_call() -> None:
    def complains(number: int, body: Body) -> Fault | None:
        assert number < 20, "asked for ever"
        if body["max_tokens"] > 100:
            return Fault(status=400, error={"message": "maximum context length is 150 tokens"})
        return Fault(status=400, error={"message": "no such thing today"}) if number > 1 else None

    with ScriptedServer(says("<think>hm</think>12"), complains) as server, opened(server) as (model, _):
        assert model(PROMPT).text == "12"
        with pytest.raises(EndpointError, match="no such thing today"):
            model(PROMPT)


def test_what_is_learnt_from_a_request_with_less_room_leaves_the_room_that_is_known() -> None:
    def complains(_: int, body: Body) -> Fault | None:
        if body["max_tokens"] > 200:
            return Fault(status=400, error={"message": "maximum context length is 250 tokens"})
        if body["max_tokens"] == 200 and "temperature" in body:
            return Fault(status=400, error={"message": "temperature is not supported"})
        return None

    with ScriptedServer(says("<think>hm</think>12"), complains) as server, opened(server) as (model, _):
        assert [model(PROMPT).text, model(PROMPT).text] == ["12", "12"]
        assert (model.learnt.dialect.temperature, model.learnt.dialect.room) == (False, 4)


KINDS = {
    "prose": "The launch Gull landed twelve cases at Lime Quay in the night of the third of March. ",
    "digits": "1931 03 03 4417 88213 0.25 1,200,340 ",
    "chinese": "三月三日夜里海鸥号在石灰码头卸下十二箱货物。",
    "code": "for (int i = 0; i < n_cases; ++i) { total += cases[i].weight * 0.5; }\n",
}


def tokens_of(weights: dict[str, float]) -> Callable[[str], int]:
    """A tokenizer that counts letters, digits, ideographs and all else by `weights`; so it is additive, as all are."""

    kinds = {
        "letter": "[a-zA-Z]",
        "digit": "[0-9]",
        "ideograph": "[\u4e00-\u9fff]",
        "rest": "[^a-zA-Z0-9\u4e00-\u9fff]",
    }

    def count(text: str) -> int:
        return round(sum(len(re.findall(kind, text)) * weights[name] for name, kind in kinds.items()))

    return count


def asks(text: str) -> Prompt:
    return replace(PROMPT, messages=(Message(role="user", pieces=tuple(text.split("\n\n"))),))


class Server:
    """Counts the tokens of what it is sent, as one kind of server does."""

    def __init__(self, count: Callable[[str], int], frame: int, *, window: int = 10**9, cached: float = 0.0) -> None:
        self.count, self.frame, self.window, self.cached = count, frame, window, cached
        self.seen: list[str] = []

    def __call__(self, prompt: Prompt) -> int:
        text = prompt.messages[0].content
        known = max((common(text, seen) for seen in self.seen), default=0) if self.cached else 0
        self.seen.append(text)
        return min(self.window, self.count(text[known:]) + self.frame)


def common(one: str, other: str) -> int:
    return next((i for i, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), 0)


def cut(watch: CutWatch, server: Server, text: str) -> bool:
    prompt = asks(text)
    usage = Usage(prompt=server(prompt), output=1)
    return watch.doubts(prompt, usage) and watch.settle(prompt, usage, server)


weight = st.floats(0.05, 2.0)
tokenizers = st.fixed_dictionaries(dict.fromkeys(("letter", "digit", "ideograph", "rest"), weight))
texts = st.lists(
    st.tuples(st.sampled_from(sorted(KINDS)), st.integers(1, 200)).map(lambda kind: KINDS[kind[0]] * kind[1]),
    min_size=1, max_size=8,
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(weights=tokenizers, frame=st.integers(0, 150), texts=texts, cached=st.booleans())
def test_an_honest_server_is_never_taken_for_one_that_cuts(
    weights: dict[str, float], frame: int, texts: list[str], cached: bool
) -> None:
    watch, server = CutWatch(), Server(tokens_of(weights), frame, cached=float(cached))
    shared = "\n\n".join(texts)
    for text in (*texts, shared, shared + texts[0]):
        assert not cut(watch, server, text)


@settings(max_examples=30, deadline=None)
@given(weights=tokenizers, texts=texts)
def test_an_honest_server_is_put_to_the_test_a_few_times_at_most(weights: dict[str, float], texts: list[str]) -> None:
    watch, server = CutWatch(), Server(tokens_of(weights), 20)
    for text in texts * 3:
        cut(watch, server, text)
    assert len(server.seen) - 3 * len(texts) <= 2 * 14


@pytest.mark.parametrize("window", [2048, 4096])
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_server_that_cuts_without_a_word_is_found_out(kind: str, window: int) -> None:
    watch, server = CutWatch(), Server(estimate_tokens, 30, window=window)
    text = KINDS[kind] * (2 * window // estimate_tokens(KINDS[kind]))
    assert cut(watch, server, text)
    asked = len(server.seen)
    assert asked == 4
    assert cut(watch, server, text * 2)
    assert len(server.seen) == asked + 1
    assert not cut(watch, server, text[: len(text) // 4])


def cuts(window: int) -> Callable[[int, Body], Fault]:
    """Answers with a usage that never goes over `window`, as Ollama does."""

    def judge(_: int, body: Body) -> Fault:
        sent = sum(estimate_tokens(message["content"]) for message in body["messages"])
        usage: dict[str, Any] = {"prompt_tokens": min(sent, window), "completion_tokens": 2}
        return Fault(usage=usage)

    return judge


def test_nothing_is_read_from_a_text_that_was_cut_and_what_fits_is_learnt() -> None:
    with ScriptedServer(says("12"), cuts(2048)) as server, opened(server) as (model, _):
        assert model(asks(KINDS["prose"] * 60)).usage.prompt < 2048
        with pytest.raises(WindowExceededError) as caught:
            model(asks(KINDS["prose"] * 300))
        assert (caught.value.window, model.learnt.window) == (2048, 2048)
        assert server.calls == 1 + 4


def test_what_it_took_to_believe_a_low_count_is_in_the_usage() -> None:
    def terse(_: int, body: Body) -> Fault:
        sent = sum(len(message["content"]) for message in body["messages"]) // 20
        return Fault(usage={"prompt_tokens": sent, "completion_tokens": 2})

    with ScriptedServer(says("12"), terse) as server, opened(server) as (model, _):
        first, second = model(asks(KINDS["prose"] * 300)), model(asks(KINDS["prose"] * 300))
    assert server.calls == 4
    assert first.usage.output == 6
    assert second.usage == Usage(prompt=len(KINDS["prose"]) * 300 // 20, output=2)
