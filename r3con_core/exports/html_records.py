"""Records, their quotes and the pages those stand on, as HTML."""

from collections.abc import Iterable, Iterator

from r3con_core.checks.cells import Cell, CellState, cells_of
from r3con_core.evidence import Evidence
from r3con_core.exports.changed import changed_by
from r3con_core.exports.contents import RunContents, describe, found_at, place_of
from r3con_core.exports.html_parts import escaped, facts, link, said
from r3con_core.exports.passages import Passage, Piece, Quoted, passages_of, pieces_of
from r3con_core.exports.rows import values_in_words
from r3con_core.records import Record, Standing
from r3con_core.views.tables import flat, in_words


def quotes_of(record: Record, contents: RunContents) -> tuple[Quoted, ...]:
    """The record's quotes that were found somewhere."""
    return tuple(
        Quoted(name=_name(record, number, contents), document_id=found.document_id, span=found.span)
        for number, evidence in enumerate(record.evidence, start=1)
        if (found := found_at(evidence)) is not None
    )


def _name(record: Record, number: int, contents: RunContents) -> str:
    assert contents.data is not None, "a record is of some data"
    return f"q-{contents.data.label(record.id)}-{number}"


def record_article(record: Record, contents: RunContents) -> str:
    """One record with what it says, who says it, and its quotes with links to their places."""
    assert contents.data is not None, "a record is of some data"
    label, corpus = contents.data.label(record.id), contents.corpus
    document = corpus.get(record.document_id)
    by = f", said by {said(record.said_by)}" if record.said_by else ""
    head = f"{label} · {said(record.type)}"
    where = f"Document {corpus.number(document.id)}, {said(document.title)} ({said(document.source.path)})"
    doubts = "".join(f'<p class="warn">{escaped(doubt)}</p>' for doubt in _doubts(record))
    values = facts((cell.name, _value(cell)) for cell in cells_of(record, contents.data.schema.get(record.type)))
    quotes = "".join(_quote(record, number, one, contents) for number, one in enumerate(record.evidence, start=1))
    return (
        f'<article id="{label}"><h3>{head}</h3><p class="soft">{where}; {escaped(record.certainty.value)}{by}.</p>'
        f"{doubts}{values}{quotes}{_model_said(record, contents)}</article>"
    )


def _doubts(record: Record) -> Iterator[str]:
    if record.standing is not Standing.KEPT:
        yield f"A person took this record out: it is {record.standing.value}."
    if record.set_aside:
        yield "Set aside: its quote, or most of its values, are not in its document."


def _value(cell: Cell) -> str:
    if cell.state is CellState.EMPTY:
        return '<span class="soft">not stated</span>'
    kind = "warn" if cell.state is CellState.NOWHERE else "soft"
    return f'{said(in_words(flat(cell.value)))} <span class="{kind}">({escaped(cell.state.value)})</span>'


def _quote(record: Record, number: int, evidence: Evidence, contents: RunContents) -> str:
    found = found_at(evidence)
    how = f'<span class="soft">{escaped(describe(evidence, contents.corpus))}</span>'
    if found is None:
        return f"<blockquote>{said(evidence.quote)}<br>{how}</blockquote>"
    document = contents.corpus.get(found.document_id)
    place = place_of(document, found.span)
    where = f"document {contents.corpus.number(document.id)}{f', {escaped(place)}' if place else ''}"
    at = f"{where}, characters {found.span.start:,} to {found.span.end:,}"
    return f"<blockquote>{said(evidence.quote)}<br>{link(_name(record, number, contents), at)} {how}</blockquote>"


def _model_said(record: Record, contents: RunContents) -> str:
    """What the model gave, and who changed it, where a person did."""
    by = changed_by(contents).get(record.id, "")
    before = contents.model_said(record)
    if before is None:
        return f'<p class="soft">Given by a person: {said(by)}.</p>' if by else ""
    if before == record:
        return ""
    told = "; ".join(f"{name}: {words}" for name, words in values_in_words(before))
    return f'<p class="soft">Changed by {said(by or "a person")}. The model said: {said(told)}.</p>'


def source_section(contents: RunContents, document_id: str, quotes: Iterable[Quoted]) -> str:
    """The stretches of one document that hold quotes, each quote marked and linked back to its record."""
    document, number = contents.corpus.get(document_id), contents.corpus.number(document_id)
    passages = passages_of(document, (quoted for quoted in quotes if quoted.document_id == document_id))
    head = f"<h3>Document {number}: {said(document.title)}</h3>"
    source = f"{said(document.source.path)}, SHA-256 of the file {escaped(document.source.sha256)}"
    return (
        f'<article id="d{number}">{head}<p class="soft">{source}</p>'
        f"{''.join(_passage(passage, document.text, number) for passage in passages)}</article>"
    )


def _passage(passage: Passage, text: str, number: int) -> str:
    ends = f"characters {passage.span.start:,} to {passage.span.end:,} of {len(text):,}"
    place = f"{escaped(passage.page)}, {ends}" if passage.page else ends
    body = "".join(map(_piece, pieces_of(passage, text)))
    name = f"d{number}-{passage.span.start}"
    back = ", ".join(link(label, label) for label in dict.fromkeys(_label(quoted) for quoted in passage.quotes))
    return (
        f'<p class="soft">{place}; quoted by {back}</p><div class="passage" dir="auto" id="{name}" '
        f'data-start="{passage.span.start}">{body}</div>'
    )


def _label(quoted: Quoted) -> str:
    return quoted.name.split("-")[1]


def _piece(piece: Piece) -> str:
    anchors = "".join(f'<span id="{quoted.name}"></span>' for quoted in piece.begins)
    text = escaped(piece.text)
    return f"{anchors}<mark>{text}</mark>" if piece.marked else f"{anchors}{text}"
