"""What is in a document is found, in any script, and what is found is there."""

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from r3con_core.documents import Finding, FindingKind, Span, Unit
from r3con_core.folding import fold, fold_with_places
from r3con_core.store.copies import check_store, close_for_copying
from r3con_core.store.documents import add_documents
from r3con_core.store.index import PIECE
from r3con_core.store.project import Project, create_project
from r3con_core.store.search import Count, Filters, find_in, index_documents, index_missing, search, unindex
from tests.fakes import text_document

TEXTS = {
    "dump/mail/1.txt": "The harbour paid Quillfeather Consulting EUR 1,000. Müller & Söhne signed.",
    "dump/mail/2.txt": "编号NQ-136：港务局于2022年3月15日向顾问公司支付了三万五千欧元。该付款未经董事会批准。",
    "dump/box.zip > 3.txt": "番号NQ-137：港湾局は2022年3月16日にコンサルタントに12万円を支払った。",
    "dump/box.zip > 4.txt": "المرجع NQ-115: دَفَعَت هيئة المينـــاء مبلغ 4,400.00 يورو. وافق المدير.",
    "dump/5.txt": "הָרָשׁוּת שילמה ליועץ § 7 of the EU act; the neutral party paid 25 %.",
    "dump/6.txt": "The con-\nsultant was paid by the harbour\n   authority; ﬁnance and so\u00adcial costs. C# and ＮＱ－９９.",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    found = create_project(tmp_path_factory.mktemp("search"), "Search")
    add_documents(found, [text_document(text, path=path) for path, text in TEXTS.items()], [])
    yield found
    found.close()


def paths(project: Project, query: str, **asked: object) -> list[str]:
    found = search(project, query, filters=Filters(**asked))  # type: ignore[arg-type]
    assert found.total == len(found.hits)
    return [hit.path.split("/")[-1].split(" > ")[-1].removesuffix(".txt") for hit in found.hits]


@pytest.mark.parametrize(
    ("query", "documents"),
    [
        ("quillfeather", "1"),
        ("feather", "1"),
        ("QUILLFEATHER harbour", "1"),
        ("harbour", "1 6"),
        ("harbour -quillfeather", "6"),
        ("harbour −quillfeather", "6"),
        ("quillfeather OR 董事会", "1 2"),
        ("paid quillfeather OR consultant", "1 6"),
        ("董事会", "2"),
        ("公司", "2"),
        ("付", "2"),
        ("付 港", "2"),
        ("万円", "3"),
        ("コンサルタント", "3"),
        ("دفعت", "4"),
        ("الميناء", "4"),
        ("الرشوة", ""),
        ("הרשות שילמה", "5"),
        ('"הרשות שילמה ליועץ"', "5"),
        ("muller sohne", "1"),
        ("MÜLLER", "1"),
        ("consultant", "6"),
        ("finance social", "6"),
        ('"harbour authority"', "6"),
        ('"harbour paid"', "1"),
        ('"arbour paid"', ""),
        ("“harbour paid” 1,000", "1"),
        ("EU", "5"),
        ("eu", "5"),
        ("§", "5"),
        ("5 %", ""),
        ("25 %", "5"),
        ("C#", "6"),
        ("nq-99", "6"),
        ("NQ-136", "2"),
        ("12", "3"),
        ("harbour absent", ""),
        ("-harbour", "2 3 4 5"),
        ("", "1 2 3 4 5 6"),
        ("harbour, authority.", "6"),
    ],
)
def test_a_search_finds_exactly_the_documents_that_hold_the_words(project: Project, query: str, documents: str) -> None:
    assert paths(project, query) == documents.split()


@given(st.text(max_size=40))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nothing_that_can_be_typed_is_an_error(project: Project, query: str) -> None:
    assert 0 <= search(project, query).total <= len(TEXTS)


@pytest.mark.parametrize("query", ['"', '""', "OR", 'a" OR "b*^', "NEAR(a b)", "text:harbour", "'; drop table", "\x00"])
def test_signs_of_the_index_s_own_language_are_looked_for_as_they_stand(project: Project, query: str) -> None:
    assert search(project, query).total in (0, 6)


@given(
    st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("abé-\n \u00ad"), max_size=30),
    st.data(),
)
@settings(max_examples=100, deadline=None)
def test_any_stretch_of_a_text_is_found_in_it(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    wanted = text[start : data.draw(st.integers(start, len(text)))].replace('"', "")
    whole = fold(wanted)
    if re.fullmatch(r"[\w ]+", whole) and whole in fold(text):
        assert find_in(text, " ".join(wanted.split())) or not whole.isalnum() or len(whole) < 3


@given(
    st.text(
        alphabet=st.characters(exclude_categories=["Cs"]) | st.sampled_from("aB-\n \u00ad\u0301か\u3099ｶﾞ\u1112\u1161ßİ")
    )
)
def test_a_folded_text_knows_where_each_letter_came_from(text: str) -> None:
    folded = fold_with_places(text)
    assert folded.text == fold(text)
    assert fold(folded.text) == folded.text
    assert len(folded.starts) == len(folded.ends) == len(folded.text)
    assert list(folded.starts) == sorted(folded.starts)


def test_a_hit_says_where_and_shows_it(project: Project) -> None:
    (hit,) = search(project, "consultant authority").hits
    assert (hit.number, hit.title, hit.count, hit.counted_all) == (6, "dump/6.txt", 2, True)
    text = TEXTS["dump/6.txt"]
    assert hit.span is not None
    assert text[hit.span.start : hit.span.end] == "con-\nsultant"
    assert [hit.passage[mark.start : mark.end] for mark in hit.marks] == ["con- sultant", "authority"]
    assert hit.passage == text.replace("\n", " ")


def test_all_places_are_marked_in_a_document(project: Project) -> None:
    text = TEXTS["dump/6.txt"]
    assert [text[s.start : s.end] for s in find_in(text, "the harbour OR zebra -paid")] == ["The", "the", "harbour"]


def test_what_stands_across_two_pieces_is_found_once(tmp_path: Path) -> None:
    project = create_project(tmp_path, "Long")
    for before in range(PIECE - 40, PIECE + 5, 3):
        text = "x" * before + "\n\n   Quillfeather \n" + " " * 3000 + "Consulting " + "y" * PIECE
        add_documents(project, [text_document(text, path=f"{before}.txt")], [])
    found = search(project, '"quillfeather consulting"', limit=100)
    assert found.total == len(range(PIECE - 40, PIECE + 5, 3))
    assert {hit.count for hit in found.hits} == {1}
    assert search(project, "quillfeather consulting").hits[0].count == 2
    project.close()


def test_a_hit_in_a_long_text_of_wide_letters_has_its_place(tmp_path: Path) -> None:
    project = create_project(tmp_path, "Wide")
    text = "董" * (3 * PIECE) + "付款" + "é" * PIECE
    document = replace(
        text_document(text), units=(Unit(kind="page", label="ii", page=4, span=Span(start=0, end=len(text))),)
    )
    add_documents(project, [document], [])
    (hit,) = search(project, "董付款é").hits
    assert hit.span == Span(start=3 * PIECE - 1, end=3 * PIECE + 3)
    assert hit.place == "p. ii (PDF page 4)"
    assert hit.passage[hit.marks[0].start : hit.marks[0].end] == "董付款é"
    project.close()


def _dated(path: str, date: str | None, **stated: object) -> object:
    return replace(text_document("paid", path=path), date=date, **stated)  # type: ignore[arg-type]


def test_filters_keep_what_they_name_and_facets_count_the_rest(tmp_path: Path) -> None:
    project = create_project(tmp_path, "Filters")
    finding = Finding(kind=FindingKind.ADDRESSED, text="paid", span=Span(start=0, end=4))
    documents = [
        _dated("dump/a/1.txt", "2021-03-04", language="de", findings=(finding,)),
        _dated("dump/a/b/2.txt", "2021-12-31T23:00:00+01:00", language="en"),
        _dated("dump/c.zip > 3.txt", "2022-01-01", language="en"),
        _dated("dump/ab/4.txt", None),
    ]
    add_documents(project, documents, [])  # type: ignore[arg-type]
    project.db.execute("update documents set held = 'banner' where path like '%/2.txt'")
    assert paths(project, "paid", since="2021", until="2021") == ["1", "2"]
    assert paths(project, "paid", since="2021-04", until="2022-01-01") == ["2", "3"]
    assert paths(project, "paid", folder="dump/a") == paths(project, "paid", folder="dump/a/") == ["1", "2"]
    assert paths(project, "paid", folder="dump/c.zip") == ["3"]
    assert paths(project, "paid", languages=("en",)) == ["2", "3"]
    assert paths(project, "paid", languages=("", "de")) == ["1", "4"]
    assert paths(project, "paid", held=True) == ["2"]
    assert paths(project, "paid", held=False) == ["1", "3", "4"]
    assert paths(project, "paid", with_findings=True) == ["1"]
    assert paths(project, "paid", media_types=("text/html",)) == []
    found = search(project, "paid", limit=1, offset=2)
    assert [(hit.path, hit.number) for hit in found.hits] == [("dump/c.zip > 3.txt", 2)]
    assert found.total == 4
    assert found.facets.languages == (
        Count(value="en", documents=2),
        Count(value="", documents=1),
        Count(value="de", documents=1),
    )
    assert [(one.value, one.documents) for one in found.facets.years] == [("", 1), ("2021", 2), ("2022", 1)]
    assert [(one.value, one.documents) for one in found.facets.folders] == [
        ("dump/a", 2),
        ("dump/ab", 1),
        ("dump/c.zip", 1),
    ]
    below = search(project, "paid", filters=Filters(folder="dump/a")).facets.folders
    assert [(one.value, one.documents) for one in below] == [("dump/a/b", 1)]
    project.close()


def _postings(db: sqlite3.Connection) -> int:
    db.execute("create virtual table if not exists temp.grams using fts5vocab(main, search_grams, row)")
    db.execute("create virtual table if not exists temp.words using fts5vocab(main, search_words, row)")
    return int(db.execute("select (select count(*) from temp.grams) + (select count(*) from temp.words)").fetchone()[0])


def test_a_document_taken_out_leaves_nothing_in_the_index(tmp_path: Path) -> None:
    project = create_project(tmp_path, "Out")
    documents = [text_document(text * 300, path=path) for path, text in TEXTS.items()]
    add_documents(project, documents, [])
    index_missing(project)
    with project.change() as db:
        index_documents(db, documents)  # what is there already is not put in twice
        unindex(db, [document.id for document in documents])
    assert _postings(project.db) == 0
    assert search(project, "quillfeather").total == 1
    project.close()


def test_documents_from_before_there_was_an_index_are_given_theirs(tmp_path: Path) -> None:
    project = create_project(tmp_path, "Old")
    add_documents(project, [text_document(text, path=path) for path, text in TEXTS.items()], [])
    with project.change() as db:
        unindex(db, [document_id for (document_id,) in db.execute("select id from documents").fetchall()])
    told: list[tuple[int, int]] = []
    assert index_missing(project, lambda done, total: told.append((done, total))) == 6
    assert told == [(6, 6)]
    assert index_missing(project) == 0
    project.close()


def test_a_store_that_was_searched_is_still_one_of_ours(tmp_path: Path) -> None:
    project = create_project(tmp_path, "Ours")
    add_documents(project, [text_document("paid C# 5%")], [])
    assert search(project, "C#").total == 1
    close_for_copying(project)
    check_store(project.path)
