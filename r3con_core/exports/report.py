"""The answer with its proof, as Markdown that prints well and loads nothing."""

import re
from collections.abc import Iterator

from r3con_core.answers import Answer
from r3con_core.exports.changed import change_lines, in_one_line
from r3con_core.exports.contents import RunContents, describe_with_place
from r3con_core.exports.facts import coverage_facts, gap_lines, method_facts
from r3con_core.exports.other_methods import is_other, no_records
from r3con_core.exports.passages import shown
from r3con_core.exports.whole import WholeRun, load_whole
from r3con_core.method.reading import walk_values
from r3con_core.records import Record, StructuredData
from r3con_core.store.project import Project

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~$&])")
_PROTOCOL = re.compile(r"(?i)\b(https?|ftp|mailto)(:)|\b(www)(\.)")
_MAIL = re.compile(r"(?<=[\w.+-])@(?=\w)")
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
_START = re.compile(r"^(\s*)([-=]|\d+(?=[.)]))")


def plain(text: str) -> str:
    r"""`text` on one line as Markdown that shows just these characters: what documents and models write makes no link.

    Addresses get a word joiner, which has no width, since some viewers make links of bare ones. What acts on a terminal,
    or turns the direction of what follows, is replaced.
    """
    letters = _TURNING.sub("\ufffd", " ".join(shown(text).split()))
    escaped = _MAIL.sub("\u2060@", _SPECIAL.sub(r"\\\1", letters))
    escaped = _PROTOCOL.sub(lambda found: "\u2060".join(part for part in found.groups() if part), escaped)
    return _START.sub(r"\1\\\2" if not escaped.lstrip()[:1].isdigit() else r"\1\2\\", escaped)


def report_markdown(project: Project, run_id: str) -> str:
    """Question, answer, the records it cites with their quotes, what was read and what not, and how it was made."""
    return report_of(load_whole(project, run_id))


def report_of(whole: WholeRun) -> str:
    """The same of a run already loaded."""
    contents = whole.contents
    lines = [f"# {plain(contents.run.task.text)}", "", *_answer(contents)]
    if contents.answer is not None and contents.data is not None and not is_other(contents.run.settings):
        lines += _cited(contents, contents.answer, contents.data)
    lines += [*_coverage(whole), *_changed(contents), *_making(whole)]
    return "\n".join(lines) + "\n"


def _answer(contents: RunContents) -> Iterator[str]:
    answer, data = contents.answer, contents.data
    if answer is not None and is_other(contents.run.settings):
        yield from (plain(sentence.text) for sentence in answer.sentences)
        yield f"\n*{plain(no_records(contents.run.settings))}*"
        return
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
        yield f"\n> {plain(evidence.quote)}\n>\n> *{plain(describe_with_place(evidence, corpus))}*"


def _word(value: object) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _coverage(whole: WholeRun) -> Iterator[str]:
    yield "\n## What was read\n"
    yield from (f"- {plain(fact)}" for fact in coverage_facts(whole.contents))
    gaps = gap_lines(whole)
    if gaps:
        yield f"\n### Not read, or not in full ({len(gaps):,})\n"
        yield from (f"- {plain(gap)}" for gap in gaps)


def _changed(contents: RunContents) -> Iterator[str]:
    told = change_lines(contents)
    if told:
        yield "\n## What people changed\n"
        yield from (f"- {plain(in_one_line(line))}" for line in told)


def _making(whole: WholeRun) -> Iterator[str]:
    yield "\n## How it was made\n"
    yield from (f"- {name}: {plain(value)}" for name, value in method_facts(whole))
