"""The digests of a round: what groups of snippets say in short, where all of them are more than fits."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.widgets.errors import plain
from pages.widgets.relevance.live import Title
from pages.widgets.relevance.sights import digest_name
from pages.widgets.words import count
from r3con_core.overlay import steering_now
from r3con_core.runs import Run
from r3con_core.snippets import Digest
from r3con_core.store.digests import load_digests
from r3con_core.store.numbering import write_ranges
from r3con_core.store.project import Project

ON_A_PAGE = 20
CUT = ":orange[:material/content_cut: No model wrote this: it is the beginnings of the snippets, cut to fit.]"


def rounds_with(project: Project, run: Run) -> tuple[int, ...]:
    """Numbers of the rounds that have digests."""
    return tuple(
        number for number in range(1, steering_now(project, run).rounds + 1) if load_digests(project, run.id, number)
    )


def show(project: Project, run: Run, titles: Sequence[Title]) -> None:
    """One round's digests, some at a time, each with the documents it tells of."""
    rounds = rounds_with(project, run)
    numbers = {title.id: title.number for title in titles}
    left, right = st.columns([1, 1], vertical_alignment="bottom")
    chosen = left.selectbox(
        "Digests of", rounds, index=len(rounds) - 1, format_func=lambda number: f"round {number}", key="digest-round"
    )
    found = load_digests(project, run.id, chosen)
    page = _page(right, found)
    st.caption(
        f"{count(len(found), 'digest')} of the snippets of round {chosen}. A digest is the model's words, and readers "
        "see it instead of the snippets it tells of, but for those that they see besides."
    )
    for digest in found[page * ON_A_PAGE : (page + 1) * ON_A_PAGE]:
        _one(digest, titles, numbers)


def _page(place: DeltaGenerator, found: Sequence[Digest]) -> int:
    pages = range(-(-len(found) // ON_A_PAGE))
    if len(pages) < 2:
        return 0

    def name(page: int) -> str:
        shown = found[page * ON_A_PAGE : (page + 1) * ON_A_PAGE]
        return f"{digest_name(shown[0])} to {digest_name(shown[-1])}"

    return place.selectbox("Show", list(pages), format_func=name, key="digest-page")


def _one(digest: Digest, titles: Sequence[Title], numbers: dict[str, int]) -> None:
    covered = [numbers[each] for each in digest.covers]
    with st.container(border=True, gap="xsmall"):
        st.markdown(f"**{digest_name(digest)}** · {count(len(covered), 'document')}: {ranges(covered)}")
        if digest.cut:
            st.markdown(CUT)
        st.markdown(plain(digest.text))
        key = f"covers-{digest.level}-{digest.number}"
        listed = st.expander("Which documents", key=key, type="compact", on_change="rerun")
        if listed.open:
            rows = [{"No.": number, "Title": titles[number - 1].title} for number in covered]
            listed.dataframe(
                pd.DataFrame(rows),
                hide_index=True,
                alt=f"The documents of {digest_name(digest)}",
                width="content",
            )


def ranges(numbers: Sequence[int]) -> str:
    """Numbers of documents in few letters: "3, 5–12"."""
    return write_ranges(numbers).replace("-", "–").replace(",", ", ")
