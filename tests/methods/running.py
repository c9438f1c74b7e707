"""Runs of compared methods over small projects, carried in this process as a worker would."""

from collections.abc import Callable
from pathlib import Path

from r3con_core.exchange import Prompt
from r3con_core.jobs import ModelChoice, RunChoices, create_run
from r3con_core.methods import method_of
from r3con_core.methods.seam import Size, options_of
from r3con_core.run import carry
from r3con_core.run_method import Equipment
from r3con_core.runs import RunState
from r3con_core.stages import Models
from r3con_core.store import runs as run_rows
from r3con_core.store.calls import remembering
from r3con_core.store.project import Project
from r3con_core.store.usage import document_tokens
from tests.fakes import Scripted, harbour_project
from tests.harbour_script import QUESTION
from tests.methods.scripts import reply
from tests.remembered import open_remembered

WINDOW = 32_768


def start(project: Project, method_id: str, question: str = QUESTION, *, window: int = WINDOW, **options: float) -> str:
    """A queued run of that method; its id. `options`: settings of the method other than those scaled to the corpus."""
    method = method_of(method_id)
    size = Size(documents=document_tokens(project, _ids(project)), window=window)
    choices = RunChoices(
        reading=ModelChoice(model="scripted", base_url="http://127.0.0.1:9/v1", window=window),
        straight_through=True,
        method=method_id,
        options=options_of(method.settings(size), options),
    )
    return create_run(project, question, choices).id


def _ids(project: Project) -> tuple[str, ...]:
    return tuple(id_ for (id_,) in project.db.execute("select id from documents order by position"))


def carry_method(
    project: Project,
    run_id: str,
    model: Scripted | None = None,
    *,
    workers: int = 1,
    equipment: Equipment = Equipment(sandbox=open_remembered),
) -> RunState:
    """Carry a queued run with a scripted model, through the call log; where it stands then."""
    asked = model or Scripted(reply)
    settings = run_rows.load_run(project, run_id).settings
    ask = remembering(project, run_id, settings.model, "this computer", asked, repeat=settings.repeat)
    run_rows.claim_run(project, run_id, pid=1)
    try:
        models = Models(reading=ask, reasoning=ask, workers=workers)
        return carry(project, run_id, models, equipment)
    finally:
        run_rows.release_run(project, run_id)


def finished(root: Path, method_id: str, answer: Callable[[Prompt], str] = reply) -> tuple[Project, str, Scripted]:
    """A project over the harbour corpus with a finished run of that method, and the model that was asked."""
    project, model = harbour_project(root), Scripted(answer)
    run_id = start(project, method_id)
    carry_method(project, run_id, model)
    return project, run_id, model
