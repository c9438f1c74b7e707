"""A method and a model as a run's choices, scaled to the documents at hand."""

from dataclasses import dataclass, replace

from r3con_core.estimates.methods import size_of
from r3con_core.experiments import chosen_for, lacks
from r3con_core.jobs import ModelChoice, RunChoices
from r3con_core.methods import method_of
from r3con_core.methods.seam import Needs, Size
from r3con_core.runs import Run
from r3con_core.store.documents import list_documents
from r3con_core.store.project import Project


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One method with one model."""

    method: str
    model: ModelChoice
    embedding: ModelChoice | None = None

    @property
    def vectors_by(self) -> str:
        """The model of vectors on a server that it asks; empty: none."""
        wanted = Needs.EMBEDDING in method_of(self.method).needs
        return self.embedding.model if self.embedding is not None and wanted else ""


def choices_for(project: Project, way: Way, task: str) -> RunChoices:
    """How that method runs over the project's documents, as the R3Con paper ran it (appendix C), scaled."""
    choices = RunChoices(reading=way.model, embedding=way.embedding if way.vectors_by else None)
    return chosen_for(choices, method_of(way.method), _size(project, way, task))


def _size(project: Project, way: Way, task: str) -> Size:
    tokens = [line.tokens for line in list_documents(project) if not line.held]
    return size_of(tokens, way.model.window, task)


def why_not(project: Project, way: Way, task: str) -> str:
    """Why the method cannot do this task with this model; empty where it can."""
    return method_of(way.method).why_not(_size(project, way, task))


_EASY = Size(documents=(1,), window=1_000_000)


def lacks_here(way: Way) -> str:
    """What is not on this computer that the method cannot do without, whatever the task; empty where nothing is."""
    method = method_of(way.method)
    return method.why_not(_EASY) or lacks(method)


def is_of(run: Run, choices: RunChoices) -> bool:
    """Whether a run was made with these choices; its limits and its seal may be others."""
    return replace(run.settings, seal="") == choices.settings()
