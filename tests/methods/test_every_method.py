"""What holds of every method that can be compared: it comes to an answer, shows what it built, and asks nothing twice."""

from pathlib import Path

import pytest

from r3con_core.errors import BusyError
from r3con_core.exchange import Prompt, Reply
from r3con_core.jobs import requeue
from r3con_core.methods import METHODS
from r3con_core.methods.seam import Method, Needs, Size, options_of
from r3con_core.runs import RunState
from r3con_core.store import runs as run_rows
from r3con_core.store.answers import load_answer
from r3con_core.store.built import load_built
from tests.fakes import Scripted, harbour_project
from tests.methods.running import carry_method, finished, start
from tests.methods.scripts import reply

OTHERS = [
    pytest.param(method, id=method.id)
    for method in METHODS
    if method.family != "R3Con" and Needs.PROGRAM not in method.needs
]
ALL = [pytest.param(method, id=method.id) for method in METHODS]


@pytest.mark.parametrize("method", OTHERS)
def test_it_answers_the_harbour_question_and_shows_what_it_built(tmp_path: Path, method: Method) -> None:
    project, run_id, model = finished(tmp_path, method.id)
    assert run_rows.load_run(project, run_id).state is RunState.DONE
    answer = load_answer(project, run_id)
    assert answer is not None
    assert answer.text.strip()
    trace = load_built(project, run_id)
    assert all(built.items for built in trace)
    assert trace or method.id == "alone"
    assert all(prompt.mark for prompt in model.prompts)


class Dying(Scripted):
    """A model that dies after so many replies, again and again."""

    def __init__(self, after: int) -> None:
        super().__init__(reply)
        self.left = after

    def __call__(self, prompt: Prompt) -> Reply:
        if self.left == 0:
            raise BusyError("The server went away.")
        self.left -= 1
        return super().__call__(prompt)


@pytest.mark.parametrize("method", OTHERS)
def test_killed_after_any_call_it_goes_on_and_repeats_none(tmp_path: Path, method: Method) -> None:
    whole, run_id, model = finished(tmp_path / "whole", method.id)
    calls = len(model.prompts)
    for after in sorted({1, calls // 2, calls - 1} - {0, calls}):
        project = harbour_project(tmp_path / str(after))
        again = start(project, method.id)
        dying = Dying(after)
        with pytest.raises(BusyError):
            carry_method(project, again, dying)
        run_rows.set_state(project, again, RunState.FAILED)
        requeue(project, again)
        rest = Scripted(reply)
        assert carry_method(project, again, rest, workers=4) is RunState.DONE
        assert len(dying.prompts) + len(rest.prompts) == calls
        assert _answer(project, again) == _answer(whole, run_id)


def _answer(project: object, run_id: str) -> str:
    answer = load_answer(project, run_id)  # type: ignore[arg-type]
    assert answer is not None
    return answer.text


@pytest.mark.parametrize("method", ALL)
def test_it_tells_what_it_is(method: Method) -> None:
    assert method.id == method.id.lower()
    assert method.says.endswith(".")
    assert any(mark.isdigit() for mark in method.paper)
    assert method.principles.why.endswith(".")
    assert all(one.endswith(".") for one in method.deviations)


@pytest.mark.parametrize("method", ALL)
@pytest.mark.parametrize("tokens", [1, 2_000, 212_000, 1_000_000])
def test_its_settings_lie_within_their_bounds_whatever_the_corpus(method: Method, tokens: int) -> None:
    size = Size(documents=(tokens,) * 3, window=8192)
    for setting in method.settings(size):
        assert setting.least <= setting.value <= setting.most, setting.name
    assert dict(options_of(method.settings(size), {"unknown": 1.0})).keys() == {s.name for s in method.settings(size)}


PAPERS: dict[str, dict[str, float]] = {
    "hipporag2": {"passage": 8000, "read": 5, "synonym": 0.8, "weight": 0.05, "damping": 0.5},
    "linearrag": {"read": 5, "threshold": 0.4, "steps": 3, "balance": 1.5},
    "memagent": {"chunk": 5000, "memory": 1024},
    "structrag": {"structure": 32_768},
    "arag": {"passage": 1000, "steps": 15, "found": 5},
    "codeagent": {"steps": 60},
    "rlm": {"steps": 30},
}
"""What their released programs, or the R3Con paper where it says another, take for a million tokens."""


@pytest.mark.parametrize("id_", PAPERS)
def test_settings_for_a_million_tokens_are_the_papers(id_: str) -> None:
    (method,) = (one for one in METHODS if one.id == id_)
    chosen = dict(options_of(method.settings(Size(documents=(10_000,) * 100, window=131_072))))
    assert {name: chosen[name] for name in PAPERS[id_]} == PAPERS[id_]


def test_every_method_has_an_id_of_its_own() -> None:
    assert len({method.id for method in METHODS}) == len(METHODS)
