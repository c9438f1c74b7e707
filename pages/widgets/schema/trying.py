"""Trying the schema on a few documents before all are parsed: the records it would give, with their quotes."""

import pandas as pd
import streamlit as st

from pages.widgets import state
from pages.widgets.errors import plain
from pages.widgets.evidence import place_in
from pages.widgets.schema import errands as schema_errands
from pages.widgets.schema.desk import Desk
from pages.widgets.words import count
from r3con_core import errands
from r3con_core.errands import MOST_DOCUMENTS, Errand, Preview, Trial, Tried
from r3con_core.records import Record
from r3con_core.runs import Run
from r3con_core.schemas import Schema
from r3con_core.store.documents import list_documents
from r3con_core.store.usage import snippets_of
from r3con_core.views.tables import flat, in_words, weakest_proof

ABOUT = (
    "Parses the documents you choose with the schema as it stands, so that you see the records it gives before all "
    "documents are parsed. What is parsed here is not asked or paid for again when you accept."
)
_FEW = 3


def show(desk: Desk, run: Run) -> None:
    """Choose, see the cost, start; then the records, document by document."""
    st.subheader("Try it on a few documents", anchor=False)
    st.caption(ABOUT)
    newest = errands.latest(desk.project, desk.run_id, Preview)
    working = schema_errands.at_work(desk)
    names = _names(desk, run)
    if working is not None:
        schema_errands.show_work(desk)
    else:
        schema_errands.show_ending(newest)
        _choose(desk, run, names, newest)
    if newest is not None and isinstance(newest.result, Trial):
        assert isinstance(newest.asked, Preview), "a trial is of a preview"
        _show_trial(desk, newest.asked.version, newest.result, names)


def _names(desk: Desk, run: Run) -> dict[str, str]:
    """The run's documents, each with its number and title."""
    titles = {line.id: line.title for line in list_documents(desk.project)}
    return {one: f"{number}. {titles.get(one, one)}" for number, one in enumerate(run.document_ids, start=1)}


def _choose(desk: Desk, run: Run, names: dict[str, str], newest: Errand | None) -> None:
    chosen = st.multiselect(
        f"Documents, {MOST_DOCUMENTS} at most",
        list(names),
        _suggested(desk, run, newest),
        format_func=lambda one: names[one],
        max_selections=MOST_DOCUMENTS,
        key=f"schema-try-{desk.run_id}",
        help="Suggested are those with the most to say on the question.",
    )
    if not chosen:
        st.caption("Choose at least one document.")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        schema_errands.send_button(
            desk, run, "Try it", Preview(version=desk.version, document_ids=tuple(chosen)), disabled=False
        )
        found = schema_errands.foresee(desk, chosen)
        if found.asked:
            asks = f"Asks {count(found.asked, 'document')}: {schema_errands.cost_words(found)}."
            st.caption(f"{asks} {schema_errands.where(run)}")
        else:
            st.caption("No call is needed for these: what they gave is carried over, or was tried already.")


def _suggested(desk: Desk, run: Run, newest: Errand | None) -> list[str]:
    """Those tried last; else those with the most to say."""
    if newest is not None and isinstance(newest.asked, Preview):
        return [one for one in newest.asked.document_ids if one in run.document_ids]
    said = snippets_of(desk.project, desk.run_id)
    most = sorted(run.document_ids, key=lambda one: -len(said.get(one, "")))[:_FEW]
    return [one for one in run.document_ids if one in most]


def _show_trial(desk: Desk, version: int, trial: Trial, names: dict[str, str]) -> None:
    if not trial.documents:
        return
    if version > desk.version:
        st.info("The last trial was of a version that you took back. Try again to see the schema as it stands.")
        return
    records = sum(len(one.records) for one in trial.documents)
    st.markdown(f"**{count(records, 'record')} in {count(len(trial.documents), 'document')}**, version {version}")
    if version != desk.version:
        st.info(
            f"The schema has changed since: this is of version {version}, the newest is {desk.version}. Try again to "
            "see the difference.",
            icon=":material/history:",
        )
    schema = desk.versions[version - 1].schema
    for one in trial.documents:
        with st.container(border=True, gap="small"):
            st.markdown(f"**{plain(names.get(one.document_id, one.document_id))}**  \n{_how(one)}")
            _show_document(one, schema)
            quotes = (evidence for record in one.records for evidence in record.evidence)
            place = next((found for quote in quotes if (found := place_in(quote))), None)
            state.open_document_link(one.document_id, *((place.span.start, place.span.end) if place else ()))


def _how(one: Tried) -> str:
    if one.asked is None:
        return ":gray[Carried over: accepting does not ask this document again.]"
    if one.asked:
        return f":gray[Asked for {plain(', '.join(one.asked))} only; all else is carried over.]"
    return ":gray[Parsed whole.]"


def _show_document(one: Tried, schema: Schema) -> None:
    if one.reason:
        st.warning(f"It could not be parsed: {plain(one.reason)}", icon=":material/warning:")
    if not one.records and not one.reason:
        st.caption("No record: the document states nothing of these types.")
    for record_type in schema.record_types:
        own = [record for record in one.records if record.type == record_type.name]
        if not own:
            continue
        st.caption(f"{plain(record_type.name)}: {count(len(own), 'record')}")
        columns = [field.name for field in record_type.fields]
        st.dataframe(pd.DataFrame([_line(record, columns) for record in own]), hide_index=True)


def _line(record: Record, columns: list[str]) -> dict[str, str]:
    """A record as a line; the columns of ours have blanks in their names, so that no field has the same."""
    values = {name: in_words(flat(record.values.get(name))) for name in columns}
    aside = "left aside: most of it is not in the document" if record.set_aside else ""
    return {
        **values,
        "its quote": " … ".join(one.quote for one in record.evidence),
        "quote found": weakest_proof(record).value,
        "how certain": record.certainty.value,
        "not in the document": aside or ", ".join(record.unsupported),
    }
