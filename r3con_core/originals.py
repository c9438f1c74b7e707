"""The files that documents were read from: where they lie, so that a page can be shown as it looks.

A file on disk is not copied, only its place is remembered. Uploads and members of containers lie nowhere else, so the
project keeps them under the hash of their bytes, never under a name of theirs.
"""

import shutil
from pathlib import Path

from r3con_core.documents import Document
from r3con_core.errors import CorpusError, StoreError
from r3con_core.readers.content import Content
from r3con_core.store.imports import ORIGINALS, keep_place, original_path, place_of
from r3con_core.store.project import Project


def keep_original(project: Project, document: Document, content: Content, on_disk: Path | None) -> None:
    """Remember where the bytes of a document with pages lie; those without pages are shown by their text alone."""
    if not document.pages:
        return
    if on_disk is not None:
        keep_place(project, document.source.sha256, str(on_disk.absolute()), document.source.path)
    else:
        keep_copy(project, document.source.sha256, document.source.path, content)


def keep_copy(project: Project, sha256: str, path: str, content: Content) -> None:
    """Keep bytes in the project's own folder; `path` is what the analyst knows them by."""
    target = original_path(project, sha256)
    if not target.exists():
        try:
            _copy(content, target)
        except OSError as error:
            raise StoreError(
                f"{path} could not be kept in {project.folder}: {error.strerror}. Make room, then resume."
            ) from error
    keep_place(project, sha256, ORIGINALS, path)


def _copy(content: Content, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    half = target.with_name(f"{target.name}.part")
    try:
        with content.open() as stream, half.open("wb") as file:
            shutil.copyfileobj(stream, file)
        half.replace(target)
    finally:
        half.unlink(missing_ok=True)


def original(project: Project, document: Document) -> Content | None:
    """The bytes a document was read from; None when the project knows no place of them.

    Raises CorpusError when the file is gone, or is not the same any more.
    """
    place = place_of(project, document.source.sha256)
    if place is None:
        return None
    if not place.is_file():
        raise CorpusError(f"The file {document.source.path} is no longer where it was read.")
    content = Content.on_disk(place)
    if content.sha256() != document.source.sha256:
        raise CorpusError(f"The file {document.source.path} was changed after it was read, so its pages are not shown.")
    return content
