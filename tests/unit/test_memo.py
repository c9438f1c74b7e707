"""The memo: opens in our own reader with the same words, whatever documents and people wrote."""

import io
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from lxml import etree

from r3con_core.documents import Document, Source
from r3con_core.exports.memo import export_memo, memo_of
from r3con_core.exports.whole import WholeRun, load_whole
from r3con_core.readers.content import Content
from r3con_core.readers.docx import read_docx
from r3con_core.readers.ledger import File
from r3con_core.tasks import Task
from tests.fakes import finished_harbour


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> WholeRun:
    return load_whole(*finished_harbour(tmp_path_factory.mktemp("memo")))


def _read(memo: bytes) -> Document:
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    source = Source(path="memo.docx", sha256="0" * 64, media_type=kind)
    (document,) = read_docx(File(content=Content.held(memo), source=source))
    assert isinstance(document, Document)
    return document


def test_a_memo_reads_back_with_its_answer_and_sources(whole: WholeRun) -> None:
    text = _read(memo_of(whole)).text
    assert text.splitlines()[0] == whole.contents.run.task.text
    for part in (
        "The Petrel landed 85 cases at Lime Quay in March 1931.",
        "R1: document 1, 01 newspaper cutting (01_newspaper_cutting.txt), inferred, said by Alfred Penn.",
        "“The grey launch landed 40 cases at Lime Quay” (found exactly)",
        "What was read",
        "Nobody changed anything of this run.",
        "Documents read by: scripted",
    ):
        assert part in text


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ('plain <w:p> & "quoted"', 'plain <w:p> & "quoted"'),
        ("bell\x07 and null\x00", "bell\ufffd and null\ufffd"),
        ("turned \u202eround\u202c", "turned round"),
        ("half \ud800 a letter", "half \ufffd a letter"),
        ("كم دفعت الشركة؟", "كم دفعت الشركة؟"),
        ("two\nlines\tof it", "two lines of it"),
    ],
)
def test_any_words_are_shown_as_words(question: str, shown: str, whole: WholeRun) -> None:
    run = replace(whole.contents.run, task=Task(id="task-1", text=question))
    memo = memo_of(replace(whole, contents=replace(whole.contents, run=run)))
    with zipfile.ZipFile(io.BytesIO(memo)) as archive:
        for name in archive.namelist():
            etree.fromstring(archive.read(name))
    assert _read(memo).text.splitlines()[0] == shown


def test_a_question_written_from_the_right_is_set_from_the_right(whole: WholeRun) -> None:
    run = replace(whole.contents.run, task=Task(id="task-1", text="כמה שילמה החברה?"))
    with zipfile.ZipFile(io.BytesIO(memo_of(replace(whole, contents=replace(whole.contents, run=run))))) as archive:
        document = archive.read("word/document.xml").decode()
    assert '<w:pStyle w:val="Title"/><w:bidi/>' in document
    assert document.count("<w:bidi/>") == 1


def test_every_citation_has_a_footnote_of_its_own(whole: WholeRun) -> None:
    with zipfile.ZipFile(io.BytesIO(memo_of(whole))) as archive:
        document = archive.read("word/document.xml").decode()
        notes = archive.read("word/footnotes.xml").decode()
    assert whole.contents.answer is not None
    cites = sum(len(sentence.record_ids) for sentence in whole.contents.answer.sentences)
    assert document.count("<w:footnoteReference ") == cites == 6
    assert notes.count("<w:footnote ") == cites + 2


def test_a_memo_of_the_same_run_is_the_same_file(tmp_path: Path) -> None:
    project, run_id = finished_harbour(tmp_path)
    assert export_memo(project, run_id) == export_memo(project, run_id)
