"""A look at documents that were judged to have nothing to say: was anything missed?"""

from collections.abc import Mapping, Sequence

import streamlit as st

from pages.widgets import state, viewer
from pages.widgets.answer import checks_basis
from pages.widgets.errors import plain, shown
from pages.widgets.evidence import Found
from pages.widgets.viewer import Reading
from pages.widgets.words import count, moment_of
from r3con_core.changes import Entry, Look, Verdict
from r3con_core.checks.elusion import USUAL, draw, elusion_of, in_words, verdicts
from r3con_core.runs import Run
from r3con_core.store.changes import add_change, list_changes
from r3con_core.store.documents import load_document
from r3con_core.store.project import Project

MOST_LOOKS = 300
_SIZE, _CHOSEN, _NOTE = "elusion-size", "elusion-document", "elusion-note"
_SIGNS = {Verdict.NOTHING: "✓ ", Verdict.MISSED: "! "}
_HELP = (
    "They are drawn at random, by the run's own number: anybody who opens this run gets the same documents, and a "
    "larger sample begins with the smaller one. Only so does what you find in a few say something about all."
)


@st.fragment
def show(project: Project, run: Run, found: Found) -> None:
    """The sample, one document at a time, what was said of each, and what that says about all."""
    silent = checks_basis.covered(project, run, found).silent
    st.caption(
        f"{count(len(silent), 'document')} of {len(run.document_ids):,} were read and judged to have nothing to say: no "
        "note in the last round, no record. A quick look at some of them, drawn at random, tells how far to trust that."
    )
    if not silent:
        st.info(in_words(elusion_of((), (), ())), icon=":material/inbox:")
        return
    size = _choose_size(len(silent))
    sample = draw(run.id, silent, size)
    entries = list_changes(project, run.id)
    result = elusion_of(silent, sample, entries)
    st.progress(result.looked / len(sample), text=f"{result.looked:,} of {count(len(sample), 'document')} looked at")
    say = st.warning if result.missed else st.success if result.looked else st.info
    say(in_words(result), icon=":material/percent:")
    _look(project, run, found, sample, verdicts(entries))


def _choose_size(silent: int) -> int:
    most = min(silent, MOST_LOOKS)
    return int(
        st.number_input(
            "How many to look at", min_value=1, max_value=most, value=min(USUAL, most), key=_SIZE, width=220, help=_HELP
        )
    )


def _look(project: Project, run: Run, found: Found, sample: Sequence[str], looks: Mapping[str, Entry]) -> None:
    """One document of the sample, and what the analyst says of it."""
    if st.session_state.get(_CHOSEN) not in sample:
        st.session_state[_CHOSEN] = next((each for each in sample if each not in looks), sample[0])

    def named(document_id: str) -> str:
        entry = looks.get(document_id)
        sign = _SIGNS[entry.change.verdict] if entry and isinstance(entry.change, Look) else ""
        return f"{sign}{found.document_name(document_id)}"

    chosen = str(st.selectbox("Document", sample, format_func=named, key=_CHOSEN))
    document = load_document(project, chosen)
    assert document is not None, "a document that a run has read stays in its project"
    viewer.show(project, Reading(document=document, height="18rem"), key=f"elusion-{chosen}", on_record=lambda _: None)
    _say_verdict(looks.get(chosen), chosen)
    _ask(project, run, sample, chosen)


def _say_verdict(entry: Entry | None, document_id: str) -> None:
    if entry is None or not isinstance(entry.change, Look):
        return
    note = f": {plain(' '.join(entry.note.split()))}" if entry.note else ""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        told = f"{entry.change.verdict.value}, said {plain(entry.author)} on {moment_of(entry.made)}{note}"
        st.markdown(f":material/person: {told[0].upper()}{told[1:]}", width="content")
        if entry.change.verdict is Verdict.MISSED:
            state.page_link("relevance", "Have it read again", **state.document_place(document_id))


def _ask(project: Project, run: Run, sample: Sequence[str], chosen: str) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.text_input(
            "Note", key=_NOTE, placeholder="what was missed, and where", help="Kept with your verdict.", max_chars=500
        )
        for label, verdict, icon in (
            ("Nothing missed", Verdict.NOTHING, ":material/check:"),
            ("Something was missed", Verdict.MISSED, ":material/priority_high:"),
        ):
            st.button(
                label,
                icon=icon,
                on_click=_keep,
                args=(project, run.id, sample, Look(document_id=chosen, verdict=verdict)),
            )


def _keep(project: Project, run_id: str, sample: Sequence[str], look: Look) -> None:
    """Keep a verdict and go to the next document that nobody has looked at."""
    with shown():
        add_change(project, run_id, look, author=state.analyst(), note=st.session_state.get(_NOTE, "").strip())
    st.session_state[_NOTE] = ""
    looks = verdicts(list_changes(project, run_id))
    after = [*sample[sample.index(look.document_id) :], *sample]
    st.session_state[_CHOSEN] = next((each for each in after if each not in looks), look.document_id)
