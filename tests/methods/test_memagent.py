"""MemAgent: everything is read once in order, and the memory is never over its bound."""

from pathlib import Path

from r3con_core.documents import estimate_tokens
from r3con_core.exchange import Prompt, Stage
from r3con_core.methods.many import is_told
from r3con_core.methods.memagent import sections
from r3con_core.runs import RunState
from r3con_core.store.built import built_sizes, load_built
from r3con_core.store.documents import load_corpus
from r3con_core.store.runs import load_run
from tests.fakes import Scripted, harbour_project
from tests.methods.running import carry_method, finished, start
from tests.methods.scripts import reply


def test_sections_hold_every_document_once_and_in_order(tmp_path: Path) -> None:
    project = harbour_project(tmp_path)
    corpus = load_corpus(project)
    chunks = [chunk for section in sections(corpus, 300) for chunk in section]
    for document in corpus.documents:
        assert "".join(one.text for one in chunks if one.document_id == document.id) == document.text
    assert [one.number for one in chunks] == list(range(1, len(chunks) + 1))
    assert all(sum(estimate_tokens(one.text) for one in section) <= 300 for section in sections(corpus, 300))


def test_each_prompt_has_the_memory_that_the_one_before_left_and_the_answer_has_the_last_alone(tmp_path: Path) -> None:
    def numbered(prompt: Prompt) -> str:
        return f"Memory {prompt.about.step}." if prompt.stage is Stage.BUILDING else "Eighty-five."

    _, _, model = finished(tmp_path, "memagent", numbered)
    *building, last = model.prompts
    assert len(building) > 3
    for number, prompt in enumerate(building[1:], start=1):
        said = prompt.messages[-1].content
        assert f"Memory {number}." in said
        assert f"Memory {number - 1}." not in said
    assert last.stage is Stage.REASONING
    assert f"Memory {len(building)}." in last.messages[-1].content
    assert " section>" not in last.messages[-1].content


def test_a_memory_over_its_bound_is_refused_once_and_then_cut(tmp_path: Path) -> None:
    project = harbour_project(tmp_path)
    run_id = start(project, "memagent", memory=64.0)
    model = Scripted(lambda prompt: "tide and quay " * 200 if prompt.stage is Stage.BUILDING else "None.")
    assert carry_method(project, run_id, model) is RunState.DONE
    (built,) = load_built(project, run_id)
    assert built_sizes(project, run_id) == ((built.name, len(built.items)),)
    attempts = [prompt.attempt for prompt in model.prompts if prompt.stage is Stage.BUILDING]
    assert attempts == [1, 2] * len(built.items)
    assert all(0 < estimate_tokens(item.text) <= 64 for item in built.items)
    assert [item.chosen for item in built.items] == [False] * (len(built.items) - 1) + [True]


def test_what_grows_is_told_after_each_of_few_parts_and_some_forty_times_of_many() -> None:
    assert all(is_told(number, 10) for number in range(1, 11))
    assert sum(is_told(number, 25_000) for number in range(1, 25_001)) == 40
    assert [is_told(number, 79) for number in (78, 79)] == [True, True]


def test_where_the_model_says_nothing_the_memory_stays_and_the_trace_says_why(tmp_path: Path) -> None:
    project = harbour_project(tmp_path)
    run_id = start(project, "memagent")
    model = Scripted(lambda prompt: "" if prompt.about.step == 2 and prompt.stage is Stage.BUILDING else reply(prompt))
    assert carry_method(project, run_id, model) is RunState.DONE
    (built,) = load_built(project, run_id)
    assert built.items[1].fault
    assert built.items[1].text == built.items[0].text
    assert load_run(project, run_id).state is RunState.DONE
