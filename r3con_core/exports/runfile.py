"""A run as one file, the evidence bundle: its part of the store, all of it as texts to read, a manifest of hashes.

It opens without a model, and may come from a stranger. Nothing in it is run or trusted: names, sizes, hashes and the
shape of the store are checked first, its rows are copied into a fresh store, and every value is read back before the
project is kept.
"""

import hashlib
import io
import itertools
import os
import shutil
import sqlite3
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from pydantic import TypeAdapter, ValidationError

from r3con_core.audit import Event
from r3con_core.documents import make_document
from r3con_core.errors import R3ConError, StoreError
from r3con_core.exports.contents import RunContents
from r3con_core.exports.manifest import (
    DAMAGE,
    FORMAT,
    FORMAT_VERSION,
    MANIFEST,
    MAX_FILE_BYTES,
    MAX_MANIFEST_BYTES,
    MAX_MEMBERS,
    MAX_STORE_BYTES,
    RUN_FILE_SUFFIX,
    RUN_ID,
    Manifest,
    Member,
    is_safe,
    make_manifest,
    written,
)
from r3con_core.exports.readable import proof_files, readable_of
from r3con_core.exports.tables import zip_bytes
from r3con_core.exports.whole import load_whole
from r3con_core.home import projects_folder
from r3con_core.jobs import choices_of
from r3con_core.store.answers import load_places
from r3con_core.store.audit import note
from r3con_core.store.calls import iter_calls
from r3con_core.store.copies import bring_up_to_date, check_store, close_for_copying, copy_run
from r3con_core.store.project import FILE, Project, create_project, project_slug
from r3con_core.store.runs import load_run
from r3con_core.store.sights import iter_sights
from r3con_core.store.verdicts import check_judged

_PIECE = 1 << 20
_LONGEST_NAME = 50
UNREADABLE = (
    R3ConError,
    sqlite3.Error,
    ValidationError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
)
"""What reading the values of a strange store may end in."""


def export_run(project: Project, run_id: str) -> bytes:
    """The whole run as one file; StoreError while a worker is still at it."""
    run = load_run(project, run_id)
    if run.state.active:
        raise StoreError(f"The run {run_id} is still at work. Stop it or wait for its end, then save it.")
    files = _files_of(project, run_id)
    return zip_bytes({MANIFEST: written(make_manifest(project.name, run, files)), **files})


def told_files(project: Project, run_id: str) -> dict[str, bytes]:
    """Name -> bytes of all members of a bundle but the store and the manifest."""
    whole = load_whole(project, run_id)
    return readable_of(whole) | proof_files(project, whole)


def _files_of(project: Project, run_id: str) -> dict[str, bytes]:
    """The members, all made of a copy that holds the run alone, so that they can be made again wherever it is opened."""
    with _temporary_folder() as folder:
        copy = create_project(Path(folder), project.name)
        copy_run(project.path, copy, run_id)
        told = told_files(copy, run_id)
        close_for_copying(copy)
        return {FILE: copy.path.read_bytes(), **told}


@contextmanager
def _temporary_folder() -> Iterator[str]:
    try:
        with tempfile.TemporaryDirectory(prefix="r3con-export-") as folder:
            yield folder
    except OSError as error:
        place = tempfile.gettempdir()
        raise StoreError(f"{place} cannot be written: {error.strerror}. Make room, then save the run again.") from error


def import_run(home: Path, data: bytes, name: str = "") -> Project:
    """A new project that holds the run of the run file `data`, called `name` or as it was called.

    StoreError when the file is not a run file, is damaged, or holds anything else; no project is left behind then.
    """
    manifest, archive = open_bundle(data)
    with _room_for(home), archive, tempfile.TemporaryDirectory(prefix=".opening-", dir=projects_folder(home)) as folder:
        store = Path(folder) / FILE
        _check_members(archive, manifest, store)
        check_store(store)
        bring_up_to_date(store)
        project = _new_project(home, name or manifest.project or "Opened run")
        with _kept_or_removed(project):
            _check_documents(fill(project, store, manifest.run))
            with project.change() as db:
                note(
                    db,
                    Event.OPENED,
                    run=manifest.run,
                    sha256=hashlib.sha256(data).hexdigest(),
                    made_by=manifest.made_by,
                )
    return project


@contextmanager
def _room_for(home: Path) -> Iterator[None]:
    """The folder of projects, made if need be; what the disk refuses in the block becomes a StoreError."""
    try:
        projects_folder(home).mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise StoreError(f"{home} cannot be written: {error.strerror}. Make room, then open the file again.") from error


@contextmanager
def _kept_or_removed(project: Project) -> Iterator[None]:
    """Leave no project behind when filling it ends in an error, which becomes a StoreError."""
    try:
        yield
    except StoreError:
        _remove(project)
        raise
    except UNREADABLE as error:
        _remove(project)
        raise StoreError(
            f"The run in this file cannot be read ({type(error).__name__}), so it was not opened. Get another copy."
        ) from error


def open_bundle(data: bytes) -> tuple[Manifest, zipfile.ZipFile]:
    """The manifest and the archive, with names that are safe; StoreError when it is no run file, or damaged."""
    if len(data) > MAX_FILE_BYTES:
        raise StoreError(f"This file is larger than {MAX_FILE_BYTES >> 30} GB, which no run file is.")
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        _check_directory(archive)
        described = _member(archive, MANIFEST, MAX_MANIFEST_BYTES)
        manifest: Manifest = TypeAdapter(Manifest).validate_json(described)
    except (*DAMAGE, KeyError, ValidationError) as error:
        raise StoreError(
            f"This is not a run file of R3Con Analyst, or it is damaged. Run files end in {RUN_FILE_SUFFIX} and are "
            "made with: r3con export RUN"
        ) from error
    if manifest.format != FORMAT or manifest.version > FORMAT_VERSION:
        raise StoreError("This file was made by a newer version of R3Con Analyst. Update this one to open it.")
    if not RUN_ID.fullmatch(manifest.run):
        raise StoreError("The manifest of this file names no usable run, so it was not opened.")
    return manifest, archive


def _check_directory(archive: zipfile.ZipFile) -> None:
    names = [info.filename for info in archive.infolist()]
    unsafe = [name for name in names if not is_safe(name)]
    size = sum(info.file_size for info in archive.infolist())
    packed = {info.compress_type for info in archive.infolist()}
    unsafe += ["packed otherwise"] if packed - {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED} else []
    if len(names) > MAX_MEMBERS or len(set(names)) != len(names) or unsafe or size > 2 * MAX_STORE_BYTES:
        raise StoreError("This file holds members that no run file has, so it was not opened.")


def _member(archive: zipfile.ZipFile, name: str, limit: int) -> bytes:
    with archive.open(name) as member:
        data = member.read(limit + 1)
    if len(data) > limit:
        raise StoreError(f"The member {name} of this file is too large, so it was not opened.")
    return data


def _check_members(archive: zipfile.ZipFile, manifest: Manifest, store: Path) -> None:
    """Hold every member against the manifest, and unpack the store alone."""
    if set(archive.namelist()) != {MANIFEST, *manifest.files} or FILE not in manifest.files:
        raise StoreError("What this file holds is not what its manifest lists, so it was not opened.")
    if manifest.version > 1 and manifest.chain != manifest.chained():
        raise StoreError("The manifest of this file was changed after it was made, so it was not opened.")
    try:
        with store.open("wb") as unpacked:
            for name, entry in manifest.files.items():
                _check_member(archive, name, entry, unpacked if name == FILE else None)
    except DAMAGE as error:
        raise StoreError("This file is damaged, so it was not opened. Get another copy.") from error


def _check_member(archive: zipfile.ZipFile, name: str, entry: Member, into: IO[bytes] | None) -> None:
    if not is_as_told(archive, name, entry, into):
        raise StoreError(f"{name} in this file is not what its manifest says: it was changed or damaged on the way.")


def is_as_told(archive: zipfile.ZipFile, name: str, entry: Member, into: IO[bytes] | None = None) -> bool:
    """Whether a member is what the manifest says; it is written `into` a file on the way, up to the size it may have."""
    digest, size = hashlib.sha256(), 0
    with archive.open(name) as member:
        while piece := member.read(_PIECE):
            size += len(piece)
            if size > min(entry.bytes, MAX_STORE_BYTES):
                break
            digest.update(piece)
            if into is not None:
                into.write(piece)
    return size == entry.bytes and digest.hexdigest() == entry.sha256


def _new_project(home: Path, name: str) -> Project:
    """A project called `name`, or `name (2)` and so on where that is taken, in a folder that was not there."""
    root = projects_folder(home)
    name = name[:_LONGEST_NAME] if project_slug(name) else "Opened run"
    free = (f"{name} ({number})" if number > 1 else name for number in itertools.count(1))
    return create_project(root, next(each for each in free if not os.path.lexists(root / project_slug(each))))


def fill(project: Project, store: Path, run_id: str) -> RunContents:
    """Copy the run out of a checked store, and read everything of it once as screens will."""
    copy_run(store, project, run_id)
    for _ in itertools.chain(iter_calls(project, run_id), iter_sights(project, run_id)):
        pass  # each must be readable; none is needed
    load_places(project, run_id)
    check_judged(project, run_id)
    choices_of(project, run_id)
    whole = load_whole(project, run_id)
    readable_of(whole)
    return whole.contents


def _check_documents(contents: RunContents) -> None:
    """StoreError unless all documents of the run are there and are what their ids say."""
    for document in contents.corpus.documents:
        made = make_document(title=document.title, text=document.text, source=document.source)
        if made.id != document.id:
            raise StoreError(f"The text of {document.title!r} in this file was changed, so it was not opened.")
    if len(contents.corpus.documents) != len(contents.run.document_ids):
        raise StoreError("Documents of the run are missing in this file, so it was not opened.")


def _remove(project: Project) -> None:
    project.close()
    shutil.rmtree(project.folder)
