"""The answer as a memo for word processors (DOCX): sentences with numbered notes that name document, page and quote.

Written by hand: a few parts of a well-known form, with real footnotes, and the same bytes for the same run.
"""

import re
from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape

from r3con_core.answers import Sentence
from r3con_core.exports.against import checked_sentences
from r3con_core.exports.changed import change_lines, in_one_line
from r3con_core.exports.contents import RunContents, describe, found_at, place_of
from r3con_core.exports.facts import coverage_facts, gap_lines, method_facts
from r3con_core.exports.memo_parts import CONTENT_TYPES, DOCUMENT_RELATIONS, RELATIONS, SETTINGS, STYLES
from r3con_core.exports.other_methods import is_other, no_records
from r3con_core.exports.tables import zip_bytes
from r3con_core.exports.whole import WholeRun, load_whole
from r3con_core.records import Record
from r3con_core.store.project import Project

_NAMESPACE = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_RIGHT_TO_LEFT = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff]")
_LEFT_TO_RIGHT = re.compile(r"[A-Za-z\u00c0-\u058f\u0900-\ud7ff]")
_TURNS = re.compile(r"[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Marks that turn the direction of what follows: in a name they would turn the sentence around it."""
_MOST_GAPS = 100


def export_memo(project: Project, run_id: str) -> bytes:
    """The memo as a DOCX file."""
    return memo_of(load_whole(project, run_id))


def memo_of(whole: WholeRun) -> bytes:
    """The same of a run already loaded."""
    notes: list[str] = []
    body = "".join(_body(whole, notes))
    page = (
        '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1304" w:right="1304" w:bottom="1304" w:left="1304"'
    )
    page += ' w:header="708" w:footer="708" w:gutter="0"/></w:sectPr>'
    document = f'<w:document xmlns:w="{_NAMESPACE}"><w:body>{body}{page}</w:body></w:document>'
    parts = {
        "[Content_Types].xml": CONTENT_TYPES,
        "_rels/.rels": RELATIONS,
        "word/document.xml": document,
        "word/_rels/document.xml.rels": DOCUMENT_RELATIONS,
        "word/styles.xml": STYLES,
        "word/settings.xml": SETTINGS,
        "word/footnotes.xml": _footnotes(notes),
    }
    head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    return zip_bytes({name: (head + part).encode("utf-8") for name, part in parts.items()})


def _body(whole: WholeRun, notes: list[str]) -> Iterator[str]:
    """The paragraphs in order; what their notes say goes to `notes`."""
    contents = whole.contents
    yield _paragraph(contents.run.task.text, style="Title")
    yield from _answer(contents, notes)
    yield from _against(contents)
    yield _paragraph("What was read", style="Heading1")
    yield from map(_paragraph, coverage_facts(contents))
    gaps = gap_lines(whole)
    if gaps:
        yield _paragraph(f"Not read, or not in full ({len(gaps):,}):")
        yield from (_paragraph(gap, style="ListParagraph") for gap in gaps[:_MOST_GAPS])
        if len(gaps) > _MOST_GAPS:
            yield _paragraph(f"{len(gaps) - _MOST_GAPS:,} more are in the ledger.")
    yield _paragraph("What people changed", style="Heading1")
    told = change_lines(contents)
    yield from (_paragraph(in_one_line(line), style="ListParagraph") for line in told)
    if not told:
        yield _paragraph("Nobody changed anything of this run.")
    yield _paragraph("How it was made", style="Heading1")
    yield from (_paragraph(f"{name}: {value}", style="ListParagraph") for name, value in method_facts(whole))


def _answer(contents: RunContents, notes: list[str]) -> Iterator[str]:
    answer = contents.answer
    yield _paragraph("Answer", style="Heading1")
    if answer is None or contents.data is None:
        yield _paragraph(f"There is no answer yet: the run is {contents.run.state.value}.")
        return
    for sentence in answer.sentences:
        yield _sentence(sentence, contents, notes)
    if is_other(contents.run.settings):
        yield _paragraph(no_records(contents.run.settings))


def _against(contents: RunContents) -> Iterator[str]:
    """What speaks against each sentence; nothing where nothing does."""
    doubted = [one for one in checked_sentences(contents) if one.against]
    if not doubted or contents.data is None:
        return
    yield _paragraph("What speaks against it", style="Heading1")
    for one in doubted:
        yield _paragraph(f"Sentence {one.number}: {one.support.value}.")
        for reason in one.against:
            labels = ", ".join(map(contents.data.label, reason.record_ids))
            yield _paragraph(f"{labels}: {reason.text}", style="ListParagraph")


def _sentence(sentence: Sentence, contents: RunContents, notes: list[str]) -> str:
    assert contents.data is not None, "an answer rests on records"
    bare = not sentence.record_ids and not is_other(contents.run.settings)
    runs = _run(f"{sentence.text} (rests on no record)" if bare else sentence.text)
    for record_id in sentence.record_ids:
        notes.append(_source(contents.data.get(record_id), contents))
        runs += _reference(len(notes))
    return _wrapped(runs, sentence.text)


def _source(record: Record, contents: RunContents) -> str:
    """What a note says: the record, its document, and each quote with its page and how it was found."""
    assert contents.data is not None, "a record is of some data"
    corpus = contents.corpus
    document = corpus.get(record.document_id)
    by = f", said by {record.said_by}" if record.said_by else ""
    where = f"document {corpus.number(document.id)}, {document.title} ({document.source.path})"
    told = [f"{contents.data.label(record.id)}: {where}, {record.certainty.value}{by}."]
    for evidence in record.evidence:
        found = found_at(evidence)
        place = place_of(corpus.get(found.document_id), found.span) if found is not None else ""
        told.append(f"“{evidence.quote}” ({f'{place}, ' if place else ''}{describe(evidence, corpus)})")
    return " ".join(told)


def _footnotes(notes: Iterable[str]) -> str:
    separators = "".join(
        f'<w:footnote w:type="{kind}" w:id="{number}"><w:p><w:r><w:{mark}/></w:r></w:p></w:footnote>'
        for kind, number, mark in (
            ("separator", -1, "separator"),
            ("continuationSeparator", 0, "continuationSeparator"),
        )
    )
    mark = '<w:r><w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr><w:footnoteRef/></w:r>'
    told = "".join(
        f'<w:footnote w:id="{number}">{_wrapped(mark + _run(f" {note}"), note, "FootnoteText")}</w:footnote>'
        for number, note in enumerate(notes, start=1)
    )
    return f'<w:footnotes xmlns:w="{_NAMESPACE}">{separators}{told}</w:footnotes>'


def _reference(number: int) -> str:
    style = '<w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr>'
    comma = f'<w:r>{style}<w:t xml:space="preserve"> </w:t></w:r>'
    return f'{comma}<w:r>{style}<w:footnoteReference w:id="{number}"/></w:r>'


def _paragraph(text: str, style: str = "") -> str:
    return _wrapped(_run(text), text, style)


def _wrapped(runs: str, text: str, style: str = "") -> str:
    """A paragraph of these runs, set from the right where its first letter is of a script written so."""
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    first = min(
        (found.start(), right)
        for pattern, right in ((_RIGHT_TO_LEFT, True), (_LEFT_TO_RIGHT, False), (re.compile(r"\Z"), False))
        if (found := pattern.search(text))
    )
    return f"<w:p><w:pPr>{named}{'<w:bidi/>' if first[1] else ''}</w:pPr>{runs}</w:p>"


def _run(text: str) -> str:
    """The words of a paragraph on one line, as text."""
    words = " ".join(_TURNS.sub("", _UNSEEN.sub("\ufffd", " ".join(text.split()))).split())
    lead = " " if text.startswith(" ") else ""
    right = "<w:rPr><w:rtl/></w:rPr>" if _RIGHT_TO_LEFT.search(words) and not _LEFT_TO_RIGHT.search(words) else ""
    return f'<w:r>{right}<w:t xml:space="preserve">{lead}{escape(words)}</w:t></w:r>'
