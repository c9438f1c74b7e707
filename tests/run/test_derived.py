"""Runs that begin from another: what is kept is not asked again, and the calls are exactly those that were said."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from r3con_core.answers import Mode
from r3con_core.changes import EditSnippet, ExcludeDocument, Hint, RejectRecord
from r3con_core.cli.telling import coverage_text
from r3con_core.costs import forecast
from r3con_core.derived import (
    PlannedRun,
    added_documents,
    begun_from,
    choices_again,
    estimate_planned,
    make_planned,
    plan_ablation,
    plan_added,
    plan_follow_up,
    plan_repeats,
    plan_second_reading,
    repeats_of,
    why_not,
)
from r3con_core.documents import Corpus
from r3con_core.errors import CorpusError, StoreError
from r3con_core.estimates.figures import Calibration
from r3con_core.exchange import Prompt, Stage
from r3con_core.exports.contents import load_contents
from r3con_core.jobs import ModelChoice
from r3con_core.overlay import context_of, data_of
from r3con_core.records import NO_STRUCTURE, Standing
from r3con_core.relations import Relation
from r3con_core.run import answer_question, carry
from r3con_core.run_method import Equipment
from r3con_core.runs import RunSettings, RunState
from r3con_core.snippets import Digest
from r3con_core.stages import Models
from r3con_core.store.answers import load_answer
from r3con_core.store.calls import list_calls, remembering
from r3con_core.store.changes import add_change, list_changes, undo_change
from r3con_core.store.decisions import hold_documents
from r3con_core.store.digests import save_digests
from r3con_core.store.documents import LedgerEntry, add_documents
from r3con_core.store.project import Project
from r3con_core.store.records import load_records
from r3con_core.store.runs import claim_run, list_runs, load_run, release_run
from r3con_core.store.schemas import accepted_schema, accepted_version, schema_versions
from r3con_core.store.sights import iter_sights
from r3con_core.verify.runs import verify_run
from tests.fakes import (
    Scripted,
    carry_scripted,
    finished_harbour,
    harbour_answer,
    harbour_documents,
    harbour_project,
    start_harbour_run,
    text_project,
)
from tests.harbour_script import QUESTION
from tests.remembered import open_remembered

OTHER = ModelChoice(model="other", base_url="http://127.0.0.1:9/v1")
ANOTHER_QUESTION = "Which launch landed cases at Town Quay?"
READ_ALL = {Stage.FOCUS: 1, Stage.RELEVANCE: 20, Stage.PARSING: 11, Stage.REASONING: 2}
"""Ten documents in two rounds; one document is parsed twice, since its quote is not found."""


def carried(
    project: Project, planned: PlannedRun, answer: Callable[[Prompt], str] | None = None
) -> tuple[str, Counter[Stage]]:
    """The planned run as far as it goes; its id, and what the models were asked."""
    run = make_planned(project, planned)
    model = Scripted(answer or harbour_answer)
    settings = run.settings
    read, reason = (
        remembering(project, run.id, name, "this computer", model, repeat=settings.repeat)
        for name in (settings.model, settings.reasoning_model or settings.model)
    )
    claim_run(project, run.id, pid=1)
    carry(project, run.id, Models(reading=read, reasoning=reason), Equipment(sandbox=open_remembered))
    release_run(project, run.id)
    return run.id, Counter(prompt.stage for prompt in model.prompts)


def grown_harbour(root: Path) -> tuple[Project, str]:
    """A finished run over eight documents, and two more that were added since."""
    documents = harbour_documents()
    project = text_project(root, documents[:8], "Harbour")
    run_id = start_harbour_run(project, straight_through=True)
    carry_scripted(project, run_id, Scripted())
    lines = [LedgerEntry(path=d.source.path, outcome="read", reason="", document_id=d.id) for d in documents[8:]]
    add_documents(project, documents[8:], lines)
    return project, run_id


def first_calls(project: Project, planned: PlannedRun) -> dict[tuple[Stage, int], int]:
    """What the estimate says is likely asked for the first time, by stage and round."""
    parts = estimate_planned(project, planned, Calibration()).parts
    return {(part.stage, part.round): round(part.first.likely) for part in parts if round(part.first.likely)}


def test_a_second_reading_asks_another_model_to_reason_and_nothing_else(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    planned = plan_second_reading(project, run_id, reasoning=OTHER)
    second, asked = carried(project, planned)
    assert asked == {Stage.REASONING: 2}
    assert first_calls(project, planned) == {(Stage.REASONING, 0): 2}
    assert data_of(project, second) == data_of(project, run_id)
    assert context_of(project, second) == context_of(project, run_id)
    run = load_run(project, second)
    assert (run.parent, run.relation, run.settings.reasoning_model) == (run_id, "second reading", "other")


def test_a_second_reading_in_the_other_mode_asks_one_call(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    second, asked = carried(project, plan_second_reading(project, run_id, mode=Mode.DIRECT))
    answer = load_answer(project, second)
    assert (asked, answer.mode if answer else None) == ({Stage.REASONING: 1}, Mode.DIRECT)


def test_a_second_reading_by_the_same_model_and_mode_asks_nothing(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    second, asked = carried(project, plan_second_reading(project, run_id))
    assert asked == {}
    first, again = load_answer(project, run_id), load_answer(project, second)
    assert first is not None
    assert again is not None
    assert again.sentences == first.sentences


def test_corrections_are_kept_with_their_authors_and_those_taken_back_are_not(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    data = data_of(project, run_id)
    assert data is not None
    add_change(project, run_id, RejectRecord(of=data.records[0]), author="ann", note="wrong quay")
    gone = add_change(project, run_id, RejectRecord(of=data.records[1]), author="ann")
    undo_change(project, run_id, gone.number, author="ann")
    second, _ = carried(project, plan_second_reading(project, run_id, mode=Mode.DIRECT))
    (entry,) = list_changes(project, second)
    assert (entry.change, entry.author, entry.note) == (RejectRecord(of=data.records[0]), "ann", "wrong quay")
    kept = data_of(project, second)
    assert kept is not None
    assert [record.standing for record in kept.records[:2]] == [Standing.REJECTED, Standing.KEPT]
    assert verify_run(project, second).faults == ()


def test_a_change_of_the_second_reading_leaves_the_first_as_it_is(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    second, _ = carried(project, plan_second_reading(project, run_id, mode=Mode.DIRECT))
    before = data_of(project, run_id)
    assert before is not None
    add_change(project, second, RejectRecord(of=before.records[0]), author="ann")
    assert data_of(project, run_id) == before


def test_a_follow_up_on_the_same_records_asks_the_new_question_once(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    planned = plan_follow_up(project, run_id, ANOTHER_QUESTION, Relation.SAME_RECORDS)
    after, asked = carried(project, planned)
    assert asked == {Stage.REASONING: 2}
    assert first_calls(project, planned) == {(Stage.REASONING, 0): 2}
    assert load_run(project, after).task.text == ANOTHER_QUESTION
    (call, *_) = list_calls(project, after, Stage.REASONING)
    assert ANOTHER_QUESTION in "\n".join(message.content for message in call.prompt.messages)


def test_a_follow_up_that_reads_again_offers_the_schema_and_waits(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    planned = plan_follow_up(project, run_id, ANOTHER_QUESTION, Relation.READ_AGAIN)
    after, asked = carried(project, planned)
    assert asked == {Stage.FOCUS: 1, Stage.RELEVANCE: 20}
    assert load_run(project, after).state is RunState.WAITING
    assert accepted_schema(project, after) is None
    assert [v.schema for v in schema_versions(project, after)] == [v.schema for v in schema_versions(project, run_id)]
    assert first_calls(project, planned) == {
        (Stage.FOCUS, 0): 1,
        (Stage.RELEVANCE, 1): 10,
        (Stage.RELEVANCE, 2): 10,
        (Stage.PARSING, 0): 10,
        (Stage.REASONING, 0): 2,
    }


def test_documents_that_were_excluded_stay_out_of_a_follow_up_from_the_beginning(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    out = load_run(project, run_id).document_ids[4]
    add_change(project, run_id, ExcludeDocument(document_id=out, round=1), author="ann")
    add_change(project, run_id, Hint(round=1, text="look for nights"), author="ann")
    after, asked = carried(project, plan_follow_up(project, run_id, ANOTHER_QUESTION, Relation.READ_AGAIN))
    assert [entry.change for entry in list_changes(project, after)] == [ExcludeDocument(document_id=out, round=0)]
    assert asked == {Stage.FOCUS: 1, Stage.RELEVANCE: 18}


def test_added_documents_alone_are_read_and_the_others_keep_what_they_gave(tmp_path: Path) -> None:
    project, run_id = grown_harbour(tmp_path)
    planned = plan_added(project, run_id, Relation.ADDED_ONLY)
    after, asked = carried(project, planned)
    assert asked == {Stage.RELEVANCE: 4, Stage.PARSING: 3, Stage.REASONING: 2}
    assert first_calls(project, planned) == {
        (Stage.RELEVANCE, 1): 2,
        (Stage.RELEVANCE, 2): 2,
        (Stage.PARSING, 0): 2,
        (Stage.REASONING, 0): 2,
    }
    before, now = context_of(project, run_id), context_of(project, after)
    assert [of.snippets[:8] for of in now.rounds] == [of.snippets for of in before.rounds]
    assert [len(of.snippets) for of in now.rounds] == [10, 10]
    records, more = data_of(project, run_id), data_of(project, after)
    assert records is not None
    assert more is not None
    assert more.records[: len(records.records)] == records.records
    assert len(more.records) > len(records.records)


def test_all_that_added_documents_change_is_read_again_and_the_rest_is_not_asked(tmp_path: Path) -> None:
    project, run_id = grown_harbour(tmp_path)
    planned = plan_added(project, run_id, Relation.ALL_AGAIN)
    after, asked = carried(project, planned)
    assert asked == {Stage.RELEVANCE: 2 + 10, Stage.PARSING: 11, Stage.REASONING: 2}
    assert first_calls(project, planned) == {
        (Stage.RELEVANCE, 1): 2,
        (Stage.RELEVANCE, 2): 10,
        (Stage.PARSING, 0): 10,
        (Stage.REASONING, 0): 2,
    }
    assert accepted_version(project, after) == accepted_version(project, run_id)
    assert load_run(project, after).state is RunState.DONE


def test_what_people_steered_holds_when_documents_are_added(tmp_path: Path) -> None:
    project, run_id = grown_harbour(tmp_path)
    first = load_run(project, run_id).document_ids[0]
    add_change(project, run_id, EditSnippet(document_id=first, round=1, text="A grey launch."), author="ann")
    after, _ = carried(project, plan_added(project, run_id, Relation.ALL_AGAIN))
    assert context_of(project, after).rounds[0].snippets[0].text == "A grey launch."


def test_a_repeat_asks_everything_anew_under_the_same_schema(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    (planned,) = plan_repeats(project, run_id, 1)
    repeat, asked = carried(project, planned)
    assert asked == READ_ALL
    assert accepted_schema(project, repeat) == accepted_schema(project, run_id)
    assert load_run(project, repeat).settings.repeat == 1
    assert verify_run(project, repeat).faults == ()


def test_each_repeat_asks_anew_and_one_carried_twice_asks_nothing_more(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    first, second = plan_repeats(project, run_id, 2)
    assert [first.choices.repeat, second.choices.repeat] == [1, 2]
    assert carried(project, first)[1] == carried(project, second)[1] == READ_ALL
    assert carried(project, first)[1] == {}
    (third,) = plan_repeats(project, run_id, 1)
    assert third.choices.repeat == 3


def test_a_repeat_of_a_repeat_is_one_of_the_run_itself(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    repeat, _ = carried(project, plan_repeats(project, run_id, 1)[0])
    (planned,) = plan_repeats(project, repeat, 1)
    assert (planned.parent.id, planned.choices.repeat) == (run_id, 2)
    again, _ = carried(project, planned)
    runs = list_runs(project)
    assert [one.id for one in repeats_of(runs, load_run(project, again))] == [run_id, repeat, again]


def test_without_structure_only_the_answer_is_asked_and_it_rests_on_the_snippets(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    planned = plan_ablation(project, run_id, Relation.WITHOUT_STRUCTURE)
    bare, asked = carried(project, planned)
    assert asked == {Stage.REASONING: 1}
    assert first_calls(project, planned) == {(Stage.REASONING, 0): 1}
    assert data_of(project, bare) == NO_STRUCTURE
    assert context_of(project, bare) == context_of(project, run_id)
    (call,) = list_calls(project, bare)
    said = "\n".join(message.content for message in call.prompt.messages)
    assert "the Petrel landed 20 cases at Lime Quay" in said
    assert "records>" not in said
    answer = load_answer(project, bare)
    assert answer is not None
    assert (answer.mode, answer.record_ids, answer.unknown_citations) == (Mode.DIRECT, (), ())
    assert verify_run(project, bare).faults == ()


def test_without_relevance_no_prompt_shows_a_snippet(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    planned = plan_ablation(project, run_id, Relation.WITHOUT_RELEVANCE)
    bare, asked = carried(project, planned)
    assert asked == {Stage.SCHEMA: 1, Stage.PARSING: 11, Stage.REASONING: 2}
    assert first_calls(project, planned) == {(Stage.SCHEMA, 0): 1, (Stage.PARSING, 0): 10, (Stage.REASONING, 0): 2}
    assert context_of(project, bare).rounds == ()
    for call in list_calls(project, bare):
        assert " notes>" not in "\n".join(message.content for message in call.prompt.messages)
    assert verify_run(project, bare).faults == ()


@pytest.mark.parametrize(
    ("left_out", "asked"),
    [
        ("structure", {Stage.FOCUS: 1, Stage.RELEVANCE: 20, Stage.REASONING: 1}),
        ("relevance", {Stage.SCHEMA: 1, Stage.PARSING: 11, Stage.REASONING: 2}),
    ],
)
def test_a_run_made_without_a_stage_goes_its_whole_way(tmp_path: Path, left_out: str, asked: dict[Stage, int]) -> None:
    project = harbour_project(tmp_path)
    model = Scripted()
    run_id = start_harbour_run(project, straight_through=True, **{left_out: False})
    assert carry_scripted(project, run_id, model) is RunState.DONE
    assert Counter(prompt.stage for prompt in model.prompts) == asked
    assert forecast(project, run_id).calls_left.high == 0
    assert verify_run(project, run_id).faults == ()


def test_a_question_answered_in_memory_leaves_a_stage_out_as_well() -> None:
    model, corpus = Scripted(), Corpus(documents=harbour_documents())
    settings = RunSettings(model="scripted", structure=False)
    result = answer_question(QUESTION, corpus, Models(reading=model, reasoning=model), settings)
    assert (result.structured_data, len(result.relevant_context.rounds)) == (NO_STRUCTURE, 2)
    again = answer_question(
        QUESTION, corpus, Models(reading=model, reasoning=model), replace(settings, structure=True, relevance=False)
    )
    assert again.relevant_context.rounds == ()
    assert len(again.structured_data.records) == 7


def test_the_forecast_of_a_second_reading_counts_reasoning_alone(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    run = make_planned(project, plan_second_reading(project, run_id, reasoning=OTHER))
    assert round(forecast(project, run.id, tmp_path).calls_left.likely) == 2


def test_documents_held_back_since_are_left_out_of_all_that_follows(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    ids = load_run(project, run_id).document_ids
    held = ids[5]
    save_digests(project, run_id, 2, (Digest(level=1, number=1, covers=ids, text="what counsel says", cut=False),))
    hold_documents(project, [held], author="ann", note="from counsel")
    after, asked = carried(project, plan_second_reading(project, run_id, mode=Mode.DIRECT))
    data = data_of(project, after)
    assert data is not None
    assert asked == {Stage.REASONING: 1}
    assert held not in {record.document_id for record in data.records}
    assert held not in {snippet.document_id for snippet in context_of(project, after).snippets}
    assert context_of(project, after).last.digests == ()
    assert not any(held in (*sight.whole, *sight.shortened, *sight.digested) for sight in iter_sights(project, after))


def test_a_run_whose_documents_are_all_held_back_is_refused(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    hold_documents(project, load_run(project, run_id).document_ids, author="ann", note="from counsel")
    with pytest.raises(CorpusError, match="held back"):
        plan_second_reading(project, run_id)


def test_what_needs_a_finished_run_says_so(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    waiting = start_harbour_run(project)
    with pytest.raises(StoreError, match="needs a run that is done"):
        plan_second_reading(project, waiting)
    assert why_not(project, load_run(project, waiting), Relation.REPEAT) == "That run has no accepted schema yet."
    assert why_not(project, load_run(project, run_id), Relation.ADDED_ONLY) == "No documents were added since."
    assert added_documents(project, load_run(project, run_id)) == ()


def test_a_run_steered_since_it_was_done_must_go_on_before_its_records_are_kept(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    first = load_run(project, run_id).document_ids[0]
    add_change(project, run_id, EditSnippet(document_id=first, round=1, text="A grey launch."), author="ann")
    assert "Let it go on first" in why_not(project, load_run(project, run_id), Relation.SECOND_READING)


def test_an_ablation_cannot_leave_both_stages_out(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    bare, _ = carried(project, plan_ablation(project, run_id, Relation.WITHOUT_STRUCTURE))
    assert (
        why_not(project, load_run(project, bare), Relation.WITHOUT_RELEVANCE) == "That run leaves a stage out already."
    )
    assert why_not(project, load_run(project, bare), Relation.SECOND_READING) == (
        "That run made no records, so there are none to keep."
    )


def test_the_choices_of_a_run_are_those_it_was_made_with(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    assert choices_again(project, run_id).settings() == replace(load_run(project, run_id).settings, seal="")


def test_what_models_said_is_copied_word_for_word(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    run = make_planned(project, plan_second_reading(project, run_id))
    schema = accepted_schema(project, run_id)
    assert schema is not None
    assert load_records(project, run.id, schema, run.document_ids) == load_records(
        project, run_id, schema, run.document_ids
    )


def test_a_run_that_came_without_the_one_it_began_from_can_still_be_carried_and_told(tmp_path: Path) -> None:
    project, run_id = grown_harbour(tmp_path)
    run = make_planned(project, plan_added(project, run_id, Relation.ADDED_ONLY))
    with project.change() as db:
        db.execute("update runs set parent = 'run-elsewhere' where id = ?", (run.id,))
    model = Scripted()
    assert carry_scripted(project, run.id, model) is RunState.DONE
    assert Counter(prompt.stage for prompt in model.prompts) == {
        Stage.RELEVANCE: 4,
        Stage.PARSING: 3,
        Stage.REASONING: 2,
    }
    assert begun_from(project, load_run(project, run.id)).startswith(
        "2 documents were added and read. The other 8 kept"
    )
    assert forecast(project, run.id).calls_left.high == 0


def test_a_run_from_the_documents_has_nothing_to_tell_of_an_earlier_one(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    assert begun_from(project, load_run(project, run_id)) == ""


def test_coverage_says_that_relevance_was_left_out(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    bare, _ = carried(project, plan_ablation(project, run_id, Relation.WITHOUT_RELEVANCE))
    assert coverage_text(load_contents(project, bare)) == (
        "Relevance is left out: 10 documents are parsed without having been read for it."
    )
