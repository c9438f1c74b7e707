"""A method and a model as a run's choices, scaled to the documents at hand."""

from dataclasses import dataclass, replace

from r3con_core.jobs import ModelChoice, RunChoices
from r3con_core.methods import method_of
from r3con_core.methods.seam import Size, options_of
from r3con_core.runs import R3CON, Run
from r3con_core.store.documents import list_documents
from r3con_core.store.project import Project


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One method with one model."""

    method: str
    model: ModelChoice
    embedding: ModelChoice | None = None


def choices_for(project: Project, way: Way, task: str) -> RunChoices:
    """How that method runs over the project's documents, as the R3Con paper ran it (appendix C), scaled."""
    method, size = method_of(way.method), size_of(project, way, task)
    plain = RunChoices(reading=way.model, straight_through=True, embedding=way.embedding)
    if method.plan is not None:
        return replace(plain, method=way.method, options=options_of(method.settings(size)))
    adapted = method.adapt(plain.settings())
    return replace(
        plain,
        method=R3CON,
        rounds=adapted.rounds,
        mode=adapted.mode,
        relevance=adapted.relevance,
        structure=adapted.structure,
    )


def size_of(project: Project, way: Way, task: str) -> Size:
    """How large the work is."""
    tokens = tuple(line.tokens for line in list_documents(project) if not line.held)
    return Size(documents=tokens, window=way.model.window, task=len(task) // 4 + 10)


def why_not(project: Project, way: Way, task: str) -> str:
    """Why the method cannot do this task with this model; empty where it can."""
    return method_of(way.method).why_not(size_of(project, way, task))


def is_of(run: Run, choices: RunChoices) -> bool:
    """Whether a run was made with these choices; its limits and its seal may be others."""
    return replace(run.settings, seal="") == choices.settings()
