"""Out of what was found in each file come the documents and the ledger, in the order of the files."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from r3con_core.documents import Document
from r3con_core.readers import kinds
from r3con_core.readers.content import Content
from r3con_core.readers.finds import Child, Finds
from r3con_core.readers.ledger import LedgerLine, Loading, Outcome
from r3con_core.readers.limits import Limits
from r3con_core.readers.reading import Node
from r3con_core.readers.text import has_words, one_line

Known = Callable[[str], LedgerLine | None]
"""The line of what was read before from bytes with this SHA-256, or as the document with this id; None if nothing."""
Keep = Callable[[Document, Content, Path | None], None]
"""Told of each document, the bytes it was read from, and the file they are; None for members and uploads."""


_First = tuple[str, str, str]
"""Path, document and media type of what was read first."""


class Reading(Protocol):
    """The reading of one node under way."""

    @property
    def finds(self) -> Finds:
        """What was found; complete when `wait` has ended."""

    def wait(self) -> Iterator[str]:
        """Wait for its end; gives, every second or so, what is being read meanwhile."""


class Runner(Protocol):
    """What reads nodes: in this process one after the other, or ahead in processes of their own."""

    def ahead(self, items: Iterable["Numbered"], wanted: Callable[[Node], bool]) -> Iterator["Numbered"]:
        """The same items; those to come may be taken, and what is `wanted` of them read, before they are asked for."""

    def reading(self, node: Node) -> AbstractContextManager[Reading]:
        """The reading of a node; what is left of it and of its members is forgotten in the end."""

    def forget(self, node: Node) -> None:
        """Tell that this node will not be asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbered:
    """What became of the listing's file with this number: something to be read, or lines."""

    number: int
    nodes: tuple[Node | LedgerLine, ...]


@dataclass(slots=True)
class _Allowance:
    """What may still be taken out of one file on disk."""

    members: int
    size: int


class Assembly:
    """Puts together what a runner reads, and remembers it, so that nothing is kept twice."""

    def __init__(self, runner: Runner, limits: Limits, *, known: Known, keep: Keep) -> None:
        """Of the same bytes the first in order is kept, whichever was read first."""
        self._runner, self._limits = runner, limits
        self._known, self._keep_original = known, keep
        self._read: dict[str, _First] = {}
        """What was read first, by the SHA-256 of its bytes and by the id of its document."""

    def load(self, items: Iterable[Numbered]) -> Iterator[Loading]:
        """One or more pieces for each item, the last of which is complete."""
        for item in self._runner.ahead(items, self.is_wanted):
            last: Loading | None = None
            for piece in self._load_item(item):
                if last is not None:
                    yield replace(last, file_number=item.number, complete=False)
                last = piece
            yield replace(last or Loading(), file_number=item.number, complete=True)

    def is_wanted(self, node: Node) -> bool:
        """Whether a node is worth reading ahead, as far as can be said now."""
        return bool(node.content.size) and node.depth <= self._limits.depth and node.sha256 not in self._read

    def _load_item(self, item: Numbered) -> Iterator[Loading]:
        for node in item.nodes:
            if isinstance(node, LedgerLine):
                yield Loading(ledger=(node,))
            else:
                yield from self._load(node, family="", allowance=None)

    def _load(self, node: Node, *, family: str, allowance: _Allowance | None) -> Iterator[Loading]:
        """Its own line first, then those of what it holds; `family` is the document it is attached to."""
        line = self._without_reading(node)
        if line is not None:
            self._runner.forget(node)
            yield Loading(ledger=(line,))
            return
        with self._runner.reading(node) as reading:
            for under_way in reading.wait():
                yield Loading(under_way=under_way)
            finds = reading.finds
            if allowance is None:
                allowance = _Allowance(self._limits.members_of(finds.kind), self._limits.unpacked_bytes)
            yield from self._assemble(finds, family=family, allowance=allowance)

    def _without_reading(self, node: Node) -> LedgerLine | None:
        stated = {"path": node.path, "sha256": node.sha256, "size": node.content.size}
        if not node.content.size:
            reason = "the file is empty (0 bytes)"
            return LedgerLine(outcome=Outcome.NOTHING_IN_IT, reason=reason, **stated)  # type: ignore[arg-type]
        if node.depth > self._limits.depth:
            reason = f"lies inside more than {self._limits.depth} containers"
            return LedgerLine(outcome=Outcome.REFUSED, reason=reason, **stated)  # type: ignore[arg-type]
        first = None if node.companions else self._first(node.sha256)
        return None if first is None else _duplicate(node, first, "the same bytes as")

    def _first(self, key: str) -> _First | None:
        if key in self._read:
            return self._read[key]
        line = self._known(key)
        return None if line is None else (line.path, line.document_id, line.media_type)

    def _assemble(self, finds: Finds, *, family: str, allowance: _Allowance) -> Iterator[Loading]:
        node = finds.node
        takes_all = finds.files <= allowance.members and finds.size <= allowance.size
        if not takes_all:
            reason = self._limits.beyond(finds.kind)
            finds.faults.append(LedgerLine(path=node.path, outcome=Outcome.REFUSED, reason=reason))
        own = finds.own()
        if own is None:
            piece = Loading(ledger=(_container_line(finds, min(finds.files, allowance.members)),))
        else:
            piece = self._keep(replace(own, parent=own.parent or family), node=node, finds=finds)
        line = piece.ledger[0]
        if line.outcome in (Outcome.READ, Outcome.READ_WITH_WARNINGS):
            self._read[node.sha256] = (node.path, line.document_id, finds.kind)
        yield piece
        family = node.path if piece.documents else family
        below = _within(finds.children(), allowance) if not takes_all else finds.children()
        if takes_all:
            allowance.members -= finds.files
            allowance.size -= finds.size
        yield from self._load_children(below, finds, family=family, allowance=allowance)

    def _load_children(
        self, children: Iterable[Child], finds: Finds, *, family: str, allowance: _Allowance
    ) -> Iterator[Loading]:
        for child in children:
            if isinstance(child, LedgerLine):
                yield Loading(ledger=(child,))
            elif isinstance(child, Document):
                yield self._keep(replace(child, parent=child.parent or family), node=finds.node, finds=None)
            else:
                yield from self._load(child, family=family, allowance=allowance)

    def _keep(self, document: Document, *, node: Node, finds: Finds | None) -> Loading:
        """The document with its line, or only a line when it has no text or is there already.

        `finds` are those of the file the document is of, None when it is of a part of a file.
        """
        source = document.source
        notes, faults = _sorted_faults(finds.faults if finds else ())
        warnings = (*document.warnings, *kinds.name_warnings(source.media_type, source.path), *faults)
        line = LedgerLine(
            path=source.path,
            outcome=Outcome.READ_WITH_WARNINGS if warnings or _sets_aside(document) else Outcome.READ,
            reason=" ".join((*warnings, *notes)),
            document_id=document.id,
            sha256=source.sha256,
            size=node.content.size if finds else None,
            media_type=source.media_type,
            pages=document.pages,
            pages_read=max(0, document.pages - len(document.unread_pages)),
            locked=any(fault.locked for fault in finds.faults) if finds else False,
        )
        if not has_words(document.text) and not _sets_aside(document):
            outcome = Outcome.NOT_READABLE if document.unread_pages else Outcome.NOTHING_IN_IT
            reason = line.reason or "there is no text in it"
            return Loading(ledger=(replace(line, outcome=outcome, reason=reason, document_id=""),))
        if (first := self._first(document.id)) is not None:
            reason = f"the same name and text as {first[0]}"
            return Loading(ledger=(replace(line, outcome=Outcome.DUPLICATE, reason=reason),))
        self._read[document.id] = (source.path, document.id, source.media_type)
        kept = replace(document, warnings=warnings, title=one_line(document.title))
        self._keep_original(kept, node.content, node.on_disk)
        return Loading(documents=(kept,), ledger=(line,))


def _sets_aside(document: Document) -> bool:
    return any(finding.set_aside for finding in document.findings)


def _sorted_faults(lines: Sequence[LedgerLine]) -> tuple[list[str], list[str]]:
    """What the lines of a file itself say: notes, which leave it as read, and faults."""
    notes = [line.reason for line in lines if line.outcome is Outcome.READ]
    return notes, [line.reason for line in lines if line.outcome is not Outcome.READ]


def _duplicate(node: Node, first: _First, how: str) -> LedgerLine:
    path, document_id, media_type = first
    return LedgerLine(
        path=node.path,
        outcome=Outcome.DUPLICATE,
        reason=f"{how} {path}",
        document_id=document_id,
        sha256=node.sha256,
        size=node.content.size,
        media_type=media_type,
    )


def _within(children: Iterable[Child], allowance: _Allowance) -> Iterator[Child]:
    """The first of them, as many as are allowed; then nothing is left of the allowance."""
    for child in children:
        allowance.members -= not isinstance(child, Document)
        allowance.size -= child.content.size if isinstance(child, Node) else 0
        if allowance.members < 0 or allowance.size < 0:
            break
        yield child
    allowance.members = allowance.size = 0


def _container_line(finds: Finds, files: int) -> LedgerLine:
    """The line of a file without a text of its own, of whose members `files` are told."""
    node = finds.node
    stated = {"path": node.path, "sha256": node.sha256, "size": node.content.size, "media_type": finds.kind}
    notes, faults = _sorted_faults(finds.faults)
    faults += kinds.name_warnings(finds.kind, node.path)
    if not files and not finds.documents:
        return _barren_line(finds, stated)
    counted = [(files, "a container of", "file"), (finds.documents, "read as", "document")]
    holds = " and ".join(f"{how} {count} {what}{'' if count == 1 else 's'}" for count, how, what in counted if count)
    outcome = Outcome.READ_WITH_WARNINGS if faults else Outcome.READ
    reason = "; ".join([holds, *faults, *notes])
    locked = any(line.locked for line in finds.faults)
    return LedgerLine(outcome=outcome, reason=reason, locked=locked, **stated)  # type: ignore[arg-type]


def _barren_line(finds: Finds, stated: dict[str, object]) -> LedgerLine:
    """The line of a file in which nothing was found."""
    if not finds.faults:
        return LedgerLine(outcome=Outcome.NOTHING_IN_IT, reason="there is nothing in it", **stated)  # type: ignore[arg-type]
    worst = next((line for line in finds.faults if line.outcome is not Outcome.READ), finds.faults[0])
    reason = "; ".join(dict.fromkeys(line.reason for line in finds.faults))
    locked = any(line.locked for line in finds.faults)
    return LedgerLine(outcome=worst.outcome, reason=reason, locked=locked, **stated)  # type: ignore[arg-type]
