"""The proof of a record: each quote with what became of looking for it, and the document open at the place."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import assert_never

import streamlit as st

from pages.widgets import state, viewer
from pages.widgets.errors import plain
from r3con_core.checks.conflicts import Conflict, find_conflicts
from r3con_core.corrections.applying import Corrected
from r3con_core.evidence import Evidence, Grounded, Match, Misplaced, Ungrounded
from r3con_core.exports.contents import place_of
from r3con_core.overlay import corrected_data
from r3con_core.records import Record, Standing, StructuredData
from r3con_core.schemas import Schema
from r3con_core.snippets import Author
from r3con_core.store.documents import list_documents, load_document
from r3con_core.store.project import Project
from r3con_core.store.records import load_records, records_mark
from r3con_core.store.runs import latest_seq, load_run
from r3con_core.views.graphs import references
from r3con_core.views.tables import Proof, proof_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How a proof is shown; sign and colour never stand without its words."""

    icon: str
    sign: str
    """For tables, whose cells hold text only."""
    colour: str


LOOKS: Mapping[Proof, Look] = {
    Proof.EXACT: Look(icon=":material/check_circle:", sign="✓", colour="green"),
    Proof.NEAR: Look(icon=":material/difference:", sign="≈", colour="blue"),
    Proof.ELSEWHERE: Look(icon=":material/move_down:", sign="↷", colour="orange"),
    Proof.MISSING: Look(icon=":material/cancel:", sign="×", colour="red"),
    Proof.PERSON: Look(icon=":material/person:", sign="✎", colour="violet"),
}
ASIDE = ":material/do_not_disturb_on:"
PERSONS = ":material/person_edit:"
ASIDE_HELP = (
    "Nothing is concluded from it: none of its quotes was found in its own document, "
    "or most of its values are not there."
)


@dataclass(frozen=True, kw_only=True)
class Found:
    """What a run found so far, with its documents by number and title but without their texts."""

    corrected: Corrected
    """The records as they stand, and what became of every change of them."""
    numbers: Mapping[str, int]
    titles: Mapping[str, str]
    worked_out: dict[object, object] = field(default_factory=dict, repr=False, compare=False)
    """What views made of it, by what it was made from, so that it is made once; it goes when this goes."""

    @property
    def data(self) -> StructuredData:
        """The records as they stand."""
        return self.corrected.data

    @cached_property
    def conflicts(self) -> tuple[Conflict, ...]:
        """Where documents contradict each other on one thing."""
        return find_conflicts(self.data)

    @cached_property
    def known_names(self) -> Mapping[str, tuple[str, ...]]:
        """Record type -> the names its records have or are referred to by, each once, in alphabetical order."""
        names: dict[str, set[str]] = {one.name: set() for one in self.data.schema.record_types}
        for record in self.data.records:
            told = record.values.get(self.data.schema.get(record.type).label)
            names[record.type] |= {told} if isinstance(told, str) else set()
            for _, kind, name in references(record, self.data):
                names[kind].add(name)
        return {kind: tuple(sorted(some, key=str.casefold)) for kind, some in names.items()}

    @cached_property
    def titles_by_number(self) -> Mapping[int, str]:
        """Titles by the documents' numbers."""
        return {self.numbers[document_id]: title for document_id, title in self.titles.items()}

    def document_name(self, document_id: str) -> str:
        """Number and title, such as "Document 6, Letter of J. V."."""
        return f"Document {self.numbers[document_id]}, {self.titles[document_id]}"


def found_by(project: Project, run_id: str) -> Found | None:
    """What the run found so far; None before a schema is accepted."""
    return _found(project, str(project.folder), run_id, latest_seq(project, run_id))


@st.cache_resource(max_entries=3, show_spinner=False)
def _found(_project: Project, folder: str, run_id: str, seq: int) -> Found | None:  # noqa: ARG001 - parts of the key
    corrected = corrected_data(_project, run_id, _read)
    if corrected is None:
        return None
    run = load_run(_project, run_id)
    titles = {line.id: line.title for line in list_documents(_project)}
    return Found(
        corrected=corrected,
        numbers={document_id: number for number, document_id in enumerate(run.document_ids, start=1)},
        titles={document_id: titles[document_id] for document_id in run.document_ids},
    )


def _read(project: Project, run_id: str, schema: Schema, document_ids: tuple[str, ...]) -> StructuredData:
    """What models said: read once, and not again when people correct it."""
    said = _said(project, str(project.folder), run_id, records_mark(project, run_id), schema, document_ids)
    return said if said.schema == schema else replace(said, schema=schema)


@st.cache_resource(max_entries=3, show_spinner="Reading the records")
def _said(
    _project: Project,
    folder: str,  # noqa: ARG001
    run_id: str,
    mark: tuple[int, ...],  # noqa: ARG001
    _schema: Schema,
    _document_ids: tuple[str, ...],
) -> StructuredData:
    return load_records(_project, run_id, _schema, _document_ids)


def badges(record: Record, proof: Proof) -> str:
    """A record's standing in small labels, as Markdown: its proof, how certain it is, whether it is set aside."""
    look = LOOKS[proof]
    told = [f":{look.colour}-badge[{look.icon} {proof.value}]", f":gray-badge[{record.certainty.value}]"]
    if record.author is Author.HUMAN:
        told.append(f":violet-badge[{PERSONS} added by a person]")
    elif record.changed:
        told.append(f":violet-badge[{PERSONS} changed by a person]")
    if record.standing is not Standing.KEPT:
        told.append(f":red-badge[{ASIDE} {record.standing.value}]")
    elif record.set_aside:
        told.append(f":red-badge[{ASIDE} set aside]")
    return " ".join(told)


def place_in(evidence: Evidence) -> Grounded | None:
    """Where a quote was found, in whichever document."""
    match evidence:
        case Grounded():
            return evidence
        case Misplaced(found=found):
            return found
        case Ungrounded():
            return None
        case unreachable:
            assert_never(unreachable)


def place_shown(record: Record) -> Grounded | None:
    """The place of the record's quotes that the address names, else the first one that was found."""
    places = [place for evidence in record.evidence if (place := place_in(evidence))]
    document_id, span = state.current_document_id(), state.current_span()
    named = [place for place in places if place.document_id == document_id and place.span == span]
    return next(iter(named or places), None)


def show_quotes(project: Project, found: Found, record: Record) -> None:
    """Every quote of a record: how it was found, its words, and a button that shows the place."""
    shown = place_shown(record)
    for number, evidence in enumerate(record.evidence, start=1):
        place = place_in(evidence)
        with st.container(border=True, gap="xsmall"):
            st.markdown(_standing(project, found, evidence))
            st.markdown(
                "\n".join(f"> \u2068{plain(line)}\u2069" for line in evidence.quote.splitlines() if line.strip())
            )
            if isinstance(evidence, Grounded) and evidence.match is Match.NEAR:
                document = load_document(project, evidence.document_id)
                assert document is not None, "a document that a run has read stays in its project"
                said = document.text[evidence.span.start : evidence.span.end]
                st.caption(f"The document has: {plain(' '.join(said.split()))}")
            if place is not None and place != shown:
                st.button(
                    "Show this quote",
                    key=f"show-{record.id}-{number}",
                    icon=":material/my_location:",
                    type="tertiary",
                    on_click=_go_to,
                    args=(place,),
                )


def _go_to(place: Grounded) -> None:
    state.set_place(**state.document_place(place.document_id, place.span.start, place.span.end))


def _standing(project: Project, found: Found, evidence: Evidence) -> str:
    """How a quote was found and where, as Markdown."""
    proof = proof_of(evidence)
    look = LOOKS[proof]
    told = f"{look.icon} **{proof.value}**"
    place = place_in(evidence)
    match evidence:
        case Grounded(match=Match.NEAR, score=score):
            told += f" ({score:g} % alike)"
        case Grounded(match=Match.NORMALISED):
            told += " (other typography)"
        case Misplaced(found=elsewhere):
            told += f": {plain(found.document_name(elsewhere.document_id))}"
        case Ungrounded():
            told += ": these words are in none of the documents"
        case _:
            pass
    unit = _unit_of(project, place) if place else ""
    return f":{look.colour}[{told}]" + (f", {plain(unit)}" if unit else "")


def _unit_of(project: Project, place: Grounded) -> str:
    document = load_document(project, place.document_id)
    return place_of(document, place.span) if document else ""


def show_place(project: Project, found: Found, record: Record, *, height: str = "24rem") -> None:
    """The document at the record's quote; its own document from the top when no quote was found."""
    place = place_shown(record)
    document_id = place.document_id if place else record.document_id
    document = load_document(project, document_id)
    assert document is not None, "a document that a run has read stays in its project"
    span = place.span if place else None
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**{plain(found.document_name(document_id))}**", width="content")
        state.open_document_link(
            document_id, *((span.start, span.end) if span else ()), label="Open the whole document"
        )
    if place is None:
        st.caption("None of its quotes was found, so there is no place to show. This is the document it was read from.")
    reading = viewer.Reading(
        document=document, marks=viewer.marks_in(found.data, document_id), current=span, height=height
    )
    viewer.show(project, reading, key="place", on_record=show_record)


def show_record(record_id: str) -> None:
    """Open a record on this page, at its first quote."""
    state.set_place(record=record_id, doc=None, at=None)
