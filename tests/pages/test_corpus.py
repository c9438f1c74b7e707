"""The Documents page: projects, adding, the list, the ledger."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.widgets.documents import adding, imports
from r3con_core.imports import carry_import, plan_import
from r3con_core.store.documents import LedgerEntry, add_documents, list_documents
from r3con_core.store.holding import list_holding
from r3con_core.store.imports import ImportState, claim_import, load_import, set_import_state
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


@pytest.fixture
def importers(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, tuple[str, ...]]]:
    """Instead of processes: a list of the imports they would carry, and the passwords they were given."""
    started: list[tuple[int, tuple[str, ...]]] = []

    def start(_project: Project, import_id: int, *, passwords: Sequence[str] = ()) -> int:
        started.append((import_id, tuple(passwords)))
        return 1

    for module in (adding, imports):
        monkeypatch.setattr(module, "start_importer", start)
    return started


def folder_of_two(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "a.txt").write_text("The launch left at noon.")
    (folder / "empty.txt").write_text("")
    return folder


def test_a_folder_is_read_by_a_process_of_its_own_and_what_could_not_be_is_counted(
    trial: Project, importers: list[tuple[int, tuple[str, ...]]], tmp_path: Path
) -> None:
    at = add_from(adding.FOLDER)
    at.text_input[0].set_value(str(folder_of_two(tmp_path)))
    at.text_input[1].set_value("legal, *.pst")
    at.text_input[3].set_value("harbour-42")
    click(at, "Read it")
    assert importers == [(1, ("harbour-42",))]
    assert list_holding(trial) == {"folders": ("*.pst", "legal")}
    assert "Starting to read **papers**" in at.main.markdown[0].value
    claim_import(trial, 1, 1)
    carry_import(trial, 1)
    at.run()
    assert at.success[0].value == (
        "All files are read. 2 files found: 1 read, 1 nothing in it. The ledger says why of each that gave no document."
    )
    assert [line.path for line in list_documents(trial)] == ["papers/a.txt"]
    assert at.tabs[0].label == "Documents (1)"


def stopped_import(project: Project, tmp_path: Path) -> int:
    import_id = plan_import(project, [folder_of_two(tmp_path)])
    set_import_state(project, import_id, ImportState.STOPPED)
    return import_id


@pytest.mark.usefixtures("home")
def test_a_stopped_import_can_be_resumed(trial: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    resumed: list[int] = []
    monkeypatch.setattr(imports, "resume_import", lambda _project, number: resumed.append(number))
    number = stopped_import(trial, tmp_path)
    at = open_page(project="trial")
    assert "Reading **papers** was stopped." in at.warning[0].value
    click(at, "Resume")
    assert resumed == [number]


def test_a_running_import_says_how_far_it_is_and_can_be_stopped(trial: Project, tmp_path: Path) -> None:
    number = plan_import(trial, [folder_of_two(tmp_path)])
    at = open_page(project="trial")
    assert at.main.get("progress")[0].proto.text == "0 of 2 files"
    click(at, "Stop")
    assert load_import(trial, number).state is ImportState.STOPPED


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("", "Write the path"),
        ("/no/such/folder", "There is no file or folder"),
        ("~nobody-at-all/x", "Nobody of the name"),
    ],
)
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
    at = open_page(project="trial", tab="ledger")
    at.pills[0].set_value(outcome).run()
    return at


def ledger_of_three(project: Project) -> None:
    lines = [
        LedgerEntry(path="papers/a.txt", outcome="read", reason="", document_id="doc-1", size=6, sha256="5d41", pages=0),
        LedgerEntry(path="papers/box/b.txt", outcome="nothing in it", reason="the file is empty", document_id="", size=0),
        LedgerEntry(path="papers/box/c.zip > =d.pdf", outcome="read with warnings", reason="Page 2", document_id="doc-2",
                    size=2048, pages=3, pages_read=2),
    ]  # fmt: skip
    add_documents(project, [], lines)


def test_the_ledger_adds_up_and_shows_size_pages_and_hash(trial: Project) -> None:
    ledger_of_three(trial)
    at = ledger_page()
    assert any(
        text.value == "**3 files found**, 1 of them inside others: 1 read + 1 read with warnings + 1 nothing in it = 3."
        for text in at.markdown
    )
    table = at.dataframe[-1].value
    assert list(table["Size"]) == ["6 bytes", "0 bytes", "2 kB"]
    assert list(table["Pages"]) == ["", "", "2 of 3"]
    assert list(table["SHA-256"]) == ["5d41", "", ""]


def test_the_ledger_is_filtered_by_outcome_words_and_folder(trial: Project) -> None:
    ledger_of_three(trial)
    at = ledger_page()
    assert at.pills[0].options == ["all (3)", "read (1)", "read with warnings (1)", "nothing in it (1)"]
    shown = ledger_page("nothing in it").dataframe[-1].value
    assert list(shown["File"]) == ["papers/box/b.txt"]
    assert list(shown["Why"]) == ["the file is empty"]
    at.text_input(key="ledger-words").set_value("PAGE").run()
    assert list(at.dataframe[-1].value["File"]) == ["papers/box/c.zip > =d.pdf"]
    at.text_input(key="ledger-words").set_value("").run()
    at.selectbox(key="ledger-folder").set_value("papers/box").run()
    assert len(at.dataframe[-1].value) == 2
    at.text_input(key="ledger-words").set_value("zeppelin").run()
    assert at.info[-1].value.startswith("No line is like that.")


def remove_all(folder: str) -> None:
    from pathlib import Path

    from pages.widgets.documents import document_list
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
