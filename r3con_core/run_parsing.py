"""The parsing stage of a run over its project: only what an edit of the schema touches is asked again."""

from functools import partial
from typing import assert_never

from r3con_core.documents import Unread
from r3con_core.exchange import Stage
from r3con_core.method.brief import Brief
from r3con_core.method.parsing import Parse
from r3con_core.overlay import data_of
from r3con_core.records import Representation
from r3con_core.runs import Run, RunState
from r3con_core.schemas import Schema
from r3con_core.snippets import RelevantContext
from r3con_core.stages import Models, Watch, parse
from r3con_core.store import records as record_rows
from r3con_core.store import runs as run_rows
from r3con_core.store import sights as sight_rows
from r3con_core.store import snippets as snippet_rows
from r3con_core.store.project import Project


def run_parsing(
    project: Project, run: Run, brief: Brief, context: RelevantContext, by: tuple[Schema, Models]
) -> Representation:
    """Parse every document that is to be parsed; the representation as it stands then."""
    schema, models = by
    record_rows.clear_parses(project, run.id)  # before the state says so: old records must not meet a new schema
    run_rows.set_state(project, run.id, RunState.PARSING)

    def keep(result: Parse | Unread) -> None:
        match result:
            case Parse():
                record_rows.save_parse(project, run.id, result.document_id, result.records)
            case Unread():
                snippet_rows.save_unread(project, run.id, Stage.PARSING, result)
            case unreachable:
                assert_never(unreachable)

    watch = Watch(parse=keep, sight=partial(sight_rows.save_sight, project, run.id))
    parse(brief, schema, context, models, watch)
    data = data_of(project, run.id)
    assert data is not None, "a run is parsed with its accepted schema"
    return Representation(relevant_context=context, structured_data=data)
