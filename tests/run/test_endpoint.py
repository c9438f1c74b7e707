"""Whole runs over HTTP against servers that often say no: they end, and no document is lost."""

import json
import random
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from r3con_core.exchange import Prompt, Reply, Stage
from r3con_core.jobs import ModelChoice, RunChoices, create_run
from r3con_core.models import connect
from r3con_core.run import carry
from r3con_core.runs import RunState
from r3con_core.stages import Models
from r3con_core.store import runs as run_rows
from r3con_core.store.answers import load_answer
from r3con_core.store.calls import list_calls
from r3con_core.store.documents import LedgerEntry, add_documents
from r3con_core.store.project import Project, create_project
from r3con_core.store.snippets import load_context, load_unread
from tests.fakes import carry_scripted, harbour_project, start_harbour_run, text_document
from tests.scripted_server import Body, Fault, ScriptedServer

SIMULATOR = Path(__file__).parents[2].parent / "shared" / "tools" / "sim_server.py"
"""Beside the repository where figures are measured; not part of it."""


def lost(project: Project, run_id: str, rounds: int) -> list[str]:
    """Why documents gave nothing, at any stage."""
    unread = [load_unread(project, run_id, Stage.RELEVANCE, number) for number in range(1, rounds + 1)]
    return [each.reason for stage in (*unread, load_unread(project, run_id, Stage.PARSING)) for each in stage]


def test_every_fifth_call_refused_loses_no_document(tmp_path: Path) -> None:
    def limits(number: int, _: Body) -> Fault | None:
        return Fault(status=429, headers={"Retry-After": "2"}) if number % 5 == 0 else None

    project, naps = harbour_project(tmp_path), list[float]()
    with ScriptedServer(faults=limits) as server:
        choice = ModelChoice(model="scripted", base_url=server.url, window=16_384, workers=4)
        model = connect(choice.endpoint(), "", sleep=naps.append)
        run_id = start_harbour_run(project, straight_through=True)
        assert carry_scripted(project, run_id, model, workers=4) is RunState.DONE
        model.close()
    answer = load_answer(project, run_id)
    assert answer is not None
    assert answer.text.startswith("The Petrel landed 85 cases")
    assert lost(project, run_id, rounds=2) == []
    refused = server.calls // 5
    assert refused >= 8
    assert len(list_calls(project, run_id)) == server.calls - refused == 35
    assert sum(naps) >= 2 * refused


def test_three_calls_in_ten_that_fail_at_random_lose_no_document_and_repeat_no_reply(tmp_path: Path) -> None:
    chance, lock, failed = random.Random(4), threading.Lock(), list[int]()

    def fails(number: int, _: Body) -> Fault | None:
        with lock:
            if chance.random() >= 0.3:
                return None
            failed.append(number)
            return chance.choice([Fault(status=429), Fault(status=503), Fault(dropped=True), Fault(cut=True)])

    project = harbour_project(tmp_path)
    with ScriptedServer(faults=fails) as server:
        choice = ModelChoice(model="scripted", base_url=server.url, window=16_384, workers=4)
        model = connect(choice.endpoint(), "", sleep=lambda _: None)
        run_id = start_harbour_run(project, straight_through=True)
        assert carry_scripted(project, run_id, model, workers=4) is RunState.DONE
        model.close()
    answer = load_answer(project, run_id)
    assert answer is not None
    assert answer.text.startswith("The Petrel landed 85 cases")
    assert lost(project, run_id, rounds=2) == []
    assert len(failed) >= 10
    assert len(list_calls(project, run_id)) == server.calls - len(failed) == 35


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _stats(port: int) -> dict[str, Any] | None:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/stats", timeout=5) as told:
            return dict(json.load(told))
    except OSError:
        return None


@contextmanager
def simulator(*options: str) -> Iterator[int]:
    """The simulated server in its own process, once it answers; its port."""
    port = _free_port()
    command = [sys.executable, str(SIMULATOR), "--port", str(port), "--latency", "0.01", *options]
    server = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 30
        while _stats(port) is None:
            assert server.poll() is None, "the simulator ended"
            assert time.monotonic() < until, "the simulator did not start"
            time.sleep(0.05)
        yield port
    finally:
        server.terminate()
        server.wait(10)


def forty_memos(root: Path) -> Project:
    project = create_project(root, "Memos")
    documents = tuple(
        text_document(
            f"Memo {n} of the harbour office. In the night of {n % 28 + 1} March 1931 the launch Gull landed {n} cases "
            f"at quay {n % 4}. The watchman on duty was number {n % 7}.",
            path=f"memo{n:02}.txt",
        )
        for n in range(1, 41)
    )
    lines = [LedgerEntry(path=d.source.path, outcome="read", reason="", document_id=d.id) for d in documents]
    add_documents(project, documents, lines)
    return project


@pytest.mark.skipif(not SIMULATOR.exists(), reason="the simulated server is not beside this repository")
@pytest.mark.parametrize("trouble", ["--error-every", "--drop-every"])
def test_forty_documents_come_through_a_server_that_fails_every_fifth_call(tmp_path: Path, trouble: str) -> None:
    project = forty_memos(tmp_path)
    with simulator(trouble, "5") as port:
        choice = ModelChoice(model="sim", base_url=f"http://127.0.0.1:{port}/v1", window=16_384, workers=8)
        run_id = create_run(
            project, "How many cases were landed?", RunChoices(reading=choice, rounds=2, straight_through=True)
        ).id
        model = connect(choice.endpoint(), "", sleep=lambda seconds: time.sleep(seconds / 100))
        asked: list[Prompt] = []

        def ask(prompt: Prompt) -> Reply:
            asked.append(prompt)
            return model(prompt)

        assert run_rows.claim_run(project, run_id, pid=1)
        assert carry(project, run_id, Models(reading=ask, reasoning=ask, workers=8)) is RunState.DONE
        model.close()
        stats = _stats(port)
    assert stats is not None
    assert stats["errors"] >= 20
    assert stats["calls"] - stats["errors"] == len(asked)
    assert lost(project, run_id, rounds=2) == []
    ids = run_rows.load_run(project, run_id).document_ids
    assert [len(found.snippets) for found in load_context(project, run_id, ids).rounds] == [40, 40]
