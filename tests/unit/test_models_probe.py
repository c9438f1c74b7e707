"""The test of a connection against a real server: in every trouble it says what is wrong and what to do."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from r3con_core.models import JsonMode, Probe, Verdict, endpoint_for, probe_connection
from tests.scripted_server import Body, Fault, ScriptedServer


def obedient(_: object, response_format: Mapping[str, Any] | None) -> str:
    """Gives what a schema allows, whatever the words say; without one it follows the words."""
    if response_format is None:
        return "ready"
    held = response_format["type"] == "json_schema"
    return json.dumps({"city": "London" if held else "Rome", "year": 1931})


def follows_words(messages: list[dict[str, str]], _: object) -> str:
    return json.dumps({"city": "Rome", "year": 1931}) if "JSON" in messages[-1]["content"] else "ready"


def probed(server: ScriptedServer, *, window: int | None = None, model: str = "scripted", key: str = "") -> Probe:
    return probe_connection(endpoint_for(model, server.url, window=window), key)


def said(probe: Probe) -> str:
    return " ".join(finding.text for finding in probe.findings)


def test_a_server_that_does_all_is_found_good() -> None:
    with ScriptedServer(obedient) as server:
        probe = probed(server, window=8192)
    assert [finding.verdict for finding in probe.findings] == [Verdict.GOOD] * 3
    assert (probe.works, probe.mode, probe.window) == (True, JsonMode.SCHEMA, 16_384)
    assert probe.seconds > 0
    assert "takes in 16,384 tokens at once; 8,192 of them are used here" in said(probe)
    assert server.calls == 2


def test_a_schema_that_is_accepted_and_ignored_is_found_out() -> None:
    with ScriptedServer(follows_words) as server:
        probe = probed(server)
    assert probe.works
    assert probe.mode is JsonMode.WORDS
    assert "held by words alone" in said(probe)


def test_a_server_that_knows_only_json_objects_is_found_out() -> None:
    def no_schemas(_: int, body: Body) -> Fault | None:
        kind = (body.get("response_format") or {}).get("type")
        return Fault(status=400, error={"message": "response_format: json_schema"}) if kind == "json_schema" else None

    with ScriptedServer(obedient, no_schemas) as server:
        probe = probed(server)
    assert probe.mode is JsonMode.OBJECT
    assert "held only to be JSON" in said(probe)


def test_nobody_at_the_address_is_said_with_what_to_do() -> None:
    with ScriptedServer(obedient) as server:
        pass
    probe = probed(server)
    assert not probe.works
    assert "Nobody listens at" in said(probe)
    assert "Start the model server there" in said(probe)


def test_a_refused_key_is_said_with_what_to_do() -> None:
    with ScriptedServer(obedient, key="sk-right") as server:
        assert "wants a key and none is set. Enter one" in said(probed(server))
        assert "does not accept the key. Copy it again" in said(probed(server, key="sk-wrong"))
        assert probed(server, key="sk-right").works


def test_a_model_that_is_not_there_is_answered_with_names() -> None:
    fault = Fault(status=404, error={"message": "The model `scriptd` does not exist."})
    with ScriptedServer(obedient, {1: fault}) as server:
        probe = probed(server, model="scriptd")
    assert not probe.works
    assert "has no model 'scriptd'. It has: scripted." in said(probe)


@pytest.mark.parametrize(
    ("listed", "extra", "window"),
    [
        ({"max_model_len": 32_768}, {}, 32_768),
        ({"meta": {"n_ctx": 4096, "n_ctx_train": 32_768}}, {}, 4096),
        ({"context_length": 200_000, "top_provider": {"context_length": 131_072}}, {}, 131_072),
        ({}, {"GET /props": {"default_generation_settings": {"n_ctx": 6144}}}, 6144),
        (
            {},
            {
                "GET /api/v1/models": {
                    "models": [{"key": "scripted", "loaded_instances": [{"config": {"context_length": 12_288}}]}]
                }
            },
            12_288,
        ),
        ({}, {"GET /api/ps": {"models": [{"name": "scripted:latest", "context_length": 40_960}]}}, 40_960),
        ({}, {"GET /api/ps": {"models": []}, "POST /api/show": {"parameters": "num_ctx    16384"}}, 16_384),
        ({}, {}, None),
    ],
    ids=["vLLM", "llama.cpp", "OpenRouter", "llama.cpp props", "LM Studio", "Ollama", "Ollama Modelfile", "unsaid"],
)
def test_the_context_window_is_found_where_each_server_tells_it(
    listed: dict[str, Any], extra: dict[str, Any], window: int | None
) -> None:
    models = [{"id": "scripted", **listed}, {"id": "other", "max_model_len": 1}]
    with ScriptedServer(obedient, models=models, extra=extra) as server:
        assert probed(server).window == window


def test_a_window_larger_than_the_servers_is_noted() -> None:
    with ScriptedServer(obedient) as server:
        probe = probed(server, window=100_000)
    assert probe.works
    assert probe.findings[-1].verdict is Verdict.NOTE
    assert "takes in 16,384 tokens at once, not 100,000. Set its context window to that." in probe.findings[-1].text


@pytest.mark.parametrize("loaded", [[], [{"name": "scripted", "context_length": 4096}]])
def test_ollamas_silent_cutting_is_warned_of(loaded: list[dict[str, Any]]) -> None:
    extra = {"GET /api/ps": {"models": loaded}, "POST /api/show": {"parameters": ""}}
    with ScriptedServer(obedient, models=[{"id": "scripted"}], extra=extra) as server:
        last = probed(server, window=8192).findings[-1]
    assert last.verdict is Verdict.NOTE
    assert "cuts longer texts without a word" in last.text
    assert "OLLAMA_CONTEXT_LENGTH set to 8,192 or more" in last.text


def test_a_server_that_counts_nothing_is_noted() -> None:
    with ScriptedServer(obedient, lambda *_: Fault(usage={})) as server:
        assert "figures will be estimates" in said(probed(server))


def test_a_model_that_thinks_first_still_passes() -> None:
    def thinks(_: int, body: Body) -> Fault | None:
        if body["max_tokens"] < 100:
            return Fault(text="<think>The user wants", finish="length")
        return None

    with ScriptedServer(obedient, thinks) as server:
        probe = probed(server)
    assert probe.works
    assert probe.mode is JsonMode.SCHEMA


def test_an_address_elsewhere_is_asked_for_nothing_but_its_list() -> None:
    with ScriptedServer(obedient, models=[{"id": "scripted"}]) as server:
        remote = replace(endpoint_for("scripted", server.url), local=False)
        assert probe_connection(remote, "").works
        assert set(server.paths) == {"POST /v1/chat/completions", "GET /v1/models"}
