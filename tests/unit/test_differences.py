"""What changed between two texts, word by word."""

from hypothesis import given
from hypothesis import strategies as st

from r3con_core.differences import Piece, compare, find_terms, lay_marks
from r3con_core.documents import Span


def words(text: str, spans: tuple[Span, ...]) -> list[str]:
    return [text[span.start : span.end] for span in spans]


def test_only_the_changed_words_are_marked_on_each_side() -> None:
    before = "A launch landed 25 cases at Lime Quay in the night of 19 March."
    after = "The Petrel landed 25 cases at Lime Quay in the night of 19 March, as the log shows."
    difference = compare(before, after)
    assert words(before, difference.removed) == ["A launch"]
    assert words(after, difference.added) == ["The Petrel", ", as the log shows"]


def test_equal_texts_differ_nowhere_even_when_blanks_do() -> None:
    assert compare("one  two\nthree", "one two three").added == ()
    assert compare("one  two\nthree", "one two three").removed == ()


def test_words_that_stay_by_chance_between_changes_are_marked_with_them() -> None:
    before, after = "alpha beta the gamma delta", "one two the three four"
    difference = compare(before, after)
    assert words(before, difference.removed) == [before]
    assert words(after, difference.added) == [after]


def test_an_empty_text_becomes_all_new() -> None:
    assert words("all of it", compare("", "all of it").added) == ["all of it"]
    assert words("all of it", compare("all of it", "").removed) == ["all of it"]


def test_terms_are_found_as_whole_words_and_longest_first() -> None:
    text = "Quay 4 and Lime Quay 40, not Quayside"
    assert words(text, find_terms(text, ["Quay", "Lime Quay", "4"])) == ["Quay", "4", "Lime Quay"]
    assert find_terms(text, []) == ()


def test_marks_that_overlap_share_a_piece() -> None:
    marks = {"added": (Span(start=0, end=7),), "foreign": (Span(start=4, end=10),)}
    assert lay_marks("the Petrel went", marks) == (
        Piece(text="the ", marks=("added",)),
        Piece(text="Pet", marks=("added", "foreign")),
        Piece(text="rel", marks=("foreign",)),
        Piece(text=" went"),
    )
    assert lay_marks("", {}) == ()


@given(st.text(max_size=60), st.text(max_size=60))
def test_pieces_join_to_the_text_and_what_is_unmarked_is_the_same_words(before: str, after: str) -> None:
    difference = compare(before, after)
    pieces = lay_marks(after, {"added": difference.added})
    assert "".join(piece.text for piece in pieces) == after
    kept_before = lay_marks(before, {"removed": difference.removed})
    stayed = ["".join("".join(p.text for p in side if not p.marks).split()) for side in (kept_before, pieces)]
    assert stayed[0] == stayed[1]
