"""Which records a step touched: what it named, and what it printed of them."""

from r3con_core.answers import Execution, Proposed, Step
from r3con_core.checks.touched import Touch, Touched, Touching
from r3con_core.documents import Span
from r3con_core.evidence import Grounded, Match
from r3con_core.records import Record, StructuredData, Value
from r3con_core.schemas import Field, RecordType, Scalar, ScalarType, Schema


def record(number: int, **values: Value) -> Record:
    quote = Grounded(quote="q", document_id="doc-1", span=Span(start=0, end=1), match=Match.EXACT)
    return Record(id=f"rec-{number}", type="Landing", document_id="doc-1", values=values, evidence=(quote,))


LAUNCH = Field(name="launch", meaning="", kind=Scalar(of=ScalarType.TEXT))
DATA = StructuredData(
    schema=Schema(record_types=(RecordType(name="Landing", meaning="", fields=(LAUNCH,)),)),
    records=(
        record(1, launch="Petrel", cases=1200, place="Lime Quay"),
        record(2, launch="Heron", cases=25, place="Lime Quay", parts=[{"mark": "NQ-7 grey"}]),
        record(3, launch="Ibis", cases=25, place="Lime Quay"),
        record(4, launch="Petrel", cases=25, place="Lime Quay", paid=True),
    ),
)


def touched(code: str = "", output: str = "", proposed: Proposed | None = None) -> list[tuple[str, Touch, str]]:
    step = Step(number=1, thought="", code=code, execution=Execution(output=output, proposed=proposed))
    return [(one.record_id, one.how, one.value) for one in Touching(data=DATA).by(step)]


def test_each_record_is_told_once_in_the_surest_way_it_shows() -> None:
    found = touched(
        code="drop = ['R3', 'R2']",
        output="R2 Heron\nR4",
        proposed=Proposed(text="It was the Petrel [R1].", cites=("R4", "R99")),
    )
    assert found == [
        ("rec-1", Touch.HANDED, ""),
        ("rec-4", Touch.HANDED, ""),
        ("rec-2", Touch.PRINTED, ""),
        ("rec-3", Touch.WRITTEN, ""),
    ]


def test_a_label_within_another_word_names_nothing() -> None:
    assert touched(output="NR1 R1a R11") == []


def test_a_value_that_few_records_have_points_to_them() -> None:
    assert touched(output="total  1,200 for the\nPETREL") == [
        ("rec-1", Touch.VALUE, "petrel"),
        ("rec-4", Touch.VALUE, "petrel"),
    ]
    assert touched(output="1200") == [("rec-1", Touch.VALUE, "1200")]
    assert touched(output="mark: nq-7 grey") == [("rec-2", Touch.VALUE, "nq-7 grey")]


def test_a_value_of_a_record_that_is_named_points_to_no_other() -> None:
    assert touched(output="R1 Petrel\nIbis") == [("rec-1", Touch.PRINTED, ""), ("rec-3", Touch.VALUE, "ibis")]


def test_a_value_that_many_have_or_that_is_short_or_within_a_word_points_to_none() -> None:
    assert touched(output="Lime Quay, 25 cases, True, Petrels, 12000") == []


def test_a_step_that_left_nothing_behind_touched_nothing_that_can_be_told() -> None:
    assert touched(code="for r in records['Landing']:\n    pass") == []


def test_what_is_told_of_a_record_is_a_value() -> None:
    assert Touching(data=DATA).by(Step(number=1, thought="", code="", execution=Execution(output="Heron"))) == (
        Touched(record_id="rec-2", how=Touch.VALUE, value="heron"),
    )
