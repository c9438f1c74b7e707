"""Answer: what the run concludes, the records each sentence rests on, and how it was reached."""

from collections import Counter

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.widgets import answer_text, downloads, evidence, runstate, state, steps
from pages.widgets.errors import plain
from pages.widgets.evidence import Found
from pages.widgets.words import count
from r3con_core import jobs
from r3con_core.answers import Answer
from r3con_core.exchange import Stage
from r3con_core.progress import progress_of
from r3con_core.readers.ledger import Outcome
from r3con_core.runs import Run, RunState
from r3con_core.store.answers import load_answer, load_steps
from r3con_core.store.documents import Coverage, coverage, list_ledger
from r3con_core.store.project import Project
from r3con_core.store.runs import load_run
from r3con_core.store.snippets import load_unread
from r3con_core.tables import Proof, proof_of

_NOT_YET = {
    RunState.WAITING: "There is no answer yet. Accept the schema first; the documents are then parsed into records, "
    "and the answer is reasoned from those.",
    RunState.PAUSED: "There is no answer yet. Raise the limit to go on; nothing that is done is paid again.",
    RunState.STOPPED: "There is no answer yet. Resume to go on where it stopped; nothing that is done is done again.",
    RunState.FAILED: "There is no answer yet. Put right what the message names, then resume; nothing that is done is "
    "done again.",
    RunState.INTERRUPTED: "There is no answer yet. Resume to go on; nothing that is done is done again.",
}


def show_unfinished(project: Project, run: Run) -> None:
    """How far the run is and what can be done, until there is an answer."""
    header = st.container()
    st.markdown(_NOT_YET.get(run.state, "The answer appears here by itself when it is ready. You may close this page."))
    with st.container(horizontal=True):
        state.page_link("relevance", "See what the documents say so far")
    done = load_steps(project, run.id)
    if done:
        st.subheader("Steps so far", anchor=False)
        steps.show_steps(done)
    with header:
        runstate.show(project, run)


def show_basis(project: Project, run: Run, answer: Answer, found: Found) -> None:
    """What the answer rests on, in figures: documents, records, quotes, and who read them."""
    st.subheader("What this rests on", anchor=False)
    failed = failures(project, run, found)
    records = found.data.records
    aside = sum(record.set_aside for record in records)
    proofs = Counter(proof_of(quoted) for record in records for quoted in record.evidence)
    unproved = [f"{proofs[proof]:,} {proof.value}" for proof in Proof if proof is not Proof.EXACT and proofs[proof]]
    cited = len(answer.record_ids)
    with st.container(border=True):
        documents, kept, quotes, made = st.columns([2, 2, 2, 3], gap="medium")
        total = len(run.document_ids)
        unread = len({document_id for document_id, _ in failed})
        left_out = f"{unread:,} not, or not in full" if unread else "none left out"
        _figure(documents, "Documents", f"{total - unread:,} of {total:,} read", left_out)
        told = f"{aside or 'none'} set aside; the answer cites {cited:,}"
        _figure(kept, "Records", f"{len(records) - aside:,} of {len(records):,} used", told)
        exact = f"{proofs[Proof.EXACT]:,} of {proofs.total():,} found exactly"
        _figure(quotes, "Quotes", exact, " · ".join(unproved) or "none missing")
        _figure(made, "Read and reasoned by", _models(run), _method(project, run, answer))
        _show_coverage(project, run)
        _show_unread(project, failed)


def _show_coverage(project: Project, run: Run) -> None:
    """How much of what was given stands behind the answer, and the way to the ledger."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(coverage_in_words(coverage(project, run.document_ids)), width="content")
        state.page_link("corpus", "See the ledger", tab="ledger")


def coverage_in_words(known: Coverage) -> str:
    """Such as "287 of 300 pages read, 2 of 15 files could not be read, 1 held back", as Markdown."""
    told = [f"**{known.pages_read:,} of {known.pages:,} pages read**"] if known.pages else []
    told.append(
        f"{known.unread:,} of {count(known.files, 'file')} could not be read"
        if known.unread
        else "every file could be read"
    )
    told += [f"{known.held:,} held back"] if known.held else []
    words = ", ".join(told)
    return f"{words[0].upper()}{words[1:]}"


def _figure(column: DeltaGenerator, name: str, figure: str, more: str) -> None:
    with column.container(gap="xsmall"):
        st.caption(name)
        st.markdown(f"**{figure}**")
        st.caption(more)


def _models(run: Run) -> str:
    settings = run.settings
    second = f", schema and reasoning by {plain(settings.reasoning_model)}" if settings.reasoning_model else ""
    return f"{plain(settings.model)}{second}, on {plain(run.host)}"


def _method(project: Project, run: Run, answer: Answer) -> str:
    progress = progress_of(project, run.id)
    usage = progress.usage
    about = "" if usage.counted else "about "
    return " · ".join(
        [
            "coding agent" if answer.steps else "direct, without code",
            count(run.settings.rounds, "round"),
            count(progress.calls, "call"),
            f"{about}{usage.prompt:,} tokens sent, {usage.output:,} written",
        ]
    )


def failures(project: Project, run: Run, found: Found) -> list[tuple[str, str]]:
    """Documents that some stage could not read: id, and in words which, when and why."""
    stages = [(f"in round {n}", Stage.RELEVANCE, n) for n in range(1, run.settings.rounds + 1)]
    return [
        (unread.document_id, f"{found.document_name(unread.document_id)}, {when}: {unread.reason}")
        for when, stage, number in [*stages, ("when parsed", Stage.PARSING, 0)]
        for unread in load_unread(project, run.id, stage, number)
    ]


def _show_unread(project: Project, failed: list[tuple[str, str]]) -> None:
    lost = [line for line in list_ledger(project) if line.outcome in (Outcome.NOT_READABLE, Outcome.REFUSED)]
    words = [text for _, text in failed] + [f"File {line.path}: {line.outcome}, {line.reason}" for line in lost]
    if words:
        title, few = f"What could not be read ({len(words):,})", len(words) <= 3
        with st.expander(title, expanded=few, icon=":material/visibility_off:", type="compact"):
            st.markdown("\n".join(f"- {plain(' '.join(text.split()))}" for text in words[:200]))


project = state.require_project()
jobs.reconcile(project)
run = load_run(project, state.require_run(project).id)
answer = load_answer(project, run.id) if run.state is RunState.DONE else None
found = evidence.found_by(project, run.id)
with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
    st.title("Answer", anchor=False, width="content")
    if answer is not None:
        downloads.show(project, run, answer)
st.markdown(f"##### {plain(run.task.text)}")
if answer is None or found is None:
    show_unfinished(project, run)
    st.stop()
answer_text.show(found, answer)
show_basis(project, run, answer, found)
steps.show(project, run, answer.steps)
