"""The novel becomes its documents: the header grammar on a tiny invented book, then the whole book if at hand."""

import json
from pathlib import Path

import pytest

from r3con_core.errors import CorpusError
from r3con_core.readers.dracula import DraculaDocument, Kind, ManifestEntry, build_dracula, check_manifest

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "sample_corpora" / "dracula"
BOOK = ROOT.parent / "shared" / "data" / "dracula" / "pg345.txt"
needs_book = pytest.mark.skipif(not BOOK.is_file(), reason="the novel's text is not on this machine")

TINY = """\
The Project Gutenberg eBook of Nothing
*** START ***

CHAPTER I. Jonathan Harker's Journal

CHAPTER I

A preface that is no document.

CHAPTER I

JONATHAN HARKER’S JOURNAL

(_Kept in shorthand._)

_1 May._--The road was long
and the inn was cold.

_Letter from Miss Ada Grey
to Messrs. Bell & Son,
Whitby_.

“Dear Sirs,--I send two boxes.

CHAPTER II

JONATHAN HARKER’S JOURNAL--_continued_

_2 May._--The inn was warm.

CUTTING FROM “THE DAILYGRAPH,” 8 AUGUST

A ship came in.

                  LOG OF THE “DEMETER.”

_6 July._ We set sail.

       *       *       *       *       *

Of course the verdict was an open one. Nobody knows.

_Telegram, Bell, London, to Grey, Whitby._

“Come at once. LETTER lost.”

DR. SEWARD’S PHONOGRAPH DIARY, SPOKEN BY VAN HELSING

This to friend John.

_He wrote a Note of every thing that had befallen him, and it was so very long that no printer would take it for the
header of a document, not even in italics, not even in haste._

                  NOTE

Seven years ago.

                  THE END

*** END ***
"""


def entries(documents: tuple[DraculaDocument, ...]) -> list[ManifestEntry]:
    """A manifest that agrees with `documents`."""
    return [ManifestEntry(title=document.title, words=document.words) for document in documents]


def test_headers_open_documents_in_the_order_of_the_book() -> None:
    """Both shapes of header count; preface, chapter lines and long italics do not."""
    documents = build_dracula(TINY)
    assert [(document.title, document.kind) for document in documents] == [
        ("Jonathan Harker's Journal", Kind.JOURNAL),
        ("Letter from Miss Ada Grey to Messrs. Bell & Son, Whitby", Kind.LETTER),
        ('Cutting From "The Dailygraph," 8 August', Kind.CUTTING),
        ('Log Of The "Demeter."', Kind.LOG),
        ("Telegram, Bell, London, to Grey, Whitby", Kind.TELEGRAM),
        ("Dr. Seward's Phonograph Diary, Spoken By Van Helsing", Kind.PHONOGRAPH),
        ("Note", Kind.NOTE),
    ]
    assert "preface" not in "".join(document.text for document in documents)
    assert "CHAPTER" not in "".join(document.text for document in documents)


def test_a_continuing_journal_is_one_document() -> None:
    """Its stretches are joined in order, each with the header it was printed under."""
    journal = build_dracula(TINY)[0]
    assert journal.text == (
        "JONATHAN HARKER’S JOURNAL\n\n(_Kept in shorthand._)\n\n_1 May._--The road was long\nand the inn was cold.\n\n"
        "JONATHAN HARKER’S JOURNAL--_continued_\n\n_2 May._--The inn was warm."
    )


def test_two_letters_with_one_title_stay_two_documents() -> None:
    """Only the five journals and diaries are pooled."""
    letter = "_Letter, A. to B._\n\nOne.\n\n"
    documents = build_dracula(f"CHAPTER I\n\n{letter}{letter}THE END\n")
    assert [document.title for document in documents] == ["Letter, A. to B", "Letter, A. to B"]


def test_the_newspaper_goes_on_after_the_log() -> None:
    """What follows the log belongs to the cutting that printed it, the row of asterisks included."""
    cutting, log = build_dracula(TINY)[2:4]
    assert cutting.text.split("\n\n")[1:] == [
        "A ship came in.",
        "       *       *       *       *       *",
        "Of course the verdict was an open one. Nobody knows.",
    ]
    assert log.text.endswith("We set sail.")


def test_line_ends_and_byte_order_mark_make_no_difference() -> None:
    """A fresh download has both."""
    assert build_dracula("\ufeff" + TINY.replace("\n", "\r\n")) == build_dracula(TINY)


@pytest.mark.parametrize("text", ["", "<html>Not found</html>", "CHAPTER I\n\nNo end.", "THE END\n\nCHAPTER I\n"])
def test_another_text_is_refused_in_a_plain_sentence(text: str) -> None:
    """The sentence names the file that is wanted."""
    with pytest.raises(CorpusError, match=r"pg345\.txt"):
        build_dracula(text)


def test_manifest_differences_are_sentences() -> None:
    """A wrong count, a wrong title, a missing and an extra document each have their own."""
    documents = build_dracula(TINY)
    manifest = entries(documents)
    assert check_manifest(documents, manifest) == ()
    longer = ManifestEntry(title="Jonathan Harker's Journal", words=1200)
    assert check_manifest(documents, [longer, *manifest[1:]]) == (
        "Document 1, Jonathan Harker's Journal, has 24 words, not 1,200.",
    )
    renamed = ManifestEntry(title="Preface", words=4)
    assert check_manifest(documents, [*manifest[:-1], renamed]) == ("Document 7 is titled Note, not Preface.",)
    assert check_manifest(documents[:-1], manifest) == ("Document 7, Note, is missing.",)
    assert check_manifest(documents, manifest[:-1]) == ("Document 7, Note, is not in the manifest.",)


@needs_book
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_the_book_is_the_46_documents_of_the_manifest(line_end: str) -> None:
    """Titles, kinds and word counts agree, with either kind of line end."""
    text = BOOK.read_text(encoding="utf-8")
    documents = build_dracula("\ufeff" + text.replace("\n", line_end))
    manifest = json.loads((SAMPLE / "manifest.json").read_text(encoding="utf-8"))
    assert check_manifest(documents, manifest) == ()
    assert [document.kind for document in documents] == [entry["kind"] for entry in manifest]
    assert (len(documents), sum(document.words for document in documents)) == (46, 160_756)
    assert "Project Gutenberg" not in "".join(document.text for document in documents)


@needs_book
def test_the_task_is_proved_by_words_of_the_book() -> None:
    """Every quote of tasks.json stands in the document that it names, line breaks aside."""
    documents = build_dracula(BOOK.read_text(encoding="utf-8"))
    texts = {document.title: " ".join(document.text.split()) for document in documents}
    (task,) = json.loads((SAMPLE / "tasks.json").read_text(encoding="utf-8"))
    assert sum(victim["people"] for victim in task["expected"]["victims"]) == task["expected"]["total"] == 13
    for proof in task["evidence"]:
        assert proof["quote"] in texts[proof["document"]], proof
