"""The parsing stage of a run over its project: only what an edit of the schema touches is asked again."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import assert_never

from r3con_core.documents import Unread
from r3con_core.exchange import Stage
from r3con_core.method.brief import Brief
from r3con_core.method.parsing import Parse
from r3con_core.overlay import context_of, data_of
from r3con_core.records import Record, Representation
from r3con_core.run_relevance import may_be_shown
from r3con_core.runs import Run, RunState
from r3con_core.schema.changes import carry_record, needs_of, types_to_ask
from r3con_core.schema.history import SchemaChange
from r3con_core.schemas import Schema
from r3con_core.snippets import RelevantContext
from r3con_core.stages import Models, Watch, parse
from r3con_core.store import records as record_rows
from r3con_core.store import runs as run_rows
from r3con_core.store import sights as sight_rows
from r3con_core.store import snippets as snippet_rows
from r3con_core.store.documents import held_documents
from r3con_core.store.project import Project
from r3con_core.store.schemas import accepted_version, change_of, schema_versions

Wanted = Mapping[str, tuple[str, ...]]
"""By document, the record types it is asked for; none: all. Documents without an entry are not asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsingPlan:
    """What parsing asks of a run's documents."""

    wanted: Wanted
    documents: int
    """Those that could be asked: all of the run but for those that people took out."""

    @property
    def whole(self) -> tuple[str, ...]:
        """Documents that are asked for every record type."""
        return tuple(document_id for document_id, types in self.wanted.items() if not types)

    @property
    def types(self) -> tuple[str, ...]:
        """Record types that some document is asked for alone."""
        return tuple(dict.fromkeys(name for types in self.wanted.values() for name in types))


def plan_parsing(project: Project, run: Run) -> ParsingPlan:
    """What will be asked once the newest schema is accepted, as far as it can be known before: nothing is written.

    All documents, where their snippets are to be read again first, since people steered them in the meantime.
    """
    held = held_documents(project)
    context = context_of(project, run.id).without(held)
    accepted = accepted_version(project, run.id)
    stands = not run.settings.relevance or may_be_shown(project, run)
    known = record_rows.parsed_documents(project, run.id) if accepted and stands else {}
    change = _change_to_come(project, run.id)
    needs = needs_of(change)
    records = record_rows.records_by_document(project.db, run.id) if known and needs else {}
    wanted: dict[str, tuple[str, ...]] = {}
    mark, there = context_mark(context), _there(run, context)
    for document_id in there:
        parsed = known.get(document_id)
        if parsed is None or document_id in held or parsed.context not in (mark, record_rows.KEPT):
            wanted[document_id] = ()
            continue
        waiting = [change.type_names[name] for name in parsed.to_ask if name in change.type_names]
        asked = tuple(dict.fromkeys((*waiting, *types_to_ask(change, needs, records.get(document_id, ())))))
        if asked:
            wanted[document_id] = asked
    return ParsingPlan(wanted=wanted, documents=len(there))


def carried_records(project: Project, run: Run, plan: ParsingPlan, document_id: str) -> tuple[Record, ...]:
    """A document's records under the newest schema, as they will be when that is accepted and before it is asked.

    None for a document that the `plan` of now parses whole.
    """
    if plan.wanted.get(document_id) == ():
        return ()
    change = _change_to_come(project, run.id)
    held = record_rows.records_of_document(project, run.id, document_id)
    return tuple(filter(None, (carry_record(change, record) for record in held)))


def _change_to_come(project: Project, run_id: str) -> SchemaChange:
    accepted, newest = accepted_version(project, run_id), len(schema_versions(project, run_id))
    return change_of(project, run_id, accepted or newest, newest)


def _there(run: Run, context: RelevantContext) -> tuple[str, ...]:
    return tuple(document_id for document_id in run.document_ids if document_id not in context.excluded)


def context_mark(context: RelevantContext) -> str:
    """The relevant context as parsing sees it, as a hash: when that changes, documents are parsed whole again."""
    snippets = [[snippet.document_id, snippet.text] for snippet in context.snippets if snippet.text]
    digests = [[digest.level, digest.number, digest.covers, digest.text] for digest in context.last.digests]
    seen = json.dumps([snippets, digests], ensure_ascii=False)
    return "context-" + hashlib.sha256(seen.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def run_parsing(
    project: Project, run: Run, brief: Brief, context: RelevantContext, by: tuple[Schema, Models]
) -> Representation:
    """Parse every document that is to be parsed; the representation as it stands then.

    Records that the accepted schema keeps stay as they are; those of a type that is asked again are replaced.
    """
    schema, models = by
    wanted = _wanted_now(project, run, context)
    run_rows.set_state(project, run.id, RunState.PARSING)
    mark = context_mark(context)

    def keep(result: Parse | Unread) -> None:
        match result:
            case Parse(document_id=of, records=records):
                record_rows.save_parse(project, run.id, of, records, only=wanted[of], context=mark)
            case Unread():
                snippet_rows.save_unread(project, run.id, Stage.PARSING, result)
            case unreachable:
                assert_never(unreachable)

    watch = Watch(parse=keep, sight=partial(sight_rows.save_sight, project, run.id))
    parse(brief, schema, context, models, watch, wanted=wanted)
    data = data_of(project, run.id)
    assert data is not None, "a run is parsed with its accepted schema"
    return Representation(relevant_context=context, structured_data=data)


def _wanted_now(project: Project, run: Run, context: RelevantContext) -> Wanted:
    """What is asked under the accepted schema; what does not stand is forgotten, before the run's state tells of it."""
    parsed, mark, there = record_rows.parsed_documents(project, run.id), context_mark(context), _there(run, context)
    stand = {document_id for document_id, one in parsed.items() if one.context in (mark, record_rows.KEPT)}
    stand -= held_documents(project)
    record_rows.begin_parsing(project, run.id, [d for d in run.document_ids if d not in stand or d not in there])
    wanted = {document_id: parsed[document_id].to_ask if document_id in stand else () for document_id in there}
    return {document_id: types for document_id, types in wanted.items() if types or document_id not in stand}
