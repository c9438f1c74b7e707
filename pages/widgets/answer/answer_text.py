"""An answer sentence by sentence, each beside the records it rests on; a press on one shows its proof."""

from collections.abc import Iterator, Sequence
from functools import partial

import streamlit as st

from pages.widgets import evidence, state
from pages.widgets.answer import checks
from pages.widgets.answer.checks import Review
from pages.widgets.data.record_cells import value_words
from pages.widgets.errors import plain
from pages.widgets.evidence import LOOKS, Found
from r3con_core.answers import Answer
from r3con_core.evidence import Evidence
from r3con_core.records import Record
from r3con_core.runs import Run
from r3con_core.store.project import Project
from r3con_core.views.tables import Proof, proof_of, weakest_proof

MOST_SHOWN = 6
"""Records shown beside one sentence; the others are named and lead to the Data page."""
SENTENCES_SHOWN = 40
"""At a time."""
_FROM = "answer-from"


@st.fragment
def show(project: Project, run: Run, found: Found, answer: Answer) -> None:
    """The whole answer; only this part of the page is drawn again when a record is opened."""
    made = checks.review(project, run, found, answer)
    checks.show_summary(run, made, found)
    first = _first_shown(len(answer.sentences))
    with st.container(border=True, gap="medium"):
        for place in range(first, min(first + SENTENCES_SHOWN, len(answer.sentences))):
            _sentence(made, place, found)
        if answer.unknown_citations:
            st.warning(
                f"The model also cited {plain(', '.join(answer.unknown_citations))}, which no record is called. "
                "What it says there rests on nothing that can be checked.",
                icon=":material/link_off:",
            )


def _first_shown(sentences: int) -> int:
    """Of a long answer, the sentence that the chosen stretch begins with, from 0."""
    if sentences <= SENTENCES_SHOWN:
        return 0
    starts = range(0, sentences, SENTENCES_SHOWN)
    chosen = st.selectbox(
        "Sentences",
        starts,
        format_func=lambda start: f"{start + 1:,} to {min(start + SENTENCES_SHOWN, sentences):,} of {sentences:,}",
        key=_FROM,
        width=240,
    )
    return int(chosen)


def _sentence(made: Review, place: int, found: Found) -> None:
    sentence = made.checked[place].sentence
    with st.container(gap="xxsmall", key=f"sentence-{place + 1}"):
        text, cites = st.columns([7, 3], gap="medium", vertical_alignment="center")
        text.markdown(f"\u2068{plain(' '.join(sentence.text.split()))}\u2069")
        with cites:
            _cite(sentence.record_ids, f"cite-{place + 1}", found=found)
        checks.show_sentence(made, place, found, partial(_cite, found=found))


def _cite(record_ids: Sequence[str], key: str, *, found: Found) -> None:
    """Records as buttons that open them."""
    records = [found.data.get(record_id) for record_id in record_ids]
    if not records:
        st.markdown(":gray-badge[:material/link_off: no record cited]")
        return
    with st.container(horizontal=True, gap="xsmall"):
        for record in records[:MOST_SHOWN]:
            proof = weakest_proof(record)
            sign = "" if proof is Proof.EXACT else f"{LOOKS[proof].icon} "
            card = st.popover(
                f":gray-badge[{sign}{found.data.label(record.id)}]",
                type="tertiary",
                key=f"{key}-{record.id}",
                on_change="rerun",
            )
            if card.open:
                with card, st.container(width=440, gap="small"):
                    _card(record, found)
        if more := records[MOST_SHOWN:]:
            rest = st.popover(f"{len(more):,} more", type="tertiary", key=f"{key}-more", on_change="rerun")
            if rest.open:
                with rest:
                    for record in more[:100]:
                        state.page_link("data", found.data.label(record.id), record=record.id)


def _card(record: Record, found: Found) -> None:
    label = found.data.label(record.id)
    st.markdown(f"**{label}** · {plain(record.type)} {evidence.badges(record, weakest_proof(record))}")
    said = f", said by {plain(record.said_by)}" if record.said_by else ""
    st.caption(f"{plain(found.document_name(record.document_id))}{said}")
    st.markdown("\n".join(_values(record)))
    for quoted in record.evidence:
        _quote(quoted, found)
    state.page_link("data", f"Show {label} in the data", record=record.id)


def _values(record: Record) -> Iterator[str]:
    for name, value in record.values.items():
        if words := value_words(value):
            missing = any(path == name or path.startswith(f"{name}.") for path in record.unsupported)
            doubt = " :orange-badge[not in its document]" if missing else ""
            yield f"- {plain(name)}: **{plain(words)}**{doubt}"


def _quote(quoted: Evidence, found: Found) -> None:
    look = LOOKS[proof := proof_of(quoted)]
    place = evidence.place_in(quoted)
    st.markdown(f"> \u2068{plain(' '.join(quoted.quote.split()))}\u2069")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f":{look.colour}[{look.icon} {proof.value}]", width="content")
        if place is None:
            state.open_document_link(quoted.document_id, label="Open the document")
        else:
            number = found.numbers[place.document_id]
            state.open_document_link(
                place.document_id, place.span.start, place.span.end, label=f"Show it in document {number}"
            )
