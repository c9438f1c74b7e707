"""A real small model on this computer carries the harbour corpus to an answer."""

from dataclasses import replace
from pathlib import Path

import pytest

from r3con_core.documents import Corpus
from r3con_core.errors import ModelFileError
from r3con_core.evidence import Grounded
from r3con_core.exchange import Prompt
from r3con_core.home import home_folder
from r3con_core.jobs import ModelChoice, RunChoices, create_run
from r3con_core.method.brief import make_brief
from r3con_core.method.notes import make_notes
from r3con_core.method.relevance import write_snippet
from r3con_core.models import DEFAULT_MODEL, find_model
from r3con_core.opening import open_model
from r3con_core.runs import Guidance, Layout, RunSettings, RunState
from r3con_core.snippets import RelevanceSnippet, Round
from r3con_core.store import runs as run_rows
from r3con_core.store.answers import load_answer
from r3con_core.store.calls import list_calls
from r3con_core.store.records import load_records
from r3con_core.store.schemas import accepted_schema
from r3con_core.store.snippets import load_context
from r3con_core.tasks import make_task
from r3con_core.worker import work
from tests.fakes import harbour_documents, harbour_project, text_document
from tests.harbour_script import QUESTION

MODEL = DEFAULT_MODEL
DOCUMENTS = 5
"""Of the corpus that are read; all ten take it ten minutes on two cores."""


def _home_with_model() -> Path:
    """The home; skips the test where the model is not on this computer."""
    try:
        find_model(MODEL, home_folder())
    except ModelFileError as error:
        pytest.skip(str(error))
    return home_folder()


@pytest.mark.model
def test_the_embedded_default_gets_through_every_stage(tmp_path: Path) -> None:
    home = _home_with_model()
    project = harbour_project(tmp_path)
    choices = RunChoices(reading=ModelChoice(model=MODEL), straight_through=True)
    read = tuple(document.id for document in harbour_documents()[:DOCUMENTS])
    run_id = create_run(project, QUESTION, choices, read).id

    assert work(project, run_id, home) is RunState.DONE, run_rows.load_run(project, run_id).error

    run = run_rows.load_run(project, run_id)
    for number in load_context(project, run_id, run.document_ids).rounds:
        assert len(number.snippets) >= DOCUMENTS - 1
        assert len(number.snippets) + len(number.unread) == DOCUMENTS
    schema = accepted_schema(project, run_id)
    assert schema is not None
    data = load_records(project, run_id, schema, run.document_ids)
    texts = dict(project.db.execute("select id, text from documents").fetchall())
    for record in data.records:
        for evidence in record.evidence:
            if isinstance(evidence, Grounded) and evidence.match == "exact":
                assert texts[evidence.document_id][evidence.span.start : evidence.span.end] == evidence.quote
    answer = load_answer(project, run_id)
    assert answer is not None
    assert answer.text.strip()
    asked = len(list_calls(project, run_id))
    assert asked > 3 * DOCUMENTS
    run_rows.set_state(project, run_id, RunState.QUEUED)
    assert work(project, run_id, home) is RunState.DONE
    assert len(list_calls(project, run_id)) == asked


COUNT = 8
NOTE = (
    "Letter of the carter of Quay {n}, {n} May 1931. In the night of {n} May he saw the launch Number {n} land {n}0 cases "
    "of lamp glass there, with lights out and two men at the oars. He denies that he was paid for it."
)


def _second_round(layout: Layout) -> tuple[list[Prompt], int, int]:
    """The prompts of round 2 over known snippets; their tokens, and how many of them the local server read anew."""
    documents = tuple(text_document(f"The carter at Quay {n} saw a launch.", path=f"{n}.txt") for n in range(COUNT))
    settings = RunSettings(model=MODEL, guidance=Guidance.FOCUS, layout=layout)
    brief = make_brief(make_task("Which launches landed cases?"), Corpus(documents=documents), settings)
    said = (RelevanceSnippet(document_id=d.id, text=NOTE.format(n=n)) for n, d in enumerate(documents, start=1))
    notes = make_notes(brief, Round(number=1, snippets=tuple(said)))
    prompts = [replace(next(write_snippet(brief, document, notes)), max_tokens=1) for document in documents]
    with open_model(ModelChoice(model=MODEL), _home_with_model()) as model:
        usages = [model(prompt).usage for prompt in prompts]
    return prompts, sum(usage.prompt for usage in usages), sum(usage.prompt - usage.cached for usage in usages)


@pytest.mark.model
def test_the_local_server_reads_less_in_tree_order_of_the_same_snippets() -> None:
    tree, sent, fresh = _second_round(Layout.SHARED)
    paper, sent_in_paper_order, fresh_in_paper_order = _second_round(Layout.PAPER)
    for one, other in zip(tree, paper, strict=True):
        pieces = [sorted(piece for message in prompt.messages for piece in message.pieces) for prompt in (one, other)]
        assert pieces[0] == pieces[1]
    assert abs(sent - sent_in_paper_order) < 5 * COUNT  # marks around messages
    assert fresh < 0.85 * fresh_in_paper_order
