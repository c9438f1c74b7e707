"""Evidence bundles: an untouched one holds, and each of many kinds of tampering is found and named.

A forger may be crude, may recompute the manifest's hashes, and may make every report and table afresh from a forged
store. `None` says that the last of them goes unnoticed; docs/handing-over.md says so too.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from r3con_core.changes import CorrectRecord, EditSnippet, RejectRecord
from r3con_core.errors import StoreError
from r3con_core.exports import export_run, import_run, load_contents
from r3con_core.exports.runfile import open_bundle
from r3con_core.jobs import apply_steering, steer
from r3con_core.runs import RunState
from r3con_core.store.changes import add_change, undo_change
from r3con_core.store.project import FILE, Project
from r3con_core.verify.bundles import NOT_PROVED, SOURCES, UNLISTED, BundleReport, check_members, verify_bundle
from r3con_core.verify.runs import Outcome, faults_of
from tests.fakes import INQUIRY, Scripted, carry_scripted, finished_harbour, finished_inquiry
from tests.forging import Forge, in_manifest, in_member, in_store, made_afresh, members_of, packed, rehashed

pytestmark = pytest.mark.usefixtures("steps_remembered")


def corrected_harbour(root: Path) -> tuple[Project, str]:
    """A finished run of which a person corrected one record and rejected another."""
    project, run_id = finished_harbour(root)
    data = load_contents(project, run_id).data
    assert data is not None
    second, third = data.records[1], data.records[2]
    now = replace(second, values={**second.values, "cases": 26}, changed=("cases",))
    add_change(project, run_id, CorrectRecord(of=second, now=now), author="Ada Penn", note="read the bill")
    add_change(project, run_id, RejectRecord(of=third), author="Ada Penn", note="another launch")
    return project, run_id


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[bytes]:
    project, run_id = corrected_harbour(tmp_path_factory.mktemp("tampering"))
    yield export_run(project, run_id)
    project.close()


def _told(report: BundleReport) -> str:
    return "\n".join(faults_of(report.checks))


def test_an_untouched_bundle_holds_in_every_line(bundle: bytes) -> None:
    report = verify_bundle(bundle)
    assert {check.what: check.outcome for check in report.checks} == dict.fromkeys(
        (check.what for check in report.checks), Outcome.HOLDS
    )
    assert len(report.checks) == 15
    assert report.chain
    assert len(NOT_PROVED) == 4


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of tampering, and what names it."""

    forge: Forge
    crude: str = "project.sqlite is not what the manifest says"
    rehashed: str
    """Also with hashes that fit."""
    afresh: str | None
    """Also with everything readable made anew."""


_R1 = "(select id from records where position = 0 and document_id = (select id from documents where position = 0))"
_CALL_OF_1 = "document_id = (select id from documents where position = 0) and stage = 'relevance' and round = 2"
KINDS = {
    "a letter of a document": Kind(
        forge=in_store("update documents set text = replace(text, '40 cases', '90 cases') where position = 0"),
        rehashed=r"Document 1 (01 newspaper cutting) is not the text that was read",
        afresh=r"Document 1 (01 newspaper cutting) is not the text that was read",
    ),
    "a document's title": Kind(
        forge=in_store("update documents set title = '01 old cutting' where position = 0"),
        rehashed="The snippet of document 1 (01 old cutting) in round 1 is not what the kept reply says.",
        afresh="The snippet of document 1 (01 old cutting) in round 1 is not what the kept reply says.",
    ),
    "a document's date": Kind(
        forge=in_store("update documents set date = '1931-04-01' where position = 0"),
        rehashed="documents.jsonl is not what the store gives",
        afresh=None,
    ),
    "the hash of a document's file": Kind(
        forge=in_store(f"update documents set sha256 = '{'1' * 64}' where position = 0"),
        rehashed="documents.jsonl is not what the store gives",
        afresh=None,
    ),
    "a ledger line that loses its document": Kind(
        forge=in_store("update ledger set document_id = '', outcome = 'not readable' where number = 1"),
        rehashed="Document 1 (01 newspaper cutting) is in no line of the ledger.",
        afresh="Document 1 (01 newspaper cutting) is in no line of the ledger.",
    ),
    "the words of a ledger line": Kind(
        forge=in_store("update ledger set reason = 'all of it' where number = 1"),
        rehashed="ledger.csv is not what the store gives: they differ in line 2.",
        afresh=None,
    ),
    "a quote's offset": Kind(
        forge=in_store("""update records set evidence = replace(evidence, '"start": 365', '"start": 364')"""),
        rehashed="R1: what is said of the quote 'The grey launch landed 40 cases at Lime Quay'",
        afresh="R1: what is said of the quote 'The grey launch landed 40 cases at Lime Quay'",
    ),
    "a record's value": Kind(
        forge=in_store(f"update records set field_values = replace(field_values, '40', '400') where id = {_R1}"),
        rehashed="R1 was changed after it was parsed: its hash differs.",
        afresh="R1 was changed after it was parsed: its hash differs.",
    ),
    "who is said to have said it": Kind(
        forge=in_store(f"update records set said_by = 'Josiah Venn' where id = {_R1}"),
        rehashed="R1 is not what the kept reply says.",
        afresh="R1 is not what the kept reply says.",
    ),
    "an added record": Kind(
        forge=in_store(
            "insert into records select run_id, 'rec-added', 9, type, document_id, field_values, evidence, said_by,"
            f" certainty, unsupported, seq from records where id = {_R1}"
        ),
        rehashed="is a record that no kept reply gives.",
        afresh="is a record that no kept reply gives.",
    ),
    "a dropped record": Kind(
        forge=in_store("delete from records where document_id = (select id from documents where position = 9)"),
        rehashed="A record that a kept reply gives is missing: Landing, 'She landed 50 cases",
        afresh="A record that a kept reply gives is missing: Landing, 'She landed 50 cases",
    ),
    "a changed correction": Kind(
        forge=in_store("""update changes set change = replace(change, '"cases": 26', '"cases": 27')"""),
        rehashed="changes.jsonl is not what the store gives: they differ in line 1.",
        afresh=None,
    ),
    "a dropped correction": Kind(
        forge=in_store("delete from changes where kind = 'RejectRecord'"),
        rehashed="changes.jsonl is not what the store gives: they differ in line 2.",
        afresh=None,
    ),
    "another author of a correction": Kind(
        forge=in_store("update changes set author = 'Ida Sorrel'"),
        rehashed="report.html is not what the store gives",
        afresh=None,
    ),
    "a sentence of the answer": Kind(
        forge=in_store(
            "update answers set text = replace(text, '85 cases', '95 cases'),"
            " sentences = replace(sentences, '85 cases', '95 cases')"
        ),
        rehashed="Sentence 1 of the answer, or what it cites, is not what the kept replies say.",
        afresh="Sentence 1 of the answer, or what it cites, is not what the kept replies say.",
    ),
    "a citation": Kind(
        forge=in_store(
            f"update answers set sentences = replace(sentences, {_R1},"
            " (select id from records where document_id = (select id from documents where position = 4)))"
        ),
        rehashed="Sentence 1 of the answer, or what it cites, is not what the kept replies say.",
        afresh="Sentence 1 of the answer, or what it cites, is not what the kept replies say.",
    ),
    "a step's code": Kind(
        forge=in_store("update steps set code = code || char(10) || 'x = 1' where number = 1"),
        rehashed="The code of step 1 is not what the kept reply says.",
        afresh="The code of step 1 is not what the kept reply says.",
    ),
    "a step's output": Kind(
        forge=in_store("update steps set output = replace(output, '40', '41') where number = 1"),
        rehashed="Step 1 gives something else when it is run again.",
        afresh="Step 1 gives something else when it is run again.",
    ),
    "a snippet": Kind(
        forge=in_store("update snippets set text = text || ' And more.' where round = 1"),
        rehashed="The snippet of document 3 (03 carters bill) in round 1 is not what the kept reply says.",
        afresh="The snippet of document 3 (03 carters bill) in round 1 is not what the kept reply says.",
    ),
    "a reply": Kind(
        forge=in_store(f"update calls set reply = replace(reply, 'Petrel', 'Heron') where {_CALL_OF_1}"),
        rehashed="The snippet of document 1 (01 newspaper cutting) in round 2 is not what the kept reply says.",
        afresh="The snippet of document 1 (01 newspaper cutting) in round 2 is not what the kept reply says.",
    ),
    "a dropped reply": Kind(
        forge=in_store(f"delete from run_calls where key in (select key from calls where {_CALL_OF_1})"),
        rehashed="The snippet of document 1 (01 newspaper cutting) in round 2 is not what the kept reply says.",
        afresh="The snippet of document 1 (01 newspaper cutting) in round 2 is not what the kept reply says.",
    ),
    "a prompt": Kind(
        forge=in_store("update texts set text = replace(text, 'Petrel', 'Heron') where typeof(text) = 'text'"),
        rehashed="The prompt of call 1 (focus) is not the one sent: its hash differs.",
        afresh="The prompt of call 1 (focus) is not the one sent: its hash differs.",
    ),
    "settings": Kind(
        forge=in_store("""update runs set settings = replace(settings, '"rounds": 2', '"rounds": 1')"""),
        rehashed="The proposal of a schema does not come of the kept replies.",
        afresh="The proposal of a schema does not come of the kept replies.",
    ),
    "the question": Kind(
        forge=in_store("update tasks set text = replace(text, 'Petrel', 'Heron')"),
        rehashed="The manifest gives another question than the run.",
        afresh="The manifest gives another question than the run.",
    ),
    "a version of the schema": Kind(
        forge=in_store("update schemas set schema = replace(schema, 'one landing', 'one visit')"),
        rehashed="The first version of the schema is not what the reply says.",
        afresh="The first version of the schema is not what the reply says.",
    ),
    "the report": Kind(
        forge=in_member("report.html", "85 cases", "95 cases"),
        crude="report.html is not what the manifest says",
        rehashed="report.html is not what the store gives",
        afresh=None,
    ),
    "a table's cell": Kind(
        forge=in_member("records/Landing.csv", "Lime Quay", "Town Quay"),
        crude="records/Landing.csv is not what the manifest says",
        rehashed="records/Landing.csv is not what the store gives: they differ in line 2.",
        afresh=None,
    ),
    "a prompt as it can be read": Kind(
        forge=in_member("calls.jsonl", "Petrel", "Heron"),
        crude="calls.jsonl is not what the manifest says",
        rehashed="calls.jsonl is not what the store gives: they differ in line 1.",
        afresh=None,
    ),
    "a member left out": Kind(
        forge=lambda members: {name: data for name, data in members.items() if name != "calls.jsonl"},
        crude="calls.jsonl is missing.",
        rehashed="calls.jsonl is missing.",
        afresh=None,
    ),
    "the manifest": Kind(
        forge=in_manifest(question="How many cases did the Heron land?"),
        crude="The manifest was changed after it was made.",
        rehashed="The manifest gives another question than the run.",
        afresh="The manifest gives another question than the run.",
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_crude_tampering_is_found_and_named(kind: str, bundle: bytes) -> None:
    forged = packed(KINDS[kind].forge(members_of(bundle)))
    assert KINDS[kind].crude in "\n".join(faults_of(check_members(forged)))


@pytest.mark.parametrize("kind", KINDS)
def test_tampering_under_hashes_that_fit_is_found_and_named(kind: str, bundle: bytes) -> None:
    forged = packed(rehashed(KINDS[kind].forge(members_of(bundle))))
    assert KINDS[kind].rehashed in _told(verify_bundle(forged))


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_patient_forger_can_do_is_known(kind: str, bundle: bytes) -> None:
    forged = packed(rehashed(made_afresh(KINDS[kind].forge(members_of(bundle)))))
    report = verify_bundle(forged)
    wanted = KINDS[kind].afresh
    assert wanted in _told(report) if wanted is not None else _told(report) == ""


def test_a_whole_consistent_forgery_has_another_hash(bundle: bytes) -> None:
    forged = packed(rehashed(made_afresh(KINDS["a changed correction"].forge(members_of(bundle)))))
    assert verify_bundle(forged).chain != verify_bundle(bundle).chain


def test_what_is_no_bundle_is_refused_in_a_sentence() -> None:
    with pytest.raises(StoreError, match="This is not a run file of R3Con Analyst"):
        verify_bundle(b"no zip")


@pytest.mark.parametrize("cut", [1, 7, 40])
def test_a_file_that_lost_its_beginning_or_its_end_is_refused_with_a_sentence(cut: int, bundle: bytes) -> None:
    for torn in (bundle[cut:], bundle[:-cut]):
        with pytest.raises(StoreError, match="or it is damaged"):
            open_bundle(torn)


def test_a_value_that_no_check_can_use_is_a_fault(bundle: bytes) -> None:
    forged = packed(rehashed(in_store("update runs set seq = 9e999")(members_of(bundle))))
    assert "A value in it cannot be used (OverflowError" in _told(verify_bundle(forged))


def test_a_bundle_of_another_version_leaves_its_reports_open(bundle: bytes) -> None:
    forged = packed(rehashed(in_manifest(made_by="R3Con Analyst 99.0")(members_of(bundle))))
    report = verify_bundle(forged)
    assert report.checks[-1].open.startswith("They were made by R3Con Analyst 99.0")
    assert [check.outcome for check in report.checks].count(Outcome.HOLDS) == 14


def test_a_bundle_opened_elsewhere_and_saved_again_holds(bundle: bytes, tmp_path: Path) -> None:
    opened = import_run(tmp_path, bundle)
    (run_id,) = (row["id"] for row in opened.db.execute("select id from runs"))
    again = export_run(opened, run_id)
    assert members_of(again).keys() == members_of(bundle).keys()
    assert faults_of(verify_bundle(again).checks) == ()


def test_a_bundle_that_is_refused_takes_nothing_of_a_folder_that_was_there(bundle: bytes, tmp_path: Path) -> None:
    kept = tmp_path / "projects" / "taken" / f"{FILE}.broken-1"
    kept.parent.mkdir(parents=True)
    kept.write_bytes(b"the rest of an earlier project")
    forged = rehashed(in_store("update documents set text = 'Nothing happened.'")(members_of(bundle)))
    with pytest.raises(StoreError, match="was changed, so it was not opened"):
        import_run(tmp_path, packed(forged), "Taken")
    assert [file for file in (tmp_path / "projects").rglob("*") if file.is_file()] == [kept]


def test_original_files_are_compared_byte_for_byte(tmp_path: Path) -> None:
    project, run_id = finished_inquiry(tmp_path)
    bundle = export_run(project, run_id)
    by_name = {check.what: check for check in verify_bundle(bundle, INQUIRY).checks}
    assert (by_name[SOURCES].outcome, by_name[UNLISTED].outcome) == (Outcome.HOLDS, Outcome.HOLDS)
    assert faults_of(by_name.values()) == ()
    other = tmp_path / "other"
    other.mkdir()
    (other / "new.txt").write_text("new")
    by_name = {check.what: check for check in verify_bundle(bundle, other).checks}
    assert by_name[SOURCES].faults[0].endswith("is not in the folder, or is another file there.")
    assert by_name[UNLISTED].open == "Not in the ledger: new.txt."


def test_a_run_steered_between_rounds_holds(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    first = load_contents(project, run_id).corpus.documents[2]
    edit = EditSnippet(document_id=first.id, round=2, text="A launch landed 25 cases at Lime Quay on 19 March 1931.")
    entry = steer(project, run_id, edit, author="Ada Penn")
    apply_steering(project, run_id)
    assert carry_scripted(project, run_id, Scripted()) is RunState.DONE
    assert faults_of(verify_bundle(export_run(project, run_id)).checks) == ()
    undo_change(project, run_id, entry.number, author="Ada Penn")
    apply_steering(project, run_id)
    assert carry_scripted(project, run_id, Scripted()) is RunState.DONE
    assert faults_of(verify_bundle(export_run(project, run_id)).checks) == ()
