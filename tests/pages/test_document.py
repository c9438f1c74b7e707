"""The Document page: what a document is, and the states without one."""

from dataclasses import replace
from pathlib import Path

from streamlit.testing.v1 import AppTest

from pages.widgets.documents.places import MOST_HEADS, places_of, utf16_offsets
from r3con_core.documents import Finding, FindingKind, Span, Unit
from r3con_core.exchange import Stage
from r3con_core.snippets import Sight
from r3con_core.store.documents import Batch, LedgerEntry, add_batch, add_documents, list_documents
from r3con_core.store.project import Project
from r3con_core.store.sights import save_sight
from tests.fakes import finished_harbour, text_document
from tests.pages.opened import click, open_page


def document(document_id: str, **params: str) -> AppTest:
    """The page as a link to a document opens it."""
    at = open_page("document", project="harbour")
    for name, value in {"doc": document_id, **params}.items():
        at.query_params[name] = value
    at.run()
    assert not at.exception
    return at


def test_a_document_says_where_it_came_from(project: Project) -> None:
    line = list_documents(project)[5]
    told = document(line.id).main.caption[0].value
    assert "06_letter_of_5_march.txt" in told
    assert f"text · {line.words} words" in told


def test_date_author_and_warnings_are_shown_letter_by_letter(project: Project) -> None:
    strange = replace(
        text_document("A [link](http://x).", path="x.txt"),
        date="1931-03-04",
        author="*Venn*",
        warnings=("Page 2 has no **text**.",),
    )
    add_documents(project, [strange], [])
    at = document(strange.id)
    assert r"by \*Venn\*" in at.main.caption[0].value
    assert r"Page 2 has no \*\*text\*\*." in at.expander[0].markdown[0].value


def test_the_next_document_is_one_press_away(project: Project) -> None:
    first, second = (line.id for line in list_documents(project)[:2])
    at = document(first)
    (before,) = [button for button in at.main.button if button.label == "Previous"]
    assert before.disabled
    click(at, "Next")
    assert at.query_params["doc"] == second


def test_an_unknown_document_is_said_to_be_so(project: Project) -> None:
    assert list_documents(project)
    at = document("doc-0")
    assert at.subheader[0].value == "This document is not in this project"
    click(at, "See the documents")
    assert at.title[0].value == "Documents"


def test_a_place_behind_the_end_is_said_to_be_missing(home: Path) -> None:
    project, _ = finished_harbour(home / "projects")
    at = document(list_documents(project)[0].id, at="900000-900010")
    assert "a place that this document does not have" in at.info[0].value


def test_a_document_says_how_many_pages_were_read_and_in_what_language(project: Project) -> None:
    units = (Unit(kind="page", label="1", span=Span(start=0, end=4), page=1, confidence=88),)
    scan = replace(text_document("Scan", path="s.pdf"), pages=3, unread_pages=(2,), language="ar", units=units)
    add_documents(project, [scan], [])
    told = document(scan.id).main.caption[0].value
    assert "2 of 3 pages read" in told
    assert "1 page read from a picture (OCR), 88 % sure on average" in told
    assert "Arabic" in told


def test_a_document_held_back_says_so(project: Project) -> None:
    held = text_document("PRIVILEGED", path="advice.txt")
    add_batch(project, Batch(documents=[held], held={held.id: "a banner"}))
    assert document(held.id).warning[0].value == "Held back from every model: a banner"


def test_a_mail_leads_to_what_was_attached_and_back(project: Project) -> None:
    mail = text_document("See attached.", path="m.eml", title="Mail")
    note = replace(text_document("A note.", path="m.eml > note.txt", title="Note"), parent="m.eml")
    add_documents(project, [mail, note], [])
    down = document(mail.id)
    assert [one.label for one in down.expander] == ["1 document came with it"]
    assert [link.proto.label for link in down.main.get("page_link")] == ["Note"]
    assert [link.proto.label for link in document(note.id).main.get("page_link")] == ["Mail"]


def test_all_places_of_the_same_file_are_named(project: Project) -> None:
    first = text_document("Twice.", path="a/one.txt")
    lines = [
        LedgerEntry(path="a/one.txt", outcome="read", reason="", document_id=first.id),
        LedgerEntry(path="b/*two*.txt", outcome="duplicate", reason="the same bytes", document_id=first.id),
    ]
    add_documents(project, [first], lines)
    at = document(first.id)
    assert at.expander[0].label == "The same file lies in 1 other place"
    assert at.expander[0].markdown[0].value == r"- b/\*two\*.txt"


def test_findings_of_a_document_are_shown_with_it(project: Project) -> None:
    found = Finding(kind=FindingKind.DELETED, text="EUR <b>5</b>", place="paragraph 2", detail="by R. Marsh")
    revised = replace(text_document("Kept.", path="r.docx"), findings=(found,))
    add_documents(project, [revised], [])
    at = document(revised.id)
    assert at.expander[0].label == "1 finding (1 kept out of its text)"
    assert [one.value for one in at.text] == ["EUR <b>5</b>"]


def test_places_hold_every_page_also_those_without_text() -> None:
    text = "😀 one\n\nthree"
    units = (
        Unit(kind="page", label="i", span=Span(start=0, end=5), page=1, bates="NDHA-000103"),
        Unit(kind="page", label="1", span=Span(start=7, end=12), page=3, confidence=60),
    )
    findings = (
        Finding(kind=FindingKind.UNSEEN, text="hidden", place="page 3", detail="white letters"),
        Finding(kind=FindingKind.INSERTED, text="one", span=Span(start=2, end=5)),
    )
    places = places_of(replace(text_document(text), units=units, pages=4, unread_pages=(2,), findings=findings))
    heads = [(head["at"], head["label"], head["note"]) for head in places["heads"]]
    assert heads == [
        (0, "p. i (PDF page 1), NDHA-000103", ""),
        (8, "PDF page 2", "could not be read"),
        (8, "p. 1 (PDF page 3)", "read from a picture (OCR), 60 % sure; check it against the picture"),
        (13, "PDF page 4", "no text on it"),
    ]
    assert places["units"] == [["p. i (PDF page 1), NDHA-000103", 0, 6], ["p. 1 (PDF page 3)", 8, 13]]
    hidden, inserted = places["findings"]
    assert (hidden["head"], hidden["span"], hidden["text"]) == (2, None, "hidden")
    assert (inserted["kind"], inserted["span"]) == ("inserted", [3, 6])


def test_a_file_that_claims_a_billion_pages_gets_a_bounded_list() -> None:
    places = places_of(replace(text_document("Words."), pages=10**9))
    assert len(places["heads"]) == MOST_HEADS


def test_offsets_count_wide_letters_twice_as_browsers_do() -> None:
    assert utf16_offsets("a😀b", [0, 1, 2, 3]) == {0: 0, 1: 1, 2: 3, 3: 4}
    assert utf16_offsets("größe", [2, 9]) == {2: 2, 9: 5}


def test_what_its_reader_could_not_see_in_full_is_told_with_the_open_run(home: Path) -> None:
    project, run_id = finished_harbour(home / "projects")
    ids = [line.id for line in list_documents(project)]
    opened = [caption.value for caption in document(ids[0], run=run_id).main.caption]
    assert not [told for told in opened if told.startswith("When its records were made")]
    sight = Sight(document_id=ids[0], whole=(ids[1],), shortened=(ids[2],), digested=tuple(ids[3:]))
    save_sight(project, run_id, Stage.PARSING, 0, sight)
    opened = [caption.value for caption in document(ids[0], run=run_id).main.caption]
    assert (
        "When its records were made, the model saw, beside this document: 1 snippet in full, 1 shortened, 7 within "
        "digests." in opened
    )
