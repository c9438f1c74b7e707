"""Runs that people steer between rounds, with a scripted model: what is asked then, what is kept, what comes back."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from r3con_core.answers import Mode
from r3con_core.changes import AddRound, EditSnippet, ExcludeDocument, Hint, PinSnippet, Steer, VetoSnippet
from r3con_core.errors import R3ConError, StoreError
from r3con_core.exchange import Prompt, Reply, Stage
from r3con_core.jobs import accept_and_queue, apply_steering, go_on, requeue, steer
from r3con_core.overlay import context_of, data_of
from r3con_core.progress import progress_of
from r3con_core.run_relevance import relevance_stands
from r3con_core.runs import MAX_ROUNDS, RunState
from r3con_core.snippets import Author, RelevanceSnippet
from r3con_core.store import runs as run_rows
from r3con_core.store.answers import load_answer
from r3con_core.store.changes import undo_change
from r3con_core.store.digests import load_digests
from r3con_core.store.project import Project
from r3con_core.store.snippets import load_context
from tests.fakes import (
    Scripted,
    carry_scripted,
    finished_harbour,
    harbour_answer,
    harbour_project,
    start_harbour_run,
    start_run,
    text_project,
)
from tests.harbour_script import ROUND_1, ROUND_2
from tests.run.test_outgrown import COUNT, answer, memo

WORDS = "The yellow barge of Abel Stone lay at Lime Quay all night."


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return harbour_project(tmp_path)


def between(project: Project, **choices: object) -> str:
    """A run that waits after its first round; its id."""
    run_id = start_harbour_run(project, between_rounds=True, straight_through=True, **choices)
    assert carry_scripted(project, run_id, Scripted()) is RunState.BETWEEN
    return run_id


def ids_of(project: Project, run_id: str) -> tuple[str, ...]:
    return run_rows.load_run(project, run_id).document_ids


def keep(project: Project, run_id: str, change: Steer) -> int:
    return steer(project, run_id, change, author="R. Marsh").number


def asked(model: Scripted, stage: Stage = Stage.RELEVANCE) -> list[tuple[int, str]]:
    return [(p.about.round, p.about.document_id) for p in model.prompts if p.stage is stage]


def again(project: Project, run_id: str, say: Callable[[Prompt], str] = harbour_answer) -> tuple[Scripted, RunState]:
    """The run with its changes taken in; the model that was asked."""
    apply_steering(project, run_id)
    model = Scripted(say)
    return model, carry_scripted(project, run_id, model)


def standing(project: Project, run_id: str, number: int) -> dict[str, RelevanceSnippet]:
    return {s.document_id: s for s in context_of(project, run_id).rounds[number - 1].snippets}


def test_a_run_waits_after_every_round_but_the_last_and_goes_on_when_told(project: Project) -> None:
    run_id = start_harbour_run(project, between_rounds=True, straight_through=True, rounds=3)
    model = Scripted()
    assert carry_scripted(project, run_id, model) is RunState.BETWEEN
    assert {number for number, _ in asked(model)} == {1}
    go_on(project, run_id)
    assert carry_scripted(project, run_id, model) is RunState.BETWEEN
    assert {number for number, _ in asked(model)} == {1, 2}
    go_on(project, run_id)
    assert carry_scripted(project, run_id, model) is RunState.DONE
    assert len(asked(model)) == 30
    with pytest.raises(StoreError, match="does not wait between two rounds"):
        go_on(project, run_id)


def test_a_steered_run_that_nobody_steered_is_the_same_run(tmp_path: Path) -> None:
    plain, plain_id = finished_harbour(tmp_path / "plain")
    project = harbour_project(tmp_path / "steered")
    run_id = between(project)
    go_on(project, run_id)
    carry_scripted(project, run_id, Scripted())
    assert context_of(project, run_id) == context_of(plain, plain_id)
    one, other = load_answer(plain, plain_id), load_answer(project, run_id)
    assert one is not None
    assert other is not None
    assert one.sentences == other.sentences


def test_an_edit_is_what_the_others_see_in_the_next_round_and_its_document_never_sees_it(project: Project) -> None:
    run_id = between(project)
    ids = ids_of(project, run_id)
    keep(project, run_id, EditSnippet(document_id=ids[8], round=1, text=WORDS))
    go_on(project, run_id)
    model = Scripted()
    assert carry_scripted(project, run_id, model) is RunState.DONE
    assert sorted(asked(model)) == sorted((2, each) for each in ids)
    for prompt in model.prompts:
        if prompt.stage is Stage.RELEVANCE:
            text = "\n".join(message.content for message in prompt.messages)
            assert (WORDS in text) == (prompt.about.document_id != ids[8])
            assert ROUND_1[9] not in text
    edited = standing(project, run_id, 1)[ids[8]]
    assert edited.author is Author.HUMAN
    assert edited.foreign == ("Abel Stone", "Lime Quay")
    said = load_context(project, run_id, ids).rounds[0].snippets[8]
    assert (said.text, said.author) == (ROUND_1[9], Author.MODEL)


def test_an_edit_after_the_end_asks_only_what_it_touches_and_taking_it_back_asks_nothing(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    ids = ids_of(project, run_id)
    before = context_of(project, run_id)
    number = keep(project, run_id, EditSnippet(document_id=ids[8], round=1, text=WORDS))
    assert not relevance_stands(project, run_rows.load_run(project, run_id))
    model, state = again(project, run_id)
    assert state is RunState.DONE
    assert sorted(asked(model)) == sorted((2, each) for each in ids if each != ids[8])
    assert asked(model, Stage.FOCUS) == []
    undo_change(project, run_id, number, author="R. Marsh")
    model, state = again(project, run_id)
    assert state is RunState.DONE
    assert model.prompts == []
    assert context_of(project, run_id) == before


def test_a_pinned_snippet_is_carried_over_without_a_call(project: Project) -> None:
    run_id = between(project)
    ids = ids_of(project, run_id)
    keep(project, run_id, PinSnippet(document_id=ids[0], round=1))
    go_on(project, run_id)
    model = Scripted()
    carry_scripted(project, run_id, model)
    assert sorted(asked(model)) == sorted((2, each) for each in ids[1:])
    carried = standing(project, run_id, 2)[ids[0]]
    assert (carried.text, carried.carried, carried.author) == (ROUND_1[1], True, Author.MODEL)
    assert [found.done for found in progress_of(project, run_id).rounds] == [10, 10]


def test_a_vetoed_snippet_is_shown_to_no_reader_and_no_later_stage(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    ids = ids_of(project, run_id)
    keep(project, run_id, VetoSnippet(document_id=ids[6], round=1))
    number = keep(project, run_id, VetoSnippet(document_id=ids[6], round=2))
    model, _ = again(project, run_id)
    assert sorted(asked(model)) == sorted((2, each) for each in ids if each != ids[6])
    assert len(asked(model, Stage.PARSING)) >= 10
    assert not any(ROUND_1[7] in m.content for p in model.prompts for m in p.messages)
    assert standing(project, run_id, 2)[ids[6]].text == ""
    undo_change(project, run_id, number, author="R. Marsh")
    assert standing(project, run_id, 2)[ids[6]].text == ROUND_2[7]


@pytest.mark.parametrize("after", [0, 1, 2])
def test_an_excluded_document_is_neither_read_nor_shown_nor_parsed_from_then_on(tmp_path: Path, after: int) -> None:
    project, run_id = finished_harbour(tmp_path)
    ids = ids_of(project, run_id)
    keep(project, run_id, ExcludeDocument(document_id=ids[9], round=after))
    model, state = again(project, run_id)
    assert state is RunState.DONE
    assert ids[9] not in {document_id for _, document_id in asked(model) + asked(model, Stage.PARSING)}
    assert not any(ROUND_1[10] in m.content for p in model.prompts for m in p.messages)
    assert sorted(asked(model)) == sorted((2, each) for each in ids[:9] if after < 2)
    data = data_of(project, run_id)
    assert data is not None
    assert {record.document_id for record in data.records} <= set(ids[:9])
    assert [found.documents for found in progress_of(project, run_id).rounds] == [
        9 if after < 1 else 10,
        10 - (after < 2),
    ]
    shown = "\n".join(m.content for p in model.prompts for m in p.messages)
    assert "Document 9: " in shown, "the others keep their numbers"


def test_a_hint_is_told_to_the_readers_of_its_round_alone(project: Project) -> None:
    run_id = between(project)
    keep(project, run_id, Hint(round=2, text="Who wore a red scarf?"))
    go_on(project, run_id)
    model = Scripted()
    carry_scripted(project, run_id, model)
    hinted = [p for p in model.prompts if "Who wore a red scarf?" in "".join(m.content for m in p.messages)]
    assert len(hinted) == 10
    assert {(p.stage, p.about.round) for p in hinted} == {(Stage.RELEVANCE, 2)}
    assert "- Who wore a red scarf?\n\nYour document is Document" in hinted[0].messages[-1].content


def test_one_more_round_of_chosen_documents_reads_them_and_carries_the_others(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    ids = ids_of(project, run_id)
    keep(project, run_id, AddRound(only=(ids[2], ids[7])))
    model, state = again(project, run_id)
    assert state is RunState.DONE
    assert sorted(asked(model)) == sorted([(3, ids[2]), (3, ids[7])])
    last = standing(project, run_id, 3)
    assert {each for each in ids if last[each].carried} == set(ids) - {ids[2], ids[7]}
    assert last[ids[0]].text == ROUND_2[1]
    assert len(progress_of(project, run_id).rounds) == 3


def test_one_more_round_can_be_taken_back(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    before = context_of(project, run_id)
    number = keep(project, run_id, AddRound())
    again(project, run_id)
    assert len(context_of(project, run_id).rounds) == 3
    undo_change(project, run_id, number, author="R. Marsh")
    model, _ = again(project, run_id)
    assert model.prompts == []
    assert context_of(project, run_id) == before


def test_no_more_rounds_than_the_most_can_be_added(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    for _ in range(MAX_ROUNDS - 2):
        keep(project, run_id, AddRound())
    with pytest.raises(R3ConError, match=f"at most {MAX_ROUNDS} rounds"):
        keep(project, run_id, AddRound())


def test_a_run_that_was_stopped_within_a_round_still_waits_after_it(project: Project) -> None:
    run_id = start_harbour_run(project, between_rounds=True, straight_through=True)
    model = Scripted()

    def dies(prompt: Prompt) -> Reply:
        if len(model.prompts) == 5:
            raise Killed
        return model(prompt)

    with pytest.raises(Killed):
        carry_scripted(project, run_id, dies)
    run_rows.set_state(project, run_id, RunState.INTERRUPTED)
    keep(project, run_id, PinSnippet(document_id=ids_of(project, run_id)[0], round=1))
    _, state = again(project, run_id)
    assert state is RunState.BETWEEN


def test_a_run_at_work_cannot_be_steered(project: Project) -> None:
    run_id = start_harbour_run(project)
    with pytest.raises(StoreError, match="Stop it, or wait for its end"):
        keep(project, run_id, AddRound())


def test_an_accepted_schema_stays_and_the_run_waits_before_it_parses_again(project: Project) -> None:
    run_id = start_harbour_run(project)
    carry_scripted(project, run_id, Scripted())
    accept_and_queue(project, run_id)
    assert carry_scripted(project, run_id, Scripted()) is RunState.DONE
    keep(project, run_id, VetoSnippet(document_id=ids_of(project, run_id)[1], round=1))
    model, state = again(project, run_id)
    assert state is RunState.WAITING
    assert asked(model, Stage.PARSING) == asked(model, Stage.SCHEMA) == []
    assert len(asked(model)) == 9
    accept_and_queue(project, run_id)
    model = Scripted()
    assert carry_scripted(project, run_id, model) is RunState.DONE
    assert asked(model) == []


class Killed(BaseException):
    """As a process ends: nothing catches it."""


@pytest.mark.parametrize("after", [0, 1, 5, 9, 10, 12])
def test_a_steered_run_that_is_killed_goes_on_without_asking_anything_twice(project: Project, after: int) -> None:
    run_id = between(project)
    ids = ids_of(project, run_id)
    keep(project, run_id, EditSnippet(document_id=ids[8], round=1, text=WORDS))
    keep(project, run_id, PinSnippet(document_id=ids[3], round=1))
    go_on(project, run_id)
    first = Scripted()

    def dies(prompt: Prompt) -> Reply:
        if len(first.prompts) == after:
            raise Killed
        return first(prompt)

    with pytest.raises(Killed):
        carry_scripted(project, run_id, dies)
    run_rows.set_state(project, run_id, RunState.INTERRUPTED)
    requeue(project, run_id)
    second = Scripted()
    assert carry_scripted(project, run_id, second) is RunState.DONE
    assert sorted(asked(first) + asked(second)) == sorted((2, each) for each in ids if each != ids[3])
    keys = [p.key("scripted") for p in (*first.prompts, *second.prompts)]
    assert len(keys) == len(set(keys))


def test_rounds_read_half_with_changes_that_were_taken_back_do_not_stand(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    ids = ids_of(project, run_id)
    before = context_of(project, run_id)
    number = keep(project, run_id, EditSnippet(document_id=ids[8], round=1, text=WORDS))
    apply_steering(project, run_id)
    model = Scripted(lambda prompt: json.dumps({"document_is": "", "facts": [f"Seen {prompt.about.round} times."]}))

    def dies(prompt: Prompt) -> Reply:
        if len(model.prompts) == 4:
            raise Killed
        return model(prompt)

    with pytest.raises(Killed):
        carry_scripted(project, run_id, dies)
    run_rows.set_state(project, run_id, RunState.INTERRUPTED)
    undo_change(project, run_id, number, author="R. Marsh")
    assert context_of(project, run_id) != before, "four were told anew"
    requeue(project, run_id)
    nothing = Scripted()
    assert carry_scripted(project, run_id, nothing) is RunState.DONE
    assert nothing.prompts == []
    assert context_of(project, run_id) == before


def test_digests_are_made_anew_of_the_groups_that_an_edit_touches_and_no_others(tmp_path: Path) -> None:
    documents = [memo(number) for number in range(1, COUNT + 1)]
    project = text_project(tmp_path, documents)
    run_id = start_run(project, "Who bought rye?", window=2048, mode=Mode.DIRECT)
    assert carry_scripted(project, run_id, Scripted(answer)) is RunState.DONE
    before = load_digests(project, run_id, 1)
    text = "Lot 999 of rye went to buyer B999 at Quay 9 for 90 pounds."
    number = keep(project, run_id, EditSnippet(document_id=documents[6].id, round=1, text=text))
    apply_steering(project, run_id)
    model = Scripted(answer)
    assert carry_scripted(project, run_id, model) is RunState.DONE
    remade = [prompt for prompt in model.prompts if prompt.stage is Stage.DIGEST and prompt.about.round == 1]
    touched = [digest for digest in before if documents[6].id in digest.covers]
    assert 0 < len(remade) <= len(touched) < len(before)
    after = load_digests(project, run_id, 1)
    assert [digest for digest in after if documents[6].id not in digest.covers] == [
        digest for digest in before if documents[6].id not in digest.covers
    ]
    assert "lot 999" in next(digest.text for digest in after if documents[6].id in digest.covers)
    undo_change(project, run_id, number, author="R. Marsh")
    model, _ = again(project, run_id, answer)
    assert model.prompts == []
    assert load_digests(project, run_id, 1) == before
