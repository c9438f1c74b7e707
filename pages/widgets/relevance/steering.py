"""Steering a run's reading as a whole: changes not taken in yet, one more round, a hint for its readers."""

from collections.abc import Sequence

import streamlit as st

from pages.widgets import state
from pages.widgets.errors import plain, shown
from pages.widgets.question import access
from pages.widgets.question.ranges import likely, likely_money
from pages.widgets.relevance.live import Title
from pages.widgets.words import count, moment_of
from r3con_core import jobs
from r3con_core.changes import AddRound, Entry, Hint, Steer
from r3con_core.figures import Figure
from r3con_core.overlay import context_of
from r3con_core.progress import progress_of
from r3con_core.rereading import Rereading, expect_rereading
from r3con_core.runs import MAX_ROUNDS, Run, RunState
from r3con_core.snippet_changes import Convergence, convergence
from r3con_core.steering import UNDER_WAY, differ
from r3con_core.store.changes import list_changes, undo_change
from r3con_core.store.project import Project
from r3con_core.store.runs import latest_seq
from r3con_core.store.steering import taken_in

AT_WORK = "The run is at work, so nothing can be changed now. Stop it, or wait for its end; finished calls are kept."
_APPLY_HELP = (
    "Documents whose readers are shown something else now are read again; all other replies are kept. An accepted schema "
    "stays, and nothing is parsed before you have seen it again, unless the run goes straight through."
)
_CONVERGENCE_HELP = (
    "How many of the snippets that were written anew say something else than in the round before. When few change, "
    "another round will likely bring little."
)


def show_convergence(project: Project, run: Run) -> None:
    """How much each round changed, in one line; nothing before the second round is read."""
    told = _convergence(project, run.id, key=f"{project.folder} {run.id} {latest_seq(project, run.id)}")
    if told:
        said = [f"round {each.number} changed **{each.changed:,} of {each.read:,}** snippets" for each in told]
        text = "; ".join(said)
        st.markdown(f":material/conversion_path: {text[0].upper()}{text[1:]}.", help=_CONVERGENCE_HELP)


@st.cache_data(max_entries=16, show_spinner="Comparing the rounds")
def _convergence(_project: Project, _run_id: str, *, key: str) -> tuple[Convergence, ...]:  # noqa: ARG001 - the cache's
    return tuple(each for each in convergence(context_of(_project, _run_id)) if each.read)


def pending(project: Project, run: Run) -> int:
    """How many changes the rounds were not read with."""
    taken = [mark for mark in taken_in(project, run.id) if mark != UNDER_WAY]
    return differ(taken, list_changes(project, run.id))


def show_pending(project: Project, run: Run) -> None:
    """Changes that are not taken in yet, what that will ask, and the button that does it."""
    number = pending(project, run)
    if run.state.active or not number or not progress_of(project, run.id).rounds_done:
        return
    changes = f"**{count(number, 'change')}** {'is' if number == 1 else 'are'} not taken in yet"
    if run.state not in (RunState.WAITING, RunState.DONE, RunState.BETWEEN):
        st.info(f"{changes}; going on does it.", icon=":material/history_edu:")
        return
    expected = expect(project, run)
    between = run.state is RunState.BETWEEN
    going_on = f"; the next round is read with {'it' if number == 1 else 'them'}" if between else ""
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(
            f":orange[:material/history_edu:] {changes}{going_on}. {told(expected, between=between)}{_where(run)}",
            width="stretch",
        )
        if between and not expected.again.high:
            return
        access.ask_for_keys(project, run.id, "apply-key")
        label = "Apply it" if number == 1 else "Apply them"
        if st.button(
            label,
            type="secondary" if between else "primary",
            icon=":material/published_with_changes:",
            help=_APPLY_HELP,
        ):
            with shown():
                access.queue_and_start(project, run.id, jobs.apply_steering)
                st.rerun()


def expect(project: Project, run: Run, also: Sequence[Steer] = ()) -> Rereading:
    """What carrying the run on now will ask, with `also` these changes."""
    key = f"{project.folder} {run.id} {latest_seq(project, run.id)} {state.home()}"
    return _expect(project, run.id, tuple(also), key=key)


@st.cache_data(max_entries=64, show_spinner="Counting the calls")
def _expect(_project: Project, _run_id: str, also: tuple[Steer, ...], *, key: str) -> Rereading:  # noqa: ARG001 - the cache's
    return expect_rereading(_project, _run_id, also, state.home())


def told(expected: Rereading, *, between: bool = False) -> str:
    """What taking changes in asks, in a sentence or two."""
    if between and expected.again.high:
        return (
            f"The rounds read so far take about {likely(expected.again)} calls anew if they are applied to them first."
        )
    if between:
        return f"That takes about {likely(expected.reading)} calls." + _cost(expected)
    if not expected.reading.high:
        return "No document is read again for it." + _later(expected.after) + _cost(expected)
    text = f"Reading takes about {likely(expected.reading)} calls; what stays as it was is not asked again."
    return text + _later(expected.after) + _cost(expected)


def _later(after: Figure) -> str:
    return f" Records and answer are then made anew, in about {likely(after)} calls." if after.high else ""


def _cost(expected: Rereading) -> str:
    cost = expected.cost
    if cost is None or not cost.high:
        return ""
    return f" Together about {likely_money(cost.low, cost.likely, cost.high, plain(cost.currency))}."


def _where(run: Run) -> str:
    return f" Text goes to {plain(run.host)}." if run.host else ""


def show_next_round(project: Project, run: Run, titles: Sequence[Title]) -> None:
    """A hint for the readers of the next round, and one more round where all are read."""
    progress = progress_of(project, run.id)
    read = progress.rounds_done
    if run.state.active or not read:
        return
    ahead = read < len(progress.rounds)
    title = f"A hint for round {read + 1}" if ahead else "Read one more round"
    drawer = st.expander(
        title, icon=":material/assistant_direction:", key=f"next-round-{run.id}-{run.state.value}", on_change="rerun"
    )
    if not drawer.open:
        return
    with drawer:
        if not ahead and read >= MAX_ROUNDS:
            st.info(f"A run reads the documents in at most {MAX_ROUNDS} rounds, and this one has them all.")
        else:
            _form(project, run, titles, read + 1, ahead=ahead)
        _list(project, run)


def _form(project: Project, run: Run, titles: Sequence[Title], number: int, *, ahead: bool) -> None:
    hint = st.text_area(
        f"A hint for the readers of round {number}" + ("" if ahead else " (may stay empty)"),
        key=f"hint-{run.id}-{number}-{len(list_changes(project, run.id))}",
        height=80,
        placeholder="such as: Mind who was on watch in the night of 17 March, and how anyone knows.",
        help="Every reader of this round is told it beside the question. It is kept as yours, and can be taken back.",
    )
    if ahead:
        if st.button("Keep the hint", disabled=not hint.strip()):
            _keep(project, run, Hint(round=number, text=hint.strip()))
        return
    only = _only(run, titles)
    round_ = AddRound(only=only)
    steers: list[Steer] = [*([Hint(round=number, text=hint.strip())] if hint.strip() else []), round_]
    expected = expect(project, run, steers)
    st.caption(
        f"About {likely(expected.reading)} calls for reading.{_later(expected.after)}{_cost(expected)}{_where(run)}"
    )
    access.ask_for_keys(project, run.id, "round-key")
    if st.button(f"Read round {number}", icon=":material/play_arrow:"):
        with shown():
            for change in steers:
                jobs.steer(project, run.id, change, author=state.analyst())
            access.queue_and_start(project, run.id, jobs.apply_steering)
            st.rerun()


def _only(run: Run, titles: Sequence[Title]) -> tuple[str, ...]:
    """Ids of the documents that are to be read; empty for all."""
    names = {title.id: f"{title.number} {title.title}" for title in titles}
    chosen: list[str] = st.multiselect(
        "Read only these documents again",
        list(names),
        format_func=lambda each: plain(names[each]),
        key=f"only-{run.id}",
        placeholder="all documents",
        help="The others keep their snippets, and cost nothing. Leave it empty to read all.",
    )
    return tuple(chosen)


def _keep(project: Project, run: Run, change: Steer) -> None:
    with shown():
        jobs.steer(project, run.id, change, author=state.analyst())
        st.rerun()


def _list(project: Project, run: Run) -> None:
    """Hints and added rounds, each with who and when, to take back."""
    for entry in list_changes(project, run.id):
        if entry.counts and isinstance(entry.change, Hint | AddRound):
            show_entry(project, run, entry, _words(entry.change))


def _words(change: Steer) -> str:
    match change:
        case Hint():
            return f"Hint for round {change.round}: {plain(change.text)}"
        case AddRound(only=()):
            return "One more round of all documents"
        case AddRound():
            return f"One more round of {count(len(change.only), 'document')} alone"
        case _:
            return ""


def show_entry(project: Project, run: Run, entry: Entry, words: str) -> None:
    """One change with who made it and when, and a button that takes it back. `words` is Markdown."""
    note = f" · {plain(entry.note)}" if entry.note else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f":violet[✎] {words} · {plain(entry.author)}, {moment_of(entry.made)}{note}", width="stretch")
        if st.button("Take back", key=f"undo-{entry.number}", disabled=run.state.active, type="tertiary"):
            with shown():
                undo_change(project, run.id, entry.number, author=state.analyst())
                st.rerun()
