"""The check without a model: names, figures and dates of a text against its document."""

import pytest

from r3con_core.method.grounding import belongs_elsewhere, figures, foreign_terms, is_supported

TEXT = (
    "On 3 March 1931 the Petrel, owner Josiah Venn, landed forty cases worth 4,200.50 pounds. No. 118. Filed 16.3.1931."
)


@pytest.mark.parametrize(
    ("value", "supported"),
    [
        ("1931-03-03", True),
        ("1931-03-16", True),
        ("1931-03-05", False),
        ("1931", True),
        (40, True),
        (4200.5, True),
        (41, False),
        (0, False),
        ("Petrel", True),
        ("Mr. Venn", True),
        ("Heron", False),
        ("118", True),
        (None, True),
        (True, True),
    ],
)
def test_a_value_is_supported_when_the_document_holds_it(value: object, supported: bool) -> None:
    assert is_supported(value, TEXT) is supported


def test_figures_agree_whatever_their_separators() -> None:
    assert figures("4,200 and 4 200.00 and 4'200") == {"4200"}
    assert figures("3, 5 March") == {"3", "5"}


def test_names_and_figures_of_other_documents_are_foreign() -> None:
    assert foreign_terms("The launch Heron landed 99 cases for Josiah Venn.", TEXT) == ("Heron", "99")


def test_what_points_to_another_document_is_not_foreign() -> None:
    assert foreign_terms("The Petrel landed cases (see Document 7).", TEXT) == ()


def test_the_first_word_of_a_sentence_is_no_name_by_itself() -> None:
    assert foreign_terms("Nothing landed. Cases were counted.", TEXT) == ()


@pytest.mark.parametrize(
    ("value", "document", "supported"),
    [
        ("班内特", "新来的书记员班内特有一艘灰色的船。", True),
        ("班内特", "新来的书记员贝内特有一艘灰色的船。", False),
        ("สมชาย", "เรือของนายสมชายออกจากท่าเรือ", True),
        ("สมหญิง", "เรือของนายสมชายออกจากท่าเรือ", False),
        ("港務局 田中", "田中は港務局の職員である。", True),
        ("art", "The party left.", False),
    ],
)
def test_names_in_scripts_without_blanks_are_looked_for_within_runs(value: str, document: str, supported: bool) -> None:
    assert is_supported(value, document) is supported


def test_a_fact_in_a_script_without_blanks_is_its_documents_own_where_it_stands_inside_a_longer_run() -> None:
    own, note = "五月二日潘先生在码头卖给孙女士四箱黑麦。", "潘先生在码头卖给孙女士"
    assert not belongs_elsewhere("潘先生在码头卖给孙女士。", own, [note])
    assert belongs_elsewhere("潘先生在码头卖给孙女士。", "另一封信。", [note])
