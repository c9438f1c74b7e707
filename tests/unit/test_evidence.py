"""A located quote is what the document says, and what no document says is not located."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r3con_core.documents import Span
from r3con_core.evidence import Grounded, Match, Misplaced, Ungrounded, locate
from tests.fakes import text_document

TEXT = (
    "The \u201cgrey launch\u201d landed 40 cases\u00a0at Lime Quay.\nThe har-\nbour master was paid 12 pounds on 21 March 1931, "
    "and he _never_ said why. The of\ufb01ce was dark."
)


@pytest.mark.parametrize(
    ("quote", "match", "words"),
    [
        ("landed 40 cases", Match.EXACT, "landed 40 cases"),
        ('The "grey launch" landed 40 cases at Lime Quay.', Match.NORMALISED, None),
        ("The harbour master was paid 12 pounds", Match.NORMALISED, "The har-\nbour master was paid 12 pounds"),
        ("he never said why", Match.NORMALISED, "he _never_ said why"),
        ("The office was dark", Match.NORMALISED, "The of\ufb01ce was dark"),
        ("the harbour master was payed 12 pounds on 21 March 1931", Match.NEAR, None),
    ],
)
def test_quotes_are_found_for_all_their_typography(quote: str, match: Match, words: str | None) -> None:
    document = text_document(TEXT)
    found = locate(quote, document)
    assert isinstance(found, Grounded)
    assert found.match is match
    if words:
        assert document.text[found.span.start : found.span.end] == words


@pytest.mark.parametrize(
    "quote",
    [
        "The harbour master was paid 13 pounds on 21 March 1931",
        "The harbour master was never paid anything by anyone at all",
        "",
        "   ",
        "xyz",
    ],
)
def test_what_the_document_does_not_say_is_not_found(quote: str) -> None:
    assert isinstance(locate(quote, text_document(TEXT)), Ungrounded)


def test_a_quote_of_another_document_is_said_to_be_there() -> None:
    mine, other = text_document("Nothing here.", path="a"), text_document(TEXT, path="b")
    found = locate("landed 40 cases", mine, [mine, other])
    assert isinstance(found, Misplaced)
    assert found.found.document_id == other.id


def test_a_repeated_quote_is_found_in_the_part_that_was_read() -> None:
    document = text_document("paid 5 pounds. " * 3)
    found = locate("paid 5 pounds", document, within=Span(start=20, end=45))
    assert isinstance(found, Grounded)
    assert found.span == Span(start=30, end=43)


@given(st.text(max_size=300), st.data())
def test_a_located_quote_is_what_the_document_says(text: str, data: st.DataObject) -> None:
    document = text_document(text)
    start = data.draw(st.integers(0, len(text)))
    quote = text[start : data.draw(st.integers(start, len(text)))]
    match locate(quote, document):
        case Grounded(span=span, match=Match.EXACT):
            assert text[span.start : span.end] == quote.strip()
        case Grounded(span=span):
            assert 0 <= span.start < span.end <= len(text)
        case Ungrounded():
            assert quote.strip() not in text or not quote.strip()
        case Misplaced():
            raise AssertionError("there is no other document")


@given(st.text(max_size=200), st.text(max_size=60))
def test_any_quote_gets_an_answer_with_a_place_inside_the_text(text: str, quote: str) -> None:
    found = locate(quote, text_document(text))
    if isinstance(found, Grounded):
        assert found.span.end <= len(text)
