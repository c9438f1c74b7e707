"""Agents that write code: their steps are bounded, their programs run behind the walls, and what they ask is kept."""

from pathlib import Path

import pytest

from r3con_core.answers import Execution
from r3con_core.documents import Corpus
from r3con_core.exchange import Finish, Prompt, Reply, Stage
from r3con_core.method.brief import make_brief
from r3con_core.method.layout import left_in
from r3con_core.methods import method_of
from r3con_core.methods.coding import Manner, Said, read_reply, work
from r3con_core.methods.seam import Size, Tools, options_of
from r3con_core.runs import RunSettings, RunState
from r3con_core.sandbox import code_can_ask
from r3con_core.stages import Models
from r3con_core.store.answers import load_answer, load_steps
from r3con_core.store.built import load_built
from r3con_core.store.calls import list_calls
from r3con_core.tasks import make_task
from tests.fakes import Scripted, ScriptedSandbox, harbour_project
from tests.methods.running import carry_method, finished, start
from tests.methods.scripts import reply

pytestmark = pytest.mark.skipif(code_can_ask() != "", reason=code_can_ask())
FENCE = "```"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"A.\n{FENCE}python\na = 1\n{FENCE}", Said(thought="A.", code="a = 1")),
        (f"{FENCE}py\na\n{FENCE}\nthen\n{FENCE}repl\nb\n{FENCE}", Said(thought="then", code="a\n\nb")),
        (
            "So.\nFINAL(It was (nearly) Ines.)",
            Said(thought="So.\nFINAL(It was (nearly) Ines.)", final="It was (nearly) Ines."),
        ),
        ("FINAL_VAR(kept)", Said(thought="FINAL_VAR(kept)", code="answer(kept)")),
    ],
)
def test_a_reply_is_code_or_an_answer(text: str, said: Said) -> None:
    assert read_reply(Reply(text=text), says_final=True) == said


def test_a_reply_that_is_neither_is_a_fault() -> None:
    assert "no block of code" in read_reply(Reply(text="Hm."), says_final=True).fault
    assert "no block of code" in read_reply(Reply(text="FINAL(x)"), says_final=False).fault
    assert "FINAL_VAR" not in read_reply(Reply(text="FINAL_VAR(a.b)"), says_final=True).code
    cut = Reply(text=f"{FENCE}python\nfor a in", finish=Finish.CUT_OFF)
    assert "cut off" in read_reply(cut, says_final=False).fault


def test_an_agent_that_never_answers_ends_after_its_steps_and_answers_from_what_was_printed(tmp_path: Path) -> None:
    project = harbour_project(tmp_path)

    def prints(prompt: Prompt) -> str:
        return (
            f"{FENCE}python\nprint(len(documents))\n{FENCE}"
            if "by writing Python" in prompt.messages[0].content
            else "6."
        )

    model = Scripted(prints)
    run_id = start(project, "codeagent", steps=3)
    assert carry_method(project, run_id, model) is RunState.DONE
    assert len(load_steps(project, run_id)) == 3
    assert len(model.prompts) == 4
    assert load_answer(project, run_id).text == "6."  # type: ignore[union-attr]


def test_the_root_model_sees_the_length_and_the_beginning_alone_and_queries_are_of_one_level(tmp_path: Path) -> None:
    project, run_id, model = finished(tmp_path, "rlm")
    first = model.prompts[0].messages[1].content
    texts = [text for (text,) in project.db.execute("select text from documents order by position")]
    assert texts[0][:40] in first
    assert all(text[-80:] not in first for text in texts)
    asked = list_calls(project, run_id, Stage.BUILDING)
    assert [call.prompt.about.part for call in asked] == [1, 2, 3]
    assert all("llm_query" not in call.prompt.messages[0].content for call in asked)
    trace = {built.name: built for built in load_built(project, run_id)}
    assert [item.title for item in trace["What the code asked"].items] == ["Query 1", "Query 2", "Query 3"]


def test_code_that_asks_more_often_than_it_may_is_told_and_asks_no_more(tmp_path: Path) -> None:
    project = harbour_project(tmp_path)
    run_id = start(project, "rlm", queries=2)
    assert carry_method(project, run_id, Scripted(reply)) is RunState.DONE
    assert list_calls(project, run_id, Stage.BUILDING) == ()
    assert "may be asked 2 times in all" in str(load_steps(project, run_id)[0].execution.fault)


def test_every_prompt_of_a_long_session_fits_the_window(tmp_path: Path) -> None:
    project = harbour_project(tmp_path)
    loud = Scripted(lambda _: f"{FENCE}python\nprint('word ' * 9_000)\n{FENCE}")
    run_id = start(project, "codeagent", window=8192, steps=6)
    carry_method(project, run_id, loud)
    assert all(left_in(8192, prompt.messages) >= prompt.max_tokens for prompt in loud.prompts)
    steps = next(built for built in load_built(project, run_id) if built.name == "Steps of the agent")
    assert "no longer fitted its window" in steps.says


@pytest.mark.parametrize("sign", ["港", "ก", "😀", "7", "word "])
@pytest.mark.parametrize("window", [2048, 8192])
def test_prompts_fit_the_window_in_any_script(sign: str, window: int) -> None:
    brief = make_brief(make_task("How many?"), Corpus(documents=()), RunSettings(model="any", window=window))
    loud = Scripted(lambda _: f"{sign * 800}\n{FENCE}python\nprint()\n{FENCE}")
    sandbox = ScriptedSandbox(Execution(output=sign * 4_000, fault=sign * 1_500))
    manner = Manner(guide="You solve a task by programs.", opening=("The task:\nHow many?",), steps=20)
    work(brief, Tools(models=Models(reading=loud, reasoning=loud)), manner, sandbox)
    assert len(loud.prompts) == 21
    assert all(left_in(window, prompt.messages) >= 256 for prompt in loud.prompts)


@pytest.mark.parametrize("method_id", ["codeagent", "rlm"])
def test_what_it_asks_lies_within_its_estimate(tmp_path: Path, method_id: str) -> None:
    _, _, model = finished(tmp_path, method_id)
    method = method_of(method_id)
    size = Size(documents=(370,) * 6, window=32_768)
    assert method.plan is not None
    parts = method.plan(size, dict(options_of(method.settings(size))))
    for part in parts:
        asked = sum(prompt.stage is part.stage for prompt in model.prompts)
        assert part.calls.low <= asked <= part.calls.high


def test_an_answer_before_any_program_has_looked_is_refused_once(tmp_path: Path) -> None:
    project, run_id, model = finished(tmp_path, "rlm", lambda _: "FINAL(85 cases.)")
    assert [bool(step.execution.fault) for step in load_steps(project, run_id)] == [True]
    assert len(model.prompts) == 2
    assert "before any program has looked" in model.prompts[1].messages[-1].content
    assert load_answer(project, run_id).text == "85 cases."  # type: ignore[union-attr]
    assert load_built(project, run_id)
