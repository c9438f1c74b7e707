"""The door to reading: files, folders and uploads become documents and a ledger; one bad file never stops the rest."""

import stat
import tempfile
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TypedDict, Unpack

from r3con_core.documents import Document
from r3con_core.readers import kinds
from r3con_core.readers.assembly import Assembly, Keep, Known, Numbered, Runner
from r3con_core.readers.content import Content
from r3con_core.readers.finds import Finds, HeldQueue, planned
from r3con_core.readers.ledger import (
    USUAL,
    LedgerLine,
    Loading,
    Outcome,
    Progress,
    ReadSettings,
    join_loadings,
    shown_name,
    told,
)
from r3con_core.readers.limits import MAX_FILE_BYTES, USUAL_LIMITS, Limits
from r3con_core.readers.listing import Listed, list_files, plan_of, unopened
from r3con_core.readers.productions import Plan
from r3con_core.readers.reading import Node, Pack, findings, take_file

__all__ = [
    "MAX_FILE_BYTES",
    "Options",
    "count_files",
    "iter_load",
    "iter_load_bytes",
    "load_bytes",
    "load_paths",
]
BETWEEN_SIGNS = 1.0
"""Seconds after which a piece without documents and lines says what is being read."""


def nothing_known(_key: str) -> LedgerLine | None:
    """Nothing was read before."""


def keep_nothing(_document: Document, _content: Content, _on_disk: Path | None) -> None:
    """Leave the bytes of documents where they are."""


class Options(TypedDict, total=False):
    """How to read; all may be left out."""

    settings: ReadSettings
    isolated: bool
    """Read in processes of their own, several at a time; a file that crashes, hangs or eats memory costs that file."""
    skip: int
    """How many files, from the first, were read before and are left out now."""
    only: int
    """The number of the one file to read; 0 for all."""
    known: Known
    keep: Keep
    limits: Limits
    scratch: Path
    """Where containers are unpacked, in a folder that is removed in the end; by default where temporary files lie."""
    reader: Sequence[str]
    """The command line of a reader process; by default our own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Options:
    settings: ReadSettings = USUAL
    isolated: bool = False
    skip: int = 0
    only: int = 0
    known: Known = nothing_known
    keep: Keep = keep_nothing
    limits: Limits = USUAL_LIMITS
    scratch: Path | None = None
    reader: Sequence[str] = ()


def load_paths(paths: Sequence[Path], **options: Unpack[Options]) -> Loading:
    """All documents of the files and folders, folders in sorted order with all they hold, and the ledger.

    Raises CorpusError when a path does not exist; everything else that goes wrong is a line of the ledger.
    """
    return join_loadings(iter_load(paths, **options))


def iter_load(paths: Sequence[Path], **options: Unpack[Options]) -> Generator[Loading, None, None]:
    """Like `load_paths`, in pieces as they are read, so that nothing has to be in memory whole.

    Pieces come in the order of the ledger, whichever file was read first: a container before its members, a mail before
    what is attached to it. Each tells the number of its file, as `count_files` counts, and the last piece of a file is
    `complete`. An import that was killed goes on with `skip=` the last complete number, after what is kept of the
    incomplete file is deleted: its ledger comes out the same. `known` is then asked for equal bytes and documents of
    the files before; what it is asked for is the SHA-256 of a file, or the id of a document.

    While nothing new can be told for some time, pieces come that hold nothing but `under_way`. Closing the iterator
    ends all reader processes.
    """
    chosen = _Options(**options)
    listed = list(list_files(paths))
    return _load(_from_disk(listed, chosen), chosen)


def count_files(paths: Sequence[Path]) -> int:
    """How many files `iter_load` will number. Raises CorpusError when a path does not exist."""
    return sum(1 for _ in list_files(paths))


def load_bytes(name: str, data: bytes, **options: Unpack[Options]) -> Loading:
    """The documents of one upload; `name` may have folders in it and is never used to open anything."""
    return join_loadings(iter_load_bytes([(name, Content.held(data))], **options))


def iter_load_bytes(files: Iterable[tuple[str, Content]], **options: Unpack[Options]) -> Generator[Loading, None, None]:
    """Like `iter_load`, of uploads, given as name and bytes; equal ones are found across all of them."""
    chosen = _Options(**options)
    return _load(_from_uploads(files, chosen), chosen)


def _load(items: Iterable[Numbered], chosen: _Options) -> Generator[Loading, None, None]:
    with ExitStack() as stack:
        runner: Runner
        if chosen.isolated:
            from r3con_core.readers.isolation.pool import Pool

            pool = Pool(chosen.settings, chosen.limits, command=chosen.reader, scratch=chosen.scratch)
            runner = stack.enter_context(pool)
        else:
            runner = stack.enter_context(_InThisProcess(chosen))
        assembly = Assembly(runner, chosen.limits, known=chosen.known, keep=chosen.keep)
        yield from assembly.load(items)


def _from_disk(listed: Sequence[Listed], chosen: _Options) -> Iterator[Numbered]:
    made = plan_of(listed)
    for number, found in enumerate(listed, start=1):
        if number > chosen.skip and chosen.only in (0, number):
            yield Numbered(number=number, nodes=tuple(_nodes(found, number, made)))


def _nodes(found: Listed, number: int, made: Plan) -> Iterator[Node | LedgerLine]:
    if isinstance(found, LedgerLine):
        yield found
        return
    try:
        if not stat.S_ISREG(found.path.stat().st_mode):
            yield LedgerLine(path=found.shown, outcome=Outcome.REFUSED, reason="not an ordinary file")
            return
        content, sha256, changed = take_file(found.path)
    except OSError as fault:
        yield unopened(found.shown, fault)
        return
    node = Node(key=(number,), path=found.shown, content=content, sha256=sha256, on_disk=found.path, changed=changed)
    yield from planned(node, made)


def _from_uploads(files: Iterable[tuple[str, Content]], chosen: _Options) -> Iterator[Numbered]:
    for number, (name, content) in enumerate(files, start=1):
        if number > chosen.skip and chosen.only in (0, number):
            yield Numbered(number=number, nodes=(_upload(name, content, number),))


def _upload(name: str, content: Content, number: int) -> Node | LedgerLine:
    """What is to be read of an upload; browsers send the hidden files of a folder too."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    path = shown_name("/".join(parts)) or "unnamed"
    if kinds.is_clutter(path):
        return LedgerLine(path=path, outcome=Outcome.SKIPPED, reason="a hidden or system file")
    return Node(key=(number,), path=path, content=content, sha256=content.sha256())


class _InThisProcess:
    """Reads each node when it is asked for."""

    def __init__(self, chosen: _Options) -> None:
        self._settings, self._limits, self._parent = chosen.settings, chosen.limits, chosen.scratch
        self._folder = ExitStack()
        self._numbers = count()

    def __enter__(self) -> "_InThisProcess":
        scratch = self._folder.enter_context(tempfile.TemporaryDirectory(prefix="r3con-", dir=self._parent))
        self._scratch = Path(scratch)
        return self

    def __exit__(self, *_error: object) -> None:
        self._folder.close()

    def ahead(self, items: Iterable[Numbered], _wanted: Callable[[Node], bool]) -> Iterator[Numbered]:
        """The same items, one after the other."""
        return iter(items)

    def forget(self, node: Node) -> None:
        """Nothing was begun."""

    @contextmanager
    def reading(self, node: Node) -> Iterator["_Reading"]:
        """The reading of a node; its members' bytes are there until the end."""
        path = self._scratch / f"{next(self._numbers)}.pack"
        pack = Pack(path, self._limits)
        try:
            yield _Reading(node, self._settings, self._limits, pack)
        finally:
            pack.close()
            path.unlink(missing_ok=True)


class _Reading:
    """The reading of one node in this process."""

    def __init__(self, node: Node, settings: ReadSettings, limits: Limits, pack: Pack) -> None:
        self.finds = Finds(node, own=HeldQueue(), below=HeldQueue())
        self._events = findings(node, settings, limits, pack)

    def wait(self) -> Iterator[str]:
        """Read it."""
        told_at = time.monotonic()
        for event in self._events:
            self.finds.add(event)
            if isinstance(event, Progress) and time.monotonic() > told_at + BETWEEN_SIGNS:
                told_at = time.monotonic()
                yield told(self.finds.node.path, event)
        self.finds.finish()
