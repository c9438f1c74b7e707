"""Filling a project from folders, uploads and the sample corpora."""

from pathlib import Path

import pytest

from r3con_core import corpora
from r3con_core.errors import CorpusError
from r3con_core.imports import add_paths, add_uploads
from r3con_core.readers.content import Content
from r3con_core.store.documents import list_documents, list_ledger
from r3con_core.store.project import Project, create_project

BOOK = """\ufeffsome front matter
CHAPTER I

JONATHAN HARKER'S JOURNAL

(_Kept in shorthand._)

_3 May._ Left Munich.

_Letter from Miss Mina Murray to Miss Lucy Westenra._

My dearest Lucy,

THE END
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return create_project(tmp_path / "projects", "Trial")


def test_each_file_of_a_folder_becomes_a_document_or_a_line_that_says_why_not(project: Project, tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "a.txt").write_text("The launch left at noon.")
    (folder / "b.bin").write_bytes(b"\x00\x01\x02\x03")
    told: list[tuple[int, int, str]] = []
    added = add_paths(project, [folder], lambda *seen: told.append(seen))
    assert added.documents == 1
    assert [(line.path, line.outcome) for line in added.lines] == [
        ("papers/a.txt", "read"),
        ("papers/b.bin", "not readable"),
    ]
    assert [(line.path, line.outcome) for line in list_ledger(project)] == [
        (line.path, line.outcome) for line in added.lines
    ]
    assert told == [(1, 2, "papers/a.txt"), (2, 2, "papers/b.bin")]


def test_files_finished_before_a_loading_is_broken_off_are_kept(project: Project, tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    for name in ("a", "b", "c"):
        (folder / f"{name}.txt").write_text(f"Words of {name}.")

    def stop(done: int, _total: int, _path: str) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        add_paths(project, [folder], stop)
    assert [line.path for line in list_documents(project)] == ["papers/a.txt", "papers/b.txt"]


def test_what_the_project_has_is_a_duplicate_under_any_name(project: Project) -> None:
    words = Content.held(b"The same words.")
    add_uploads(project, [("one.txt", words)])
    again = add_uploads(project, [("one.txt", words), ("two.txt", words)])
    assert again.documents == 0
    assert [line.outcome for line in again.lines] == ["duplicate", "duplicate"]
    assert again.lines[0].reason == "in this project already"
    other = add_uploads(project, [("two.txt", words)])
    assert other.lines[0].reason == "the same bytes as one.txt"


def test_a_path_that_does_not_exist_is_said_before_anything_is_read(project: Project, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no file or folder"):
        add_paths(project, [tmp_path / "nothing"])


def test_the_sample_corpora_are_offered_smallest_first_with_their_questions() -> None:
    samples = corpora.sample_corpora()
    assert [sample.name for sample in samples] == ["harbour", "inquiry", "dracula"]
    assert samples[0].title == "Harbour"
    assert samples[0].about.startswith("Ten short papers from a small harbour town")
    assert "Petrel" in samples[0].tasks[0].question
    assert samples[2].in_book


def test_a_sample_is_known_by_its_documents(project: Project) -> None:
    assert corpora.samples_in(project) == ()
    added = corpora.add_sample(project, "harbour")
    assert added.documents == 10
    assert [sample.name for sample in corpora.samples_in(project)] == ["harbour"]


def test_an_unknown_sample_names_those_there_are(project: Project) -> None:
    with pytest.raises(CorpusError, match="harbour, inquiry, dracula"):
        corpora.add_sample(project, "atlantis")
    with pytest.raises(CorpusError, match="made from a book"):
        corpora.add_sample(project, "dracula")


def test_a_book_becomes_its_documents_and_every_difference_is_named(project: Project) -> None:
    added = corpora.add_dracula(project, BOOK)
    assert added.documents == 2
    assert added.lines[0].outcome == "read with warnings"
    assert "Jonathan Harker's Journal, has" in added.lines[0].reason
    assert [line.title for line in list_documents(project)] == [
        "Jonathan Harker's Journal",
        "Letter from Miss Mina Murray to Miss Lucy Westenra",
    ]


def test_another_book_is_refused(project: Project) -> None:
    with pytest.raises(CorpusError, match="not the text of Dracula"):
        corpora.add_dracula(project, "Call me Ishmael.")
    with pytest.raises(CorpusError, match="UTF-8"):
        corpora.decode_book(b"\xff\xfe\x00")
    with pytest.raises(CorpusError, match="cannot be read"):
        corpora.read_book(Path("/no/such/pg345.txt"))
