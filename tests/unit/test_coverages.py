"""How much of what was given stands behind an answer."""

from dataclasses import replace
from pathlib import Path

import pytest

from r3con_core.changes import ExcludeDocument
from r3con_core.coverages import coverage_of
from r3con_core.documents import Span, Unit, Unread
from r3con_core.exchange import Stage
from r3con_core.readers.ledger import Outcome
from r3con_core.store import snippets as snippet_rows
from r3con_core.store.changes import add_change, undo_change
from r3con_core.store.documents import LedgerEntry, add_documents
from r3con_core.store.project import Project
from r3con_core.store.runs import load_run
from tests.fakes import (
    Scripted,
    carry_scripted,
    finished_harbour,
    harbour_documents,
    start_harbour_run,
    text_document,
    text_project,
)


@pytest.fixture
def finished(tmp_path: Path) -> tuple[Project, str]:
    return finished_harbour(tmp_path)


def test_a_run_that_read_everything_says_so_and_names_the_silent(finished: tuple[Project, str]) -> None:
    project, run_id = finished
    known = coverage_of(project, run_id)
    assert (known.documents, known.complete, known.unread) == (10, True, ())
    tide_note = load_run(project, run_id).document_ids[1]
    assert known.silent == (tide_note,)


def test_each_stage_that_could_not_read_a_document_is_named(finished: tuple[Project, str]) -> None:
    project, run_id = finished
    first = load_run(project, run_id).document_ids[0]
    unread = Unread(document_id=first, reason="The reply was cut off.")
    snippet_rows.save_unread(project, run_id, Stage.RELEVANCE, unread, 2)
    snippet_rows.save_unread(project, run_id, Stage.PARSING, unread)
    known = coverage_of(project, run_id)
    assert [(one.document_id, one.stage, one.round) for one in known.failures] == [
        (first, Stage.RELEVANCE, 2),
        (first, Stage.PARSING, 0),
    ]
    assert known.unread == (first,)
    assert known.gaps == ("1 document that a stage could not read",)


def test_a_document_excluded_by_a_person_is_told_until_that_is_taken_back(finished: tuple[Project, str]) -> None:
    project, run_id = finished
    first = load_run(project, run_id).document_ids[0]
    entry = add_change(project, run_id, ExcludeDocument(document_id=first, round=1), author="Ada")
    assert coverage_of(project, run_id).excluded == (first,)
    undo_change(project, run_id, entry.number, author="Ada")
    assert coverage_of(project, run_id).excluded == ()


def test_documents_that_came_later_and_files_that_failed_are_told(finished: tuple[Project, str]) -> None:
    project, run_id = finished
    late = text_document("Found in a drawer.", path="drawer.txt")
    lines = [
        LedgerEntry(path="drawer.txt", outcome=Outcome.READ, reason="", document_id=late.id),
        LedgerEntry(path="safe.pdf", outcome=Outcome.NOT_READABLE, reason="It is encrypted.", document_id=""),
    ]
    add_documents(project, [late], lines)
    known = coverage_of(project, run_id)
    assert known.later == (late.id,)
    assert [line.path for line in known.lost] == ["safe.pdf"]
    assert known.gaps == ("1 file that could not be read", "1 document of the project not in this run")
    assert not known.complete


def test_recognised_and_unread_pages_are_counted(tmp_path: Path) -> None:
    scan, *others = harbour_documents()
    units = tuple(
        Unit(kind="page", label=str(page), span=Span(start=page, end=page + 1), page=page, confidence=sure)
        for page, sure in ((1, 80), (2, None), (3, 91))
    )
    scan = replace(scan, units=units, pages=4, unread_pages=(4,))
    project = text_project(tmp_path, [scan, *others])
    run_id = start_harbour_run(project, straight_through=True)
    carry_scripted(project, run_id, Scripted())
    known = coverage_of(project, run_id)
    assert (known.counts.pages, known.counts.pages_read, known.recognised, known.partly) == (4, 3, 2, (scan.id,))
