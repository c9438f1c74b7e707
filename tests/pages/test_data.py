"""The Data page: tables of records, their proof, the graph, and what is said when there is nothing yet."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.widgets.data import graph_chart
from r3con_core.changes import CorrectRecord, RejectRecord
from r3con_core.documents import Unread
from r3con_core.exchange import Stage
from r3con_core.records import Record, StructuredData
from r3con_core.runs import RunState
from r3con_core.store import runs as run_rows
from r3con_core.store.answers import load_places
from r3con_core.store.changes import add_change
from r3con_core.store.project import Project
from r3con_core.store.records import load_records
from r3con_core.store.schemas import accept_schema, accepted_schema
from r3con_core.store.snippets import save_unread
from r3con_core.views.graphs import Edge, Graph, Node
from r3con_core.views.groupings import Grouping, Measure
from r3con_core.views.support import Part
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


def view(run_id: str, name: str, **params: str) -> AppTest:
    """One view of the page, as a link to it opens it."""
    at = data(run_id)
    for param, value in {"view": name, **params}.items():
        at.query_params[param] = value
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
    assert "cases: **50**" in told


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
    at = view(run_id, "graph")
    places = load_places(project, run_id)
    assert len(places) == 6
    view(run_id, "graph")
    assert load_places(project, run_id) == places
    links = at.dataframe[0].value
    assert list(links["From"]) == [f"landing of {cases} cases" for cases in (40, 25, 30, 20)]
    assert list(links["To"]) == ["Petrel", "Petrel", "Heron", "Petrel"]
    assert set(links["Field"]) == {"launch"}


def test_a_name_chosen_in_the_graph_shows_the_records_that_tell_of_it_and_those_that_name_it(
    finished: tuple[Project, str, StructuredData],
) -> None:
    at = view(finished[1], "graph")
    at.selectbox(key="graph-node").set_value("Launch: petrel").run()
    assert not at.exception
    assert "1 record tells of **Petrel**, 3 more name it" in read(at)
    assert list(at.dataframe[0].value["Why"]) == ["tells of it", "launch", "launch", "launch"]


def test_words_keep_names_and_what_they_are_linked_to_and_move_nothing(
    finished: tuple[Project, str, StructuredData],
) -> None:
    project, run_id, _ = finished
    at = view(run_id, "graph")
    places = load_places(project, run_id)
    at.text_input(key="graph-find").set_value("heron").run()
    assert list(at.dataframe[0].value["From"]) == ["landing of 30 cases"]
    assert load_places(project, run_id) == places


def test_a_path_between_two_names_tells_each_step_with_its_quotes(
    finished: tuple[Project, str, StructuredData],
) -> None:
    at = view(finished[1], "graph")
    at.selectbox(key="path-from").set_value("Landing: landing of 40 cases").run()
    at.selectbox(key="path-to").set_value("Landing: landing of 25 cases").run()
    told = read(at)
    assert "2 steps" in told
    assert "1. **landing of 40 cases** and **Petrel** (launch)" in told
    assert "2. **Petrel** and **landing of 25 cases** (launch, the other way)" in told
    assert "The grey launch landed 40 cases at Lime Quay" in at.dataframe[0].value["Quote"][0]
    at.selectbox(key="path-to").set_value("Landing: landing of 30 cases").run()
    assert "No chain of records" in read(at)


def test_communities_are_told_by_number_beside_colour(finished: tuple[Project, str, StructuredData]) -> None:
    at = view(finished[1], "graph")
    at.segmented_control(key="graph-colour").set_value("community").run()
    assert not at.exception
    assert list(at.dataframe[0].value["Groups"]) == ["1 to 1", "1 to 1", "2 to 2", "1 to 1"]


def test_records_of_a_column_are_put_together_with_counts_and_sums(
    finished: tuple[Project, str, StructuredData],
) -> None:
    at = view(finished[1], "tables", kind="Landing")
    at.selectbox(key="group-Landing").set_value(Grouping(column="launch")).run()
    assert not at.exception
    groups = at.dataframe[0].value
    assert {name: list(groups[name]) for name in ("launch", "records", "sum of cases")} == {
        "launch": ["Petrel", "Heron"],
        "records": [4, 1],
        "sum of cases": [135.0, 30.0],
    }


def test_a_column_is_filtered_by_its_numbers(finished: tuple[Project, str, StructuredData]) -> None:
    at = data(finished[1])
    at.multiselect(key="filtered-columns-Landing").set_value(["cases"]).run()
    at.number_input(key="column-Landing-cases-least").set_value(26.0).run()
    assert list(at.dataframe[0].value["cases"]) == [40, 30, 50]
    at.number_input(key="column-Landing-cases-most").set_value(40.0).run()
    assert list(at.dataframe[0].value["cases"]) == [40, 30]


def test_columns_are_shown_in_the_chosen_order(finished: tuple[Project, str, StructuredData]) -> None:
    at = data(finished[1])
    at.multiselect(key="order-Landing").set_value(["document", "cases"]).run()
    assert list(at.dataframe[0].value) == ["document", "cases"]


def test_what_people_did_to_records_is_said_and_can_be_hidden(finished: tuple[Project, str, StructuredData]) -> None:
    project, run_id, found = finished
    rejected, corrected, *_ = found.of_type("Landing")
    now = replace(corrected, values={**corrected.values, "cases": 26})
    add_change(project, run_id, RejectRecord(of=rejected), author="Ida")
    add_change(project, run_id, CorrectRecord(of=corrected, now=now), author="Ida")
    at = data(run_id)
    assert list(at.dataframe[0].value["by hand"])[:3] == ["⊘ rejected by a person", "✎ changed by a person: cases", ""]
    assert "1 taken out by people, 1 changed or added by people" in read(at)
    at.toggle(key="counting-Landing").set_value(True).run()
    assert list(at.dataframe[0].value["cases"]) == [26, 30, 20]


def test_the_tree_tells_every_branch_with_the_number_of_its_records(
    finished: tuple[Project, str, StructuredData],
) -> None:
    at = view(finished[1], "tree")
    table = at.dataframe[0].value
    assert list(zip(table["record type"], table["certainty"], table["records"], strict=True)) == [
        ("Landing", "", 4),
        ("Landing", "inferred", 2),
        ("Landing", "stated", 2),
        ("Launch", "", 2),
        ("Launch", "stated", 2),
    ]


def test_the_timeline_lists_events_in_order_with_how_sure_they_are(
    finished: tuple[Project, str, StructuredData],
) -> None:
    at = view(finished[1], "timeline")
    assert list(at.dataframe[0].value["When"]) == [
        "3 March 1931",
        "16 March 1931",
        "17 March 1931, inferred",
        "19 March 1931, inferred",
    ]
    assert "4 dates, 2 of them uncertain" in read(at)
    at.text_input(key="timeline-from").set_value("1931-03-17").run()
    assert list(at.dataframe[0].value["Record"]) == ["R1", "R2"]
    at.text_input(key="timeline-to").set_value("soon").run()
    assert "A period begins and ends with a date" in at.main.warning[0].value


def test_the_map_says_which_documents_the_answer_cites(finished: tuple[Project, str, StructuredData]) -> None:
    at = view(finished[1], "support")
    documents = at.dataframe[0].value
    assert list(zip(documents["No."], documents["Part"], documents["Sentences"], strict=True))[:4] == [
        (1, "● cited by the answer", "S1, S2"),
        (3, "● cited by the answer", "S1, S3"),
        (6, "● cited by the answer", "S1, S4"),
        (5, "○ has records, none cited", ""),
    ]
    assert "Of 10 documents: ● **3** cited by the answer · ○ **4** has records, none cited" in read(at)
    at.pills(key="support-parts").set_value([Part.SILENT]).run()
    assert list(at.dataframe[0].value["No."]) == [2, 4, 8]


def test_a_plot_has_its_figures_as_a_table(finished: tuple[Project, str, StructuredData]) -> None:
    at = view(finished[1], "plots", kind="Landing")
    at.selectbox(key="plot-by-Landing-False").set_value(Grouping(column="launch")).run()
    at.selectbox(key="plot-how-Landing").set_value(Measure.SUM).run()
    assert not at.exception
    figures = at.dataframe[0].value
    assert (list(figures["launch"]), list(figures["sum of cases"])) == (["Petrel", "Heron"], [85.0, 30.0])


@pytest.mark.parametrize("name", ["conflicts", "names"])
def test_conflicts_and_names_have_views_of_their_own(finished: tuple[Project, str, StructuredData], name: str) -> None:
    assert view(finished[1], name).segmented_control(key="view_picker").value == name


def test_a_name_without_a_record_is_drawn_pale() -> None:
    nodes = (
        Node(id="Landing: a", type="Landing", label="a", record_ids=("r",)),
        Node(id="Launch: b", type="Launch", label="b"),
    )
    edges = (Edge(source="Landing: a", target="Launch: b", field="launch", record_ids=("r",)),)
    places = {"Landing: a": (0.0, 0.0), "Launch: b": (1.0, 2.0)}
    drawn: dict[str, Any] = graph_chart.chart(Graph(nodes=nodes, edges=edges), graph_chart.Look(places=places))
    assert [bool(node["itemStyle"]) for node in drawn["series"][0]["data"]] == [False, True]


def test_a_name_in_braces_is_drawn_as_it_stands() -> None:
    graph = Graph(nodes=(Node(id="Launch: {c}", type="Launch", label="{c}", record_ids=("r",)),), edges=())
    drawn: dict[str, Any] = graph_chart.chart(graph, graph_chart.Look(places={"Launch: {c}": (0.0, 0.0)}))
    assert drawn["series"][0]["data"][0]["label"]["formatter"] == "{\u2060c}"
