"""Which documents an answer stands on, which it leaves out, and which could not be read."""

from r3con_core.answers import Answer, Mode, Sentence
from r3con_core.documents import Span
from r3con_core.evidence import Grounded, Match
from r3con_core.records import Record, StructuredData
from r3con_core.schemas import Field, RecordType, Scalar, Schema
from r3con_core.views.support import Part, support_of

SCHEMA = Schema(
    record_types=(RecordType(name="Landing", meaning="", fields=(Field(name="what", meaning="", kind=Scalar()),)),)
)


def record(identity: str, document: str) -> Record:
    quote = Grounded(quote="q", document_id=document, span=Span(start=0, end=1), match=Match.EXACT)
    return Record(id=identity, type="Landing", document_id=document, values={"what": "x"}, evidence=(quote,))


def test_documents_are_told_by_what_the_answer_makes_of_them() -> None:
    data = StructuredData(
        schema=SCHEMA, records=(record("a", "d2"), record("b", "d2"), record("c", "d1"), record("d", "d5"))
    )
    sentences = (
        Sentence(text="One. ", record_ids=("a", "b", "a")),
        Sentence(text="Two. ", record_ids=()),
        Sentence(text="Three.", record_ids=("a", "gone", "c")),
    )
    answer = Answer(text="One. Two. Three.", sentences=sentences, mode=Mode.CODING)
    told = support_of(data, answer, ("d1", "d2", "d3", "d4", "d5"), {"d4", "d5"})
    assert [(one.document_id, one.part, one.records, dict(one.cited), one.citations) for one in told] == [
        ("d2", Part.CITED, 2, {1: 2, 3: 1}, 3),
        ("d1", Part.CITED, 1, {3: 1}, 1),
        ("d5", Part.NOT_CITED, 1, {}, 0),
        ("d3", Part.SILENT, 0, {}, 0),
        ("d4", Part.UNREAD, 0, {}, 0),
    ]
