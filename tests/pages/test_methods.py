"""The Methods page: choosing and starting, what came of each, and where facts were lost."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.widgets.methods import starting
from pages.widgets.methods.downloads import bare_rows, to_html, to_json
from pages.widgets.methods.drawn_graph import places_of
from pages.widgets.methods.drawn_tree import by_level, tree_places
from pages.widgets.methods.fates import Reach, cell_of, fates_of, share_in_answer
from pages.widgets.methods.figures import Spot, pareto
from pages.widgets.methods.items import Look, told, words_of
from pages.widgets.methods.judging import is_judged
from pages.widgets.methods.labels import place_labels
from pages.widgets.methods.results import load, unlike
from pages.widgets.methods.tables import named_values, row_of, table_rows
from pages.widgets.question import modelform
from r3con_core.corpora import add_sample
from r3con_core.experiments import PlannedMethod
from r3con_core.facts import Fact
from r3con_core.jobs import ModelChoice, RunChoices
from r3con_core.judging_runs import make_judgings
from r3con_core.preferences import save_choices
from r3con_core.runs import Run, RunSettings, RunState
from r3con_core.store import runs as run_rows
from r3con_core.store.project import Project, create_project, open_project
from r3con_core.store.runs import list_runs, load_run
from r3con_core.tasks import make_task
from r3con_core.traces import Built, Item, View
from r3con_core.verdicts import Gold, Judged, Verdict
from tests.harbour_script import QUESTION
from tests.methods.running import carry_method, start
from tests.pages.opened import click, open_page

MODEL = ModelChoice(model="scripted", base_url="http://127.0.0.1:9/v1", window=32_768)
FACT = Fact(id="captain", says="The corpse is the captain.", parts=(("captain",), ("wheel", "helm")))


def built(name: str, *texts: tuple[str, bool], read: bool = False) -> Built:
    items = tuple(Item(id=str(at), title=f"Piece {at}", text=text, chosen=on) for at, (text, on) in enumerate(texts))
    return Built(name=name, says="It is there.", view=View.TEXTS, items=items, read=read)


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a project with the harbour documents, made once: reading them takes longer than any test here."""
    project = create_project(tmp_path_factory.mktemp("made"), "Harbour")
    add_sample(project, "harbour")
    project.close()
    return project.folder


@pytest.fixture
def sample(home: Path, harbour: Path) -> Project:
    """The harbour documents with their questions, and a model that was chosen before."""
    save_choices(home, RunChoices(reading=MODEL))
    return open_project(shutil.copytree(harbour, home / "projects" / harbour.name))


def said(at: AppTest) -> str:
    return "\n".join(str(part.value) for part in (*at.markdown, *at.caption, *at.info, *at.success))


def open_tab(at: AppTest, name: str) -> AppTest:
    at.session_state["methods-tabs"] = name
    at.run()
    assert not at.exception
    return at


def test_a_fact_that_the_answer_says_is_kept() -> None:
    (fate,) = fates_of([FACT], (built("Gists", ("the captain at the helm", True)),), "The captain died at the wheel.")
    assert (fate.reach, share_in_answer([fate])) == (Reach.ANSWER, 1.0)


def test_a_fact_is_lost_after_the_last_thing_that_held_it() -> None:
    trace = (
        built("Leaves", ("the captain at the helm", False)),
        built("Ranking", ("a ship", True), ("the captain at the helm", False), read=True),
    )
    (fate,) = fates_of([FACT], trace, "Twelve people.")
    assert (fate.reach, fate.last) == (Reach.BUILT, "Ranking")
    assert [cell_of(one, seen) for one, seen in zip(trace, fate.sightings, strict=True)] == ["● 1", "○ 1 left behind"]


def test_a_fact_that_the_last_prompt_had_is_read_and_not_said() -> None:
    trace = (built("Ranking", ("a ship", False), ("the captain at the helm", True), read=True),)
    (fate,) = fates_of([FACT], trace, "Twelve people.")
    assert fate.in_words == "◑ read in “Ranking”, not said"


def test_a_fact_that_nothing_held_was_never_there() -> None:
    (fate,) = fates_of([FACT], (built("Gists", ("a ship", True)),), "Twelve people.")
    assert (fate.reach, fate.last) == (Reach.NEVER, "")


def test_words_of_a_fact_are_marked_and_long_texts_are_cut_around_them() -> None:
    text = f"{'fog ' * 500}the captain's hands at the wheel"
    assert [text[one.start : one.end] for one in words_of(FACT, text)] == ["captain", "wheel"]
    shown = told(text, FACT)
    assert shown.startswith("… ")
    assert ":orange-background[**captain**]" in shown


def test_the_line_joins_methods_that_no_cheaper_one_equals() -> None:
    figures = {"alone": (1, 0.0), "whole": (9, 0.5), "graph": (5, 0.5), "r3con": (20, 1.0), "dear": (30, 1.0)}
    spots = [Spot(name=name, family="", across=across, up=up) for name, (across, up) in figures.items()]
    assert [spot.name for spot in pareto(spots)] == ["graph", "r3con"]


def test_names_in_a_plot_do_not_cover_one_another_nor_any_point() -> None:
    alone = place_labels([("R3Con", 0.2, 0.5), ("RAPTOR", 0.8, 0.5)])
    assert alone == {"R3Con": "top center", "RAPTOR": "top center"}
    close = place_labels([("R3Con", 0.50, 0.5), ("R3Con, direct", 0.51, 0.5)])
    assert close == {"R3Con": "top center", "R3Con, direct": "bottom center"}
    assert place_labels([("at the left", 0.0, 0.5), ("at the right", 1.0, 0.5)]) == {
        "at the left": "middle right",
        "at the right": "middle left",
    }
    crowd = place_labels([(f"method {at}", 0.5 + at / 1000, 0.5) for at in range(40)])
    assert 2 <= len(crowd) < 40


def test_pieces_without_a_link_stand_below_the_linked_ones() -> None:
    places = places_of([*"abcd", *(f"single {at}" for at in range(40))], [("a", "b"), ("b", "c"), ("c", "d")])
    lowest = max(places[one][1] for one in "abcd")
    assert len(places) == 44
    assert all(place[1] > lowest for one, place in places.items() if one.startswith("single"))
    across = [places[one][0] for one in "abcd"]
    assert all(min(across) <= places[f"single {at}"][0] <= max(across) for at in range(40))
    assert len(set(places.values())) == 44
    assert len(set(places_of(["x", "y"], []).values())) == 2


def test_a_tree_stands_with_its_leaves_in_order_and_parents_over_their_children() -> None:
    leaves = [Item(id=f"l{at}", title=f"Leaf {at}") for at in range(4)]
    upper = [
        Item(id="right", title="Right", level=1, children=("l2", "l3")),
        Item(id="left", title="Left", level=1, children=("l0", "l1")),
    ]
    places = tree_places(by_level([*upper, *leaves]))
    assert [places[f"l{at}"][0] for at in range(4)] == [0.125, 0.375, 0.625, 0.875]
    assert (places["left"], places["right"]) == ((0.25, -1.0), (0.75, -1.0))


def test_tables_are_read_from_lines_with_bars_and_from_names_with_values() -> None:
    assert table_rows("| who | when |\n| --- | --- |\n| Swales | 10 August |") == [
        {"who": "Swales", "when": "10 August"}
    ]
    assert table_rows("Petrel | landed | 20 cases\nPetrel | left | yard") is not None
    assert table_rows("no table here") is None
    assert named_values("vessel: Petrel\ncases: 20") == {"vessel": "Petrel", "cases": "20"}


def test_what_a_text_names_never_stands_in_place_of_what_is_said_of_it() -> None:
    item = Item(id="R1", title="Document 3", text="From: Ines\nWent on: ✓\nFrom (in the text): Tom")
    row = row_of(item, named_values(item.text), Look(titles={}))
    assert (row["From"], row["Went on"]) == ("Document 3", "")
    assert row["Went on (in the text)"] == "✓"
    assert {"Ines", "Tom"} <= set(row.values())


def test_each_method_stands_with_its_price_before_anything_is_asked(sample: Project) -> None:
    at = open_page("methods", project="harbour")
    assert at.text_area[0].value == QUESTION
    told_ = said(at)
    assert "1 call (1 to 3)" in told_
    assert "#### Context" in told_
    ticked = {box.label for box in at.checkbox if box.value}
    assert "**R3Con**" in ticked
    click(at, "None")
    assert "Tick the methods to compare." in said(at)


def test_the_ticked_methods_are_started_together(sample: Project, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[str, ...]] = []
    save_choices(home, RunChoices(reading=MODEL, reasoning=replace(MODEL, model="better")))

    def begin(project: Project, question: str, planned: list[PlannedMethod], **_: object) -> tuple[Run, ...]:
        assert question == QUESTION
        started.append(tuple(one.method.id for one in planned))
        vectors = {one.method.id: one.choices.embedding for one in planned}
        assert [(method, one.model) for method, one in vectors.items() if one] == [("linearrag", "vectors-small")]
        assert {one.choices.reasoning and one.choices.reasoning.model for one in planned} == {"better"}
        return (load_run(project, start(project, "whole")),)

    monkeypatch.setattr(starting, "start_methods", begin)
    at = click(open_page("methods", project="harbour"), "None")
    for name in ("whole", "linearrag"):
        at.checkbox(key=f"method-{name}").check()
    at.text_input(key="methods-vectors").input("vectors-small").run()
    assert "**scripted** (this computer) reads and **better** (this computer) reasons" in said(at)
    click(at, "Start 2 methods")
    assert started == [("whole", "linearrag")]


def test_answers_facts_and_principles_stand_side_by_side(sample: Project) -> None:
    for name in ("whole", "alone"):
        carry_method(sample, start(sample, name))
    at = open_page("methods", project="harbour")
    assert "**Whole corpus in context**" in said(at)
    assert "**Question alone**" in said(at)
    table = open_tab(at, ":material/flag: Where facts are lost").dataframe[0].value
    assert list(table.columns) == ["Fact", "Whole corpus in context", "Question alone"]
    assert all("never held" in cell for cell in table["Question alone"])
    at.query_params["view"] = "built"
    at.run()
    assert "Every document in full" in said(at)
    assert "view" not in at.query_params
    (table,) = open_tab(at, ":material/rule: Principles").table
    assert "**R3Con**" in list(table.value["Method"])


def test_an_interrupted_method_can_be_resumed(sample: Project) -> None:
    run_id = start(sample, "whole")
    run_rows.set_state(sample, run_id, RunState.INTERRUPTED, error="The process ended.")
    at = open_page("methods", project="harbour")
    assert "**Whole corpus in context**: The process ended." in said(at)
    assert [button.label for button in at.button if button.label == "Resume"] == ["Resume"]


def test_the_page_asks_what_the_run_that_is_opened_asked(sample: Project) -> None:
    first, second = (start(sample, name, "Who was the harbour master?") for name in ("whole", "whole"))
    start(sample, "alone")
    at = open_page("methods", project="harbour")
    assert at.text_area[0].value == QUESTION
    at.text_area[0].input("Another question?").run()
    at.query_params["run"] = first
    at.run()
    assert at.text_area[0].value == "Who was the harbour master?"
    assert "Waiting for their turn: Whole corpus in context" in said(at)
    shown = load(sample, make_task("Who was the harbour master?").id, (), first)
    assert [(one.result.run.id, [run.id for run in one.result.others]) for one in shown] == [(first, [second])]


def test_a_judging_that_ended_early_is_told_and_can_go_on(sample: Project, home: Path) -> None:
    run_id = start(sample, "alone")
    carry_method(sample, run_id)
    (judging,) = make_judgings(sample, [run_id], MODEL, home=home)
    at = open_page("methods", project="harbour")
    assert "At work:** 1 answer to judge" in said(at)
    assert "start-judging" not in [button.key for button in at.button]
    assert any("Being judged now: 1 answer" in info.value for info in at.info)
    run_rows.set_state(sample, judging.id, RunState.FAILED, error="Nobody answers there.")
    at.run()
    assert "**The judging of 1 answer ended early**: Nobody answers there." in said(at)
    assert "Resume judging" in [button.label for button in at.button]
    assert at.button(key="start-judging").label == "Judge 1 answer"
    assert "1 call (1 to 3)" in said(at)
    assert not at.warning
    at.segmented_control(key="judge-where").set_value(modelform.HERE).run()
    assert any("too small to judge" in warning.value for warning in at.warning)


def test_a_verdict_counts_only_against_what_is_right_now(sample: Project) -> None:
    start(sample, "alone")
    (one,) = load(sample, make_task(QUESTION).id, ())
    verdict = Verdict(correct=True, lenient=True, score=1.0, reason="All is there.")
    judged = Judged(verdict=verdict, gold=Gold(answer="85"), judged_by="run-1", made="")
    one = replace(one, result=replace(one.result, judged=judged))
    assert [is_judged(one, Gold(answer=right)) for right in ("85", "86")] == [True, False]


def test_runs_of_different_models_or_documents_are_said_to_be_no_fair_comparison(sample: Project) -> None:
    start(sample, "whole")
    shown = load(sample, make_task(QUESTION).id, ())
    assert unlike(shown) == ""
    run = replace(shown[0].result.run, settings=RunSettings(model="better"), document_ids=("doc-1",))
    both = (*shown, replace(shown[0], result=replace(shown[0].result, run=run)))
    assert unlike(both) == (
        "Not all of this is comparable: these methods had different models (scripted; better) and different documents "
        "(1, 10 of them)."
    )


def test_the_comparison_can_be_taken_away(sample: Project) -> None:
    carry_method(sample, start(sample, "whole"))
    (run,) = list_runs(sample)
    shown = load(sample, make_task(QUESTION).id, (FACT,))
    (one,) = json.loads(to_json(QUESTION, shown))["methods"]
    assert (one["run"], one["facts"]) == (run.id, {"captain": "never held"})
    assert len(one["built"][0]["items"]) == 10
    (line,) = bare_rows(shown)
    assert (line["Money"], line["Model"], line["Documents"]) == (0.0, "scripted", 10)
    page = to_html("Who <b>did</b> it?", "Nobody.", (FACT,), shown).decode()
    assert "The right answer:</b> <bdi>Nobody.</bdi>" in page
    assert "✗ nothing that was built had it" in page
    assert '<th scope="col">Model</th>' not in page
    assert "&lt;b&gt;did&lt;/b&gt;" in page
    assert "<script" not in page
