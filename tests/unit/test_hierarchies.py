"""Records as a tree: every record under every value it has, nothing counted twice, nothing lost."""

from hypothesis import given
from hypothesis import strategies as st

from r3con_core.documents import Span
from r3con_core.evidence import Grounded, Match
from r3con_core.records import Certainty, Record, Value
from r3con_core.schemas import Field, Group, ListOf, RecordType, Scalar
from r3con_core.views.groupings import EMPTY
from r3con_core.views.hierarchies import MOST_BRANCHES, grow, levels_of

TYPE = RecordType(
    name="Landing",
    meaning="",
    fields=(
        Field(name="what", meaning="", kind=Scalar()),
        Field(
            name="goods", meaning="", kind=ListOf(item=Group(fields=(Field(name="kind", meaning="", kind=Scalar()),)))
        ),
    ),
)
NAMES = {"doc-1": "1 · Log", "doc-2": "2 · Letter"}


def landing(number: int, document: str = "doc-1", certainty: Certainty = Certainty.STATED, **values: Value) -> Record:
    quote = Grounded(quote="q", document_id=document, span=Span(start=0, end=1), match=Match.EXACT)
    return Record(
        id=f"rec-{number}", type="Landing", document_id=document, values=values, evidence=(quote,), certainty=certainty
    )


def test_fields_inside_lists_of_groups_are_levels_too() -> None:
    assert levels_of([TYPE]) == ("certainty", "said_by", "document", "quotes", "by hand", "what", "goods.kind")
    assert levels_of([TYPE, TYPE])[0] == "record type"


def test_a_record_stands_under_each_entry_of_its_list_and_is_one_record_above() -> None:
    records = [
        landing(1, goods=[{"kind": "tea"}, {"kind": "glass"}]),
        landing(2, goods=[{"kind": "tea"}, {"kind": "tea"}]),
        landing(3, "doc-2", goods=[]),
    ]
    tree = grow(records, ("document", "goods.kind"), NAMES)
    assert [(one.path, one.record_ids) for one in tree.walk()] == [
        ((), ("rec-1", "rec-2", "rec-3")),
        (("1 · Log",), ("rec-1", "rec-2")),
        (("1 · Log", "tea"), ("rec-1", "rec-2")),
        (("1 · Log", "glass"), ("rec-1",)),
        (("2 · Letter",), ("rec-3",)),
        (("2 · Letter", EMPTY), ("rec-3",)),
    ]


def test_the_smallest_of_many_branches_are_told_together() -> None:
    tree = grow([landing(at, what=str(at)) for at in range(MOST_BRANCHES + 5)], ("what",), NAMES)
    assert len(tree.branches) == MOST_BRANCHES
    assert (tree.branches[-1].name, tree.branches[-1].together, len(tree.branches[-1].record_ids)) == (
        "6 smaller ones",
        6,
        6,
    )


kinds = st.lists(st.sampled_from(["tea", "glass", "rope"]), max_size=3)


@given(st.lists(st.tuples(st.sampled_from(sorted(NAMES)), st.sampled_from(Certainty), kinds), max_size=8))
def test_the_branches_of_a_branch_hold_its_records_and_no_others(
    drawn: list[tuple[str, Certainty, list[str]]],
) -> None:
    records = [
        landing(at, document, certainty, goods=[{"kind": kind} for kind in those])
        for at, (document, certainty, those) in enumerate(drawn)
    ]
    for branch in grow(records, ("certainty", "goods.kind", "document"), NAMES).walk():
        assert len(set(branch.record_ids)) == len(branch.record_ids)
        if branch.branches:
            assert {i for one in branch.branches for i in one.record_ids} == set(branch.record_ids)
