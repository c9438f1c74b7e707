"""The Relevance page: where the run stands, what can be done, what the documents said."""

import subprocess
import sys
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.widgets import runstate
from r3con_core.documents import Unread
from r3con_core.exchange import Stage
from r3con_core.jobs import ModelChoice, RunChoices, create_run
from r3con_core.runs import RunState
from r3con_core.snippets import RelevanceSnippet
from r3con_core.store import runs as run_rows
from r3con_core.store import snippets as snippet_rows
from r3con_core.store.calls import list_calls
from r3con_core.store.documents import list_documents
from r3con_core.store.project import Project
from tests.fakes import Scripted, carry_scripted, finished_harbour, start_harbour_run
from tests.harbour_script import LOOK_FOR, QUESTION
from tests.pages.conftest import Workers
from tests.pages.opened import click, open_page


def relevance(run_id: str) -> AppTest:
    return open_page("relevance", project="harbour", run=run_id)


def labels(at: AppTest) -> list[str]:
    return [button.label for button in at.main.button]


def end(project: Project, run_id: str, state: RunState, error: str = "") -> None:
    run_rows.set_state(project, run_id, RunState.RELEVANCE)
    run_rows.set_state(project, run_id, state, error=error)


def test_without_a_question_the_page_leads_to_asking_one(project: Project) -> None:
    assert list_documents(project)
    at = open_page("relevance", project="harbour")
    assert at.subheader[0].value == "Nothing has been asked yet"
    click(at, "Ask a question")
    assert at.title[0].value == "Question"


def test_a_finished_run_shows_every_round_and_leads_to_the_answer(home: Path) -> None:
    _, run_id = finished_harbour(home / "projects")
    at = relevance(run_id)
    assert at.success[0].value == "Done. The answer is there."
    assert labels(at) == ["Read the answer"]
    assert QUESTION in at.main.markdown[0].value
    assert LOOK_FOR[0] in " ".join(markdown.value for markdown in at.markdown)
    at.session_state["relevance-tabs"] = "Table"
    table = at.run().dataframe[0].value
    assert list(table["No."]) == list(range(1, 11))
    assert table["Round 1"][5].startswith("Letter of Josiah Venn, 5 March 1931")
    assert table["Round 2"][1] == "(nothing to say)"


def test_the_figures_are_those_the_server_counted(home: Path) -> None:
    project, run_id = finished_harbour(home / "projects")
    figures = next(caption.value for caption in relevance(run_id).caption if "tokens sent" in caption.value)
    calls = len(list_calls(project, run_id))
    assert f"{calls} calls · {100 * calls:,} tokens sent, {40 * calls:,} of them known to the server" in figures
    assert "read by scripted on this computer" in figures


def test_a_schema_that_waits_is_said_and_reached(project: Project) -> None:
    run_id = start_harbour_run(project)
    carry_scripted(project, run_id, Scripted())
    at = relevance(run_id)
    assert "a schema is proposed" in at.info[0].value
    assert labels(at) == ["Look at the schema"]


def test_a_run_at_work_shows_its_rounds_and_can_be_stopped(project: Project) -> None:
    run_id = start_harbour_run(project)
    first, second, third = (line.id for line in list_documents(project)[:3])
    run_rows.claim_run(project, run_id, 1)
    run_rows.set_state(project, run_id, RunState.RELEVANCE)
    snippet_rows.save_snippet(project, run_id, 1, RelevanceSnippet(document_id=first, text="A launch."))
    snippet_rows.save_snippet(project, run_id, 1, RelevanceSnippet(document_id=second, text=""))
    unread = Unread(document_id=third, reason="The model would not answer this text.")
    snippet_rows.save_unread(project, run_id, Stage.RELEVANCE, unread, 1)
    at = relevance(run_id)
    assert "Reading the documents, round 1 of 2" in " ".join(markdown.value for markdown in at.markdown)
    assert [found.text for found in at.get("progress")] == [
        "Round 1: 3 of 10 documents, 1 with nothing to say, 1 failed",
        "Round 2: 0 of 10 documents",
    ]
    assert labels(at) == ["Stop", "Stop now"]
    click(at, "Stop")
    assert run_rows.stop_asked(project, run_id)
    assert labels(at) == ["Stopping after the calls in flight", "Stop now"]
    at.session_state["relevance-tabs"] = "Table"
    table = at.run().dataframe[0].value
    assert list(table["Round 1"][:4]) == [
        "A launch.",
        "(nothing to say)",
        "(failed: The model would not answer this text.)",
        "",
    ]


@pytest.mark.parametrize("state", [RunState.FAILED, RunState.STOPPED, RunState.INTERRUPTED])
def test_a_run_that_ended_early_says_why_and_goes_on(project: Project, workers: Workers, state: RunState) -> None:
    run_id = start_harbour_run(project)
    end(project, run_id, state, "models.example refused the key. Check it.")
    at = relevance(run_id)
    assert "models.example refused the key" in [*at.error, *at.warning][0].value
    click(at, "Resume")
    assert workers.started == [run_id]
    assert run_rows.load_run(project, run_id).state is RunState.QUEUED


def test_resuming_asks_for_a_key_that_is_not_kept_here(project: Project, workers: Workers) -> None:
    reading = ModelChoice(model="reader-9b", base_url="https://models.example/v1")
    run_id = create_run(project, QUESTION, RunChoices(reading=reading)).id
    end(project, run_id, RunState.FAILED, "models.example wants a key.")
    at = relevance(run_id)
    at.text_input[0].set_value("sk-secret").run()
    click(at, "Resume")
    assert workers.keys == [{"R3CON_API_KEY": "sk-secret"}]


def test_a_run_whose_process_died_is_found_out_when_the_page_opens(project: Project) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    run_id = start_harbour_run(project)
    run_rows.claim_run(project, run_id, gone.pid)
    run_rows.set_state(project, run_id, RunState.RELEVANCE)
    at = relevance(run_id)
    assert "process ended before it was done" in at.error[0].value
    assert labels(at) == ["Resume"]


def test_two_views_show_the_same_since_nothing_lives_in_a_session(home: Path) -> None:
    _, run_id = finished_harbour(home / "projects")
    first, second = relevance(run_id), relevance(run_id)
    assert [m.value for m in first.markdown] == [m.value for m in second.markdown]


def test_a_run_that_no_process_took_up_can_be_started_again(
    project: Project, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runstate, "START_SECONDS", -1.0)
    run_id = start_harbour_run(project)
    at = relevance(run_id)
    assert "has not started" in at.warning[0].value
    click(at, "Resume")
    assert workers.started == [run_id]
