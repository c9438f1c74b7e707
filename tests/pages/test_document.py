"""The Document page: what a document is, and the states without one."""

from dataclasses import replace
from pathlib import Path

from streamlit.testing.v1 import AppTest

from pages.widgets.viewer import utf16_offsets
from r3con_core.store.documents import add_documents, list_documents
from r3con_core.store.project import Project
from tests.fakes import finished_harbour, text_document
from tests.pages.opened import click, open_page


def document(document_id: str, **params: str) -> AppTest:
    """The page as a link to a document opens it."""
    at = open_page("document", project="harbour")
    for name, value in {"doc": document_id, **params}.items():
        at.query_params[name] = value
    at.run()
    assert not at.exception
    return at


def test_a_document_says_where_it_came_from(project: Project) -> None:
    line = list_documents(project)[5]
    told = document(line.id).main.caption[0].value
    assert "06_letter_of_5_march.txt" in told
    assert f"text · {line.words} words" in told


def test_date_author_and_warnings_are_shown_letter_by_letter(project: Project) -> None:
    strange = replace(
        text_document("A [link](http://x).", path="x.txt"),
        date="1931-03-04",
        author="*Venn*",
        warnings=("Page 2 has no **text**.",),
    )
    add_documents(project, [strange], [])
    at = document(strange.id)
    assert r"by \*Venn\*" in at.main.caption[0].value
    assert r"Page 2 has no \*\*text\*\*." in at.warning[0].value


def test_the_next_document_is_one_press_away(project: Project) -> None:
    first, second = (line.id for line in list_documents(project)[:2])
    at = document(first)
    (before,) = [button for button in at.main.button if button.label == "Previous"]
    assert before.disabled
    click(at, "Next")
    assert at.query_params["doc"] == second


def test_an_unknown_document_is_said_to_be_so(project: Project) -> None:
    assert list_documents(project)
    at = document("doc-0")
    assert at.subheader[0].value == "This document is not in this project"
    click(at, "See the documents")
    assert at.title[0].value == "Documents"


def test_a_place_behind_the_end_is_said_to_be_missing(home: Path) -> None:
    project, _ = finished_harbour(home / "projects")
    at = document(list_documents(project)[0].id, at="900000-900010")
    assert "a place that this document does not have" in at.info[0].value


def test_offsets_count_wide_letters_twice_as_browsers_do() -> None:
    assert utf16_offsets("a😀b", [0, 1, 2, 3]) == {0: 0, 1: 1, 2: 3, 3: 4}
    assert utf16_offsets("größe", [2, 9]) == {2: 2, 9: 5}
