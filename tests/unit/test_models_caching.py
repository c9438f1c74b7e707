"""What servers are told about shared prefixes, and what they tell of their caches."""

import json
from dataclasses import replace
from typing import Any

import pytest

from r3con_core.exchange import Message, Prompt, Stage, Usage
from r3con_core.models import JsonMode, endpoint_for
from r3con_core.models.faults import Trouble
from r3con_core.models.wire import Dialect, Encoder, learn, request_bytes
from tests.asking import PROMPT, SHAPE, opened, says
from tests.scripted_server import Fault, ScriptedServer

OPENAI, OPENROUTER = "https://api.openai.com/v1", "https://openrouter.ai/api/v1"
CLAUDE = "anthropic/claude-sonnet-5"
PIECES = ("Rules.", 'Snippet "one".', "Snippet\ntwo.", "Document.")
LANED = Prompt(
    stage=Stage.RELEVANCE,
    messages=(
        Message(role="system", pieces=("You read documents.",), marks=(1,)),
        Message(role="user", pieces=PIECES, marks=(1, 3)),
    ),
    lane="run-7 round-2 lane-3",
)


def body(prompt: Prompt, model: str, url: str, dialect: Dialect | None = None) -> dict[str, Any]:
    sent = request_bytes(prompt, endpoint_for(model, url), dialect or Dialect(), Encoder())
    return dict(json.loads(sent))


def words(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


@pytest.mark.parametrize(
    ("model", "url"),
    [
        ("gpt-4o-mini", OPENAI),
        ("gpt-5.6", OPENAI),
        (CLAUDE, OPENROUTER),
        ("claude-sonnet-5", "https://api.anthropic.com/v1"),
        ("qwen3:8b", "http://localhost:11434/v1"),
    ],
)
@pytest.mark.parametrize("mode", list(JsonMode))
def test_every_server_is_sent_the_same_words(model: str, url: str, mode: JsonMode) -> None:
    told = body(replace(LANED, shape=SHAPE), model, url, Dialect(mode=mode))
    system, user = (words(message["content"]) for message in told["messages"])
    assert system == "You read documents."
    in_words = "" if mode is JsonMode.SCHEMA else "Answer with one JSON object that satisfies this JSON schema: "
    assert user.startswith("\n\n".join((*PIECES, in_words)) if in_words else "\n\n".join(PIECES))


def test_anthropic_models_at_openrouter_get_their_shared_prefixes_marked() -> None:
    marked = {"cache_control": {"type": "ephemeral"}}
    told = body(LANED, CLAUDE, OPENROUTER)
    assert told["messages"] == [
        {"role": "system", "content": [{"type": "text", "text": "You read documents.", **marked}]},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Rules.\n\n", **marked},
                {"type": "text", "text": 'Snippet "one".\n\nSnippet\ntwo.\n\n', **marked},
                {"type": "text", "text": "Document."},
            ],
        },
    ]
    assert "prompt_cache_key" not in told


@pytest.mark.parametrize("model", ["gpt-5.6", "gpt-5.6-mini", "gpt-5.10", "gpt-6.1-sol"])
def test_openai_models_that_bill_what_they_keep_are_told_what_to_keep(model: str) -> None:
    told = body(LANED, model, OPENAI)
    assert told["prompt_cache_options"] == {"mode": "explicit"}
    parts = told["messages"][1]["content"]
    assert [part.get("prompt_cache_breakpoint") for part in parts] == [{"mode": "explicit"}, {"mode": "explicit"}, None]


@pytest.mark.parametrize(
    ("model", "url"),
    [
        ("gpt-5.5", OPENAI),
        ("gpt-4o", OPENAI),
        ("openai/gpt-5.6", OPENROUTER),
        ("claude-sonnet-5", "https://api.anthropic.com/v1"),
        (CLAUDE, "https://openrouter.ai.example/v1"),
        ("gpt-5.6", "http://localhost:8000/v1"),
        ("mistral-large", "https://api.mistral.ai/v1"),
    ],
)
def test_no_other_server_is_told_of_marks(model: str, url: str) -> None:
    told = body(LANED, model, url)
    assert [type(message["content"]) for message in told["messages"]] == [str, str]
    assert "prompt_cache_options" not in told


@pytest.mark.parametrize(
    ("url", "lane"),
    [
        (OPENAI, LANED.lane),
        ("https://eu.api.openai.com/v1", LANED.lane),
        ("https://house.openai.azure.com/openai/v1", LANED.lane),
        ("https://api.mistral.ai/v1", LANED.lane),
        (OPENROUTER, None),
        ("https://api.deepseek.com/v1", None),
        ("https://api.openai.com.example/v1", None),
        ("http://localhost:8000/v1", None),
    ],
)
def test_lanes_are_told_where_they_are_known(url: str, lane: str | None) -> None:
    assert body(LANED, "m", url).get("prompt_cache_key") == lane
    assert "prompt_cache_key" not in body(PROMPT, "m", url)


def test_a_long_lane_is_shortened_to_what_servers_take() -> None:
    keys = {body(replace(LANED, lane="lane " * 40 + end), "m", OPENAI)["prompt_cache_key"] for end in "ab"}
    assert [len(key) for key in keys] == [64, 64]


def test_the_last_four_marks_are_sent_and_none_that_marks_nothing() -> None:
    many = Message(role="user", pieces=("1", "2", " ", "4", "5", "6", "7"), marks=(0, 1, 2, 3, 4, 5, 6, 7, 9))
    said = Message(role="assistant", pieces=("So it is.",), marks=(1,))
    told = body(replace(LANED, messages=(*LANED.messages, many, said)), CLAUDE, OPENROUTER)
    system, user, last, assistant = told["messages"]
    assert [words(message["content"]) for message in (system, user, assistant)] == [
        "You read documents.", "\n\n".join(PIECES), "So it is.",
    ]  # fmt: skip
    assert isinstance(assistant["content"], str)
    assert [part["text"] for part in last["content"]] == ["1\n\n2\n\n \n\n4\n\n", "5\n\n", "6\n\n", "7"]
    assert all("cache_control" in part for part in last["content"])


@pytest.mark.parametrize(
    ("said", "changed"),
    [
        ("Unrecognized request argument supplied: prompt_cache_key", {"lanes": False}),
        ("Extra inputs are not permitted: messages.0.content.0.cache_control", {"marks": False}),
        ("Unknown parameter: 'prompt_cache_options'.", {"marks": False}),
        ("Unknown parameter: 'messages[1].content[0].prompt_cache_breakpoint'.", {"marks": False}),
    ],
)
def test_a_refused_word_about_caches_is_left_out(said: str, changed: dict[str, bool]) -> None:
    learnt = learn(Dialect(), Trouble(status=400, message=said), shaped=False)
    assert learnt == replace(Dialect(), **changed)  # type: ignore[arg-type]
    for model, url in (("gpt-5.6", OPENAI), (CLAUDE, OPENROUTER)):
        told = body(LANED, model, url, learnt)
        assert ("prompt_cache_key" in told) == (url == OPENAI and learnt.lanes)
        assert isinstance(told["messages"][1]["content"], list) == learnt.marks


def test_text_that_utf8_cannot_carry_is_sent_with_question_marks() -> None:
    told = body(replace(PROMPT, messages=(Message(role="user", pieces=("a\ud800b", "é\u2028")),)), "m", OPENAI)
    assert told["messages"][0]["content"] == "a?b\n\né\u2028"


def test_an_encoder_that_is_full_still_says_the_same() -> None:
    small, endpoint = Encoder(room=40), endpoint_for("m", OPENAI)
    for _ in range(3):
        sent = json.loads(request_bytes(LANED, endpoint, Dialect(), small))
        assert sent["messages"][1]["content"] == "\n\n".join(PIECES)
        assert small.held <= 40


SENT = {"prompt_tokens": 1000, "completion_tokens": 5}


@pytest.mark.parametrize(
    ("usage", "counted"),
    [
        ({"prompt_tokens_details": {"cached_tokens": 800, "cache_write_tokens": 150}}, (1000, 800, 150)),
        ({"prompt_tokens_details": {"cached_tokens": 800, "cache_creation_tokens": 150}}, (1000, 800, 150)),
        ({"prompt_tokens_details": None, "prompt_cache_hit_tokens": 640, "prompt_cache_miss_tokens": 360}, (1000, 640, 0)),
        ({"cache_read_input_tokens": 800, "cache_creation_input_tokens": 150}, (1000, 800, 150)),
        ({"prompt_tokens": 50, "cache_read_input_tokens": 800, "cache_creation_input_tokens": 150}, (1000, 800, 150)),
        ({"cached_tokens": 512}, (1000, 512, 0)),
        ({"prompt_eval_cached_count": 900}, (1000, 900, 0)),
        ({"prompt_tokens_details": {"cached_tokens": 0}, "timings": {"cache_n": 936}}, (1000, 936, 0)),
        ({"prompt_tokens_details": {"cached_tokens": "some"}}, (1000, 0, 0)),
        ({}, (1000, 0, 0)),
    ],
    ids=["OpenAI", "LiteLLM", "DeepSeek", "Anthropic", "apart", "Moonshot", "Ollama", "llama.cpp", "nonsense", "none"],
)  # fmt: skip
def test_cached_and_written_tokens_are_read_from_each_servers_field(
    usage: dict[str, Any], counted: tuple[int, int, int]
) -> None:
    with (
        ScriptedServer(says("12"), {1: Fault(usage={**SENT, **usage})}) as server,
        opened(server, local=False) as (model, _),
    ):
        found = model(PROMPT).usage
    prompt, cached, written = counted
    assert found == Usage(prompt=prompt, cached=cached, output=5, written=written)


def test_llama_cpp_tells_its_cache_beside_the_usage() -> None:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "12"}}
    raw = json.dumps({"choices": [choice], "usage": SENT, "timings": {"cache_n": 936, "prompt_n": 64}})
    with ScriptedServer(says(""), {1: Fault(raw=raw)}) as server, opened(server) as (model, _):
        assert model(PROMPT).usage == Usage(prompt=1000, cached=936, output=5)


def test_written_tokens_add_up() -> None:
    assert Usage(prompt=3, written=2) + Usage(prompt=4, written=1) == Usage(prompt=7, written=3)
