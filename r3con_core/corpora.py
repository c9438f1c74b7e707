"""Filling a project: from files and folders, from uploads, from the sample corpora that come with the product."""

import hashlib
import json
import os
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from r3con_core.documents import Document, Source, make_document
from r3con_core.egress import place_of, proxy_for, reaching
from r3con_core.errors import CorpusError
from r3con_core.facts import Fact
from r3con_core.home import home_folder
from r3con_core.imports import Added, OnProgress, add_loadings, add_paths, ignore
from r3con_core.readers import LedgerLine, Loading, Outcome, join_loadings
from r3con_core.readers.dracula import DraculaDocument, build_dracula, check_manifest
from r3con_core.sendings import ANSWERED, BOOK, Ended, begin_at_home
from r3con_core.shipped import shipped
from r3con_core.store.documents import list_documents
from r3con_core.store.project import Project
from r3con_core.team import check_folder

SAMPLES = shipped("sample_corpora")
GUTENBERG = "https://www.gutenberg.org/cache/epub/345/pg345.txt"
GUTENBERG_HOST = "www.gutenberg.org"
_BOOK = "pg345.txt"
_LARGEST_BOOK = 5_000_000
"""Bytes; the file has 0.9 million."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleTask:
    """A question that comes with a sample corpus."""

    id: str
    kind: str
    """count, comparison, chain, table or graph."""
    question: str
    answer: str = ""
    """The right one."""
    notes: str = ""
    """For a judge: what else counts as right, and what must not be counted."""
    rule: str = "stated"
    """How an answer is scored: one of `verdicts.Rule`."""
    lenient: str = ""
    """Another answer that counts where one is lenient."""
    documents: tuple[str, ...] = ()
    """Paths, or titles where the corpus is made from a book, of the documents that prove it, each once."""
    facts: tuple[Fact, ...] = ()
    """What must be known to come to it, to be followed through what methods build."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleCorpus:
    """A corpus that comes with the product."""

    name: str
    title: str
    about: str
    """A short paragraph, plain text."""
    paths: tuple[str, ...]
    """Of its documents, as they are once loaded; empty when they are made from a book the user gives."""
    tasks: tuple[SampleTask, ...]

    @property
    def in_book(self) -> bool:
        """Its documents are made from a text that does not come with the product."""
        return not self.paths


def sample_corpora(folder: Path = SAMPLES) -> tuple[SampleCorpus, ...]:
    """All of them, smallest first."""
    found = [_sample(place) for place in folder.iterdir() if (place / "tasks.json").exists()]
    return tuple(sorted(found, key=lambda sample: (sample.in_book, len(sample.paths))))


def _sample(place: Path) -> SampleCorpus:
    blocks = (place / "README.md").read_text("utf-8").split("\n\n")
    tasks = json.loads((place / "tasks.json").read_text("utf-8"))
    return SampleCorpus(
        name=place.name,
        title=blocks[0].removeprefix("# "),
        about=blocks[1].replace("*", "").replace("`", "").strip(),
        paths=tuple(f"documents/{file.name}" for file in sorted((place / "documents").glob("*"))),
        tasks=tuple(map(_task, tasks)),
    )


def _task(told: Mapping[str, Any]) -> SampleTask:
    return SampleTask(
        id=told["id"],
        kind=told["kind"],
        question=told["question"],
        answer=told["answer"],
        notes=told.get("notes", ""),
        rule=told.get("rule", "stated"),
        lenient=told.get("lenient", ""),
        documents=tuple(dict.fromkeys(one["document"] for one in told["evidence"])),
        facts=tuple(
            Fact(id=fact["id"], says=fact["says"], parts=tuple(tuple(part) for part in fact["parts"]))
            for fact in told.get("facts", ())
        ),
    )


def sample_corpus(name: str) -> SampleCorpus:
    """The one called `name`; CorpusError when there is none."""
    found = next((sample for sample in sample_corpora() if sample.name == name), None)
    if found is None:
        names = ", ".join(sample.name for sample in sample_corpora())
        raise CorpusError(f"There is no sample corpus {name!r}. Choose one of: {names}.")
    return found


def samples_in(project: Project) -> tuple[SampleCorpus, ...]:
    """The sample corpora whose documents are all in the project, so that their questions can be offered."""
    paths = {line.path for line in list_documents(project)}
    from_book = any(path.startswith(f"{_BOOK} > ") for path in paths)
    return tuple(s for s in sample_corpora() if (from_book if s.in_book else paths.issuperset(s.paths)))


def add_sample(project: Project, name: str, on_progress: OnProgress = ignore) -> Added:
    """Read a sample corpus whose documents come with the product."""
    sample = sample_corpus(name)
    if sample.in_book:
        raise CorpusError(f"{sample.title} is made from a book: give its text with add_dracula.")
    return add_paths(project, [SAMPLES / name / "documents"], on_progress)


def add_dracula(project: Project, text: str, on_progress: OnProgress = ignore) -> Added:
    """Cut the novel into its documents, check them against the manifest, and keep them.

    Differences are named in the ledger line of the book. CorpusError when `text` is another book.
    """
    built = build_dracula(text)
    manifest = json.loads((SAMPLES / "dracula" / "manifest.json").read_text("utf-8"))
    differences = check_manifest(built, manifest)
    loading = Loading(
        ledger=(
            LedgerLine(
                path=_BOOK,
                outcome=Outcome.READ_WITH_WARNINGS if differences else Outcome.READ,
                reason=" ".join(differences) or f"a book of {len(built)} documents, all as in the manifest",
            ),
        )
    )
    parts = (_of_book(_document(document, number)) for number, document in enumerate(built, start=1))
    book = join_loadings([loading, *parts])
    return add_loadings(project, [replace(book, file_number=1, complete=True)], 1, on_progress)


def _document(document: DraculaDocument, number: int) -> Document:
    digest = hashlib.sha256(document.text.encode("utf-8", "surrogatepass")).hexdigest()
    source = Source(path=f"{_BOOK} > {number:02} {document.title}", sha256=digest, media_type="text/plain")
    return make_document(title=document.title, text=document.text, source=source)


def _of_book(document: Document) -> Loading:
    line = LedgerLine(path=document.source.path, outcome=Outcome.READ, document_id=document.id)
    return Loading(documents=(document,), ledger=(line,))


def read_book(file: Path) -> str:
    """The text of a book given as a file; CorpusError when it cannot be read."""
    check_folder(file.expanduser())
    try:
        return decode_book(file.expanduser().read_bytes())
    except OSError as error:
        raise CorpusError(f"The file {str(file)!r} cannot be read: {error.strerror}. Check the path.") from error


def decode_book(data: bytes) -> str:
    """The text of a book; CorpusError when it is not UTF-8, as Project Gutenberg serves it."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise CorpusError("This file is not text in UTF-8. Give pg345.txt as Project Gutenberg serves it.") from error


def fetch_book(url: str = GUTENBERG) -> bytes:
    """Download the novel from Project Gutenberg: the one place that connects to it. CorpusError when that fails."""
    request = urllib.request.Request(url, headers={"User-Agent": "R3Con-Analyst"})
    proxy = proxy_for(url, os.environ)
    ask = urllib.request.build_opener(urllib.request.ProxyHandler({"https": proxy} if proxy else {}), _NoRedirect)
    end = begin_at_home(home_folder(), BOOK, GUTENBERG_HOST)
    data = b""
    try:
        with reaching(place_of(proxy or url)), ask.open(request, timeout=60) as response:
            data = bytes(response.read(_LARGEST_BOOK))
    except (urllib.error.URLError, TimeoutError, ConnectionError) as error:
        raise CorpusError(
            f"The book could not be downloaded from {GUTENBERG_HOST} ({getattr(error, 'reason', error)}). "
            f"Check the connection, or download {GUTENBERG} by other means and give the file here."
        ) from error
    finally:
        end(Ended(outcome=ANSWERED if data else "not delivered", bytes_received=len(data)))
    return data


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect is an error: it might lead to another host than the one that was named."""

    def redirect_request(self, *_: object) -> None:
        """None: it is not followed."""
