"""Tasks of Loong (Wang et al., 2024; paper section 6.3) from its published files: loong.jsonl and doc.zip.

A row has id, set (1 to 4, by length), level (1 to 4, the facet), type (the domain), language, instruction, question,
prompt_template, doc (names) and answer. The archive holds a folder for each type: files whose names hold those in the
rows, or a JSON file that has the documents by their names.
"""

import json
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from r3con_core.errors import CorpusError
from r3con_core.evaluation.rows import Row, RowError, answer_of, read_rows, text_of
from r3con_core.evaluation.tasks import EvaluationTask, Malformed, Text, filling
from r3con_core.verdicts import Gold, Rule

FACETS = {"1": "spotlight locating", "2": "comparison", "3": "clustering", "4": "chain of reasoning"}
"""By level."""
_UTF8 = 0x800
LARGEST = 64_000_000
"""Bytes of one file of the archive."""


def read_loong(file: Path, archive: Path) -> Iterator[EvaluationTask | Malformed]:
    """Its rows as tasks, in order; documents are read from the archive one by one. CorpusError when it cannot be read."""
    try:
        with zipfile.ZipFile(archive) as opened:
            folders = Folders(opened)
            yield from read_rows(file, lambda row: _task(row, folders))
    except (OSError, zipfile.BadZipFile) as error:
        raise CorpusError(f"The archive {str(archive)!r} cannot be read: {error}. Check the path.") from error


def _task(row: Row, folders: "Folders") -> EvaluationTask:
    level, domain = text_of(row, "level"), text_of(row, "type")
    names = row.get("doc")
    if not isinstance(names, list) or not names:
        raise RowError("its 'doc' names no documents")
    parts = [str(row.get(part) or "").strip() for part in ("instruction", "question")]
    if not any(parts):
        raise RowError("it has neither 'question' nor 'instruction'")
    return EvaluationTask(
        id=text_of(row, "id"),
        question="\n\n".join(part for part in parts if part),
        gold=Gold(answer=answer_of(row), rule=Rule.GRADED),
        labels=(
            ("domain", domain),
            ("facet", FACETS.get(level, f"level {level}")),
            ("set", text_of(row, "set")),
            ("language", text_of(row, "language")),
        ),
        fill=filling([folders.read(domain, str(name)) for name in names], "Loong"),
    )


class Folders:
    """The documents of the archive, by type and name."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._files: dict[str, dict[str, zipfile.ZipInfo]] = {}
        """By type, then by the file's name. Names without the flag for UTF-8 are UTF-8 all the same."""
        self._collected: dict[str, Mapping[str, object]] = {}
        for info in archive.infolist():
            path = PurePosixPath(true_name(info))
            if not info.is_dir() and len(path.parts) > 1:
                self._files.setdefault(path.parent.name, {})[path.name] = info

    def read(self, domain: str, name: str) -> Text:
        """One document; RowError where the archive has none of that name, or several that fit it."""
        files = self._files.get(domain, {})
        found = _named(files, name)
        if found is not None:
            return Text(title=name, text=self._text(files[found]))
        return Text(title=name, text=self._in_collection(domain, files, name))

    def _text(self, info: zipfile.ZipInfo) -> str:
        if info.file_size > LARGEST:
            raise RowError(f"its document {true_name(info)!r} has more than {LARGEST:,} bytes")
        try:
            return self._archive.read(info).decode("utf-8", "replace")
        except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:
            raise RowError(f"the archive's {true_name(info)!r} is damaged or locked") from error

    def _in_collection(self, domain: str, files: Mapping[str, zipfile.ZipInfo], name: str) -> str:
        """A document that a JSON file of the folder has under its name: its text, or all its parts in their order."""
        if domain not in self._collected:
            both: dict[str, object] = {}
            for file in sorted(one for one in files if one.endswith(".json")):
                try:
                    held = json.loads(self._text(files[file]))
                except ValueError as error:
                    raise RowError(f"the archive's {file!r} is not valid JSON") from error
                both.update(held if isinstance(held, dict) else {})
            self._collected[domain] = both
        held = self._collected[domain].get(name)
        if isinstance(held, dict):
            held = "\n\n".join(str(part) for part in held.values() if part)
        if not isinstance(held, str) or not held.strip():
            raise RowError(f"the archive has no document {name!r} of the type {domain!r}")
        return held


def true_name(info: zipfile.ZipInfo) -> str:
    """The name of a file in an archive whose names are UTF-8 though they are not marked as such."""
    if info.flag_bits & _UTF8:
        return info.filename
    try:
        return info.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.filename


def _named(files: Mapping[str, object], name: str) -> str | None:
    """The file of that name, with or without its ending; else the one file whose name holds it."""
    tests: Sequence[Callable[[str], bool]] = (
        lambda file: file == name,
        lambda file: PurePosixPath(file).stem == name,
        lambda file: not file.endswith(".json") and name in file,
    )
    for test in tests:
        found = sorted(filter(test, files))
        if len(found) > 1:
            raise RowError(f"the archive has {len(found)} documents whose name holds {name!r}")
        if found:
            return found[0]
    return None
