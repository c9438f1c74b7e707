"""Links from what a model made to the calls that made it."""

from pages.widgets import state
from pages.widgets.words import count
from r3con_core.exchange import About, Stage
from r3con_core.runs import Run
from r3con_core.store.call_search import count_calls_about
from r3con_core.store.project import Project


def link_to_calls(project: Project, run: Run, stage: Stage, document_id: str = "", number: int = 0) -> None:
    """A link to the calls of a stage about one document, and in round `number` if given; none where there are none.

    Without a document: to the stage's calls that are about none, such as those that proposed the schema.
    """
    _link(project, run, stage, About(document_id=document_id, round=number), f"round {number}" if number else "")


def link_to_step(project: Project, run: Run, step: int, *, label: str = "") -> None:
    """The same for a step of the coding agent; `label` says of what the calls are where that is not plain."""
    _link(project, run, Stage.REASONING, About(step=step), label)


def link_to_answer(project: Project, run: Run) -> None:
    """The same for an answer that was written without code: to all calls of reasoning."""
    if count_calls_about(project, run.id, Stage.REASONING, About()):
        state.page_link("calls", "See the prompts and replies", **calls_place(Stage.REASONING, About()))


def _link(project: Project, run: Run, stage: Stage, about: About, of: str = "") -> None:
    calls = count_calls_about(project, run.id, stage, about)
    if calls:
        told = "See the prompt and reply" if calls == 1 else f"See the prompts and replies ({count(calls, 'call')})"
        state.page_link("calls", f"{told} of {of}" if of else told, **calls_place(stage, about))


def calls_place(stage: Stage, about: About) -> dict[str, str | None]:
    """Query parameters of the Calls page that shows just these calls."""
    return {
        state.STAGE: stage.value,
        state.DOC: about.document_id or None,
        state.ROUND: str(about.round) if about.round else None,
        state.STEP: str(about.step) if about.step else None,
    }
