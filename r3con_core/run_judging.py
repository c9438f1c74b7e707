"""A run that judges another: carried like any run, over a project that keeps what it asks and what it says."""

from r3con_core.answers import Answer, Mode, Sentence
from r3con_core.errors import CorpusError
from r3con_core.exchange import Ask, converse, holding
from r3con_core.judging import Case, judge
from r3con_core.method.marks import mark_of
from r3con_core.runs import Run, RunState
from r3con_core.stages import Models
from r3con_core.store import runs as run_rows
from r3con_core.store.answers import save_answer
from r3con_core.store.documents import held_documents
from r3con_core.store.project import Project
from r3con_core.store.verdicts import save_verdict, to_judge
from r3con_core.verdicts import Gold, Verdict


def run_judging(project: Project, run: Run, models: Models) -> None:
    """Carry a run that judges to its verdict, which is kept as its answer too.

    CorpusError where the answer may tell of a document that is held back by now.
    """
    found = to_judge(project, run.id)
    if found is None:
        raise CorpusError("Nothing is kept of what this run was to judge. Judge the answer again.")
    if not held_documents(project).isdisjoint(run.document_ids):
        raise CorpusError("A document of the judged run is held back by now, and the answer may tell of it.")
    run_rows.set_state(project, run.id, RunState.REASONING)
    verdict = verdict_of(run, found, holding(models.reading, lambda: run.document_ids))
    save_verdict(project, run.id, verdict)
    save_answer(project, run.id, as_answer(verdict))


def verdict_of(run: Run, found: tuple[str, Gold], ask: Ask) -> Verdict:
    """What the judge says of `found`: an answer, and what is right."""
    answer, gold = found
    case = Case(question=run.task.text, answer=answer, gold=gold)
    settings = run.current_settings
    return converse(judge(case, mark=mark_of(settings.seal, run.task.id, "judge"), window=settings.window), ask)


def as_answer(verdict: Verdict) -> Answer:
    """A verdict as the answer of the run that judges."""
    first = "Right." if verdict.correct else "Right by the lenient answer." if verdict.lenient else "Not right."
    text = f"{first} {verdict.reason}".strip()
    return Answer(text=text, sentences=(Sentence(text=text, record_ids=()),), mode=Mode.DIRECT)
