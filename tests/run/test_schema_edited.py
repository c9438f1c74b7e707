"""An edit of an accepted schema: what it touches is asked again, and nothing else."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from r3con_core.changes import CorrectRecord, ExcludeDocument
from r3con_core.exchange import Prompt, Stage
from r3con_core.jobs import accept_and_queue
from r3con_core.overlay import data_of
from r3con_core.records import StructuredData
from r3con_core.run_parsing import plan_parsing
from r3con_core.runs import RunState
from r3con_core.schema.edits import (
    AddField,
    AddRecordType,
    Describe,
    Explain,
    Move,
    Nest,
    Remove,
    Rename,
    Retype,
    SchemaEdit,
)
from r3con_core.schemas import Field, RecordType, Scalar, ScalarType
from r3con_core.snippets import Author
from r3con_core.store import runs as run_rows
from r3con_core.store.answers import load_answer
from r3con_core.store.changes import add_change
from r3con_core.store.project import Project
from r3con_core.store.records import count_parsed, load_records, parsed_documents
from r3con_core.store.runs import load_run
from r3con_core.store.schemas import accepted_schema, apply_edit, newest_schema, save_schema, schema_versions
from tests.fakes import Scripted, carry_scripted, finished_harbour, harbour_answer

NUMBER = Scalar(of=ScalarType.NUMBER)
WEIGHT = AddField(parent=("Landing",), field=Field(name="weight", meaning="in hundredweight", kind=NUMBER))


def edited_answer(prompt: Prompt) -> str:
    """Parsing replies under a schema that was edited: only what is asked for, filled where the script has it."""
    text = harbour_answer(prompt)
    if prompt.stage is not Stage.PARSING:
        return text
    assert prompt.shape is not None
    said, asked = json.loads(text), prompt.shape["properties"]
    return json.dumps(
        {name: [filled(record, kept["items"]) for record in said.get(name, [])] for name, kept in asked.items()}
    )


def filled(record: dict[str, object], shape: dict[str, dict[str, object]]) -> dict[str, object]:
    return {name: record.get(name, "25" if name == "tides" else None) for name in shape["properties"]}


@pytest.fixture
def finished(tmp_path: Path) -> tuple[Project, str]:
    return finished_harbour(tmp_path)


def edit(project: Project, run_id: str, *edits: SchemaEdit) -> None:
    for one in edits:
        apply_edit(project, run_id, one, reason="an edit")


def accept(project: Project, run_id: str, model: Scripted) -> list[Prompt]:
    """What the model is asked to parse once the newest schema is accepted."""
    accept_and_queue(project, run_id)
    assert carry_scripted(project, run_id, model) is RunState.DONE
    return [prompt for prompt in model.prompts if prompt.stage is Stage.PARSING]


def titles(project: Project, run_id: str, prompts: list[Prompt]) -> list[int]:
    """The documents that the prompts are about, by their number in the corpus."""
    order = load_run(project, run_id).document_ids
    return sorted(order.index(prompt.about.document_id) + 1 for prompt in prompts)


def said(project: Project, run_id: str) -> StructuredData:
    data = data_of(project, run_id)
    assert data is not None
    return data


def values(data: StructuredData, name: str) -> list[dict[str, object]]:
    return [dict(record.values) for record in data.of_type(name)]


@pytest.mark.parametrize(
    "edits",
    [
        (Rename(path=("Landing", "cases"), name="boxes"),),
        (Rename(path=("Launch",), name="Boat"),),
        (Move(path=("Landing", "place"), index=1), Explain(path=("Landing", "place"), why="to tell quays apart")),
        (Remove(path=("Launch", "owner")),),
        (Nest(path=("Launch", "owner"), parent=("Launch", "marks")),),
        (Retype(path=("Landing", "cases"), kind=NUMBER),),
        (Remove(path=("Landing", "launch")), Remove(path=("Launch",))),
        (),
    ],
)
def test_edits_that_records_take_as_they_are_ask_no_document(
    finished: tuple[Project, str], edits: tuple[SchemaEdit, ...]
) -> None:
    project, run_id = finished
    edit(project, run_id, *edits)
    assert plan_parsing(project, load_run(project, run_id)).wanted == {}
    model = Scripted(edited_answer)
    assert accept(project, run_id, model) == []
    assert load_answer(project, run_id) is not None
    assert count_parsed(project, run_id) == 10


def test_records_are_carried_over_in_the_moment_the_schema_is_accepted(finished: tuple[Project, str]) -> None:
    project, run_id = finished
    before = [record.id for record in said(project, run_id).records]
    edit(project, run_id, Rename(path=("Landing", "cases"), name="boxes"), Rename(path=("Landing",), name="Delivery"))
    accept_and_queue(project, run_id)
    after = said(project, run_id)
    assert [record.id for record in after.records] == before
    assert [values["boxes"] for values in values(after, "Delivery")] == [40, 25, 30, 20, 50]
    assert load_answer(project, run_id) is None


def test_a_new_field_asks_only_the_documents_with_records_of_its_type_for_that_type_alone(
    finished: tuple[Project, str],
) -> None:
    project, run_id = finished
    launches = [record.id for record in said(project, run_id).of_type("Launch")]
    edit(project, run_id, WEIGHT)
    plan = plan_parsing(project, load_run(project, run_id))
    assert (len(plan.wanted), plan.documents, plan.types, plan.whole) == (5, 10, ("Landing",), ())
    asked = accept(project, run_id, Scripted(edited_answer))
    first = [prompt for prompt in asked if prompt.attempt == 1]
    assert titles(project, run_id, first) == [1, 3, 5, 6, 10]
    assert {tuple(prompt.shape["properties"]) for prompt in first if prompt.shape} == {("Landing",)}
    assert "Launch:" not in first[0].messages[-1].content.split("The record types and their fields:")[-1]
    data = said(project, run_id)
    assert [record.id for record in data.of_type("Launch")] == launches
    assert [v["weight"] for v in values(data, "Landing")] == [None] * 5
    order = load_run(project, run_id).document_ids
    assert [order.index(record.document_id) for record in data.records] == [0, 2, 4, 5, 6, 8, 9]


def test_a_new_record_type_asks_every_document_for_it_alone(finished: tuple[Project, str]) -> None:
    project, run_id = finished
    tide = RecordType(name="Tide", meaning="one tide", fields=(Field(name="night", meaning="", kind=Scalar()),))
    edit(project, run_id, AddRecordType(record_type=tide))
    asked = accept(project, run_id, Scripted(edited_answer))
    assert titles(project, run_id, asked) == list(range(1, 11))
    assert {tuple(prompt.shape["properties"]) for prompt in asked if prompt.shape} == {("Tide",)}
    assert len(said(project, run_id).records) == 7


def test_another_meaning_of_a_record_type_asks_every_document_for_it(finished: tuple[Project, str]) -> None:
    project, run_id = finished
    edit(project, run_id, Describe(path=("Launch",), meaning="one launch or ship"))
    asked = accept(project, run_id, Scripted(edited_answer))
    assert titles(project, run_id, [prompt for prompt in asked if prompt.attempt == 1]) == list(range(1, 11))
    assert len(said(project, run_id).of_type("Landing")) == 5


def test_a_run_that_is_stopped_while_it_parses_an_edit_asks_only_what_is_left(finished: tuple[Project, str]) -> None:
    project, run_id = finished
    edit(project, run_id, WEIGHT)
    accept_and_queue(project, run_id)
    model = Scripted(stops_at(3))
    with pytest.raises(KeyboardInterrupt):
        carry_scripted(project, run_id, model)
    done = count_parsed(project, run_id)
    assert 5 <= done < 10
    run_rows.set_state(project, run_id, RunState.INTERRUPTED)
    run_rows.set_state(project, run_id, RunState.QUEUED)
    later = Scripted(edited_answer)
    assert carry_scripted(project, run_id, later) is RunState.DONE
    asked = [prompt for prompt in later.prompts if prompt.stage is Stage.PARSING and prompt.attempt == 1]
    assert len(asked) == 10 - done
    assert count_parsed(project, run_id) == 10


def stops_at(number: int) -> Callable[[Prompt], str]:
    """Answers until it has been asked to parse so many times, and is then interrupted."""
    seen: list[Prompt] = []

    def answer(prompt: Prompt) -> str:
        seen.append(prompt)
        if sum(one.stage is Stage.PARSING for one in seen) == number:
            raise KeyboardInterrupt
        return edited_answer(prompt)

    return answer


def test_an_edit_taken_back_before_what_it_asks_was_asked_still_asks_for_what_was_lost(
    finished: tuple[Project, str],
) -> None:
    project, run_id = finished
    edit(project, run_id, Retype(path=("Landing", "place"), kind=Scalar(of=ScalarType.DATE)))
    accept_and_queue(project, run_id)
    run_rows.set_state(project, run_id, RunState.STOPPED)
    save_schema(project, run_id, schema_versions(project, run_id)[0].schema, author=Author.HUMAN, reason="back")
    plan = plan_parsing(project, load_run(project, run_id))
    assert plan.types == ("Landing",)
    accept(project, run_id, Scripted(edited_answer))
    places = [v["place"] for v in values(said(project, run_id), "Landing")]
    assert places == ["Lime Quay", "Lime Quay", "Town Quay", "Lime Quay", "Lime Quay"]


def test_documents_that_people_took_out_are_not_asked(finished: tuple[Project, str]) -> None:
    project, run_id = finished
    plan = plan_parsing(project, load_run(project, run_id))
    assert plan.documents == 10
    tenth = load_run(project, run_id).document_ids[9]
    add_change(project, run_id, ExcludeDocument(document_id=tenth, round=0), author="A")
    assert plan_parsing(project, load_run(project, run_id)).documents == 9


def test_a_correction_outlives_a_renamed_field(finished: tuple[Project, str]) -> None:
    project, run_id = finished
    data = said(project, run_id)
    record = data.of_type("Landing")[1]
    now = replace(record, values={**record.values, "cases": 26}, changed=("cases",))
    add_change(project, run_id, CorrectRecord(of=record, now=now), author="A")
    edit(project, run_id, Rename(path=("Landing", "cases"), name="boxes"))
    assert accept(project, run_id, Scripted(edited_answer)) == []
    corrected = said(project, run_id).of_type("Landing")[1]
    assert (corrected.values["boxes"], corrected.changed) == (26, ("boxes",))
    schema = accepted_schema(project, run_id)
    assert schema is not None
    model_said = load_records(project, run_id, schema, load_run(project, run_id).document_ids)
    assert model_said.of_type("Landing")[1].values["boxes"] == 25


def test_every_document_keeps_the_version_and_the_context_it_was_parsed_with(finished: tuple[Project, str]) -> None:
    project, run_id = finished
    parsed = parsed_documents(project, run_id)
    assert {one.version for one in parsed.values()} == {1}
    (mark,) = {one.context for one in parsed.values()}
    assert mark.startswith("context-")
    edit(project, run_id, Rename(path=("Launch",), name="Boat"))
    accept(project, run_id, Scripted(edited_answer))
    assert {(one.version, one.context) for one in parsed_documents(project, run_id).values()} == {(2, mark)}
    assert newest_schema(project, run_id).get("Boat").label == "name"
