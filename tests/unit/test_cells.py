"""Where each value of a record stands."""

from dataclasses import replace

import pytest

from r3con_core.checks.cells import CellState, cells_of
from r3con_core.evidence import Ungrounded, locate
from r3con_core.records import Record, Value
from r3con_core.schemas import Choice, Field, Group, ListOf, RecordType, Scalar, ScalarType
from r3con_core.snippets import Author
from tests.fakes import text_document

LETTER = text_document("The Petrel landed forty cases at Rye on 4 March 1931. Josiah Venn, owner of the Heron, saw it.")
LANDING = RecordType(
    name="Landing",
    meaning="one landing",
    fields=(
        Field(name="launch", meaning="", kind=Scalar()),
        Field(name="cases", meaning="", kind=Scalar(of=ScalarType.INTEGER)),
        Field(name="day", meaning="", kind=Scalar(of=ScalarType.DATE)),
        Field(name="by_night", meaning="", kind=Scalar(of=ScalarType.YES_NO)),
        Field(name="how", meaning="", kind=Choice(options=("open", "secret"))),
        Field(name="seen_by", meaning="", kind=ListOf(item=Scalar())),
        Field(
            name="goods",
            meaning="",
            kind=ListOf(
                item=Group(
                    fields=(Field(name="what", meaning="", kind=Scalar()), Field(name="of", meaning="", kind=Scalar()))
                )
            ),
        ),
    ),
)
VALUES: dict[str, Value] = {
    "launch": "Petrel",
    "cases": 40,
    "day": "1931-03-04",
    "by_night": True,
    "how": "secret",
    "seen_by": ["Josiah Venn", "Doran"],
    "goods": [{"what": "tea", "of": None}],
}
QUOTES = ("The Petrel landed forty cases at Rye", "4 March 1931")


def landing(**changes: object) -> Record:
    record = Record(
        id="rec-1",
        type="Landing",
        document_id=LETTER.id,
        values=VALUES,
        evidence=tuple(locate(quote, LETTER) for quote in QUOTES),
        unsupported=("seen_by.1", "goods.0.what"),
    )
    return replace(record, **changes)  # type: ignore[arg-type]


def states(record: Record) -> dict[str, tuple[CellState, int | None]]:
    return {cell.name: (cell.state, cell.quote) for cell in cells_of(record, LANDING)}


def test_every_value_says_in_which_quote_it_stands_or_where_else() -> None:
    assert states(landing()) == {
        "launch": (CellState.QUOTED, 0),
        "cases": (CellState.QUOTED, 0),
        "day": (CellState.QUOTED, 1),
        "by_night": (CellState.CHOICE, None),
        "how": (CellState.CHOICE, None),
        "seen_by.0": (CellState.DOCUMENT, None),
        "seen_by.1": (CellState.NOWHERE, None),
        "goods.0.what": (CellState.NOWHERE, None),
        "goods.0.of": (CellState.EMPTY, None),
    }


def test_a_quote_that_was_not_found_holds_no_value() -> None:
    (quote, _) = QUOTES
    lost = Ungrounded(quote=quote, document_id=LETTER.id)
    assert states(landing(evidence=(lost,)))["launch"] == (CellState.DOCUMENT, None)


def test_a_value_that_a_person_gave_says_so_and_still_where_it_stands() -> None:
    told = states(landing(changed=("launch", "goods")))
    assert told["launch"] == (CellState.PERSON, 0)
    assert told["goods.0.what"] == (CellState.PERSON, None)
    assert told["cases"] == (CellState.QUOTED, 0)


def test_all_values_of_a_record_that_a_person_added_are_that_persons() -> None:
    told = states(landing(author=Author.HUMAN))
    assert {state for state, _ in told.values()} == {CellState.PERSON, CellState.EMPTY}


def test_a_name_that_is_read_otherwise_is_looked_for_as_it_was_written() -> None:
    renamed = landing(values={**VALUES, "launch": "Storm Bird"}, changed=("launch",))
    (cell, *_) = cells_of(renamed, LANDING, {"launch": "Petrel"})
    assert (cell.value, cell.written, cell.state, cell.quote) == ("Storm Bird", "Petrel", CellState.PERSON, 0)


@pytest.mark.parametrize("empty", [None, []])
def test_a_list_without_entries_is_one_empty_cell(empty: Value) -> None:
    assert states(landing(values={**VALUES, "goods": empty}))["goods"] == (CellState.EMPTY, None)
