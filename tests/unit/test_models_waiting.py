"""How fast an endpoint is asked: rate limits are kept to by all threads, and what fails at random is not lost."""

import random
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from r3con_core.errors import BusyError, LimitReachedError, StoppedError, WindowExceededError
from r3con_core.exchange import Message, Prompt
from tests.asking import PROMPT, opened, refused, says
from tests.scripted_server import Body, Fault, ScriptedServer


def numbered(number: int) -> Prompt:
    return replace(PROMPT, messages=(Message(role="user", pieces=(f"Call {number}.",)),))


@pytest.mark.parametrize(
    ("fault", "seconds"),
    [
        (Fault(status=429, headers={"Retry-After": "7"}), 7.0),
        (Fault(status=429, headers={"retry-after-ms": "1500"}), 1.5),
        (
            Fault(
                status=503,
                headers={"Retry-After": "Mon, 30 Nov 2026 12:00:09 GMT", "Date": "Mon, 30 Nov 2026 12:00:00 GMT"},
            ),
            9.0,
        ),
        (Fault(status=429, error={"message": "Rate limit reached. Please try again in 1m2.5s. Visit us."}), 62.5),
        (Fault(status=429, error={"message": "Limit 3 per second. Please try again in 340ms."}), 0.34),
        (Fault(status=429, error={"message": "Resource exhausted. Please retry in 34.07s."}), 34.07),
    ],
    ids=["seconds", "milliseconds", "date", "OpenAI", "OpenAI soon", "Gemini"],
)
def test_the_wait_a_server_asks_for_is_kept_to(fault: Fault, seconds: float) -> None:
    with ScriptedServer(says("12"), {1: fault}) as server, opened(server) as (model, naps):
        model(PROMPT)
    assert seconds <= sum(naps) <= seconds + 0.06


def test_a_limit_that_is_reached_ends_the_waits_for_a_busy_server() -> None:
    naps: list[float] = []

    def may_send() -> None:
        if naps:
            raise LimitReachedError("2", "1 token")

    busy = Fault(status=429, headers={"Retry-After": "90"})
    with (
        ScriptedServer(says("12"), lambda *_: busy) as server,
        opened(server, may_send=may_send, sleep=naps.append) as (model, _),
        pytest.raises(LimitReachedError),
    ):
        model(PROMPT)
    assert (server.calls, naps) == (1, [0.5])


def test_a_date_without_a_zone_is_not_believed() -> None:
    headers = {"Retry-After": "Mon, 30 Nov 2026 12:00:09 -0000", "Date": "Mon, 30 Nov 2026 12:00:00 GMT"}
    with ScriptedServer(says("12"), {1: Fault(status=429, headers=headers)}) as s, opened(s) as (model, naps):
        assert model(PROMPT).text == "12"
    assert sum(naps) == 0.5


def test_no_thread_sends_before_the_moment_that_one_of_them_was_told() -> None:
    sleepers, calls = set[int](), list[int]()
    lock, told, all_wait = threading.Lock(), threading.Event(), threading.Event()

    def sleep(_: float) -> None:
        with lock:
            sleepers.add(threading.get_ident())
            if len(sleepers) == 9 and not all_wait.is_set():
                calls.append(server.calls)
                all_wait.set()
        told.set()
        assert all_wait.wait(30)

    with (
        ScriptedServer(says("12"), {1: Fault(status=429, headers={"Retry-After": "30"})}) as server,
        opened(server, sleep=sleep, local=False, workers=8) as (model, _),
        ThreadPoolExecutor(9) as pool,
    ):
        first = pool.submit(model, PROMPT)
        assert told.wait(30)
        others = list(pool.map(model, [PROMPT] * 8))
        assert [reply.text for reply in (*others, first.result())] == ["12"] * 9
    assert calls == [1]
    assert server.calls == 10


def test_other_troubles_hold_up_only_the_call_that_met_them() -> None:
    met, over = threading.Event(), threading.Event()

    def waits(_: float) -> None:
        met.set()
        over.wait(30)

    faults = {1: Fault(status=500, headers={"Retry-After": "30"})}
    with ScriptedServer(says("12"), faults) as server, opened(server, sleep=waits) as (model, _):
        first = threading.Thread(target=model, args=(PROMPT,))
        first.start()
        assert met.wait(30)
        assert model(PROMPT).text == "12"
        assert server.calls == 2
        over.set()
        first.join()
    assert server.calls == 3


def test_calls_at_once_come_back_by_an_eighth_of_them_a_turn() -> None:
    with ScriptedServer(says("12"), {1: Fault(status=429)}) as server, opened(server, workers=64) as (model, _):
        model(PROMPT)
        assert model.at_once == 32
        for _ in range(31):
            model(PROMPT)
        assert model.at_once == 36


def test_a_burst_of_refusals_halves_once_and_tries_again_keep_to_it() -> None:
    lock, refusing, half = threading.Lock(), threading.Barrier(8), threading.Barrier(4)
    busy = most = 0

    def judge(number: int, _: Body) -> Fault | None:
        if number > 8:
            return None
        refusing.wait(30)
        return Fault(status=429)

    def answer(_messages: object, _format: object) -> str:
        nonlocal busy, most
        with lock:
            busy += 1
            most = max(most, busy)
        half.wait(30)
        with lock:
            busy -= 1
        return "12"

    with (
        ScriptedServer(answer, judge) as server,
        opened(server, workers=8) as (model, _),
        ThreadPoolExecutor(8) as pool,
    ):
        assert [reply.text for reply in pool.map(model, [PROMPT] * 8)] == ["12"] * 8
    assert most <= 5  # four, and the one that four good replies brought back


def test_where_three_calls_in_ten_fail_none_is_lost_and_none_paid_twice() -> None:
    chance, lock = random.Random(7), threading.Lock()
    answered = Counter[str]()

    def fails(_: int, body: Body) -> Fault | None:
        with lock:
            kind = chance.choice([Fault(status=429), Fault(status=503), Fault(dropped=True)])
            if chance.random() < 0.3:
                return kind
            answered[body["messages"][0]["content"]] += 1
        return None

    with (
        ScriptedServer(says("12"), fails) as server,
        opened(server, local=False, workers=16) as (model, _),
        ThreadPoolExecutor(16) as pool,
    ):
        replies = list(pool.map(model, map(numbered, range(300))))
    assert [reply.text for reply in replies] == ["12"] * 300
    assert answered == {f"Call {number}.": 1 for number in range(300)}
    assert server.calls > 390


def test_a_server_that_asks_for_minutes_each_time_is_given_up_after_ten() -> None:
    fault = Fault(status=429, headers={"Retry-After": "120"})
    with (
        ScriptedServer(says("12"), lambda *_: fault) as server,
        opened(server) as (model, naps),
        pytest.raises(BusyError, match=r"asks for fewer calls \(HTTP 429\) after 5 tries"),
    ):
        model(PROMPT)
    assert 480 <= sum(naps) < 500


@pytest.mark.parametrize("status", [413, 429])
def test_what_is_more_than_a_minute_allows_is_not_waited_for(status: int) -> None:
    said = "Request too large for big-model on tokens per min (TPM): Limit 30000, Requested 41000."
    error = refused(Fault(status=status, error={"message": said}), sleep=lambda _: pytest.fail("waited"))
    assert isinstance(error, WindowExceededError)
    assert error.window == 30_000


def test_hanging_up_ends_calls_that_wait_for_a_silent_server() -> None:
    stop, arrived, gate = False, threading.Event(), threading.Event()
    ended: list[Any] = []

    def silent(_messages: object, _format: object) -> str:
        arrived.set()
        gate.wait(60)
        return "12"

    with ScriptedServer(silent) as server, opened(server, local=False, should_stop=lambda: stop) as (model, _):

        def ask() -> None:
            with pytest.raises(StoppedError) as caught:
                model(PROMPT)
            ended.append(caught.value)

        asking = threading.Thread(target=ask)
        asking.start()
        assert arrived.wait(30)
        stop = True
        model.hang_up()
        asking.join(20)
        gate.set()
    assert len(ended) == 1
