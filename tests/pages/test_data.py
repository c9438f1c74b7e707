"""The Data page: tables of records, their proof, the graph, and what is said when there is nothing yet."""

from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.widgets import graph as graph_widget
from r3con_core.documents import Unread
from r3con_core.exchange import Stage
from r3con_core.graphs import Edge, Graph, Node
from r3con_core.records import Record, StructuredData
from r3con_core.runs import RunState
from r3con_core.store import runs as run_rows
from r3con_core.store.answers import load_places
from r3con_core.store.project import Project
from r3con_core.store.records import load_records
from r3con_core.store.schemas import accept_schema, accepted_schema
from r3con_core.store.snippets import save_unread
from tests.fakes import Scripted, carry_scripted, finished_harbour, start_harbour_run
from tests.harbour_script import QUESTION
from tests.pages.opened import click, open_page


def data(run_id: str, **params: str) -> AppTest:
    return open_page("data", project="harbour", run=run_id, **params)


def open_record(run_id: str, record: Record) -> AppTest:
    """The page as a link to a record opens it; a page change alone would drop the record from the address."""
    at = data(run_id)
    at.query_params["record"] = record.id
    at.run()
    assert not at.exception
    return at


def graph_tab(at: AppTest) -> AppTest:
    at.session_state["data-tabs"] = ":material/hub: Graph"
    at.run()
    assert not at.exception
    return at


def read(at: AppTest) -> str:
    return "\n".join(element.value for element in [*at.main.markdown, *at.main.caption, *at.main.info])


@pytest.fixture
def finished(home: Path) -> tuple[Project, str, StructuredData]:
    project, run_id = finished_harbour(home / "projects")
    schema = accepted_schema(project, run_id)
    assert schema is not None
    return project, run_id, load_records(project, run_id, schema, run_rows.load_run(project, run_id).document_ids)


def test_without_a_question_the_page_leads_to_asking_one(project: Project) -> None:
    at = open_page("data", project=project.folder.name)
    assert at.subheader[0].value == "Nothing has been asked yet"


def test_a_schema_that_waits_is_said_to_hold_the_records_back(project: Project) -> None:
    run_id = start_harbour_run(project)
    carry_scripted(project, run_id, Scripted())
    at = data(run_id)
    assert "nothing is parsed before you accept the schema" in read(at)
    click(at, "Look at the schema")
    assert at.title[0].value == "Schema"


def test_while_documents_are_read_the_page_says_that_records_come_later(project: Project) -> None:
    run_id = start_harbour_run(project)
    run_rows.claim_run(project, run_id, 1)
    run_rows.set_state(project, run_id, RunState.RELEVANCE)
    assert "There are no records yet." in read(data(run_id))


def test_while_documents_are_parsed_the_page_counts_them(project: Project) -> None:
    run_id = start_harbour_run(project)
    carry_scripted(project, run_id, Scripted())
    accept_schema(project, run_id)
    run_rows.set_state(project, run_id, RunState.QUEUED)
    run_rows.claim_run(project, run_id, 1)
    run_rows.set_state(project, run_id, RunState.PARSING)
    at = data(run_id)
    assert "Parsing the documents into records: 0 of 10" in read(at)
    assert not at.dataframe


def test_every_record_of_a_type_is_a_row_with_its_proof(finished: tuple[Project, str, StructuredData]) -> None:
    _, run_id, _ = finished
    at = data(run_id)
    assert QUESTION in read(at)
    table = at.dataframe[0].value
    assert list(table["cases"]) == [40, 25, 30, 20, 50]
    assert [one.split(" ", 1)[1] for one in table["quotes"]] == ["found exactly"] * 4 + ["not found; set aside"]
    assert "5 records, 1 of them set aside" in read(at)


def test_words_in_the_search_keep_the_rows_that_have_them(finished: tuple[Project, str, StructuredData]) -> None:
    at = data(finished[1])
    at.text_input(key="find-Landing").set_value("town quay").run()
    assert list(at.dataframe[0].value["cases"]) == [30]
    at.text_input(key="find-Landing").set_value("no such words").run()
    assert "No record fits the search" in read(at)


def test_only_records_set_aside_can_be_kept(finished: tuple[Project, str, StructuredData]) -> None:
    at = data(finished[1])
    at.toggle(key="aside-Landing").set_value(True).run()
    assert list(at.dataframe[0].value["cases"]) == [50]


def test_a_link_to_a_record_opens_its_tab_and_its_quote(finished: tuple[Project, str, StructuredData]) -> None:
    _, run_id, found = finished
    petrel = next(record for record in found.records if record.values.get("name") == "Petrel")
    at = open_record(run_id, petrel)
    told = read(at)
    assert list(at.dataframe[0].value["name"]) == ["Heron", "Petrel"]
    assert "now a grey launch with a patched funnel and no name" in told
    assert "owner: **Josiah Venn**" in told
    assert "colour: **grey**" in told
    assert "Document 9" in told


def test_a_record_set_aside_says_so_and_marks_what_is_not_in_its_document(
    finished: tuple[Project, str, StructuredData],
) -> None:
    _, run_id, found = finished
    (aside,) = [record for record in found.records if record.set_aside]
    told = read(open_record(run_id, aside))
    assert "set aside" in told
    assert "these words are in none of the documents" in told
    (cases,) = [line for line in told.splitlines() if line.startswith("- cases")]
    assert "not in the document" in cases


def test_a_record_that_is_not_in_the_run_is_said_to_be_missing(finished: tuple[Project, str, StructuredData]) -> None:
    at = data(finished[1])
    at.query_params["record"] = "rec-0"
    at.run()
    assert "The address names a record that this run does not have." in [warning.value for warning in at.warning]


def test_documents_that_could_not_be_parsed_are_named_with_the_reason(
    finished: tuple[Project, str, StructuredData],
) -> None:
    project, run_id, found = finished
    unread = Unread(document_id=found.records[0].document_id, reason="The reply was cut off.")
    save_unread(project, run_id, Stage.PARSING, unread)
    at = data(run_id)
    assert at.expander[0].label == "1 document could not be parsed"
    assert "The reply was cut off" in read(at)


def test_the_graph_keeps_its_places_and_has_a_table_twin(finished: tuple[Project, str, StructuredData]) -> None:
    project, run_id, _ = finished
    at = graph_tab(data(run_id))
    places = load_places(project, run_id)
    assert len(places) == 6
    graph_tab(data(run_id))
    assert load_places(project, run_id) == places
    links = at.dataframe[0].value
    assert list(links["From"]) == [f"landing of {cases} cases" for cases in (40, 25, 30, 20)]
    assert list(links["To"]) == ["Petrel", "Petrel", "Heron", "Petrel"]
    assert set(links["Field"]) == {"launch"}


def test_a_name_chosen_in_the_graph_shows_the_records_that_tell_of_it(
    finished: tuple[Project, str, StructuredData],
) -> None:
    at = graph_tab(data(finished[1]))
    at.selectbox(key="graph-node").set_value("Launch: petrel").run()
    assert not at.exception
    pressed = [button.label for button in at.main.button if button.label.startswith("R")]
    assert sum("landing of" in label for label in pressed) == 3
    click(at, next(label for label in pressed if "Petrel" in label))
    assert "now a grey launch with a patched funnel and no name" in read(at)


def test_a_name_without_a_record_is_drawn_pale() -> None:
    nodes = (
        Node(id="Landing: a", type="Landing", label="a", record_ids=("r",)),
        Node(id="Launch: b", type="Launch", label="b"),
    )
    edges = (Edge(source="Landing: a", target="Launch: b", field="launch", record_ids=("r",)),)
    places = {"Landing: a": (0.0, 0.0), "Launch: b": (1.0, 2.0)}
    drawn: dict[str, Any] = graph_widget.chart(Graph(nodes=nodes, edges=edges), places)
    assert [bool(node["itemStyle"]) for node in drawn["series"][0]["data"]] == [False, True]
