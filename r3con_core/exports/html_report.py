"""The answer with its proof as one HTML file: reads offline, without a script, and prints. Nothing is loaded.

Every citation leads to its record, every quote to its place in the embedded text of the page it stands on.
"""

from collections.abc import Iterable, Iterator

from r3con_core.answers import Step
from r3con_core.checks.conflicts import Conflict, find_conflicts
from r3con_core.checks.sentences import Support
from r3con_core.exports.against import Against, CheckedSentence, checked_sentences
from r3con_core.exports.changed import change_lines, note_of
from r3con_core.exports.contents import RunContents
from r3con_core.exports.facts import coverage_facts, gap_lines, how_made, method_facts
from r3con_core.exports.html_parts import escaped, facts, lines, link, said, section, table
from r3con_core.exports.html_records import quotes_of, record_article, source_section
from r3con_core.exports.html_style import STYLE, policy
from r3con_core.exports.other_methods import is_other, no_records
from r3con_core.exports.whole import WholeRun, load_whole
from r3con_core.records import Record, StructuredData
from r3con_core.store.project import Project
from r3con_core.views.tables import flat, in_words

_MOST_LISTED = 500
"""Lines of one list; the workbook has all."""


def export_html(project: Project, run_id: str) -> str:
    """The report as one HTML file."""
    return html_of(load_whole(project, run_id))


def html_of(whole: WholeRun) -> str:
    """The same of a run already loaded."""
    contents = whole.contents
    checked = checked_sentences(contents)
    shown = _shown_records(contents, checked)
    sections = [
        ("answer", "Answer", _answer(contents, checked, shown)),
        ("records", "The records it rests on", _cited(contents, shown)),
        ("against", "What speaks against it", _against(contents, checked, shown)),
        ("conflicts", "Where documents contradict each other", _conflicts(contents, shown)),
        ("coverage", "What was read, and what was not", _coverage(whole)),
        ("changes", "What people changed", _changes(contents)),
        ("method", "How it was made", _method(whole)),
        ("sources", "The quoted pages", _sources(contents, shown)),
    ]
    told = [(name, title, body) for name, title, body in sections if body]
    contents_list = lines(link(name, title) for name, title, _ in told)
    body = "".join(section(name, title, part) for name, title, part in told)
    head = f"<h1>{said(contents.run.task.text)}</h1>"
    cites = '<p class="soft">Citations such as R12 lead to the record, and from there to the page it quotes.</p>'
    lead = "" if is_other(contents.run.settings) else cites
    return _page(contents.run.task.text, f"<header>{head}{lead}</header><nav>{contents_list}</nav><main>{body}</main>")


def _page(title: str, body: str) -> str:
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy()}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">'
        f"<title>{escaped(' '.join(title.split())[:200])}</title><style>{STYLE}</style></head>\n"
        f"<body>{body}</body></html>\n"
    )


Shown = dict[str, Record]
"""Id -> record of all that the report shows whole."""


def _shown_records(contents: RunContents, checked: tuple[CheckedSentence, ...]) -> Shown:
    """The records cited, then those that speak against the answer."""
    if contents.data is None or contents.answer is None:
        return {}
    against = (record_id for one in checked for reason in one.against for record_id in reason.record_ids)
    return {one: contents.data.get(one) for one in (*contents.answer.record_ids, *against)}


def _answer(contents: RunContents, checked: tuple[CheckedSentence, ...], shown: Shown) -> str:
    answer, data = contents.answer, contents.data
    if answer is not None and is_other(contents.run.settings):
        told = "".join(f"<p>{said(one.text)}</p>" for one in answer.sentences)
        return f'<div class="answer">{told}</div><p class="soft">{said(no_records(contents.run.settings))}</p>'
    if answer is None or data is None:
        error = f"<p>{said(contents.run.error)}</p>" if contents.run.error else ""
        return f"<p>There is no answer yet: the run is {escaped(contents.run.state.value)}.</p>{error}"
    told = "".join(_sentence(one, data, shown) for one in checked)
    unknown = ""
    if answer.unknown_citations:
        names = said(", ".join(answer.unknown_citations))
        unknown = f'<p class="warn">The model also cited what no record has: {names}.</p>'
    return f'<div class="answer">{told}</div>{unknown}'


_SIGNS = {Support.FULL: "✓", Support.DOUBT: "!", Support.PART: "!", Support.OPEN: "–", Support.NONE: "✗"}


def _sentence(one: CheckedSentence, data: StructuredData, shown: Shown) -> str:
    cites = ", ".join(_cite(record_id, data, shown) for record_id in one.record_ids)
    basis = f" [{cites}]" if cites else ""
    kind = "soft" if one.support in (Support.FULL, Support.OPEN) else "warn"
    notes = [f'<span class="{kind}">{_SIGNS[one.support]} {escaped(one.support.value)}</span>']
    if one.missing:
        notes.append(f'<span class="warn">found nowhere: {said(", ".join(one.missing))}</span>')
    if one.by_code:
        notes.append(f'<span class="soft">comes out of the code: {said(", ".join(one.by_code))}</span>')
    if one.against:
        notes.append(link(f"a{one.number}", f"{len(one.against):,} to look at"))
    return f'<p id="s{one.number}">{said(one.text)}{basis}<br><small>{" · ".join(notes)}</small></p>'


def _cite(record_id: str, data: StructuredData, shown: Shown) -> str:
    """A record's label; a link where the report shows the record."""
    label = data.label(record_id)
    return link(label, label) if record_id in shown else label


def _cited(contents: RunContents, shown: Shown) -> str:
    if is_other(contents.run.settings):
        return ""
    if not shown or contents.data is None or contents.answer is None:
        return "<p>The answer names no record.</p>" if contents.answer is not None else ""
    cited = {record_id: number for number, record_id in enumerate(contents.answer.record_ids)}
    return "".join(record_article(shown[record_id], contents) for record_id in cited)


def _against(contents: RunContents, checked: tuple[CheckedSentence, ...], shown: Shown) -> str:
    data = contents.data
    if contents.answer is None or data is None or is_other(contents.run.settings):
        return ""
    doubted = [one for one in checked if one.against]
    if not doubted:
        return (
            "<p>Nothing was found by the checks that need no model: no cited record is denied, only alleged, rejected or "
            "set aside, and no record gives another value. This does not show that nothing speaks against it.</p>"
        )
    cited = frozenset(contents.answer.record_ids)
    told = "".join(
        f'<h3 id="a{one.number}">On sentence {link(f"s{one.number}", str(one.number))}: {said(one.text)}</h3>'
        f"{lines(_reason(reason, data, shown) for reason in one.against)}"
        for one in doubted
    )
    return told + "".join(record_article(record, contents) for record in shown.values() if record.id not in cited)


def _reason(reason: Against, data: StructuredData, shown: Shown) -> str:
    return f"{', '.join(_cite(record_id, data, shown) for record_id in reason.record_ids)}: {said(reason.text)}"


def _conflicts(contents: RunContents, shown: Shown) -> str:
    if contents.data is None or is_other(contents.run.settings):
        return ""
    found = find_conflicts(contents.data)
    if not found:
        return "<p>No field of one thing has different values in different documents.</p>"
    rows = (_conflict(one, contents.data, shown) for one in found[:_MOST_LISTED])
    more = f"<p>{len(found) - _MOST_LISTED:,} more are not listed here.</p>" if len(found) > _MOST_LISTED else ""
    return table(("thing", "field", "what is said, and by which records"), rows) + more


def _conflict(conflict: Conflict, data: StructuredData, shown: Shown) -> tuple[str, str, str]:
    readings = (
        f"{said(in_words(flat(reading.value)))} [{', '.join(_cite(one, data, shown) for one in reading.record_ids)}]"
        for reading in conflict.readings
    )
    return said(f"{conflict.record_type}: {conflict.name}"), said(conflict.field), lines(readings)


def _coverage(whole: WholeRun) -> str:
    told = "".join(f"<p>{said(fact)}</p>" for fact in coverage_facts(whole.contents))
    gaps = gap_lines(whole)
    if not gaps:
        return f"{told}<p>Nothing that was given was left unread.</p>"
    more = f"<p>{len(gaps) - _MOST_LISTED:,} more are in the ledger.</p>" if len(gaps) > _MOST_LISTED else ""
    return f"{told}<h3>Not read, or not in full ({len(gaps):,})</h3>{lines(map(said, gaps[:_MOST_LISTED]))}{more}"


def _changes(contents: RunContents) -> str:
    told = change_lines(contents)
    if not told:
        all_of_it = "sentence" if is_other(contents.run.settings) else "snippet, record and sentence"
        return f"<p>Nobody changed anything of this run: every {all_of_it} is a model's.</p>"
    rows = (
        (
            str(line.number),
            f"{said(line.made)}<br>{said(line.author)}",
            f"{said(line.what)}<br>{said(line.about)}",
            said(line.before),
            said(line.after),
            said(note_of(line)),
        )
        for line in told
    )
    return table(("number", "when (UTC), who", "what", "before", "after", "note"), rows, "changes")


def _method(whole: WholeRun) -> str:
    contents = whole.contents
    told = facts((name, said(value)) for name, value in method_facts(whole))
    settings = contents.run.settings
    way = "" if is_other(settings) else f"<p>{said(how_made(settings))}</p>"
    focus = f"<p>Readers looked for: {said('; '.join(contents.look_for))}.</p>" if contents.look_for else ""
    steps = contents.answer.steps if contents.answer else ()
    code = f"<h3>Its code</h3>{''.join(_steps(steps))}" if steps else ""
    return way + focus + told + code


def _steps(steps: Iterable[Step]) -> Iterator[str]:
    for step in steps:
        yield f"<p>Step {step.number}: {said(step.thought)}</p><pre>{escaped(step.code)}</pre>"
        if step.execution.output.strip():
            yield f'<p class="soft">It printed:</p><pre>{escaped(step.execution.output.strip())}</pre>'
        if step.execution.fault:
            yield f'<p class="warn">It ended in an error:</p><pre>{escaped(step.execution.fault)}</pre>'


def _sources(contents: RunContents, shown: Shown) -> str:
    quotes = [quoted for record in shown.values() for quoted in quotes_of(record, contents)]
    documents = sorted({quoted.document_id for quoted in quotes}, key=contents.corpus.number)
    return "".join(source_section(contents, document_id, quotes) for document_id in documents)
