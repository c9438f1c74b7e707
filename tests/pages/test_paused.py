"""A run at its limit, on every page: what it says, how it goes on, how it is left."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.widgets.errors import plain
from pages.widgets.question.estimate import STAGES
from pages.widgets.sidebar import STATE_WORDS
from r3con_core.exchange import About, Message, Prompt, Reply, Stage, Usage
from r3con_core.jobs import ModelChoice, RunChoices, create_run
from r3con_core.runs import Caps, RunState
from r3con_core.snippets import RelevanceSnippet
from r3con_core.store import runs as run_rows
from r3con_core.store.calls import Call, keep_call
from r3con_core.store.caps import load_caps
from r3con_core.store.documents import list_documents
from r3con_core.store.project import Project
from r3con_core.store.snippets import save_snippet
from tests.harbour_script import QUESTION
from tests.pages.conftest import Workers
from tests.pages.opened import click, open_page

PAID = ModelChoice(model="gpt-4o-mini", base_url="https://api.openai.com/v1", window=16_384, workers=4)
OWN = ModelChoice(model="reader", base_url="http://127.0.0.1:9/v1", window=16_384, workers=4)
SENTENCE = (
    "Paused: 1.26 of at most 1.00 USD are used. Round 1: 8 of 10 documents are read. Raise the limit to go on; nothing "
    "is paid twice."
)


def paused(
    project: Project,
    caps: Caps,
    *,
    reading: ModelChoice = PAID,
    state: RunState = RunState.PAUSED,
    sent: int = 1_000_000,
) -> str:
    """A run that has read eight documents of ten, two of them from the log, and has ended in `state`."""
    run_id = create_run(project, QUESTION, RunChoices(reading=reading, caps=caps)).id
    run_rows.set_state(project, run_id, RunState.RELEVANCE)
    for number, document in enumerate(list_documents(project)[:8]):
        about = About(document_id=document.id, round=1)
        prompt = Prompt(stage=Stage.RELEVANCE, about=about, messages=(Message(role="user", pieces=(document.id,)),))
        usage = Usage(prompt=sent, cached=0, output=100_000)
        reply = Reply(text="A launch.", usage=usage, model=reading.model, seconds=2.0)
        kept = Call(key=prompt.key("m"), prompt=prompt, reply=reply, host="h", answered="2026-11-30", reused=number < 2)
        keep_call(project, run_id, kept)
        save_snippet(project, run_id, 1, RelevanceSnippet(document_id=document.id, text="A launch."))
    run_rows.set_state(project, run_id, state, error=SENTENCE)
    return run_id


def relevance(run_id: str) -> AppTest:
    return open_page("relevance", project="harbour", run=run_id)


def limits(at: AppTest) -> dict[str, float | None]:
    return {field.label: field.value for field in at.number_input}


def labels(at: AppTest) -> list[str]:
    return [button.label for button in at.main.button]


def test_a_paused_run_says_what_is_used_and_done_and_offers_a_limit_that_will_do(project: Project) -> None:
    at = relevance(paused(project, Caps(money=1.0)))
    assert at.warning[0].value.replace("\\", "") == SENTENCE
    assert [found.text for found in at.get("progress")] == ["Round 1: 8 of 10 documents", "Round 2: 0 of 10 documents"]
    (told,) = [text.value for text in at.main.markdown if "so far" in text.value]
    so_far, _, rest = told.removeprefix("**").partition(" so far, about ")
    assert so_far == "1.26 USD"
    assert limits(at)["Pause when this much is spent (USD)"] == pytest.approx(float(rest.split()[0]) * 1.2, rel=0.3)
    assert labels(at) == ["Go on", "Leave it"]


def test_calls_kept_from_before_are_told_apart_from_those_that_cost(project: Project) -> None:
    at = relevance(paused(project, Caps(money=1.0)))
    captions = [caption.value for caption in at.main.caption]
    assert (
        "8 calls, of them 2 kept from before, which cost nothing · 6,000,000 tokens sent · 600,000 tokens written"
        in captions
    )
    assert "Read by gpt\\-4o\\-mini on api.openai.com · may use at most 1.00 USD" in captions


def test_it_goes_on_with_the_higher_limit(project: Project, workers: Workers) -> None:
    run_id = paused(project, Caps(money=1.0, tokens=50_000_000))
    at = relevance(run_id)
    at.text_input[0].set_value("sk-secret")
    at.number_input[0].set_value(7.5).run()
    click(at, "Go on")
    assert load_caps(project, run_id) == Caps(money=7.5, currency="USD", tokens=50_000_000)
    assert run_rows.load_run(project, run_id).state is RunState.QUEUED
    assert (workers.started, workers.keys) == ([run_id], [{"api.openai.com": "sk-secret"}])


def test_an_empty_field_takes_the_limit_away(project: Project, workers: Workers) -> None:
    run_id = paused(project, Caps(tokens=5_000), reading=OWN)
    at = relevance(run_id)
    at.number_input[0].set_value(None).run()
    click(at, "Go on")
    assert (load_caps(project, run_id), workers.started) == (Caps(), [run_id])


def test_a_limit_that_is_used_up_already_is_refused(project: Project, workers: Workers) -> None:
    run_id = paused(project, Caps(money=1.0))
    at = relevance(run_id)
    at.number_input[0].set_value(1.1).run()
    click(at, "Go on")
    assert "1.26 are used already, so a limit of 1.10 USD is too low" in at.error[0].value.replace("\\", "")
    assert (load_caps(project, run_id), workers.started) == (Caps(money=1.0), [])


@pytest.mark.parametrize("tokens", [0, -1])
def test_what_cannot_be_a_limit_is_refused(project: Project, workers: Workers, tokens: int) -> None:
    run_id = paused(project, Caps(tokens=5_000), reading=OWN)
    at = relevance(run_id)
    at.number_input[0].set_value(tokens).run()
    click(at, "Go on")
    assert at.error[0].value == f"A limit on what a run may use must be above zero, not {plain(str(tokens))}."
    assert (load_caps(project, run_id), workers.started) == (Caps(tokens=5_000), [])


def test_a_local_model_has_a_limit_of_tokens_and_no_money(project: Project) -> None:
    at = relevance(paused(project, Caps(tokens=5_000), reading=OWN))
    assert list(limits(at)) == ["Pause after this many tokens"]
    raised = limits(at)["Pause after this many tokens"]
    assert raised is not None
    assert raised > 6_600_000
    assert any(text.value.startswith("**6.6 million tokens so far, about ") for text in at.main.markdown)
    assert "USD" not in " ".join(text.value for text in [*at.main.markdown, *at.main.caption])


def test_a_run_that_is_left_can_still_go_on_with_a_higher_limit(project: Project, workers: Workers) -> None:
    run_id = paused(project, Caps(tokens=5_000), reading=OWN)
    at = click(relevance(run_id), "Leave it")
    run = run_rows.load_run(project, run_id)
    assert (run.state, run.error) == (
        RunState.STOPPED,
        "Left at its limit. Everything finished is kept; raise the limit to go on.",
    )
    assert labels(at) == ["Go on"]
    click(at, "Go on")
    assert workers.started == [run_id]


def test_a_stopped_run_with_room_below_its_limit_simply_resumes(project: Project) -> None:
    at = relevance(paused(project, Caps(tokens=50_000_000), reading=OWN, state=RunState.STOPPED))
    assert (labels(at), list(limits(at))) == (["Resume"], [])


@pytest.mark.parametrize(
    ("page", "sentence"),
    [
        ("schema", "Raise its limit to go on; everything finished so far is kept."),
        ("data", "There are no records yet: the run has paused at your limit. Raise it to go on."),
        ("answer", "There is no answer yet. Raise the limit to go on; nothing that is done is paid again."),
    ],
)
def test_every_page_of_a_paused_run_says_how_it_goes_on(project: Project, page: str, sentence: str) -> None:
    run_id = paused(project, Caps(money=1.0))
    at = open_page(page, project="harbour", run=run_id)
    assert sentence in [text.value for text in at.main.markdown]
    assert "Paused at your limit · text goes to api.openai.com" in [text.value for text in at.sidebar.caption]


def test_every_state_and_every_stage_has_its_words() -> None:
    assert set(STATE_WORDS) == set(RunState)
    assert set(STAGES) == set(Stage)
