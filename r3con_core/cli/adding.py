"""`r3con add`, `ledger` and `search`; and reading files in this process, with progress on standard error."""

import argparse
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from r3con_core.cli.commands import FAILED, OK
from r3con_core.cli.places import one_project, open_or_create
from r3con_core.cli.screen import ProgressLine, one_line, say, say_line, tell
from r3con_core.errors import CorpusError, StoreError
from r3con_core.exports.ledger import export_ledger
from r3con_core.holdings import never_send
from r3con_core.home import user
from r3con_core.importer import reconcile_imports
from r3con_core.imports import Added, add_paths, go_on
from r3con_core.readers import Outcome
from r3con_core.readers.ledger import USUAL, ReadSettings
from r3con_core.store.documents import list_documents, list_ledger
from r3con_core.store.imports import Import, ImportState, list_imports
from r3con_core.store.project import Project
from r3con_core.store.search import search

_GOOD = {Outcome.READ.value, Outcome.READ_WITH_WARNINGS.value, Outcome.DUPLICATE.value, Outcome.SKIPPED.value}
_SHOWN = 50
"""Lines that are told of one import; the ledger has all."""


def add(options: argparse.Namespace) -> int:
    """Read files into a project, or go on with an import of the same paths that was broken off."""
    if not (options.folder or options.project):
        raise StoreError("Say which project, with --project NAME or --in DIR; it is made if it is not there.")
    project, _ = open_or_create(folder=options.folder, name=options.project)
    paths = [Path(path).expanduser().absolute() for path in options.paths]
    if options.never_send:
        never_send(project, options.never_send, author=user())
    added = load_here(project, paths, _settings(options))
    counts = Counter(line.outcome for line in added.lines)
    tell(f"{len(added.lines):,} files and members: " + ", ".join(f"{n:,} {outcome}" for outcome, n in counts.items()))
    say(f"{added.documents:,} new documents in the project {project.name!r}, {len(list_documents(project)):,} in all.")
    return OK if added.documents or set(counts) <= _GOOD else FAILED


def _settings(options: argparse.Namespace) -> ReadSettings:
    password = os.environ.get(options.password_env, "") if options.password_env else ""
    if options.password_env and not password:
        raise CorpusError(f"The environment variable {options.password_env} is not set, or empty.")
    languages = tuple(filter(None, (options.ocr_languages or "eng").replace("+", ",").split(",")))
    return ReadSettings(ocr=not options.no_ocr, ocr_languages=languages, passwords=(password,) if password else ())


def load_here(project: Project, paths: Sequence[Path], settings: ReadSettings = USUAL) -> Added:
    """Read files into the project in this process, and tell what could not be read."""
    line = ProgressLine()

    def told(done: int, total: int, path: str) -> None:
        line.show(f"Loading {done:,} of {total:,}: {path}")

    try:
        begun = _broken_off(project, paths)
        added = (
            go_on(project, begun.id, told, settings) if begun else add_paths(project, paths, told, settings=settings)
        )
    finally:
        line.end()
    problems = [entry for entry in added.lines if entry.outcome not in _GOOD]
    for entry in problems[:_SHOWN]:
        tell(f"  {one_line(f'{entry.outcome}: {entry.path}')}{f': {one_line(entry.reason)}' if entry.reason else ''}")
    if len(problems) > _SHOWN:
        tell(f"  and {len(problems) - _SHOWN:,} more; see all with: r3con ledger")
    return added


def _broken_off(project: Project, paths: Sequence[Path]) -> Import | None:
    """The newest import, if it is of these paths and did not come to its end."""
    reconcile_imports(project)
    newest = next(reversed(list_imports(project)), None)
    unfinished = (ImportState.STOPPED, ImportState.INTERRUPTED, ImportState.FAILED)
    if (
        newest is None
        or newest.state not in unfinished
        or newest.paths != tuple(str(path.absolute()) for path in paths)
    ):
        return None
    return newest


def ledger(options: argparse.Namespace) -> int:
    """The ledger as lines, or as a CSV file."""
    project = one_project(folder=options.folder, name=options.project)
    lines = [line for line in list_ledger(project) if options.outcome in (None, line.outcome)]
    if options.out:
        Path(options.out).expanduser().write_bytes(export_ledger(lines))
        tell(f"{len(lines):,} lines written to {options.out}")
        return OK
    for line in lines:
        say_line(line.outcome, line.path, line.reason)
    return OK


def find(options: argparse.Namespace) -> int:
    """The documents that hold the words, with the place and the passage of the first."""
    project = one_project(folder=options.folder, name=options.project)
    found = search(project, " ".join(options.words), limit=options.limit)
    for hit in found.hits:
        number = f"{hit.number}" if hit.number else "held back"
        place = f", {hit.place}" if hit.place else ""
        times = "once" if hit.count == 1 else f"{hit.count:,} times"
        say_line(number, f"{hit.path}{place} ({times})")
        say_line("", hit.passage)
    tell(f"{found.total:,} documents found" + (f", {len(found.hits):,} listed." if found.hits else "."))
    return OK if found.total else FAILED
