"""Which snippets bear on a document, in any script, without a model."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r3con_core.documents import Corpus, Document, Source
from r3con_core.method.affinity import Index, count_terms, make_index, rank, rank_for_task
from r3con_core.snippets import RelevanceSnippet

SOURCE = Source(path="memo.txt", sha256="0" * 64, media_type="text/plain")
TASK = "Who paid for the landings?"


def corpus_of(*texts: str) -> Corpus:
    return Corpus(
        documents=tuple(Document(id=f"d{n}", title="", text=t, source=SOURCE) for n, t in enumerate(texts, start=1))
    )


def index_of(corpus: Corpus, *snippets: str, task: str = TASK) -> Index:
    said = (RelevanceSnippet(document_id=d.id, text=t) for d, t in zip(corpus.documents, snippets, strict=True))
    return make_index(corpus, said, task=task)


def ranked(index: Index, corpus: Corpus, number: int) -> list[str]:
    return rank(index, corpus.documents[number - 1], number)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("The van NQ-108", {"the", "van", "nq108", "108"}),
        ("4,200.00 euros", {"4200", "200", "euros"}),
        ("Müller's PAYMENTS", {"muller", "mulle*", "payments", "payme*"}),
        ("支付给李明", {" 支付", " 付给", " 给李", " 李明"}),
        ("การจ่าย", {" การ", " ารจ", " รจ่", " จ่า", " ่าย"}),
        ("ទូទាត់", {" ទូទ", " ូទា", " ទាត", " ាត់"}),
        ("भुगतान", {"भुगतान", "भुगता*"}),
        ("車 NQ-108号", {" 車", "nq108", "108", " 号"}),
        ("a ! – ", set()),
    ],
)
def test_terms_are_words_identifiers_and_runs_of_signs(text: str, terms: set[str]) -> None:
    assert set(count_terms(text)) == terms


def test_one_rare_name_in_common_counts_more_than_three_common_words() -> None:
    texts = ["Moss came late."] * 10 + ["Forty crates."] * 10 + ["On the quay."] * 10 + ["Tides."] * 28
    corpus = corpus_of("Moss, forty, quay. Kite lay here.", *texts, "Kite sold.")
    said = ["Moss, forty, quay.", *["Tides."] * 57, "Kite sold."]
    assert ranked(index_of(corpus, "", *said, task="?"), corpus, 1)[:2] == ["d60", "d2"]


def test_words_that_only_a_documents_own_snippet_holds_take_no_place_in_what_is_looked_for() -> None:
    own = " ".join(f"word{n}x" for n in range(60))
    corpus = corpus_of(f"{own} Bennet", "Tides.", "Bennet.")
    assert ranked(index_of(corpus, own, "Tides.", "Bennet.", task="?"), corpus, 1) == ["d3", "d2"]


def test_a_word_of_the_task_that_no_document_holds_counts_little() -> None:
    corpus = corpus_of("Crates.", "Tides.", "Heron.", "Bennet paid.")
    index = index_of(corpus, "", "Tides for the ebb.", "The heron.", "Bennet paid.")
    assert rank_for_task(index)[0] == "d4"


def test_a_snippet_that_names_a_document_bears_on_it() -> None:
    corpus = corpus_of("Forty crates came.", "Forty crates came.", *["Tides."] * 8, "A note.")
    said = ["Forty crates came.", *["Tides."] * 8, "Its writer is named there (see Documents 2 and 1)."]
    assert ranked(index_of(corpus, "", *said, task="?"), corpus, 1)[:2] == ["d11", "d2"]
    assert ranked(index_of(corpus, "", *said, task="?"), corpus, 3)[-1] == "d11"


def test_the_task_decides_where_a_document_shares_nothing_and_corpus_order_where_that_is_equal() -> None:
    corpus = corpus_of("Zebra.", "Crates came.", "Tides.", "Bennet paid.")
    index = index_of(corpus, "Zebra.", "Crates came.", "Tides.", "Bennet paid for it.")
    assert ranked(index, corpus, 1) == ["d4", "d2", "d3"]
    assert rank_for_task(index)[0] == "d4"


def test_documents_without_a_snippet_are_not_ranked() -> None:
    corpus = corpus_of("Crates.", "Crates.", "Crates.")
    index = index_of(corpus, "Crates.", "", " \n")
    assert ranked(index, corpus, 3) == ["d1"]


TEXTS = st.lists(
    st.lists(st.sampled_from("heron crate paid 4200 Bennet quay 付款 เงิน".split())), min_size=2, max_size=30
)


@settings(deadline=None)
@given(texts=TEXTS, own=st.text(max_size=60), data=st.data())
def test_the_ranking_is_the_same_whatever_a_documents_own_snippet_says(
    texts: list[list[str]], own: str, data: st.DataObject
) -> None:
    snippets = [" ".join(words) for words in texts]
    corpus = corpus_of(*(" ".join([*words, "heron"]) for words in texts))
    number = data.draw(st.integers(min_value=1, max_value=len(texts)))
    orders = []
    for said in ("", f"Said: {own}"):
        snippets[number - 1] = said
        orders.append(ranked(index_of(corpus, *snippets), corpus, number))
    assert orders[0] == orders[1]
    assert sorted(orders[0]) == sorted(
        d.id for d, t in zip(corpus.documents, snippets, strict=True) if t and d.id != f"d{number}"
    )


PLANTED = {
    "English": (
        "{name} counted {count} {things} on the quay and told nobody. ",
        ["James Moss", "Anna Webb", "Clara Dunn", "Henry Stone", "Ruth Lark"],
        ["crates", "barrels", "sacks", "letters"],
        "The driver had a blue swallow tattooed on his hand.",
        "The new clerk, Bennet, has a tattoo of a swallow.",
    ),
    "Chinese": (
        "{name}在码头清点了{count}件{things}，没有告诉任何人。",
        ["王伟", "李芳", "张敏", "刘强", "陈静"],
        ["木箱", "酒桶", "麻袋", "信件"],
        "司机手上有蓝燕子纹身。",
        "新来的书记员班内特有一个燕子纹身。",
    ),
    "Thai": (
        "{name}นับ{things}{count}ชิ้นที่ท่าเรือและไม่บอกใคร ",
        ["สมชาย", "มาลี", "วิชัย", "สุดา", "อนันต์"],
        ["ลังไม้", "ถังเหล้า", "กระสอบ", "จดหมาย"],
        "คนขับรถมีรอยสักนกนางแอ่นที่มือ",
        "เสมียนคนใหม่มีรอยสักรูปนกนางแอ่น",
    ),
}


@pytest.mark.parametrize("language", PLANTED)
def test_of_300_memos_the_one_that_names_the_stranger_of_memo_212_comes_first(language: str) -> None:
    memo, names, things, seen, known = PLANTED[language]
    chance = random.Random(7)
    texts = [
        "".join(
            memo.format(name=chance.choice(names), count=chance.randint(2, 90), things=chance.choice(things))
            for _ in range(3)
        )
        for _ in range(300)
    ]
    snippets = list(texts)
    texts[211] += seen
    texts[6] += known
    snippets[6] += known
    corpus = corpus_of(*texts)
    assert ranked(index_of(corpus, *snippets), corpus, 212)[0] == "d7"
