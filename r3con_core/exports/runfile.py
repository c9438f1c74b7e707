"""A run as one file: a zip of its part of the store, readable exports and a manifest of hashes; opens without a model.

A run file may come from a stranger. Nothing in it is run or trusted: names, sizes, hashes and the shape of the store
are checked first, its rows are copied into a fresh store, and every value is read back before the project is kept.
"""

import hashlib
import io
import itertools
import json
import re
import shutil
import sqlite3
import tempfile
import zipfile
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from pydantic import TypeAdapter, ValidationError

from r3con_core import __version__
from r3con_core.documents import make_document
from r3con_core.errors import R3ConError, StoreError
from r3con_core.exports.code import code_of
from r3con_core.exports.contents import RunContents, has_schema, load_contents
from r3con_core.exports.report import report_of
from r3con_core.exports.tables import export_schema, record_tables, records_json, zip_bytes
from r3con_core.home import projects_folder
from r3con_core.jobs import choices_of
from r3con_core.store.answers import load_places
from r3con_core.store.calls import iter_calls, usage_by_stage
from r3con_core.store.copies import bring_up_to_date, check_store, close_for_copying, copy_run
from r3con_core.store.documents import list_ledger
from r3con_core.store.project import FILE, Project, create_project, project_slug
from r3con_core.store.runs import load_run
from r3con_core.store.schemas import schema_versions
from r3con_core.store.sights import iter_sights

RUN_FILE_SUFFIX = ".r3con.zip"
FORMAT = "r3con-run"
FORMAT_VERSION = 1
MAX_FILE_BYTES = 2 << 30
MAX_STORE_BYTES = 4 << 30
MAX_MANIFEST_BYTES = 1 << 20
MAX_MEMBERS = 500
_PIECE = 1 << 20
_LONGEST_NAME = 50
_SAFE_NAME = re.compile(r"(?:records/)?[\w][\w.-]*")
_RUN_ID = re.compile(r"run-[0-9A-Za-z-]{1,60}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """What the manifest says of one member."""

    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Manifest:
    format: str
    version: int
    made_by: str
    project: str
    run: str
    question: str
    created: str
    files: dict[str, _Entry]


def export_run(project: Project, run_id: str) -> bytes:
    """The whole run as one file; StoreError while a worker is still at it."""
    run = load_run(project, run_id)
    if run.state.active:
        raise StoreError(f"The run {run_id} is still at work. Stop it or wait for its end, then save it.")
    files = {FILE: _store_of_run(project, run_id), **readable_files(project, run_id)}
    manifest = _Manifest(
        format=FORMAT,
        version=FORMAT_VERSION,
        made_by=f"R3Con Analyst {__version__}",
        project=project.name,
        run=run_id,
        question=run.task.text,
        created=run.created,
        files={name: _Entry(sha256=hashlib.sha256(data).hexdigest(), bytes=len(data)) for name, data in files.items()},
    )
    described = json.dumps(asdict(manifest), ensure_ascii=False, indent=1).encode("utf-8", "replace")
    return zip_bytes({"manifest.json": described, **files})


def _store_of_run(project: Project, run_id: str) -> bytes:
    with tempfile.TemporaryDirectory(prefix="r3con-") as folder:
        copy = create_project(Path(folder), project.name)
        copy_run(project.path, copy, run_id)
        close_for_copying(copy)
        return copy.path.read_bytes()


def readable_files(project: Project, run_id: str) -> dict[str, bytes]:
    """Name -> bytes of what a person can read of the run without this product: report, tables, schema, code."""
    contents = load_contents(project, run_id)
    files = {"report.md": report_of(contents, list_ledger(project), usage_by_stage(project, run_id))}
    if has_schema(project, run_id):
        files["schema.json"] = export_schema(project, run_id)
    if contents.data is not None:
        files["records.json"] = records_json(contents)
    if contents.answer is not None and contents.answer.steps:
        files["code.py"] = code_of(contents)
    encoded = {name: text.encode("utf-8", "replace") for name, text in files.items()}
    tables = record_tables(contents) if contents.data is not None else {}
    return encoded | {f"records/{name}.csv": data for name, data in tables.items()}


def import_run(home: Path, data: bytes, name: str = "") -> Project:
    """A new project that holds the run of the run file `data`, called `name` or as it was called.

    StoreError when the file is not a run file, is damaged, or holds anything else; no project is left behind then.
    """
    manifest, archive = _open(data)
    projects_folder(home).mkdir(parents=True, exist_ok=True)
    with archive, tempfile.TemporaryDirectory(prefix=".opening-", dir=projects_folder(home)) as folder:
        store = Path(folder) / FILE
        _check_members(archive, manifest, store)
        check_store(store)
        bring_up_to_date(store)
        project = _new_project(home, name or manifest.project or "Opened run")
        try:
            _fill(project, store, manifest.run)
        except StoreError:
            _remove(project)
            raise
        except (
            R3ConError,
            sqlite3.Error,
            ValidationError,
            ValueError,
            LookupError,
            TypeError,
            AttributeError,
        ) as error:
            _remove(project)
            raise StoreError(
                f"The run in this file cannot be read ({type(error).__name__}), so it was not opened. Get another copy."
            ) from error
    return project


def _open(data: bytes) -> tuple[_Manifest, zipfile.ZipFile]:
    if len(data) > MAX_FILE_BYTES:
        raise StoreError(f"This file is larger than {MAX_FILE_BYTES >> 30} GB, which no run file is.")
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        _check_directory(archive)
        described = _member(archive, "manifest.json", MAX_MANIFEST_BYTES)
        manifest: _Manifest = TypeAdapter(_Manifest).validate_json(described)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, KeyError, ValidationError, EOFError) as error:
        raise StoreError(
            f"This is not a run file of R3Con Analyst, or it is damaged. Run files end in {RUN_FILE_SUFFIX} and are "
            "made with: r3con export RUN"
        ) from error
    if manifest.format != FORMAT or manifest.version > FORMAT_VERSION:
        raise StoreError("This file was made by a newer version of R3Con Analyst. Update this one to open it.")
    if not _RUN_ID.fullmatch(manifest.run):
        raise StoreError("The manifest of this file names no usable run, so it was not opened.")
    return manifest, archive


def _check_directory(archive: zipfile.ZipFile) -> None:
    names = [info.filename for info in archive.infolist()]
    unsafe = [name for name in names if not _SAFE_NAME.fullmatch(name)]
    if len(names) > MAX_MEMBERS or len(set(names)) != len(names) or unsafe:
        raise StoreError("This file holds members that no run file has, so it was not opened.")


def _member(archive: zipfile.ZipFile, name: str, limit: int) -> bytes:
    with archive.open(name) as member:
        data = member.read(limit + 1)
    if len(data) > limit:
        raise StoreError(f"The member {name} of this file is too large, so it was not opened.")
    return data


def _check_members(archive: zipfile.ZipFile, manifest: _Manifest, store: Path) -> None:
    """Hold every member against the manifest, and unpack the store alone."""
    if set(archive.namelist()) != {"manifest.json", *manifest.files} or FILE not in manifest.files:
        raise StoreError("What this file holds is not what its manifest lists, so it was not opened.")
    try:
        with store.open("wb") as unpacked:
            for name, entry in manifest.files.items():
                _check_member(archive, name, entry, unpacked if name == FILE else None)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as error:
        raise StoreError("This file is damaged, so it was not opened. Get another copy.") from error


def _check_member(archive: zipfile.ZipFile, name: str, entry: _Entry, into: IO[bytes] | None) -> None:
    digest, size = hashlib.sha256(), 0
    with archive.open(name) as member:
        while piece := member.read(_PIECE):
            size += len(piece)
            if size > min(entry.bytes, MAX_STORE_BYTES):
                break
            digest.update(piece)
            if into is not None:
                into.write(piece)
    if size != entry.bytes or digest.hexdigest() != entry.sha256:
        raise StoreError(f"{name} in this file is not what its manifest says: it was changed or damaged on the way.")


def _new_project(home: Path, name: str) -> Project:
    """A project called `name`, or `name (2)` and so on where that is taken."""
    root = projects_folder(home)
    name = name[:_LONGEST_NAME] if project_slug(name) else "Opened run"
    free = (f"{name} ({number})" if number > 1 else name for number in itertools.count(1))
    return create_project(root, next(each for each in free if not (root / project_slug(each) / FILE).exists()))


def _fill(project: Project, store: Path, run_id: str) -> None:
    """Copy the run, and read everything of it once as screens will."""
    copy_run(store, project, run_id)
    contents = load_contents(project, run_id)
    for _ in itertools.chain(iter_calls(project, run_id), iter_sights(project, run_id)):
        pass  # each must be readable; none is needed
    list_ledger(project)
    schema_versions(project, run_id)
    load_places(project, run_id)
    choices_of(project, run_id)
    report_of(contents, list_ledger(project), usage_by_stage(project, run_id))
    if contents.data is not None:
        record_tables(contents)
        records_json(contents)
    _check_documents(contents)


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
