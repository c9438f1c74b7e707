"""Prompts that an endpoint will not take, as too long or for what they hold: the run goes on with what it can have."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from r3con_core.documents import Corpus, estimate_tokens
from r3con_core.errors import RefusedError, WindowExceededError
from r3con_core.exchange import Prompt, Reply, Stage
from r3con_core.method.brief import make_brief
from r3con_core.runs import RunSettings, RunState
from r3con_core.schema.general import GENERAL_SCHEMA
from r3con_core.snippets import RelevanceSnippet, RelevantContext, Round, Sight
from r3con_core.stages import Models, Watch, parse, propose, surface_relevance
from r3con_core.store.schemas import newest_schema, schema_versions
from r3con_core.store.snippets import load_focus
from r3con_core.tasks import make_task
from tests.fakes import Scripted, carry_scripted, harbour_project, start_harbour_run, text_document
from tests.harbour_script import SCHEMA

TASK = make_task("How many cases were landed?")


def takes(window: int, named: int | None, reply: object, tokens_of: float = 1.0) -> Callable[[Prompt], Reply]:
    """A model that refuses what is longer than `window` tokens, of which it counts `tokens_of` to each of ours."""

    def ask(prompt: Prompt) -> Reply:
        tokens = sum(estimate_tokens(message.content) for message in prompt.messages)
        if tokens * tokens_of + prompt.max_tokens > window:
            raise WindowExceededError(named)
        return Reply(text=json.dumps(reply))

    return ask


def long_corpus() -> Corpus:
    return Corpus(documents=(text_document("\n\n".join(f"In the night of {n} nothing came." for n in range(3000))),))


def read(settings: RunSettings, ask: Callable[[Prompt], Reply]) -> Round:
    brief = make_brief(TASK, long_corpus(), settings)
    return surface_relevance(brief, Models(reading=ask, reasoning=ask)).rounds[0]


SAID = {"document_is": "", "facts": ["nothing came in the night"]}


def test_a_readers_window_is_made_smaller_whatever_that_of_the_reasoning_model() -> None:
    settings = RunSettings(model="m", rounds=1, window=8192, reasoning_model="wide", reasoning_window=131_072)
    assert read(settings, takes(4096, None, SAID)).unread == ()


def test_a_reasoning_models_window_is_made_smaller_whatever_that_of_the_reader() -> None:
    settings = RunSettings(model="wide", rounds=1, window=131_072, reasoning_model="m", reasoning_window=8192)
    documents = tuple(text_document(f"Memo {n}.", path=f"{n}.txt") for n in range(60))
    snippets = tuple(RelevanceSnippet(document_id=d.id, text="In that night nothing came. " * 16) for d in documents)
    brief = make_brief(TASK, Corpus(documents=documents), settings)
    context = RelevantContext(rounds=(Round(number=1, snippets=snippets, unread=()),))
    assert propose(brief, context, takes(4096, None, SCHEMA)).reason == SCHEMA["reason"]


@pytest.mark.parametrize("named", [8192, None])
def test_an_endpoint_that_counts_three_tokens_to_each_of_ours_reads_every_document(named: int | None) -> None:
    settings = RunSettings(model="m", rounds=1, window=8192)
    assert read(settings, takes(8192, named, SAID, tokens_of=3.0)).unread == ()


class Refusing(Scripted):
    """The harbour's model behind a filter that holds back all of one stage."""

    def __init__(self, stage: Stage, error: Exception) -> None:
        super().__init__()
        self.stage, self.error = stage, error

    def __call__(self, prompt: Prompt) -> Reply:
        if prompt.stage is self.stage:
            raise self.error
        return super().__call__(prompt)


@pytest.mark.parametrize("error", [RefusedError("The endpoint would not read this."), WindowExceededError(900)])
def test_a_schema_the_endpoint_will_not_propose_is_a_general_one_that_says_so(tmp_path: Path, error: Exception) -> None:
    project = harbour_project(tmp_path)
    run_id = start_harbour_run(project, rounds=1)
    assert carry_scripted(project, run_id, Refusing(Stage.SCHEMA, error)) is RunState.WAITING
    assert newest_schema(project, run_id).record_types[0].name == "Event"
    (version,) = schema_versions(project, run_id)
    assert version.reason == f"{error} This general schema is offered instead; change it to fit the question."


def test_without_words_to_look_for_documents_are_read_for_the_question(tmp_path: Path) -> None:
    project = harbour_project(tmp_path)
    run_id = start_harbour_run(project, rounds=1)
    held_back = Refusing(Stage.FOCUS, RefusedError("The endpoint would not read this."))
    assert carry_scripted(project, run_id, held_back) is RunState.WAITING
    assert load_focus(project, run_id) == ()


def test_a_window_too_small_for_the_shortest_prompt_ends_the_run_at_once(tmp_path: Path) -> None:
    project = harbour_project(tmp_path)
    run_id = start_harbour_run(project)
    small = Refusing(Stage.FOCUS, WindowExceededError(300))
    with pytest.raises(WindowExceededError, match="context window of 300 tokens"):
        carry_scripted(project, run_id, small)
    assert small.prompts == []


def test_what_a_parser_saw_is_that_of_the_prompt_that_was_taken() -> None:
    documents = tuple(text_document(f"In the night of {n} nothing came.", path=f"{n}.txt") for n in range(60))
    snippets = tuple(RelevanceSnippet(document_id=d.id, text="In that night nothing came. " * 16) for d in documents)
    context = RelevantContext(rounds=(Round(number=1, snippets=snippets, unread=()),))
    brief = make_brief(TASK, Corpus(documents=documents), RunSettings(model="m", rounds=1, window=32_768))
    small = takes(4096, 4096, {"Event": []})
    seen: list[Sight] = []
    parse(
        brief,
        GENERAL_SCHEMA,
        context,
        Models(reading=small, reasoning=small),
        Watch(sight=lambda _stage, _round, sight: seen.append(sight)),
    )
    assert len(seen) == 60
    assert [sight.document_id for sight in seen if len(sight.whole) > 30] == []
