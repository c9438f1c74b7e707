"""The corpora: Dracula, and any number of short documents that are the same each time."""

import random
from pathlib import Path

from r3con_core.corpora import add_dracula, read_book
from r3con_core.documents import Document, Source, make_document
from r3con_core.store.documents import LedgerEntry, add_documents, iter_documents
from r3con_core.store.project import Project, create_project_in

BOOK = Path(__file__).parents[3] / "shared" / "data" / "dracula" / "pg345.txt"
QUESTION = "Who sold how much to whom, in which order, and which of the sales does somebody deny?"
BOOK_QUESTION = "Which persons does Count Dracula kill in the course of the story, directly or by his doing?"
SALES = 8
"""Paragraphs of a short document: with so many the other side's figures are those the issue states."""
_FIRST = "Alfred Ida Josiah Samuel Edwin Clara Matthew Ruth Hugo Marian Silas Edith Jonas Agnes Walter Nora".split()
_LAST = "Penn Sorrel Venn Dunnock Quill Marsh Hale Orchard Tolman Skerry Pike Lowen Rudd Fenwick Askew Birch".split()
_PLACES = "Lime Quay, Town Quay, the Anchor, the corn exchange, Tolman's yard, the customs house, Mill Lane".split(", ")
_WARES = "lamp glass, rye, oak boards, salted cod, tin plate, sailcloth, candle wax, cider".split(", ")


def short_project(count: int, folder: Path) -> Project:
    """A project with `count` short documents."""
    project = create_project_in(folder, "Short documents")
    documents = [_short(number) for number in range(1, count + 1)]
    lines = [LedgerEntry(path=d.source.path, outcome="read", reason="", document_id=d.id) for d in documents]
    add_documents(project, documents, lines)
    return project


def dracula_project(folder: Path) -> Project:
    """A project with the 46 documents of the novel."""
    project = create_project_in(folder, "Dracula")
    add_dracula(project, read_book(BOOK))
    return project


def texts_of(project: Project) -> list[str]:
    """The documents as the other side is given them."""
    return [document.text for document in iter_documents(project)]


def _short(number: int) -> Document:
    """About 560 words, 840 of the simulator's tokens; what happens is the number's alone."""
    chance = random.Random(number)
    paragraphs = [f"Memorandum {number} of the harbour office, for the year.", *(_sale(chance) for _ in range(SALES))]
    source = Source(path=f"memo_{number:05}.txt", sha256="", media_type="text/plain")
    return make_document(title=f"memo {number}", text="\n\n".join(paragraphs), source=source)


def _sale(chance: random.Random) -> str:
    seller, buyer, witness = (f"{chance.choice(_FIRST)} {chance.choice(_LAST)}" for _ in range(3))
    ware, place, other = chance.choice(_WARES), chance.choice(_PLACES), chance.choice(_PLACES)
    crates, pounds, day = chance.randrange(5, 95), chance.randrange(20, 900), chance.randrange(1, 29)
    return (
        f"On {day} May 1931 {seller} sold {crates} crates of {ware} to {buyer} at {place} and was paid {pounds} pounds in "
        f"notes on the same day. {witness} saw the crates carried to {other} after dark and counted them twice. {buyer} "
        f"denies that the price was more than {pounds // 2} pounds. The carter was told to say nothing, and the entry in "
        f"the ledger of the harbour was made {chance.randrange(2, 9)} days later by another hand."
    )
