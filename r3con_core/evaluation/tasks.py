"""One task of an evaluation: a question, what is right, and how its documents come into a project."""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from r3con_core.documents import Source, make_document
from r3con_core.imports import add_loadings
from r3con_core.readers import LedgerLine, Loading, Outcome
from r3con_core.store.project import Project
from r3con_core.verdicts import Gold


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationTask:
    """One question over documents of its own."""

    id: str
    question: str
    """As the methods are asked it."""
    gold: Gold
    labels: tuple[tuple[str, str], ...]
    """By what results are told apart, such as ("domain", "finance")."""
    fill: Callable[[Project], None]
    """Puts its documents into an empty project."""
    corpus: str = ""
    """Tasks that name the same one have the same documents; empty: its documents are its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Malformed:
    """A row that is no task; the others go on."""

    line: int
    """From 1."""
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A document of a data set."""

    title: str
    text: str


def filling(texts: Sequence[Text], origin: str) -> Callable[[Project], None]:
    """Puts `texts` into a project in their order; `origin` is the file that their paths name."""

    def fill(project: Project) -> None:
        add_loadings(project, (_loading(one, number, origin) for number, one in enumerate(texts, 1)), len(texts))

    return fill


def _loading(one: Text, number: int, origin: str) -> Loading:
    digest = hashlib.sha256(one.text.encode("utf-8", "surrogatepass")).hexdigest()
    source = Source(path=f"{origin} > {number:04} {one.title}", sha256=digest, media_type="text/plain")
    document = make_document(title=one.title, text=one.text, source=source)
    line = LedgerLine(path=source.path, outcome=Outcome.READ, document_id=document.id)
    return Loading(documents=(document,), ledger=(line,), file_number=number)


def only(tasks: Iterable[EvaluationTask | Malformed], limit: int | None) -> Iterable[EvaluationTask | Malformed]:
    """Up to the first `limit` tasks, with the malformed rows among them."""
    left = limit
    for task in tasks:
        if left is not None and isinstance(task, EvaluationTask):
            if left == 0:
                return
            left -= 1
        yield task
