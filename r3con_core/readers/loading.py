"""Files, folders and uploads become documents and a ledger; one bad file never stops the rest."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from r3con_core.documents import Document, Source
from r3con_core.errors import CorpusError
from r3con_core.readers import kinds
from r3con_core.readers.content import Content
from r3con_core.readers.ledger import (
    File,
    Found,
    LedgerLine,
    Loading,
    LockedError,
    Member,
    Outcome,
    Progress,
    join_loadings,
    member_path,
    shown_name,
)
from r3con_core.readers.registry import READERS
from r3con_core.readers.text import has_words, one_line

MAX_FILE_BYTES = 512 * 2**20
MAX_MEMBERS = 20_000
"""Members, at any depth, that are taken out of one file."""
MAX_UNPACKED_BYTES = 2 * 2**30
"""Bytes, at any depth, that are taken out of one file."""
MAX_DEPTH = 10
"""Containers inside each other."""


def load_paths(paths: Sequence[Path]) -> Loading:
    """All documents of the files and folders, folders in sorted order with all they hold, and the ledger.

    Raises CorpusError when a path does not exist; everything else that goes wrong is a line of the ledger.
    """
    return join_loadings(iter_load(paths))


def iter_load(paths: Sequence[Path]) -> Iterator[Loading]:
    """Like `load_paths`, one small loading for each file, as many as `count_files` says."""
    _check(paths)
    loader = _Loader()
    return (loader.load_found(found) for path in paths for found in _find(path))


def count_files(paths: Sequence[Path]) -> int:
    """How many loadings `iter_load` will give."""
    _check(paths)
    return sum(1 for path in paths for _ in _find(path))


def load_bytes(name: str, data: bytes) -> Loading:
    """The documents of one upload; `name` may have folders in it and is never used to open anything."""
    return join_loadings(iter_load_bytes([(name, data)]))


def iter_load_bytes(files: Iterable[tuple[str, bytes]]) -> Iterator[Loading]:
    """One loading for each upload, given as name and bytes; equal ones are found across all of them."""
    loader = _Loader()
    return (loader.load_upload(data, _upload_path(name)) for name, data in files)


def read_file(file: File) -> Iterator[Found]:
    """What the reader of the file's media type finds; whatever it raises becomes a ledger line of the file."""
    source = file.source
    try:
        yield from READERS[source.media_type](file)
    except LockedError as fault:
        yield LedgerLine(path=source.path, outcome=Outcome.NOT_READABLE, reason=str(fault), locked=True)
    except CorpusError as fault:
        yield LedgerLine(path=source.path, outcome=Outcome.NOT_READABLE, reason=str(fault))
    except Exception as fault:  # noqa: BLE001 - a hostile file may raise anything, and must not stop the other files
        reason = f"damaged, or not what it seems to be ({type(fault).__name__}: {shown_name(str(fault))[:150]})"
        yield LedgerLine(path=source.path, outcome=Outcome.NOT_READABLE, reason=reason)


def _check(paths: Sequence[Path]) -> None:
    missing = ", ".join(shown_name(str(path)) for path in paths if not _is_there(path))
    if missing:
        raise CorpusError(
            f"There is no file or folder {missing} that may be opened. Check its spelling and its rights."
        )


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name too long, or a folder that may not be entered
        return False


_Found = tuple[Path, str] | LedgerLine
"""A file to read and its path for the analyst, or what to say of one that is not opened."""


def _find(path: Path) -> Iterator[_Found]:
    # Resolved only when it has no name of its own: a given link is known by its name, not by what it points to.
    name = shown_name(path.name if path.name not in ("", "..") else path.resolve().name)
    if not path.is_dir():
        yield path, name
        return
    empty = True
    for found in _find_in(path, name):
        empty = False
        yield found
    if empty:
        yield LedgerLine(path=name, outcome=Outcome.NOTHING_IN_IT, reason="the folder is empty")


def _find_in(folder: Path, shown: str) -> Iterator[_Found]:
    try:
        entries = sorted(folder.iterdir())
    except OSError as fault:
        yield _unopened(shown, fault)
        return
    for entry in entries:
        path = f"{shown}/{shown_name(entry.name)}"
        if kinds.is_clutter(entry.name):
            yield LedgerLine(path=path, outcome=Outcome.SKIPPED, reason="a hidden or system file")
        elif entry.is_symlink():
            yield LedgerLine(path=path, outcome=Outcome.REFUSED, reason="a link; links are not followed")
        elif entry.is_dir():
            yield from _find_in(entry, path)
        else:
            yield entry, path


def _unopened(path: str, fault: OSError) -> LedgerLine:
    return LedgerLine(path=path, outcome=Outcome.NOT_READABLE, reason=f"cannot be opened: {fault.strerror or fault}")


def _upload_path(name: str) -> str:
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    return shown_name("/".join(parts)) or "unnamed"


class _Loader:
    """Loads one file after the other and remembers what it has read, so that nothing is read twice."""

    def __init__(self) -> None:
        self._read: dict[str, LedgerLine] = {}
        """The line of each file read, by the SHA-256 of its bytes."""
        self._ids: dict[str, str] = {}
        """The path of each document, by its id."""
        self._members_left = MAX_MEMBERS
        self._bytes_left = MAX_UNPACKED_BYTES

    def load_found(self, found: _Found) -> Loading:
        """What a file on disk holds; a file that cannot be opened is a line."""
        if isinstance(found, LedgerLine):
            return Loading(ledger=(found,))
        path, shown = found
        try:
            if not path.is_file():
                return _nothing(shown, Outcome.REFUSED, "not an ordinary file")
            if path.stat().st_size > MAX_FILE_BYTES:
                return _nothing(shown, Outcome.REFUSED, f"larger than {MAX_FILE_BYTES // 2**20} MB")
            data = path.read_bytes()
        except OSError as fault:
            return Loading(ledger=(_unopened(shown, fault),))
        return self.load_file(data, shown)

    def load_upload(self, data: bytes, path: str) -> Loading:
        """What an upload holds; browsers send the hidden files of a folder too."""
        if kinds.is_clutter(path):
            return _nothing(path, Outcome.SKIPPED, "a hidden or system file")
        return self.load_file(data, path)

    def load_file(self, data: bytes, path: str) -> Loading:
        """What one file holds, with the whole allowance for its members."""
        self._members_left, self._bytes_left = MAX_MEMBERS, MAX_UNPACKED_BYTES
        return self._load(data, path, depth=0)

    def _load(self, data: bytes, path: str, *, depth: int) -> Loading:
        if not data:
            return _nothing(path, Outcome.NOTHING_IN_IT, "the file is empty (0 bytes)")
        digest = hashlib.sha256(data).hexdigest()
        if first := self._read.get(digest):
            return _duplicate(path, first, "the same bytes as")
        media_type = kinds.detect(data, path)
        if media_type not in READERS:
            return _nothing(path, Outcome.NOT_READABLE, kinds.why_not(media_type, path))
        # Noted before its members are read, because an archive may hold itself.
        self._read[digest] = LedgerLine(path=path, outcome=Outcome.READ)
        loading = self._load_findings(data, Source(path=path, sha256=digest, media_type=media_type), depth=depth)
        self._read[digest] = loading.ledger[0]
        if loading.ledger[0].outcome not in (Outcome.READ, Outcome.READ_WITH_WARNINGS):
            del self._read[digest]
        return loading

    def _load_findings(self, data: bytes, source: Source, *, depth: int) -> Loading:
        """The file's own line first, then the documents and lines of what it holds."""
        own: list[Document] = []
        faults: list[LedgerLine] = []
        below: list[Loading] = []
        found = read_file(File(content=Content.held(data), source=source))
        for finding in (one for one in found if not isinstance(one, Progress)):
            if isinstance(finding, Document) and finding.source.path == source.path:
                own.append(finding)
            elif isinstance(finding, Document):
                below.append(self._keep(finding, faults=()))
            elif isinstance(finding, LedgerLine) and finding.path == source.path:
                faults.append(finding)
            elif not self._allows(finding):
                faults.append(_beyond_the_limits(source.path))
                break
            elif isinstance(finding, LedgerLine):
                below.append(Loading(ledger=(finding,)))
            else:
                below.append(self._load_member(finding, source, depth=depth))
        held = join_loadings(below)
        if not own:
            return join_loadings([Loading(ledger=(_container_line(source.path, faults, held),)), held])
        kept = [self._keep(document, faults=[fault.reason for fault in faults]) for document in own]
        return join_loadings([*kept, held])

    def _allows(self, finding: Member | LedgerLine) -> bool:
        self._members_left -= 1
        self._bytes_left -= len(finding.data) if isinstance(finding, Member) else 0
        return self._members_left >= 0 and self._bytes_left >= 0

    def _load_member(self, member: Member, source: Source, *, depth: int) -> Loading:
        path = member_path(source, member.name)
        if depth + 1 > MAX_DEPTH:
            return _nothing(path, Outcome.REFUSED, f"lies inside more than {MAX_DEPTH} containers")
        return self._load(member.data, path, depth=depth + 1)

    def _keep(self, document: Document, *, faults: Sequence[str]) -> Loading:
        """The document with its line, or only a line when it has no text or is there already."""
        source = document.source
        warnings = (*document.warnings, *kinds.name_warnings(source.media_type, source.path), *faults)
        if not has_words(document.text):
            return _nothing(source.path, Outcome.NOTHING_IN_IT, " ".join(warnings) or "there is no text in it")
        if document.id in self._ids:
            line = LedgerLine(path=self._ids[document.id], outcome=Outcome.READ, document_id=document.id)
            return _duplicate(source.path, line, "the same name and text as")
        self._ids[document.id] = source.path
        line = LedgerLine(
            path=source.path,
            outcome=Outcome.READ_WITH_WARNINGS if warnings else Outcome.READ,
            reason=" ".join(warnings),
            document_id=document.id,
        )
        kept = replace(document, warnings=warnings, title=one_line(document.title))
        return Loading(documents=(kept,), ledger=(line,))


def _nothing(path: str, outcome: Outcome, reason: str) -> Loading:
    return Loading(ledger=(LedgerLine(path=path, outcome=outcome, reason=reason),))


def _duplicate(path: str, first: LedgerLine, how: str) -> Loading:
    reason = f"{how} {first.path}"
    line = LedgerLine(path=path, outcome=Outcome.DUPLICATE, reason=reason, document_id=first.document_id)
    return Loading(ledger=(line,))


def _beyond_the_limits(path: str) -> LedgerLine:
    reason = f"it holds more than {MAX_MEMBERS:,} files or {MAX_UNPACKED_BYTES // 2**30} GB; the rest was not read"
    return LedgerLine(path=path, outcome=Outcome.REFUSED, reason=reason)


def _container_line(path: str, faults: Sequence[LedgerLine], held: Loading) -> LedgerLine:
    """The line of a file without a text of its own."""
    if not held.ledger:
        return faults[0] if faults else _nothing(path, Outcome.NOTHING_IN_IT, "there is nothing in it").ledger[0]
    holds = f"a container of {len(held.ledger)} {'file' if len(held.ledger) == 1 else 'files'}"
    if not faults:
        return LedgerLine(path=path, outcome=Outcome.READ, reason=holds)
    reason = "; ".join([holds, *(fault.reason for fault in faults)])
    return LedgerLine(path=path, outcome=Outcome.READ_WITH_WARNINGS, reason=reason)
