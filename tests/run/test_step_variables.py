"""Which records the variables of each step hold, seen by running the steps again."""

from dataclasses import replace
from pathlib import Path

import pytest

from r3con_core.answers import Execution, Step
from r3con_core.exports.contents import load_contents
from r3con_core.sandbox import code_can_run
from r3con_core.step_variables import Variable, variables_of_steps
from r3con_core.store.answers import load_steps, save_step
from r3con_core.store.project import Project
from tests.fakes import OpenSandbox, finished_harbour


@pytest.fixture
def finished(tmp_path: Path) -> tuple[Project, str]:
    return finished_harbour(tmp_path)


def ids(finished: tuple[Project, str], *labels: str) -> tuple[str, ...]:
    data = load_contents(*finished).data
    assert data is not None
    return tuple(data.id_of(label) or "" for label in labels)


def with_code(finished: tuple[Project, str], *codes: str) -> None:
    for number, code in enumerate(codes, start=1):
        save_step(*finished, Step(number=number, thought="", code=code, execution=Execution(output="")))


@pytest.mark.skipif(bool(code_can_run()), reason="generated code cannot be run safely here")
def test_variables_that_hold_records_are_told_with_the_step_that_bound_them(finished: tuple[Project, str]) -> None:
    with_code(
        finished,
        "petrel = [r for r in records['Landing'] if r['launch'] == 'Petrel']\nfor row in petrel: pass\ntotal = 85",
        "table = pd.DataFrame(petrel)\nby_place = {'Lime Quay': {'R1'}, 'n': 3}\nfirst = petrel[0]\ndef f(): pass",
    )
    kept = variables_of_steps(*finished)
    assert kept == {
        1: (Variable(name="petrel", record_ids=ids(finished, "R1", "R2", "R4"), count=3),),
        2: (
            Variable(name="table", record_ids=ids(finished, "R1", "R2", "R4"), count=3),
            Variable(name="by_place", record_ids=ids(finished, "R1"), count=1),
            Variable(name="first", record_ids=ids(finished, "R1"), count=1),
        ),
    }


@pytest.mark.skipif(bool(code_can_run()), reason="generated code cannot be run safely here")
def test_looking_changes_nothing_for_the_steps_that_follow(finished: tuple[Project, str]) -> None:
    with_code(finished, "x = 1", "seen = [n for n in globals() if 'r3con' in n]\nok = ['R1'] if not seen else []")
    assert variables_of_steps(*finished)[2] == (Variable(name="ok", record_ids=ids(finished, "R1"), count=1),)


class Says(OpenSandbox):
    """A sandbox in which looking prints what it is told to."""

    def __init__(self, output: str) -> None:
        self.output = output

    def execute(self, code: str) -> Execution:
        assert code
        return Execution(output=self.output)


@pytest.mark.parametrize(
    "output",
    [
        "",
        "not JSON",
        "[" * 100_000,
        '{"a": 1}',
        '[["x", ["R1"], 1]]',
        '[["not a name", ["R1"], 1, false]]',
        '[["x", ["R999", 4, null], 3, false]]',
        '[["x", "R1", 1, false], 7, null]',
    ],
)
def test_what_the_code_made_up_is_not_believed(finished: tuple[Project, str], output: str) -> None:
    kept = variables_of_steps(*finished, Says(output))  # type: ignore[arg-type]
    assert set(kept.values()) == {()}
    assert list(kept) == [step.number for step in load_steps(*finished)]


def test_code_that_is_no_python_has_no_loops(finished: tuple[Project, str]) -> None:
    first, _ = load_steps(*finished)
    save_step(*finished, replace(first, code="for for"))
    kept = variables_of_steps(*finished, Says('[["x", ["R1"], 1, true]]'))  # type: ignore[arg-type]
    assert kept[1] == (Variable(name="x", record_ids=ids(finished, "R1"), count=1),)
