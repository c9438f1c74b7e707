"""What stands of a run now: what models said, with what people changed of it laid over."""

from collections.abc import Callable, Iterable

from r3con_core.changes import Correction, Entry
from r3con_core.corrections.applying import Corrected, apply_corrections
from r3con_core.corrections.carrying import Carried, Carry, carry_change
from r3con_core.records import NO_STRUCTURE, StructuredData
from r3con_core.runs import Run
from r3con_core.schema.history import SchemaChange
from r3con_core.schemas import Schema
from r3con_core.snippets import RelevantContext
from r3con_core.steering import Steering, lay, steering_of
from r3con_core.store.answers import given_before
from r3con_core.store.changes import list_changes
from r3con_core.store.documents import load_document
from r3con_core.store.project import Project
from r3con_core.store.records import load_records
from r3con_core.store.runs import load_run
from r3con_core.store.schemas import accepted_schema, accepted_version, change_of
from r3con_core.store.snippets import load_context

Read = Callable[[Project, str, Schema, tuple[str, ...]], StructuredData]
"""Reads what models said: project, run, schema, ids of the run's documents."""


def data_of(project: Project, run_id: str) -> StructuredData | None:
    """The run's records as they stand; None before a schema is accepted, none where structuring is left out."""
    corrected = corrected_data(project, run_id)
    return corrected.data if corrected else None


def corrected_data(project: Project, run_id: str, read: Read = load_records) -> Corrected | None:
    """The run's records as they stand, with what became of every change of them; None before a schema is accepted.

    `read` gives what models said: for who keeps that, since a correction leaves it as it is.
    """
    run = load_run(project, run_id)
    schema = accepted_schema(project, run_id)
    if not run.settings.structure:
        return apply_corrections(NO_STRUCTURE, ())
    if schema is None:
        return None
    said = read(project, run_id, schema, run.document_ids)
    given = given_before(project, run_id)
    return apply_corrections(said, list_changes(project, run_id), _carry(project, run_id), given)


def _carry(project: Project, run_id: str) -> Carry:
    """Through all edits of the schema since a change was made."""
    accepted = accepted_version(project, run_id)
    known: dict[int, SchemaChange] = {}

    def carry(change: Correction, version: int) -> Carried:
        if not 0 < version < accepted:  # a replay goes through versions from before the change
            return Carried(change=change)
        if version not in known:
            known[version] = change_of(project, run_id, version, accepted)
        return carry_change(change, known[version])

    return carry


def context_of(project: Project, run_id: str) -> RelevantContext:
    """The run's rounds so far as they stand."""
    run = load_run(project, run_id)
    return context_as(project, run, list_changes(project, run_id))


def context_as(project: Project, run: Run, entries: Iterable[Entry]) -> RelevantContext:
    """The same as these changes of its rounds have it."""
    steering = steering_of(entries, run.settings)
    edited = {document_id for _, document_id in steering.edits}
    texts = {each: document.text for each in edited if (document := load_document(project, each)) is not None}
    return lay(steering, load_context(project, run.id, run.document_ids), run.document_ids, texts)


def steering_now(project: Project, run: Run) -> Steering:
    """How people steer the run's rounds."""
    return steering_of(list_changes(project, run.id), run.settings)
