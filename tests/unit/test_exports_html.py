"""The HTML report: every citation leads somewhere, every quote stands where it is marked, nothing gets in or out."""

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html

from r3con_core.answers import Answer, Mode, Sentence
from r3con_core.changes import AddRound, CorrectRecord, Entry, MergeRecords, RejectRecord
from r3con_core.checks.sentences import Support
from r3con_core.corrections.applying import apply_corrections
from r3con_core.documents import Corpus, Document, Source, Span, Unit, make_document
from r3con_core.evidence import locate
from r3con_core.exports import export_html, load_contents
from r3con_core.exports.against import checked_sentences
from r3con_core.exports.contents import RunContents, found_at
from r3con_core.exports.facts import gap_lines, method_facts
from r3con_core.exports.html_report import html_of
from r3con_core.exports.html_style import STYLE, policy
from r3con_core.exports.passages import Quoted, passages_of, pieces_of, shown
from r3con_core.exports.whole import WholeRun, load_whole
from r3con_core.records import Record, StructuredData, Value, record_id
from r3con_core.runs import Run, RunSettings, RunState
from r3con_core.schemas import Field, RecordType, Scalar, ScalarType, Schema
from r3con_core.snippets import RelevantContext
from r3con_core.store.changes import add_change
from r3con_core.store.documents import LedgerEntry, add_documents
from r3con_core.tasks import Task
from tests.fakes import finished_harbour, finished_inquiry

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "</div></body><a href='http://evil.example'>x</a>",
    '" onmouseover="alert(1)',
    "<style>*{display:none}</style><!--",
    "]]>&lt;b&gt;&amp;&#106;",
    "\u202eevil\u2066 \u0000\ufffe\r\n\x0b\ud800",
    "javascript:alert(1) <meta http-equiv=refresh content='0;url=//evil'>",
]
SCHEMA = Schema(
    record_types=(
        RecordType(
            name="Payment",
            meaning="one payment",
            fields=(
                Field(name="payer", meaning="who paid", kind=Scalar()),
                Field(name="amount", meaning="how much", kind=Scalar(of=ScalarType.NUMBER)),
            ),
        ),
    )
)


def _document(text: str, title: str, number: int, pages: bool) -> Document:
    source = Source(path=f"{title} {number}.txt", sha256="a" * 64, media_type="text/plain")
    half = len(text) // 2
    spans = [Span(start=0, end=half), Span(start=half, end=len(text))] if pages and half else []
    units = tuple(Unit(kind="page", label=str(n), span=span, page=n) for n, span in enumerate(spans, start=1))
    return make_document(title=title, text=text, source=source, units=units)


def _record(document: Document, quotes: tuple[str, ...], payer: str, corpus: Corpus) -> Record:
    values: dict[str, Value] = {"payer": payer, "amount": 3}
    return Record(
        id=record_id(record_type="Payment", document_id=document.id, values=values, quotes=quotes),
        type="Payment",
        document_id=document.id,
        values=values,
        evidence=tuple(locate(quote, document, corpus.documents) for quote in quotes),
        said_by=payer or None,
    )


WORDS = st.lists(
    st.sampled_from([*HOSTILE, "Dolan", "paid", "3 euros", "to", "Kern", "على", "שלום", ".", "\n\n", " "]), min_size=4
).map(" ".join)


@st.composite
def whole_runs(draw: st.DrawFn) -> WholeRun:
    """A finished run over a few documents, all of whose words may be a stranger's."""
    texts = draw(st.lists(WORDS, min_size=1, max_size=3))
    documents = tuple(
        _document(text, draw(WORDS), number, draw(st.booleans())) for number, text in enumerate(texts) if text.strip()
    )
    corpus = Corpus(documents=documents)
    records: dict[str, Record] = {}
    for document in documents:
        for _ in range(draw(st.integers(0, 3))):
            quotes = tuple(_stretch(draw, document.text) for _ in range(draw(st.integers(1, 3))))
            made = _record(document, tuple(dict.fromkeys(quotes)), draw(WORDS), corpus)
            records.setdefault(made.id, made)
    data = StructuredData(schema=SCHEMA, records=tuple(records.values()))
    changes = tuple(_changes(draw, data))
    corrected = apply_corrections(data, changes)
    ids = st.lists(st.sampled_from(data.records).map(lambda record: record.id), unique=True) if records else st.just([])
    sentences = tuple(Sentence(text=draw(WORDS), record_ids=tuple(draw(ids))) for _ in range(draw(st.integers(1, 3))))
    answer = Answer(text=" ".join(s.text for s in sentences), sentences=sentences, mode=Mode.DIRECT)
    run = Run(
        id="run-1",
        task=Task(id="task-1", text=draw(WORDS)),
        document_ids=tuple(document.id for document in documents),
        settings=RunSettings(model=draw(WORDS)),
        straight_through=True,
        state=RunState.DONE,
        created="2031-01-01T00:00:00+00:00",
    )
    contents = RunContents(
        run=run,
        corpus=corpus,
        look_for=(draw(WORDS),),
        context=RelevantContext(rounds=()),
        data=corrected.data,
        answer=answer,
        changes=changes,
        said=data,
        corrected=corrected,
    )
    return WholeRun(contents=contents, ledger=(), usage=(), versions=(), cost=None)


def _stretch(draw: st.DrawFn, text: str) -> str:
    start = draw(st.integers(0, len(text) - 1))
    return text[start : start + draw(st.integers(1, 60))].strip() or "nothing of the kind"


def _changes(draw: st.DrawFn, data: StructuredData) -> Iterator[Entry]:
    for number, record in enumerate(data.records, start=1):
        change = draw(
            st.sampled_from(
                [
                    None,
                    RejectRecord(of=record),
                    CorrectRecord(
                        of=record, now=replace(record, values={"payer": draw(WORDS), "amount": 4}, changed=("payer",))
                    ),
                ]
            )
        )
        if change is not None:
            yield Entry(
                number=number,
                run_id="run-1",
                change=change,
                author=draw(WORDS),
                note=draw(WORDS),
                made="2031-01-02T00:00:00+00:00",
            )


def _check(report: str, texts: Mapping[str, str]) -> None:
    """Every link resolves, every quote stands in the passage where it is marked, and nothing acts."""
    page = html.document_fromstring(report)
    ids = [element.get("id") for element in page.iter() if isinstance(element.tag, str) and element.get("id")]
    assert len(ids) == len(set(ids))
    links = [element.get("href") for element in page.iter("a")]
    assert [link for link in links if link[:1] != "#" or link[1:] not in set(ids)] == []
    tags = {element.tag for element in page.iter() if isinstance(element.tag, str)}
    assert tags <= ALLOWED
    attributes = {name for element in page.iter() if isinstance(element.tag, str) for name in element.attrib}
    assert attributes <= {"id", "href", "class", "lang", "charset", "content", "http-equiv", "name", "dir", "scope"} | {
        "data-start"
    }
    for passage in page.find_class("passage"):
        number = int(passage.get("id")[1:].split("-")[0])
        text, start = texts[str(number)], int(passage.get("data-start"))
        told = passage.text_content()
        assert told == shown(text[start : start + len(told)])


ALLOWED = set(
    "html head meta title style body header h1 h2 h3 p nav ul li main section article table thead tbody tr th td "
    "blockquote div span mark pre small a bdi br".split()
)


def _quotes_are_marked(report: str, contents: RunContents) -> None:
    page = html.document_fromstring(report)
    for anchor in page.xpath("//div[@class='passage']/span[@id]"):
        _, label, number = anchor.get("id").split("-")
        assert contents.data is not None
        identity = contents.data.id_of(label)
        assert identity is not None
        evidence = contents.data.get(identity).evidence[int(number) - 1]
        found = found_at(evidence)
        assert found is not None
        wanted = shown(contents.corpus.get(found.document_id).text[found.span.start : found.span.end])
        following = "".join(
            [anchor.tail or "", *("".join(s.itertext()) + (s.tail or "") for s in anchor.itersiblings())]
        )
        assert following.startswith(wanted)


@settings(max_examples=60, deadline=None)
@given(whole_runs())
def test_every_citation_leads_to_its_place_whatever_documents_and_people_write(whole: WholeRun) -> None:
    report = html_of(whole)
    documents = whole.contents.corpus.documents
    _check(report, {str(number): document.text for number, document in enumerate(documents, start=1)})
    _quotes_are_marked(report, whole.contents)


@pytest.mark.parametrize("make", [finished_harbour, finished_inquiry])
def test_the_report_of_a_whole_run_cites_every_record_of_the_answer(make, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    project, run_id = make(tmp_path)
    report = export_html(project, run_id)

    contents = load_contents(project, run_id)
    texts = {str(number): document.text for number, document in enumerate(contents.corpus.documents, start=1)}
    _check(report, texts)
    _quotes_are_marked(report, contents)
    page = html.document_fromstring(report)
    assert contents.answer is not None
    assert contents.data is not None
    for record_id_ in contents.answer.record_ids:
        article = page.get_element_by_id(contents.data.label(record_id_))
        assert [link for link in article.iter("a") if link.get("href").startswith("#q-")]


def test_the_report_may_load_and_run_nothing(tmp_path: Path) -> None:
    report = export_html(*finished_harbour(tmp_path))
    assert f'<meta http-equiv="Content-Security-Policy" content="{policy()}">' in report
    assert policy().startswith("default-src 'none'; style-src 'sha256-")
    assert report.count("<style>") == 1
    assert STYLE in report
    assert re.findall(r"url\(|@import|https?://|<script|\ssrc=", report) == []


def test_the_report_says_the_same_of_the_same_run(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    assert export_html(project, run_id) == export_html(project, run_id)


@given(st.text(min_size=1, max_size=400), st.data())
def test_passages_hold_their_quotes_and_do_not_overlap(text: str, data: st.DataObject) -> None:
    document = _document(text, "Any", 1, data.draw(st.booleans()))
    spans = data.draw(
        st.lists(
            st.integers(0, len(text) - 1).flatmap(
                lambda start: st.integers(start + 1, len(text)).map(lambda end: Span(start=start, end=end))
            ),
            max_size=5,
        )
    )
    quotes = [Quoted(name=f"q-R{n}-1", document_id=document.id, span=span) for n, span in enumerate(spans)]
    passages = passages_of(document, quotes)
    assert sorted(q.name for p in passages for q in p.quotes) == sorted(q.name for q in quotes)
    for one, other in itertools.pairwise(passages):
        assert one.span.end < other.span.start
    for passage in passages:
        pieces = tuple(pieces_of(passage, text))
        assert "".join(piece.text for piece in pieces) == text[passage.span.start : passage.span.end]
        assert {q.name for piece in pieces for q in piece.begins} == {q.name for q in passage.quotes}
        assert all(passage.span.start <= q.span.start and q.span.end <= passage.span.end for q in passage.quotes)


def test_a_sentence_whose_record_was_merged_rests_on_the_record_that_counts_for_it(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    data = load_contents(project, run_id).data
    assert data is not None
    third, fourth = data.records[2:4]  # the answer's last sentence rests on the fourth alone
    both = replace(third, values=fourth.values, evidence=(*third.evidence, *fourth.evidence))
    assert checked_sentences(load_contents(project, run_id))[-1].support is Support.FULL
    add_change(project, run_id, MergeRecords(of=(third, fourth), now=both), author="ann")
    assert checked_sentences(load_contents(project, run_id))[-1].support is Support.DOUBT


def test_reports_count_the_rounds_that_people_added(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    add_change(project, run_id, AddRound(), author="ann")
    assert dict(method_facts(load_whole(project, run_id)))["Rounds of reading"] == "2 of 3"


def test_a_file_that_was_read_as_another_one_is_no_gap(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    copied = LedgerEntry(path="copy.txt", outcome="duplicate", reason="the same as one.txt", document_id="")
    locked = LedgerEntry(path="locked.pdf", outcome="not readable", reason="it has a password", document_id="")
    add_documents(project, [], [copied, locked])
    assert gap_lines(load_whole(project, run_id)) == ("locked.pdf: not readable, it has a password",)
