"""One document's snippets of all rounds side by side, and what a person can change of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from pages.widgets import state
from pages.widgets.calls import links as call_links
from pages.widgets.errors import plain, shown
from pages.widgets.relevance import live, steering
from pages.widgets.relevance.live import Title
from pages.widgets.relevance.steered import SaidOf, said_of
from pages.widgets.words import count
from r3con_core import jobs
from r3con_core.changes import AddRound, EditSnippet, Entry, ExcludeDocument, PinSnippet, Steer, VetoSnippet
from r3con_core.exchange import Stage
from r3con_core.runs import MAX_ROUNDS, Run
from r3con_core.store.project import Project

_EXPLAIN = (
    "What you change is marked as yours, with your note, and kept beside what the model said. Nothing is read again "
    "before you go on or apply it."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Desk:
    """What the controls work on."""

    project: Project
    run: Run
    document_id: str
    said: SaidOf
    rounds: tuple[int, ...]
    """Those with a result for the document."""

    @property
    def locked(self) -> bool:
        """Nothing can be changed now."""
        return self.run.state.active

    @property
    def excluded(self) -> bool:
        """The document was taken out."""
        return self.document_id in self.said.steering.exclusions


def show(project: Project, run: Run, titles: Sequence[Title], document_id: str) -> None:
    """The document's snippets, and beside them what can be done."""
    place = next(at for at, title in enumerate(titles) if title.id == document_id)
    _heading(titles, place)
    live.show_cards(project, run, titles, only=document_id)
    said = said_of(project, run.id, [document_id])
    rounds = tuple(sorted({*said.standing[document_id], *said.model[document_id]}))
    desk = _Desk(
        project=project,
        run=run,
        document_id=document_id,
        said=said,
        rounds=tuple(number for number in rounds if number <= said.steering.rounds),
    )
    with st.container(horizontal=True, gap="small"):
        for number in desk.rounds:
            call_links.link_to_calls(project, run, Stage.RELEVANCE, document_id, number)
    with st.container(border=True):
        st.markdown("##### Steer this document")
        if desk.locked:
            st.info(steering.AT_WORK, icon=":material/lock:")
        elif not desk.rounds and not desk.excluded:
            st.info("It has not been read yet.", icon=":material/hourglass_empty:")
        elif desk.excluded:
            st.info("It is excluded. Take that back below to have it read again.", icon=":material/block:")
        else:
            _controls(desk)
        _changes(desk)


def _heading(titles: Sequence[Title], place: int) -> None:
    title = titles[place]
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("All documents", icon=":material/arrow_back:"):
            _open(None)
        if st.button("Previous", icon=":material/chevron_left:", disabled=place == 0, type="tertiary"):
            _open(titles[place - 1].id)
        if st.button("Next", icon=":material/chevron_right:", disabled=place + 1 == len(titles), type="tertiary"):
            _open(titles[place + 1].id)
        st.markdown(f"**Document {title.number}** · {plain(title.title)}", width="stretch")
        state.open_document_link(title.id)


def _open(document_id: str | None) -> None:
    state.set_place(doc=document_id)
    st.rerun()


def _controls(desk: _Desk) -> None:
    st.caption(_EXPLAIN)
    number = desk.rounds[-1]
    if len(desk.rounds) > 1:
        chosen = st.segmented_control(
            "Which round",
            desk.rounds,
            default=number,
            format_func=lambda each: f"Round {each}",
            key=f"steer-round-{desk.run.id}-{desk.document_id}-{number}",
            help="A change of a round is seen by all readers of the rounds after it.",
        )
        number = chosen or number
    shown_now = desk.said.shown(number, desk.document_id)
    text = shown_now.text if shown_now else ""
    key = f"{desk.run.id}-{desk.document_id}-{number}-{len(desk.said.entries)}"
    words = st.text_area(
        f"Snippet of round {number}",
        text,
        key=f"steer-text-{key}",
        height=150,
        help="What this document contributes to the question, in your words. Empty: it has nothing to say. Names and "
        "figures that the document does not hold are marked.",
    )
    note = st.text_input("Why (may stay empty)", key=f"steer-note-{key}", help="Kept with your change, for others.")
    with st.container(horizontal=True):
        if st.button(
            "Keep my words",
            type="primary",
            icon=":material/edit:",
            disabled=words.split() == text.split(),
            help="They stand instead of the model's, for all later readers and stages.",
        ):
            _keep(desk, EditSnippet(document_id=desk.document_id, round=number, text=words.strip()), note)
        _pin_and_veto(desk, number, note)
        _exclude(desk, number, note)
        _read_again(desk, note)


def _pin_and_veto(desk: _Desk, number: int, note: str) -> None:
    by = desk.said.steering
    if st.button(
        "Pin",
        icon=":material/keep:",
        disabled=by.pins.get(desk.document_id, number + 1) <= number,
        help=f"The snippet of round {number} stays as it is in all later rounds; the document is not read again for them.",
    ):
        _keep(desk, PinSnippet(document_id=desk.document_id, round=number), note)
    if st.button(
        "Veto",
        icon=":material/visibility_off:",
        disabled=(number, desk.document_id) in by.vetoes,
        help=f"The snippet of round {number} is shown to no other reader and to no later stage. The document itself is "
        "still read.",
    ):
        _keep(desk, VetoSnippet(document_id=desk.document_id, round=number), note)


def _exclude(desk: _Desk, number: int, note: str) -> None:
    with st.popover("Exclude the document", icon=":material/block:"):
        st.write(
            "It is then neither read nor shown to others, and no records are made of it. The other documents keep their "
            "numbers."
        )
        after = st.radio(
            "From when on",
            [desk.rounds[-1], 0],
            format_func=lambda each: (
                f"after round {each}" if each else "from the beginning, as if it had not been there"
            ),
            key=f"steer-exclude-{desk.document_id}-{number}",
        )
        if st.button("Exclude it", type="primary"):
            _keep(desk, ExcludeDocument(document_id=desk.document_id, round=after), note)


def _read_again(desk: _Desk, note: str) -> None:
    if st.button(
        "Read it once more",
        icon=":material/replay:",
        disabled=desk.said.steering.rounds >= MAX_ROUNDS,
        help="Adds a round in which this document alone is read, by a reader who knows what the others say now.",
    ):
        _keep(desk, AddRound(only=(desk.document_id,)), note)


def _keep(desk: _Desk, change: Steer, note: str) -> None:
    with shown():
        jobs.steer(desk.project, desk.run.id, change, author=state.analyst(), note=note.strip())
        st.rerun()


def _changes(desk: _Desk) -> None:
    """What people changed of this document, each to take back."""
    for entry in desk.said.entries:
        words = _words(entry, desk.document_id)
        if words:
            steering.show_entry(desk.project, desk.run, entry, words)
    waiting = 0 if desk.locked else steering.pending(desk.project, desk.run)
    if waiting:
        what = f"{count(waiting, 'change')} of this run {'waits' if waiting == 1 else 'wait'}"
        st.caption(f":material/history_edu: {what} to be taken in; see the top of this page.")


def _words(entry: Entry, document_id: str) -> str:
    change = entry.change
    match change:
        case EditSnippet() if change.document_id == document_id:
            return f"Own words in round {change.round}"
        case PinSnippet() if change.document_id == document_id:
            return f"Pinned as of round {change.round}"
        case VetoSnippet() if change.document_id == document_id:
            return f"Snippet of round {change.round} vetoed"
        case ExcludeDocument() if change.document_id == document_id:
            return f"Excluded after round {change.round}" if change.round else "Excluded from the beginning"
        case AddRound() if document_id in change.only:
            return "Read once more in an added round"
        case _:
            return ""
