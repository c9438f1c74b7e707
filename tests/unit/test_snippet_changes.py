"""How snippets change from round to round: convergence, and what a change leans on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r3con_core.snippet_changes import Convergence, Lean, Sources, convergence, is_changed
from r3con_core.snippets import Author, RelevanceSnippet, RelevantContext, Round
from tests.harbour_script import ROUND_1, ROUND_2

NUMBERS = {f"doc-{number}": number for number in range(1, 11)}


def said(number: int, text: str, **about: object) -> RelevanceSnippet:
    return RelevanceSnippet(document_id=f"doc-{number}", text=text, **about)  # type: ignore[arg-type]


def first_round(texts: dict[int, str]) -> Round:
    return Round(number=1, snippets=tuple(said(number, text) for number, text in texts.items()))


def leans(texts: dict[int, str], number: int, now: str) -> tuple[Lean, ...]:
    return Sources(first_round(texts), NUMBERS).leans(said(number, now))


def test_a_document_named_by_its_number_is_leant_on_with_the_words_it_gave() -> None:
    found = {lean.document_id: lean for lean in leans(ROUND_1, 1, ROUND_2[1])}
    assert {each for each, lean in found.items() if lean.explicit} == {"doc-7", "doc-9"}
    assert "Petrel" in found["doc-9"].words
    assert "funnel" not in " ".join(found["doc-9"].words).split(), "it was there before"


def test_a_name_and_a_day_taken_over_without_saying_so_tell_where_they_come_from() -> None:
    texts = {
        1: "A launch landed 25 cases.",
        4: "The Petrel left the yard on 14 March.",
        9: "Ida Sorrel owns the Heron.",
    }
    assert leans(texts, 1, "A launch, the Petrel since 14 March, landed 25 cases.") == (
        Lean(document_id="doc-4", words=("Petrel", "14 March")),
    )


def test_rare_words_tell_only_where_there_are_two_of_them() -> None:
    texts = {1: "A launch came.", 2: "Oranges were sold at midnight.", 3: "Salt was sold."}
    assert leans(texts, 1, "A launch came at midnight.") == ()
    assert leans(texts, 1, "A launch came with oranges at midnight.") == (
        Lean(document_id="doc-2", words=("oranges", "midnight")),
    )


def test_what_many_snippets_hold_tells_nothing() -> None:
    texts = dict.fromkeys(range(2, 10), "The Petrel came.")
    assert leans({1: "A launch came.", **texts}, 1, "The Petrel came.") == ()


def test_scripts_without_blanks_are_compared_letter_by_letter() -> None:
    texts = {1: "一艘灰色的船卸下了四十箱。", 2: "海燕号于三月十四日离开船坞。", 3: "苍鹭号没有烟囱。"}
    (lean,) = leans(texts, 1, "一艘灰色的船，即海燕号，卸下了四十箱。")
    assert lean == Lean(document_id="doc-2", words=("海燕号",))


@pytest.mark.parametrize("now", ["A launch  landed\n25 cases.", "A launch landed 25 cases."])
def test_a_snippet_that_says_the_same_leans_on_nothing(now: str) -> None:
    assert leans({1: "A launch landed 25 cases.", 2: "A launch landed 25 cases at night."}, 1, now) == ()


def test_what_was_carried_over_leans_on_nothing() -> None:
    sources = Sources(first_round({1: "", 2: "The Petrel came."}), NUMBERS)
    assert sources.leans(said(1, "The Petrel came.", carried=True)) == ()


@given(st.dictionaries(st.integers(1, 10), st.text(max_size=60), min_size=1), st.text(max_size=60), st.integers(1, 10))
def test_no_snippet_leans_on_its_own_document_and_words_are_of_the_text(
    texts: dict[int, str], now: str, number: int
) -> None:
    for lean in leans(texts, number, now):
        assert lean.document_id != f"doc-{number}"
        assert all(word and word in now for word in lean.words)
        assert lean.words or lean.explicit


def test_convergence_counts_changed_words_of_the_documents_that_were_read() -> None:
    second = Round(
        number=2,
        snippets=(
            said(1, "A launch landed  25 cases."),
            said(2, "Nothing more."),
            said(3, "Old words.", carried=True),
            said(4, "A person's words.", author=Author.HUMAN),
            said(5, "It failed before."),
        ),
    )
    first = first_round({1: "A launch landed 25 cases.", 2: "", 3: "Old words.", 4: "The model's."})
    context = RelevantContext(rounds=(first, second))
    assert convergence(context) == (Convergence(number=2, changed=1, read=2),)
    assert convergence(RelevantContext(rounds=(first,))) == ()


@given(st.text(), st.text(alphabet=" \n\t"))
def test_blanks_are_no_change(text: str, blanks: str) -> None:
    assert not is_changed(text, blanks + text + blanks)
    assert is_changed(text, text + " more")
