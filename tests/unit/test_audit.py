"""The audit log: what is written down, and that nobody can change it unseen."""

import hashlib
import io
import json
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from r3con_core.audit import Act, Event, faults_of_log, read_anchor
from r3con_core.changes import EditSnippet
from r3con_core.cli import main
from r3con_core.exports import export_run, import_run
from r3con_core.runs import RunState
from r3con_core.store import runs as run_rows
from r3con_core.store.audit import anchor_of, list_acts, switch_off, switch_on
from r3con_core.store.changes import add_change, undo_change
from r3con_core.store.decisions import hold_documents
from r3con_core.store.documents import list_documents
from r3con_core.store.project import FILE, Project
from r3con_core.verify.bundles import verify_bundle
from tests.fakes import harbour_project, start_harbour_run


@pytest.fixture
def logged(tmp_path: Path) -> tuple[Project, str]:
    """A project whose log is on, with two stopped runs and a change in the first of them."""
    project = harbour_project(tmp_path)
    with project.change() as db:
        switch_on(db, "Ada")
    first, second = (start_harbour_run(project, repeat=number) for number in (0, 1))
    edit = EditSnippet(document_id="doc-1", round=1, text="as she said")
    number = add_change(project, first, edit, author="Ada", note="misread").number
    undo_change(project, first, number, author="Ben")
    for run in (first, second):
        run_rows.set_state(project, run, RunState.STOPPED)
    return project, first


def told(project: Project) -> list[tuple[str, str]]:
    return [(act.author, act.event) for act in list_acts(project.db)]


def test_every_act_is_written_down_with_who_did_it(logged: tuple[Project, str]) -> None:
    project, _run = logged
    held = list_documents(project)[0].id
    hold_documents(project, [held], author="Ben", note="counsel")
    user = list_acts(project.db)[2].author
    assert told(project) == [
        ("Ada", Event.BEGUN),
        ("Ada", Event.ON),
        (user, Event.RUN_MADE),
        (user, Event.RUN_MADE),
        ("Ada", Event.CHANGED),
        ("Ben", Event.UNDONE),
        (user, Event.RUN_STATE),
        (user, Event.RUN_STATE),
        ("Ben", Event.DECIDED),
    ]
    assert list_acts(project.db)[-1].words == f"decision: held back; documents: {held}; why: counsel"


def test_nothing_is_written_down_while_the_log_is_off(tmp_path: Path) -> None:
    project = harbour_project(tmp_path)
    start_harbour_run(project)
    assert told(project) == []
    with project.change() as db:
        switch_on(db, "Ada")
        switch_off(db, "Ada")
    start_harbour_run(project)
    assert told(project) == [("Ada", Event.BEGUN), ("Ada", Event.ON), ("Ada", Event.OFF)]


def test_the_environment_switches_it_on_for_every_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("R3CON_AUDIT", "1")
    project = harbour_project(tmp_path)
    assert [event for _, event in told(project)] == [Event.BEGUN, Event.DOCUMENTS_ADDED]


def test_an_act_that_does_not_happen_is_not_written_down(logged: tuple[Project, str]) -> None:
    project, run = logged
    before = list_acts(project.db)
    with pytest.raises(ZeroDivisionError), project.change() as db:
        db.execute("update runs set note = 'x' where id = ?", (run,))
        switch_off(db, "Ada")
        _ = 1 / 0
    assert list_acts(project.db) == before


def edit_log(store: Path, statement: str) -> None:
    """As somebody does who knows of the triggers, and puts them back."""
    with closing(sqlite3.connect(store, isolation_level=None)) as db:
        (sql,) = db.execute("select sql from sqlite_master where name = 'audit_kept'").fetchone()
        db.execute("drop trigger audit_kept")
        db.execute(statement)
        db.execute(sql)


Tamper = Callable[[list[Act]], list[Act]]
TAMPERED: dict[str, tuple[Tamper, str]] = {
    "author": (lambda acts: [*acts[:4], replace(acts[4], author="Eve"), *acts[5:]], "Entry 5: changed"),
    "detail": (lambda acts: [*acts[:4], replace(acts[4], detail="{}"), *acts[5:]], "Entry 5: changed"),
    "time": (lambda acts: [*acts[:4], replace(acts[4], at="2001-01-01"), *acts[5:]], "Entry 5: changed"),
    "seal": (lambda acts: [*acts[:4], replace(acts[4], digest="0" * 64), *acts[5:]], "Entry 5: changed"),
    "taken out": (lambda acts: [*acts[:4], *acts[5:]], "Entry 5: taken out"),
    "two taken out": (lambda acts: [*acts[:4], *acts[6:]], "Entries 5 to 6: taken out"),
    "first taken out": (lambda acts: acts[1:], "Entry 1: taken out"),
    "taken out and renumbered": (
        lambda acts: [*acts[:4], *(replace(act, number=act.number - 1) for act in acts[5:])],
        "Entry 5: changed",
    ),
    "put in": (lambda acts: [*acts[:4], acts[2], *acts[4:]], "Entry 3: there twice"),
    "moved": (lambda acts: [*acts[:3], acts[4], acts[3], *acts[5:]], "Entry 4: taken out"),
}


@pytest.mark.parametrize("kind", TAMPERED)
def test_what_was_tampered_with_is_found_and_named(logged: tuple[Project, str], kind: str) -> None:
    acts = list(list_acts(logged[0].db))
    tamper, words = TAMPERED[kind]
    assert faults_of_log(acts) == ()
    assert faults_of_log(tamper(acts))[0].startswith(words)


@pytest.mark.parametrize("column", ["at", "author", "event", "detail", "previous", "digest"])
def test_an_entry_that_is_no_text_any_more_is_told_as_changed(
    logged: tuple[Project, str], column: str, capsys: pytest.CaptureFixture[str]
) -> None:
    edit_log(logged[0].path, f"update audit set {column} = x'ff00' where number = 5")
    for command, code in (("verify", 1), ("show", 0), ("export", 0)):
        assert main(["audit", command, "--in", str(logged[0].folder)]) == code
    assert "FAULT: Entry 5: changed after it was written." in capsys.readouterr().out


def test_words_that_nest_without_end_are_shown_as_they_are(logged: tuple[Project, str]) -> None:
    act = replace(list_acts(logged[0].db)[4], detail="[" * 100_000)
    assert act.words == act.detail


def test_who_blacks_an_entry_out_as_bundles_do_is_found_out(
    logged: tuple[Project, str], capsys: pytest.CaptureFixture[str]
) -> None:
    project = logged[0]
    act = list_acts(project.db)[4]
    edit_log(project.path, f"update audit set author = '', event = '', detail = '{act.body}' where number = 5")
    assert main(["audit", "verify", "--in", str(project.folder)]) == 1
    assert "FAULT: Entry 5: who did what was taken out." in capsys.readouterr().out
    withheld = replace(act, author="Ben", event="", detail=act.body)
    assert faults_of_log([*list_acts(project.db)[:4], withheld]) == ("Entry 5: changed after it was written.",)


def test_a_name_that_is_no_text_stops_no_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "b\udcffd")
    project = harbour_project(tmp_path)
    with project.change() as db:
        switch_on(db, "")
    assert [author for author, _ in told(project)] == ["b?d", "b?d"]


def test_an_end_that_was_cut_off_is_found_by_the_anchor_alone(logged: tuple[Project, str]) -> None:
    project = logged[0]
    acts, anchor = list_acts(project.db), read_anchor(str(anchor_of(project.db)))
    assert anchor is not None
    assert faults_of_log(acts, anchor) == ()
    assert faults_of_log(acts[:-1]) == ()
    assert faults_of_log(acts[:-1], anchor)[0].endswith("its end was cut off.")
    assert faults_of_log(acts, replace(anchor, digest="0" * 64))[0].startswith(f"Entry {len(acts)} is not the one")


def test_the_store_lets_no_entry_be_changed_or_deleted(logged: tuple[Project, str]) -> None:
    for statement in ("update audit set author = 'Eve'", "delete from audit"):
        with closing(sqlite3.connect(logged[0].path)) as db, pytest.raises(sqlite3.IntegrityError, match="only added"):
            db.execute(statement)


def test_the_command_line_shows_checks_and_saves_the_log(
    logged: tuple[Project, str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    project, run = logged
    place = ["--in", str(project.folder)]
    assert main(["export", run, *place, "--format", "schema", "--out", str(tmp_path / "s.json")]) == 1  # it has none
    assert main(["audit", "show", *place]) == 0
    noted = capsys.readouterr().err.strip().rpartition(" ")[2]
    assert main(["audit", "verify", *place, "--anchor", noted]) == 0
    assert main(["audit", "export", *place, "--out", str(tmp_path / "log.jsonl")]) == 0
    assert len((tmp_path / "log.jsonl").read_text().splitlines()) == 8
    edit_log(project.path, "update audit set author = 'Eve' where number = 5")
    capsys.readouterr()
    assert main(["audit", "verify", *place]) == 1
    assert "FAULT: Entry 5: changed after it was written." in capsys.readouterr().out


def test_a_saved_file_is_in_the_log_with_its_hash(logged: tuple[Project, str], tmp_path: Path) -> None:
    project, run = logged
    file = tmp_path / "run.zip"
    assert main(["export", run, "--in", str(project.folder), "--out", str(file)]) == 0
    last = list_acts(project.db)[-1]
    assert last.event == Event.EXPORTED
    assert json.loads(last.detail)["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()


def test_a_bundle_carries_the_log_and_withholds_what_tells_of_other_runs(
    logged: tuple[Project, str], tmp_path: Path
) -> None:
    project, run = logged
    bundle = export_run(project, run)
    opened = list_acts(import_run(tmp_path / "elsewhere", bundle).db)
    assert faults_of_log(opened) == ()
    assert [act.number for act in opened if act.withheld] == [4, 8]
    assert opened[-1].event == Event.OPENED
    checks = [check for check in verify_bundle(bundle).checks if check.what.startswith("The audit log")]
    assert [check.faults for check in checks] == [()]


def test_a_bundle_whose_log_was_tampered_with_is_found_out(logged: tuple[Project, str], tmp_path: Path) -> None:
    bundle = zipfile.ZipFile(io.BytesIO(export_run(*logged)))
    manifest = json.loads(bundle.read("manifest.json"))
    store = tmp_path / "store.sqlite"
    store.write_bytes(bundle.read(FILE))
    edit_log(store, "update audit set author = 'Eve' where number = 5")
    files = {name: bundle.read(name) for name in manifest["files"]} | {FILE: store.read_bytes()}
    for name, data in files.items():
        manifest["files"][name] = {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
    forged = io.BytesIO()
    with zipfile.ZipFile(forged, "w") as archive:
        for name, data in {"manifest.json": json.dumps(manifest).encode(), **files}.items():
            archive.writestr(name, data)
    faults = [fault for check in verify_bundle(forged.getvalue()).checks for fault in check.faults]
    assert "Entry 5: changed after it was written." in faults
