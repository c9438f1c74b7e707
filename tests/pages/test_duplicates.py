"""The Duplicates tab: what is alike, where it lies, and what differs."""

from pathlib import Path

import pytest

from pages.widgets.documents.duplicates import AROUND, passages_of
from r3con_core.documents import Span
from r3con_core.store.documents import LedgerEntry, add_documents
from r3con_core.store.project import Project, create_project
from tests.fakes import text_document
from tests.pages.opened import open_page

LETTER = " ".join(f"The harbour board met on day {day} and the minutes say what was paid." for day in range(40))


@pytest.fixture
def trial(home: Path) -> Project:
    return create_project(home / "projects", "Trial")


def test_the_same_file_is_shown_once_with_all_its_places(trial: Project) -> None:
    document = text_document("Words.", path="a/one.txt")
    lines = [
        LedgerEntry(path="a/one.txt", outcome="read", reason="", document_id=document.id),
        LedgerEntry(path="b/[two].txt", outcome="duplicate", reason="the same bytes", document_id=document.id),
    ]
    add_documents(trial, [document], lines)
    at = open_page(project="trial", tab="duplicates")
    assert at.pills[0].value == "the same file"
    assert "- a/one.txt\n" + r"- b/\[two\].txt" in [one.value for one in at.markdown]


def test_the_same_text_in_two_files_is_told_and_both_stay_documents(trial: Project) -> None:
    add_documents(trial, [text_document(LETTER, path="a.txt"), text_document(f"{LETTER}\n", path="b.txt")], [])
    at = open_page(project="trial", tab="duplicates")
    assert at.pills[0].value == "the same text"
    assert [link.proto.label for link in at.tabs[6].get("page_link")] == ["1 · a.txt", "2 · b.txt"]


def test_texts_that_nearly_agree_are_shown_with_their_differences(trial: Project) -> None:
    first = text_document(LETTER, path="a.txt")
    second = text_document(LETTER.replace("day 20", "day 999"), path="b.txt")
    add_documents(trial, [first, second], [])
    at = open_page(project="trial", tab="duplicates")
    assert at.pills[0].value == "nearly the same text"
    (offer,) = [one.label for one in at.expander if "in common" in one.label]
    assert offer.endswith(" % in common with the first: show the differences")
    at.session_state[f"differences-{first.id}-{second.id}"] = True
    at.run()
    told = "\n".join(one.value for one in at.markdown)
    assert "**Only in a.txt**" in told
    assert ":red-background[**20**]" in told
    assert ":green-background[**999**]" in told


def test_a_project_without_duplicates_says_so(trial: Project) -> None:
    add_documents(trial, [text_document("Words.")], [])
    at = open_page(project="trial", tab="duplicates")
    assert at.info[0].value == "No two files and no two documents are alike."


def test_differences_near_each_other_are_one_passage_on_one_line() -> None:
    text = f"{'a' * 100}\nred{' ' * 20}blue{'b' * 500}green"
    spans = [Span(start=101, end=104), Span(start=124, end=128), Span(start=628, end=633)]
    near, far = passages_of(text, spans)
    assert [near.text[mark.start : mark.end] for mark in near.marks] == ["red", "blue"]
    assert "\n" not in near.text
    assert [far.text[mark.start : mark.end] for mark in far.marks] == ["green"]
    assert len(far.text) == AROUND + len("green")
