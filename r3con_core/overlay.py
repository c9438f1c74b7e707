"""What stands of a run now: what models said, with what people changed of it laid over."""

from r3con_core.records import StructuredData
from r3con_core.snippets import RelevantContext
from r3con_core.store.project import Project
from r3con_core.store.records import load_records
from r3con_core.store.runs import load_run
from r3con_core.store.schemas import accepted_schema
from r3con_core.store.snippets import load_context


def data_of(project: Project, run_id: str) -> StructuredData | None:
    """The run's records as they stand; None before a schema is accepted."""
    schema = accepted_schema(project, run_id)
    if schema is None:
        return None
    return load_records(project, run_id, schema, load_run(project, run_id).document_ids)


def context_of(project: Project, run_id: str) -> RelevantContext:
    """The run's rounds so far as they stand."""
    return load_context(project, run_id, load_run(project, run_id).document_ids)
