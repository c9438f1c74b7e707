"""Documents, parts and the counting of tokens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r3con_core.documents import Corpus, Span, estimate_tokens, read_part, split_into_parts
from tests.fakes import text_document


@given(st.text(min_size=1, max_size=2000), st.integers(10, 200))
def test_parts_follow_each_other_without_gap_or_overlap(text: str, tokens: int) -> None:
    document = text_document(text)
    parts = split_into_parts(document, tokens=tokens)
    assert "".join(read_part(document, part) for part in parts) == text
    assert [part.number for part in parts] == list(range(1, len(parts) + 1))
    assert all(
        estimate_tokens(read_part(document, part)) <= tokens or part.span.end - part.span.start == 1 for part in parts
    )


def test_a_document_is_cut_between_paragraphs_where_it_can() -> None:
    document = text_document("First paragraph, some words.\n\nSecond paragraph, some words.")
    first, second = split_into_parts(document, tokens=10)[:2]
    assert read_part(document, first).endswith("\n\n")
    assert read_part(document, second).startswith("Second")


def test_a_short_document_has_one_part_and_an_empty_one_none() -> None:
    assert len(split_into_parts(text_document("Short."), tokens=100)) == 1
    assert split_into_parts(text_document(""), tokens=100) == ()


def test_the_order_of_a_corpus_numbers_its_documents() -> None:
    first, second = text_document("one", path="a"), text_document("two", path="b")
    corpus = Corpus(documents=(first, second))
    assert (corpus.number(second.id), corpus.get(second.id), second.id in corpus) == (2, second, True)


def test_a_corpus_holds_each_document_once() -> None:
    with pytest.raises(ValueError, match="once"):
        Corpus(documents=(text_document("one"), text_document("one")))


def test_the_same_file_loaded_twice_is_the_same_document() -> None:
    assert text_document("one").id == text_document("one").id
    assert text_document("one").id != text_document("one", path="other.txt").id


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (3, 3), (5, 2)])
def test_a_span_that_holds_nothing_cannot_be_made(start: int, end: int) -> None:
    with pytest.raises(ValueError, match="a span needs"):
        Span(start=start, end=end)
