"""What was found out about each sentence of an answer, in words and signs, and what speaks against it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from pages.widgets.answer import checks_basis
from pages.widgets.data.record_cells import value_words
from pages.widgets.errors import plain
from pages.widgets.evidence import Found, Look
from pages.widgets.words import count, moment_of
from pages.widgets.worked_out import once
from r3con_core.answers import Answer
from r3con_core.changes import Entry
from r3con_core.checks.claims import Term
from r3con_core.checks.objections import Objection, Weight, changed_since, find_objections
from r3con_core.checks.sentences import Checked, Source, Support, Worry, check_answer, heirs_of, tally
from r3con_core.records import Value
from r3con_core.runs import Run
from r3con_core.store.answers import answer_time
from r3con_core.store.changes import list_changes
from r3con_core.store.project import Project

LOOKS: Mapping[Support, Look] = {
    Support.FULL: Look(icon=":material/check_circle:", sign="✓", colour="green"),
    Support.DOUBT: Look(icon=":material/visibility:", sign="≈", colour="blue"),
    Support.PART: Look(icon=":material/incomplete_circle:", sign="◐", colour="orange"),
    Support.OPEN: Look(icon=":material/search_off:", sign="○", colour="gray"),
    Support.NONE: Look(icon=":material/cancel:", sign="×", colour="red"),
}
EXPLANATION = """
Each sentence is held against the records it cites, without a model:

- :green[:material/check_circle: **rests on records whose quotes were found**]: every name, day and figure in it stands in
  a record it cites, in a quote of one, or comes out of the code that was run.
- :blue[:material/visibility: **rests on records to look at**]: the same, but a record it cites is only claimed, denied or
  inferred, its quote differs, a value that is used is not in its quote, or a person corrected it.
- :orange[:material/incomplete_circle: **rests on its records in part**]: a name, day or figure in it was found neither in
  its records nor in what the code gave. The sentence names which.
- :gray[:material/search_off: **says what was not found**]: it needs no record, but it is only as good as the coverage.
- :red[:material/cancel: **rests on nothing**]: it cites no record that counts. Do not use it without checking.

:material/balance: **What may speak against** a sentence: another value of the same thing, a denial, a record that a person
rejected, or one that was set aside and says otherwise. It is looked for by names and words, so more may speak against it.

What is *not* checked is whether the words between the names and figures say the same as the quotes: read those.
"""
Cite = Callable[[Sequence[str], str], None]
"""Shows records by their ids as buttons that open them; the second is a key for the widgets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """All that was found out about the sentences of an answer, in their order."""

    checked: tuple[Checked, ...]
    objections: tuple[tuple[Objection, ...], ...]
    changed: Mapping[str, tuple[Entry, ...]]
    """Record id -> what people changed of it since the answer was written."""
    gaps: tuple[str, ...]
    """What was not read, in words."""


def review(project: Project, run: Run, found: Found, answer: Answer) -> Review:
    """The answer held against the records as they stand; made once for as long as they stay the same."""
    covered = checks_basis.covered(project, run, found)

    def make() -> Review:
        changes = {record_id: found.corrected.by_record.get(record_id, ()) for record_id in answer.record_ids}
        heirs = heirs_of(found.data, changes, answer.record_ids)
        checked = check_answer(answer, found.data, run.task.text, heirs)
        written = answer_time(project, run.id)
        return Review(
            gaps=covered.gaps,
            checked=checked,
            objections=find_objections(checked, found.data, found.conflicts, run.task.text),
            changed=changed_since(list_changes(project, run.id), written, found.data, changes),
        )

    with st.spinner("Holding each sentence against its records"):
        return once(found, ("review", answer.text, answer.record_ids, covered.gaps), make)


def show_summary(run: Run, made: Review, found: Found) -> None:
    """One line on all sentences, and what has changed since they were written."""
    if not run.settings.structure:
        st.info(
            "This run was asked to answer without records, so there is nothing its sentences can be held against. "
            "Compare it with a run that has records.",
            icon=":material/table_rows_narrow:",
        )
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(summary_in_words(made), width="content")
        with st.popover("What this means", type="tertiary", icon=":material/info:", width="content"):
            st.markdown(EXPLANATION)
    if made.changed:
        labels = ", ".join(found.data.label(record_id) for record_id in list(made.changed)[:12])
        more = f" and {len(made.changed) - 12:,} more" if len(made.changed) > 12 else ""
        st.warning(
            f"Records that this answer cites were changed after it was written: {labels}{more}. The sentences below are "
            "as the model wrote them. Run the code again to see what becomes of them.",
            icon=":material/edit_note:",
        )


def summary_in_words(made: Review) -> str:
    """Such as "5 of 6 sentences rest on records whose quotes were found · 1 rests on nothing", as Markdown."""
    counts, checked = tally(made.checked), made.checked
    full = counts[Support.FULL]
    verb = _verb(1 if len(checked) == 1 else full)
    told = [f"**{full:,} of {count(len(checked), 'sentence')} {verb} on records whose quotes were found**"]
    told += [
        f":{LOOKS[support].colour}[{LOOKS[support].icon} {number:,} {_in_summary(support, number)}]"
        for support in Support
        if support is not Support.FULL and (number := counts[support])
    ]
    opposed = sum(any(one.against for one in several) for several in made.objections)
    if opposed:
        have, them = ("has", "it") if opposed == 1 else ("have", "them")
        told.append(f":material/balance: {opposed:,} {have} something that may speak against {them}")
    return " · ".join(told)


def _verb(number: int) -> str:
    return "rests" if number == 1 else "rest"


def _in_summary(support: Support, number: int) -> str:
    match support:
        case Support.OPEN:
            return "says what was not found" if number == 1 else "say what was not found"
        case _:
            return support.value.replace("rests", _verb(number), 1)


def show_sentence(made: Review, place: int, found: Found, cite: Cite) -> None:
    """Below the sentence at `place`, from 0: its state, why, and what speaks against it."""
    checked = made.checked[place]
    look = LOOKS[checked.support]
    st.markdown(f":{look.colour}[{look.icon} {_first_up(checked.support.value)}]")
    if checked.missing:
        st.markdown(f":orange[In none of its records, and not from the code: **{_terms(checked.missing)}**]")
    if told := list(_reasons(made, checked, found)):
        st.caption("  \n".join(told))
    for record_id in checked.sentence.record_ids:
        for entry in made.changed.get(record_id, ())[-3:]:
            st.markdown(f":violet[:material/edit_note: {_changed(entry, found.data.label(record_id))}]")
    _show_objections(made.objections[place], found, cite, f"against-{place + 1}")


def _first_up(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def _changed(entry: Entry, label: str) -> str:
    if entry.undone:
        return f"A change of {label} was taken back by {plain(entry.undone_by)} on {moment_of(entry.undone)}"
    note = f": {plain(' '.join(entry.note.split()))}" if entry.note else ""
    return f"{label} was changed by {plain(entry.author)} on {moment_of(entry.made)}{note}"


def _reasons(made: Review, checked: Checked, found: Found) -> Iterator[str]:
    """Why a sentence is in its state, in sentences that are safe as Markdown."""
    if checked.support is Support.OPEN:
        yield _as_good_as(made.gaps)
    if checked.support is Support.NONE and not checked.sentence.record_ids:
        yield "It cites no record."
    if checked.by_code:
        yield f"Worked out by the code: {_terms(checked.by_code)}"
    if asked := tuple(lookup.term for lookup in checked.lookups if lookup.source is Source.QUESTION):
        yield f"Only in the question: {_terms(asked)}"
    yield from _doubts(checked, found)


def _as_good_as(gaps: Sequence[str]) -> str:
    if not gaps:
        return "It needs no record. Everything that was given was read."
    return f"It needs no record, but it may stand in what was not read: {'; '.join(gaps)}."


def _terms(terms: Sequence[Term]) -> str:
    return ", ".join(plain(term.text) for term in terms[:12]) + (" …" if len(terms) > 12 else "")


def _doubts(checked: Checked, found: Found) -> Iterator[str]:
    together: dict[tuple[Worry, tuple[str, ...]], list[str]] = {}
    for doubt in checked.doubts:
        together.setdefault((doubt.worry, doubt.fields), []).append(found.data.label(doubt.record_id))
    for (worry, fields), labels in together.items():
        named = ", ".join(labels[:8]) + (f" and {len(labels) - 8:,} more" if len(labels) > 8 else "")
        what = f"{plain(', '.join(fields))} {worry.value}" if fields else worry.value
        yield f":material/info: {named}: {what}"


def _show_objections(objections: Sequence[Objection], found: Found, cite: Cite, key: str) -> None:
    against = [objection for objection in objections if objection.against]
    beside = [objection for objection in objections if not objection.against]
    if against:
        number = sum(len(objection.record_ids) for objection in against)
        title = f"What may speak against this ({count(number, 'record')})"
        shown = st.expander(title, icon=":material/balance:", type="compact", key=key, on_change="rerun")
        if shown.open:  # each has many buttons
            with shown:
                for place, objection in enumerate([*against, *beside]):
                    _objection(objection, found, cite, f"{key}-{place}")
    elif beside:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.caption("Also about this, and not against it:", width="content")
            cite([record_id for objection in beside for record_id in objection.record_ids], f"{key}-beside")


def _objection(objection: Objection, found: Found, cite: Cite, key: str) -> None:
    shown = [found.data.get(record_id) for record_id in objection.record_ids[:3]]
    names = dict.fromkeys(plain(found.document_name(record.document_id)) for record in shown)
    more = len(objection.record_ids) - len(shown)
    with st.container(gap=None):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(_weight(objection), width="content")
            cite(objection.record_ids, key)
        st.caption("; ".join(names) + (f" and {count(more, 'more record')}" if more > 0 else ""))


_SAID = {
    Weight.DENIAL: ":orange[:material/block:] **Denied**",
    Weight.LIKE_DENIAL: ":orange[:material/block:] **Denied in like words**: read whether it is about this",
    Weight.REJECTED: ":violet[:material/person_off:] **Rejected by a person**",
    Weight.SET_ASIDE: ":gray[:material/do_not_disturb_on:] **Set aside**, and says otherwise: its quotes or values are not in "
    "its document",
    Weight.UNCITED: ":gray[:material/link:] **About the same, not cited**, and not against it",
}


def _weight(objection: Objection) -> str:
    if objection.weight is not Weight.OTHER_VALUE:
        return _SAID[objection.weight]
    other, cited = _value(objection.value), _value(objection.cited)
    return f":orange[:material/call_split:] **Another {plain(objection.field)}**: {other}, where the sentence rests on {cited}"


def _value(value: Value) -> str:
    return plain(value_words(value)) or "nothing"
