"""Every method comes to an answer on the larger sample corpora, within what its plan expects, as in the paper's table 4."""

from pathlib import Path

import pytest

from r3con_core.corpora import add_dracula
from r3con_core.experiments import plan_methods, queue_methods, results_of
from r3con_core.jobs import ModelChoice, RunChoices
from r3con_core.methods import METHODS, method_of
from r3con_core.methods.seam import Met, Method, Needs, Size, options_of
from r3con_core.runs import RunState
from r3con_core.store.answers import load_answer
from r3con_core.store.project import Project, create_project
from r3con_core.store.usage import document_tokens
from r3con_core.tasks import make_task
from tests.fakes import Scripted, harbour_project, inquiry_project
from tests.inquiry_script import QUESTION as INQUIRY
from tests.methods.running import carry_method, start
from tests.methods.scripts import reply

BOOK = Path(__file__).parents[3] / "shared" / "data" / "dracula" / "pg345.txt"
DRACULA = "On the voyage to England and during his stay there, how many people did Dracula kill, and who were they?"
WINDOW = 32_768
CARRIED = [
    pytest.param(method, id=method.id)
    for method in METHODS
    if method.family != "R3Con" and Needs.PROGRAM not in method.needs
]
PLANNED = [pytest.param(method_of(id_), id=id_) for id_ in ("whole", "alone", "memagent", "structrag")]
YES, LIMITED, NO, NONE = Met.YES, Met.LIMITED, Met.NO, Met.NOT_APPLICABLE
TABLE_4 = {
    "r3con": (YES, YES, YES),
    "raptor": (NO, YES, NO),
    "readagent": (NO, NO, NO),
    "memagent": (YES, LIMITED, NO),
    "hipporag2": (NO, LIMITED, NO),
    "linearrag": (NO, LIMITED, NO),
    "structrag": (YES, NO, YES),
    "arag": (NO, NO, NO),
    "codeagent": (NONE, NONE, NONE),
    "rlm": (NONE, NONE, NONE),
    "claude-code": (NONE, NONE, NONE),
}


def _size(project: Project, window: int) -> Size:
    ids = tuple(id_ for (id_,) in project.db.execute("select id from documents order by position"))
    return Size(documents=document_tokens(project, ids), window=window)


def _answers(project: Project, method: Method, question: str, window: int, **options: float) -> None:
    run_id, model = start(project, method.id, question, window=window, **options), Scripted(reply)
    assert carry_method(project, run_id, model) is RunState.DONE
    answer = load_answer(project, run_id)
    assert answer is not None
    assert answer.text.strip()


@pytest.fixture(scope="module")
def inquiry(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project over the inquiry documents."""
    return inquiry_project(tmp_path_factory.mktemp("inquiry"))


@pytest.mark.parametrize("method", CARRIED)
def test_it_answers_on_inquiry(inquiry: Project, method: Method) -> None:
    _answers(inquiry, method, INQUIRY, WINDOW)


@pytest.fixture(scope="module")
def novel(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project over the novel."""
    project = create_project(tmp_path_factory.mktemp("novel"), "Dracula")
    add_dracula(project, BOOK.read_text("utf-8"))
    return project


@pytest.mark.skipif(not BOOK.is_file(), reason="the novel's text is not on this machine")
@pytest.mark.parametrize("method", CARRIED)
def test_it_answers_on_dracula(novel: Project, method: Method) -> None:
    larger = {"page": 8000.0} if method.id == "readagent" else {}  # its own pages take it ten seconds here
    _answers(novel, method, DRACULA, 400_000 if method.id == "whole" else 131_072, **larger)


WAYS = tuple(method.id for method in METHODS if method.family == "R3Con")


@pytest.mark.skipif(not BOOK.is_file(), reason="the novel's text is not on this machine")
def test_every_way_of_running_r3con_answers_on_dracula(tmp_path: Path, novel: Project) -> None:
    choices = RunChoices(reading=ModelChoice(model="scripted", base_url="http://127.0.0.1:9/v1", window=131_072))
    planned = plan_methods(novel, DRACULA, choices, WAYS, home=tmp_path)
    for run in queue_methods(novel, DRACULA, planned, home=tmp_path):
        assert carry_method(novel, run.id, workers=2) is RunState.DONE
    found = results_of(novel, make_task(DRACULA).id, tmp_path)
    ways = {one.method.id: one for one in found if one.method.id in WAYS}
    assert set(ways) == set(WAYS)
    assert all(one.answer and one.answer.text for one in ways.values())
    assert [built.name for built in ways["r3con"].trace][:3] == [
        "Snippets of round 1",
        "Snippets of round 2",
        "Records",
    ]
    assert [built.name for built in ways["r3con-no-relevance"].trace][:1] == ["Records"]


@pytest.mark.parametrize("method", PLANNED)
@pytest.mark.parametrize("corpus", ["harbour", "inquiry"])
def test_it_asks_as_often_as_its_plan_expects(tmp_path: Path, inquiry: Project, method: Method, corpus: str) -> None:
    project = inquiry if corpus == "inquiry" else harbour_project(tmp_path)
    size, model = _size(project, WINDOW), Scripted(reply)
    carry_method(project, start(project, method.id, window=WINDOW), model)
    assert method.plan is not None
    planned = method.plan(size, dict(options_of(method.settings(size))))
    calls = {one.stage: 0 for one in planned}
    for prompt in model.prompts:
        calls[prompt.stage] += 1
    for stage, count in calls.items():
        expected = [one.calls for one in planned if one.stage is stage]
        assert sum(one.low for one in expected) <= count <= sum(one.high for one in expected), stage


def test_methods_meet_the_principles_that_table_4_says() -> None:
    met = {m.id: (m.principles.task_specific, m.principles.enactive, m.principles.flexible) for m in METHODS}
    assert {id_: said for id_, said in met.items() if id_ in TABLE_4} == {k: v for k, v in TABLE_4.items() if k in met}
