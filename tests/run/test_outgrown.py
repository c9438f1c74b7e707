"""Corpora whose snippets outgrow the window: every document is read and answered for, and nobody sees its own snippet."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from r3con_core.answers import Mode
from r3con_core.documents import Corpus, Document, estimate_tokens
from r3con_core.exchange import Prompt, Stage
from r3con_core.jobs import requeue
from r3con_core.method.brief import make_brief
from r3con_core.run import answer_question
from r3con_core.runs import RunSettings, RunState
from r3con_core.snippets import RelevantContext, Sight
from r3con_core.stages import Models, Watch, surface_relevance
from r3con_core.store.digests import load_digests
from r3con_core.store.runs import ask_to_stop, load_run, note_of
from r3con_core.store.sights import load_sights
from r3con_core.tasks import make_task
from r3con_core.worker import work
from tests.fakes import Scripted, carry_scripted, start_run, text_document, text_project

COUNT = 120
SILENT = range(50, 60)
"""Documents with nothing to say."""
DIGESTING = "making digests of the snippets"


def memo(number: int) -> Document:
    body = "Nothing here." if number in SILENT else fact(number)
    return text_document(f"{body} The rest of the page is about the weather of that week.", path=f"{number:04}.txt")


def fact(number: int) -> str:
    return f"Lot {number} of rye went to buyer B{number} at Quay {number % 7} for {number * 10} pounds."


def answer(prompt: Prompt) -> str:
    """A careful model: it copies the one fact of a memo, and the first words of what it merges."""
    text = "\n".join(message.content for message in prompt.messages)
    match prompt.stage:
        case Stage.FOCUS:
            return json.dumps({"look_for": ["lots"]})
        case Stage.RELEVANCE:
            own = re.search(r"document>\nTitle: .*\s*(Lot \d+ [^\n]*? pounds\.)", text)
            return json.dumps({"document_is": "", "facts": [own[1]] if own else []})
        case Stage.DIGEST:
            notes = re.findall(r"^Document (\d+): Lot (\d+)|(\d+): lot (\d+)", text, re.MULTILINE)
            items = [(number or told, lot or again) for number, lot, told, again in notes]
            return json.dumps({"digest": [{"document": int(n), "says": f"lot {lot}"} for n, lot in items]})
        case Stage.SCHEMA:
            field = {"name": "buyer", "meaning": "", "kind": "text", "options": None, "refers_to": None, "fields": None}
            types = [{"name": "Sale", "meaning": "one sale", "fields": [field]}]
            return json.dumps({"reason": "sales", "record_types": types})
        case Stage.PARSING:
            own = re.search(r"document>\nTitle: .*\s*(Lot \d+ of rye went to buyer (B\d+))", text)
            sale = {"quotes": [own[1]], "said_by": None, "certainty": "stated", "buyer": own[2]} if own else None
            return json.dumps({"Sale": [sale] if sale else []})
        case Stage.REASONING:
            return json.dumps({"thought": "", "sentences": [{"text": "Rye was sold.", "records": ["R1"]}]})
        case _:
            raise AssertionError(prompt.stage)


def settings(window: int) -> RunSettings:
    return RunSettings(model="m", window=window, mode=Mode.DIRECT)


def size(prompt: Prompt) -> int:
    return sum(estimate_tokens(message.content) for message in prompt.messages)


@pytest.mark.parametrize("window", [2048, 4096])
def test_all_documents_are_answered_for_within_the_window(window: int) -> None:
    corpus = Corpus(documents=tuple(memo(n) for n in range(1, COUNT + 1)))
    model = Scripted(answer)
    models = Models(reading=model, reasoning=model, workers=4)
    result = answer_question("Who bought rye?", corpus, models, settings(window))
    assert result.answer.text == "Rye was sold."
    assert len(result.structured_data.records) == COUNT - len(SILENT)
    assert [len(found.snippets) for found in result.relevant_context.rounds] == [COUNT, COUNT]
    assert all(found.unread == () for found in result.relevant_context.rounds)
    assert max(map(size, model.prompts)) <= window
    assert {prompt.stage for prompt in model.prompts} == set(Stage) - {Stage.BUILDING, Stage.EMBEDDING, Stage.JUDGING}


def surfaced(window: int) -> tuple[RelevantContext, dict[str, Sight], Scripted]:
    """Both rounds; what each reader saw in the second; the model with its prompts."""
    corpus = Corpus(documents=tuple(memo(n) for n in range(1, COUNT + 1)))
    model, sights = Scripted(answer), dict[str, Sight]()

    def keep(stage: Stage, number: int, sight: Sight) -> None:
        assert (stage, number) == (Stage.RELEVANCE, 2)
        sights[sight.document_id] = sight

    brief = make_brief(make_task("Who bought rye?"), corpus, settings(window))
    context = surface_relevance(brief, Models(reading=model, reasoning=model), Watch(sight=keep))
    return context, sights, model


def test_every_other_snippet_is_seen_whole_shortened_or_in_a_digest_and_the_own_one_never() -> None:
    context, sights, model = surfaced(2048)
    speaking = {s.document_id for s in context.rounds[0].snippets if s.text}
    for number, sight in ((n, sights[memo(n).id]) for n in range(1, COUNT + 1)):
        seen = [*sight.whole, *sight.shortened, *sight.digested]
        assert len(seen) == len(set(seen))
        assert set(seen) == speaking - {memo(number).id}
    second = {p.about.document_id: p for p in model.prompts if p.about.round == 2 and p.stage is Stage.RELEVANCE}
    for number in (n for n in range(1, COUNT + 1) if n not in SILENT):
        told = [piece for message in second[memo(number).id].messages for piece in message.pieces]
        notes = "\n".join(piece for piece in told if re.match(r"Documents? [\d-]+(?: in short)?: ", piece))
        assert notes
        assert not re.search(rf"\b(?:Lot {number}|B{number})\b", notes)
        assert not any(str(number) in re.findall(r"\d+", line) for line in re.findall(r"in short: (Lots .*)", notes))


def test_a_run_keeps_its_digests_and_what_each_reader_saw(tmp_path: Path) -> None:
    project = text_project(tmp_path, tuple(memo(n) for n in range(1, COUNT + 1)))
    run_id = start_run(project, "Who bought rye?", window=2048, mode=Mode.DIRECT)
    model = Scripted(answer)
    assert carry_scripted(project, run_id, model, workers=4) is RunState.DONE
    digests = load_digests(project, run_id, 1)
    assert {i for digest in digests if digest.level == 1 for i in digest.covers} == {
        memo(n).id for n in range(1, COUNT + 1) if n not in SILENT
    }
    assert not any(digest.cut for digest in digests)
    assert len(load_sights(project, run_id, Stage.RELEVANCE, 2)) == COUNT
    assert set(load_sights(project, run_id, Stage.PARSING, 0)) == set(load_run(project, run_id).document_ids)


def test_while_digests_are_written_the_run_says_so_and_not_before_or_after(tmp_path: Path) -> None:
    project = text_project(tmp_path, tuple(memo(n) for n in range(1, COUNT + 1)))
    run_id = start_run(project, "Who bought rye?", window=2048, mode=Mode.DIRECT)
    notes: list[tuple[Stage, str]] = []

    def noting(prompt: Prompt) -> str:
        notes.append((prompt.stage, note_of(project, run_id)))
        return answer(prompt)

    assert carry_scripted(project, run_id, Scripted(noting)) is RunState.DONE
    assert list(dict.fromkeys(notes))[:5] == [
        (Stage.FOCUS, ""),
        (Stage.RELEVANCE, ""),
        (Stage.DIGEST, f"{DIGESTING} of round 1, which together are more than the model takes in"),
        (Stage.DIGEST, f"{DIGESTING} of round 2, which together are more than the model takes in"),
        (Stage.SCHEMA, ""),
    ]


def test_a_run_taken_up_among_its_digests_names_its_model_only_while_that_starts(tmp_path: Path) -> None:
    project = text_project(tmp_path, tuple(memo(n) for n in range(1, COUNT + 1)))
    run_id = start_run(project, "Who bought rye?", window=2048, mode=Mode.DIRECT)
    starting: list[str] = []
    asked: list[tuple[Stage, str]] = []

    def noting(prompt: Prompt) -> str:
        asked.append((prompt.stage, note_of(project, run_id)))
        if prompt.stage is Stage.DIGEST:
            ask_to_stop(project, run_id)
        return answer(prompt)

    @contextmanager
    def opening(*_: object) -> Iterator[Scripted]:
        starting.append(note_of(project, run_id))
        yield Scripted(noting)

    assert work(project, run_id, tmp_path, opening) is RunState.STOPPED
    first = len(asked)
    requeue(project, run_id)
    assert work(project, run_id, tmp_path, opening) is RunState.STOPPED
    assert starting == ["starting scripted"] * 2
    assert asked[0] == (Stage.FOCUS, "")
    assert asked[first][0] is Stage.DIGEST
    assert asked[first][1].startswith(f"{DIGESTING} of round 1")


def test_a_digest_no_model_would_write_is_the_beginnings_of_what_it_covers(tmp_path: Path) -> None:
    def silent(prompt: Prompt) -> str:
        return "no" if prompt.stage is Stage.DIGEST else answer(prompt)

    project = text_project(tmp_path, tuple(memo(n) for n in range(1, COUNT + 1)))
    run_id = start_run(project, "Who bought rye?", window=2048, mode=Mode.DIRECT)
    assert carry_scripted(project, run_id, Scripted(silent), workers=4) is RunState.DONE
    digests = load_digests(project, run_id, 1)
    assert digests
    assert all(digest.cut for digest in digests)
    assert digests[0].text.startswith("1: Lot")
