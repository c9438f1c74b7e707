"""StructRAG: the chosen structure is what each document is put into, and every question is asked of all of them."""

import json
from pathlib import Path

import pytest

from r3con_core.errors import RefusedError
from r3con_core.exchange import Prompt, Stage
from r3con_core.methods.structrag import groups
from r3con_core.methods.structuring import Structure
from r3con_core.runs import RunState
from r3con_core.store.built import load_built
from r3con_core.traces import Item
from r3con_core.verify.replay import replay_run
from tests.fakes import Scripted, harbour_project
from tests.methods.running import carry_method, finished, start
from tests.methods.scripts import reply


def choosing(structure: str) -> Scripted:
    """A model that chooses this one."""

    def answer(prompt: Prompt) -> str:
        if prompt.shape is not None and "structure" in prompt.shape["properties"]:
            return json.dumps({"structure": structure})
        return reply(prompt)

    return Scripted(answer)


@pytest.mark.parametrize("structure", list(Structure))
def test_the_choice_decides_what_each_document_becomes(tmp_path: Path, structure: Structure) -> None:
    project, model = harbour_project(tmp_path), choosing(structure.value)
    run_id = start(project, "structrag")
    assert carry_method(project, run_id, model) is RunState.DONE
    choice, texts, _ = load_built(project, run_id)
    assert [item.id for item in choice.items if item.chosen] == [structure.value]
    assert len(texts.items) == 10
    assert {item.kind for item in texts.items} == {structure.value}
    asked = [prompt for prompt in model.prompts if prompt.stage is Stage.BUILDING and prompt.about.step == 2]
    assert len(asked) == (0 if structure is Structure.CHUNK else 10)
    assert all(f"Structure: {structure.value}." in prompt.messages[-1].content for prompt in asked)


def test_each_document_is_structured_without_the_others(tmp_path: Path) -> None:
    _, _, model = finished(tmp_path, "structrag")
    asked = [prompt for prompt in model.prompts if prompt.stage is Stage.BUILDING and prompt.about.step == 2]
    assert [prompt.holds for prompt in asked] == [(prompt.about.document_id,) for prompt in asked]


def test_an_unusable_choice_leaves_the_documents_as_they_are(tmp_path: Path) -> None:
    project, model = harbour_project(tmp_path), choosing("pyramid")
    run_id = start(project, "structrag")
    assert carry_method(project, run_id, model) is RunState.DONE
    choice, texts, _ = load_built(project, run_id)
    assert [(item.id, bool(item.fault)) for item in choice.items if item.chosen] == [("chunk", True)]
    assert "The Petrel landed 20 cases" in texts.items[5].text


def test_every_question_is_asked_of_all_texts_and_the_answer_reads_the_findings_alone(tmp_path: Path) -> None:
    project, run_id, model = finished(tmp_path, "structrag")
    found = load_built(project, run_id)[-1]
    questions = {item.text for item in found.items}
    assert 1 <= len(questions) <= 5
    for question in questions:
        of = [item for item in found.items if item.text == question]
        assert len({place.document_id for item in of for place in item.places}) == 10
    assert found.read
    assert " notes>" not in model.prompts[-1].messages[-1].content
    assert model.prompts[-1].about.step == 3


@pytest.mark.parametrize("said", ["no form at all", json.dumps({"questions": [" "]})])
def test_a_task_that_could_not_be_split_is_asked_itself_and_the_trace_says_so(tmp_path: Path, said: str) -> None:
    def answer(prompt: Prompt) -> str:
        return said if prompt.shape is not None and "questions" in prompt.shape["properties"] else reply(prompt)

    project, model = harbour_project(tmp_path), Scripted(answer)
    run_id = start(project, "structrag", "Which launch?")
    assert carry_method(project, run_id, model) is RunState.DONE
    found = load_built(project, run_id)[-1]
    assert {item.text for item in found.items} == {"Which launch?"}
    assert "The model split the task into no usable questions, so the task itself was asked." in found.says
    assert not any(item.fault for item in found.items)


def test_groups_keep_order_and_fit_their_room() -> None:
    items = [Item(id=str(number), title="t", text="word " * 40) for number in range(5)]
    assert [[item.id for item in group] for group in groups(items, 150)] == [["0", "1"], ["2", "3"], ["4"]]
    (only,) = groups([Item(id="long", title="t", text="word " * 400)], 60)
    assert only[0].text.endswith("…")


def test_the_choice_is_priced_as_what_the_reasoning_model_is_asked_and_stands_again_where_it_was_refused(
    tmp_path: Path,
) -> None:
    def refuses(prompt: Prompt) -> str:
        if prompt.stage is Stage.REASONING and prompt.shape is not None:
            raise RefusedError("The endpoint refused this.")
        return reply(prompt)

    project, run_id, model = finished(tmp_path, "structrag", refuses)
    (choice,) = (prompt for prompt in model.prompts if "structure" in (prompt.shape or {}).get("properties", {}))
    assert choice.stage is Stage.REASONING
    assert [fault for check in replay_run(project, run_id) for fault in check.faults] == []
