"""Which documents the answer stands on: a map of documents and sentences, and every document with its part."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import streamlit as st

from pages.widgets import state
from pages.widgets.data import charts
from pages.widgets.data.record_list import short
from pages.widgets.errors import plain
from pages.widgets.evidence import Found
from pages.widgets.words import count
from pages.widgets.worked_out import once
from r3con_core.answers import Answer
from r3con_core.exchange import Stage
from r3con_core.runs import Run
from r3con_core.store.answers import load_answer
from r3con_core.store.project import Project
from r3con_core.store.snippets import load_unread
from r3con_core.views.support import Part, Support, support_of

MOST_DRAWN = 40
"""Documents in the map; the table has them all."""
SIGNS = {Part.CITED: "●", Part.NOT_CITED: "○", Part.SILENT: "·", Part.UNREAD: "×"}
HOW = """
**Cited by the answer**: some sentence rests on a record from it. **Has records, none cited**: it said something the
schema asks for, and the answer did without; look here for what was left out or speaks against it. **Read, without a
record**: nothing in it fits the schema. **Could not be read**: at some stage the model gave nothing usable for it, so
nothing can be concluded from its silence.
"""


def show(project: Project, run: Run, found: Found) -> None:
    """The map, and every document with its part."""
    answer = load_answer(project, run.id)
    if answer is None:
        st.info("There is no answer yet, so nothing rests on documents yet.", icon=":material/inbox:")
        return
    unread = _unread(project, run)
    made = once(found, ("support", answer.text, unread), lambda: _support(run, found, answer, unread))
    _say(made)
    cited = [one for one in made if one.part is Part.CITED]
    if cited:
        _draw(found, answer, cited[:MOST_DRAWN])
        with st.expander(
            f"The {count(len(answer.sentences), 'sentence')} by number", icon=":material/format_list_numbered:"
        ):
            st.markdown(
                "\n".join(f"{at}. {plain(one.text.strip())}" for at, one in enumerate(answer.sentences, start=1))
            )
    _show_documents(found, made)


def _unread(project: Project, run: Run) -> frozenset[str]:
    """Documents that some stage could not read."""
    stages = [(Stage.PARSING, 0), *((Stage.RELEVANCE, number) for number in range(1, run.settings.rounds + 1))]
    return frozenset(one.document_id for stage, number in stages for one in load_unread(project, run.id, stage, number))


def _support(run: Run, found: Found, answer: Answer, unread: frozenset[str]) -> tuple[Support, ...]:
    return support_of(found.data, answer, run.document_ids, unread)


def _say(made: Sequence[Support]) -> None:
    parts = Counter(one.part for one in made)
    told = " · ".join(f"{SIGNS[part]} **{parts[part]:,}** {part.value}" for part in Part if parts[part])
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"Of {count(len(made), 'document')}: {told}", width="content")
        with st.popover("What this means", type="tertiary", icon=":material/info:"):
            st.markdown(HOW)


def _draw(found: Found, answer: Answer, cited: Sequence[Support]) -> None:
    """A dot for every document and sentence that cites it, by the number of its records."""
    dots = [(one, number, records) for one in cited for number, records in sorted(one.cited.items())]
    names = [_name(found, one, 46) for one in cited]
    data = {
        "type": "scatter",
        "mode": "markers+text",
        "x": [f"S{number}" for _, number, _ in dots],
        "y": [_name(found, one, 46) for one, _, _ in dots],
        "text": [str(records) for _, _, records in dots],
        "textfont": {"size": 10, "color": "#ffffff"},
        "marker": {"size": [min(16 + 3 * records, 40) for *_, records in dots], "color": "#0b5c6b", "opacity": 1},
        "customdata": [one.document_id for one, _, _ in dots],
        "hovertext": [
            f"{charts.letters(answer.sentences[number - 1].text, 110)}<br>{count(records, 'record')} of it cited"
            for _, number, records in dots
        ],
        "hovertemplate": "%{y}<br>%{hovertext}<extra></extra>",
    }
    st.caption(
        f"{'The most cited documents' if len(cited) == MOST_DRAWN else 'The cited documents'}, and the sentences of the "
        "answer that cite them (S1 is the first). The number is how many of its records a sentence cites. Press a dot to "
        "read the document."
    )
    charts.show(
        [data], _layout(answer, names), key="support", alt="Documents and the sentences that cite them", on_point=_open
    )


def _layout(answer: Answer, names: Sequence[str]) -> dict[str, Any]:
    """Sentences above, from the first; documents from the top."""
    return {
        "height": 110 + 26 * len(names),
        "xaxis": {
            "type": "category",
            "categoryorder": "array",
            "categoryarray": [f"S{number}" for number in range(1, len(answer.sentences) + 1)],
            "side": "top",
            "range": [-0.5, len(answer.sentences) - 0.5],
            "fixedrange": True,
            "showgrid": True,
        },
        "yaxis": {
            "type": "category",
            "categoryorder": "array",
            "categoryarray": names,
            "autorange": "reversed",
            "fixedrange": True,
            "automargin": True,
            "showgrid": True,
        },
    }


def _name(found: Found, one: Support, most: int) -> str:
    return charts.letters(f"{found.numbers[one.document_id]} · {found.titles[one.document_id]}", most)


def _open(document_id: object) -> None:
    state.open_document(str(document_id))


def _show_documents(found: Found, made: tuple[Support, ...]) -> None:
    parts = list(dict.fromkeys(one.part for one in made))
    chosen = st.pills(
        "Documents",
        parts,
        selection_mode="multi",
        format_func=lambda part: f"{SIGNS[part]} {part.value}",
        key="support-parts",
        persist_state="session",
    )
    shown = [one for one in made if not chosen or one.part in chosen]
    st.dataframe(
        once(
            found, ("support-lines", frozenset(chosen), tuple(one.part for one in made)), lambda: _arrow(found, shown)
        ),
        hide_index=True,
        height=35 * (min(len(shown), 8) + 1) + 3,
        alt="Every document with its part in the answer",
        column_config={
            "No.": st.column_config.NumberColumn(width=60),
            "Document": st.column_config.TextColumn(width=300),
            "Read it": st.column_config.LinkColumn(width=80, display_text="open"),
            "Citations": st.column_config.NumberColumn(
                help="How often sentences cite a record of it; each sentence counts."
            ),
        },
    )


def _arrow(found: Found, shown: Sequence[Support]) -> pa.Table:
    return pa.table(
        {
            "No.": [found.numbers[one.document_id] for one in shown],
            "Document": [short(found.titles[one.document_id], 120) for one in shown],
            "Read it": [state.document_url(one.document_id) for one in shown],
            "Part": [f"{SIGNS[one.part]} {one.part.value}" for one in shown],
            "Records": [one.records for one in shown],
            "Citations": [one.citations for one in shown],
            "Sentences": [", ".join(f"S{number}" for number in sorted(one.cited)) for one in shown],
        }
    )
