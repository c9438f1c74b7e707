"""The Answer page, checked: what each sentence rests on, what speaks against it, coverage, and a look at the silent."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from r3con_core.changes import ExcludeDocument, Look, RejectRecord, Verdict
from r3con_core.overlay import data_of
from r3con_core.records import Record
from r3con_core.store import answers as answer_rows
from r3con_core.store.answers import load_answer
from r3con_core.store.changes import add_change, list_changes
from r3con_core.store.project import Project
from r3con_core.store.runs import load_run
from tests.fakes import finished_inquiry
from tests.pages.opened import click, open_page
from tests.pages.test_answer import with_sentences, words


@pytest.fixture
def finished(home: Path) -> tuple[Project, str]:
    return finished_inquiry(home / "projects")


def answer_page(run_id: str, **params: str) -> AppTest:
    return open_page("answer", project="inquiry", run=run_id, **params)


def cited(project: Project, run_id: str, sentence: int) -> Record:
    data, answer = data_of(project, run_id), load_answer(project, run_id)
    assert data is not None
    assert answer is not None
    return data.get(answer.sentences[sentence].record_ids[0])


def test_every_sentence_has_its_state_in_words_and_the_first_line_counts_them(finished: tuple[Project, str]) -> None:
    told = words(answer_page(finished[1]))
    assert "**3 of 8 sentences rest on records whose quotes were found**" in told
    assert "4 have something that may speak against them" in told
    for count, state in (
        (3, ":green[:material/check_circle: Rests on records whose quotes were found]"),
        (2, ":blue[:material/visibility: Rests on records to look at]"),
        (1, ":orange[:material/incomplete_circle: Rests on its records in part]"),
        (1, ":gray[:material/search_off: Says what was not found]"),
        (1, ":red[:material/cancel: Rests on nothing]"),
    ):
        assert told.count(state) == count, state


def test_what_a_sentence_says_beyond_its_records_is_named(finished: tuple[Project, str]) -> None:
    told = words(answer_page(finished[1]))
    assert "In none of its records, and not from the code: **Anton Marek**" in told
    assert "Worked out by the code: 372,000, 30" in told
    assert "R28: additional\\_orders is in its document, not in its quotes" in told
    assert "R27: its document denies it" in told


def test_what_speaks_against_a_sentence_stands_under_it(finished: tuple[Project, str]) -> None:
    at = answer_page(finished[1])
    labels = [found.label for found in at.expander if "speak against" in found.label]
    assert labels == [f"What may speak against this ({n} record{'s' * (n > 1)})" for n in (3, 1, 1, 2)]
    for sentence in range(1, 9):
        at.session_state[f"against-{sentence}"] = True
    at.run()
    first = "\n".join(element.value for element in at.expander[0].markdown)
    assert "**Another price**: 1,420,000, where the sentence rests on 1,240,000" in first
    assert "**Denied in like words**" in first
    assert "**Set aside**" in first
    assert "Document 13" in "\n".join(element.value for element in at.expander[0].caption)


def test_a_change_of_a_cited_record_is_told_on_top_and_at_the_sentence(finished: tuple[Project, str]) -> None:
    project, run_id = finished
    record = cited(project, run_id, 1)
    add_change(project, run_id, RejectRecord(of=record), author="Ada", note="superseded <b>list</b>")
    at = answer_page(run_id)
    assert "changed after it was written: R8." in at.warning[0].value
    assert "R8 was changed by Ada on" in words(at)
    assert "superseded \\<b\\>list" in words(at)
    assert "R8: it is set aside or taken out, so nothing rests on it" in words(at)


def test_coverage_names_what_was_not_read(finished: tuple[Project, str]) -> None:
    project, run_id = finished
    first = load_run(project, run_id).document_ids[0]
    add_change(project, run_id, ExcludeDocument(document_id=first, round=2), author="Ada")
    at = answer_page(run_id, tab="coverage")
    assert "1 document excluded by a person" in words(at)
    assert "It needs no record, but it may stand in what was not read: 1 document excluded by a person." in words(at)
    assert "40 documents in this run; 40 documents in the project" in words(at)
    labels = [found.label for found in at.expander if "speak against" not in found.label]
    assert labels[0] == "Excluded from this run by a person (1)"


def test_a_complete_coverage_says_so(finished: tuple[Project, str]) -> None:
    at = answer_page(finished[1], tab="coverage")
    assert "It needs no record. Everything that was given was read." in words(at)
    assert at.success[0].value == "Every file of the project was read, by every stage, to its last page."


def test_a_look_is_kept_with_its_author_and_note_and_the_next_document_follows(finished: tuple[Project, str]) -> None:
    project, run_id = finished
    at = answer_page(run_id, tab="missed")
    at.number_input(key="elusion-size").set_value(5).run()
    first = str(at.selectbox(key="elusion-document").value)
    click(at, "Nothing missed")
    second = str(at.selectbox(key="elusion-document").value)
    assert second != first
    at.text_input(key="elusion-note").set_value("The wife's maiden name").run()
    click(at, "Something was missed")
    entries = list_changes(project, run_id)
    assert [entry.change for entry in entries] == [
        Look(document_id=first, verdict=Verdict.NOTHING),
        Look(document_id=second, verdict=Verdict.MISSED),
    ]
    assert entries[1].note == "The wife's maiden name"
    assert "Something was missed in 1 of 2 documents looked at." in at.warning[0].value
    at.selectbox(key="elusion-document").set_value(second).run()
    links = {link.proto.label: link.proto.query_string for link in at.get("page_link")}
    assert f"doc={second}" in links["Have it read again"]


def test_an_answer_of_many_sentences_is_shown_in_stretches(
    finished: tuple[Project, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pages.widgets.answer.answer_text.SENTENCES_SHOWN", 3)
    project, run_id = finished
    answer = load_answer(project, run_id)
    assert answer is not None
    with_sentences(project, run_id, *answer.sentences)
    at = answer_page(run_id)
    assert "The mayor knew" not in words(at)
    at.selectbox(key="answer-from").set_value(6).run()
    assert "The mayor knew" in words(at)


def test_an_answer_read_before_this_was_kept_has_no_false_changes(finished: tuple[Project, str]) -> None:
    project, run_id = finished
    assert answer_rows.answer_time(project, run_id) > ""
    assert answer_rows.answer_time(project, "run-unknown") == ""
    assert not [found for found in answer_page(run_id).warning if "changed after" in found.value]
