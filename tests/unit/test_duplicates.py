"""Texts that are alike are shown together, with what differs."""

import random
from collections.abc import Sequence
from pathlib import Path

from r3con_core.documents import Document
from r3con_core.duplicates import Likeness, differences, groups
from r3con_core.store.documents import add_documents
from r3con_core.store.project import create_project
from tests.fakes import harbour_documents, text_document

WORDS = [a + b for a in "ka mor tel ven ris dol an es qui bar".split() for b in "lo fi gra sho um ep yl ten".split()]


def prose(seed: int, words: int = 600) -> str:
    chosen = random.Random(seed).choices(WORDS, k=words)
    return " ".join(word + ("." if place % 12 == 11 else "") for place, word in enumerate(chosen))


def found(tmp_path: Path, texts: Sequence[str]) -> list[tuple[Likeness, list[int], float]]:
    """Kind, numbers of the documents, and similarity of all groups."""
    documents: list[Document] = [text_document(text, path=f"{number}.txt") for number, text in enumerate(texts, 1)]
    project = create_project(tmp_path, "Alike")
    add_documents(project, documents, [])
    numbers = {document.id: number for number, document in enumerate(documents, 1)}
    given = [(g.likeness, [numbers[i] for i in g.document_ids], g.similarity) for g in groups(project)]
    project.close()
    return given


def test_the_same_text_in_another_file_is_told_apart_from_a_changed_one(tmp_path: Path) -> None:
    text = prose(1)
    rewrapped = text.replace(" ", "\n", 40).replace("kalo", "KALÓ")
    changed = text.replace(text.split()[300], "otherwise", 1)
    kinds = found(tmp_path, [text, prose(2), rewrapped, changed])
    assert [(kind, numbers) for kind, numbers, _ in kinds] == [(Likeness.SAME, [1, 3]), (Likeness.NEARLY, [1, 4])]
    assert kinds[0][2] == 1
    assert 0.95 < kinds[1][2] < 1


def test_texts_of_a_script_without_blanks_are_compared_too(tmp_path: Path) -> None:
    text = "".join(chr(0x4E00 + random.Random(place).randrange(3000)) for place in range(900))
    kinds = found(tmp_path, [text, text[:400] + "付款付款" + text[404:], text[::-1]])
    assert [(kind, numbers) for kind, numbers, _ in kinds] == [(Likeness.NEARLY, [1, 2])]


def test_a_figure_makes_texts_different(tmp_path: Path) -> None:
    text = prose(3) + " EUR 1.500"
    kinds = found(tmp_path, [text, text.replace("1.500", "15.00")])
    assert [kind for kind, _, _ in kinds] == [Likeness.NEARLY]


def test_ordinary_documents_of_one_affair_are_not_alike(tmp_path: Path) -> None:
    assert found(tmp_path, [document.text for document in harbour_documents()]) == []


def test_texts_without_letters_and_short_ones_are_alike_only_when_they_are_the_same(tmp_path: Path) -> None:
    assert found(tmp_path, ["***", "---", "ok", "Ok ", "no"]) == [(Likeness.SAME, [3, 4], 1.0)]


def test_many_versions_make_one_group_with_each_one_s_similarity_to_the_first(tmp_path: Path) -> None:
    text = prose(4)
    versions = [text, *(text.replace(text.split()[40 * number], f"changed{number}", 1) for number in range(1, 12))]
    ((kind, numbers, similarity),) = found(tmp_path, versions)
    assert (kind, numbers) == (Likeness.NEARLY, list(range(1, 13)))
    assert 0.9 < similarity < 1


def shown(before: str, after: str) -> tuple[list[str], list[str]]:
    found = differences(before, after)
    return [before[s.start : s.end] for s in found.removed], [after[s.start : s.end] for s in found.added]


def test_differences_are_told_word_by_word_however_the_lines_break() -> None:
    before = f"{prose(5)} the fee is 100 euro {prose(6)}"
    after = before.replace("100 euro", "one million euro").replace(" ", " \n", 200) + " Signed."
    assert shown(before, after) == (["100"], ["one million", "Signed."])


def test_words_put_in_between_repeated_ones_are_told() -> None:
    before = "a b c d e f g h i j"
    assert shown(before, "a b c d e f x y g h i j") == ([], ["x y"])
    assert shown(before, before) == ([], [])
    assert shown("", before) == ([], [before])
    assert shown("one", "") == (["one"], [])


def test_long_texts_with_nothing_in_common_are_compared_in_bounded_time() -> None:
    before, after = prose(7, 30_000), prose(8, 30_000).upper()
    assert shown(before, after) == ([before], [after])
