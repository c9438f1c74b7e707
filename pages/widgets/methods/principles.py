"""Which of the paper's principles each method satisfies, and why."""

from collections.abc import Sequence

import streamlit as st

from pages.widgets.errors import plain
from r3con_core.methods.seam import Met, Method

SIGNS = {
    Met.YES: ":green-badge[:material/check: yes]",
    Met.LIMITED: ":orange-badge[:material/contrast: limited]",
    Met.NO: ":red-badge[:material/close: no]",
    Met.NOT_APPLICABLE: ":gray-badge[not applicable]",
}
MEANINGS = {
    "Task-specific": "What is kept of a document is chosen for the question. A summary that does not know the question "
    "may leave out just what matters for it.",
    "Enactive": "What matters in one document is judged in the light of what others say, and judged again when more is "
    "known. A clue often means nothing until another document explains it.",
    "Flexible structure": "The form in which facts are kept (which tables, which links) is made for the question, not "
    "the same for all.",
}


def show(methods: Sequence[Method]) -> None:
    """The three principles in words, then a table of all methods."""
    columns = st.columns(3)
    for column, (name, meaning) in zip(columns, MEANINGS.items(), strict=True):
        with column.container(border=True, height="stretch"):
            st.markdown(f"**{name}**")
            st.markdown(meaning)
    st.table([_row(method) for method in methods], border="horizontal", hide_index=True)
    st.caption(
        "After the R3Con paper (section 3.2 and table 4). “Limited”: only in part or within a bound. “Not applicable”: "
        "the method builds nothing before it answers."
    )


def _row(method: Method) -> dict[str, str]:
    found = method.principles
    return {
        "Method": f"**{plain(method.name)}**",
        "Task-specific": SIGNS[found.task_specific],
        "Enactive": SIGNS[found.enactive],
        "Flexible structure": SIGNS[found.flexible],
        "Why": plain(found.why),
    }
