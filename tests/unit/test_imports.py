"""Imports: what is kept, stopped, killed, resumed, unlocked, held back and released."""

import os
import signal
import zipfile
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import pytest

from r3con_core.errors import CorpusError, StoppedError, StoreError
from r3con_core.findings import include_finding, leave_out_finding, list_findings
from r3con_core.holdings import hold_listed
from r3con_core.importer import reconcile_imports, resume_import, start_importer, stop_import
from r3con_core.imports import add_paths, add_uploads, carry_import, go_on, plan_import, unlock
from r3con_core.originals import original
from r3con_core.readers.content import Content
from r3con_core.store import imports as rows
from r3con_core.store.decisions import hold_documents, list_decisions, release_documents
from r3con_core.store.documents import coverage, list_documents, list_ledger, load_corpus, load_document
from r3con_core.store.holding import replace_holding
from r3con_core.store.imports import ImportState
from r3con_core.store.project import Project, create_project

HIDDEN_PAGE = b"<html><body><p>The launch left at noon.</p><p style='display:none'>It never left.</p></body></html>"
PRIVILEGED = (
    b"From: Ann <ann@quayside-law.example>\nTo: Bo <bo@harbour.example>\nSubject: PRIVILEGED & CONFIDENTIAL: the claim\n"
    b"Date: Tue, 2 Mar 2021 10:00:00 +0000\nMessage-ID: <1@x>\n\nAttorney-client communication. Settle for 5,000.\n"
)

pytestmark = pytest.mark.filterwarnings("ignore:subprocess .* is still running:ResourceWarning")  # that is the point


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return create_project(tmp_path / "projects", "Trial")


def folder_of(tmp_path: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        place = tmp_path / "dump" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    return tmp_path / "dump"


def zipped(files: dict[str, bytes], password: bytes = b"") -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def ledger_of(project: Project) -> list[tuple[str, str]]:
    return [(line.path, line.outcome) for line in list_ledger(project)]


DUMP = {
    "a.txt": b"Words of a.",
    "b.zip": zipped({"one.txt": b"Words of one.", "two.txt": b"Words of two.", "copy.txt": b"Words of a."}),
    "c.bin": b"\x00\x01\x02\x03",
    "d/e.txt": b"Words of e.",
}
WHOLE = [
    ("dump/a.txt", "read"),
    ("dump/b.zip", "read"),
    ("dump/b.zip > one.txt", "read"),
    ("dump/b.zip > two.txt", "read"),
    ("dump/b.zip > copy.txt", "duplicate"),
    ("dump/c.bin", "not readable"),
    ("dump/d/e.txt", "read"),
]


def test_an_import_keeps_every_file_and_member_with_its_hash_and_size(project: Project, tmp_path: Path) -> None:
    added = add_paths(project, [folder_of(tmp_path, DUMP)])
    assert ledger_of(project) == WHOLE
    assert added.documents == 4
    first = added.lines[0]
    assert (first.size, first.sha256, first.media_type) == (11, sha256(b"Words of a.").hexdigest(), "text/plain")
    assert [entry.state for entry in rows.list_imports(project)] == [ImportState.DONE]


@pytest.mark.parametrize("kept", range(5))
def test_an_import_broken_off_anywhere_ends_with_the_same_ledger(project: Project, tmp_path: Path, kept: int) -> None:
    pieces = 0

    def break_off(_done: int, _total: int, _path: str) -> None:
        nonlocal pieces
        pieces += 1
        if pieces > kept:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        add_paths(project, [folder_of(tmp_path, DUMP)], break_off)
    (entry,) = rows.list_imports(project)
    assert entry.state is ImportState.INTERRUPTED
    go_on(project, entry.id)
    assert ledger_of(project) == WHOLE
    assert [line.path for line in list_documents(project)] == [
        path for path, outcome in WHOLE if outcome == "read" and not path.endswith(".zip")
    ]


def test_an_import_in_its_own_process_is_killed_and_resumed(project: Project, tmp_path: Path) -> None:
    import_id = plan_import(project, [folder_of(tmp_path, DUMP)])
    pid = start_importer(project, import_id)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    if rows.load_import(project, import_id).state is ImportState.QUEUED:
        rows.claim_import(project, import_id, pid)
    reconcile_imports(project)
    assert rows.load_import(project, import_id).state is ImportState.INTERRUPTED
    os.waitpid(resume_import(project, import_id), 0)
    assert rows.load_import(project, import_id).state is ImportState.DONE
    assert ledger_of(project) == WHOLE


def test_a_stopped_import_says_so_and_cannot_be_resumed_twice(project: Project, tmp_path: Path) -> None:
    import_id = plan_import(project, [folder_of(tmp_path, DUMP)])
    stop_import(project, import_id)
    assert rows.load_import(project, import_id).state is ImportState.STOPPED
    os.waitpid(resume_import(project, import_id), 0)
    assert rows.load_import(project, import_id).state is ImportState.DONE
    with pytest.raises(StoreError, match="nothing to resume"):
        resume_import(project, import_id)


def test_an_import_asked_to_stop_stops_after_the_file_at_hand(project: Project, tmp_path: Path) -> None:
    import_id = plan_import(project, [folder_of(tmp_path, DUMP)])
    rows.claim_import(project, import_id, os.getpid())
    with pytest.raises(StoppedError):
        carry_import(project, import_id, lambda *_: rows.ask_import_to_stop(project, import_id))
    assert rows.load_import(project, import_id).state is ImportState.STOPPED


def test_the_same_folder_again_adds_nothing(project: Project, tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"a.txt": b"Words of a."})
    add_paths(project, [folder])
    again = add_paths(project, [folder])
    assert again.documents == 0
    assert [line.outcome for line in again.lines] == ["duplicate"]
    assert [line.document_id for line in again.lines] == [list_documents(project)[0].id]


def test_a_privileged_mail_is_held_back_with_its_attachments_until_released(project: Project, tmp_path: Path) -> None:
    add_paths(project, [folder_of(tmp_path, {"a.txt": b"Words of a.", "m.eml": PRIVILEGED})])
    mail = next(line for line in list_documents(project) if line.path.endswith("m.eml"))
    assert mail.held
    assert ("dump/m.eml", "held back") in ledger_of(project)
    assert mail.id not in load_corpus(project)
    assert release_documents(project, [mail.id], author="Ada", note="no advice in it") == 1
    assert mail.id in load_corpus(project)
    assert ("dump/m.eml", "read") in ledger_of(project)
    (decision,) = list_decisions(project)
    assert (decision.decision, decision.author, decision.note) == ("released", "Ada", "no advice in it")


def test_a_released_mail_stays_released_when_its_folder_is_read_again(project: Project, tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"m.eml": PRIVILEGED})
    add_paths(project, [folder])
    (mail,) = list_documents(project)
    release_documents(project, [mail.id], author="Ada", note="")
    add_paths(project, [folder])
    assert mail.id in load_corpus(project)


def test_names_on_the_projects_list_hold_mail_back(project: Project, tmp_path: Path) -> None:
    plain = PRIVILEGED.replace(b"PRIVILEGED & CONFIDENTIAL: the claim", b"Lunch").replace(b"quayside-law", b"quay")
    plain = plain.replace(b"Attorney-client communication. ", b"")
    replace_holding(project, "domains", ["quay.example"])
    add_paths(project, [folder_of(tmp_path, {"m.eml": plain})])
    (mail,) = list_documents(project)
    assert "quay.example" in mail.held


def test_a_document_can_be_held_back_by_hand(project: Project, tmp_path: Path) -> None:
    add_paths(project, [folder_of(tmp_path, {"a.txt": b"Words of a."})])
    (line,) = list_documents(project)
    assert hold_documents(project, [line.id], author="Ada", note="source at risk") == 1
    assert list_documents(project)[0].held == "source at risk"
    assert load_corpus(project).documents == ()


def test_a_text_set_aside_becomes_a_document_only_when_the_analyst_decides_so(project: Project, tmp_path: Path) -> None:
    add_paths(project, [folder_of(tmp_path, {"page.html": HIDDEN_PAGE})])
    (page,) = load_corpus(project).documents
    assert "never left" not in page.text
    (found,) = list_findings(project)
    assert (found.finding.text, found.decision) == ("It never left.", None)
    made = include_finding(project, page.id, found.index, author="Ada", note="planted?")
    document = load_document(project, made)
    assert document is not None
    assert (document.text, document.parent) == ("It never left.", "dump/page.html")
    assert "not what page.html shows its readers" in document.warnings[0]
    assert [one.decision.decision for one in list_findings(project) if one.decision] == ["made a document"]
    assert load_document(project, page.id) == page


def test_leaving_a_text_out_is_written_down(project: Project, tmp_path: Path) -> None:
    add_paths(project, [folder_of(tmp_path, {"page.html": HIDDEN_PAGE})])
    (found,) = list_findings(project)
    leave_out_finding(project, found.document_id, found.index, author="Ada", note="")
    assert [one.decision.decision for one in list_findings(project) if one.decision] == ["left out"]
    with pytest.raises(CorpusError, match="not in the project"):
        leave_out_finding(project, found.document_id, 7, author="Ada", note="")


LOCKED = Path(__file__).parents[1] / "cases" / "password_needed.pdf"


def test_a_locked_file_is_read_once_its_password_is_given(project: Project, tmp_path: Path) -> None:
    add_paths(project, [folder_of(tmp_path, {"a.pdf": LOCKED.read_bytes(), "b.txt": b"Words of b."})])
    (locked,) = [line for line in list_ledger(project) if line.locked]
    assert (locked.path, locked.reason) == ("dump/a.pdf", "Password needed")
    with pytest.raises(CorpusError, match="does not open"):
        unlock(project, "dump/a.pdf", "wrong")
    (tmp_path / "dump" / "0.txt").write_text("A file that came later, before it.")
    assert unlock(project, "dump/a.pdf", "harbour-42").documents == 1
    assert "88,000.00" in load_corpus(project).documents[-1].text
    assert [line.locked for line in list_ledger(project)] == [False, False]
    assert [entry.done for entry in rows.list_imports(project)] == [2]
    assert "harbour-42" not in (tmp_path / "projects" / "trial" / "project.sqlite").read_bytes().decode("latin-1")


def test_a_locked_upload_is_read_from_the_projects_own_copy(project: Project) -> None:
    add_uploads(project, [("../b.pdf", Content.held(LOCKED.read_bytes()))])
    assert unlock(project, "b.pdf", "harbour-42").documents == 1


def test_pages_are_shown_from_the_file_as_long_as_it_is_the_same(project: Project, tmp_path: Path) -> None:
    data = LOCKED.read_bytes()
    folder = folder_of(tmp_path, {"b.pdf": data, "c.zip": zipped({"in.pdf": data + b"\n"})})
    import_id = plan_import(project, [folder])
    rows.claim_import(project, import_id, os.getpid())
    carry_import(project, import_id, passwords=["harbour-42"])
    outer, inner = load_corpus(project).documents
    assert original(project, outer) == Content.on_disk(folder / "b.pdf")
    kept = original(project, inner)
    assert kept is not None
    assert kept.data() == data + b"\n"
    (folder / "b.pdf").write_bytes(b"other")
    with pytest.raises(CorpusError, match="was changed"):
        original(project, outer)
    (folder / "b.pdf").unlink()
    with pytest.raises(CorpusError, match="no longer where"):
        original(project, outer)


def test_coverage_counts_pages_read_and_files_that_were_not(project: Project, tmp_path: Path) -> None:
    add_paths(project, [folder_of(tmp_path, {"a.txt": b"Words of a.", "c.bin": b"\x00\x01\x02"})])
    (document,) = load_corpus(project).documents
    found = coverage(project, [document.id])
    assert (found.documents, found.pages, found.files, found.unread, found.held) == (1, 0, 2, 1, 0)


def test_a_missing_path_is_said_before_an_import_is_written_down(project: Project, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no file or folder"):
        plan_import(project, [tmp_path / "nothing"])
    assert rows.list_imports(project) == ()


def test_what_a_killed_process_had_unpacked_is_removed(project: Project, tmp_path: Path) -> None:
    import_id = plan_import(project, [folder_of(tmp_path, DUMP)])
    left = project.folder / "scratch" / str(import_id) / "r3con-left"
    left.mkdir(parents=True)
    rows.claim_import(project, import_id, os.getpid())
    carry_import(project, import_id)
    assert not (project.folder / "scratch").exists()


def test_a_list_made_later_holds_back_what_is_here_but_for_what_was_released(project: Project, tmp_path: Path) -> None:
    files = {f"{name}.eml": PRIVILEGED.replace(b"PRIVILEGED & CONFIDENTIAL: the claim", name.encode()) for name in "ab"}
    plain = {
        name: data.replace(b"quayside-law", b"quay").replace(b"Attorney-client communication. ", name.encode())
        for name, data in files.items()
    }
    add_paths(project, [folder_of(tmp_path, plain)])
    first, second = list_documents(project)
    hold_documents(project, [first.id], author="Ada", note="to look at")
    release_documents(project, [first.id], author="Ada", note="looked at")
    replace_holding(project, "domains", ["quay.example"])
    assert hold_listed(project, author="Ada") == 1
    assert [(line.id, bool(line.held)) for line in list_documents(project)] == [(first.id, False), (second.id, True)]
    assert hold_listed(project, author="Ada") == 0


def test_an_import_of_a_folder_that_changed_meanwhile_begins_again_and_misses_nothing(
    project: Project, tmp_path: Path
) -> None:
    folder = folder_of(tmp_path, DUMP)

    def break_off(done: int, _total: int, _path: str) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        add_paths(project, [folder], break_off)
    (folder / "a.txt").rename(folder / "z.txt")
    (folder / "0.txt").write_text("Words of 0.")
    go_on(project, rows.list_imports(project)[0].id)
    paths = [path for path, _ in ledger_of(project)]
    assert paths == ["dump/0.txt", *(path for path, _ in WHOLE[1:]), "dump/z.txt"]
    assert rows.list_imports(project)[0].total == 5


def test_a_released_document_keeps_its_warnings_in_the_ledger(project: Project, tmp_path: Path) -> None:
    page = b"<html><body><p>PRIVILEGED &amp; CONFIDENTIAL</p><p>Settle.</p><p hidden>Never.</p></body></html>"
    add_paths(project, [folder_of(tmp_path, {"page.html": page})])
    (line,) = list_documents(project)
    assert line.held
    release_documents(project, [line.id], author="Ada", note="waived")
    (entry,) = list_ledger(project)
    assert entry.outcome == "read with warnings"
    assert entry.reason.startswith("released by Ada: waived. Text that readers of the page do not see")
