"""The Answer page: sentences with their records, what they rest on, the steps, and the states before an answer."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.widgets.answer import steps as step_widget
from r3con_core.answers import Answer, Execution, Mode, Sentence, Step
from r3con_core.documents import Unread
from r3con_core.errors import SandboxError
from r3con_core.exchange import Stage
from r3con_core.exports import load_contents
from r3con_core.rerun import Repeated, Rerun
from r3con_core.runs import RunState
from r3con_core.store import answers as answer_rows
from r3con_core.store import runs as run_rows
from r3con_core.store import snippets as snippet_rows
from r3con_core.store.documents import list_documents
from r3con_core.store.project import Project
from tests.fakes import Scripted, carry_scripted, finished_harbour, start_harbour_run
from tests.harbour_script import QUESTION
from tests.pages.conftest import Workers
from tests.pages.opened import click, open_page


def answer_page(run_id: str) -> AppTest:
    return open_page("answer", project="harbour", run=run_id)


def words(at: AppTest) -> str:
    return "\n".join(element.value for element in [*at.main.markdown, *at.main.caption])


def popovers(at: AppTest) -> list[str]:
    labels = [found.proto.popover.label.removeprefix(":gray-badge[").removesuffix("]") for found in at.get("popover")]
    return [label for label in labels if label not in ("Download", "What this means")]


def record_ids(project: Project, run_id: str) -> list[str]:
    data = load_contents(project, run_id).data
    assert data is not None
    return [record.id for record in data.records]


def with_sentences(project: Project, run_id: str, *sentences: Sentence, unknown: tuple[str, ...] = ()) -> None:
    answer = Answer(
        text=" ".join(s.text for s in sentences), sentences=sentences, mode=Mode.CODING, unknown_citations=unknown
    )
    answer_rows.save_answer(project, run_id, answer)


@contextmanager
def reruns(outcome: Rerun | SandboxError) -> Iterator[None]:
    def instead(_project: Project, _run_id: str) -> Rerun:
        if isinstance(outcome, SandboxError):
            raise outcome
        return outcome

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(step_widget, "rerun_steps", instead)
        yield


def test_every_sentence_stands_beside_the_records_it_rests_on(home: Path) -> None:
    _, run_id = finished_harbour(home / "projects")
    at = answer_page(run_id)
    assert QUESTION in words(at)
    assert "The Petrel landed 85 cases at Lime Quay in March 1931." in words(at)
    assert popovers(at) == ["R1", "R2", "R4", "R1", "R2", "R4"]
    assert "R1, R2: launch is not in its document" in words(at)
    assert "Worked out by the code: 85" in words(at)


def test_a_citation_opens_its_record_with_values_and_quote(home: Path) -> None:
    project, run_id = finished_harbour(home / "projects")
    first = record_ids(project, run_id)[0]
    at = answer_page(run_id)
    assert "cases: **40**" not in words(at)
    at.session_state[f"cite-1-{first}"] = True
    at.run()
    assert "cases: **40**" in words(at)
    assert "launch: **Petrel** :orange-badge[not in its document]" in words(at)
    assert "> \u2068The grey launch landed 40 cases at Lime Quay" in words(at)
    assert "found exactly" in words(at)
    links = {link.proto.label: link.proto.query_string for link in at.get("page_link")}
    assert f"record={first}" in links["Show R1 in the data"]
    assert "at=" in links["Show it in document 1"]


def test_what_it_rests_on_is_told_in_figures(home: Path) -> None:
    project, run_id = finished_harbour(home / "projects")
    lost = list_documents(project)[2]
    unread = Unread(document_id=lost.id, reason="The reply was cut off.")
    snippet_rows.save_unread(project, run_id, Stage.PARSING, unread)
    at = answer_page(run_id)
    told = words(at)
    for figure in ("9 of 10 read", "6 of 7 used", "6 of 7 found exactly", "1 not found", "scripted, on this computer"):
        assert figure in told
    assert "1 set aside; the answer cites 3" in told
    assert "coding agent · 2 rounds · 35 calls" in told
    assert "0.00 USD in all" in told
    at = open_page("answer", project="harbour", run=run_id, tab="coverage")
    assert f"Document 3, {lost.title}, when parsed\\: The reply was cut off." in words(at)


def test_what_no_record_proves_is_marked(home: Path) -> None:
    project, run_id = finished_harbour(home / "projects")
    ids = record_ids(project, run_id)
    with_sentences(
        project,
        run_id,
        Sentence(text="Mr. Quill was paid ![x](http://a.example/p.png) <b>12</b> pounds.", record_ids=()),
        Sentence(text="It landed 50 cases.", record_ids=(ids[-1],)),
        unknown=("R99",),
    )
    at = answer_page(run_id)
    assert "no record cited" in words(at)
    assert "<b>" not in words(at)
    assert "![x]" not in words(at)
    assert "R7: it is set aside or taken out, so nothing rests on it" in words(at)
    assert "R7: a quote of it is in no document" in words(at)
    assert words(at).count(":red[:material/cancel: Rests on nothing]") == 2
    assert "R99" in at.warning[0].value
    assert "no record is called" in at.warning[0].value


def test_of_many_citations_the_first_are_shown_and_the_others_named(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pages.widgets.answer.answer_text.MOST_SHOWN", 2)
    project, run_id = finished_harbour(home / "projects")
    with_sentences(project, run_id, Sentence(text="All.", record_ids=tuple(record_ids(project, run_id))))
    assert popovers(answer_page(run_id)) == ["R1", "R2", "5 more"]


def test_steps_show_thought_code_output_and_error(home: Path) -> None:
    project, run_id = finished_harbour(home / "projects")
    first, last = answer_rows.load_steps(project, run_id)
    broken = Execution(output="", fault="KeyError: 'Landings'")
    answer_rows.save_step(project, run_id, Step(number=1, thought="", code="records['Landings']", execution=broken))
    answer_rows.save_step(project, run_id, replace(first, number=2))
    answer_rows.save_step(project, run_id, replace(last, number=3))
    at = answer_page(run_id)
    assert [found.label for found in at.expander] == [
        "Step 1 · Code",
        "Step 2 · First I look at the landings.",
        "Step 3 · Three landings are the Petrel's; the Heron used Town Quay by day.",
    ]
    assert [code.value for code in at.code] == [
        "records['Landings']",
        "KeyError: 'Landings'",
        first.code,
        first.execution.output.rstrip(),
        last.code,
    ]
    assert "This step handed over the answer, resting on R1, R2, R4." in words(at)


def test_the_code_can_be_run_again(home: Path) -> None:
    project, run_id = finished_harbour(home / "projects")
    first, last = answer_rows.load_steps(project, run_id)
    same = Repeated(step=last, execution=last.execution)
    at = answer_page(run_id)
    with reruns(Rerun(steps=(Repeated(step=first, execution=first.execution), same))):
        click(at, "Run the code again")
    assert at.success[0].value == "Same output, same answer\\: every step gave what it gave before."
    with reruns(Rerun(steps=(Repeated(step=first, execution=Execution(output="nothing like it")), same))):
        click(at, "Run the code again")
    assert "Step 1 printed something else." in at.warning[0].value
    assert "nothing like it" in [code.value for code in at.code]
    with reruns(SandboxError("No walls stand on this machine.")):
        click(at, "Run the code again")
    assert at.error[0].value == "No walls stand on this machine."


def test_direct_mode_says_that_no_code_was_run(project: Project) -> None:
    run_id = start_harbour_run(project, straight_through=True, mode=Mode.DIRECT)
    carry_scripted(project, run_id, Scripted())
    at = answer_page(run_id)
    assert "No code was run: this question was answered directly." in at.info[0].value
    assert not at.code
    assert "direct, without code" in words(at)
    assert [b.proto.label for b in at.get("download_button") if b.proto.disabled] == [
        "Notebook (Jupyter)",
        "Code, with its records (Python)",
    ]


def test_everything_can_be_taken_along(home: Path) -> None:
    _, run_id = finished_harbour(home / "projects")
    at = answer_page(run_id)
    assert [button.proto.label for button in at.get("download_button")] == [
        "Report (HTML)",
        "Memo (Word)",
        "Report (Markdown)",
        "Evidence bundle: the whole run",
        "Notebook (Jupyter)",
        "Code, with its records (Python)",
        "Workbook (Excel)",
        "Records (CSV, zip)",
        "Records (JSON)",
        "Records (Parquet, zip)",
        "Graph (GraphML)",
        "Notebook",
    ]


def test_a_run_that_waits_for_the_schema_says_what_comes_first(project: Project) -> None:
    run_id = start_harbour_run(project)
    carry_scripted(project, run_id, Scripted())
    at = answer_page(run_id)
    assert "Accept the schema first" in words(at)
    assert "See what the documents say so far" in [link.proto.label for link in at.get("page_link")]
    click(at, "Look at the schema")


def test_a_run_at_work_says_how_far_it_is_and_shows_its_steps(project: Project) -> None:
    run_id = start_harbour_run(project)
    run_rows.claim_run(project, run_id, 1)
    for state in (RunState.RELEVANCE, RunState.SCHEMA, RunState.PARSING, RunState.REASONING):
        run_rows.set_state(project, run_id, state)
    step = Step(number=1, thought="Look.", code="print(1)", execution=Execution(output="1\n"))
    answer_rows.save_step(project, run_id, step)
    at = answer_page(run_id)
    assert "Reasoning over the records" in words(at)
    assert "appears here by itself" in words(at)
    assert [code.value for code in at.code] == ["print(1)", "1"]


@pytest.mark.parametrize("state", [RunState.FAILED, RunState.STOPPED, RunState.INTERRUPTED])
def test_a_run_that_ended_early_says_what_to_do(project: Project, workers: Workers, state: RunState) -> None:
    run_id = start_harbour_run(project)
    run_rows.set_state(project, run_id, RunState.RELEVANCE)
    run_rows.set_state(project, run_id, state, error="models.example refused the key. Check it.")
    at = answer_page(run_id)
    assert "There is no answer yet." in words(at)
    click(at, "Resume")
    assert workers.started == [run_id]
