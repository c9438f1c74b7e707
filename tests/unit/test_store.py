"""Every noun survives the store, and the store keeps its promises when things go wrong."""

import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from r3con_core.answers import Answer
from r3con_core.documents import Corpus, Document, Unread
from r3con_core.errors import SchemaError, StoreError
from r3con_core.exchange import About, Finish, Message, Prompt, Reply, Stage, Usage
from r3con_core.processes import beating
from r3con_core.records import Record
from r3con_core.runs import RunSettings, RunState
from r3con_core.schema.edits import Remove, Rename
from r3con_core.schemas import Field, RecordType, Scalar, Schema
from r3con_core.snippets import Author, RelevanceSnippet
from r3con_core.store import answers as answer_rows
from r3con_core.store import calls as call_rows
from r3con_core.store import records as record_rows
from r3con_core.store import runs as run_rows
from r3con_core.store import schemas as schema_rows
from r3con_core.store import snippets as snippet_rows
from r3con_core.store.documents import (
    LedgerEntry,
    add_documents,
    list_documents,
    list_ledger,
    load_corpus,
    remove_documents,
)
from r3con_core.store.migrations import MIGRATIONS, migrate
from r3con_core.store.project import Project, create_project, list_projects, open_project, project_slug
from r3con_core.tasks import make_task
from tests import strategies
from tests.fakes import harbour_project, start_harbour_run, text_document

quietly = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    found = harbour_project(tmp_path)
    yield found
    found.close()


@pytest.fixture(scope="module")
def shared() -> Iterator[tuple[Project, str]]:
    with tempfile.TemporaryDirectory() as folder:
        found = create_project(Path(folder), "Shared")
        add_documents(found, [replace(text_document("text"), id="doc-1")], [])
        run = run_rows.create_run(
            found, task=make_task("q"), document_ids=("doc-1",), settings=RunSettings(model="m"),
            waits=(False, True), endpoints={},
        )  # fmt: skip
        yield found, run.id
        found.close()


@quietly
@given(strategies.documents())
def test_every_document_survives(document: Document) -> None:
    with tempfile.TemporaryDirectory() as folder:
        project = create_project(Path(folder), "One")
        add_documents(project, [document], [])
        assert load_corpus(project) == Corpus(documents=(document,))
        project.close()


@quietly
@given(snippet=strategies.snippets)
def test_every_snippet_survives(shared: tuple[Project, str], snippet: RelevanceSnippet) -> None:
    project, run_id = shared
    snippet_rows.save_snippet(project, run_id, 1, replace(snippet, text="before"))
    snippet_rows.save_snippet(project, run_id, 1, replace(snippet, text=snippet.text + "."))
    kept = replace(snippet, text=snippet.text + ".")
    assert snippet_rows.load_context(project, run_id, ("doc-1",)).snippets == (kept,)
    assert snippet_rows.load_snippets(project, run_id, ["doc-1", "doc-2"]) == {(1, "doc-1"): kept}
    assert snippet_rows.load_snippets(project, run_id, ["doc-2"]) == {}


@quietly
@given(schema=strategies.schemas(), records=st.lists(strategies.records, max_size=3, unique_by=lambda r: r.id))
def test_every_schema_and_record_survives(shared: tuple[Project, str], schema: Schema, records: list[Record]) -> None:
    project, run_id = shared
    schema_rows.save_schema(project, run_id, schema, author=Author.MODEL, reason="r", adjustments=("a",))
    assert schema_rows.schema_versions(project, run_id)[-1].schema == schema
    record_rows.save_parse(project, run_id, "doc-1", tuple(records))
    assert record_rows.load_records(project, run_id, schema, ("doc-1",)).records == tuple(records)


@quietly
@given(answer=strategies.answers)
def test_every_answer_survives(shared: tuple[Project, str], answer: Answer) -> None:
    project, run_id = shared
    answer_rows.clear_steps(project, run_id)
    for step in answer.steps:
        answer_rows.save_step(project, run_id, step)
    answer_rows.save_answer(project, run_id, answer)
    assert answer_rows.load_answer(project, run_id) == answer


def prompt(attempt: int = 1, document_id: str = "doc-1") -> Prompt:
    return Prompt(
        stage=Stage.RELEVANCE,
        about=About(document_id=document_id, round=1),
        attempt=attempt,
        messages=(Message(role="user", pieces=("Read this: żółw 船",)),),
        shape={"type": "object"},
    )


def test_a_call_survives_with_everything_that_was_asked_and_said(project: Project) -> None:
    run_id = start_harbour_run(project)
    reply = Reply(
        text="{}", finish=Finish.CUT_OFF, usage=Usage(prompt=10, cached=4, written=3, output=2, counted=False), model="m",
        seconds=1.5, thinking="hm",
    )  # fmt: skip
    ask = call_rows.remembering(project, run_id, "m", "this computer", lambda _: reply)
    assert ask(prompt()) == reply
    (call,) = call_rows.list_calls(project, run_id)
    assert (call.prompt, call.reply, call.host, call.reused) == (prompt(), reply, "this computer", False)


def test_a_prompt_with_a_kept_reply_is_not_asked_again(project: Project) -> None:
    asked: list[Prompt] = []

    def model(wanted: Prompt) -> Reply:
        asked.append(wanted)
        return Reply(text=str(len(asked)), model="m")

    first, second = start_harbour_run(project), start_harbour_run(project)
    one = call_rows.remembering(project, first, "m", "", model)
    other = call_rows.remembering(project, second, "m", "", model)
    texts = [
        one(prompt()).text,
        one(prompt(attempt=2)).text,
        other(prompt()).text,
        other(prompt(document_id="doc-2")).text,
    ]
    assert texts == ["1", "2", "1", "3"]
    (usage,) = call_rows.usage_by_stage(project, second)
    assert (usage.calls, usage.reused) == (2, 1)


def test_another_model_is_asked_anew(project: Project) -> None:
    assert prompt().key("small") != prompt().key("large")


def test_documents_are_kept_once_and_in_order(project: Project) -> None:
    before = list_documents(project)
    again = load_corpus(project).documents[:3]
    fresh = add_documents(
        project,
        [*again, text_document("new")],
        [LedgerEntry(path="x.bin", outcome="not readable", reason="why", document_id="")],
    )
    assert fresh == 1
    assert [line.title for line in list_documents(project)] == [*(line.title for line in before), "memo.txt"]
    assert list_ledger(project)[-1].reason == "why"


def test_documents_a_run_has_used_cannot_be_removed(project: Project) -> None:
    extra = text_document("new")
    start_harbour_run(project)
    add_documents(project, [extra], [])
    used = load_corpus(project).documents[0]
    remove_documents(project, [used.id, extra.id])
    ids = [line.id for line in list_documents(project)]
    assert used.id in ids
    assert extra.id not in ids


def test_every_change_of_a_run_has_a_higher_number(project: Project) -> None:
    run_id = start_harbour_run(project)
    first = load_corpus(project).documents[0]
    snippet_rows.save_snippet(project, run_id, 1, RelevanceSnippet(document_id=first.id, text="a"))
    seen = run_rows.latest_seq(project, run_id)
    snippet_rows.save_unread(project, run_id, Stage.RELEVANCE, Unread(document_id=first.id, reason="why"), 2)
    (delta,) = snippet_rows.changes_since(project, run_id, seen)
    assert (delta.round, delta.fault, delta.seq > seen) == (2, "why", True)


def test_a_snippet_that_arrives_after_a_fault_takes_its_place(project: Project) -> None:
    run_id = start_harbour_run(project)
    first = load_corpus(project).documents[0]
    snippet_rows.save_unread(project, run_id, Stage.RELEVANCE, Unread(document_id=first.id, reason="why"), 1)
    snippet_rows.save_snippet(project, run_id, 1, RelevanceSnippet(document_id=first.id, text="a"))
    assert snippet_rows.load_unread(project, run_id, Stage.RELEVANCE, 1) == ()


def test_a_run_moves_only_as_its_states_allow(project: Project) -> None:
    run_id = start_harbour_run(project)
    with pytest.raises(StoreError, match="cannot become"):
        run_rows.set_state(project, run_id, RunState.DONE)
    run_rows.set_state(project, run_id, RunState.STOPPED)
    assert run_rows.load_run(project, run_id).state is RunState.STOPPED


def test_only_one_worker_holds_a_run(project: Project) -> None:
    run_id = start_harbour_run(project)
    ours, another = os.getpid(), os.getppid()
    assert [run_rows.claim_run(project, run_id, pid) for pid in (ours, another, ours)] == [True, False, True]


def test_a_worker_that_has_died_holds_no_run(project: Project) -> None:
    run_id = start_harbour_run(project)
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    assert run_rows.claim_run(project, run_id, gone.pid)
    assert run_rows.claim_run(project, run_id, os.getpid())


def test_signs_of_life_go_on_after_one_that_could_not_be_written() -> None:
    tried, again = list[int](), threading.Event()

    def beat() -> None:
        tried.append(1)
        if len(tried) == 1:
            raise StoreError("The disk is full.")
        again.set()

    with beating(beat, lambda: None, seconds=0.001):
        assert again.wait(30)


def test_edits_are_versions_and_undo_takes_back_the_newest(project: Project) -> None:
    run_id = start_harbour_run(project)
    schema = _schema()
    schema_rows.save_schema(project, run_id, schema, author=Author.MODEL, reason="proposal")
    schema_rows.apply_edit(project, run_id, Rename(path=("Landing", "what"), name="event"), reason="renamed")
    with pytest.raises(SchemaError):
        schema_rows.apply_edit(project, run_id, Remove(path=("Landing", "event")), reason="removed")
    assert [v.author for v in schema_rows.schema_versions(project, run_id)] == [Author.MODEL, Author.HUMAN]
    assert schema_rows.undo_edit(project, run_id)
    assert schema_rows.newest_schema(project, run_id) == schema
    assert not schema_rows.undo_edit(project, run_id)


def test_the_accepted_version_is_not_undone(project: Project) -> None:
    run_id = start_harbour_run(project)
    schema_rows.save_schema(project, run_id, _schema(), author=Author.MODEL, reason="proposal")
    assert schema_rows.accepted_version(project, run_id) == 0
    schema_rows.apply_edit(project, run_id, Rename(path=("Landing",), name="Arrival"), reason="renamed")
    schema_rows.accept_schema(project, run_id)
    schema_rows.apply_edit(project, run_id, Rename(path=("Arrival",), name="Call"), reason="renamed")
    assert schema_rows.undo_edit(project, run_id)
    assert not schema_rows.undo_edit(project, run_id)
    accepted = schema_rows.accepted_schema(project, run_id)
    assert accepted is not None
    assert [t.name for t in accepted.record_types] == ["Arrival"]
    assert schema_rows.accepted_version(project, run_id) == 2


def _schema() -> Schema:
    return Schema(
        record_types=(RecordType(name="Landing", meaning="", fields=(Field(name="what", meaning="", kind=Scalar()),)),)
    )


def test_what_fails_inside_a_change_leaves_nothing(project: Project) -> None:
    with pytest.raises(ZeroDivisionError), project.change() as db:
        db.execute("insert into ledger (path, outcome, reason, document_id, loaded) values ('x', '', '', '', '')")
        _ = 1 / 0
    assert all(entry.path != "x" for entry in list_ledger(project))


@pytest.mark.parametrize("name", ["", "  ", "!!!"])
def test_a_project_needs_a_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(StoreError, match="needs a name"):
        create_project(tmp_path, name)


@pytest.mark.parametrize(
    ("name", "slug"), [("../../etc", "etc"), ("Häfen & Schiffe", "häfen-schiffe"), ("港", "港"), ("a/b\x00c", "a-b-c")]
)
def test_a_projects_folder_is_named_safely(name: str, slug: str) -> None:
    assert project_slug(name) == slug


def test_two_projects_cannot_share_a_name(tmp_path: Path) -> None:
    create_project(tmp_path, "Harbour").close()
    with pytest.raises(StoreError, match="already"):
        create_project(tmp_path, "harbour")
    assert [p.name for p in list_projects(tmp_path)] == ["Harbour"]


def test_a_file_that_is_no_project_is_explained(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no project"):
        open_project(tmp_path)
    (tmp_path / "project.sqlite").write_text("this is not a database, but long enough to look like one " * 50)
    with pytest.raises(StoreError, match="not a readable project file"):
        open_project(tmp_path)


def test_an_older_file_is_brought_to_the_current_shape(tmp_path: Path) -> None:
    old = sqlite3.connect(tmp_path / "project.sqlite", isolation_level=None)
    migrate(old, MIGRATIONS[:3])
    old.close()
    project = open_project(tmp_path)
    assert [name for (name, _) in project.db.execute("select * from migrations")] == [name for name, _ in MIGRATIONS]
    project.close()
