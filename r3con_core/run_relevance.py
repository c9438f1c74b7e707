"""The relevance stage of a run over its project: rounds as people steer them, kept as they come.

What the model said is kept as it said it, and `overlay` lays people's changes over it: taking one back gives the
model's words again.
"""

from dataclasses import replace
from functools import partial

from r3con_core.documents import Unread
from r3con_core.exchange import Stage
from r3con_core.method.brief import Brief, with_focus
from r3con_core.overlay import context_of, steering_now
from r3con_core.relations import Relation
from r3con_core.runs import Run, RunState
from r3con_core.snippets import Digest, RelevantContext
from r3con_core.stages import Models, Watch, focus_reading, surface_relevance
from r3con_core.steering import UNDER_WAY, Said, Steering, differ, is_complete, marks_of, results_of, steering_of
from r3con_core.store import digests as digest_rows
from r3con_core.store import runs as run_rows
from r3con_core.store import sights as sight_rows
from r3con_core.store import snippets as snippet_rows
from r3con_core.store.changes import list_changes
from r3con_core.store.derived import documents_before
from r3con_core.store.documents import held_documents
from r3con_core.store.project import Project
from r3con_core.store.steering import rounds_passed, save_taken_in, taken_in


def relevance_stands(project: Project, run: Run) -> bool:
    """Whether all rounds are read, and as people steer them now."""
    entries = list_changes(project, run.id)
    if differ(taken_in(project, run.id), entries):
        return False
    steering = steering_of(entries, run.settings)
    if not marks_of(entries):  # nobody steers: counting does without the texts of all snippets
        whole = dict.fromkeys(range(1, steering.rounds + 1), len(run.document_ids))
        return snippet_rows.count_read(project, run.id) == whole
    return is_complete(steering, context_of(project, run.id), run.document_ids)


def may_be_shown(project: Project, run: Run) -> bool:
    """Whether the rounds stand, and models may be shown them: no snippet was written beside one of a held-back document."""
    return relevance_stands(project, run) and not snippet_rows.tells_of_held(project, run.id)


def load_relevance(project: Project, run: Run, brief: Brief) -> tuple[Brief, RelevantContext]:
    """What the stage gave before, as models may be shown it: the brief with what readers look for, and the rounds."""
    brief = with_focus(brief, snippet_rows.load_focus(project, run.id))
    return brief, context_of(project, run.id).without(held_documents(project))


def run_relevance(project: Project, run: Run, brief: Brief, models: Models) -> tuple[Brief, RelevantContext] | None:
    """Carry the rounds; None when the run now waits for a person between two of them."""
    run_rows.set_state(project, run.id, RunState.RELEVANCE)
    marks, steering = marks_of(list_changes(project, run.id)), _with_kept(project, run, steering_now(project, run))
    steering = steering.without(held_documents(project))
    if marks:
        run_rows.set_note(project, run.id, "what your changes touch is read again")
    save_taken_in(project, run.id, dict.fromkeys([*taken_in(project, run.id), UNDER_WAY]))
    brief = focus_reading(brief, models.reading)
    snippet_rows.save_focus(project, run.id, brief.look_for)
    until = _until(project, run, steering)
    watch = _watch(project, run, steering)
    context = surface_relevance(brief, models, watch, replace(steering, rounds=until))
    save_taken_in(project, run.id, marks)
    return (brief, context) if until == steering.rounds else None


def _with_kept(project: Project, run: Run, steering: Steering) -> Steering:
    """With the snippets that documents keep of the run this one begins from, where only added documents are read."""
    if run.relation != Relation.ADDED_ONLY:
        return steering
    known = documents_before(project, run)
    said = snippet_rows.load_context(project, run.id, run.document_ids)
    kept = {
        (of.number, each.document_id): each
        for of in said.rounds
        for each in results_of(of)
        if each.document_id in known
    }
    return replace(steering, kept=kept)


def _until(project: Project, run: Run, steering: Steering) -> int:
    """The round after which the run ends or waits for a person."""
    return min(rounds_passed(project, run.id) + 1, steering.rounds) if run.between_rounds else steering.rounds


def _watch(project: Project, run: Run, steering: Steering) -> Watch:
    def keep(number: int, result: Said) -> None:
        if isinstance(result, Unread):
            snippet_rows.save_unread(project, run.id, Stage.RELEVANCE, result, number)
        elif steering.is_read(number, result.document_id):
            snippet_rows.save_snippet(project, run.id, number, result)
        else:
            snippet_rows.save_settled(project, run.id, number, result)

    def begin_digests(number: int) -> None:
        note = f"making digests of the snippets of round {number}, which together are more than the model takes in"
        run_rows.set_note(project, run.id, note)

    def keep_digests(number: int, digests: tuple[Digest, ...]) -> None:
        digest_rows.save_digests(project, run.id, number, digests)
        run_rows.set_note(project, run.id, "")

    return Watch(
        snippet=keep,
        digesting=begin_digests,
        digests=keep_digests,
        sight=partial(sight_rows.save_sight, project, run.id),
    )
