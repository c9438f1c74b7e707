"""The relevance stage of a run over its project: rounds as people steer them, kept as they come."""

from functools import partial
from typing import assert_never

from r3con_core.documents import Unread
from r3con_core.exchange import Stage
from r3con_core.method.brief import Brief, with_focus
from r3con_core.overlay import context_of
from r3con_core.runs import Run, RunState
from r3con_core.snippets import Digest, RelevanceSnippet, RelevantContext
from r3con_core.stages import Models, Watch, focus_reading, surface_relevance
from r3con_core.store import digests as digest_rows
from r3con_core.store import runs as run_rows
from r3con_core.store import sights as sight_rows
from r3con_core.store import snippets as snippet_rows
from r3con_core.store.project import Project


def relevance_stands(project: Project, run: Run) -> bool:
    """Whether all rounds are read, and as people steer them now."""
    return len(context_of(project, run.id).rounds) == run.settings.rounds


def load_relevance(project: Project, run: Run, brief: Brief) -> tuple[Brief, RelevantContext]:
    """What the stage gave before: the brief with what readers look for, and the rounds as they stand."""
    return with_focus(brief, snippet_rows.load_focus(project, run.id)), context_of(project, run.id)


def run_relevance(project: Project, run: Run, brief: Brief, models: Models) -> tuple[Brief, RelevantContext] | None:
    """Carry the rounds; None when the run now waits for a person between two of them."""
    run_rows.set_state(project, run.id, RunState.RELEVANCE)
    brief = focus_reading(brief, models.reading)
    snippet_rows.save_focus(project, run.id, brief.look_for)

    def keep(number: int, result: RelevanceSnippet | Unread) -> None:
        match result:
            case RelevanceSnippet():
                snippet_rows.save_snippet(project, run.id, number, result)
            case Unread():
                snippet_rows.save_unread(project, run.id, Stage.RELEVANCE, result, number)
            case unreachable:
                assert_never(unreachable)

    def begin_digests(number: int) -> None:
        note = f"making digests of the snippets of round {number}, which together are more than the model takes in"
        run_rows.set_note(project, run.id, note)

    def keep_digests(number: int, digests: tuple[Digest, ...]) -> None:
        digest_rows.save_digests(project, run.id, number, digests)
        run_rows.set_note(project, run.id, "")

    watch = Watch(
        snippet=keep,
        digesting=begin_digests,
        digests=keep_digests,
        sight=partial(sight_rows.save_sight, project, run.id),
    )
    return brief, surface_relevance(brief, models, watch)
