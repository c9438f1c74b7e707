"""Where was each fact lost? A matrix of facts and methods, and stage by stage for one of them."""

from collections.abc import Mapping, Sequence

import streamlit as st

from pages.widgets.data import charts, records
from pages.widgets.errors import plain
from pages.widgets.methods.fates import SIGNS, Fate, Reach, cell_of
from pages.widgets.methods.items import Look, show_item
from pages.widgets.methods.results import Shown
from pages.widgets.words import count
from r3con_core.facts import Fact

MEANINGS = {
    Reach.ANSWER: "the answer says it",
    Reach.READ: "the last prompt had it, the answer does not say it",
    Reach.BUILT: "something that was built had it, and it was lost afterwards",
    Reach.NEVER: "nothing that was built had it",
    Reach.UNKNOWN: "the method has not answered yet",
}
HELP = (
    "No model is asked for this: a fact stands in a text when words for each of its parts stand there near one another. "
    "So it may overlook a fact that is said in other words; read the text itself where it matters."
)
MOST_ITEMS = 5
COLOURS = ("#8fd3a0", "#f3dd8a", "#f0b37a", "#eaa0a0", "#c9ced0")
"""Of fields, in the order of the signs; dark signs are read on all of them."""


def show(facts: Sequence[Fact], shown: Sequence[Shown], titles: Mapping[str, str]) -> None:
    """The matrix, then one method stage by stage."""
    if not facts:
        st.info(
            "No facts are known that the right answer to this question rests on. They come with the questions of the "
            "sample corpora, and with no others.",
            icon=":material/flag:",
        )
        return
    if not shown:
        st.info("No method has been started for this question yet.", icon=":material/inbox:")
        return
    st.markdown("**How far each fact came**", help=HELP)
    _matrix(facts, shown)
    st.caption(" · ".join(f"{SIGNS[reach]} {meaning}" for reach, meaning in MEANINGS.items()))
    with st.expander("The same as a table, with the stage after which each was lost", icon=":material/table_rows:"):
        st.dataframe(
            records.arrow(rows_of(facts, shown)),
            hide_index=True,
            key="facts-table",
            alt="Facts by methods",
            column_config={"Fact": st.column_config.TextColumn(width=320, pinned=True)},
        )
    _one_method(facts, shown, titles)


def rows_of(facts: Sequence[Fact], shown: Sequence[Shown]) -> list[dict[str, object]]:
    """A line for each fact: how far it came in each method."""
    return [{"Fact": fact.says, **{one.name: one.fates[at].in_words for one in shown}} for at, fact in enumerate(facts)]


def _matrix(facts: Sequence[Fact], shown: Sequence[Shown]) -> None:
    """Facts down, methods across; each field has its sign, and its words on pointing."""
    order = list(SIGNS)
    fates = [[one.fates[at] for one in shown] for at in range(len(facts))]
    data = {
        "type": "heatmap",
        "x": [charts.letters(one.name, 24) for one in shown],
        "y": [f"{charts.letters(fact.says, 62)}" for fact in facts],
        "z": [[order.index(fate.reach) for fate in row] for row in fates],
        "text": [[SIGNS[fate.reach] for fate in row] for row in fates],
        "hovertext": [[charts.letters(fate.in_words, 90) for fate in row] for row in fates],
        "hovertemplate": "%{x}<br>%{y}<br>%{hovertext}<extra></extra>",
        "texttemplate": "%{text}",
        "textfont": {"size": 17, "color": "#10171a"},
        "zmin": 0,
        "zmax": len(order) - 1,
        "colorscale": [[at / (len(order) - 1), colour] for at, colour in enumerate(COLOURS)],
        "showscale": False,
        "xgap": 3,
        "ygap": 3,
    }
    layout = {
        "height": 170 + 34 * len(facts),
        "yaxis": {"autorange": "reversed", "automargin": True, "fixedrange": True},
        "xaxis": {"side": "top", "automargin": True, "tickangle": -55, "fixedrange": True},
        "dragmode": False,
    }
    charts.show(
        [data], layout, key="facts-matrix", alt="How far each fact came; the table below says the same in words"
    )


def _one_method(facts: Sequence[Fact], shown: Sequence[Shown], titles: Mapping[str, str]) -> None:
    names = {one.result.method.id: one for one in shown}
    st.markdown("**Stage by stage**")
    left, right = st.columns([1, 2], vertical_alignment="bottom")
    chosen = left.selectbox(
        "Method", list(names), format_func=lambda one: names[one].name, key="facts-method", persist_state="session"
    )
    by_id = {fact.id: fact for fact in facts}
    wanted = right.selectbox(
        "Fact to read", list(by_id), format_func=lambda one: by_id[one].says, key="facts-fact", persist_state="session"
    )
    one = names[chosen]
    trace = one.result.trace
    if not trace:
        st.info("This method has built nothing to look at.", icon=":material/inbox:")
        return
    rows = [
        {
            "Fact": fate.fact.says,
            **{built.name: cell_of(built, seen) for built, seen in zip(trace, fate.sightings, strict=True)},
            "The answer": SIGNS[Reach.ANSWER] if fate.reach is Reach.ANSWER else "–",
        }
        for fate in one.fates
    ]
    st.dataframe(
        records.arrow(rows),
        hide_index=True,
        key=f"facts-stages-{chosen}",
        alt="Facts by stages of the method",
        column_config={"Fact": st.column_config.TextColumn(width=300, pinned=True)},
    )
    st.caption("●: so many pieces hold it. ○: pieces hold it, and none of them went on. –: it is not there.")
    _read_one(one, next(fate for fate in one.fates if fate.fact.id == wanted), Look(titles=titles, fact=by_id[wanted]))


def _read_one(one: Shown, fate: Fate, look: Look) -> None:
    """The pieces that hold one fact, stage by stage."""
    st.markdown(f":material/flag: **{plain(fate.fact.says)}** {plain(fate.in_words)}")
    for built, seen in zip(one.result.trace, fate.sightings, strict=True):
        label = (
            f"{plain(built.name)}: {count(len(seen.items), 'piece')}"
            if seen.items
            else f"{plain(built.name)}: not there"
        )
        if not seen.items:
            st.caption(f":material/close: {label}")
            continue
        with st.expander(label, icon=":material/check:"):
            holding = frozenset(seen.items)
            items = sorted((item for item in built.items if item.id in holding), key=lambda item: not item.chosen)
            for item in items[:MOST_ITEMS]:
                show_item(item, look)
            if len(items) > MOST_ITEMS:
                st.caption(f"The first {MOST_ITEMS} of {len(items):,}.")
