"""Which methods are run: what each is, what it takes, what it needs or why it cannot, and its settings."""

from collections.abc import Mapping, Sequence

import streamlit as st

from pages.widgets import state
from pages.widgets.errors import plain
from pages.widgets.question.ranges import likely_money, times
from pages.widgets.words import count, round_figure
from r3con_core.costs import CostRange
from r3con_core.estimates.estimate import Estimate
from r3con_core.estimates.methods import size_of
from r3con_core.experiments import PlannedMethod, plan_methods
from r3con_core.figures import Figure
from r3con_core.jobs import RunChoices
from r3con_core.methods import METHODS
from r3con_core.methods.seam import Method, Needs, Options, Size
from r3con_core.store.project import Project
from r3con_core.store.usage import document_tokens

FAMILIES = {
    "R3Con": "Reads every document for the question, again in the light of the others, and reasons over records.",
    "Context": "The two ends: everything at once, and nothing at all.",
    "Retrieval": "Picks out passages that look like the question.",
    "Graphs": "Joins passages by the names in them, and follows the links.",
    "Memory": "Reads in order and keeps notes.",
    "Structures": "Puts documents into tables, graphs or catalogues first.",
    "Agents": "A model that works on the documents step by step with tools or code.",
}
NEEDS = {
    Needs.EMBEDDING: "compares texts by vectors, which are made on this computer unless you choose otherwise",
    Needs.CODE: "runs code that the model writes, in a closed process",
    Needs.CLUSTERING: "needs scikit-learn",
    Needs.PROGRAM: "uses a program of its own, which sends the documents where that program sends them",
}
USUAL = (
    "r3con",
    "whole",
    "raptor",
    "readagent",
    "memagent",
    "hipporag2",
    "linearrag",
    "structrag",
    "codeagent",
    "rlm",
    "arag",
)
"""Chosen at first: one of each family, where they can be run."""
ABREAST = 2


def work_size(project: Project, question: str, window: int, document_ids: Sequence[str]) -> Size:
    """How large the work is."""
    return size_of(document_tokens(project, tuple(document_ids)), window, question)


def plan_all(
    project: Project, question: str, choices: RunChoices, document_ids: tuple[str, ...], options: Mapping[str, Options]
) -> tuple[PlannedMethod, ...]:
    """What every method would take; worked out once for the same choices."""
    told = tuple((name, tuple(sorted(values.items()))) for name, values in sorted(options.items()))
    key = (str(project.folder), question, repr(choices), document_ids, told, str(state.home()))
    return _plan(project, choices, options, key)


@st.cache_resource(max_entries=6, show_spinner="Working out what each method takes")
def _plan(
    _project: Project, _choices: RunChoices, _options: Mapping[str, Options], key: tuple[object, ...]
) -> tuple[PlannedMethod, ...]:
    question, document_ids = key[1], key[3]
    return plan_methods(
        _project,
        str(question),
        _choices,
        tuple(method.id for method in METHODS),
        options=_options,
        document_ids=document_ids,  # type: ignore[arg-type]
        home=state.home(),
    )


def chosen_options(size: Size) -> dict[str, Options]:
    """What was set of each method's settings in this tab, where it is not what it would be anyway."""
    found: dict[str, Options] = {}
    for method in METHODS:
        changed = {
            one.name: float(value)
            for one in method.settings(size)
            if (value := st.session_state.get(_setting_key(method, one.name, size))) is not None and value != one.value
        }
        if changed:
            found[method.id] = changed
    return found


def _setting_key(method: Method, name: str, size: Size) -> str:
    """Of a field: another one for work of another size, whose usual value differs."""
    return f"setting-{method.id}-{name}-{size.tokens}-{size.window}"


def show(planned: Sequence[PlannedMethod], size: Size) -> tuple[PlannedMethod, ...]:
    """All methods by family with a box to tick; those that are ticked."""
    _buttons(planned)
    chosen: list[PlannedMethod] = []
    for family in dict.fromkeys(one.method.family for one in planned):
        st.markdown(f"##### {plain(family)}")
        if family in FAMILIES:
            st.caption(FAMILIES[family])
        own = [one for one in planned if one.method.family == family]
        for start in range(0, len(own), ABREAST):
            columns = st.columns(ABREAST)
            for column, one in zip(columns, own[start : start + ABREAST], strict=False):
                with column.container(border=True, gap="xsmall", height="stretch"):
                    if _card(one, size):
                        chosen.append(one)
    return tuple(chosen)


def _buttons(planned: Sequence[PlannedMethod]) -> None:
    def tick(wanted: frozenset[str]) -> None:
        for one in planned:
            st.session_state[_tick_key(one.method)] = one.method.id in wanted and not one.why_not

    able = frozenset(one.method.id for one in planned if not one.why_not)
    safe = frozenset(one.method.id for one in planned if Needs.PROGRAM not in one.method.needs)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.button("One of each", on_click=tick, args=(frozenset(USUAL),), help="Each method once, without variants.")
        st.button("All that can run", on_click=tick, args=(able & safe,))
        st.button("None", on_click=tick, args=(frozenset(),))


def _tick_key(method: Method) -> str:
    return f"method-{method.id}"


def _card(one: PlannedMethod, size: Size) -> bool:
    method = one.method
    st.session_state.setdefault(_tick_key(method), method.id in USUAL and not one.why_not)
    if one.why_not:
        st.session_state[_tick_key(method)] = False
    ticked = st.checkbox(
        f"**{plain(method.name)}**", key=_tick_key(method), disabled=bool(one.why_not), persist_state="session"
    )
    st.markdown(plain(method.says))
    if one.why_not:
        st.caption(f":material/block: Cannot run here: {plain(one.why_not)}")
    else:
        st.caption(f":material/payments: {price_in_words(one)}")
    with st.expander("What it is, and its settings", type="compact"):
        _about(one, size)
    return ticked


def price_in_words(one: PlannedMethod) -> str:
    """Such as "12 calls (10 to 16) · 30 thousand tokens sent · 0.02 USD · under a minute", as Markdown."""
    return figures_in_words(one.estimate, one.cost, one.seconds)


def figures_in_words(estimate: Estimate, cost: CostRange | None, seconds: Figure | None) -> str:
    """What any work is expected to take, as Markdown; what is not known is left out."""
    calls, sent = estimate.calls, estimate.prompt
    told = [f"{count(round(calls.likely), 'call')} ({round(calls.low):,} to {round(calls.high):,})"]
    told.append(f"{round_figure(sent.likely)} tokens sent")
    if cost is not None and cost.high:
        told.append(likely_money(cost.low, cost.likely, cost.high, plain(cost.currency)))
    if seconds is not None:
        told.append(times(seconds))
    return " · ".join(told)


def _about(one: PlannedMethod, size: Size) -> None:
    method = one.method
    st.caption(plain(method.paper))
    for need in sorted(method.needs):
        st.markdown(f"- It {NEEDS[need]}.")
    settings = method.settings(size)
    for setting in settings:
        whole = float(setting.value).is_integer()
        step = 1.0 if whole else 0.05
        st.number_input(
            setting.label,
            float(setting.least),
            float(setting.most),
            float(setting.value),
            step=step,
            format="%.0f" if whole else "%.3g",
            key=_setting_key(method, setting.name, size),
            help=plain(setting.says),
            persist_state="session",
        )
    if method.deviations:
        st.markdown("**Where it differs from its paper**")
        st.markdown("\n".join(f"- {plain(each)}" for each in method.deviations))
