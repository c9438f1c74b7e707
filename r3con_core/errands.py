"""Small pieces of model work beside a run: `python -m r3con_core.errands PROJECT_FOLDER ERRAND_ID`.

They ask through the run's call log and under its caps, so that accepting a schema afterwards pays for nothing twice.
"""

import os
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import assert_never

from r3con_core import egress
from r3con_core.caps import Meter, spent_of
from r3con_core.documents import Unread
from r3con_core.errors import LimitReachedError, R3ConError, StoppedError, StoreError, WithheldError
from r3con_core.exchange import Ask, converse, holding
from r3con_core.home import home_folder
from r3con_core.jobs import ModelChoice, keys_of_run, rates_of
from r3con_core.method.brief import Brief, make_brief
from r3con_core.method.parsing import Parse
from r3con_core.method.revising import Revision, revise_schema
from r3con_core.opening import Opened, Opening, OpenModel, Signals, models_of, open_model
from r3con_core.processes import allow_many_files, beating, last_resort, start_apart, take_given
from r3con_core.records import Record
from r3con_core.run_parsing import carried_records, plan_parsing
from r3con_core.run_relevance import load_relevance
from r3con_core.runs import Run
from r3con_core.schemas import Schema
from r3con_core.stages import Models, Watch, parse, within_window
from r3con_core.store import errands as errand_rows
from r3con_core.store.caps import load_caps
from r3con_core.store.codec import dump, load
from r3con_core.store.documents import load_corpus
from r3con_core.store.errands import ErrandRow, ErrandState
from r3con_core.store.project import Project, open_project
from r3con_core.store.records import in_place
from r3con_core.store.runs import load_run
from r3con_core.store.schemas import schema_versions

BEAT_SECONDS = 5.0
MOST_DOCUMENTS = 5
"""That one preview parses."""
DIED = "Its process ended before it was done. What was finished is kept; start it again to go on."


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """Parse some documents with a version of the schema, to see what would come of accepting it."""

    version: int
    document_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Revise:
    """Make edits of a sentence."""

    version: int
    wish: str


Asked = Preview | Revise


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What accepting the schema would make of one document."""

    document_id: str
    records: tuple[Record, ...]
    asked: tuple[str, ...] | None = ()
    """The record types it was asked for, none for all; None: it was not asked, all its records are carried over."""
    reason: str = ""
    """Why it could not be parsed; then its records are only those carried over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What a preview has found so far."""

    documents: tuple[Tried, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """One errand as screens show it."""

    id: str
    run_id: str
    asked: Asked
    state: ErrandState
    result: Trial | Revision | None
    """None before anything has come of it."""
    error: str
    created: str


_ASKED: dict[str, type[Asked]] = {"preview": Preview, "revise": Revise}
_RESULT: dict[str, type[Trial] | type[Revision]] = {"preview": Trial, "revise": Revision}


def send(project: Project, run_id: str, asked: Asked, *, home: Path, keys: Mapping[str, str] | None = None) -> str:
    """Start an errand in a process of its own; its id. `keys` are those typed, by place, as for `start_worker`.

    StoreError while the run itself is at work, while another errand of it is, and for too many documents.
    """
    errand_id = queue(project, run_id, asked)
    given, log = keys_of_run(project, run_id, home=home, typed=keys or {}), project.folder / f"{run_id}.log"
    arguments = [str(project.folder), errand_id]
    start_apart("r3con_core.errands", arguments, log, environment={"R3CON_HOME": str(home)}, given=given)
    return errand_id


def queue(project: Project, run_id: str, asked: Asked) -> str:
    """An errand that waits for a process; StoreError as for `send`."""
    if load_run(project, run_id).state.active:
        raise StoreError("The run is at work now. Stop it first, or wait for its end.")
    if isinstance(asked, Preview) and not 1 <= len(asked.document_ids) <= MOST_DOCUMENTS:
        raise StoreError(f"Choose from one to {MOST_DOCUMENTS} documents.")
    if isinstance(asked, Revise) and not asked.wish.strip():
        raise StoreError("Say what is to be changed.")
    notice_dead(project, run_id)
    kind = next(kind for kind, of in _ASKED.items() if isinstance(asked, of))
    return errand_rows.add_errand(project, run_id, kind, dump(asked, _ASKED[kind]))


def notice_dead(project: Project, run_id: str) -> None:
    """Mark errands whose process has died as failed."""
    errand_rows.end_the_dead(project, run_id, DIED)


def stop(project: Project, run_id: str) -> None:
    """Ask all errands of a run to stop after the calls in flight."""
    for row in errand_rows.list_errands(project, run_id):
        if row.state.active:
            errand_rows.ask_to_stop(project, row.id)


def latest(project: Project, run_id: str, of: type[Asked]) -> Errand | None:
    """The newest errand of a run of that kind, None when it had none."""
    found = (row for row in errand_rows.list_errands(project, run_id) if _ASKED[row.kind] is of)
    return next((_errand(row) for row in found), None)


def active(project: Project, run_id: str) -> Errand | None:
    """The errand that is at work beside a run, if any."""
    return next((_errand(row) for row in errand_rows.list_errands(project, run_id) if row.state.active), None)


def _errand(row: ErrandRow) -> Errand:
    return Errand(
        id=row.id,
        run_id=row.run_id,
        asked=load(row.asked, _ASKED[row.kind]),
        state=row.state,
        result=load(row.result, _RESULT[row.kind]) if row.result else None,
        error=row.error,
        created=row.created,
    )


def work(project: Project, errand_id: str, home: Path, opening: OpenModel = open_model) -> ErrandState:
    """Carry an errand to its end; the state it ends in. One that another process has begun is left alone."""
    allow_many_files()
    if not errand_rows.claim_errand(project, errand_id, os.getpid()):
        return errand_rows.load_errand(project, errand_id).state
    errand = _errand(errand_rows.load_errand(project, errand_id))

    def end(state: ErrandState, why: str = "") -> None:
        errand_rows.end_errand(project, errand_id, state, why)

    def opened(choice: ModelChoice, signals: Signals) -> Ask:
        return stack.enter_context(opening(choice, home, signals))

    log = project.folder / f"{errand.run_id}.log"
    alive = beating(lambda: errand_rows.beat(project, errand_id), project.close, seconds=BEAT_SECONDS)
    with alive, ExitStack() as stack:
        try:
            with last_resort(log, lambda why: end(ErrandState.FAILED, why)):
                _carry_out(project, errand, home, opened)
                end(ErrandState.DONE)
        except WithheldError as error:
            end(ErrandState.FAILED, str(error))
        except StoppedError:
            end(ErrandState.STOPPED, "Stopped. What was finished is kept.")
        except LimitReachedError as error:
            end(ErrandState.FAILED, _at_limit(error))
        except R3ConError as error:
            end(ErrandState.FAILED, str(error))
    return errand_rows.load_errand(project, errand_id).state


def _at_limit(error: LimitReachedError) -> str:
    return (
        f"The run's limit is reached: {error.spent} of at most {error.cap} are used. "
        "Raise the limit of the run, then try again; nothing is paid twice."
    )


def _carry_out(project: Project, errand: Errand, home: Path, opened: Opened) -> None:
    rates = rates_of(project, errand.run_id, home)
    by = Opening(
        meter=Meter(load_caps(project, errand.run_id), rates, spent_of(project, errand.run_id, rates)),
        opened=opened,
        should_stop=lambda: errand_rows.stop_asked(project, errand.id),
    )
    run, models = load_run(project, errand.run_id), models_of(project, errand.run_id, by)
    schema = _schema_of(project, errand)
    brief = make_brief(run.task, load_corpus(project, run.document_ids), run.current_settings)

    def keep(result: Trial | Revision) -> None:
        errand_rows.keep_result(project, errand.id, dump(result, type(result)))

    match errand.asked:
        case Preview() as asked:
            _preview(project, run, asked, (brief, schema, models), keep)
        case Revise(wish=wish):
            keep(
                within_window(
                    brief,
                    brief.reasoning_window,
                    lambda within: converse(revise_schema(within, schema, wish), holding(models.reasoning, tuple)),
                )
            )
        case unreachable:
            assert_never(unreachable)


def _schema_of(project: Project, errand: Errand) -> Schema:
    """The schema that was newest when the errand was sent; StoreError when it is not any more."""
    versions = schema_versions(project, errand.run_id)
    if len(versions) != errand.asked.version:
        raise StoreError("The schema was changed in the meantime. Start again with the schema as it stands.")
    return versions[-1].schema


def _preview(
    project: Project,
    run: Run,
    asked: Preview,
    by: tuple[Brief, Schema, Models],
    keep: Callable[[Trial], None],
) -> None:
    """What accepting would ask of the chosen documents, and what it would carry over."""
    brief, schema, models = by
    brief, context = load_relevance(project, run, brief)
    plan = plan_parsing(project, run)
    chosen = [document_id for document_id in run.document_ids if document_id in asked.document_ids]
    carried = {document_id: carried_records(project, run, plan, document_id) for document_id in chosen}
    wanted = {document_id: plan.wanted[document_id] for document_id in chosen if document_id in plan.wanted}
    tried = {
        document_id: Tried(document_id=document_id, records=carried[document_id], asked=None)
        for document_id in chosen
        if document_id not in wanted
    }

    def take(result: Parse | Unread) -> None:
        of, types = result.document_id, wanted[result.document_id]
        if isinstance(result, Unread):
            tried[of] = Tried(document_id=of, records=carried[of], asked=types, reason=result.reason)
        else:
            records = in_place(carried[of], result.records, types) if types else result.records
            tried[of] = Tried(document_id=of, records=records, asked=types)
        keep(Trial(documents=tuple(tried[each] for each in chosen if each in tried)))

    keep(Trial(documents=tuple(tried.values())))
    if wanted:
        parse(brief, schema, context, models, Watch(parse=take), wanted=wanted)


def main() -> int:
    """Carry out the errand named on the command line; 0 when it ended as it should."""
    egress.install()
    folder, errand_id = sys.argv[1:3]
    opening = partial(open_model, keys=take_given(sys.argv[3:]))
    state = work(open_project(Path(folder)), errand_id, home_folder(), opening)
    return 0 if state in (ErrandState.DONE, ErrandState.STOPPED) else 1


if __name__ == "__main__":
    raise SystemExit(main())
