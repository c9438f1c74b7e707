"""Reading files and folders into a project: kept file by file, to be stopped, killed and resumed at any point.

An import belongs to no screen: it is started as `python -m r3con_core.importer FOLDER NUMBER` in a session of its own,
and all it does is in the project's store. A command line may carry it in its own process. The files themselves are
read in processes of their own either way, so that one that crashes or hangs costs that file only.
"""

import json
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Unpack

from r3con_core.documents import Document
from r3con_core.errors import CorpusError, R3ConError, StoppedError, StoreError
from r3con_core.holdings import hold_placed, holding_of, why_never_sent
from r3con_core.originals import keep_copy, keep_original
from r3con_core.privilege import ancestors, why_held
from r3con_core.readers import (
    LedgerLine,
    Loading,
    Outcome,
    count_files,
    digest_files,
    iter_load,
    iter_load_bytes,
    number_of,
)
from r3con_core.readers.content import Content
from r3con_core.readers.ledger import USUAL, ReadSettings
from r3con_core.readers.loading import Options
from r3con_core.store import imports as rows
from r3con_core.store.decisions import released_ids
from r3con_core.store.documents import (
    Batch,
    LedgerEntry,
    add_batch,
    first_read,
    forget_files,
    held_paths,
    ledger_of_import,
    list_ledger,
)
from r3con_core.store.imports import Import, ImportState
from r3con_core.store.project import Project
from r3con_core.team import check_folder

OnProgress = Callable[[int, int, str], None]
"""Told files done, files in all, and the path just done. What it raises ends the import; finished files are kept."""
BETWEEN_BEATS = 1.0
"""Seconds."""
LINES_AT_ONCE, LETTERS_AT_ONCE, SECONDS_AT_ONCE = 500, 2_000_000, 1.0
"""What is kept in one transaction; 2,973 mails took 23 s so, and 26 s with a transaction for each."""


def ignore(_done: int, _total: int, _path: str) -> None:
    """For callers that watch nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """What became of one import."""

    documents: int
    """New in the project."""
    lines: tuple[LedgerEntry, ...]
    """One for each file and member, in order."""


def add_paths(
    project: Project,
    paths: Sequence[Path],
    on_progress: OnProgress = ignore,
    *,
    settings: ReadSettings = USUAL,
) -> Added:
    """Read files and folders into the project, in this process, each file kept as soon as it is read.

    Raises CorpusError when a path does not exist; all else that goes wrong is a line of the ledger.
    """
    import_id = plan_import(project, paths, settings)
    rows.claim_import(project, import_id, os.getpid())
    return carry_import(project, import_id, on_progress, passwords=settings.passwords)


def plan_import(project: Project, paths: Sequence[Path], settings: ReadSettings = USUAL) -> int:
    """Write an import down, for `start_importer` to carry out; its number. CorpusError when a path does not exist.

    In an app of a team also for one that the team may not read.
    """
    for path in paths:
        check_folder(path)
    listing, total = digest_files(paths), count_files(paths)
    import_id = rows.create_import(project, [str(path.absolute()) for path in paths], _to_json(settings), total)
    rows.start_over(project, import_id, listing, total)
    return import_id


def _to_json(settings: ReadSettings) -> str:
    return json.dumps({"ocr": settings.ocr, "ocr_languages": settings.ocr_languages})


def _from_json(text: str, passwords: Sequence[str]) -> ReadSettings:
    stated = json.loads(text)
    return ReadSettings(ocr=stated["ocr"], ocr_languages=tuple(stated["ocr_languages"]), passwords=tuple(passwords))


def carry_import(
    project: Project, import_id: int, on_progress: OnProgress = ignore, *, passwords: Sequence[str] = ()
) -> Added:
    """Carry a claimed import to its end, from where it was left; what it added.

    Ends it as stopped when the analyst asked so (StoppedError), as interrupted when `on_progress` raises.
    """
    entry = _as_listed_now(project, rows.load_import(project, import_id))
    forget_files(project, import_id, first=entry.done + 1)
    keeper = _Keeper(project, entry)
    paths, settings = [Path(path) for path in entry.paths], _from_json(entry.settings, passwords)
    for path in paths:
        check_folder(path)  # a folder may have become a link elsewhere since
    reading = _isolated(keeper, settings=settings, skip=entry.done, known=keeper.known)
    with reading as options, closing(iter_load(paths, **options)) as loadings:
        return _keep_all(keeper, loadings, on_progress)


def _as_listed_now(project: Project, entry: Import) -> Import:
    """The import, at its beginning if there are other files now than when it was begun."""
    paths = [Path(path) for path in entry.paths]
    try:
        listing = digest_files(paths)
        if listing != entry.listing:
            rows.start_over(project, entry.id, listing, count_files(paths))
    except CorpusError as error:
        rows.set_import_state(project, entry.id, ImportState.FAILED, str(error))
        raise
    return rows.load_import(project, entry.id)


@contextmanager
def _isolated(keeper: "_Keeper", **chosen: Unpack[Options]) -> Iterator[Options]:
    """How files are read into a project. What a killed process of this import had unpacked is removed."""
    scratch = keeper.project.folder / "scratch" / str(keeper.entry.id)
    shutil.rmtree(scratch, ignore_errors=True)
    try:
        scratch.mkdir(parents=True)
    except OSError as error:
        raise StoreError(f"{scratch} cannot be made: {error.strerror}. Check the disk and permissions.") from error
    try:
        yield {**chosen, "isolated": True, "keep": keeper.keep_original, "scratch": scratch}
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
        with suppress(OSError):  # another import has its own beside it
            scratch.parent.rmdir()


def go_on(project: Project, import_id: int, on_progress: OnProgress = ignore, settings: ReadSettings = USUAL) -> Added:
    """Carry on, in this process, with an import that ended early; its settings stay, new passwords are tried."""
    rows.set_import_state(project, import_id, ImportState.QUEUED)
    rows.claim_import(project, import_id, os.getpid())
    return carry_import(project, import_id, on_progress, passwords=settings.passwords)


def add_uploads(
    project: Project,
    files: Sequence[tuple[str, Content]],
    on_progress: OnProgress = ignore,
    *,
    settings: ReadSettings = USUAL,
) -> Added:
    """Read uploads, given as name and bytes; the project keeps a copy of each, as they lie nowhere else."""
    import_id = rows.create_import(project, [], _to_json(settings), len(files))
    rows.claim_import(project, import_id, os.getpid())
    keeper = _Keeper(project, rows.load_import(project, import_id))
    for number, (name, content) in enumerate(files, start=1):
        digest = content.sha256()
        keep_copy(project, digest, name, content)
        rows.note_upload(project, import_id, number, (digest, name))
    reading = _isolated(keeper, settings=settings, known=keeper.known)
    with reading as options, closing(iter_load_bytes(files, **options)) as loadings:
        return _keep_all(keeper, loadings, on_progress)


def add_loadings(project: Project, loadings: Iterable[Loading], total: int, on_progress: OnProgress = ignore) -> Added:
    """Keep what was read by other means than from files."""
    import_id = rows.create_import(project, [], _to_json(USUAL), total)
    rows.claim_import(project, import_id, os.getpid())
    return _keep_all(_Keeper(project, rows.load_import(project, import_id)), loadings, on_progress)


def _keep_all(keeper: "_Keeper", loadings: Iterable[Loading], on_progress: OnProgress) -> Added:
    project, entry = keeper.project, keeper.entry
    try:
        try:
            for loading in loadings:
                keeper.add(loading)
                on_progress(keeper.done, entry.total, keeper.current)
                keeper.beat()
        finally:
            keeper.keep()
    except StoppedError:
        rows.set_import_state(project, entry.id, ImportState.STOPPED)
        raise
    except R3ConError as error:
        rows.set_import_state(project, entry.id, ImportState.FAILED, str(error))
        raise
    except BaseException:
        rows.set_import_state(project, entry.id, ImportState.INTERRUPTED)
        raise
    hold_placed(project)  # a file that the project had already may lie in a folder that is never sent
    rows.set_import_state(project, entry.id, ImportState.DONE)
    return Added(documents=keeper.fresh, lines=ledger_of_import(project, entry.id))


class _Keeper:
    """Keeps what is read, piece by piece, and remembers what the project has."""

    def __init__(self, project: Project, entry: Import) -> None:
        self.done = entry.done
        self.current = ""
        self.fresh = 0
        self.project, self.entry = project, entry
        self._holding = holding_of(project)
        self._held = held_paths(project)
        self._released = released_ids(project)
        self._beaten = 0.0
        self._documents: list[Document] = []
        self._lines: list[LedgerEntry] = []
        self._held_now: dict[str, str] = {}
        self._kept = time.monotonic()

    def known(self, key: str) -> LedgerLine | None:
        """The line of the same bytes, by their SHA-256, or of the same document, by its id, if the project has it."""
        line = first_read(self.project, key)
        if line is None:
            return None
        return LedgerLine(
            path=line.path, outcome=Outcome(line.outcome), document_id=line.document_id, sha256=line.sha256
        )

    def keep_original(self, document: Document, content: Content, on_disk: Path | None) -> None:
        """Remember where the bytes of a document with pages lie; keep a copy where they lie in no file of their own."""
        keep_original(self.project, document, content, on_disk)

    def add(self, loading: Loading) -> None:
        """Take one piece; it is kept with its neighbours, once there is enough of them or a second has gone by."""
        held = {document.id: reason for document in loading.documents if (reason := self._why_held(document))}
        self._documents += loading.documents
        self._lines += [self._line(line, loading.file_number, held) for line in loading.ledger]
        self._held_now |= held
        self.done = loading.file_number if loading.complete else self.done
        self.current = loading.under_way or (loading.ledger[-1].path if loading.ledger else self.current)
        enough = len(self._lines) >= LINES_AT_ONCE or sum(len(one.text) for one in loading.documents) >= LETTERS_AT_ONCE
        if enough or time.monotonic() - self._kept > SECONDS_AT_ONCE:
            self.keep()

    def keep(self) -> None:
        """Keep what was taken and is not kept yet, all of it or none."""
        batch = Batch(
            documents=self._documents,
            ledger=self._lines,
            held=self._held_now,
            import_id=self.entry.id,
            done=self.done,
        )
        self.fresh += add_batch(self.project, batch)
        self._documents, self._lines, self._held_now = [], [], {}
        self._kept = time.monotonic()

    def _why_held(self, document: Document) -> str:
        if document.id in self._released:
            return ""
        reason = why_never_sent(document.source.path, self.entry.paths, self._holding.folders)
        reason = reason or why_held(document, self._holding)
        above = next((path for path in ancestors(document) if path in self._held), None)
        if not reason and above is not None:
            reason = f"attached to {above}, which is held back"
        if reason:
            self._held.add(document.source.path)
        return reason

    def _line(self, line: LedgerLine, file_number: int, held: Mapping[str, str]) -> LedgerEntry:
        stated = {name: getattr(line, name) for name in LedgerLine.__slots__ if name != "outcome"}
        entry = LedgerEntry(outcome=line.outcome.value, import_id=self.entry.id, file_number=file_number, **stated)
        if line.outcome is Outcome.DUPLICATE:
            itself = line.reason.endswith(f" as {line.path}")  # read in an earlier import
            return replace(entry, reason="in this project already") if itself else entry
        if line.document_id in held:
            return replace(entry, outcome=Outcome.HELD_BACK.value, reason=held[line.document_id])
        return entry

    def beat(self) -> None:
        """Say once a second that the import goes on; StoppedError when it shall not."""
        if time.monotonic() - self._beaten < BETWEEN_BEATS:
            return
        self._beaten = time.monotonic()
        rows.beat_import(self.project, self.entry.id, self.current)
        if rows.import_stop_asked(self.project, self.entry.id):
            raise StoppedError


def unlock(project: Project, path: str, password: str) -> Added:
    """Read the file of the ledger's locked line at `path` again, with a password, which is not kept anywhere.

    What the password opens takes the place of the old lines. Raises CorpusError when there is no such line, when the
    file has gone, or when the password does not open it.
    """
    line = next((one for one in list_ledger(project) if one.path == path and one.locked), None)
    if line is None:
        raise CorpusError(f"No file that needs a password is listed as {path}.")
    entry = rows.load_import(project, line.import_id)
    keeper = _Keeper(project, entry)
    pieces = list(_read_again(keeper, line, _from_json(entry.settings, [password])))
    if any(found.path == path and found.locked for piece in pieces for found in piece.ledger):
        raise CorpusError(f"This password does not open {path}.")
    forget_files(project, entry.id, first=line.file_number, last=line.file_number)
    for piece in pieces:
        keeper.add(piece)
    keeper.keep()
    lines = ledger_of_import(project, entry.id)
    return Added(documents=keeper.fresh, lines=tuple(one for one in lines if one.file_number == line.file_number))


def _read_again(keeper: _Keeper, line: LedgerEntry, settings: ReadSettings) -> Iterator[Loading]:
    """What the file of a line holds; it is read where it was, uploads from the project's own copy."""
    paths, name = [Path(path) for path in keeper.entry.paths], line.path.split(" > ")[0]
    number = number_of(paths, name) if paths else 0
    if paths and not number:
        raise CorpusError(f"The file {name} is no longer where it was read. Put it back, or add it again.")
    with _isolated(keeper, settings=settings, only=number) as options:
        for loading in iter_load(paths, **options) if paths else iter_load_bytes([_upload(keeper, line)], **options):
            yield replace(loading, file_number=line.file_number, complete=False)  # the import's own count stays


def _upload(keeper: _Keeper, line: LedgerEntry) -> tuple[str, Content]:
    sha256, name = rows.upload_of(keeper.project, keeper.entry.id, line.file_number)
    return name, Content.on_disk(rows.original_path(keeper.project, sha256))
