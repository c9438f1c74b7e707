"""Exports: what leaves a run comes back whole, means the same elsewhere, and can do no harm."""

import csv
import hashlib
import io
import json
import re
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from r3con_core.documents import Document
from r3con_core.errors import StoreError
from r3con_core.exports import (
    export_code,
    export_records_csv,
    export_records_json,
    export_run,
    export_schema,
    import_run,
    load_contents,
    report_markdown,
)
from r3con_core.exports.report import plain
from r3con_core.records import Record
from r3con_core.runs import RunState
from r3con_core.schemas import Schema
from r3con_core.store import runs as run_rows
from r3con_core.store.answers import load_places, save_places
from r3con_core.store.calls import list_calls, usage_by_stage
from r3con_core.store.codec import load
from r3con_core.store.copies import COPIED
from r3con_core.store.documents import LedgerEntry, add_documents, list_ledger
from r3con_core.store.project import FILE, Project
from r3con_core.store.records import save_parse
from r3con_core.store.schemas import accepted_schema, schema_versions
from r3con_core.verify.runs import verify_run
from tests.fakes import finished_harbour, start_harbour_run, text_document

Finished = tuple[Project, str]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Finished]:
    """A finished run; tests of this module leave it as it is."""
    project, run_id = finished_harbour(tmp_path_factory.mktemp("exports"))
    save_places(project, run_id, {"Landing:Petrel": (0.25, -1.5)})
    yield project, run_id
    project.close()


@pytest.fixture(scope="module")
def run_file(finished: Finished) -> bytes:
    return export_run(*finished)


def test_a_run_file_opens_elsewhere_with_everything_the_run_had(
    finished: Finished, run_file: bytes, tmp_path: Path
) -> None:
    project, run_id = finished
    opened = import_run(tmp_path, run_file)
    assert opened.name == project.name
    assert load_contents(opened, run_id) == load_contents(project, run_id)
    assert list_calls(opened, run_id) == list_calls(project, run_id)
    assert schema_versions(opened, run_id) == schema_versions(project, run_id)
    assert list_ledger(opened) == list_ledger(project)
    assert usage_by_stage(opened, run_id) == usage_by_stage(project, run_id)
    assert load_places(opened, run_id) == {"Landing:Petrel": (0.25, -1.5)}
    assert verify_run(opened, run_id).faults == ()
    assert export_run(opened, run_id) != b""


def test_opening_twice_makes_two_projects(run_file: bytes, tmp_path: Path) -> None:
    names = [import_run(tmp_path, run_file).name for _ in range(3)]
    assert names == ["Harbour", "Harbour (2)", "Harbour (3)"]
    assert import_run(tmp_path, run_file, "Mine").name == "Mine"


def test_a_run_file_holds_only_its_own_run(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    start_harbour_run(project)
    late = text_document("A document of another matter.", path="other.txt")
    line = LedgerEntry(path="other.txt", outcome="read", reason="", document_id=late.id)
    failed = LedgerEntry(path="secret.bin", outcome="not readable", reason="unknown", document_id="")
    add_documents(project, [late], [line, failed])
    opened = import_run(tmp_path / "elsewhere", export_run(project, run_id))
    assert [run.id for run in run_rows.list_runs(opened)] == [run_id]
    paths = {document.source.path for document in load_contents(project, run_id).corpus.documents}
    assert {entry.path for entry in list_ledger(opened)} == paths


def test_every_table_of_a_run_is_copied(finished: Finished) -> None:
    tables = {name for (name,) in finished[0].db.execute("select name from sqlite_master where type = 'table'")}
    tables = {name for name in tables if not name.startswith("search_")}  # made anew at the first search
    tables -= {"audit", "queries"}  # what the one tells of other runs is withheld; the others are the project's
    assert set(COPIED) == tables - {"project", "migrations", "imports", "originals", "uploads", "holding", "asking"}


def test_a_run_at_work_is_not_saved(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    run_rows.set_state(project, run_id, RunState.QUEUED)
    with pytest.raises(StoreError, match="still at work"):
        export_run(project, run_id)


def test_the_copy_has_no_process_of_the_other_computer(finished: Finished, run_file: bytes, tmp_path: Path) -> None:
    def claim(db: sqlite3.Connection) -> None:
        db.execute("update runs set pid = 1, heartbeat = 9e9, stop = 1, state = 'reasoning'")

    opened = import_run(tmp_path, _with_store(run_file, claim))
    assert run_rows.holder(opened, finished[1]) == (None, None)
    assert run_rows.load_run(opened, finished[1]).state is RunState.INTERRUPTED


# What a stranger may send


def _members(run_file: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(run_file)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _packed(members: dict[str, bytes], *, rehash: bool = True) -> bytes:
    if rehash:
        manifest = json.loads(members["manifest.json"])
        manifest["version"] = 1  # which has no hash of the whole
        manifest["files"] = {
            name: {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
            for name, data in members.items()
            if name != "manifest.json"
        }
        members = {**members, "manifest.json": json.dumps(manifest).encode()}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return packed.getvalue()


def _declaring(run_file: bytes, size: int) -> bytes:
    packed = io.BytesIO(run_file)
    with zipfile.ZipFile(packed, "a") as archive:
        archive.writestr("bomb.txt", b"")
        archive.filelist[-1].file_size = size
    return packed.getvalue()


def _with_store(run_file: bytes, change: Callable[[sqlite3.Connection], object]) -> bytes:
    members = _members(run_file)
    db = sqlite3.connect(":memory:", isolation_level=None)
    with closing(db):
        db.deserialize(members[FILE])
        change(db)
        members[FILE] = db.serialize()
    return _packed(members)


def _with_manifest(run_file: bytes, **changes: object) -> bytes:
    members = _members(run_file)
    manifest = json.dumps({**json.loads(members["manifest.json"]), **changes}).encode()
    return _packed({**members, "manifest.json": manifest}, rehash=False)


def _sql(*statements: str) -> Callable[[bytes], bytes]:
    def change(db: sqlite3.Connection) -> None:
        for statement in statements:
            db.execute(statement)

    return lambda run_file: _with_store(run_file, change)


HOSTILE: dict[str, Callable[[bytes], bytes]] = {
    "no zip": lambda _: b"not a zip",
    "nothing": lambda _: b"",
    "cut off": lambda f: f[: len(f) // 2],
    "another zip": lambda _: _packed({"readme.txt": b"hello"}, rehash=False),
    "bytes changed": lambda f: _packed({**_members(f), "report.md": b"other"}, rehash=False),
    "member more": lambda f: _packed({**_members(f), "more.txt": b"x"}, rehash=False),
    "climbing name": lambda f: _packed({**_members(f), "../evil.txt": b"x"}),
    "absolute name": lambda f: _packed({**_members(f), "/evil.txt": b"x"}),
    "more than is ever read": lambda f: _declaring(f, 9 << 30),
    "no store": lambda f: _packed({name: data for name, data in _members(f).items() if name != FILE}),
    "store is text": lambda f: _packed({**_members(f), FILE: b"not a database"}),
    "store is torn": lambda f: _packed({**_members(f), FILE: _members(f)[FILE][:20000] + b"\xff" * 9000}),
    "newer format": lambda f: _with_manifest(f, version=3),
    "other format": lambda f: _with_manifest(f, format="zoo"),
    "run leads away": lambda f: _with_manifest(f, run="run-../../evil"),
    "run not there": lambda f: _with_manifest(f, run="run-20000101-000000-ffffff"),
    "manifest is a list": lambda f: _packed({**_members(f), "manifest.json": b"[]"}, rehash=False),
    "trigger": _sql("create trigger t after insert on runs begin delete from documents; end"),
    "view": _sql("create view v as select 1"),
    "table more": _sql("create table zoo (x)"),
    "newer store": _sql("insert into migrations values ('999_later', '')"),
    "text changed": _sql("update documents set text = text || ' and more'"),
    "document gone": _sql("pragma foreign_keys = off", "delete from documents where position = 3"),
    "state unknown": _sql("update runs set state = 'flying'"),
    "settings broken": _sql("update runs set settings = '{'"),
    "evidence elsewhere": _sql(
        """update records set evidence = replace(evidence, '"document_id": "', '"document_id": "x')"""
    ),
    "answer of unknown records": _sql("delete from records"),
    "schema broken": _sql("""update schemas set schema = '{"record_types": []}'"""),
    "endpoints broken": _sql("update runs set endpoints = '{}'"),
    "call broken": _sql("update calls set finish = 'perhaps'"),
    "blob for text": _sql("update documents set text = x'00ff'"),
}


@pytest.mark.parametrize("name", ["नामका", "cafe\u0301", "col·lecció", "L" * 80])
def test_a_run_file_with_types_named_in_any_script_opens(
    name: str, finished: Finished, run_file: bytes, tmp_path: Path
) -> None:
    members, run_id = _members(run_file), finished[1]
    members[f"records/{name}.csv"] = members.pop("records/Landing.csv")
    opened = import_run(tmp_path, _packed(members))
    assert run_rows.load_run(opened, run_id).state is RunState.DONE


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_file_that_is_not_a_whole_run_is_refused_and_leaves_nothing(
    kind: str, run_file: bytes, tmp_path: Path
) -> None:
    with pytest.raises(StoreError) as refused:
        import_run(tmp_path / "home", HOSTILE[kind](run_file))
    assert str(refused.value).endswith(".") or "r3con export" in str(refused.value)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


# Readable exports


def test_the_exported_code_runs_alone_and_gives_the_same_answer(finished: Finished, tmp_path: Path) -> None:
    program = tmp_path / "answer.py"
    program.write_text(export_code(*finished), encoding="utf-8")
    ran = subprocess.run([sys.executable, "-I", program], capture_output=True, text=True, check=True)
    assert "R1 Petrel 40 1931-03-17 Lime Quay\n" in ran.stdout
    assert "ANSWER: The Petrel landed 85 cases at Lime Quay in March 1931 [R1, R2, R4]." in ran.stdout
    assert ran.stdout.endswith("rests on: R1, R2, R4\n")


def test_a_run_without_steps_has_no_code(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    project.db.execute("delete from steps")
    with pytest.raises(StoreError, match="no steps of code"):
        export_code(project, run_id)


def test_the_schema_comes_back_as_it_was(finished: Finished) -> None:
    assert load(export_schema(*finished), Schema) == accepted_schema(*finished)


def _rows(data: bytes, name: str) -> list[dict[str, str]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return list(csv.DictReader(io.StringIO(archive.read(name).decode("utf-8-sig"))))


def test_tables_have_one_row_a_record_with_its_quote_and_place(finished: Finished) -> None:
    row = _rows(export_records_csv(*finished), "Launch.csv")[-1]
    assert row == {
        "record": "R6",
        "document": "9",
        "document title": "09 boatyard bill",
        "document path": "09_boatyard_bill.txt",
        "name": "Petrel",
        "owner": "Josiah Venn",
        "marks.colour": "grey",
        "marks.funnel": "patched",
        "quote 1": "now a grey launch with a patched funnel and no name",
        "quote 1 found": "found exactly",
        "quote 1 place": "",
        "quote 1 from": row["quote 1 from"],
        "quote 1 to": str(int(row["quote 1 from"]) + 51),
        "said_by": "",
        "certainty": "stated",
        "values not in a quote": "name; owner",
        "values not in the document": "",
        "set aside": "",
        "standing": "kept",
        "given by": "model",
        "changed fields": "",
        "changed by": "",
    }


@pytest.fixture
def hostile_values(tmp_path: Path) -> Finished:
    """A run whose record says what a stranger would like a spreadsheet or a browser to do."""
    project, run_id = finished_harbour(tmp_path)
    contents = load_contents(project, run_id)
    assert contents.data is not None
    first = contents.data.records[0]
    values = {**first.values, "what": "=HYPERLINK(A1)", "launch": "＝1+1", "place": "<img src=x>![x](http://evil/x)"}
    bad = Record(
        id=first.id,
        type=first.type,
        document_id=first.document_id,
        values=values,
        evidence=first.evidence,
        said_by="@SUM",
    )
    save_parse(project, run_id, first.document_id, (bad,))
    return project, run_id


def test_no_cell_is_a_formula(hostile_values: Finished) -> None:
    row = _rows(export_records_csv(*hostile_values), "Landing.csv")[0]
    assert (row["what"], row["launch"], row["said_by"]) == ("'=HYPERLINK(A1)", "'＝1+1", "'@SUM")


def test_a_report_loads_and_links_nothing_that_a_document_says(hostile_values: Finished) -> None:
    report = report_markdown(*hostile_values)
    assert r"\<img src=x\>\!\[x\]\(http" in report
    assert "](http" not in report
    assert "http://" not in report


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("# not a heading", r"\# not a heading"),
        ("1. not a list", r"1\. not a list"),
        ("- not a list", r"\- not a list"),
        ("two\nlines", "two lines"),
        ("a_b*c`d", r"a\_b\*c\`d"),
        ("3.5 tons, 10-20 men.", "3\\.5 tons, 10-20 men."),
        ("see www.example.org", "see www\u2060.example.org"),
        ("&lt;b&gt;", r"\&lt;b\&gt;"),
    ],
)
def test_text_of_strangers_is_shown_as_it_stands(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_json_names_question_schema_documents_and_places(finished: Finished) -> None:
    told = json.loads(export_records_json(*finished))
    assert told["records"][0] == {
        "record": "R1",
        "id": told["records"][0]["id"],
        "type": "Landing",
        "document": 1,
        "values": {
            "what": "landing of 40 cases",
            "launch": "Petrel",
            "cases": 40,
            "night": "1931-03-17",
            "place": "Lime Quay",
        },
        "said_by": "Alfred Penn",
        "certainty": "inferred",
        "values_not_in_document": ["launch"],
        "set_aside": False,
        "standing": "kept",
        "given_by": "model",
        "changed_fields": [],
        "quotes": [
            {
                "quote": "The grey launch landed 40 cases at Lime Quay",
                "found": "found exactly",
                "document": 1,
                "place": "",
                "start": 365,
                "end": 409,
            }
        ],
    }
    assert told["records"][-1]["quotes"] == [
        {"quote": "She landed 50 cases in the night of 31 March", "found": "not found"}
    ]
    assert len(told["documents"]) == 10


def test_a_report_says_what_was_not_read(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    failed = LedgerEntry(path="locked.pdf", outcome="not readable", reason="it has a password", document_id="")
    add_documents(project, [], [failed])
    report = report_markdown(project, run_id)
    assert "- locked.pdf: not readable, it has a password" in report
    assert "10 documents with 1,464 words." in report
    assert "Round 2: 10 read; 1 with nothing to say on the question; 0 could not be read." in report


# Verification


def test_a_finished_run_verifies(finished: Finished) -> None:
    found = verify_run(*finished)
    assert (found.documents, found.records, found.quotes, found.calls, found.faults) == (10, 7, 7, 35, ())


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ("update documents set text = 'other' where position = 0", "Document 1 .* hash differs"),
        ("update records set field_values = replace(field_values, '40', '400')", "R1 was changed"),
        ("""update records set evidence = replace(evidence, '"start": 365', '"start": 364')""", "R1: what is said"),
        ("update texts set text = replace(text, 'Petrel', 'Heron') where typeof(text) = 'text'", "The prompt of call"),
        ("delete from documents where position = 9", "1 of the run's documents are missing"),
    ],
)
def test_what_was_changed_later_is_found(change: str, fault: str, tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    project.db.execute(change)
    faults = verify_run(project, run_id).faults
    assert any(re.search(fault, found) for found in faults), faults


def test_documents_keep_their_ids(finished: Finished) -> None:
    document: Document = load_contents(*finished).corpus.documents[0]
    assert text_document(document.text, path=document.source.path).id == document.id


def test_the_report_counts_calls_and_tokens_as_the_server_did(finished: Finished) -> None:
    told = r"- Calls: 35; 3,500 tokens sent \(1,400 of them read by the server before\), "
    assert told in report_markdown(*finished)
