"""A model over HTTP: what is retried, what is learnt, what is said; against a real server on this computer."""

import itertools
import json
import socket
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest

from r3con_core.errors import BusyError, EndpointError, RefusedError, StoppedError, WindowExceededError
from r3con_core.exchange import Finish, Usage
from r3con_core.models import JsonMode, connect, endpoint_for, line
from tests.asking import PROMPT, SHAPED, opened, refused, says
from tests.scripted_server import Body, Fault, ScriptedServer

LIMITED = Fault(status=429, headers={"Retry-After": "7"})
BROKEN = Fault(status=503)
STREAMED_OR_WHOLE = pytest.mark.parametrize("local", [True, False], ids=["streamed", "whole"])


@STREAMED_OR_WHOLE
def test_a_reply_is_text_usage_and_the_models_own_name(local: bool) -> None:
    with ScriptedServer(says("12 cases")) as server, opened(server, local=local) as (model, _):
        first, second = model(PROMPT), model(PROMPT)
    assert (first.text, first.finish, first.model) == ("12 cases", Finish.COMPLETE, "scripted")
    assert first.usage == Usage(prompt=12, cached=0, output=2)
    assert second.usage == Usage(prompt=12, cached=12, output=2)
    assert server.requests[0].get("stream", False) is local


def test_a_server_that_counts_nothing_gets_estimates_marked_as_such() -> None:
    with ScriptedServer(says("12 cases"), {1: Fault(usage={})}) as server, opened(server, local=False) as (model, _):
        usage = model(PROMPT).usage
    assert not usage.counted
    assert usage.prompt > 0


@STREAMED_OR_WHOLE
def test_what_passes_is_retried_and_retry_after_is_kept_to(local: bool) -> None:
    faults = {1: LIMITED, 2: BROKEN, 3: Fault(dropped=True), 4: Fault(html="<html>Bad gateway</html>", status=502)}
    with ScriptedServer(says("12"), faults) as server, opened(server, local=local) as (model, naps):
        assert model(PROMPT).text == "12"
    assert server.calls == 5
    assert 7.0 <= sum(naps) <= 7.0 + 0.5 + 1 + 2 + 4


def test_a_stream_cut_in_its_middle_is_asked_again() -> None:
    with ScriptedServer(says("12 cases"), {1: Fault(cut=True)}) as server, opened(server) as (model, _):
        assert model(PROMPT).text == "12 cases"
    assert server.calls == 2


def test_backoff_grows_to_twenty_seconds_and_tries_end_at_sixteen() -> None:
    with ScriptedServer(says("12"), lambda *_: BROKEN) as server, opened(server) as (model, naps):
        with pytest.raises(BusyError, match=r"This computer still fails \(HTTP 503\) after 16 tries\. Wait"):
            model(PROMPT)
        assert server.calls == 16
    assert sum(naps) == 0.5 + 1 + 2 + 4 + 8 + 16 + 9 * 20


def test_an_hour_of_retry_after_is_cut_to_two_minutes() -> None:
    hour = Fault(status=429, headers={"Retry-After": "3600"})
    with ScriptedServer(says("12"), {1: hour}) as server, opened(server) as (model, naps):
        model(PROMPT)
    assert 120 <= sum(naps) < 121


def test_too_many_requests_halve_the_calls_at_once_and_good_ones_bring_them_back() -> None:
    with ScriptedServer(says("12"), {1: LIMITED}) as server, opened(server) as (model, _):
        assert model.at_once == 4
        model(PROMPT)
        assert model.at_once == 2
        for _ in range(10):
            model(PROMPT)
        assert model.at_once == 4


def test_calls_at_once_stay_within_the_endpoints_workers() -> None:
    busy = most = 0
    lock, both = threading.Lock(), threading.Barrier(4)

    def answer(_messages: object, _format: object) -> str:
        nonlocal busy, most
        with lock:
            busy += 1
            most = max(most, busy)
        both.wait(5)
        with lock:
            busy -= 1
        return "12"

    with ScriptedServer(answer) as server, opened(server) as (model, _), ThreadPoolExecutor(12) as pool:
        assert [reply.text for reply in pool.map(model, [PROMPT] * 12)] == ["12"] * 12
    assert most == 4


@STREAMED_OR_WHOLE
def test_a_web_page_instead_of_json_is_called_a_wrong_address(local: bool) -> None:
    error = refused(Fault(html="<!doctype html><html>Welcome</html>"), local=local)
    assert isinstance(error, EndpointError)
    assert "answers with a web page" in str(error)
    assert "/v1" in str(error)


def test_a_redirect_is_not_followed_and_named() -> None:
    error = refused(Fault(status=307, headers={"Location": "https://elsewhere.example/v1"}))
    assert "redirects to https://elsewhere.example/v1. Set that as the address if you trust it." in str(error)


def test_a_wrong_key_and_no_key_are_told_apart_and_the_key_is_in_no_message() -> None:
    with ScriptedServer(says("12"), key="sk-right") as server:
        for key, said in (("sk-wrong", "does not accept the key"), ("", "wants a key and none is set")):
            with opened(server, key=key) as (model, _), pytest.raises(EndpointError, match=said):
                model(PROMPT)
        with opened(server, key=" sk-right\n") as (model, _):
            assert model(PROMPT).text == "12"
            assert "sk-right" not in repr(model)
        assert server.calls == 1
    echoed = refused(Fault(status=400, error={"message": "bad header Bearer sk-echo"}), key="sk-echo")
    assert "sk-echo" not in str(echoed)
    assert "[key]" in str(echoed)


@pytest.mark.parametrize("key", ["sk two", "sk-schlüssel"])
def test_a_key_that_can_be_none_is_refused_before_any_call(key: str) -> None:
    with pytest.raises(EndpointError, match="Copy it again, whole"):
        connect(endpoint_for("m", "http://127.0.0.1:9"), key)


def test_a_missing_model_is_answered_with_the_names_there_are() -> None:
    fault = Fault(status=404, error={"message": "model 'quen3' not found", "code": "model_not_found"})
    models = [{"id": "qwen3:8b"}, {"id": "gemma3:4b"}]
    with ScriptedServer(says(""), {1: fault}, models=models) as server, opened(server, model="quen3:8b") as (model, _):
        with pytest.raises(EndpointError, match=r"has no model 'quen3:8b'\. It has: qwen3:8b, gemma3:4b\."):
            model(PROMPT)
        assert model.list_models() == ["gemma3:4b", "qwen3:8b"]


def test_an_address_without_a_model_says_that_v1_may_be_missing() -> None:
    with ScriptedServer() as server:
        model = connect(endpoint_for("scripted", server.url.replace("/v1", "/v7")), "")
        with pytest.raises(EndpointError, match=r"Nothing that talks like a model .* often ends in /v1"):
            model(PROMPT)
        model.close()


def test_where_nobody_listens_the_first_call_says_so_at_once() -> None:
    with ScriptedServer(says("12")) as server:
        url = server.url
    model = connect(endpoint_for("scripted", url), "", sleep=lambda _: pytest.fail("waited"))
    with pytest.raises(EndpointError, match=r"Nobody listens at 127\.0\.0\.1:\d+\. Start the model server there"):
        model(PROMPT)
    model.close()


def test_an_address_that_takes_no_connection_is_not_called_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line, "_CONNECT_SECONDS", 0.2)
    with socket.socket() as deaf, ExitStack() as callers:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(0)
        for _ in range(4):  # more than its queue holds
            caller = callers.enter_context(socket.socket())
            caller.setblocking(False)
            caller.connect_ex(deaf.getsockname())
        model = connect(endpoint_for("m", f"http://127.0.0.1:{deaf.getsockname()[1]}"), "")
        with pytest.raises(EndpointError, match=r"cannot be reached \(no connection in time\)\. Check the address"):
            model(PROMPT)
        model.close()


@pytest.mark.parametrize("body", [[], {"choices": [None]}, {"choices": "none"}, {"choices": []}, 5])
def test_json_that_is_no_reply_is_tried_again_and_then_said(body: object) -> None:
    with (
        ScriptedServer(says(""), lambda *_: Fault(raw=json.dumps(body))) as server,
        opened(server, local=False) as (model, _),
        pytest.raises(BusyError, match=r"still fails \(the response holds no reply\) after 16 tries"),
    ):
        model(PROMPT)


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": "many", "completion_tokens": 2},
        {"prompt_tokens": None},
        {"prompt_tokens": float("inf"), "completion_tokens": 2},
        {"prompt_tokens": 12, "completion_tokens": 10**30},
        {"prompt_tokens": -12, "completion_tokens": 2},
    ],
)
def test_a_count_that_counts_nothing_is_estimated(usage: dict[str, object]) -> None:
    with ScriptedServer(says("12"), {1: Fault(usage=usage)}) as server, opened(server, local=False) as (model, _):
        assert not model(PROMPT).usage.counted


@pytest.mark.parametrize("odd", [True, 5, float("nan"), ["x"]])
@STREAMED_OR_WHOLE
def test_a_refusal_that_is_no_text_is_none(odd: Any, local: bool) -> None:
    fault = Fault(text="12", notes={"refusal": odd})
    with ScriptedServer(says(""), {1: fault}) as server, opened(server, local=local) as (model, _):
        assert model(PROMPT).text == "12"


def test_halves_of_letters_are_joined_or_replaced() -> None:
    body = {
        "model": "m\ud83d",
        "choices": [{"message": {"content": "a \ud83d\ude00 \ud83d."}, "finish_reason": "stop"}],
    }
    fault = Fault(raw=json.dumps(body).replace("\U0001f600", "\\ud83d\\ude00"))
    with ScriptedServer(says(""), {1: fault}) as server, opened(server, local=False) as (model, _):
        reply = model(PROMPT)
    assert (reply.text, reply.model) == ("a \U0001f600 \ufffd.", "m\ufffd")


@pytest.mark.parametrize("odd", [True, 10**30, float("nan"), ["x"]])
def test_a_name_or_an_ending_that_is_no_text_is_as_if_not_told(odd: object) -> None:
    body = {"model": odd, "choices": [{"message": {"content": "12"}, "finish_reason": odd}]}
    fault = Fault(raw=json.dumps(body))
    with ScriptedServer(says(""), {1: fault}) as server, opened(server, local=False) as (model, _):
        reply = model(PROMPT)
    assert (reply.text, reply.model, reply.finish) == ("12", "scripted", Finish.COMPLETE)


def test_a_server_that_was_there_once_is_waited_for() -> None:
    with ScriptedServer(says("12")) as first:
        model = connect(endpoint_for("scripted", first.url), "", sleep=lambda _: starts_again())
        model(PROMPT)
        first.hang_up()
    naps = 0
    with ExitStack() as until_the_end:

        def starts_again() -> None:
            nonlocal naps
            naps += 1
            if naps == 3:
                until_the_end.enter_context(ScriptedServer(says("13"), port=first.port))

        assert model(PROMPT).text == "13"
        model.close()


@pytest.mark.parametrize(
    ("fault", "window"),
    [
        (Fault(status=400, error={"message": "too long", "type": "exceed_context_size_error", "n_ctx": 4096}), 4096),
        (
            Fault(
                status=400,
                error={"message": "This model's maximum context length is 8192 tokens. You requested 9000 tokens."},
            ),
            8192,
        ),
        (Fault(status=400, error={"message": "Input rejected", "code": "context_length_exceeded"}), None),
        (Fault(status=413), None),
    ],
    ids=["llama.cpp", "vLLM", "OpenAI", "proxy"],
)
def test_text_too_long_for_the_model_is_its_own_error(fault: Fault, window: int | None) -> None:
    error = refused(fault, SHAPED)
    assert isinstance(error, WindowExceededError)
    assert error.window == window


@pytest.mark.parametrize(
    "fault",
    [
        Fault(finish="content_filter"),
        Fault(text="", notes={"refusal": "I cannot help with that."}),
        Fault(status=400, error={"message": "The response was filtered", "code": "content_filter"}),
    ],
    ids=["finish", "refusal", "status"],
)
@STREAMED_OR_WHOLE
def test_a_refusal_is_its_own_error_and_not_asked_again(fault: Fault, local: bool) -> None:
    assert isinstance(refused(fault, local=local), RefusedError)


def test_an_account_without_credit_is_not_asked_again() -> None:
    with (
        ScriptedServer(
            says(""), lambda *_: Fault(status=429, error={"message": "x", "code": "insufficient_quota"})
        ) as s,
        opened(s) as (model, naps),
        pytest.raises(EndpointError, match="no credit left"),
    ):
        model(PROMPT)
    assert (s.calls, naps) == (1, [])


@STREAMED_OR_WHOLE
def test_a_reply_at_its_limit_is_cut_off(local: bool) -> None:
    with (
        ScriptedServer(says("12 ca"), {1: Fault(finish="length")}) as server,
        opened(server, local=local) as (model, _),
    ):
        assert model(PROMPT).finish is Finish.CUT_OFF


@pytest.mark.parametrize(
    ("fault", "text", "thinking"),
    [
        (Fault(text="12", notes={"reasoning_content": "let me count"}), "12", "let me count"),
        (Fault(text="12", notes={"reasoning": "let me count"}), "12", "let me count"),
        (Fault(text="<think>\nlet me count\n</think>\n\n12"), "12", "let me count"),
        (Fault(text="let me count</think>12"), "12", "let me count"),
        (Fault(text="12 <think> is a tag"), "12 <think> is a tag", ""),
        (Fault(text="<think>let me count", finish="length"), "", "let me count"),
    ],
)
@STREAMED_OR_WHOLE
def test_a_models_notes_are_kept_apart_from_its_reply(fault: Fault, text: str, thinking: str, local: bool) -> None:
    with ScriptedServer(says(""), lambda *_: fault) as server, opened(server, local=local) as (model, _):
        reply = model(PROMPT)
    assert (reply.text, reply.thinking) == (text, thinking)


def test_a_model_that_thinks_is_given_room_for_it() -> None:
    with ScriptedServer(says("12"), {1: Fault(text="<think>hm", finish="length")}) as server:
        with opened(server) as (model, _):
            reply = model(PROMPT)
        assert reply.text == "12"
        assert [body["max_tokens"] for body in server.requests] == [100, 400]


def test_an_empty_reply_is_asked_for_three_times_and_all_tokens_count() -> None:
    with ScriptedServer(says("")) as server, opened(server) as (model, _):
        reply = model(PROMPT)
    assert (reply.text, server.calls, reply.usage.prompt) == ("", 3, 36)


def strict(*names: str) -> Callable[[int, Body], Fault | None]:
    """Refuses every body that holds one of these fields, as OpenAI words it."""

    def judge(_: int, body: Body) -> Fault | None:
        for name in names:
            if name in body:
                error = {"message": f"Unsupported parameter: '{name}'", "param": name, "code": "unsupported_parameter"}
                return Fault(status=400, error=error)
        return None

    return judge


def test_what_an_endpoint_refuses_is_left_out_once_learnt() -> None:
    picky = strict("max_tokens", "temperature", "return_progress", "stream_options")
    with ScriptedServer(says("12"), picky) as server, opened(server) as (model, naps):
        assert [model(PROMPT).text, model(PROMPT).text] == ["12", "12"]
    assert server.calls == 6
    assert naps == []
    last = server.requests[-1]
    assert last["max_completion_tokens"] == 100
    assert not {"max_tokens", "temperature", "return_progress", "stream_options"} & set(last)


def test_a_reasoning_models_own_word_for_its_limit_gives_it_room() -> None:
    said = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    judge = lambda _, body: Fault(status=400, error={"message": said}) if "max_tokens" in body else None  # noqa: E731
    with ScriptedServer(says("12"), judge) as server, opened(server, local=False) as (model, _):
        model(PROMPT)
    assert server.requests[-1]["max_completion_tokens"] == 400


def formats(server: ScriptedServer) -> list[str]:
    return [(body.get("response_format") or {}).get("type", "") for body in server.requests]


def test_the_shape_is_asked_for_ever_more_loosely_and_what_works_is_remembered() -> None:
    with ScriptedServer(says('{"cases": 12}'), strict("response_format")) as server, opened(server) as (model, _):
        model(SHAPED)
        assert model.mode is JsonMode.WORDS
        model(SHAPED)
        assert formats(server) == ["json_schema", "json_object", "", ""]
    assert "Answer with one JSON object" in server.requests[-1]["messages"][-1]["content"]
    assert "Answer with one JSON object" not in server.requests[0]["messages"][-1]["content"]


def test_a_shape_that_is_ignored_twice_is_asked_for_in_words_as_well() -> None:
    with ScriptedServer(says("Twelve cases.")) as server, opened(server) as (model, _):
        for _ in range(3):
            model(SHAPED)
        assert model.mode is JsonMode.OBJECT
        assert formats(server) == ["json_schema", "json_schema", "json_object"]


def test_threads_that_learn_the_same_thing_at_once_learn_it_once() -> None:
    together = threading.Barrier(4)

    def no_schemas(_: int, body: Body) -> Fault | None:
        if body["response_format"]["type"] != "json_schema":
            return None
        together.wait(5)
        return Fault(status=400, error={"message": "response_format json_schema is not known here"})

    with ScriptedServer(says('{"cases": 12}'), no_schemas) as server, opened(server) as (model, _):
        with ThreadPoolExecutor(4) as pool:
            assert len(list(pool.map(model, [SHAPED] * 4))) == 4
        assert model.mode is JsonMode.OBJECT


def test_an_unknown_complaint_is_quoted_and_not_tried_again() -> None:
    error = refused(Fault(status=400, error={"message": "logit bias out of range"}))
    assert isinstance(error, EndpointError)
    assert "HTTP 400: logit bias out of range" in str(error)


def test_a_stop_takes_effect_between_two_pieces_of_a_reply() -> None:
    looks, seconds = iter([False] * 4), itertools.count()
    with (
        ScriptedServer(says("12 cases at Lime Quay")) as server,
        opened(server, should_stop=lambda: next(looks, True), clock=lambda: float(next(seconds))) as (model, _),
        pytest.raises(StoppedError),
    ):
        model(PROMPT)
    assert server.calls == 1


def test_a_stop_ends_a_wait_for_a_busy_server() -> None:
    naps: list[float] = []
    with (
        ScriptedServer(says("12"), {1: Fault(status=429, headers={"Retry-After": "100"})}) as server,
        opened(server, sleep=naps.append, should_stop=lambda: len(naps) >= 2) as (model, _),
        pytest.raises(StoppedError),
    ):
        model(PROMPT)
    assert naps == [0.5, 0.5]


def test_a_silent_server_is_asked_three_times_and_then_named() -> None:
    gate = threading.Event()

    def never(_messages: object, _format: object) -> str:
        gate.wait(10)
        return ""

    with ScriptedServer(never) as server:
        endpoint = replace(endpoint_for("scripted", server.url), timeout=0.1)
        model = connect(endpoint, "", sleep=lambda _: None)
        with pytest.raises(BusyError, match="sent nothing for 0 seconds, 3 times"):
            model(PROMPT)
        model.close()
        gate.set()
    assert server.calls == 3


def test_other_programs_settings_reach_no_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with ScriptedServer(says("12")) as server, opened(server) as (model, _):
        model(PROMPT)
        sent = str(server.headers)
    assert "secret" not in sent
