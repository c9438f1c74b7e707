"""The index over the texts of all documents, kept beside them; it holds no text, so a search reads the texts again.

Each text is cut into pieces of PIECE characters. `search_grams` knows which groups of three folded characters a piece
has (row id: number of the text, then number of the piece), `search_words` which words of one or two letters, and
which single characters and pairs of scripts without blanks, a text has. Neither knows where. `search_texts` has a text's
number, the byte at which each of its pieces starts, and its sketch (see `sketches`).
"""

import re
import sqlite3
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from r3con_core.documents import Document
from r3con_core.folding import UNSPACED, fold, pieces
from r3con_core.store.project import Project
from r3con_core.store.sketches import sketch

PIECE = 4_000
"""Characters. Half as many make the index a fifth larger, twice as many make searches read twice as much."""
OVERLAP = 48
"""Folded characters of the next piece that are indexed with each."""
PIECE_BITS = 24
_AT_ONCE = 4 << 20
"""Characters indexed in one transaction when a project is brought up to date."""
_UNSPACED_RUN = re.compile(f"[{UNSPACED}]+")


def index_documents(db: sqlite3.Connection, documents: Iterable[Document]) -> None:
    """Put documents into the index that are not in it yet, inside the transaction that is open on `db`."""
    for document in documents:
        if db.execute("select 1 from search_texts where document_id = ?", (document.id,)).fetchone() is None:
            _index(db, document.id, document.text)


def _index(db: sqlite3.Connection, document_id: str, text: str) -> None:
    made = sketch(text)
    added = db.execute(
        "insert into search_texts (document_id, starts, same, sketch) values (?, ?, ?, ?)",
        (document_id, _starts(text), made.same, made.minima),
    )
    number = added.lastrowid or 0
    db.executemany("insert into search_grams (rowid, text) values (?, ?)", _gram_rows(number, text))
    db.execute("insert into search_words (rowid, words) values (?, ?)", (number, short_words(text)))


def unindex(db: sqlite3.Connection, ids: Sequence[str]) -> None:
    """Take documents out of the index, before they are deleted, inside the transaction that is open on `db`."""
    for document_id in ids:
        row = db.execute(
            "select number, text from search_texts join documents on id = document_id where document_id = ?",
            (document_id,),
        ).fetchone()
        if row is None:
            continue
        number, text = row
        # An index that holds no text must be told again what it was given.
        db.executemany(
            "insert into search_grams (search_grams, rowid, text) values ('delete', ?, ?)", _gram_rows(number, text)
        )
        db.execute(
            "insert into search_words (search_words, rowid, words) values ('delete', ?, ?)", (number, short_words(text))
        )
        db.execute("delete from search_texts where number = ?", (number,))


def index_missing(project: Project, on_progress: Callable[[int, int], None] | None = None) -> int:
    """Index documents that came into the project without it, from an earlier version or a run file; how many.

    About 8 seconds for 100 MB. `on_progress` is told documents done and documents in all.
    """
    missing = [
        document_id
        for (document_id,) in project.db.execute(
            "select id from documents where id not in (select document_id from search_texts) order by position"
        )
    ]
    done = 0
    for batch in _batches(project, missing):
        with project.change() as db:
            for document_id in batch:
                row = db.execute("select text from documents where id = ?", (document_id,)).fetchone()
                known = db.execute("select 1 from search_texts where document_id = ?", (document_id,)).fetchone()
                if row is not None and known is None:
                    _index(db, document_id, row[0])
        done += len(batch)
        if on_progress is not None:
            on_progress(done, len(missing))
    return done


def _batches(project: Project, ids: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for document_id in ids:
        batch.append(document_id)
        size += project.db.execute("select length(text) from documents where id = ?", (document_id,)).fetchone()[0]
        if size >= _AT_ONCE:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _gram_rows(number: int, text: str) -> Iterator[tuple[int, str]]:
    # Two blanks, so that the last characters begin a group of three as well.
    return (
        (number << PIECE_BITS | piece.number, fold(piece.text) + "  ")
        for piece in pieces(text, size=PIECE, overlap=OVERLAP)
    )


def _starts(text: str) -> bytes:
    """Where in the UTF-8 form of `text` each piece starts, and where the last one ends: 8 bytes each."""
    places = array("q", [0])
    for start in range(0, len(text), PIECE):
        places.append(places[-1] + len(text[start : start + PIECE].encode()))
    return places.tobytes()


class _Blanks(dict[int, str]):
    """Code point -> itself when it is a letter or digit of a script with blanks between words, else a blank."""

    def __missing__(self, code: int) -> str:
        sign = chr(code)
        kept = self[code] = sign if sign.isalnum() and not _UNSPACED_RUN.match(sign) else " "
        return kept


_BLANKS = _Blanks()


def short_words(text: str) -> str:
    """The words that are too short for groups of three, each once, with blanks between them."""
    found: set[str] = set()
    for piece in pieces(text, size=1 << 20, overlap=OVERLAP):
        folded = fold(piece.text)
        found.update(word for word in set(folded.translate(_BLANKS).split()) if len(word) < 3)
        if not folded.isascii():
            for run in _UNSPACED_RUN.findall(folded):
                found.update(run, map("".join, pairwise(run)))
    return " ".join(sorted(found))
