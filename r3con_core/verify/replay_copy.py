"""A bare copy of a run: its documents, settings, calls and people's changes, without what came of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from r3con_core.changes import Correction, Entry, Steer
from r3con_core.relations import Kept
from r3con_core.runs import RunState
from r3con_core.snippets import Author
from r3con_core.store.changes import list_changes
from r3con_core.store.copies import copy_run
from r3con_core.store.decisions import forget_held
from r3con_core.store.project import Project, create_project
from r3con_core.store.schemas import accept_schema, accepted_version, schema_versions


@dataclass(frozen=True, slots=True, kw_only=True)
class CopiedRun:
    """The copy, in a project of its own."""

    project: Project
    run_id: str
    kept: Kept
    """What the run has from the one it began from, and is not made anew."""
    source: Path
    """The store that it was copied from."""
    accepted: int
    """The version of the schema that the run parses with; 0 without one."""
    finished: str
    """When the answer was given, UTC, ISO 8601; empty without one."""

    def accept(self, version: int) -> None:
        """Have the versions of the schema up to this one, accept it, and stand right before parsing with it."""
        db = self.project.db
        db.execute("attach database ? as source", (str(self.source),))
        try:
            db.execute("delete from main.schemas")
            wanted = "select * from source.schemas where run_id = ? and version <= ? order by version"
            db.execute(f"insert into main.schemas {wanted}", (self.run_id, version))
        finally:
            db.execute("detach database source")
        accept_schema(self.project, self.run_id)
        db.execute("update runs set state = 'proposing a schema'")

    def forget_records(self) -> None:
        """Stand as before parsing."""
        for table in ("records", "parsed", "steps", "answers"):
            self.project.db.execute(f"delete from {table}")
        self.project.db.execute("delete from unread where stage = 'parsing'")
        self.project.db.execute("update runs set accepted_version = null")

    def queue(self, changes: frozenset[int]) -> None:
        """Stand right before reasoning is carried, with these of people's corrections alone."""
        db = self.project.db
        for entry in list_changes(self.project, self.run_id):
            if isinstance(entry.change, Correction):
                self._keep(entry, changes)
        db.execute("delete from steps")
        db.execute("delete from answers")
        db.execute("update runs set state = 'queued', accepted_version = ?", (self.accepted or None,))

    def corrections(self) -> Iterator[frozenset[int]]:
        """Numbers of the corrections that the answer may have been reasoned with: those made by then, all, none.

        Times are told to the second, so that what was taken back within that of the answer may have counted or not.
        """
        entries = [one for one in list_changes(self.project, self.run_id) if isinstance(one.change, Correction)]
        now = frozenset(entry.number for entry in entries if entry.counts)
        made = [entry for entry in entries if entry.made <= self.finished]
        then = frozenset(entry.number for entry in made if entry.counts or entry.undone > self.finished)
        soon = frozenset(entry.number for entry in made if entry.counts or entry.undone >= self.finished)
        yield from dict.fromkeys((then, soon, now, frozenset[int]()))

    def steers(self, by: str) -> Iterator[frozenset[int]]:
        """Numbers of the changes of the rounds that a schema made then may come of: those made by then, none."""
        entries = [one for one in list_changes(self.project, self.run_id) if isinstance(one.change, Steer)]
        then = frozenset(
            entry.number for entry in entries if entry.made <= by and not (entry.undone and entry.undone <= by)
        )
        yield from dict.fromkeys((then, frozenset[int]())) if entries else ()

    def keep_steers(self, changes: frozenset[int]) -> None:
        """Have these changes of the rounds alone."""
        for entry in list_changes(self.project, self.run_id):
            if isinstance(entry.change, Steer):
                self._keep(entry, changes)

    def _keep(self, entry: Entry, changes: frozenset[int]) -> None:
        undone = "" if entry.number in changes else "left out"
        self.project.db.execute("update changes set undone = ? where number = ?", (undone, entry.number))


def copy_bare(project: Project, run_id: str, folder: Path, kept: Kept) -> CopiedRun:
    """The copy, below `folder`."""
    copy = create_project(folder, "Replay")
    copy_run(project.path, copy, run_id)
    finished = copy.db.execute("select finished from answers where run_id = ?", (run_id,)).fetchone()
    accepted = accepted_version(copy, run_id)
    versions = schema_versions(copy, run_id)
    given = kept.schema or (bool(versions) and versions[0].author is not Author.MODEL)
    _strip(copy, kept, given=given)
    return CopiedRun(
        project=copy,
        run_id=run_id,
        kept=kept,
        source=project.path,
        accepted=accepted,
        finished=finished[0] if finished else "",
    )


def _strip(copy: Project, kept: Kept, *, given: bool) -> None:
    """Leave out what is to be made anew."""
    going = ["steps", "answers", "graph_places", "built"]
    going += [] if kept.snippets else ["focus", "snippets", "digests", "sights"]
    going += [] if kept.records else ["records", "parsed"]
    going += [] if given else ["schemas"]
    with copy.change() as db:
        forget_held(db)  # what was held back after the run is no matter of what it did
        for table in going:
            db.execute(f"delete from {table}")
        if not kept.snippets:
            db.execute("delete from unread where stage = 'relevance'")
            db.execute("update runs set steered = ''")
        if not kept.records:
            db.execute("delete from unread where stage = 'parsing'")
        db.execute("update runs set rounds_passed = 99, between_rounds = 0 where state != ?", (RunState.BETWEEN.value,))
        db.execute("update runs set state = 'queued', straight_through = 0, error = ''")
        if not kept.records:
            db.execute("update runs set accepted_version = null")
