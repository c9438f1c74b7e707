"""Whether an evidence bundle holds, told line by line: no project is needed, no model is asked, nothing in it is trusted.

What is checked, from the outside in: members against the manifest, the store against its shape, ids and quotes against
the documents, prompts against their keys, everything that models said against the kept replies, the code by running it,
and reports and tables by making them afresh.
"""

import hashlib
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from r3con_core.audit import faults_of_log, withheld_words
from r3con_core.errors import R3ConError, StoreError
from r3con_core.exports.contents import RunContents
from r3con_core.exports.manifest import DAMAGE, FORMAT_VERSION, MANIFEST, MAX_STORE_BYTES, Manifest, made_by, storable
from r3con_core.exports.runfile import UNREADABLE, fill, is_as_told, open_bundle, told_files
from r3con_core.store.audit import list_acts
from r3con_core.store.copies import bring_up_to_date, check_store
from r3con_core.store.documents import list_ledger
from r3con_core.store.project import FILE, Project, create_project
from r3con_core.verify.replay import replay_run
from r3con_core.verify.runs import Check, verify_run

MEMBERS = "Every member is what the manifest says, and nothing else is in the file."
CHAIN = "The manifest is as it was made: its hash covers all of it."
STORE = "The store is whole, has the shape of ours, and every value in it can be read."
HEAD = "The manifest tells of the run that the store holds."
AFRESH = "Reports, tables and texts are what the store gives when they are made afresh."
LOG = "The audit log is as it was written: every entry follows on the one before it."
SOURCES = "Every file that was read is in the folder, byte for byte."
UNLISTED = "The ledger names every file of the folder."
NOT_PROVED = (
    "that the replies came from the model they name: nothing but its maker could tell",
    "that the files are what their paths, titles and dates claim, unless you hold the originals: --sources FOLDER",
    "that the names of people who changed something are theirs, and when they did",
    "that nobody made a whole other bundle that is consistent in itself: sign or time-stamp the hash of the bundle",
)
"""What no check here can show, to be told with every result."""
_LISTED = 20
_PIECE = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleReport:
    """What a bundle says it is, and what holds of that."""

    run: str
    question: str
    made_by: str
    chain: str
    """The hash of the whole, to be compared with one that was signed or stamped; empty in old run files."""
    checks: tuple[Check, ...]


def verify_bundle(data: bytes, sources: Path | None = None) -> BundleReport:
    """Check all that can be checked; StoreError when `data` is no bundle at all.

    With `sources`, the folder of the original files, these are compared too.
    """
    manifest, archive = open_bundle(data)
    with archive, tempfile.TemporaryDirectory(prefix="r3con-verify-") as folder:
        checks = tuple(_checks(manifest, archive, Path(folder), sources))
    return BundleReport(
        run=manifest.run,
        question=manifest.question,
        made_by=manifest.made_by,
        chain=manifest.chain,
        checks=checks,
    )


def check_members(data: bytes) -> tuple[Check, ...]:
    """Hold the members against the manifest alone, which takes no time; StoreError when `data` is no bundle at all."""
    manifest, archive = open_bundle(data)
    with archive:
        return tuple(_outside(manifest, archive))


def _outside(manifest: Manifest, archive: zipfile.ZipFile) -> Iterator[Check]:
    yield _chain(manifest)
    yield Check(what=MEMBERS, faults=tuple(_member_faults(manifest, archive)))


def _checks(manifest: Manifest, archive: zipfile.ZipFile, folder: Path, sources: Path | None) -> Iterator[Check]:
    yield from _outside(manifest, archive)
    project = create_project(folder, "Verified")
    try:
        contents = _fill(project, manifest, archive, folder / "strange.sqlite")
    except StoreError as error:
        yield Check(what=STORE, faults=(str(error),))
        return
    finally:
        project.close()
    yield Check(what=STORE)
    yield Check(what=HEAD, faults=tuple(_head_faults(manifest, contents)))
    yield from check_log(project)
    try:
        yield from verify_run(project, manifest.run).checks
        yield from replay_run(project, manifest.run)
        yield _afresh(manifest, archive, project)
    except (*UNREADABLE, OverflowError) as error:
        yield Check(what=STORE, faults=(f"A value in it cannot be used ({type(error).__name__}: {error}).",))
    if sources is not None:
        yield from _compare(project, contents, sources)
    project.close()


def check_log(project: Project) -> Iterator[Check]:
    """Whether the project's audit log is as it was written; nothing where it keeps none."""
    if acts := list_acts(project.db):
        yield Check(what=f"{LOG} {withheld_words(acts)}".strip(), faults=faults_of_log(acts))


def _chain(manifest: Manifest) -> Check:
    if manifest.version < 2:
        return Check(what=CHAIN, open="Run files of version 1 have no hash of the whole.")
    same = manifest.chain == manifest.chained()
    return Check(what=CHAIN, faults=() if same else ("The manifest was changed after it was made.",))


def _member_faults(manifest: Manifest, archive: zipfile.ZipFile) -> Iterator[str]:
    names = set(archive.namelist()) - {MANIFEST}
    yield from (f"{name} is not in the manifest." for name in sorted(names - set(manifest.files)))
    yield from (f"{name} is missing." for name in sorted(set(manifest.files) - names))
    for name in sorted(names & set(manifest.files)):
        try:
            held = is_as_told(archive, name, manifest.files[name])
        except DAMAGE:
            held = False
        if not held:
            yield f"{name} is not what the manifest says: it was changed or damaged."


def _fill(project: Project, manifest: Manifest, archive: zipfile.ZipFile, store: Path) -> RunContents:
    """The run copied out of the bundle's store; StoreError with why when that cannot be."""
    try:
        _unpack(archive, store)
        check_store(store)
        bring_up_to_date(store)
        return fill(project, store, manifest.run)
    except StoreError:
        raise
    except (KeyError, *DAMAGE, zlib.error, *UNREADABLE) as error:
        raise StoreError(f"The run in {FILE} cannot be read ({type(error).__name__}: {error}).") from error


def _unpack(archive: zipfile.ZipFile, store: Path) -> None:
    size = 0
    with archive.open(FILE) as member, store.open("wb") as unpacked:
        while piece := member.read(_PIECE):
            size += len(piece)
            if size > MAX_STORE_BYTES:
                raise StoreError(f"{FILE} is larger than any run's store.")
            unpacked.write(piece)


def _head_faults(manifest: Manifest, contents: RunContents) -> Iterator[str]:
    run = contents.run
    if manifest.question != storable(run.task.text):
        yield "The manifest gives another question than the run."
    if manifest.created != run.created:
        yield "The manifest gives another time than the run."


def _afresh(manifest: Manifest, archive: zipfile.ZipFile, project: Project) -> Check:
    if manifest.made_by != made_by():
        why = f"They were made by {manifest.made_by}, and this is {made_by()}, which may write them otherwise."
        return Check(what=AFRESH, open=why)
    if manifest.version < FORMAT_VERSION:
        return Check(what=AFRESH, open=f"Run files of version {manifest.version} have them in an earlier form.")
    faults = []
    for name, made in told_files(project, manifest.run).items():
        try:
            with archive.open(name) as member:
                kept = member.read(len(made) + 1)  # what is longer differs; it may be endless
        except KeyError:
            faults.append(f"{name} is missing.")
            continue
        except DAMAGE:
            faults.append(f"{name} is damaged.")
            continue
        if kept != made:
            faults.append(f"{name} is not what the store gives: they differ in line {_first_difference(kept, made)}.")
    return Check(what=AFRESH, faults=tuple(faults))


def _first_difference(one: bytes, other: bytes) -> int:
    lines, others = one.split(b"\n"), other.split(b"\n")
    pairs = zip(lines, others, strict=False)
    return next((number for number, (a, b) in enumerate(pairs, start=1) if a != b), min(len(lines), len(others)) + 1)


def _compare(project: Project, contents: RunContents, sources: Path) -> Iterator[Check]:
    """The original files against what was read, by their bytes."""
    if not sources.is_dir():
        raise StoreError(f"{sources} is no folder. Give the folder that holds the original files.")
    held = {_hash(file): file for file in sorted(sources.rglob("*")) if file.is_file() and not file.is_symlink()}
    lines = [line for line in list_ledger(project) if line.sha256 and " > " not in line.path]
    wanted = {line.sha256: line.path for line in lines}
    for document in contents.corpus.documents:
        if " > " not in document.source.path:
            wanted.setdefault(document.source.sha256, document.source.path)
    missing = [path for digest, path in wanted.items() if digest not in held]
    faults = tuple(f"{path} is not in the folder, or is another file there." for path in missing)
    yield Check(what=SOURCES, faults=faults)
    known = {line.sha256 for line in list_ledger(project)} | set(wanted)
    unlisted = [str(file.relative_to(sources)) for digest, file in held.items() if digest not in known]
    more = f" and {len(unlisted) - _LISTED:,} more" if len(unlisted) > _LISTED else ""
    told = f"Not in the ledger: {', '.join(unlisted[:_LISTED])}{more}." if unlisted else ""
    yield Check(what=UNLISTED, open=told)


def _hash(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError as error:
        raise R3ConError(f"{file} cannot be read: {error.strerror}.") from error
