"""Rows 7, 8, 9 and 11: small windows, endpoints that fail, caps, and workers that are killed."""

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from calls.documents import QUESTION, short_project, texts_of
from calls.gate import fingerprint
from calls.ours import Ran, carry_on, choices, home_of, result_of, run_all
from calls.rows import FAST, Line, Setting, how_it_went, scratch
from calls.servers import Server, gated
from calls.watching import wait_for
from r3con_core import jobs
from r3con_core.estimates.estimate import estimate_run
from r3con_core.processes import is_alive
from r3con_core.runs import Caps, RunState
from r3con_core.store.calls import list_calls
from r3con_core.store.documents import list_documents
from r3con_core.store.project import Project
from r3con_core.store.runs import load_run

WINDOW = 8192
MANY, FEW = 16, 8
"""Calls at once where calls fail, and where a run is capped or killed."""
KILLS = 10
LATENCY = 0.5
"""Seconds, for the runs that are killed."""


def small_window(setting: Setting) -> list[Line]:
    """Row 7."""
    return [_in_window(setting, count) for count in (215, 500, 2000)]


def _in_window(setting: Setting, count: int) -> Line:
    with scratch() as folder, gated(setting.simulator, {**FAST, "window": WINDOW, "limit": WINDOW}) as server:
        project = short_project(count, folder / "project")
        ran = run_all(project, QUESTION, choices(server.url, window=WINDOW))
        told = server.gate()
        server.clear()
        peer = setting.peer.run(QUESTION, texts_of(project), server.url) if setting.peer and count == 215 else None
    refused = told["faults"].get("too long", 0)
    return Line(
        row=7,
        measure=f"{count} documents on a window of {WINDOW:,} tokens: largest prompt",
        peer_said=(how_it_went(peer) or f"answers in {peer.seconds:.0f} s") if peer else "",
        ours=told["largest"],
        ours_said=f"{len(told['calls']):,} calls in {ran.seconds:.0f} s, {refused} refused as too long; {how_it_went(ran)}",
        demanded="all answer",
        passed=not how_it_went(ran),
    )


def failing(setting: Setting) -> list[Line]:
    """Row 8."""
    with scratch() as folder, gated(setting.simulator, {**FAST, "fail": 0.3}) as server:
        project = short_project(100, folder / "project")
        ran = run_all(project, QUESTION, choices(server.url, workers=MANY))
        told = server.gate()
        server.clear()
        peer = setting.peer.run(QUESTION, texts_of(project), server.url) if setting.peer else None
    again = _asked_again(told["calls"])
    return [
        Line(
            row=8,
            measure="100 documents, 30 % of calls fail: finished calls that were repeated",
            peer_said=(how_it_went(peer) or "it came through") if peer else "",
            ours=again,
            ours_said=f"{_faults(told['faults'])} in {ran.seconds:.0f} s, {ran.unread} documents lost; {how_it_went(ran)}",
            demanded="0 lost, 0 repeated",
            passed=not again and not how_it_went(ran),
        )
    ]


def _faults(faults: Mapping[str, int]) -> str:
    return ", ".join(f"{count} x {kind}" for kind, count in sorted(faults.items()))


def _asked_again(calls: Iterable[list[Any]]) -> int:
    """Replies that were sent whole for what had had one before."""
    finished = Counter(asked for asked, _, done, _ in calls if done is not None)
    return sum(finished.values()) - len(finished)


def capped(setting: Setting) -> list[Line]:
    """Row 9."""
    with scratch() as folder, gated(setting.simulator, {**FAST, "latency": 0.2}) as server:
        project = short_project(60, folder / "project")
        chosen = choices(server.url, workers=FEW)
        estimate = estimate_run([line.tokens for line in list_documents(project)], chosen.settings())
        cap = int(estimate.prompt.likely + estimate.output.likely) // 2
        run = jobs.create_run(project, QUESTION, replace(chosen, caps=Caps(tokens=cap)))
        paused = carry_on(project, run.id)
        late, over = _past_the_cap(server.gate()["calls"], cap)
        jobs.raise_caps(project, run.id, Caps())
        jobs.requeue(project, run.id)
        ran = carry_on(project, run.id)
        again = _asked_again(server.gate()["calls"])
    fine = paused.state is RunState.PAUSED and late <= FEW and not again and not how_it_went(ran)
    return [
        Line(
            row=9,
            measure=f"60 documents, cap of {cap:,} tokens, half the estimate: calls that ended after it was reached",
            ours=late,
            ours_said=f"{over:,} tokens over; {paused.error} Then: {ran.state.value}, {again} repeated; {how_it_went(ran)}",
            demanded=f"pauses; <= {FEW} in flight; 0 repeated",
            passed=fine,
        )
    ]


def _past_the_cap(calls: Iterable[list[Any]], cap: int) -> tuple[int, int]:
    """Calls that ended once the cap was reached without the one that reached it, and the tokens over it."""
    used, late = 0, 0
    for _, _, _, tokens in sorted((call for call in calls if call[2] is not None), key=lambda call: call[2]):
        late += used >= cap
        used += tokens
    return late, max(0, used - cap)


def killed(setting: Setting) -> list[Line]:
    """Row 11."""
    flags = {**FAST, "latency": LATENCY}
    with scratch() as folder, gated(setting.simulator, flags) as server:
        whole = short_project(60, folder / "whole" / "project")
        run = jobs.create_run(whole, QUESTION, choices(server.url, workers=FEW))
        first = carry_on(whole, run.id)
        wanted = result_of(whole, run.id)
        server.clear()
        broken = short_project(60, folder / "broken" / "project")
        killing = _kill_often(broken, server)
        asked = len(_asked(server))
    calls = sum(stage.calls for stage in first.stages)
    same = killing.found == wanted
    return [
        Line(
            row=11,
            measure=f"60 documents, killed {killing.kills} times: kept calls that were asked again",
            ours=killing.again,
            ours_said=(
                f"{asked} calls sent, {calls} without a kill; {killing.kept} kept at the last; snippets, records and "
                f"answer {'the same' if same else 'differ'}; {how_it_went(killing.ran)}"
            ),
            demanded="0 repeated, same result",
            passed=killing.was_real and not killing.again and same and not how_it_went(killing.ran),
        )
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Killing:
    """A run whose worker was killed again and again, and then carried to its end."""

    kills: int
    kept: int
    """Calls that the store held at the last kill and the gate had seen."""
    again: int
    """Calls sent though the store held their replies at the kill before."""
    ran: Ran
    found: tuple[object, ...]

    @property
    def was_real(self) -> bool:
        """It was killed as often as it should, and had something to lose."""
        return self.kills >= KILLS and self.kept > 0


def _kill_often(project: Project, server: Server) -> _Killing:
    chance = random.Random(7)
    run_id = jobs.create_run(project, QUESTION, choices(server.url, workers=FEW)).id
    kills = again = sent = 0
    kept: frozenset[str] = frozenset()
    while kills < KILLS:
        pid = jobs.start_worker(project, run_id, home=home_of(project))
        _let_work(pid, server, calls=sent + chance.randint(FEW, 4 * FEW))
        time.sleep(chance.uniform(0, LATENCY))
        if not is_alive(pid):
            break
        os.kill(pid, signal.SIGKILL)
        wait_for(pid)
        kills += 1
        calls = _asked(server)
        again += sum(asked in kept for asked in calls[sent:])
        sent, kept = len(calls), _kept(project, run_id)
        jobs.reconcile(project)
        if load_run(project, run_id).state is not RunState.QUEUED:  # it may have died before it began
            jobs.requeue(project, run_id)
    ran = carry_on(project, run_id)
    calls = _asked(server)
    again += sum(asked in kept for asked in calls[sent:])
    found = result_of(project, run_id)
    return _Killing(kills=kills, kept=len(kept & set(calls)), again=again, ran=ran, found=found)


def _asked(server: Server) -> list[str]:
    return [call[0] for call in server.gate()["calls"]]


def _let_work(pid: int, server: Server, *, calls: int) -> None:
    """Until so many calls have come to the server in all, or the worker has ended."""
    while is_alive(pid) and len(_asked(server)) < calls:
        time.sleep(0.02)


def _kept(project: Project, run_id: str) -> frozenset[str]:
    """What the store has replies to."""
    asked = (call.prompt.messages for call in list_calls(project, run_id))
    return frozenset(fingerprint([{"role": m.role, "content": m.content} for m in said]) for said in asked)
