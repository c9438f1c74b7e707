"""Servers that say the key back: in replies, names, refusals, whole and in part; nothing of it is kept or told."""

import json
import traceback

import pytest

from r3con_core.exchange import Message, Prompt, Stage
from tests.asking import PROMPT, opened, refused, says
from tests.scripted_server import Fault, ScriptedServer

STREAMED_OR_WHOLE = pytest.mark.parametrize("local", [True, False], ids=["streamed", "whole"])
ECHOED = "sk-echoed-0123456789"


@STREAMED_OR_WHOLE
def test_a_reply_that_says_the_key_back_is_kept_without_it(local: bool) -> None:
    told = f"12, as Authorization: Bearer {ECHOED} says"
    notes = Fault(text=told, notes={"reasoning_content": f"key={ECHOED}"})
    with (
        ScriptedServer(says("12"), {1: notes}, key=ECHOED) as server,
        opened(server, key=ECHOED, local=local) as (model, _),
    ):
        reply = model(PROMPT)
    assert (reply.text, reply.thinking) == ("12, as Authorization: Bearer [key] says", "key=[key]")


def test_a_reply_may_quote_a_word_of_the_documents_that_happens_to_be_the_key() -> None:
    prompt = Prompt(stage=Stage.FOCUS, messages=(Message(role="user", pieces=("The word was harbour-1931.",)),))
    with ScriptedServer(says("harbour-1931")) as server, opened(server, key="harbour-1931") as (model, _):
        assert (model(prompt).text, model(PROMPT).text) == ("harbour-1931", "[key]")


def test_the_name_of_a_model_and_a_list_of_models_tell_no_key() -> None:
    choice = {"message": {"role": "assistant", "content": "12"}, "finish_reason": "stop"}
    named = Fault(raw=json.dumps({"model": f"of {ECHOED}", "choices": [choice]}))
    with (
        ScriptedServer(faults={1: named}, models=[{"id": f"m-{ECHOED}"}]) as server,
        opened(server, key=ECHOED) as (model, _),
    ):
        assert model(PROMPT).model == "of [key]"
        assert model.list_models() == ["m-[key]"]


@pytest.mark.parametrize("status", [307, 400, 403, 404, 418, 500])
def test_no_refusal_tells_the_key_or_a_part_of_it(status: int) -> None:
    cut = f"{'x' * 185} Bearer {ECHOED}"
    said = f"{ECHOED[:7]}******{ECHOED[-4:]} {cut} {'x' * 170} {ECHOED}"
    fault = Fault(
        status=status,
        headers={"Location": f"https://elsewhere.example/?key={ECHOED}", "retry-after-ms": "1"},
        error={"message": said, "code": f"bad {ECHOED}", "param": ECHOED},
    )
    error = refused(fault, key=ECHOED)
    shown = "".join(traceback.format_exception(error))
    for start in range(len(ECHOED) - 6):
        assert ECHOED[start : start + 7] not in shown
