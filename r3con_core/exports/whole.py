"""All that a report tells: the run's contents with the ledger, what its calls used, and what they cost."""

from dataclasses import dataclass

from r3con_core.costs import Cost, cost_so_far
from r3con_core.exports.contents import RunContents, load_contents
from r3con_core.store.built import load_built
from r3con_core.store.calls import StageUsage, usage_by_stage
from r3con_core.store.documents import LedgerEntry, list_ledger
from r3con_core.store.project import Project
from r3con_core.store.runs import endpoints_of
from r3con_core.store.schemas import SchemaVersion, schema_versions
from r3con_core.traces import Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeRun:
    """One run with what surrounds it."""

    contents: RunContents
    ledger: tuple[LedgerEntry, ...]
    usage: tuple[StageUsage, ...]
    versions: tuple[SchemaVersion, ...]
    cost: Cost | None
    """At the prices that were kept when the run was made; None where none were, so that a report says the same
    wherever it is made."""
    built: Trace = ()
    """Of another method than R3Con: what it built on the way."""


def load_whole(project: Project, run_id: str) -> WholeRun:
    """All of it; StoreError when the project has no run with this id."""
    contents = load_contents(project, run_id)
    priced = bool(endpoints_of(project, run_id).get("prices_reading"))
    return WholeRun(
        contents=contents,
        ledger=list_ledger(project),
        usage=usage_by_stage(project, run_id),
        versions=schema_versions(project, run_id),
        cost=cost_so_far(project, run_id) if priced else None,
        built=load_built(project, run_id),
    )
