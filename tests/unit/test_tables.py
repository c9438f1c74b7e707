"""Records as tables: flat cells, how well each is proved, search, and cells that no spreadsheet computes."""

import pytest
from hypothesis import given

from r3con_core.documents import Span
from r3con_core.evidence import Evidence, Grounded, Match, Misplaced, Ungrounded
from r3con_core.records import Certainty, Record, StructuredData, Value
from r3con_core.schemas import Field, RecordType, Scalar, Schema
from r3con_core.views.table_search import Search, find_rows
from r3con_core.views.tables import Cell, Proof, Table, csv_cell, flat, proof_of, table_of, weakest_proof
from tests import strategies

SCHEMA = Schema(
    record_types=(
        RecordType(
            name="Landing",
            meaning="one landing",
            fields=tuple(Field(name=name, meaning="", kind=Scalar()) for name in ("what", "cases")),
        ),
        RecordType(name="Launch", meaning="one launch", fields=(Field(name="name", meaning="", kind=Scalar()),)),
    )
)


def grounded(match: Match = Match.EXACT, quote: str = "landed 40 cases") -> Grounded:
    return Grounded(quote=quote, document_id="doc-1", span=Span(start=0, end=5), match=match)


MISPLACED = Misplaced(quote="q", document_id="doc-1", found=grounded())
UNGROUNDED = Ungrounded(quote="no such words", document_id="doc-1")


def landing(identity: str, *evidence: Evidence, certainty: Certainty = Certainty.STATED, **values: Value) -> Record:
    return Record(
        id=identity,
        type="Landing",
        document_id="doc-1",
        values={"what": "a landing", **values},
        evidence=evidence or (grounded(),),
        said_by="Alfred Penn",
        certainty=certainty,
    )


@pytest.mark.parametrize(
    ("evidence", "proof"),
    [
        (grounded(Match.EXACT), Proof.EXACT),
        (grounded(Match.NORMALISED), Proof.EXACT),
        (grounded(Match.NEAR), Proof.NEAR),
        (MISPLACED, Proof.ELSEWHERE),
        (UNGROUNDED, Proof.MISSING),
    ],
)
def test_each_kind_of_evidence_has_its_word(evidence: Evidence, proof: Proof) -> None:
    assert proof_of(evidence) is proof


def test_a_record_is_as_well_proved_as_its_weakest_quote() -> None:
    assert weakest_proof(landing("a", grounded(), MISPLACED, grounded(Match.NEAR))) is Proof.ELSEWHERE


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (None, None),
        (True, True),
        (40, 40),
        (["tea", None, 3], "tea; ; 3"),
        ([9.0, 1.5, -0.0], "9; 1.5; 0"),
        ({"colour": "grey", "funnel": None, "sails": 0}, "colour: grey, sails: 0"),
        ([{"kind": "tea", "cases": 2}, {"kind": "lamp"}], "(kind: tea, cases: 2); (kind: lamp)"),
        ({"marks": {"colour": "grey", "afloat": True}}, "marks: colour: grey, afloat: yes"),
    ],
)
def test_values_of_any_depth_fit_one_cell(value: Value, cell: Cell) -> None:
    assert flat(value) == cell


@given(strategies.values)
def test_every_value_has_a_flat_cell(value: Value) -> None:
    assert not isinstance(flat(value), list | dict)


def table() -> Table:
    records = (
        landing("a", cases=40),
        Record(id="b", type="Launch", document_id="doc-1", values={"name": "Petrel"}, evidence=(grounded(),)),
        landing("c", UNGROUNDED, certainty=Certainty.ALLEGED, what="an Unloading", cases=None),
    )
    return table_of(StructuredData(schema=SCHEMA, records=records), "Landing", {"doc-1": 7})


def test_a_table_holds_the_records_of_one_type_with_their_labels() -> None:
    found = table()
    assert found.columns == ("what", "cases")
    assert [(row.label, row.document, row.set_aside, dict(row.cells)) for row in found.rows] == [
        ("R1", 7, False, {"what": "a landing", "cases": 40}),
        ("R3", 7, True, {"what": "an Unloading", "cases": None}),
    ]


@pytest.mark.parametrize(
    ("search", "labels"),
    [
        (Search(), ["R1", "R3"]),
        (Search(words="unloading PENN"), ["R3"]),
        (Search(words="landed 40"), ["R1"]),
        (Search(words="r3"), ["R3"]),
        (Search(words="zeppelin"), []),
        (Search(proofs=frozenset({Proof.MISSING})), ["R3"]),
        (Search(certainties=frozenset({Certainty.STATED})), ["R1"]),
        (Search(documents=frozenset({7})), ["R1", "R3"]),
        (Search(documents=frozenset({8})), []),
        (Search(only_set_aside=True), ["R3"]),
    ],
)
def test_a_search_keeps_what_it_names(search: Search, labels: list[str]) -> None:
    assert [row.label for row in find_rows(table(), search)] == labels


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"])
def test_no_cell_of_a_csv_file_is_a_formula(start: str) -> None:
    assert csv_cell(f"{start}1+1") == f"'{start}1+1"


@pytest.mark.parametrize(("value", "cell"), [(None, ""), (True, "yes"), (False, "no"), (-5, -5), ("a=b", "a=b")])
def test_other_cells_of_a_csv_file_are_as_they_are(value: object, cell: object) -> None:
    assert csv_cell(value) == cell
