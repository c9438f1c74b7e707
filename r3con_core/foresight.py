"""What accepting a schema, or trying it on a few documents, will ask and cost: told before either is done."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from r3con_core.costs import CostRange, expected_cost, known_of
from r3con_core.errands import Preview, Trial, latest
from r3con_core.estimates.estimate import Estimate, estimate_parsing, estimate_run
from r3con_core.estimates.figures import Calibration
from r3con_core.estimates.learning import learn
from r3con_core.exchange import Stage
from r3con_core.jobs import choices_of
from r3con_core.run_parsing import ParsingPlan, plan_parsing
from r3con_core.runs import Run
from r3con_core.store.project import Project
from r3con_core.store.runs import load_run
from r3con_core.store.schemas import schema_versions
from r3con_core.store.usage import document_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Foresight:
    """What is to come."""

    asked: int
    """Documents that a model is asked about."""
    documents: int
    """Of so many."""
    types: tuple[str, ...]
    """The record types that are asked for, where no document is asked for all of them."""
    tried: int
    """Documents that accepting would ask, but whose replies a preview has brought in already."""
    estimate: Estimate
    cost: CostRange | None
    """None where a price is not known."""


def foresee_accepting(project: Project, run_id: str, home: Path) -> Foresight:
    """What accepting the newest schema will ask: documents again where it must, and the answer anew."""
    run, plan = load_run(project, run_id), plan_parsing(project, load_run(project, run_id))
    tried = _tried(project, run_id) & plan.wanted.keys()
    return _foresee(project, run, plan, plan.wanted.keys() - tried, home, tried=len(tried), whole=True)


def foresee_preview(project: Project, run_id: str, document_ids: Sequence[str], home: Path) -> Foresight:
    """What trying the newest schema on these documents will ask; the answer is not touched."""
    run, plan = load_run(project, run_id), plan_parsing(project, load_run(project, run_id))
    wanted = plan.wanted.keys() & set(document_ids)
    tried = _tried(project, run_id) & wanted
    return _foresee(project, run, plan, wanted - tried, home, tried=len(tried), whole=False)


def _tried(project: Project, run_id: str) -> set[str]:
    """Documents that a preview of the newest schema has parsed."""
    errand = latest(project, run_id, Preview)
    if errand is None or not isinstance(errand.result, Trial):
        return set()
    if errand.asked.version != len(schema_versions(project, run_id)):
        return set()
    return {one.document_id for one in errand.result.documents if not one.reason}


def _foresee(  # noqa: PLR0913 - what is asked of whom, by name
    project: Project, run: Run, plan: ParsingPlan, asked: set[str], home: Path, *, tried: int, whole: bool
) -> Foresight:
    tokens = document_tokens(project, run.document_ids)
    reading, reasoning = choices_of(project, run.id)
    known = _known(project, run, home)
    places = {place for place, document_id in enumerate(run.document_ids) if document_id in asked}
    estimate = estimate_parsing(tokens, places, run.settings, known)
    if whole:
        last = [part for part in estimate_run(tokens, run.settings, known).parts if part.stage is Stage.REASONING]
        estimate = Estimate(parts=(*estimate.parts, *last))
    types = {name for document_id in asked for name in plan.wanted[document_id]}
    all_types = any(not plan.wanted[document_id] for document_id in asked)
    return Foresight(
        asked=len(asked),
        documents=plan.documents,
        types=() if all_types else tuple(name for name in plan.types if name in types),
        tried=tried,
        estimate=estimate,
        cost=expected_cost(estimate, reading, reasoning, home),
    )


def _known(project: Project, run: Run, home: Path) -> Calibration:
    """Of the reading model, with what this run says about it."""
    known = known_of(project, choices_of(project, run.id)[0], home)
    own = learn(project, run.id, known)
    return own.calibration if own else known
