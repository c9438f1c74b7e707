"""The Methods page: choosing and starting, what came of each, and where facts were lost."""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.widgets.methods import starting
from pages.widgets.methods.downloads import to_html, to_json
from pages.widgets.methods.drawn_tree import by_level, tree_places
from pages.widgets.methods.fates import Reach, cell_of, fates_of, share_in_answer
from pages.widgets.methods.figures import Spot, pareto
from pages.widgets.methods.items import told, words_of
from pages.widgets.methods.results import load
from pages.widgets.methods.tables import named_values, table_rows
from r3con_core.corpora import add_sample
from r3con_core.experiments import PlannedMethod
from r3con_core.facts import Fact
from r3con_core.jobs import ModelChoice, RunChoices
from r3con_core.preferences import save_choices
from r3con_core.runs import Run, RunState
from r3con_core.store import runs as run_rows
from r3con_core.store.project import Project, create_project
from r3con_core.store.runs import list_runs, load_run
from r3con_core.tasks import make_task
from r3con_core.traces import Built, Item, View
from tests.harbour_script import QUESTION
from tests.methods.running import carry_method, start
from tests.pages.opened import click, open_page

FACT = Fact(id="captain", says="The corpse is the captain.", parts=(("captain",), ("wheel", "helm")))


def built(name: str, *texts: tuple[str, bool], read: bool = False) -> Built:
    items = tuple(Item(id=str(at), title=f"Piece {at}", text=text, chosen=on) for at, (text, on) in enumerate(texts))
    return Built(name=name, says="It is there.", view=View.TEXTS, items=items, read=read)


@pytest.fixture
def sample(home: Path) -> Project:
    """The harbour documents with their questions, and a model that was chosen before."""
    reading = ModelChoice(model="scripted", base_url="http://127.0.0.1:9/v1", window=32_768)
    save_choices(home, RunChoices(reading=reading))
    project = create_project(home / "projects", "Harbour")
    add_sample(project, "harbour")
    return project


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


def test_the_ticked_methods_are_started_together(sample: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[str, ...]] = []

    def begin(project: Project, question: str, planned: list[PlannedMethod], **_: object) -> tuple[Run, ...]:
        assert question == QUESTION
        started.append(tuple(one.method.id for one in planned))
        assert {one.choices.embedding and one.choices.embedding.model for one in planned} == {"vectors-small"}
        return (load_run(project, start(project, "whole")),)

    monkeypatch.setattr(starting, "start_methods", begin)
    at = click(open_page("methods", project="harbour"), "None")
    for name in ("whole", "alone"):
        at.checkbox(key=f"method-{name}").check().run()
    at.text_input(key="methods-vectors").input("vectors-small").run()
    click(at, "Start 2 methods")
    assert started == [("whole", "alone")]


def test_answers_facts_and_principles_stand_side_by_side(sample: Project) -> None:
    for name in ("whole", "alone"):
        carry_method(sample, start(sample, name))
    at = open_page("methods", project="harbour")
    assert "**Whole corpus in context**" in said(at)
    assert "**Question alone**" in said(at)
    table = open_tab(at, ":material/flag: Where facts are lost").dataframe[0].value
    assert list(table.columns) == ["Fact", "Whole corpus in context", "Question alone"]
    assert all("never held" in cell for cell in table["Question alone"])
    open_tab(at, ":material/account_tree: What each built")
    assert "Every document in full" in said(at)
    (table,) = open_tab(at, ":material/rule: Principles").table
    assert "**R3Con**" in list(table.value["Method"])


def test_an_interrupted_method_can_be_resumed(sample: Project) -> None:
    run_id = start(sample, "whole")
    run_rows.set_state(sample, run_id, RunState.INTERRUPTED, error="The process ended.")
    at = open_page("methods", project="harbour")
    assert "interrupted: The process ended." in said(at)
    assert [button.label for button in at.button if button.label == "Resume"] == ["Resume"]


def test_the_comparison_can_be_taken_away(sample: Project) -> None:
    carry_method(sample, start(sample, "whole"))
    (run,) = list_runs(sample)
    shown = load(sample, make_task(QUESTION).id, (FACT,))
    (one,) = json.loads(to_json(QUESTION, shown))["methods"]
    assert (one["run"], one["facts"]) == (run.id, {"captain": "never held"})
    assert len(one["built"][0]["items"]) == 10
    page = to_html("Who <b>did</b> it?", (FACT,), shown).decode()
    assert "&lt;b&gt;did&lt;/b&gt;" in page
    assert "<script" not in page
