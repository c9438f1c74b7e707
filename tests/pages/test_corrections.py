"""Records corrected on the Data page, conflicts and names beside them, and the Changes page that lists it all."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.widgets import evidence
from pages.widgets.changes.change_list import Kind
from r3con_core.changes import CorrectRecord, Entry, MergeNames, RejectRecord
from r3con_core.documents import Unread
from r3con_core.evidence import Grounded
from r3con_core.exchange import Stage
from r3con_core.overlay import data_of
from r3con_core.records import Record, Standing, StructuredData
from r3con_core.store.changes import add_change, list_changes, undo_change
from r3con_core.store.decisions import hold_documents
from r3con_core.store.project import Project
from r3con_core.store.records import begin_parsing, save_parse
from r3con_core.store.snippets import save_unread
from tests.fakes import finished_harbour
from tests.pages.opened import click, open_page

Finished = tuple[Project, str, StructuredData]


@pytest.fixture
def finished(home: Path) -> Finished:
    project, run_id = finished_harbour(home / "projects")
    return project, run_id, now(project, run_id)


def now(project: Project, run_id: str) -> StructuredData:
    data = data_of(project, run_id)
    assert data is not None
    return data


def opened(run_id: str, record: Record | None = None, view: str = "tables") -> AppTest:
    at = open_page("data", project="harbour", run=run_id)
    at.query_params["view"] = view
    if record is not None:
        at.query_params["record"] = record.id
    at.run()
    assert not at.exception
    return at


def changing(at: AppTest, record: Record, what: str) -> AppTest:
    at.session_state[f"change-{record.id}-0"] = what
    at.run()
    assert not at.exception
    return at


def read(at: AppTest) -> str:
    elements = [*at.main.markdown, *at.main.caption, *at.main.info, *at.main.warning, *at.main.error, *at.main.success]
    return "\n".join([*(element.value for element in elements), *(button.label for button in at.main.button)])


def changes_page(run_id: str) -> AppTest:
    return open_page("changes", project="harbour", run=run_id)


def kept(project: Project, run_id: str) -> Sequence[Entry]:
    return list_changes(project, run_id)


def found(project: Project, run_id: str) -> StructuredData:
    made = evidence.found_by(project, run_id)
    assert made is not None
    return made.data


def test_a_correction_shows_at_once_and_goes_at_once_while_all_else_is_not_read_again(finished: Finished) -> None:
    project, run_id, data = finished
    before = found(project, run_id)
    entry = add_change(project, run_id, RejectRecord(of=data.records[0]), author="Ada")
    after = found(project, run_id)
    assert (after.records[0].standing, after.records[1]) == (Standing.REJECTED, before.records[1])
    assert after.records[1] is before.records[1]
    undo_change(project, run_id, entry.number, author="Ada")
    assert found(project, run_id) == before == now(project, run_id)


def test_what_is_parsed_anew_or_could_not_be_parsed_shows_at_once_and_only_in_its_run(
    finished: Finished, home: Path
) -> None:
    project, run_id, data = finished
    other, other_run = finished_harbour(home / "others")
    assert found(project, run_id).records == data.records
    elsewhere = found(other, other_run)
    gone = data.records[0].document_id
    save_parse(project, run_id, gone, ())
    assert [one.id for one in found(project, run_id).records] == [r.id for r in data.records if r.document_id != gone]
    save_unread(project, run_id, Stage.PARSING, Unread(document_id=gone, reason="no reply"))
    assert found(project, run_id) == now(project, run_id)
    begin_parsing(project, run_id, [data.records[-1].document_id])
    assert found(project, run_id) == now(project, run_id)
    assert found(other, other_run) == elsewhere


def test_every_value_of_a_record_says_where_it_stands(finished: Finished) -> None:
    _, run_id, data = finished
    told = read(opened(run_id, data.records[0]))
    assert "in quote 1" in told
    (aside,) = [record for record in data.records if record.set_aside]
    assert "not in its document" in read(opened(run_id, aside))


def test_an_edit_is_kept_with_its_author_and_reason_and_taken_back_at_once(finished: Finished) -> None:
    project, run_id, data = finished
    record = data.records[0]
    at = changing(opened(run_id, record), record, "Edit")
    at.number_input(key=f"edit-{record.id}-cases").set_value(41)
    at.text_input(key=f"edit-{record.id}-said_by").set_value("the harbour master")
    at.text_input(key=f"edit-{record.id}-why").set_value("a slip of the pen")
    click(at, "Save")
    (entry,) = kept(project, run_id)
    assert isinstance(entry.change, CorrectRecord)
    assert entry.note == "a slip of the pen"
    after = now(project, run_id).records[0]
    assert (after.values["cases"], after.said_by) == (41, "the harbour master")
    assert after.changed == ("cases", "said_by")
    told = read(at)
    assert "changed by a person" in told
    assert "a slip of the pen" in told
    at.button(key=f"undo-{record.id}-{entry.number}").click().run()
    assert now(project, run_id).records == data.records


def test_an_edit_without_a_difference_is_said_to_be_none(finished: Finished) -> None:
    project, run_id, data = finished
    at = changing(opened(run_id, data.records[0]), data.records[0], "Edit")
    click(at, "Save")
    assert "Nothing is different yet" in read(at)
    assert not kept(project, run_id)


def test_a_rejected_record_stays_visible_and_says_so(finished: Finished) -> None:
    project, run_id, data = finished
    at = changing(opened(run_id, data.records[0]), data.records[0], "Reject")
    click(at, "Reject the record")
    assert now(project, run_id).records[0].standing is Standing.REJECTED
    told = read(at)
    assert "rejected" in told
    assert "Nothing is concluded from it" in told


def test_records_are_merged_by_their_labels_with_the_value_that_is_chosen(finished: Finished) -> None:
    project, run_id, data = finished
    first, second, *_ = data.of_type("Landing")
    at = changing(opened(run_id, first), first, "Merge")
    at.text_input(key=f"merge-with-{first.id}").set_value("R99").run()
    assert "No record is called R99" in read(at)
    at.text_input(key=f"merge-with-{first.id}").set_value(data.label(second.id)).run()
    at.selectbox(key=f"merged-{first.id}-cases").set_value(str(second.values["cases"]))
    click(at, "Merge 2 records")
    merged = now(project, run_id).get(first.id)
    assert merged.values["cases"] == second.values["cases"]
    assert merged.evidence == (*first.evidence, *second.evidence)
    assert now(project, run_id).get(second.id).standing is Standing.MERGED


def test_a_record_is_split_in_two(finished: Finished) -> None:
    project, run_id, data = finished
    record = data.of_type("Landing")[0]
    at = changing(opened(run_id, record), record, "Split")
    at.number_input(key=f"split-{record.id}-2-cases").set_value(7)
    click(at, "Split the record")
    after = now(project, run_id)
    assert after.get(record.id).standing is Standing.SPLIT
    assert [one.values["cases"] for one in after.records[len(data.records) :]] == [record.values["cases"], 7]


def test_a_record_is_added_opened_and_marked_as_a_persons_word(finished: Finished) -> None:
    project, run_id, data = finished
    at = opened(run_id)
    at.number_input(key="add-Landing-cases").set_value(12)
    click(at, "Add the record")
    added = now(project, run_id).records[-1]
    assert added.values["cases"] == 12
    assert len(now(project, run_id).records) == len(data.records) + 1
    assert "added by a person" in read(at)
    assert "it stands on the word of the person who gave it" in read(at)


def test_the_place_that_is_open_is_the_quote_of_an_added_record(finished: Finished) -> None:
    project, run_id, data = finished
    (quote, *_) = data.records[0].evidence
    assert isinstance(quote, Grounded)
    at = opened(run_id, data.records[0])
    at.query_params["doc"] = quote.document_id
    at.query_params["at"] = f"{quote.span.start}-{quote.span.end}"
    at.run()
    key = f"add-Landing-{quote.document_id}-{quote.span.start}-{quote.span.end}"
    assert at.text_area(key=f"{key}-quote-new").value == quote.quote
    at.number_input(key=f"{key}-cases").set_value(12)
    click(at, "Add the record")
    assert now(project, run_id).records[-1].evidence == (quote,)


def test_names_are_joined_by_hand_everywhere_and_taken_back(finished: Finished) -> None:
    project, run_id, data = finished
    at = opened(run_id, view="names")
    assert "No two names look as if they meant one thing" in read(at)
    at.selectbox(key="join-type").set_value("Launch").run()
    at.multiselect(key="join-names-Launch").set_value(["Heron", "Petrel"]).run()
    click(at, "They are one")
    (entry,) = kept(project, run_id)
    assert entry.change == MergeNames(record_type="Launch", names=("Heron", "Petrel"), name="Heron")
    launches = {record.values.get("launch") for record in now(project, run_id).of_type("Landing")}
    assert launches - {None} == {"Heron"}
    at.button(key=f"undo-name-{entry.number}").click().run()
    assert now(project, run_id).records == data.records


def test_where_nothing_contradicts_the_view_says_so(finished: Finished) -> None:
    told = read(opened(finished[1], view="conflicts"))
    assert "No contradiction was found between records of one name" in told


def test_without_changes_the_page_says_what_would_be_listed(finished: Finished) -> None:
    assert "Nobody has changed anything in this run yet" in read(changes_page(finished[1]))


def test_the_changes_page_lists_all_kinds_and_takes_back_and_puts_back(finished: Finished) -> None:
    project, run_id, data = finished
    add_change(project, run_id, RejectRecord(of=data.records[0]), author="editor", note="a joke")
    hold_documents(project, [data.records[0].document_id], author="lawyer", note="privileged")
    at = changes_page(run_id)
    rows = at.dataframe[0].value[["what", "who", "why"]].to_numpy().tolist()
    assert sorted(rows) == [
        ["document held back", "lawyer", "privileged"],
        ["record rejected", "editor", "a joke"],
    ]
    at.pills(key="changes-kinds").set_value([Kind.DOCUMENTS]).run()
    assert list(at.dataframe[0].value["who"]) == ["lawyer"]
    at.text_input(key="changes-find").set_value("no such words").run()
    assert "No change fits the search and the filters" in read(at)


def test_what_was_taken_back_says_by_whom_and_can_be_left_out(finished: Finished) -> None:
    project, run_id, data = finished
    number = add_change(project, run_id, RejectRecord(of=data.records[0]), author="editor").number
    undo_change(project, run_id, number, author="lawyer")
    at = changes_page(run_id)
    assert at.dataframe[0].value["taken back"][0].startswith("lawyer, 20")
    at.toggle(key="changes-counting").set_value(True).run()
    assert not at.dataframe


def test_changes_whose_record_is_gone_are_said_first(finished: Finished) -> None:
    project, run_id, _ = finished
    gone = Record(id="rec-gone", type="Landing", document_id="doc-gone", values={"cases": 1}, evidence=())
    add_change(project, run_id, RejectRecord(of=gone), author="editor")
    at = changes_page(run_id)
    assert "could not be applied" in at.main.warning[0].value
    assert "Its record is not there any more" in at.main.warning[0].value
    undo_change(project, run_id, kept(project, run_id)[0].number, author="editor")
    assert not changes_page(run_id).main.warning


def test_the_code_is_run_again_on_the_corrected_data(finished: Finished) -> None:
    project, run_id, data = finished
    add_change(project, run_id, RejectRecord(of=data.of_type("Landing")[0]), author="editor")
    at = changes_page(run_id)
    click(at, "Run the answer's code again on the corrected data")
    told = read(at)
    assert "The answer changes on the data as it stands now." in told
    assert "It gives now" in told
