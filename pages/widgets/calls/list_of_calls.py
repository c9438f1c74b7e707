"""The calls of a run as a list: filters, words to look for, and a table in which one is chosen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from pages.widgets import state
from pages.widgets.errors import plain
from pages.widgets.words import TOKENS_HELP, count
from r3con_core.exchange import Finish, Stage
from r3con_core.store.call_search import CallLine, Where, find_calls
from r3con_core.store.project import Project

STAGES = {
    Stage.FOCUS: "what to look for",
    Stage.RELEVANCE: "reading a document",
    Stage.DIGEST: "digest of snippets",
    Stage.SCHEMA: "schema",
    Stage.PARSING: "parsing a document",
    Stage.BUILDING: "building what a method answers from",
    Stage.EMBEDDING: "vectors of texts",
    Stage.REASONING: "reasoning",
    Stage.JUDGING: "judging an answer",
}
ASKED, REUSED = "asked in this run", "kept from before"
FINISHES = {Finish.COMPLETE: "complete", Finish.CUT_OFF: "cut off"}
_HELP = (
    'All words must stand in the call, in any script. A "phrase" is found as it stands; write OR between alternatives '
    "and - before a word to leave out. A prompt holds everything a reader was shown, also other documents' snippets."
)
_KEYS = {name: f"calls-{name}" for name in ("find", "where", "stage", "document", "round", "step", "model", "asked")}
_FINISH, _SEEN, _TABLE = "calls-finish", "calls-seen", "calls-table"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which calls are to be listed; "", 0 and None: any."""

    words: str = ""
    where: Where = Where.BOTH
    stage: Stage | None = None
    document_id: str = ""
    round: int = 0
    step: int = 0
    model: str = ""
    reused: bool | None = None
    finish: Finish | None = None

    @property
    def filters(self) -> int:
        """How many filters are on, words not among them."""
        chosen = (self.stage, self.document_id, self.round, self.step, self.model, self.finish)
        return sum(map(bool, chosen)) + (self.reused is not None)

    def keeps(self, line: CallLine) -> bool:
        """Whether a call passes the filters."""
        about = line.about
        pairs = (
            (self.stage, line.stage),
            (self.document_id, about.document_id),
            (self.round, about.round),
            (self.step, about.step),
            (self.model, line.model),
            (self.finish, line.finish),
        )
        passes = all(not wanted or wanted == has for wanted, has in pairs)
        return passes and self.reused in (None, line.reused)


def take_from_address() -> None:
    """Set the filters as the address has them, once when it changes; links from other pages come this way."""
    stage, round_, step = state.current_about()
    named = (stage, state.current_document_id(), round_, step, state.current_find())
    if st.session_state.get(_SEEN) == named:
        return
    st.session_state[_SEEN] = named
    known = {one.value for one in Stage}
    st.session_state[_KEYS["stage"]] = Stage(stage) if stage in known else None
    st.session_state[_KEYS["document"]] = named[1] or None
    st.session_state[_KEYS["round"]] = round_ or None
    st.session_state[_KEYS["step"]] = step or None
    st.session_state[_KEYS["find"]] = named[4]


def wanted() -> Wanted:
    """What the filters are set to, also while they are not shown."""
    said = {name: st.session_state.get(key) for name, key in _KEYS.items()}
    return Wanted(
        words=(said["find"] or "").strip(),
        where=said["where"] or Where.BOTH,
        stage=said["stage"],
        document_id=said["document"] or "",
        round=said["round"] or 0,
        step=said["step"] or 0,
        model=said["model"] or "",
        reused={ASKED: False, REUSED: True}.get(said["asked"] or ""),
        finish=st.session_state.get(_FINISH),
    )


def keep_in_address() -> None:
    """Let the address name what the filters are set to."""
    now = wanted()
    state.set_place(
        stage=now.stage.value if now.stage else None,
        doc=now.document_id or None,
        round=str(now.round) if now.round else None,
        step=str(now.step) if now.step else None,
        find=now.words or None,
    )
    st.session_state[_SEEN] = (now.stage.value if now.stage else "", now.document_id, now.round, now.step, now.words)


def forget_filters() -> None:
    """Take all filters out, and the words."""
    for key in (*_KEYS.values(), _FINISH):
        st.session_state[key] = "" if key == _KEYS["find"] else None
    st.session_state[_KEYS["where"]] = Where.BOTH
    state.set_place(call=None)
    keep_in_address()


def show_filters(lines: Sequence[CallLine], names: Mapping[str, str]) -> None:
    """The box for words, where they are looked for, and the filters behind a button that says how many are on."""
    on = wanted().filters
    st.session_state.setdefault(_KEYS["where"], Where.BOTH)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.text_input(
            "Find in prompts and replies",
            key=_KEYS["find"],
            help=_HELP,
            placeholder="Find in prompts and replies",
            label_visibility="collapsed",
            icon=":material/search:",
            on_change=keep_in_address,
            persist_state="session",
            width=290,
        )
        st.segmented_control(
            "Where to look",
            list(Where),
            key=_KEYS["where"],
            persist_state="session",
            label_visibility="collapsed",
            format_func=lambda one: str(one.value),
        )
        label = f"Filter ({on})" if on else "Filter"
        with st.popover(label, icon=":material/filter_list:", key="calls-filters"), st.container(width=420):
            _show_choices(lines, names)
        if on or wanted().words:
            st.button("Show all", icon=":material/filter_list_off:", type="tertiary", on_click=forget_filters)


def _show_choices(lines: Sequence[CallLine], names: Mapping[str, str]) -> None:
    made_for = {line.stage for line in lines}
    stages = [stage for stage in Stage if stage in made_for]
    _choose("Made for", "stage", stages, {stage: STAGES[stage] for stage in stages})
    read = {line.about.document_id for line in lines}
    _choose("About the document", "document", [document_id for document_id in names if document_id in read], names)
    left, right = st.columns(2)
    with left:
        _choose("Round", "round", sorted({line.about.round for line in lines} - {0}), {})
    with right:
        _choose("Step of the coding agent", "step", sorted({line.about.step for line in lines} - {0}), {})
    _choose("Model", "model", sorted({line.model for line in lines}), {})
    _choose("Reply", "asked", [ASKED, REUSED], {})
    st.selectbox(
        "Ended",
        list(FINISHES),
        index=None,
        key=_FINISH,
        format_func=lambda one: FINISHES[one],
        placeholder="any",
        persist_state="session",
    )


def _choose(label: str, name: str, options: Sequence[object], names: Mapping[Any, str]) -> None:
    if st.session_state.get(_KEYS[name]) not in (None, *options):
        st.session_state[_KEYS[name]] = None
    st.selectbox(
        label,
        list(options),
        index=None,
        key=_KEYS[name],
        format_func=lambda one: str(names.get(one, one)),
        placeholder="any",
        persist_state="session",
        on_change=keep_in_address,
    )


@st.cache_data(max_entries=20, show_spinner="Searching all prompts and replies")
def found_in(_project: Project, run_id: str, known: str, words: str, where: Where) -> frozenset[str]:  # noqa: ARG001 - the cache's
    """Keys of the run's calls that hold the words; `known` changes with the number of its calls."""
    return find_calls(_project, run_id, words, where)


def show_table(lines: Sequence[CallLine], names: Mapping[str, str]) -> None:
    """The calls, one a line; choosing one opens it."""
    key = f"{_TABLE}-{len(lines)}-{hash(tuple(line.key for line in lines))}"

    def chosen() -> None:
        cells = st.session_state[key]["selection"]["cells"]
        if cells and cells[0][0] < len(lines):
            state.set_place(call=lines[cells[0][0]].key)

    st.dataframe(
        table_of(lines, names),
        key=key,
        hide_index=True,
        placeholder="",
        on_select=chosen,
        selection_mode="single-cell",
        height=min(35 * (len(lines) + 1) + 3, 493),
        alt="The calls of this run, in the order they were answered",
        column_config={
            "No.": st.column_config.NumberColumn(width=50, help="In the order in which they were answered"),
            "About": st.column_config.TextColumn(width=220),
            "Round": st.column_config.NumberColumn(width=60),
            "Sent": st.column_config.NumberColumn(format="localized", help=f"Tokens of the prompt. {TOKENS_HELP}"),
            "Known": st.column_config.NumberColumn(
                format="localized", help="Those of them the server had read before, which cost less or nothing."
            ),
            "Written": st.column_config.NumberColumn(format="localized", help="Tokens of the reply"),
            "Seconds": st.column_config.NumberColumn(format="%.1f"),
            "Note": st.column_config.TextColumn(
                help="Kept from before: not asked in this run, an earlier run had the reply. Asked again: the reply "
                "before could not be read. Cut off: the reply reached the limit of its length."
            ),
        },
    )


def table_of(lines: Sequence[CallLine], names: Mapping[str, str]) -> pd.DataFrame:
    """One row a call."""
    return pd.DataFrame(
        {
            "No.": [line.number for line in lines],
            "Made for": [STAGES[line.stage] for line in lines],
            "About": [about_in_words(line, names, with_round=False) for line in lines],
            "Round": [line.about.round or None for line in lines],
            "Sent": [line.usage.prompt for line in lines],
            "Known": [line.usage.cached for line in lines],
            "Written": [line.usage.output for line in lines],
            "Seconds": [line.seconds for line in lines],
            "Model": [line.model for line in lines],
            "Note": [note_of(line) for line in lines],
        }
    )


def about_in_words(line: CallLine, names: Mapping[str, str], *, with_round: bool = True) -> str:
    """What a call is about: its document, round, part or step."""
    about = line.about
    told = [
        names.get(about.document_id, about.document_id),
        f"round {about.round}" if about.round and with_round else "",
        f"part {about.part}" if about.part > 1 else "",
        f"step {about.step}" if about.step else "",
    ]
    return ", ".join(filter(None, told))


def note_of(line: CallLine) -> str:
    """What is special about a call."""
    told = [
        REUSED if line.reused else "",
        "asked again" if line.attempt > 1 else "",
        FINISHES[line.finish] if line.finish is Finish.CUT_OFF else "",
    ]
    return ", ".join(filter(None, told))


def say_count(shown: Sequence[CallLine], lines: Sequence[CallLine]) -> None:
    """How many calls are listed of how many, and what those took."""
    asked = [line.usage for line in shown if not line.reused]
    sent, written = sum(usage.prompt for usage in asked), sum(usage.output for usage in asked)
    of = f"{len(shown):,} of {count(len(lines), 'call')}" if len(shown) < len(lines) else count(len(lines), "call")
    words = wanted().words
    about = f" with {plain(words)}" if words else ""
    st.caption(f"{of}{about} · {sent:,} tokens sent, {written:,} written. Choose one to read it.")
