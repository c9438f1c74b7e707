"""Runs in processes of their own, against a model over HTTP: ended, killed, stopped, misdirected, started twice."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from r3con_core.costs import known_of
from r3con_core.jobs import ModelChoice, RunChoices, create_run, raise_caps, reconcile, requeue, start_worker, stop
from r3con_core.models import host_and_port
from r3con_core.runs import Caps, Run, RunState
from r3con_core.store import runs as run_rows
from r3con_core.store.answers import load_answer
from r3con_core.store.calls import list_calls
from r3con_core.store.project import Project
from tests.fakes import harbour_project
from tests.harbour_script import QUESTION, answer_harbour
from tests.scripted_server import Fault, ScriptedServer

CALLS = 35
"""Of a whole harbour run; test_whole_run counts them by stage."""
PATIENCE = 60.0
pytestmark = pytest.mark.filterwarnings("ignore:subprocess .* is still running:ResourceWarning")  # that is the point


def wait_for(true: Callable[[], bool], what: str) -> None:
    until = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < until, f"waited in vain for {what}"
        time.sleep(0.02)


class Gate:
    """The harbour's answers, but the first reading of one document waits until the gate is opened."""

    def __init__(self, document: int = 5) -> None:
        self.mark = f"document>\nTitle: {document:02}"
        self.reached, self.open = threading.Event(), threading.Event()

    def __call__(self, messages: list[dict[str, Any]], response_format: dict[str, Any] | None) -> str:
        if self.mark in messages[1]["content"] and not self.open.is_set():
            self.reached.set()
            self.open.wait(PATIENCE)
        return answer_harbour(messages, response_format)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return harbour_project(tmp_path / "projects")


class Job:
    """One run and the processes started for it."""

    def __init__(self, project: Project, url: str, home: Path, caps: Caps, workers: int) -> None:
        self.choice = ModelChoice(model="scripted", base_url=url, window=16_384, workers=workers)
        self.project, self.home = project, home
        choices = RunChoices(reading=self.choice, straight_through=True, caps=caps)
        self.id = create_run(project, QUESTION, choices, home=home).id
        self.pids: list[int] = []

    def start(self, key: str = "") -> int:
        keys = {host_and_port(self.choice.base_url): key}
        self.pids.append(start_worker(self.project, self.id, home=self.home, keys=keys))
        return self.pids[-1]

    @property
    def run(self) -> Run:
        return run_rows.load_run(self.project, self.id)

    def state(self) -> RunState:
        return self.run.state

    @property
    def kept(self) -> int:
        """Calls whose replies are in the log."""
        return len(list_calls(self.project, self.id))

    def ends_in(self, state: RunState) -> Run:
        """The run once its last worker is gone; it must be in `state`."""
        wait_for(lambda: gone(self.pids[-1]), f"the worker's end, state {self.run.state.value}, {self.run.error}")
        assert self.run.state is state, (self.run.error, self.log)
        assert run_rows.holder(self.project, self.id)[0] is None
        return self.run

    @property
    def log(self) -> str:
        return (self.project.folder / f"{self.id}.log").read_text("utf-8")

    @property
    def answer(self) -> str:
        found = load_answer(self.project, self.id)
        return found.text if found else ""


def gone(pid: int) -> bool:
    """Whether our child `pid` has ended; it is collected then."""
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return True


@pytest.fixture
def begin(project: Project, tmp_path: Path) -> Iterator[Callable[..., Job]]:
    """Makes a run at an address; its processes are ended with the test, whatever happens."""
    jobs: list[Job] = []

    held = project

    def make(url: str, caps: Caps | None = None, project: Project | None = None, workers: int = 4) -> Job:
        jobs.append(Job(project or held, url, tmp_path / "home", caps or Caps(), workers))
        return jobs[-1]

    yield make
    for pid in (pid for job in jobs for pid in job.pids if not gone(pid)):
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


Begin = Callable[..., Job]


def test_a_worker_carries_its_run_to_the_answer_and_keeps_no_key(project: Project, begin: Begin) -> None:
    with ScriptedServer(key="sk-for-this-run") as server:
        job = begin(server.url)
        job.start(key="sk-for-this-run")
        assert job.ends_in(RunState.DONE).error == ""
    assert job.answer.startswith("The Petrel landed 85 cases")
    assert (server.calls, job.kept, job.log) == (CALLS, CALLS, "")
    for file in project.folder.iterdir():
        assert b"sk-for-this-run" not in file.read_bytes()


def test_a_killed_worker_is_noticed_and_the_next_one_repeats_no_finished_call(project: Project, begin: Begin) -> None:
    gate = Gate()
    with ScriptedServer(gate) as server:
        job = begin(server.url)
        pid = job.start()
        wait_for(lambda: gate.reached.is_set() and job.kept == 10, "the focus and nine documents")
        reconcile(project)
        assert job.state() is RunState.RELEVANCE
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        reconcile(project)
        assert job.state() is RunState.INTERRUPTED
        assert job.run.error.endswith("Everything finished is kept; resume to go on.")
        assert server.calls == 11
        gate.open.set()
        requeue(project, job.id)
        job.start()
        job.ends_in(RunState.DONE)
    assert server.calls == CALLS + 1
    assert job.answer.startswith("The Petrel landed 85 cases")


def test_a_stopped_run_is_stopped_and_resumes_to_its_end(project: Project, begin: Begin) -> None:
    gate = Gate()
    with ScriptedServer(gate) as server:
        job = begin(server.url)
        job.start()
        wait_for(lambda: gate.reached.is_set() and job.kept == 10, "the focus and nine documents")
        stop(project, job.id)
        gate.open.set()
        assert job.ends_in(RunState.STOPPED).error.startswith("Stopped. Everything finished so far is kept")
        assert server.calls == 11
        kept = job.kept
        assert kept in (10, 11)  # the call in flight ends by itself, or is ended when the stop is seen
        requeue(project, job.id)
        job.start()
        job.ends_in(RunState.DONE)
    assert server.calls == CALLS + 11 - kept


def test_a_stop_ends_the_call_that_waits_for_a_silent_local_server(project: Project, begin: Begin) -> None:
    gate = Gate()
    with ScriptedServer(gate) as server:
        job = begin(server.url)
        job.start()
        wait_for(lambda: gate.reached.is_set() and job.kept == 10, "the focus and nine documents")
        stop(project, job.id)
        job.ends_in(RunState.STOPPED)
        assert job.kept == 10
        gate.open.set()


def test_a_wrong_address_fails_with_a_plain_sentence_and_loses_nothing(project: Project, begin: Begin) -> None:
    with ScriptedServer() as absent:
        port, url = absent.port, absent.url
    job = begin(url)
    job.start()
    error = job.ends_in(RunState.FAILED).error
    assert (
        error
        == f"Nobody listens at 127.0.0.1:{port}. Start the model server there, or correct the address and its port."
    )
    assert job.log == ""
    with ScriptedServer(port=port) as server:
        requeue(project, job.id)
        job.start()
        job.ends_in(RunState.DONE)
    assert server.calls == CALLS


def test_a_key_withdrawn_in_the_middle_costs_no_finished_call(project: Project, begin: Begin) -> None:
    gate = Gate()
    with ScriptedServer(gate, key="sk-right") as server:
        job = begin(server.url)
        job.start(key="sk-right")
        wait_for(lambda: gate.reached.is_set() and job.kept == 10, "the focus and nine documents")
        server.key = "sk-changed"
        gate.open.set()
        assert "does not accept the key" in job.ends_in(RunState.FAILED).error
        assert (server.calls, job.kept) == (11, 11)
        requeue(project, job.id)
        job.start(key="sk-changed")
        job.ends_in(RunState.DONE)
    assert server.calls == CALLS


def test_of_two_workers_on_one_run_only_one_works(begin: Begin) -> None:
    gate = Gate()
    with ScriptedServer(gate) as server:
        job = begin(server.url)
        first, second = job.start(), job.start()
        ended: list[int] = []

        def one_ended() -> bool:
            ended.extend(pid for pid in (first, second) if gone(pid))
            return bool(ended)

        wait_for(one_ended, "the end of the one that came too late")
        wait_for(gate.reached.is_set, "the other at work")
        (worker,) = {first, second} - set(ended)
        assert run_rows.holder(job.project, job.id)[0] == worker
        gate.open.set()
        job.pids = [worker]
        job.ends_in(RunState.DONE)
    assert (server.calls, job.log) == (CALLS, "")


def test_a_worker_pauses_at_its_limit_and_the_next_goes_on_under_a_higher_one(project: Project, begin: Begin) -> None:
    each = Fault(usage={"prompt_tokens": 90, "completion_tokens": 10})
    with ScriptedServer(faults=lambda *_: each) as server:
        job = begin(server.url, Caps(tokens=1500))
        job.start()
        error = job.ends_in(RunState.PAUSED).error
        assert server.calls == job.kept
        assert server.calls in range(15, 15 + 4)
        assert error.startswith(f"Paused: {100 * job.kept:,} of at most 1,500 tokens are used. Round 2: ")
        raise_caps(project, job.id, Caps(tokens=2700), home=job.home)
        requeue(project, job.id)
        job.start()
        assert "of at most 2,700 tokens are used. Parsing: " in job.ends_in(RunState.PAUSED).error
        assert server.calls in range(27, 27 + 4)
        raise_caps(project, job.id, Caps(), home=job.home)
        requeue(project, job.id)
        job.start()
        assert job.ends_in(RunState.DONE).error == ""
    assert (server.calls, job.kept, job.log) == (CALLS, CALLS, "")
    assert job.answer.startswith("The Petrel landed 85 cases")


WITH_FEW_FILES = """
import resource

resource.setrlimit(resource.RLIMIT_NOFILE, (30, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
from r3con_core.worker import main

raise SystemExit(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no such limit there")
def test_many_calls_at_once_need_more_files_than_systems_allow_at_first(begin: Begin) -> None:
    with ScriptedServer() as server:
        job = begin(server.url, workers=10)
        command = [sys.executable, "-c", WITH_FEW_FILES, str(job.project.folder), job.id]
        worker = subprocess.run(
            command, env={**os.environ, "R3CON_HOME": str(job.home)}, capture_output=True, timeout=PATIENCE, check=False
        )
    assert (job.state(), job.run.error, worker.returncode) == (RunState.DONE, "", 0)


def test_what_one_run_learns_of_an_endpoint_the_next_one_knows(begin: Begin, tmp_path: Path) -> None:
    refused = Fault(status=400, error={"message": "Unsupported parameter: 'max_tokens'.", "param": "max_tokens"})
    with ScriptedServer(faults=lambda _, body: refused if "max_tokens" in body else None) as server:
        first = begin(server.url)
        untried = known_of(first.project, first.choice, first.home)
        first.start()
        first.ends_in(RunState.DONE)
        assert server.calls == CALLS + 1
        assert known_of(first.project, first.choice, first.home) != untried
        second = begin(server.url, project=harbour_project(tmp_path / "projects", "Another"))
        second.start()
        second.ends_in(RunState.DONE)
        assert server.calls == 2 * CALLS + 1


def test_what_waits_for_another_try_when_a_limit_is_reached_is_not_sent(begin: Begin) -> None:
    each = Fault(usage={"prompt_tokens": 90, "completion_tokens": 10})

    def busy(number: int, _: dict[str, Any]) -> Fault:
        """After the focus, three of the four that go out at once are told to come back, the other reaches the limit."""
        return Fault(status=429, headers={"Retry-After": "1"}) if number in (2, 3, 4) else each

    with ScriptedServer(faults=busy) as server:
        job = begin(server.url, Caps(tokens=200))
        job.start()
        error = job.ends_in(RunState.PAUSED).error
    assert error.startswith("Paused: 200 of at most 200 tokens are used. Round 1: ")
    assert (server.calls, job.kept) == (5, 2)
