"""Our side: a project, a run, and the worker process that carries it, as the app and the command line do it."""

import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import r3con_core
from calls.watching import Peak, follow
from r3con_core.jobs import ModelChoice, RunChoices, create_run, start_worker
from r3con_core.runs import RunState
from r3con_core.store import runs as run_rows
from r3con_core.store.answers import load_answer
from r3con_core.store.calls import StageUsage, usage_by_stage
from r3con_core.store.project import Project
from r3con_core.store.records import load_records
from r3con_core.store.schemas import accepted_schema
from r3con_core.store.snippets import load_context

WORKERS = 64
WINDOW = 262_144


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """One run that came to its end."""

    state: RunState
    error: str
    seconds: float
    """From the start of the worker's process to its end."""
    peak: Peak
    disk: int
    """Bytes of the project's folder."""
    stages: tuple[StageUsage, ...]
    unread: int
    """Documents that a round or the parsing could not use, counted each time."""
    snippets: int
    """Of the last round."""
    answered: bool


def choices(url: str, *, workers: int = WORKERS, window: int = WINDOW) -> RunChoices:
    """The simulator as the only model; the schema is accepted as proposed."""
    return RunChoices(
        reading=ModelChoice(model="sim", base_url=url, window=window, workers=workers), straight_through=True
    )


def run_all(project: Project, question: str, chosen: RunChoices) -> Ran:
    """A run over all documents, in a worker process of its own."""
    run = create_run(project, question, chosen)
    return carry_on(project, run.id)


def carry_on(project: Project, run_id: str) -> Ran:
    """Start a worker for a queued run and wait for its end."""
    begun = time.perf_counter()
    peak = follow(start_worker(project, run_id, home=home_of(project)))
    return look_at(project, run_id, seconds=time.perf_counter() - begun, peak=peak)


def home_of(project: Project) -> Path:
    """A home of the measurement's own, beside the project."""
    return project.folder.parent / "home"


def look_at(project: Project, run_id: str, *, seconds: float, peak: Peak) -> Ran:
    """What the store says about a run that no worker holds."""
    run = run_rows.load_run(project, run_id)
    schema = accepted_schema(project, run_id)
    context = load_context(project, run_id, run.document_ids)
    unread = sum(len(each.unread) for each in context.rounds)
    if schema is not None:
        unread += len(load_records(project, run_id, schema, run.document_ids).unread)
    answer = load_answer(project, run_id)
    return Ran(
        state=run.state,
        error=run.error,
        seconds=seconds,
        peak=peak,
        disk=folder_size(project.folder),
        stages=usage_by_stage(project, run_id),
        unread=unread,
        snippets=len(context.rounds[-1].snippets) if context.rounds else 0,
        answered=answer is not None and bool(answer.text),
    )


def result_of(project: Project, run_id: str) -> tuple[object, ...]:
    """All that a run found, to compare with another's: snippets of each round, records, answer."""
    run = run_rows.load_run(project, run_id)
    schema = accepted_schema(project, run_id)
    context = load_context(project, run_id, run.document_ids)
    snippets = tuple(
        (each.number, snippet.document_id, snippet.text) for each in context.rounds for snippet in each.snippets
    )
    data = load_records(project, run_id, schema, run.document_ids) if schema else None
    answer = load_answer(project, run_id)
    return snippets, data, (answer.text, answer.sentences) if answer else None


def folder_size(folder: Path) -> int:
    """Bytes of all files below `folder`."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def import_seconds(python: str, code: str, *, folder: Path) -> float:
    """Seconds that `code` takes in a new process, the median of five."""
    timed = f"import time; begun = time.perf_counter()\n{code}\nprint(time.perf_counter() - begun)"
    told = [subprocess.check_output([python, "-c", timed], text=True, cwd=folder) for _ in range(5)]
    return statistics.median(float(seconds.split()[-1]) for seconds in told)


def our_imports(folder: Path) -> tuple[float, float]:
    """Seconds for `import r3con_core`, and for that with all its public names."""
    root = f"import sys; sys.path.insert(0, {str(Path(r3con_core.__file__).parents[1])!r})\n"
    bare = import_seconds(sys.executable, f"{root}import r3con_core", folder=folder)
    return bare, import_seconds(sys.executable, f"{root}from r3con_core import *", folder=folder)
