"""What methods built, one beside another, stage by stage."""

from collections.abc import Mapping, Sequence

import streamlit as st

from pages.widgets.errors import plain
from pages.widgets.methods import built_view
from pages.widgets.methods.items import Look
from pages.widgets.methods.results import Shown
from r3con_core.facts import Fact

BESIDE = 2


def show(facts: Sequence[Fact], shown: Sequence[Shown], titles: Mapping[str, str], opened: str) -> None:
    """One method, or two side by side, with a fact to look for in both; at first that of the run `opened`."""
    if not shown:
        st.info("No method has been started for this question yet.", icon=":material/inbox:")
        return
    names = {one.result.method.id: one for one in shown}
    first = next((id_ for id_, one in names.items() if one.result.run.id == opened), next(iter(names)))
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    chosen = left.multiselect(
        "Methods to look into, one or two",
        list(names),
        default=first,
        format_func=lambda one: names[one].name,
        max_selections=BESIDE,
        key=f"built-methods-{len(names)}-{first}",
    )
    fact = _ask_fact(facts, right)
    if not chosen:
        st.info("Choose a method above.", icon=":material/account_tree:")
        return
    for column, method_id in zip(st.columns(len(chosen)), chosen, strict=True):
        with column:
            _one(names[method_id], Look(titles=titles, fact=fact, key=f"built-{method_id}"))


def _ask_fact(facts: Sequence[Fact], place: "st.delta_generator.DeltaGenerator") -> Fact | None:
    if not facts:
        return None
    by_id = {fact.id: fact for fact in facts}
    wanted = place.selectbox(
        "Look for a fact",
        list(by_id),
        index=None,
        format_func=lambda one: by_id[one].says,
        key="built-fact",
        placeholder="none",
        help="Pieces that hold it are marked and come first.",
    )
    return by_id.get(wanted) if wanted else None


def _one(one: Shown, look: Look) -> None:
    st.subheader(plain(one.name), anchor=False)
    st.caption(plain(one.result.method.says))
    if one.settings:
        st.caption(plain(" · ".join(f"{label} {value:,g}" for label, value in one.settings.items())))
    trace = one.result.trace
    if not trace:
        st.info("It builds nothing: the model answers at once.", icon=":material/inbox:")
        return
    places = list(range(len(trace)))
    place = st.pills(
        "Stage",
        places,
        default=next((at for at in reversed(places) if trace[at].read), places[-1]),
        required=True,
        format_func=lambda at: f"{at + 1}. {plain(trace[at].name)}",
        key=f"{look.key}-stage-{len(trace)}",
        wrap=True,
    )
    if place is not None:
        built_view.show(trace[place], look)
