"""A run of another method than R3Con, carried over a project that keeps what it asks and what it builds."""

from dataclasses import dataclass, field, replace
from functools import partial

from r3con_core.documents import Corpus
from r3con_core.embedding import Embed, WordVectors
from r3con_core.errors import CorpusError
from r3con_core.exchange import Ask, Prompt, Reply
from r3con_core.method.brief import make_brief
from r3con_core.methods import method_of
from r3con_core.methods.seam import Tools
from r3con_core.runs import Run, RunState
from r3con_core.sandbox import open_sandbox
from r3con_core.stages import Models, OpenSandbox, Watch
from r3con_core.store import answers as answer_rows
from r3con_core.store import built as built_rows
from r3con_core.store import runs as run_rows
from r3con_core.store.documents import held_documents, load_corpus
from r3con_core.store.project import Project


@dataclass(frozen=True, slots=True, kw_only=True)
class Equipment:
    """What a run is carried with besides its models."""

    sandbox: OpenSandbox = open_sandbox
    embed: Embed = field(default_factory=WordVectors)


def run_method(project: Project, run: Run, models: Models, equipment: Equipment) -> None:
    """Carry the run to its answer. Finished calls come from the log, so nothing is asked twice.

    Documents that are held back by now are left out. CorpusError when none is left.
    """
    held = held_documents(project)
    corpus = load_corpus(project, tuple(one for one in run.document_ids if one not in held))
    if not corpus.documents:
        raise CorpusError("All documents of this run are held back from models now. Release those that may be read.")
    run_rows.set_state(project, run.id, RunState.BUILDING)
    built_rows.clear_built(project, run.id)
    answer_rows.clear_steps(project, run.id)
    watch = Watch(
        walls=partial(run_rows.set_walls, project, run.id),
        step=partial(answer_rows.save_step, project, run.id),
        built=partial(built_rows.save_built, project, run.id),
    )
    tools = Tools(models=_within(models, corpus), embed=equipment.embed, sandbox=equipment.sandbox, watch=watch)
    brief = make_brief(run.task, corpus, run.current_settings)
    answer = method_of(run.settings.method).run(brief, tools)
    answer_rows.save_answer(project, run.id, answer, [])


def _within(models: Models, corpus: Corpus) -> Models:
    """`models`, whose prompts hold nothing but documents of `corpus`, where they do not say of which they do."""
    ids = tuple(document.id for document in corpus.documents)

    def bounded(ask: Ask) -> Ask:
        def said(prompt: Prompt) -> Reply:
            return ask(prompt if prompt.holds is not None else replace(prompt, holds=ids))

        return said

    reading = bounded(models.reading)
    reasoning = reading if models.reasoning is models.reading else bounded(models.reasoning)
    return replace(models, reading=reading, reasoning=reasoning)
