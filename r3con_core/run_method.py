"""A run of another method than R3Con, carried over a project that keeps what it asks and what it builds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from r3con_core.documents import Corpus
from r3con_core.embedding import Embed, Side, WordVectors
from r3con_core.errors import CorpusError, R3ConError, WithheldError
from r3con_core.exchange import Ask, Prompt, Reply
from r3con_core.method.brief import make_brief
from r3con_core.methods import method_of
from r3con_core.methods.seam import OpenAsking, Tools
from r3con_core.runs import Run, RunState
from r3con_core.sandbox import open_sandbox
from r3con_core.sendings import ANSWERED, Ended, Sending, moment
from r3con_core.stages import Models, Watch
from r3con_core.store import answers as answer_rows
from r3con_core.store import built as built_rows
from r3con_core.store import runs as run_rows
from r3con_core.store.calls import remembering
from r3con_core.store.documents import held_documents, load_corpus
from r3con_core.store.egress import begin_sending
from r3con_core.store.project import Project

if TYPE_CHECKING:
    from r3con_core.embedding import Vectors


@dataclass(frozen=True, slots=True, kw_only=True)
class Equipment:
    """What a run is carried with besides its models."""

    sandbox: OpenAsking = open_sandbox
    embed: Embed = field(default_factory=WordVectors)
    check: Callable[[], None] = lambda: None
    """Raises once the run is stopped or has used what it may; models and vectors ask it by themselves."""


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
    tools = Tools(
        models=_within(models, corpus),
        embed=_embed_within(equipment.embed, corpus),
        sandbox=equipment.sandbox,
        watch=watch,
        keep=partial(_kept, project, run),
        check=equipment.check,
    )
    brief = make_brief(run.task, corpus, run.current_settings)
    answer = method_of(run.settings.method).run(brief, tools)
    answer_rows.save_answer(project, run.id, answer, [])


@dataclass(frozen=True, slots=True, kw_only=True)
class _EmbedWithin:
    """An `Embed` for texts that tell of nothing but these documents, where callers do not say of which."""

    inner: Embed
    ids: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.inner.name

    def __call__(
        self, texts: Sequence[str], *, side: Side = Side.PASSAGE, holds: tuple[str, ...] | None = None
    ) -> "Vectors":
        return self.inner(texts, side=side, holds=self.ids if holds is None else holds)


def _embed_within(embed: Embed, corpus: Corpus) -> Embed:
    return _EmbedWithin(inner=embed, ids=tuple(document.id for document in corpus.documents))


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


def _kept(project: Project, run: Run, model: str, host: str, ask: Ask) -> Ask:
    """`ask` of a program outside: nothing held back is given to it, each asking is a row of what was sent, and is kept."""

    def sent(prompt: Prompt) -> Reply:
        if not held_documents(project).isdisjoint(prompt.holds or run.document_ids):
            raise WithheldError
        end = begin_sending(
            project,
            Sending(
                sent=moment(),
                purpose=prompt.stage.value,
                host=host,
                bytes_sent=0,
                run_id=run.id,
                call=prompt.key(model, run.settings.repeat),
                documents=prompt.holds or run.document_ids,
            ),
        )
        try:
            reply = ask(prompt)
        except R3ConError:
            end(Ended(outcome="broken off"))
            raise
        end(Ended(outcome=ANSWERED, bytes_received=len(reply.text.encode())))
        return reply

    return remembering(project, run.id, model, host, sent, repeat=run.settings.repeat)
