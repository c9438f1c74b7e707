"""The Documents page: projects, adding, the list, the ledger."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.widgets import adding
from r3con_core.corpora import add_paths
from r3con_core.store.documents import list_documents, list_ledger
from r3con_core.store.project import Project, create_project, open_project
from tests.fakes import harbour_project, start_harbour_run
from tests.pages.opened import click, open_page


@pytest.fixture
def trial(home: Path) -> Project:
    return create_project(home / "projects", "Trial")


def add_from(way: str) -> AppTest:
    at = open_page(project="trial")
    at.segmented_control[0].set_value(way).run()
    return at


def test_a_new_project_is_opened_and_asks_for_documents(home: Path) -> None:
    at = open_page()
    at.text_input[0].set_value("Lime Quay, 1931")
    click(at, "Make the project")
    assert open_project(home / "projects" / "lime-quay-1931").name == "Lime Quay, 1931"
    assert at.query_params["project"] == "lime-quay-1931"
    assert at.subheader[0].value == "Lime Quay, 1931 has no documents yet"


@pytest.mark.usefixtures("home")
def test_a_project_without_a_name_is_refused_where_it_was_asked_for() -> None:
    at = click(open_page(), "Make the project")
    assert [error.value for error in at.error] == ["A project needs a name with at least one letter or digit."]


@pytest.mark.usefixtures("trial")
def test_a_name_that_is_taken_is_refused() -> None:
    at = open_page()
    at.text_input[0].set_value("trial")
    click(at, "Make the project")
    assert "There is a project called" in at.error[0].value


def test_a_sample_becomes_a_project_with_its_documents_even_twice(home: Path) -> None:
    for _ in range(2):
        at = open_page()
        at.button(key="sample-harbour").click().run()
        assert at.success[0].value == "10 documents added."
        assert at.tabs[0].label == "Documents (10)"
    assert sorted(folder.name for folder in (home / "projects").iterdir()) == ["harbour", "harbour-2"]


@pytest.mark.usefixtures("home")
def test_the_book_sample_asks_for_the_book_and_says_where_a_download_connects() -> None:
    at = open_page()
    at.button(key="sample-dracula").click().run()
    assert at.segmented_control[0].value == adding.SAMPLE
    assert at.radio[0].value == "dracula"
    assert "Downloading connects once to www.gutenberg.org" in " ".join(caption.value for caption in at.caption)


def test_a_book_given_by_path_becomes_documents(trial: Project, tmp_path: Path) -> None:
    book = tmp_path / "pg345.txt"
    book.write_text("CHAPTER I\n\nJONATHAN HARKER'S JOURNAL\n\nLeft Munich.\n\nTHE END\n")
    at = add_from(adding.SAMPLE)
    at.radio[0].set_value("dracula").run()
    at.text_input(key="book-path").set_value(str(book)).run()
    click(at, "Make the documents from this file")
    assert [line.title for line in list_documents(trial)] == ["Jonathan Harker's Journal"]


def test_a_folder_is_read_and_what_could_not_be_is_counted(trial: Project, tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "a.txt").write_text("The launch left at noon.")
    (folder / "empty.txt").write_text("")
    at = add_from(adding.FOLDER)
    at.text_input[0].set_value(str(folder))
    click(at, "Read it")
    assert at.success[0].value == "1 new document. 1 file gave no document: see the ledger for why."
    assert [line.path for line in list_documents(trial)] == ["papers/a.txt"]


@pytest.mark.parametrize(("path", "said"), [("", "Write the path"), ("/no/such/folder", "There is no file or folder")])
@pytest.mark.usefixtures("trial")
def test_a_path_that_leads_nowhere_is_explained(path: str, said: str) -> None:
    at = add_from(adding.FOLDER)
    at.text_input[0].set_value(path)
    click(at, "Read it")
    assert said in [*at.warning, *at.error][0].value


def test_the_plain_upload_adds_files(trial: Project) -> None:
    at = add_from(adding.UPLOAD)
    at.file_uploader[0].set_value([("a.txt", b"The launch left.", "text/plain"), ("b.md", b"# Log", "text/markdown")])
    at.run()
    click(at, "Add these files")
    assert [line.path for line in list_documents(trial)] == ["a.txt", "b.md"]


def test_the_list_shows_number_kind_size_and_status(home: Path) -> None:
    harbour_project(home / "projects")
    at = open_page(project="harbour")
    table = at.dataframe[0].value
    assert list(table["No."]) == list(range(1, 11))
    assert table.iloc[0].to_dict() | {"Tokens": 0} == {
        "No.": 1,
        "Title": "01 newspaper cutting",
        "Type": "text",
        "Words": 153,
        "Tokens": 0,
        "Status": "read",
        "File": "01_newspaper_cutting.txt",
    }


def ledger_page(outcome: str = "all") -> AppTest:
    at = open_page(project="trial")
    at.session_state["corpus-tabs"] = "Ledger"
    at.run()
    at.pills[0].set_value(outcome).run()
    return at


def test_the_ledger_counts_and_filters_what_became_of_files(trial: Project, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Words.")
    (tmp_path / "b.txt").write_text("")
    add_paths(trial, [tmp_path / "a.txt", tmp_path / "b.txt"])
    assert len(list_ledger(trial)) == 2
    assert ledger_page().pills[0].options == ["all (2)", "read (1)", "nothing in it (1)"]
    shown = ledger_page("nothing in it").dataframe[-1].value
    assert list(shown["File"]) == ["b.txt"]
    assert list(shown["Why"]) == ["the file is empty (0 bytes)"]


def remove_all(folder: str) -> None:
    from pathlib import Path

    from pages.widgets import document_list
    from r3con_core.store.documents import list_documents
    from r3con_core.store.project import open_project

    found = open_project(Path(folder))
    document_list.show_removal(found, list(list_documents(found)))


def test_ticked_documents_are_removed(home: Path) -> None:
    project = harbour_project(home / "projects")
    at = AppTest.from_function(remove_all, args=(str(project.folder),), default_timeout=20).run()
    click(at, "Remove them")
    assert list_documents(project) == ()


def test_documents_that_a_question_was_asked_about_stay(home: Path) -> None:
    project = harbour_project(home / "projects")
    start_harbour_run(project)
    at = AppTest.from_function(remove_all, args=(str(project.folder),), default_timeout=20).run()
    assert at.info[0].value.startswith("10 ticked documents stay")
    assert len(list_documents(project)) == 10
