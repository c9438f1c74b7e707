"""What came of every method for one question, ready to be shown."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from pages.widgets import state
from pages.widgets.methods.fates import Fate, fates_of, share_in_answer
from r3con_core.corpora import SampleTask, samples_in
from r3con_core.experiments import Result, results_of
from r3con_core.facts import Fact
from r3con_core.methods.seam import Size
from r3con_core.runs import SMALLEST_WINDOW
from r3con_core.store.project import Project
from r3con_core.store.runs import latest_seq, list_runs

_ANY = Size(documents=(1,), window=SMALLEST_WINDOW)
"""Labels of settings are the same for work of every size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One method with its result and what became of the expected facts."""

    result: Result
    fates: tuple[Fate, ...]

    @property
    def name(self) -> str:
        """The method's."""
        return self.result.method.name

    @property
    def models(self) -> str:
        """What answered: the model that read, and the one that reasoned where that was another."""
        settings = self.result.run.settings
        return " and ".join(dict.fromkeys(filter(None, (settings.model, settings.reasoning_model))))

    @property
    def settings(self) -> dict[str, float]:
        """Of the method, as this run had them, by their labels."""
        labels = {one.name: one.label for one in self.result.method.settings(_ANY)}
        return {labels.get(name, name): value for name, value in self.result.run.settings.options}

    @property
    def share(self) -> float | None:
        """How many of the expected facts its answer says, from 0 to 1; None where that cannot be said."""
        return share_in_answer(self.fates)


def unlike(shown: Sequence[Shown]) -> str:
    """In what the runs that stand side by side differ besides the method, in a sentence; empty where in nothing."""
    models = dict.fromkeys(one.models for one in shown)
    sizes = dict.fromkeys(len(one.result.run.document_ids) for one in shown)
    parts = [f"different models ({'; '.join(models)})"] if len(models) > 1 else []
    if len({one.result.run.document_ids for one in shown}) > 1:
        parts.append(f"different documents ({', '.join(f'{size:,}' for size in sorted(sizes))} of them)")
    return f"Not all of this is comparable: these methods had {' and '.join(parts)}." if parts else ""


def sample_task(project: Project, question: str) -> SampleTask | None:
    """The question of a sample corpus in this project that has these words."""
    tasks = (task for sample in samples_in(project) for task in sample.tasks)
    return next((task for task in tasks if task.question.strip() == question.strip()), None)


def load(project: Project, task_id: str, facts: Sequence[Fact], run_id: str = "") -> tuple[Shown, ...]:
    """All results for a question, as they stand; kept until one of its runs changes. `run_id`: as `results_of` has it."""
    runs = [run for run in list_runs(project) if run.task.id == task_id or run.parent]
    seqs = tuple((run.id, run.state.value, latest_seq(project, run.id)) for run in runs)
    return _load(project, str(project.folder), (task_id, run_id), tuple(facts), seqs)


@st.cache_resource(max_entries=4, show_spinner="Looking at what the methods built")
def _load(
    _project: Project, folder: str, wanted: tuple[str, str], _facts: tuple[Fact, ...], seqs: tuple[object, ...]
) -> tuple[Shown, ...]:
    assert folder
    assert isinstance(seqs, tuple)
    task_id, run_id = wanted
    return tuple(
        Shown(
            result=result,
            fates=fates_of(_facts, result.trace, result.answer.text if result.answer else None),
        )
        for result in results_of(_project, task_id, state.home(), run_id=run_id)
    )
