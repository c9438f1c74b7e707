"""How a run was made and what it read, as short facts in plain words, for every report."""

from collections.abc import Iterator

from r3con_core import __version__
from r3con_core.caps import money_text
from r3con_core.documents import Unread
from r3con_core.exchange import Usage
from r3con_core.exports.contents import RunContents, pages_text
from r3con_core.exports.other_methods import built_lines, how_it_works, is_other, method_name
from r3con_core.exports.whole import WholeRun
from r3con_core.readers.ledger import Outcome
from r3con_core.runs import RunSettings
from r3con_core.sandbox.walls import meaning_of
from r3con_core.snippets import Author
from r3con_core.steering import steering_of

_IS_READ = frozenset({Outcome.READ.value, Outcome.READ_WITH_WARNINGS.value, Outcome.DUPLICATE.value})
"""Outcomes of the ledger whose text was read, be it of another file that says the same."""


def method_facts(whole: WholeRun) -> tuple[tuple[str, str], ...]:
    """Name and value of each: who read, who reasoned, with which settings, at what cost."""
    return tuple(_method(whole))


def _method(whole: WholeRun) -> Iterator[tuple[str, str]]:
    run, settings = whole.contents.run, whole.contents.run.settings
    answer = whole.contents.answer
    yield "Run", f"{run.id}, begun {run.created}, {run.state.value}"
    if run.parent:
        yield "Begun from", f"{run.parent} ({run.relation})" if run.relation else run.parent
    yield "Documents read by", settings.model
    other = is_other(settings)
    yield "Answered by" if other else "Schema and reasoning by", settings.reasoning_model or settings.model
    yield "Text was sent to", run.host or "nowhere"
    if other:
        yield from _other_method(whole)
    else:
        rounds = steering_of(whole.contents.changes, settings).rounds
        yield "Rounds of reading", f"{len(whole.contents.context.rounds):,} of {rounds:,}"
        yield "Reasoning", (answer.mode if answer else settings.mode).value
    if run.walls:
        yield "Code ran behind", f"{run.walls}. {meaning_of(run.walls)}".rstrip()
    yield "Context window", f"{settings.window:,} tokens"
    if not other:
        yield "Prompts", f"version {settings.prompts}, layout {settings.layout.value}"
    yield from _ablations(settings, other=other)
    if not other and settings.structure:
        yield "Schema", _schema(whole)
    yield "Calls", _calls(whole)
    if whole.cost is not None:
        cost = f"{money_text(whole.cost.amount)} {whole.cost.currency}" if whole.cost.amount else "nothing"
        yield "Cost", f"{cost} ({'; '.join(whole.cost.sources)})" if whole.cost.sources else cost
    else:
        yield "Cost", "not known: no price was kept with the run"
    yield "Made with", f"R3Con Analyst {__version__}"


def _other_method(whole: WholeRun) -> Iterator[tuple[str, str]]:
    settings = whole.contents.run.settings
    yield "Method", f"{method_name(settings)} (not R3Con: it makes no snippets, schema or records)"
    if how := how_it_works(settings):
        yield "How it works", how
    for line in built_lines(whole):
        yield "What it built", line
    if settings.options:
        yield "Its settings", ", ".join(f"{name} {value:g}" for name, value in settings.options)
    if settings.embedding:
        yield "Vectors of texts by", settings.embedding


def _ablations(settings: RunSettings, *, other: bool) -> Iterator[tuple[str, str]]:
    if not settings.relevance and not other:
        yield "Left out", "rounds of reading (an ablation)"
    if not settings.structure and not other:
        yield "Left out", "schema and records (an ablation)"
    if settings.repeat:
        yield "Repeat", f"number {settings.repeat:,} of the same run"


def _schema(whole: WholeRun) -> str:
    if not whole.versions:
        return "none yet"
    people = sum(version.author is Author.HUMAN for version in whole.versions)
    return f"version {whole.versions[-1].version:,}; {people:,} of {len(whole.versions):,} versions by people"


def _calls(whole: WholeRun) -> str:
    used = sum((stage.usage for stage in whole.usage), Usage())
    calls, reused = sum(stage.calls for stage in whole.usage), sum(stage.reused for stage in whole.usage)
    kept = f", {reused:,} of them kept from before" if reused else ""
    about = "" if used.counted else "about "
    cached = f" ({used.cached:,} of them read by the server before)" if used.cached else ""
    return f"{calls:,}{kept}; {about}{used.prompt:,} tokens sent{cached}, {used.output:,} written"


def how_made(settings: RunSettings) -> str:
    """R3Con's way from documents to answer with these settings, in a sentence."""
    read = (
        "The documents were read one by one for what they contribute to the question, in rounds, each reader seeing "
        "what the others found; "
        if settings.relevance
        else "No document was read for what it contributes to the question; "
    )
    if not settings.structure:
        return f"{read}the answer was written from what the readers noted, without a schema or records."
    return (
        f"{read}a schema was agreed on; every document was parsed into records, each with a quote that was looked up in "
        "the document without a model; the answer was reasoned from the records alone."
    )


def coverage_facts(contents: RunContents) -> tuple[str, ...]:
    """What was read of the documents, a sentence each."""
    return tuple(_coverage(contents))


def _coverage(contents: RunContents) -> Iterator[str]:
    documents = contents.corpus.documents
    pages = pages_text(contents.corpus)
    words = sum(document.words for document in documents)
    yield f"{len(documents):,} documents with {words:,} words{f'; {pages}' if pages else ''}."
    for round_ in contents.context.rounds:
        silent = sum(1 for snippet in round_.snippets if not snippet.text)
        carried = sum(snippet.carried for snippet in round_.snippets)
        yield (
            f"Round {round_.number}: {len(round_.snippets) - carried:,} read"
            f"{f', {carried:,} kept from the round before' if carried else ''}; {silent:,} with nothing to say on the "
            f"question; {len(round_.unread):,} could not be read."
        )
    if is_other(contents.run.settings):
        return
    if not contents.run.settings.structure:
        yield "No records were made: the answer was written from the snippets alone."
    elif contents.data is not None:
        records = contents.data.records
        aside = sum(record.set_aside for record in records)
        people = sum(record.standing.value != "kept" or bool(record.changed) for record in records)
        yield (
            f"{len(records):,} records, {aside:,} of them set aside because their quote or most of their values are not "
            f"in their document, {people:,} changed or taken out by people; {len(contents.data.unread):,} documents "
            "were not parsed."
        )


def gap_lines(whole: WholeRun) -> tuple[str, ...]:
    """What could not be read, a line each: pages, documents in a round or in parsing, files and members."""
    contents = whole.contents
    lines = [
        f"{document.title}: {'page' if len(document.unread_pages) == 1 else 'pages'} "
        f"{', '.join(map(str, document.unread_pages))} not read"
        for document in contents.corpus.documents
        if document.unread_pages
    ]
    for round_ in contents.context.rounds:
        lines += [_unread(contents, one, f"in round {round_.number}") for one in round_.unread]
    if contents.data is not None:
        lines += [_unread(contents, one, "when parsed") for one in contents.data.unread]
    lost = (entry for entry in whole.ledger if entry.outcome not in _IS_READ)
    return (*lines, *(f"{entry.path}: {entry.outcome}{f', {entry.reason}' if entry.reason else ''}" for entry in lost))


def _unread(contents: RunContents, unread: Unread, when: str) -> str:
    name = (
        contents.corpus.get(unread.document_id).title if unread.document_id in contents.corpus else unread.document_id
    )
    return f"{name}, {when}: {unread.reason}"
