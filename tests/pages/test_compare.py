"""The Compare page, second readings, follow-up questions and added documents."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.widgets.compare.answers import marked, verdicts_in_words
from pages.widgets.question import follow_up
from r3con_core.answers import Mode
from r3con_core.comparing.alignment import Verdict
from r3con_core.derived import PlannedRun, make_planned, plan_ablation, plan_repeats, plan_second_reading
from r3con_core.documents import Span
from r3con_core.exchange import Prompt
from r3con_core.jobs import ModelChoice
from r3con_core.relations import Relation
from r3con_core.store.documents import LedgerEntry, add_documents
from r3con_core.store.project import Project
from r3con_core.store.runs import list_runs, load_run
from tests.fakes import (
    Scripted,
    carry_scripted,
    finished_harbour,
    harbour_answer,
    start_harbour_run,
    text_document,
)
from tests.pages.conftest import Workers
from tests.pages.opened import click, open_page

OTHER = ModelChoice(model="other", base_url="http://127.0.0.1:9/v1")


@pytest.fixture
def answered(home: Path) -> tuple[Project, str]:
    """The harbour project with its answer."""
    return finished_harbour(home / "projects")


def carried(project: Project, planned: PlannedRun, answer: Callable[[Prompt], str] = harbour_answer) -> str:
    """The run, done."""
    run = make_planned(project, planned)
    carry_scripted(project, run.id, Scripted(answer))
    return run.id


def fewer_cases(prompt: Prompt) -> str:
    """The scripted reply, with another figure in one record and one answer."""
    return harbour_answer(prompt).replace('"cases": 25', '"cases": 26').replace("landed 85 cases", "landed 45 cases")


def said(at: AppTest) -> str:
    """All that the page says."""
    parts = [*at.markdown, *at.caption, *at.info, *at.subheader, *at.success, *at.warning]
    return "\n".join(str(part.value) for part in parts)


def test_one_run_alone_leads_on_to_ways_of_reading_again(answered: tuple[Project, str]) -> None:
    at = open_page("compare", project="harbour", run=answered[1])
    assert [one.value for one in at.subheader] == ["There is one run to look at"]
    labels = {button.label for button in at.button}
    assert {"Start the second reading", "Repeat the run", "Run it without relevance"} <= labels
    assert "Run it without structure" in labels


def test_a_second_reading_stands_beside_the_run_it_is_of(answered: tuple[Project, str]) -> None:
    project, run_id = answered
    second = carried(project, plan_second_reading(project, run_id, mode=Mode.DIRECT))
    at = open_page("compare", project="harbour", run=run_id)
    assert at.selectbox(key="compare-with").value == second
    assert "only the answers can differ" in said(at)
    assert "- **Answers:** 0 of 4 sentences agree, 1 differs, 3 are only in the first." in said(at)
    assert "- **Records:** 6 of 6 records agree; 100% of 32 cells agree." in said(at)


def test_the_address_names_the_second_run(answered: tuple[Project, str]) -> None:
    project, run_id = answered
    carried(project, plan_second_reading(project, run_id, mode=Mode.DIRECT))
    repeat = carried(project, plan_repeats(project, run_id, 1)[0], fewer_cases)
    at = open_page("compare", project="harbour", run=run_id, **{"with": repeat})
    assert at.selectbox(key="compare-with").value == repeat
    assert "5 of 6 records agree, 1 differs" in said(at)


def test_an_address_that_names_no_such_run_says_so(answered: tuple[Project, str]) -> None:
    project, run_id = answered
    carried(project, plan_second_reading(project, run_id, mode=Mode.DIRECT))
    at = open_page("compare", project="harbour", run=run_id, **{"with": "run-of-nowhere"})
    assert "cannot be compared with" in said(at)


def test_the_cells_that_differ_stand_in_the_table(answered: tuple[Project, str]) -> None:
    project, run_id = answered
    repeat = carried(project, plan_repeats(project, run_id, 1)[0], fewer_cases)
    at = open_page("compare", project="harbour", run=run_id, **{"with": repeat})
    at.session_state["compare-tabs"] = ":material/table_rows: Records"
    at.run()
    (table,) = at.dataframe
    (row,) = table.value.to_dict("records")
    assert [row[name] for name in ("State", "Record", "Field", "First", "Second")] == [
        "≠ differ",
        "Landing",
        "cases",
        "25",
        "26",
    ]
    assert f"run={run_id}" in row["In the first"]
    assert f"run={repeat}" in row["In the second"]


def test_repeats_have_a_score_with_its_definition(answered: tuple[Project, str]) -> None:
    project, run_id = answered
    carried(project, plan_repeats(project, run_id, 1)[0])
    carried(project, plan_repeats(project, run_id, 1)[0], fewer_cases)
    at = open_page("compare", project="harbour", run=run_id)
    at.session_state["compare-tabs"] = ":material/replay: Repeats"
    at.run()
    scores = {metric.label: metric.value for metric in at.metric}
    assert scores["Records agree"] == "97%"
    assert scores["Runs"] == "3"
    assert "it does not mean that they are right" in said(at)


def test_runs_that_leave_a_stage_out_can_be_looked_at_on_every_page(answered: tuple[Project, str]) -> None:
    project, run_id = answered
    told = {
        Relation.WITHOUT_STRUCTURE: ("schema", "This run leaves structure out"),
        Relation.WITHOUT_RELEVANCE: ("relevance", "This run leaves relevance out"),
    }
    for relation, (page, words) in told.items():
        bare = carried(project, plan_ablation(project, run_id, relation))
        for name in ("relevance", "schema", "data", "answer", "changes", "calls", "compare"):
            at = open_page(name, project="harbour", run=bare)
            assert words in said(at) or name != page
        assert ("**First:** scripted, direct" in said(at)) == (relation is Relation.WITHOUT_STRUCTURE)


def test_a_second_reading_is_begun_on_the_answer_page(answered: tuple[Project, str], workers: Workers) -> None:
    project, run_id = answered
    at = open_page("answer", project="harbour", run=run_id, tab="second")
    assert "About **1 call** (1 to 3)" in said(at)
    click(at, "Start the second reading")
    (new,) = [run for run in list_runs(project) if run.id != run_id]
    assert workers.started == [new.id]
    assert (new.parent, new.relation, new.settings.mode) == (run_id, "second reading", Mode.DIRECT)
    assert "**Second reading is under way** (starting)" in said(at)


def test_its_sentences_stand_beside_those_of_the_answer(answered: tuple[Project, str]) -> None:
    project, run_id = answered
    carried(project, plan_second_reading(project, run_id, mode=Mode.DIRECT))
    at = open_page("answer", project="harbour", run=run_id, tab="second")
    assert "0 of 4 sentences agree, 1 differs, 3 are only in the first" in said(at)
    assert "The Petrel landed 85 cases" in said(at)


def test_the_same_model_and_mode_are_not_offered_as_a_second_reading(answered: tuple[Project, str]) -> None:
    at = open_page("answer", project="harbour", run=answered[1], tab="second")
    at.radio(key="second-mode").set_value(Mode.CODING).run()
    assert "the same ones give the same answer" in said(at)
    assert "Start the second reading" not in {button.label for button in at.button}


def follow_up_page(run_id: str, question: str) -> AppTest:
    """The Question page with a follow-up to the run written."""
    at = open_page("question", project="harbour", run=run_id)
    at.segmented_control(key=follow_up.FROM).set_value(follow_up.RUN).run()
    at.text_area[0].set_value(question).run()
    assert not at.exception
    return at


def test_a_follow_up_is_asked_of_the_same_records(answered: tuple[Project, str], workers: Workers) -> None:
    project, run_id = answered
    at = follow_up_page(run_id, "Which launch landed cases at Town Quay?")
    assert "About **2 calls**" in said(at)
    click(at, "Ask the same records")
    (new,) = [run for run in list_runs(project) if run.id != run_id]
    assert workers.started == [new.id]
    assert (new.relation, new.task.text) == (
        "follow-up on the same records",
        "Which launch landed cases at Town Quay?",
    )


def test_a_follow_up_may_read_again(answered: tuple[Project, str], workers: Workers) -> None:
    project, run_id = answered
    at = follow_up_page(run_id, "Which launch landed cases at Town Quay?")
    at.radio(key="follow-up-how").set_value("Read the documents again").run()
    click(at, "Read again for this question")
    (new,) = [run for run in list_runs(project) if run.id != run_id]
    assert (workers.started, new.relation, new.straight_through) == ([new.id], "follow-up, read again", False)


def test_the_question_of_the_run_itself_is_no_follow_up(answered: tuple[Project, str]) -> None:
    project, run_id = answered
    at = follow_up_page(run_id, load_run(project, run_id).task.text)
    assert "This is the question of that run" in said(at)


def test_a_run_that_is_not_done_is_not_followed_up(project: Project) -> None:
    run_id = start_harbour_run(project)
    at = open_page("question", project="harbour", run=run_id)
    assert follow_up.FROM not in {one.key for one in at.segmented_control}


def test_added_documents_are_told_and_taken_in_both_ways(answered: tuple[Project, str], workers: Workers) -> None:
    project, run_id = answered
    memo = text_document("The Petrel was sold in 1932.", path="memo11.txt", title="11 memo")
    add_documents(project, [memo], [LedgerEntry(path="memo11.txt", outcome="read", reason="", document_id=memo.id)])
    at = open_page("question", project="harbour", run=run_id)
    assert "1 document was added since the run" in said(at)
    click(at, "Read only the added ones")
    (new,) = [run for run in list_runs(project) if run.id != run_id]
    assert (workers.started, new.relation) == ([new.id], Relation.ADDED_ONLY)
    assert new.document_ids[-1] == memo.id


def test_runs_are_listed_with_what_they_are_to_the_one_they_began_from(answered: tuple[Project, str]) -> None:
    project, run_id = answered
    carried(project, plan_repeats(project, run_id, 1)[0])
    at = open_page("compare", project="harbour", run=run_id)
    options = at.selectbox(key="run_picker").options
    assert options[0].startswith("Repeat 1: ")


def test_marks_keep_the_words_and_their_blanks() -> None:
    text = "The *Petrel* landed 85 cases."
    assert marked(text, [Span(start=20, end=22)]) == ("The \\*Petrel\\* landed :orange-background[**85**] cases.")


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ({Verdict.AGREE: 5}, "5 of 5 sentences agree"),
        ({Verdict.DIFFER: 1, Verdict.RIGHT: 2}, "0 of 5 sentences agree, 1 differs, 2 are only in the second"),
    ],
)
def test_verdicts_are_told_in_words(found: dict[Verdict, int], words: str) -> None:
    assert verdicts_in_words(found, "5 sentences") == words
