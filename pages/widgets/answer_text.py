"""An answer sentence by sentence, each beside the records it rests on; a press on one shows its proof."""

from collections.abc import Iterator, Sequence

import streamlit as st

from pages.widgets import evidence, state
from pages.widgets.errors import plain
from pages.widgets.evidence import LOOKS, Found
from r3con_core.answers import Answer
from r3con_core.evidence import Evidence
from r3con_core.records import Record
from r3con_core.tables import Proof, flat, in_words, proof_of, weakest_proof

MOST_SHOWN = 12
"""Records shown beside one sentence; the others are named and lead to the Data page."""


@st.fragment
def show(found: Found, answer: Answer) -> None:
    """The whole answer; only this part of the page is drawn again when a record is opened."""
    with st.container(border=True, gap="small"):
        for number, sentence in enumerate(answer.sentences, start=1):
            records = [found.data.get(record_id) for record_id in sentence.record_ids]
            with st.container(gap="xxsmall"):
                text, cites = st.columns([7, 3], gap="medium", vertical_alignment="center")
                text.markdown(plain(" ".join(sentence.text.split())))
                with cites:
                    _cite(records, found, f"cite-{number}")
                _warn(records, found)
        if answer.unknown_citations:
            st.warning(
                f"The model also cited {plain(', '.join(answer.unknown_citations))}, which no record is called. "
                "What it says there rests on nothing that can be checked.",
                icon=":material/link_off:",
            )


def _warn(records: Sequence[Record], found: Found) -> None:
    told: dict[str, list[str]] = {}
    for record in records:
        if words := "; ".join(doubts(record)):
            told.setdefault(words, []).append(found.data.label(record.id))
    if told:
        st.caption(":material/info: " + " · ".join(f"{_named(labels)}: {words}" for words, labels in told.items()))


def doubts(record: Record) -> Iterator[str]:
    """What a reader should know before relying on a record, in words, safe as Markdown; nothing when all is proved."""
    match weakest_proof(record):
        case Proof.NEAR:
            yield "quote found with small differences"
        case Proof.ELSEWHERE:
            yield "quote found in another document"
        case Proof.MISSING:
            yield "quote not found"
        case _:
            pass
    if record.set_aside:
        yield "set aside, so nothing should rest on it"
    elif record.unsupported:
        yield f"{plain(', '.join(record.unsupported))} not stated in its document"


def _named(labels: Sequence[str]) -> str:
    shown = ", ".join(labels[:MOST_SHOWN])
    return shown if len(labels) <= MOST_SHOWN else f"{shown} and {len(labels) - MOST_SHOWN:,} more"


def _cite(records: Sequence[Record], found: Found, key: str) -> None:
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
            with st.popover(f"{len(more):,} more", type="tertiary", key=f"{key}-more"):
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
        words = in_words(flat(value))
        if words:
            missing = any(path == name or path.startswith(f"{name}.") for path in record.unsupported)
            doubt = " :orange-badge[not in its document]" if missing else ""
            yield f"- {plain(name)}: **{plain(' '.join(words.split()))}**{doubt}"


def _quote(quoted: Evidence, found: Found) -> None:
    look = LOOKS[proof := proof_of(quoted)]
    place = evidence.place_in(quoted)
    st.markdown(f"> {plain(' '.join(quoted.quote.split()))}")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f":{look.colour}[{look.icon} {proof.value}]", width="content")
        if place is None:
            state.open_document_link(quoted.document_id, label="Open the document")
        else:
            number = found.numbers[place.document_id]
            state.open_document_link(
                place.document_id, place.span.start, place.span.end, label=f"Show it in document {number}"
            )
