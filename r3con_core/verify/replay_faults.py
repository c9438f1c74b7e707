"""What two versions of the same run differ in, in sentences: what it tells, and what its kept replies give. Pure."""

from collections.abc import Iterator
from dataclasses import replace

from r3con_core.answers import Answer, Step
from r3con_core.documents import Corpus, Unread
from r3con_core.records import StructuredData
from r3con_core.snippets import RelevanceSnippet, RelevantContext, Round


def round_faults(told: RelevantContext, found: RelevantContext, corpus: Corpus) -> Iterator[str]:
    """Of the rounds: each snippet, what was not read, digests."""
    made = {round_.number: round_ for round_ in found.rounds}
    for round_ in told.rounds:
        if round_.number not in made:
            yield f"Round {round_.number} does not come of the kept replies."
            continue
        other = made[round_.number]
        before, after = _by_document(round_), _by_document(other)
        fresh = [document_id for document_id, one in after.items() if isinstance(one, RelevanceSnippet)]
        for document_id in dict.fromkeys((*before, *fresh)):  # a round that was broken off leaves the others unread
            if before.get(document_id) != after.get(document_id):
                name = f"document {corpus.number(document_id)} ({corpus.get(document_id).title})"
                yield f"The snippet of {name} in round {round_.number} is not what the kept reply says."
        if before.keys() >= after.keys() and round_.digests != other.digests:
            yield f"The digests of round {round_.number} are not what the kept replies say."
    more = [round_ for round_ in found.rounds[len(told.rounds) :] if round_.snippets]
    if more:
        yield f"The kept replies give {len(told.rounds) + len(more)} rounds, not {len(told.rounds)}."


def _by_document(of: Round) -> dict[str, RelevanceSnippet | Unread]:
    said: dict[str, RelevanceSnippet | Unread] = {one.document_id: one for one in of.snippets}
    return said | {one.document_id: one for one in of.unread}


def record_faults(told: StructuredData, found: StructuredData) -> Iterator[str]:
    """Of the records, and of what was not parsed."""
    known = {record.id: record for record in found.records}
    for record in told.records:
        if record.id not in known:
            yield f"{told.label(record.id)} is a record that no kept reply gives."
        elif known[record.id] != record:
            yield f"{told.label(record.id)} is not what the kept reply says."
    told_ids = {record.id for record in told.records}
    for record in found.records:
        if record.id not in told_ids:
            yield f"A record that a kept reply gives is missing: {record.type}, {record.evidence[0].quote[:60]!r}."
    if not told_ids ^ set(known) and [one.id for one in told.records] != [one.id for one in found.records]:
        yield "The records are in another order than the kept replies give them."
    if {one.document_id for one in told.unread} != {one.document_id for one in found.unread}:
        yield "Which documents were not parsed is not what the kept replies say."


def answer_faults(told: Answer, found: Answer | None) -> Iterator[str]:
    """Of the steps, with their outputs, and of the answer's sentences and citations."""
    if found is None:
        yield "The answer does not come of the kept replies."
        return
    yield from _step_faults(told, found)
    for number, sentence in enumerate(told.sentences, start=1):
        if number > len(found.sentences) or found.sentences[number - 1] != sentence:
            yield f"Sentence {number} of the answer, or what it cites, is not what the kept replies say."
    if len(found.sentences) > len(told.sentences):
        yield "A sentence that the kept replies give is missing in the answer."
    if (told.unknown_citations, told.mode) != (found.unknown_citations, found.mode):
        yield "What is said of the answer's unknown citations, or of its mode, is not what the kept replies say."


def _step_faults(told: Answer, found: Answer) -> Iterator[str]:
    made = {step.number: step for step in found.steps}
    for step in told.steps:
        other = made.get(step.number)
        if other is None or (other.code, other.thought) != (step.code, step.thought):
            yield f"The code of step {step.number} is not what the kept reply says."
        elif _gave(other) != _gave(step):
            yield f"Step {step.number} gives something else when it is run again."
    if len(found.steps) > len(told.steps):
        yield f"The kept replies give {len(found.steps)} steps, not {len(told.steps)}."


def _gave(step: Step) -> object:
    return replace(step.execution, seconds=0.0)
