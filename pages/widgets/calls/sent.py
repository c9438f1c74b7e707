"""What was sent: every request of the run, to whom, of which documents, how large; and those outside of projects."""

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from pages.widgets import state
from pages.widgets.errors import plain
from pages.widgets.words import count, file_size
from r3con_core.exports.sent import NOT_SEEN, PURPOSES, export_sent_csv, export_sent_json, sent_rows
from r3con_core.runs import Run
from r3con_core.sendings import Sending, kept_at_home
from r3con_core.store.egress import Sent, list_sent, totals_by_host
from r3con_core.store.project import Project

ANY = "any"
EXPLANATION = (
    "One line for each request that left for a model, refused and broken ones too. It was written before anything left. "
    "It holds no text and no key; the words are in the call."
)


def show(project: Project, run: Run, names: Mapping[str, str]) -> None:
    """Totals by host, the list with its filters and downloads, and what was sent outside of projects."""
    sent = list_sent(project, run.id)
    st.caption(EXPLANATION)
    if sent:
        _totals(sent)
        _list(project, run, sent, names)
    else:
        st.info(
            "This run has sent nothing yet. Requests of runs from before this list was kept are not in it.",
            icon=":material/outbox:",
        )
    _outside()


def _totals(sent: Sequence[Sent]) -> None:
    rows = [
        {
            "Host": total.host,
            "Requests": total.requests,
            "Answered": total.answered,
            "Documents": total.documents,
            "Sent": file_size(total.bytes_sent),
            "Received": file_size(total.bytes_received),
        }
        for total in totals_by_host(sent)
    ]
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        alt="What went to each host altogether",
        column_config={
            "Host": st.column_config.TextColumn(width=280, help="Where it went, with the proxy on the way if any."),
            "Documents": st.column_config.NumberColumn(
                help="Whose text, snippets or records went there, in any request."
            ),
        },
    )


def _list(project: Project, run: Run, sent: Sequence[Sent], names: Mapping[str, str]) -> None:
    shown = _filtered(sent, names)
    if not shown:
        st.info("No request has all of that. Take out a filter.", icon=":material/search_off:")
        return
    st.markdown(f"{count(len(shown), 'request')} · {file_size(sum(each.bytes_sent for each in shown))} sent")
    st.dataframe(
        pd.DataFrame([_row(each, names) for each in shown]),
        hide_index=True,
        height=min(35 * (len(shown) + 1) + 3, 420),
        alt="Requests, oldest first: when, what for, to whom, of which document, how large, how they ended",
        column_config={
            "Text of": st.column_config.TextColumn(width=170, help="The document whose text it held."),
            "For": st.column_config.TextColumn(width=125),
            "Documents": st.column_config.NumberColumn(
                help="Of how many documents it held anything: text, snippets, or records."
            ),
        },
    )
    rows = sent_rows(project, run.id, shown)
    with st.container(horizontal=True):
        for label, data, suffix in (
            ("CSV", export_sent_csv(rows), "csv"),
            ("JSON lines", export_sent_json(rows), "jsonl"),
        ):
            st.download_button(
                f"Download as {label}",
                data,
                f"{run.id}.sent.{suffix}",
                key=f"sent-{suffix}",
                icon=":material/download:",
            )


def _row(each: Sent, names: Mapping[str, str]) -> dict[str, object]:
    return {
        "When (UTC)": each.sent[5:19].replace("T", " "),
        "For": PURPOSES.get(each.purpose, each.purpose),
        "Host": each.host,
        "Text of": names.get(each.document_id, ""),
        "Documents": each.count,
        "Sent": file_size(each.bytes_sent),
        "Received": file_size(each.bytes_received),
        "Ended": each.outcome or NOT_SEEN,
    }


def _filtered(sent: Sequence[Sent], names: Mapping[str, str]) -> list[Sent]:
    """The requests that the chosen host, purpose, end and document keep."""
    of_documents = {each.document_id: names.get(each.document_id, "") for each in sent if each.document_id}
    columns = st.columns(4)
    host = _choice(columns[0], "Host", {each.host: each.host for each in sent})
    purpose = _choice(columns[1], "For", {each.purpose: PURPOSES.get(each.purpose, each.purpose) for each in sent})
    ended = _choice(columns[2], "Ended", {each.outcome: each.outcome or NOT_SEEN for each in sent})
    document = _choice(columns[3], "Text of", of_documents)
    return [
        each
        for each in sent
        if host in (None, each.host)
        and purpose in (None, each.purpose)
        and ended in (None, each.outcome)
        and document in (None, each.document_id)
    ]


def _choice(column: "st.delta_generator.DeltaGenerator", label: str, options: Mapping[str, str]) -> str | None:
    """What was chosen of them, None for any."""
    return column.selectbox(
        label,
        [None, *options],
        format_func=lambda each: ANY if each is None else plain(options[each]),
        key=f"sent-{label}",
    )


def _outside() -> None:
    kept = kept_at_home(state.home())
    with st.expander(f"Outside of projects ({len(kept):,})", icon=":material/settings_ethernet:"):
        st.caption("Tests of a connection, lists of models, models and books that were fetched. Kept in egress.jsonl.")
        if kept:
            st.dataframe(
                pd.DataFrame([_outside_row(each) for each in reversed(kept)]),
                hide_index=True,
                alt="What was sent outside of projects, newest first",
            )


def _outside_row(each: Sending) -> dict[str, object]:
    return {
        "When (UTC)": each.sent[:19].replace("T", " "),
        "For": each.purpose,
        "Host": each.host,
        "Sent": file_size(each.bytes_sent),
        "Received": file_size(each.bytes_received),
        "Ended": each.outcome or NOT_SEEN,
    }
