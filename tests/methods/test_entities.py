import pytest

from r3con_core.documents import Corpus
from r3con_core.methods.chunks import cut
from r3con_core.methods.entities import entities_in, entity_key, sentences_of, usage_of
from tests.fakes import harbour_documents, text_document


def found(text: str) -> list[str]:
    sentences = [one.text for one in sentences_of(cut(Corpus(documents=(text_document(text),)), 400))]
    usage = usage_of(sentences)
    return [name for sentence in sentences for name in entities_in(sentence, usage)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            "Mr. Quill met Ida Sorrel at Lime Quay. They spoke, and they left.",
            ["Mr. Quill", "Ida Sorrel", "Lime Quay"],
        ),
        ("In the night of 17 March 1931 the Petrel sailed.", ["17 March 1931", "Petrel"]),
        ("They paid on 2021-11-28 at the Bank of England.", ["2021-11-28", "Bank of England"]),
        ("We saw Dracula's castle and I fled.", ["Dracula"]),
        ("Он видел корабль Деметра. Капитан видел его.", ["Деметра"]),
        ("nothing here has a name, nor 12 of them", []),
        ("他住在海淀区。她也在海淀区。", ["海淀区", "海淀区"]),
    ],
)
def test_names_and_days_are_found_by_how_they_are_written(text: str, names: list[str]) -> None:
    assert found(text) == names


def test_the_first_word_of_a_sentence_is_a_name_only_if_the_corpus_uses_it_as_one() -> None:
    assert found("Launches came. Two launches left.") == []
    assert found("We stood in Lime Street. In Lime Street it rained.") == ["Lime Street", "Lime Street"]
    assert found("Heron lay there. On the slip lay Heron.") == ["Heron", "Heron"]


def test_sentences_stand_where_they_say_and_cover_the_text() -> None:
    documents = harbour_documents()
    corpus = Corpus(documents=documents)
    sentences = sentences_of(cut(corpus, 90))
    for one in sentences:
        stretch = corpus.get(one.document_id).text[one.span.start : one.span.end]
        assert " ".join(stretch.split()) == one.text
    for document in documents:
        words = " ".join(one.text for one in sentences if one.document_id == document.id).split()
        assert words == document.text.split()


def test_two_ways_of_writing_a_name_are_one_entity() -> None:
    assert entity_key("Mr. QUILL’s") == entity_key("Quill") == "quill"
    assert entity_key("Renée") == entity_key("renee")
    assert entity_key("Dr") == "dr"
    assert entity_key("—") == ""
