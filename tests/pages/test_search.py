"""The Search tab: words in all documents, filters, and the way to the place."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.widgets.documents.search import folders_of, marked
from r3con_core.documents import Span
from r3con_core.store.documents import add_documents, list_documents
from r3con_core.store.project import Project, create_project
from tests.fakes import text_document
from tests.pages.opened import open_page


@pytest.fixture
def trial(home: Path) -> Project:
    project = create_project(home / "projects", "Trial")
    texts = {
        "box/zh.txt": "诺斯戴尔港务局于2021年6月3日向羽毛笔咨询公司支付了五万欧元。",
        "box/en.txt": "The *Petrel* was seen at Lime Quay, and [paid](http://evil.example) there.",
        "other.txt": "Nothing of note.",
    }
    add_documents(project, [text_document(text, path=path) for path, text in texts.items()], [])
    return project


def look_for(words: str) -> AppTest:
    at = open_page(project="trial", tab="search")
    at.text_input(key="search-words").set_value(words).run()
    assert not at.exception
    return at


def test_a_chinese_word_is_found_with_its_place(trial: Project) -> None:
    at = look_for("羽毛笔")
    assert any(one.value == "**1 document found**" for one in at.markdown)
    (passage,) = [one.value for one in at.markdown if "orange-background" in one.value]
    assert ":orange-background[**羽毛笔**]" in passage
    link = at.main.get("page_link")[0].proto
    assert link.label.endswith("box/zh.txt")
    assert f"doc={list_documents(trial)[0].id}" in link.query_string
    assert "at=18-21" in link.query_string


@pytest.mark.usefixtures("trial")
def test_words_of_documents_are_shown_letter_by_letter() -> None:
    at = look_for("petrel")
    (passage,) = [one.value for one in at.markdown if "orange-background" in one.value]
    assert r"\*:orange-background[**Petrel**]\* was seen" in passage
    assert r"\[paid\]\(http" in passage


@pytest.mark.usefixtures("trial")
def test_what_is_in_no_document_is_said_to_be_so() -> None:
    assert look_for("zeppelin").info[0].value.startswith("No document has all of that.")


@pytest.mark.usefixtures("trial")
def test_a_folder_narrows_the_search() -> None:
    at = look_for("of")
    at.selectbox(key="search-folder").set_value("box").run()
    assert at.info[0].value.startswith("No document has all of that.")


@pytest.mark.usefixtures("trial")
def test_a_search_named_in_the_address_is_open_at_once() -> None:
    at = open_page(project="trial", tab="search", find="Lime Quay")
    assert any(one.value == "**1 document found**" for one in at.markdown)


def test_blanks_beside_marks_are_kept() -> None:
    assert marked("1. see it now", [Span(start=3, end=6)]) == r"1\. :orange-background[**see**] it now"


def test_folders_are_those_on_disk_and_those_that_are_files() -> None:
    assert folders_of(["a/b/c.zip > d/e.txt", "a/f.txt", "g.eml > h.pdf"]) == ["a", "a/b", "a/b/c.zip", "g.eml"]
