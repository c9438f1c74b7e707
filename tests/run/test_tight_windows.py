"""Endpoints that take no prompt whose reply might outgrow their window: runs go on, and say what was really shown."""

import re
from collections.abc import Callable

import pytest

from r3con_core.answers import Mode
from r3con_core.documents import Corpus, estimate_tokens
from r3con_core.errors import WindowExceededError
from r3con_core.exchange import Prompt, Reply, Stage
from r3con_core.method.brief import make_brief
from r3con_core.run import answer_question
from r3con_core.runs import RunSettings
from r3con_core.schema.general import GENERAL_SCHEMA
from r3con_core.snippets import Sight
from r3con_core.stages import Models, Watch, parse, surface_relevance
from r3con_core.tasks import make_task
from tests.fakes import Scripted
from tests.run.test_outgrown import answer, memo


class Strict(Scripted):
    """A server that refuses what, with the longest reply asked for, is longer than its window; as vLLM does."""

    def __init__(self, window: int, answer: Callable[[Prompt], str]) -> None:
        super().__init__(answer)
        self.window, self.refused = window, 0

    def __call__(self, prompt: Prompt) -> Reply:
        if sum(estimate_tokens(message.content) for message in prompt.messages) + prompt.max_tokens > self.window:
            self.refused += 1
            raise WindowExceededError(self.window)
        return super().__call__(prompt)


def corpus(count: int = 60) -> Corpus:
    return Corpus(documents=tuple(memo(n) for n in range(1, count + 1)))


def talkative(prompt: Prompt) -> str:
    """It prints all records in each turn and never concludes by itself."""
    if prompt.stage is not Stage.REASONING or prompt.shape is not None:
        return answer(prompt)
    return "I look.\n```python\nprint([row for rows in records.values() for row in rows] * 9)\n```"


@pytest.mark.parametrize("window", [2048, 4096, 8192])
@pytest.mark.parametrize("mode", Mode)
def test_a_run_ends_on_a_server_that_counts_the_reply_into_its_window(window: int, mode: Mode) -> None:
    model = Strict(window, talkative)
    settings = RunSettings(model="m", window=window, mode=mode)
    result = answer_question("Who bought rye?", corpus(), Models(reading=model, reasoning=model), settings)
    assert result.answer.text == "Rye was sold."


@pytest.mark.parametrize("window", [2048, 4096, 8192])
def test_no_first_prompt_and_its_reply_outgrow_the_window(window: int) -> None:
    model = Strict(window, answer)
    settings = RunSettings(model="m", window=window, mode=Mode.DIRECT)
    answer_question("Who bought rye?", corpus(), Models(reading=model, reasoning=model), settings)
    assert model.refused == 0


def test_what_a_reader_saw_while_parsing_is_what_fitted_the_window_that_the_endpoint_has() -> None:
    model, sights = Strict(2500, answer), dict[str, Sight]()
    models = Models(reading=model, reasoning=model)

    def keep(stage: Stage, _: int, sight: Sight) -> None:
        if stage is Stage.PARSING:
            sights[sight.document_id] = sight

    documents = corpus(110)
    brief = make_brief(make_task("Who bought rye?"), documents, RunSettings(model="m", window=8192))
    context = surface_relevance(brief, models)
    parse(brief, GENERAL_SCHEMA, context, Models(reading=_empty(model), reasoning=model), Watch(sight=keep))
    asked = [prompt for prompt in model.prompts if prompt.stage is Stage.PARSING]
    assert model.refused
    assert asked
    for prompt in asked:
        said = "\n".join(message.content for message in prompt.messages)
        whole = {int(number) for number in re.findall(r"^Document (\d+): Lot .* pounds\.$", said, re.MULTILINE)}
        assert whole == set(map(documents.number, sights[prompt.about.document_id].whole))


def _empty(model: Strict) -> Strict:
    model.answer = lambda prompt: '{"Event": []}' if prompt.stage is Stage.PARSING else answer(prompt)
    return model
