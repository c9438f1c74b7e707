"""What people change of records, laid over what a model said: nothing is lost, everything can be taken back."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r3con_core.changes import (
    AddRecord,
    Correction,
    CorrectRecord,
    Entry,
    KeepApart,
    MergeNames,
    MergeRecords,
    RejectRecord,
    SplitRecord,
)
from r3con_core.corrections.applying import GONE, NO_NAME, NO_TYPE, SAID, TAKEN, Corrected, apply_corrections
from r3con_core.corrections.carrying import Carried
from r3con_core.corrections.making import Place, Said, add_record, correct_record, merge_records, split_record
from r3con_core.documents import Document
from r3con_core.errors import CorrectionError
from r3con_core.evidence import Evidence, Grounded, Match, Misplaced, Ungrounded, locate
from r3con_core.records import Certainty, Record, Standing, StructuredData, Value, record_id
from r3con_core.schemas import Field, ListOf, RecordType, Reference, Scalar, ScalarType, Schema
from r3con_core.snippets import Author
from tests.fakes import text_document

PAYMENT = RecordType(
    name="Payment",
    meaning="one payment",
    fields=(
        Field(name="title", meaning="", kind=Scalar()),
        Field(name="payer", meaning="", kind=Reference(record_type="Party")),
        Field(name="euros", meaning="", kind=Scalar(of=ScalarType.NUMBER)),
        Field(name="shared_with", meaning="", kind=ListOf(item=Reference(record_type="Party"))),
    ),
)
PARTY = RecordType(
    name="Party",
    meaning="one party",
    fields=(Field(name="name", meaning="", kind=Scalar()), Field(name="town", meaning="", kind=Scalar())),
)
SCHEMA = Schema(record_types=(PAYMENT, PARTY))
LEDGER = text_document("Feldbau paid 18,000 euros in April.\nFeldbau Ltd paid 12,400 euros in May.\nMr Koster saw it.")
LETTER = text_document("The firm of Feldbau Limited is in Brenmark. Two sums of 500 and 700 were paid by Koster.")


def record(document: Document, quote: str, kind: str, **values: Value) -> Record:
    full = {field.name: values.get(field.name) for field in SCHEMA.get(kind).fields}
    return Record(
        id=record_id(record_type=kind, document_id=document.id, values=full, quotes=[quote]),
        type=kind,
        document_id=document.id,
        values=full,
        evidence=(locate(quote, document),),
    )


APRIL = record(LEDGER, "Feldbau paid 18,000 euros in April.", "Payment", title="April", payer="Feldbau", euros=18000)
MAY = record(LEDGER, "Feldbau Ltd paid 12,400 euros in May.", "Payment", title="May", payer="Feldbau Ltd", euros=12400)
FIRM = record(LETTER, "The firm of Feldbau Limited is in Brenmark.", "Party", name="Feldbau Limited", town="Brenmark")
SUMS = record(
    LETTER, "Two sums of 500 and 700 were paid by Koster.", "Payment", title="sums", payer="Koster", euros=500
)
DATA = StructuredData(schema=SCHEMA, records=(APRIL, MAY, FIRM, SUMS))


def entries(*changes: Correction, undone: Sequence[int] = ()) -> list[Entry]:
    return [
        Entry(
            number=number,
            run_id="run-1",
            change=change,
            author="editor",
            note="",
            made="2026-01-01",
            schema_version=1,
            undone="2026-01-02" if number in undone else "",
        )
        for number, change in enumerate(changes, start=1)
    ]


def corrected(*changes: Correction, undone: Sequence[int] = ()) -> Corrected:
    return apply_corrections(DATA, entries(*changes, undone=undone))


def place_of(one: Record, *others: Document) -> Place:
    document = LEDGER if one.document_id == LEDGER.id else LETTER
    return Place(record_type=SCHEMA.get(one.type), document=document, others=others)


def edit(
    one: Record, *, quotes: tuple[str, ...] = (), certainty: Certainty = Certainty.STATED, **values: Value
) -> CorrectRecord:
    kept = tuple(evidence.quote for evidence in one.evidence)
    said = Said(values={**one.values, **values}, quotes=(*kept, *quotes), certainty=certainty)
    change = correct_record(one, said, place_of(one, LEDGER, LETTER))
    assert change is not None
    return change


def party(name: str, town: str | None = None) -> AddRecord:
    said = Said(values={"name": name, "town": town})
    return add_record(said, Place(record_type=PARTY, document=LETTER))


def test_an_edit_changes_the_record_in_its_place_and_names_its_fields() -> None:
    now = corrected(edit(MAY, euros=12500.0, certainty=Certainty.ALLEGED)).data.records
    assert [one.id for one in now] == [one.id for one in DATA.records]
    assert now[1] == replace(
        MAY,
        values={**MAY.values, "euros": 12500.0},
        certainty=Certainty.ALLEGED,
        changed=("euros", "certainty"),
        unsupported=("euros",),
    )


def test_an_edit_that_says_what_the_record_says_is_no_change() -> None:
    said = Said(values=MAY.values, quotes=(MAY.evidence[0].quote,))
    assert correct_record(MAY, said, place_of(MAY)) is None


def test_a_quote_given_by_a_person_is_looked_for_and_its_place_kept() -> None:
    now = edit(MAY, quotes=("Mr Koster saw it", "in Brenmark", "never written")).now
    assert [type(one) for one in now.evidence] == [Grounded, Grounded, Misplaced, Ungrounded]
    (found,) = [one for one in now.evidence if one.quote == "Mr Koster saw it"]
    assert isinstance(found, Grounded)
    assert LEDGER.text[found.span.start : found.span.end] == "Mr Koster saw it"


def test_a_value_of_another_kind_is_refused() -> None:
    with pytest.raises(CorrectionError, match="euros is not of its kind"):
        edit(MAY, euros="many")


def test_two_edits_of_different_fields_do_not_disturb_each_other_when_the_first_is_taken_back() -> None:
    first = edit(MAY, euros=99.0)
    second = edit(first.now, title="Maytime")
    assert corrected(first, second, undone=[1]).data.records[1].values == {**MAY.values, "title": "Maytime"}


def test_a_rejected_record_keeps_its_place_and_does_not_count() -> None:
    now = corrected(RejectRecord(of=APRIL)).data
    assert now.records[0] == replace(APRIL, standing=Standing.REJECTED)
    assert not now.records[0].counts
    assert now.label(MAY.id) == DATA.label(MAY.id)


def test_an_added_record_comes_last_counts_and_is_never_verified_without_a_quote() -> None:
    now = corrected(party("Vind"), party("Sand")).data.records
    assert [one.values["name"] for one in now[4:]] == ["Vind", "Sand"]
    assert now[4].author is Author.HUMAN
    assert now[4].counts
    assert not now[4].verified


def test_an_added_record_that_a_model_gives_too_is_not_counted_twice() -> None:
    said = Said(values=MAY.values, quotes=(MAY.evidence[0].quote,))
    change = add_record(said, place_of(MAY))
    assert [one.reason for one in corrected(change).lost] == [SAID]
    assert corrected(RejectRecord(of=MAY), change).data.records[4].values == MAY.values


def test_merged_records_are_one_with_the_quotes_of_all() -> None:
    said = Said(values={**APRIL.values, "euros": 30400.0})
    change = merge_records([APRIL, MAY], said, place_of(APRIL), [])
    now = corrected(change).data.records
    assert [one.standing for one in now] == [Standing.KEPT, Standing.MERGED, Standing.KEPT, Standing.KEPT]
    assert now[0].evidence == (*APRIL.evidence, *MAY.evidence)
    assert now[0].changed == ("euros",)
    assert now[0].unsupported == ("euros",)


def test_a_split_record_counts_no_more_and_its_parts_come_last_with_its_place() -> None:
    quote = SUMS.evidence[0].quote
    parts = [Said(values={**SUMS.values, "euros": sum_}, quotes=(quote,)) for sum_ in (500, 700)]
    now = corrected(split_record(SUMS, parts, place_of(SUMS))).data.records
    assert now[3].standing is Standing.SPLIT
    assert [one.values["euros"] for one in now[4:]] == [500, 700]
    assert [one.evidence for one in now[4:]] == [SUMS.evidence] * 2
    assert [one.unsupported for one in now[4:]] == [()] * 2


def test_a_record_cannot_be_split_into_equal_parts() -> None:
    part = Said(values=SUMS.values, quotes=(SUMS.evidence[0].quote,))
    with pytest.raises(CorrectionError, match="say the same"):
        split_record(SUMS, [part, part], place_of(SUMS))


def test_a_merged_name_is_read_everywhere_and_what_documents_wrote_is_kept() -> None:
    shared = replace(MAY, values={**MAY.values, "shared_with": ["Koster", "feldbau"]})
    data = StructuredData(schema=SCHEMA, records=(APRIL, shared, FIRM, SUMS))
    names = MergeNames(record_type="Party", names=("Feldbau", "Feldbau Limited"), name="Feldbau Ltd")
    now = apply_corrections(data, entries(names))
    assert now.data.records[0].values["payer"] == "Feldbau Ltd"
    assert now.data.records[1].values["shared_with"] == ["Koster", "Feldbau Ltd"]
    assert now.data.records[2].values["name"] == "Feldbau Ltd"
    assert now.data.records[2].changed == ("name",)
    assert now.written == {
        APRIL.id: {"payer": "Feldbau"},
        MAY.id: {"shared_with.1": "feldbau"},
        FIRM.id: {"name": "Feldbau Limited"},
    }


def test_names_merged_in_two_changes_are_one_whichever_came_first() -> None:
    first = MergeNames(record_type="Party", names=("Feldbau", "Feldbau Ltd"), name="Feldbau Ltd")
    second = MergeNames(record_type="Party", names=("Feldbau Ltd", "Feldbau Limited"), name="Feldbau Limited")
    for pair in ((first, second), (second, first)):
        now = corrected(*pair).data.records
        assert {now[0].values["payer"], now[1].values["payer"], now[2].values["name"]} == {pair[1].name}


def test_a_name_of_another_record_type_is_not_touched() -> None:
    now = corrected(MergeNames(record_type="Payment", names=("April", "Feldbau"), name="Spring"))
    assert now.data.records[0].values == {**APRIL.values, "title": "Spring"}


def test_a_correction_finds_its_record_again_when_the_document_was_parsed_anew() -> None:
    quote = "18,000 euros in April"
    again = record(LEDGER, quote, "Payment", title="April", payer="Feldbau Ltd", euros=18000)
    assert again.id != APRIL.id
    data = StructuredData(schema=SCHEMA, records=(again, MAY))
    now = apply_corrections(data, entries(edit(APRIL, title="first")))
    assert now.lost == ()
    assert now.data.records[0].values == {**again.values, "title": "first"}
    assert [entry.number for entry in now.by_record[again.id]] == [1]


def test_a_correction_whose_record_is_gone_is_kept_as_lost() -> None:
    now = apply_corrections(StructuredData(schema=SCHEMA, records=(MAY,)), entries(edit(APRIL, title="first")))
    assert [(one.entry.number, one.reason) for one in now.lost] == [(1, GONE)]
    assert now.data.records == (MAY,)


def test_a_correction_is_not_laid_over_one_of_two_records_that_fit_equally_well() -> None:
    one = record(LEDGER, "18,000 euros", "Payment", title="April", payer="A", euros=1)
    other = record(LEDGER, "euros in April", "Payment", title="April", payer="B", euros=2)
    data = StructuredData(schema=SCHEMA, records=(one, other))
    now = apply_corrections(data, entries(RejectRecord(of=APRIL)))
    assert [lost.reason for lost in now.lost] == [GONE]
    assert now.data.records == (one, other)


def test_a_correction_never_moves_to_a_record_that_another_correction_names() -> None:
    twin = record(LEDGER, APRIL.evidence[0].quote, "Payment", title="April", payer="Feldbau", euros=18)
    data = StructuredData(schema=SCHEMA, records=(twin,))
    now = apply_corrections(data, entries(RejectRecord(of=APRIL), edit(twin, title="kept")))
    assert [lost.entry.number for lost in now.lost] == [1]
    assert now.data.records[0].standing is Standing.KEPT


def test_changes_that_no_longer_fit_say_why() -> None:
    merge = merge_records([APRIL, MAY], Said(values=APRIL.values), place_of(APRIL), [])
    now = corrected(merge, RejectRecord(of=MAY), MergeNames(record_type="Party", names=("X", "Y"), name="X"))
    assert [(one.entry.number, one.reason) for one in now.lost] == [(2, TAKEN), (3, NO_NAME)]
    gone = replace(MAY, type="Invoice")
    assert [one.reason for one in corrected(RejectRecord(of=gone)).lost] == [NO_TYPE]


def test_values_under_names_that_the_schema_has_no_more_are_left_out_and_said() -> None:
    older = replace(APRIL, values={**APRIL.values, "invoice": "SL-1"})
    change = CorrectRecord(of=APRIL, now=replace(older, values={**older.values, "title": "first"}))
    now = corrected(change)
    assert now.left_out == {1: ("invoice",)}
    assert now.data.records[0].values == {**APRIL.values, "title": "first"}


def test_a_change_made_under_an_earlier_version_is_carried_before_it_is_applied() -> None:
    def carry(change: Correction, version: int) -> Carried:
        assert version == 1
        assert isinstance(change, MergeNames)
        return Carried(change=replace(change, record_type="Party"), left_out=("old",))

    made = MergeNames(record_type="Firm", names=("Feldbau", "Feldbau Ltd"), name="Feldbau Ltd")
    now = apply_corrections(DATA, entries(made), carry)
    assert now.data.records[0].values["payer"] == "Feldbau Ltd"
    assert now.left_out == {1: ("old",)}


def _parts(one: Record) -> Correction:
    quote = tuple(evidence.quote for evidence in one.evidence)
    first = one.type == "Payment"
    name = "title" if first else "name"
    parts = [Said(values={**one.values, name: f"{one.values[name]} {part}"}, quotes=quote) for part in "ab"]
    return split_record(one, parts, place_of(one))


def _spelt(one: Record, name: str) -> Correction:
    return edit(one, title=name) if one.type == "Payment" else edit(one, name=name)


pool = st.sampled_from(DATA.records)
new_names = st.sampled_from(["Koster", "Feldbau", "Feldbau Ltd", "Vind"])
corrections: st.SearchStrategy[Correction] = st.one_of(
    st.builds(_spelt, pool, new_names.map(lambda name: f"{name} anew")),
    st.builds(lambda one: RejectRecord(of=one), pool),
    st.builds(party, new_names, st.none() | st.just("Brenmark")),
    st.builds(_parts, pool),
    st.permutations([APRIL, MAY, SUMS]).map(
        lambda three: merge_records(three[:2], Said(values=three[0].values), place_of(three[0]), [LETTER.text])
    ),
    st.lists(new_names, min_size=2, max_size=3, unique=True).map(
        lambda some: MergeNames(record_type="Party", names=tuple(some), name=some[0])
    ),
    st.lists(new_names, min_size=2, max_size=2, unique=True).map(
        lambda some: KeepApart(record_type="Party", names=tuple(some))
    ),
)
sequences = st.lists(corrections, max_size=8)


@given(sequences, st.sets(st.integers(1, 8)))
def test_what_is_taken_back_leaves_what_the_others_make_of_the_data(
    changes: list[Correction], undone: set[int]
) -> None:
    kept = [entry for entry in entries(*changes, undone=sorted(undone)) if entry.counts]
    now = corrected(*changes, undone=sorted(undone))
    afresh = apply_corrections(DATA, kept)
    assert (now.data.records, now.lost, now.written) == (afresh.data.records, afresh.lost, afresh.written)


@given(sequences)
def test_all_taken_back_is_the_models_data_and_no_change_moves_a_record(changes: list[Correction]) -> None:
    everything = range(1, len(changes) + 1)
    assert corrected(*changes, undone=everything).data.records == DATA.records
    now = corrected(*changes).data
    assert [(one.id, one.type, one.document_id) for one in now.records[: len(DATA.records)]] == [
        (one.id, one.type, one.document_id) for one in DATA.records
    ]
    assert [now.label(one.id) for one in DATA.records] == [DATA.label(one.id) for one in DATA.records]


@given(sequences)
def test_every_change_is_applied_or_said_to_be_lost(changes: list[Correction]) -> None:
    now = corrected(*changes)
    lost = {one.entry.number for one in now.lost}
    told = {entry.number for some in now.by_record.values() for entry in some}
    names = {number for number, one in enumerate(changes, start=1) if isinstance(one, MergeNames | KeepApart)}
    assert lost | told | names == set(range(1, len(changes) + 1))
    assert len({one.id for one in now.data.records}) == len(now.data.records)


@given(st.lists(corrections, min_size=2, max_size=2))
def test_changes_of_different_records_give_the_same_in_either_order(pair: list[Correction]) -> None:
    one, other = (set(_concerned(change)) for change in pair)
    if one & other or all(isinstance(change, MergeNames) for change in pair):
        return
    there, back = corrected(*pair).data.records, corrected(*reversed(pair)).data.records
    assert sorted(there, key=lambda found: found.id) == sorted(back, key=lambda found: found.id)
    assert there[:4] == back[:4]


def _concerned(change: Correction) -> list[str]:
    match change:
        case CorrectRecord(of=of) | RejectRecord(of=of) | SplitRecord(of=of):
            return [of.id]
        case MergeRecords(of=several):
            return [one.id for one in several]
        case AddRecord(record=added):
            return [added.id]
        case _:
            return []


def test_a_place_that_was_found_stays_the_place_after_a_merge_of_documents() -> None:
    change = merge_records([APRIL, SUMS], Said(values=APRIL.values), place_of(APRIL), [LETTER.text])
    found: tuple[Evidence, ...] = corrected(change).data.records[0].evidence
    assert [(one.document_id, isinstance(one, Grounded) and one.match) for one in found] == [
        (LEDGER.id, Match.EXACT),
        (LETTER.id, Match.EXACT),
    ]
