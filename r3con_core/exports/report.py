"""The answer with its proof, as Markdown that prints well and loads nothing."""

import re
from collections.abc import Iterable, Iterator

from r3con_core import __version__
from r3con_core.answers import Answer
from r3con_core.documents import Unread
from r3con_core.evidence import Grounded, Misplaced
from r3con_core.exchange import Usage
from r3con_core.exports.changed import change_lines, in_one_line
from r3con_core.exports.contents import RunContents, describe, load_contents, pages_text, place_of
from r3con_core.method.reading import walk_values
from r3con_core.records import Record, StructuredData
from r3con_core.store.calls import StageUsage, usage_by_stage
from r3con_core.store.documents import LedgerEntry, list_ledger
from r3con_core.store.project import Project

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~$&])")
_PROTOCOL = re.compile(r"(?i)\b(https?|ftp|mailto)(:)|\b(www)(\.)")
_START = re.compile(r"^(\s*)([-=]|\d+(?=[.)]))")
_READ = frozenset({"read", "read with warnings"})
"""Outcomes of the ledger that lost nothing whole."""


def plain(text: str) -> str:
    r"""`text` on one line as Markdown that shows just these characters: what documents and models write makes no link.

    Addresses get a word joiner, which has no width, since some viewers make links of bare ones.
    """
    escaped = _SPECIAL.sub(r"\\\1", " ".join(text.split()))
    escaped = _PROTOCOL.sub(lambda found: "\u2060".join(part for part in found.groups() if part), escaped)
    return _START.sub(r"\1\\\2" if not escaped.lstrip()[:1].isdigit() else r"\1\2\\", escaped)


def report_markdown(project: Project, run_id: str) -> str:
    """Question, answer, the records it cites with their quotes, what was read and what not, and how it was made."""
    return report_of(load_contents(project, run_id), list_ledger(project), usage_by_stage(project, run_id))


def report_of(contents: RunContents, ledger: Iterable[LedgerEntry], usage: Iterable[StageUsage]) -> str:
    """The same of a run already loaded."""
    lines = [f"# {plain(contents.run.task.text)}", "", *_answer(contents)]
    if contents.answer is not None and contents.data is not None:
        lines += _cited(contents, contents.answer, contents.data)
    lines += [*_coverage(contents, ledger), *_changed(contents), *_making(contents, usage)]
    return "\n".join(lines) + "\n"


def _answer(contents: RunContents) -> Iterator[str]:
    answer, data = contents.answer, contents.data
    if answer is None or data is None:
        yield f"There is no answer yet: the run is {contents.run.state.value}."
        if contents.run.error:
            yield f"\n{plain(contents.run.error)}"
        return
    for sentence in answer.sentences:
        labels = ", ".join(f"[{label}](#{label.casefold()})" for label in map(data.label, sentence.record_ids))
        yield plain(sentence.text) + (f" ({labels})" if labels else " *(rests on no record)*")
    if answer.unknown_citations:
        yield f"\n*The model also cited what no record has: {plain(', '.join(answer.unknown_citations))}.*"


def _cited(contents: RunContents, answer: Answer, data: StructuredData) -> Iterator[str]:
    yield "\n## The records it rests on"
    if not answer.record_ids:
        yield "\nThe answer names no record."
    for record_id in answer.record_ids:
        yield from _record(data.get(record_id), contents, data)


def _record(record: Record, contents: RunContents, data: StructuredData) -> Iterator[str]:
    corpus = contents.corpus
    document = corpus.get(record.document_id)
    yield f"\n### {data.label(record.id)}"
    said = f", said by {plain(record.said_by)}" if record.said_by else ""
    yield (
        f"\n{plain(record.type)} in document {corpus.number(document.id)}, {plain(document.title)} "
        f"({plain(document.source.path)}); {record.certainty.value}{said}."
    )
    yield ""
    for path, value in walk_values(dict(record.values)):
        if value is not None:
            name = ".".join(path)
            doubt = " (does not occur in the document)" if name in record.unsupported else ""
            yield f"- {plain(name)}: {plain(_word(value))}{doubt}"
    for evidence in record.evidence:
        place = ""
        if isinstance(evidence, Grounded | Misplaced):
            found = evidence.found if isinstance(evidence, Misplaced) else evidence
            unit = place_of(corpus.get(found.document_id), found.span)
            place = f", {plain(unit)}" if unit else ""
            place += f", characters {found.span.start:,} to {found.span.end:,}"
        yield f"\n> {plain(evidence.quote)}\n>\n> *{plain(describe(evidence, corpus))}{place}*"


def _word(value: object) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _coverage(contents: RunContents, ledger: Iterable[LedgerEntry]) -> Iterator[str]:
    documents, rounds = contents.corpus.documents, contents.context.rounds
    words = sum(document.words for document in documents)
    yield "\n## What was read"
    pages = pages_text(contents.corpus)
    yield f"\n{len(documents):,} documents with {words:,} words{f'; {pages}' if pages else ''}."
    for document in (one for one in documents if one.unread_pages):
        numbers = ", ".join(map(str, document.unread_pages))
        yield f"\nNot read of {plain(document.title)}: {'page' if len(document.unread_pages) == 1 else 'pages'} {numbers}."
    for round_ in rounds:
        silent = sum(1 for snippet in round_.snippets if not snippet.text)
        yield (
            f"\nRound {round_.number}: {len(round_.snippets):,} read, {silent:,} of them with nothing to say on the "
            f"question; {len(round_.unread):,} could not be read."
        )
        yield from _unread(contents, round_.unread)
    if contents.data is not None:
        aside = sum(record.set_aside for record in contents.data.records)
        yield (
            f"\nParsed into {len(contents.data.records):,} records, {aside:,} of them set aside because their quote or "
            f"most of their values are not in their document; {len(contents.data.unread):,} documents were not parsed."
        )
        yield from _unread(contents, contents.data.unread)
    lost = [entry for entry in ledger if entry.outcome not in _READ]
    if lost:
        yield f"\n{len(lost):,} files or members of containers gave no document of their own:\n"
        yield from (f"- {plain(entry.path)}: {plain(entry.outcome)}, {plain(entry.reason)}" for entry in lost)


def _unread(contents: RunContents, unread: Iterable[Unread]) -> Iterator[str]:
    lines = [f"- {plain(contents.corpus.get(each.document_id).title)}: {plain(each.reason)}" for each in unread]
    if lines:
        yield ""
        yield from lines


def _changed(contents: RunContents) -> Iterator[str]:
    told = change_lines(contents)
    if told:
        yield "\n## What people changed\n"
        yield from (f"- {plain(in_one_line(line))}" for line in told)


def _making(contents: RunContents, usage: Iterable[StageUsage]) -> Iterator[str]:
    run, settings = contents.run, contents.run.settings
    mode = contents.answer.mode if contents.answer else settings.mode
    stages = tuple(usage)
    used = sum((stage.usage for stage in stages), Usage())
    reused = sum(stage.reused for stage in stages)
    yield "\n## How it was made\n"
    yield f"- Run {run.id}, begun {run.created}, {run.state.value}."
    yield f"- Read by {plain(settings.model)}; text was sent to: {plain(run.host)}."
    if settings.reasoning_model:
        yield f"- Schema and reasoning by {plain(settings.reasoning_model)}."
    yield (
        f"- {settings.rounds_read} rounds of reading; reasoning: {mode.value}; prompts {plain(settings.prompts)}; "
        f"window {settings.window:,} tokens."
    )
    yield (
        f"- {sum(stage.calls for stage in stages):,} calls{f', {reused:,} of them kept from before' if reused else ''}; "
        f"{used.prompt:,} tokens sent, {used.cached:,} of which the server had read before; {used.output:,} written."
    )
    yield f"- R3Con Analyst {__version__}."
